import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventTemplate } from '../../src/models/event-template.ts'

const textIn = (event: unknown) => (event as { delta?: { text?: unknown } } | undefined)?.delta?.text

const event = (text: string, padding = '') => `{"type":"delta","index":0,"delta":{"type":"text","text":${JSON.stringify(text)}}${padding}}`
const line = (text: string, padding = '', name = 'delta') => `event: ${name}\ndata: ${event(text, padding)}\n\n`

function learnt(padding = '', ...[name]: readonly [name?: string]) {
  const template = new EventTemplate<'text'>()
  expect(template.learn(event('a', padding), 'text', 'a', textIn, name)).toBe(true)
  return template
}

describe('events with a name', () => {
  test('are taken as a run, name and all', () => {
    const piece = line('b') + line('c"}}') + line('d', '', 'other')
    expect(learnt('', 'delta').run(piece, 0)).toEqual({ text: 'bc"}}', end: (line('b') + line('c"}}')).length })
  })

  test('and those without one are not like them', () => {
    const piece = `data: ${event('b')}\n\n`
    expect(learnt('', 'delta').run(piece, 0)).toEqual({ text: '', end: 0 })
    expect(learnt('').run(line('b'), 0)).toEqual({ text: '', end: 0 })
  })
})

describe('blanks between the last brackets', () => {
  test.each(['', ' ', '          '])('mean nothing, be they in the event that is known (%j) or in the next', (known) => {
    for (const padding of ['', ' ', '      ', known]) {
      expect(learnt(known, 'delta').match(event('b} ', padding), 'delta')).toBe('b} ')
      expect(learnt(known, 'delta').run(line('b"} }', padding), 0)).toEqual({ text: 'b"} }', end: line('b"} }', padding).length })
    }
  })

  test('but all brackets must be there, and nothing else', () => {
    for (const other of [
      event('b').slice(0, -1),
      `${event('b')}}`,
      event('b', ',"x":1'),
      event('b', ',"x":"y"'),
      event('b', '\t'),
      event('b').replace('"text":"b"', '"text":"b","more":"c"'),
      event('b').replace('"index":0', '"index":1'),
    ])
      expect(learnt('  ', 'delta').match(other, 'delta')).toBeUndefined()
  })

  test('an event that is not whole yet is left', () => {
    const whole = line('b')
    for (let cut = 0; cut < whole.length; cut++) expect(learnt('', 'delta').run(whole.slice(0, cut), 0)).toEqual({ text: '', end: 0 })
  })
})

describe('what differs besides the text', () => {
  const numbered = (text: string, n: number | string, pad = 'aB') =>
    `{"n":${n},"id":"m_1","delta":{"text":${JSON.stringify(text)}},"pad":"${pad}","counts":{"all":[${n}0]}}`

  /** Has read two events, which may differ in numbers and words. */
  function learntTwo(first = numbered('a', 1), second = numbered('bc', 12, 'x9')) {
    const template = new EventTemplate<'text'>({ varies: true })
    const learn = (data: string) =>
      template.learn(data, 'text', JSON.parse(data).delta.text as string, (like) => (like as { delta: { text: unknown } }).delta.text)
    expect([learn(first), learn(second)]).toEqual([true, true])
    return template
  }

  test('in two events may differ in all others: numbers, and texts of letters and digits', () => {
    const template = learntTwo()
    expect(template.match(numbered('"}]', 345, 'Qq'))).toBe('"}]')
    expect(template.match(numbered('d', 5, ''))).toBe('d')
    expect(template.last).toBe(numbered('d', 5, ''))
    const piece = ['e', 'f\n', 'g'].map((text, n) => `data: ${numbered(text, n + 1)}\n\n`).join('')
    expect(template.run(piece, 0)).toEqual({ text: 'ef\ng', end: piece.length })
    expect(template.last?.trim()).toBe(numbered('g', 3))
    expect(template.run(piece.replaceAll('\n\n', '\r\n\r\n'), 0).text).toBe('ef\ng')
  })

  test('also the digits of a text: a time', () => {
    const timed = (text: string, time: string) => `{"at":"2026-08-07T${time}Z","delta":{"text":"${text}"}}`
    const template = learntTwo(timed('a', '06:08:59.987'), timed('b', '06:09:01.1'))
    expect(template.match(timed('c', '06:10:00.123456'))).toBe('c')
    expect(template.match(timed('c', '06:10:x0.123456'))).toBeUndefined()
  })

  test.each([
    ['what was the same in both', numbered('d', 3).replace('m_1', 'm_2')],
    ['a number that is none', numbered('d', '01')],
    ['no number', numbered('d', '')],
    ['a word that is none', numbered('d', 3, 'a b')],
    ['more', numbered('d', 3).replace('"pad"', '"x":1,"pad"')],
    ['less', numbered('d', 3).slice(0, -1)],
  ])('%s makes it another event', (_what, other) => {
    expect(learntTwo().match(other)).toBeUndefined()
  })

  test.each([
    ['a name', numbered('b', 1).replace('"pad"', '"bap"')],
    ['part of a text', numbered('b', 1).replace('m_1', 'n_1')],
    ['a number and a word', numbered('b', 1).replace('"n":1', '"n":"1"')],
    ['true and false', numbered('b', 1).replace('"aB"', 'true')],
  ])('%s never differs: the second event is known then, and only that', (_what, second) => {
    const template = learntTwo(numbered('a', 1), second)
    expect(template.match(numbered('c', 1))).toBeUndefined()
    expect(template.match(second.replace('"text":"b"', '"text":"c"'))).toBe('c')
  })

  const around = (name: string, value: string, text: string, colon = ':') =>
    `{${name}${colon}${value},"delta"${colon}{"text"${colon}${JSON.stringify(text)}}}`

  test.each([
    ['digits of a name', around('"k1"', '0', 'a'), around('"k2"', '0', 'b'), around('"k3"', '0', 'c')],
    ['a name before blanks', around('"ab"', '0', 'a', '  : '), around('"cd"', '0', 'b', '  : '), around('"ef"', '0', 'c', '  : ')],
    ['what is escaped', around('"k"', '"\\u0041"', 'a'), around('"k"', '"\\u0042"', 'b'), around('"k"', '"\\u0043"', 'c')],
  ])('%s never differs', (_what, first, second, third) => {
    expect(learntTwo(first, second).match(third)).toBeUndefined()
  })

  test('a number has no nought before it, whatever stands before that', () => {
    const template = learntTwo(around('"k"', '1', 'a', ':  '), around('"k"', '2', 'b', ':  '))
    expect(template.match(around('"k"', '30', 'c', ':  '))).toBe('c')
    expect(template.match(around('"k"', '03', 'c', ':  '))).toBeUndefined()
  })
})

const alike = fc.constantFrom(
  ['1', '20', '0', '345'],
  ['-1', '-2'],
  ['1.5', '1.05'],
  ['1e5', '2e7'],
  ['"a1"', '""', '"b22"'],
  ['"a,5"', '"a,6"'],
  ['"t1:2Z"', '"t3:45Z"'],
  ['"\\u0041"', '"\\u0042"'],
  ['"x\\"1"', '"x\\"2"'],
  ['"\\\\n1"', '"\\\\n2"'],
  ['true', 'false'],
)
const texts = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.constantFrom('"', '\\', '\n', '12', '"}}', 'é😀', '\u2028'))
const streams = fc.record({
  names: fc.constantFrom(['"k1"'], ['"k1"', '"k2"'], ['"ab"', '"delta"'], ['"a\\"1"', '"a\\"2"']),
  befores: alike,
  behinds: alike,
  colon: fc.constantFrom(':', ': ', '  :  ', ' :\n'),
  events: fc.array(fc.record({ text: texts, before: fc.nat(9), behind: fc.nat(9), name: fc.nat(1) }), { minLength: 3, maxLength: 8 }),
  strange: fc.array(
    fc.record({ at: fc.nat(80), put: fc.constantFrom('0', '1', '"', '\\', 'a', ' ', '}', '{', ',', '\t', '\u0000', ''), drop: fc.nat(1) }),
    {
      maxLength: 2,
    },
  ),
})

test('what a template takes JSON.parse takes too, with the same text and the same names, whatever else differs', () => {
  let taken = 0
  fc.assert(
    fc.property(streams, ({ names, befores, behinds, colon, events, strange }) => {
      const template = new EventTemplate<'text'>({ varies: true })
      for (const [index, { text, before, behind, name }] of events.entries()) {
        const whole = `{${names[name % names.length]}${colon}${befores[before % befores.length]},"delta"${colon}{"text"${colon}${JSON.stringify(text)},"q"${colon}[${behinds[behind % behinds.length]}]}}`
        const isLast = index === events.length - 1
        const data = isLast ? strange.reduce((one, { at, put, drop }) => one.slice(0, at) + put + one.slice(at + drop), whole) : whole
        const more = template.match(data)
        if (more !== undefined) {
          taken++
          const parsed = JSON.parse(data)
          expect([textIn(parsed), Object.keys(parsed).length]).toEqual([more, Object.keys(JSON.parse(whole)).length])
        } else if (!isLast && textIn(JSON.parse(data)) === text) template.learn(data, 'text', text, textIn)
      }
    }),
    { numRuns: 3_000 },
  )
  expect(taken).toBeGreaterThan(1_000)
})
