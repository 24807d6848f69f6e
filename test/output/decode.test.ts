import { describe, expect, test } from 'vitest'
import { decodeText } from '../../src/output/decode.ts'

const plain = { isWrapped: false, json: {} }
const wrapped = { isWrapped: true, json: {} }

function problemOf(text: string, how = plain): string {
  const decoded = decodeText(how, text)
  return 'problem' in decoded ? decoded.problem : `decoded ${JSON.stringify(decoded.value)}`
}

describe('C24: the value in an answer', () => {
  test.each<[string, string, unknown]>([
    ['JSON', '{"a":1}', { a: 1 }],
    ['with white space', '\n {"a":1}\n', { a: 1 }],
    ['a scalar', '3', 3],
    ['in a fence', '```json\n{"a":1}\n```', { a: 1 }],
    ['in a fence without a language', '```\n{"a":1}\n```', { a: 1 }],
    ['in a fence with words around it', 'Here it is:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ['in a fence behind a bracket that begins no JSON', '[1] says:\n```json\n{"a":1}\n```', { a: 1 }],
    ['a fence in a string is no fence', '{"a":"```\\nx\\n```"}', { a: '```\nx\n```' }],
    ['a fence in a string inside a fence', '```json\n{"a":"```"}\n```', { a: '```' }],
    ['half a surrogate pair is U+FFFD', '"\\ud83d"', '\ufffd'],
  ])('%s', (_name, text, value) => {
    expect(decodeText(plain, text)).toEqual({ value })
  })

  test('a key named __proto__ is one like any other', () => {
    const decoded = decodeText(plain, '{"__proto__":{"a":1}}')
    expect('value' in decoded && Object.keys(Object(decoded.value))).toEqual(['__proto__'])
  })

  test.each<[string, string, RegExp]>([
    ['nothing', '  ', /^The answer is empty\.$/],
    ['words', 'It is Oslo.', /^The answer is not valid JSON\.$/],
    ['B185 a raw line break in a string: the engine says where', '{"a":"x\ny"}', /^The answer is not valid JSON: .*(position 7|line 1)/],
    ['B185 an end in the middle', '{"a":"x', /^The answer is not valid JSON: it ends early, after 7 characters, as if it was cut off\.$/],
    ['JSON with words behind it', '{"a":1} is it.', /^The answer is not valid JSON: /],
    ['B189 a fence in a string of a broken object', '{"code":"```js\n{"a":1}\n```"}', /^The answer is not valid JSON: /],
    ['B189 a fence in a string of a broken list', '[ "```js\n{"a":1}\n```"]', /^The answer is not valid JSON: /],
    ['two fences', '```\n1\n```\n```\n2\n```', /^The answer is not valid JSON/],
    ['a number that is none', '{"a":1e999}', /^The answer can't be used: the value at \$\.a is no JSON value \(non-finite\)\.$/],
    ['hostile nesting', '['.repeat(100_000), /^The answer is nested deeper than 200 levels, the limit\.$/],
    ['more than the limit', `"${'x'.repeat(4 * 1024 * 1024)}"`, /^The answer is longer than 4194304 characters, the limit\.$/],
  ])('%s is none', (_name, text, problem) => {
    expect(problemOf(text)).toMatch(problem)
  })
})

describe('B188, B189: the one wrapper that was asked for is taken off, and no other', () => {
  test.each<[string, unknown]>([
    ['{"value":["a","b"]}', ['a', 'b']],
    ['{"value":null}', null],
    ['{"value":false}', false],
    ['{"value":{"value":1}}', { value: 1 }],
  ])('%s', (text, value) => {
    expect(decodeText(wrapped, text)).toEqual({ value })
  })

  test.each(['["a"]', '{}', '{"elements":["a"]}', '{"value":1,"more":2}', '"value"', '{"output":{"value":1}}'])('%s is refused', (text) => {
    expect(problemOf(text, wrapped)).toBe("The answer does not fit the output schema: it must be an object whose one field is 'value'.")
  })

  test('a field of that name of the user is none of ours', () => {
    expect(decodeText(plain, '{"value":1}')).toEqual({ value: { value: 1 } })
  })
})

describe('B181 null for an optional field that can not be null counts as not given', () => {
  const json = { type: 'object', properties: { a: { type: 'string' }, b: { type: ['string', 'null'] } } }

  test('what can be null stays null', () => {
    expect(decodeText({ isWrapped: false, json }, '{"a":null,"b":null}')).toEqual({ value: { b: null } })
  })

  test('inside of a wrapper too', () => {
    expect(decodeText({ isWrapped: true, json: { type: 'array', items: json } }, '{"value":[{"a":null,"b":"x"}]}')).toEqual({
      value: [{ b: 'x' }],
    })
  })
})
