import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { withoutNullFields } from '../../src/core/null-fields.ts'

const object = (properties: { [key: string]: Json }, more: { [word: string]: Json } = {}): Json => ({ type: 'object', properties, ...more })
const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }

describe('B181 null for a field that is optional and can not be null is taken away, and nothing else', () => {
  test.each<[string, Json, Json, Json]>([
    ['an optional field', object({ a: text }), { a: null }, {}],
    ['one with a default', object({ a: { type: 'number', default: 3 } }), { a: null }, {}],
    ['one of a list of values', object({ a: { enum: ['x', 'y'] } }), { a: null }, {}],
    ['a constant', object({ a: { const: 'x' } }), { a: null }, {}],
    [
      'deep inside',
      object({ o: object({ l: { type: 'array', items: object({ a: text }) } }) }),
      { o: { l: [{ a: null }] } },
      { o: { l: [{}] } },
    ],
    ['in a tuple', object({ t: { type: 'array', prefixItems: [text, object({ a: text })] } }), { t: ['x', { a: null }] }, { t: ['x', {}] }],
    ['in what a record holds', object({}, { additionalProperties: object({ a: text }) }), { k: { a: null } }, { k: {} }],
    ['by a pattern of names', object({}, { patternProperties: { '^x': object({ a: text }) } }), { xy: { a: null } }, { xy: {} }],
    ['behind a reference', { $ref: '#/$defs/o', $defs: { o: object({ a: text }) } }, { a: null }, {}],
    [
      'of a tree',
      object({ v: text, kids: { type: 'array', items: { $ref: '#' } } }),
      { kids: [{ v: null, kids: [{ v: null }] }] },
      { kids: [{ kids: [{}] }] },
    ],
    ['of an intersection', { allOf: [object({ a: text }), object({ b: text })] }, { a: null, b: null }, {}],
    [
      'of the alternative that is meant',
      { oneOf: [object({ k: { const: 1 }, a: text }), object({ k: { const: 2 }, a: textOrNull })] },
      { k: 1, a: null },
      { k: 1 },
    ],
    ['of all alternatives', { anyOf: [object({ a: text }), object({ a: { type: 'number' } })] }, { a: null }, {}],
    [
      'of another alternative than the closed one that is meant',
      { oneOf: [object({ k: { const: 1 } }, { additionalProperties: false }), object({ k: { const: 2 }, a: text })] },
      { k: 1, a: null },
      { k: 1 },
    ],
  ])('%s', (_name, schema, value, expected) => {
    expect(withoutNullFields(schema, value)).toEqual(expected)
  })

  test.each<[string, Json, Json]>([
    ['a field that may be null', object({ a: textOrNull }), { a: null }],
    ['by an alternative', object({ a: { anyOf: [text, { type: 'null' }] } }), { a: null }],
    ['by a list of values', object({ a: { enum: ['x', null] } }), { a: null }],
    ['by a reference', object({ a: { $ref: '#/$defs/n' } }, { $defs: { n: textOrNull } }), { a: null }],
    ['a field of any kind', object({ a: {} }), { a: null }],
    ['a required field: what it should be is for the validator to say', object({ a: text }, { required: ['a'] }), { a: null }],
    ['a required field of an intersection', { allOf: [object({ a: text }), { required: ['a'] }] }, { a: null }],
    ['an entry of a record', object({}, { additionalProperties: text }), { a: null }],
    ['an unknown field', object({}, { additionalProperties: false }), { a: null }],
    ['an item', { type: 'array', items: text }, [null]],
    ['null itself', text, null],
    ['one that an alternative takes', { anyOf: [object({ a: text }), object({ a: textOrNull })] }, { a: null }],
    ['one that an open alternative does not speak of', { anyOf: [object({ a: text }), object({ b: text })] }, { a: null }],
    ['deep in alternatives', { anyOf: [object({ o: object({ a: text }) }), object({ o: object({ a: textOrNull }) })] }, { o: { a: null } }],
  ])('stays: %s', (_name, schema, value) => {
    expect(withoutNullFields(schema, value)).toEqual(value)
  })

  test('a value without any null is not copied', () => {
    const value = { a: 'x', l: [1, { b: true }] }
    expect(withoutNullFields(object({ a: text }), value)).toBe(value)
  })

  test('fields named __proto__ are data like any other', () => {
    const value = JSON.parse('{"__proto__":{"a":null,"b":1},"c":null}')
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","properties":{"a":{"type":"string"}}},"c":{"type":"string"}}}',
    )
    expect(JSON.stringify(withoutNullFields(schema, value))).toBe('{"__proto__":{"b":1}}')
    expect(Reflect.get({}, 'b')).toBeUndefined()
  })

  test('closed: objects that say nothing of other fields have none', () => {
    const schema = { oneOf: [object({ k: { const: 1 } }), object({ k: { const: 2 }, a: text })] }
    expect(withoutNullFields(schema, { k: 1, a: null })).toEqual({ k: 1, a: null })
    expect(withoutNullFields(schema, { k: 1, a: null }, { closed: true })).toEqual({ k: 1 })
  })

  test('alternatives that multiply are given up on in time, and null then stays', () => {
    const names = Array.from({ length: 30 }, (_, i) => `n${i}`)
    const $defs = Object.fromEntries(names.map((name) => [name, { anyOf: names.map((other) => ({ $ref: `#/$defs/${other}` })) }]))
    const schema = object({ a: { $ref: '#/$defs/n0' } }, { $defs })
    expect(withoutNullFields(schema, { a: null, b: { c: null } })).toEqual({ a: null, b: { c: null } })
  })

  test('references by anchor and by id, and ones that lead nowhere', () => {
    const schema = object(
      {
        a: { $ref: '#t' },
        b: { $ref: 'https://example.com/t' },
        c: { $ref: '#/$defs/none' },
        d: { $ref: 'https://example.com/t#/$defs/n' },
      },
      { $defs: { t: { ...text, $anchor: 't' }, u: { ...text, $id: 'https://example.com/t', $defs: { n: textOrNull } } } },
    )
    expect(withoutNullFields(schema, { a: null, b: null, c: null, d: null })).toEqual({ c: null, d: null })
  })
})
