import { describe, expect, test } from 'vitest'
import { decodeText } from '../../src/output/decode.ts'
import { PartialOutput } from '../../src/output/partial.ts'

/** What is said of a text that comes in these pieces. */
function told(pieces: readonly string[], isWrapped = false): unknown[] {
  const partial = new PartialOutput({ isWrapped })
  return pieces.map((piece) => partial.push(piece)).filter((value) => value !== undefined)
}

describe('what there is of an output while it comes', () => {
  test('text in a field grows; numbers and words come when they are whole', () => {
    expect(told(['{"a"', ':"he', 'llo', '","n":1', '2', ',"ok":tr', 'ue', '}'])).toEqual([
      {},
      { a: 'he' },
      { a: 'hello' },
      { a: 'hello' },
      { a: 'hello', n: 12 },
      { a: 'hello', n: 12, ok: true },
    ])
  })

  test('B188 the items of a list come when they are whole; those that are objects show their fields', () => {
    expect(told(['{"value":["a","', 'b', '"]}'], true)).toEqual([['a'], ['a', 'b']])
    expect(told(['{"l":[{"t":"x', 'y"},', '{"t":"z"}]}'])).toEqual([
      { l: [{ t: 'x' }] },
      { l: [{ t: 'xy' }] },
      { l: [{ t: 'xy' }, { t: 'z' }] },
    ])
  })

  test('of a wrapped value the wrapper is not shown', () => {
    expect(told(['{"val', 'ue":"on', 'e"', '}'], true)).toEqual(['on', 'one', 'one'])
  })

  test('fences and words may stand before it', () => {
    expect(told(['Here: ```json\n', '{"a":1', '}\n```'])).toEqual([{}, { a: 1 }])
  })

  test.each([
    ['{"a":1 "b":2}'],
    ['{"a":tru}'],
    ['{a:1}'],
    ['{"a":"\\x"}'],
    ['{"a":[1}'],
    [`{"a":${'['.repeat(300)}`],
    ['{"a":'.repeat(300)],
  ])('what is no JSON ends it: %s', (text) => {
    const partial = new PartialOutput({ isWrapped: false })
    for (const char of text) partial.push(char)
    expect(partial.push('{"late":1}')).toBeUndefined()
  })

  test('a key named __proto__ is one like any other', () => {
    const [value] = told(['{"__proto__":{"x":1},"a":"b'])
    expect([Object.keys(Object(value)), Reflect.get(Object(value), 'x')]).toEqual([['__proto__', 'a'], undefined])
  })

  const answers = [
    '{"title":"Ein \\"Wort\\" \\u00e4\\n \\ud83d\\ude00 😀","n":-1.5e3,"list":[1,2,{"a":[]},"x",null,true],"o":{"p":{}}}',
    '{ "a" : [ ] , "b" : { } , "c" : "" }',
    // Halves that never find the other one: in a value, in a key.
    '{"a":"\\ud83dx \\ude00 \\ud83d\\ud83d\\ude00 \\ud83d","\\ud83dk":"\\ud83d\\n"}',
  ]

  test.each(answers)('cut at every character it ends with the whole value, and never shows half a pair: %s', (text) => {
    for (let cut = 1; cut < text.length; cut++) {
      const values = told([text.slice(0, cut), text.slice(cut)])
      expect({ value: values.at(-1) }).toEqual(decodeText({ isWrapped: false, json: {} }, text))
      for (const value of values) expect(JSON.stringify(value)).not.toMatch(/\\ud[89a-f]/)
    }
    expect({ value: told([...text]).at(-1) }).toEqual(decodeText({ isWrapped: false, json: {} }, text))
  })

  test('what was said is never changed', () => {
    const partial = new PartialOutput({ isWrapped: false })
    const said = [...(answers[0] ?? '')].flatMap((char) => {
      const value = partial.push(char)
      return value === undefined ? [] : [[value, JSON.stringify(value)] as const]
    })
    expect(said.length).toBeGreaterThan(20)
    for (const [value, text] of said) expect(JSON.stringify(value)).toBe(text)
  })

  test('its cost is linear: a list that is twice as long makes twice as many copies', () => {
    const copied = (items: number) => {
      const partial = new PartialOutput({ isWrapped: true })
      let entries = 0
      for (const piece of ['{"value":[', ...Array.from({ length: items }, (_, n) => `${n},`)]) {
        const value = partial.push(piece)
        if (Array.isArray(value)) entries += value.length
      }
      return entries
    }
    expect(copied(20_000)).toBeLessThan(20_000 * 6 * 4)
    expect(copied(20_000) / copied(10_000)).toBeLessThan(3)
    expect(copied(100)).toBeGreaterThan(1_000)
  })
})
