import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventTemplate } from '../../src/models/event-template.ts'
import { event, readBody, sse } from './gemini/support.ts'

const textIn = (value: unknown) => Object(value).text
const counted = (text: string, n: number, more: object = {}) => JSON.stringify({ at: `t${n}Z`, text, n, ...more })

function learnt(varies: boolean, ...events: readonly (readonly [string, number])[]): EventTemplate<'text'> {
  const template = new EventTemplate<'text'>({ varies })
  for (const [text, n] of events) expect(template.learn(counted(text, n), 'text', text, textIn)).toBe(true)
  return template
}

describe('events whose numbers differ', () => {
  test('fit once two of them have shown which numbers do; what they tell is kept of the last one', () => {
    const template = learnt(true, ['a', 1], ['b', 2])
    expect(template.match(counted('x "1"', 4_711))).toBe('x "1"')
    expect(template.last).toBe(counted('x "1"', 4_711))
    expect(learnt(true, ['a', 1]).match(counted('x', 2))).toBeUndefined()
    expect(learnt(false, ['a', 1], ['b', 2]).match(counted('x', 3))).toBeUndefined()
  })

  test('a number that has not differed yet is learnt when it does; others stay as they are', () => {
    const template = new EventTemplate<'text'>({ varies: true })
    const of = (text: string, n: number, total: number) => JSON.stringify({ text, n, total, id: 7 })
    for (const [text, n, total] of [
      ['a', 1, 5],
      ['b', 2, 5],
      ['c', 3, 6],
    ] as const)
      template.learn(of(text, n, total), 'text', text, textIn)
    expect([template.match(of('d', 44, 55)), template.match(of('d', 4, 5).replace('7', '8'))]).toEqual(['d', undefined])
  })

  test('two that differ in more than what may vary have not shown where they do', () => {
    const template = new EventTemplate<'text'>({ varies: true })
    const other = (text: string, n: number) => counted(text, n).replace('"n":', '"m":')
    for (const data of [counted('a', 1), other('b', 2)]) template.learn(data, 'text', JSON.parse(data).text, textIn)
    expect([template.match(other('x', 3)), template.match(other('x', 2))]).toEqual([undefined, 'x'])
  })

  test('what differs in more than numbers does not fit', () => {
    const template = learnt(true, ['a', 1], ['b', 2])
    for (const other of [
      counted('x', 3, { z: 1 }),
      counted('x', 3).replace('Z', '!'),
      `${counted('x', 3)} `,
      counted('x', 3).replace(':3', ':'),
      counted('x', 3).replace(':3', ':-3'),
    ])
      expect(template.match(other), other).toBeUndefined()
  })

  test.each(['\n', '\r\n'])('are taken out of a stream as one run (%j), up to the first other one', (newline) => {
    const template = learnt(true, ['a', 1], ['b', 2])
    const line = (data: string) => `data: ${data}${newline}${newline}`
    const piece = `${line(counted('x', 3))}${line(counted('\\"', 40))}`
    expect(template.run(`${piece}${line('{"done":true}')}`, 0)).toEqual({ end: piece.length, text: 'x\\"' })
    expect(JSON.parse(template.last ?? '')).toMatchObject({ n: 40 })
    expect(template.run(`${piece}${line(counted('z', 5)).slice(0, -1)}`, 0)).toEqual({ end: piece.length, text: 'x\\"' })
    expect(template.run('data: {}', 0)).toEqual({ end: 0, text: '' })
  })
})

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('"', '\\', '\n\n', '12', '"}]', 'data: ', '\r\n\r\ndata: ', '\u2028', '\ud83d\ude00', ''),
)

const spoken = fc.record({
  pieces: fc.array(fc.tuple(fc.constantFrom('text', 'text', 'text', 'thought', 'signed', 'bare'), words, fc.nat(3_000)), { maxLength: 25 }),
  cuts: fc.array(fc.nat(4_000), { maxLength: 5 }),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
})

test('what comes of a stream with growing counts is the same, wherever it is cut and whatever its texts hold', () => {
  fc.assert(
    fc.property(spoken, ({ pieces, cuts, newline }) => {
      const events = pieces.map(([kind, text, n]) => {
        const usage = kind === 'bare' ? {} : { usageMetadata: { promptTokenCount: 8, candidatesTokenCount: n } }
        return event(
          [{ text, ...(kind === 'thought' ? { thought: true } : {}), ...(kind === 'signed' ? { thoughtSignature: 'c2ln' } : {}) }],
          {},
          usage,
        )
      })
      const body = new TextEncoder().encode(sse([...events, event(undefined, { finishReason: 'STOP' })], newline))
      const places = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b), body.length]
      const { parts, finish } = readBody(places.slice(1).map((to, i) => body.subarray(places[i], to)))
      const said = (isThought: boolean) => pieces.flatMap(([kind, text]) => ((kind === 'thought') === isThought ? [text] : [])).join('')
      const read = (type: string) => parts.flatMap((part) => (part.type === type && 'text' in part ? [part.text] : [])).join('')
      expect([read('text'), read('reasoning')]).toEqual([said(false), said(true)])
      const last = pieces.filter(([kind]) => kind !== 'bare').at(-1)
      expect(finish.usage).toMatchObject(
        last === undefined ? { complete: false } : { inputTokens: 8, outputTokens: last[2], complete: true },
      )
    }),
    { numRuns: 400 },
  )
})
