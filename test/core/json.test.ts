import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, copyJson, isJsonObject, type Json, jsonEqual, nestingDepth } from '../../src/core/json.ts'

const json = fc.jsonValue() as fc.Arbitrary<Json>

/** The same value with the keys of every object in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field as Json)]),
  )
}

const withProto = JSON.parse('{"__proto__":{"admin":true},"a":1}') as Json

describe('jsonEqual and canonicalJson (machine 4: arguments are compared in canonical JSON)', () => {
  test.each<[string, Json | undefined, Json | undefined, boolean]>([
    ['scalars', 1, 1, true],
    ['other scalars', 1, '1', false],
    ['null is no object', null, {}, false],
    ['the order of keys does not matter', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
    ['the order of items does', [1, 2], [2, 1], false],
    ['a shorter array', [1, 2], [1], false],
    ['a longer array', [1], [1, 2], false],
    ['an array is no object', [], {}, false],
    ['an object is no array', { 0: 1, length: 1 }, [1], false],
    ['a missing key', { a: 1, b: 2 }, { a: 1 }, false],
    ['a key too many', { a: 1 }, { a: 1, b: 2 }, false],
    ['as many keys, but others', { a: 1 }, { b: 1 }, false],
    ['an undefined field is an absent one', { a: 1, b: undefined }, { a: 1 }, true],
    ['on either side', { a: 1 }, { a: 1, b: undefined }, true],
    ['undefined and null are two things', { a: undefined }, { a: null }, false],
    ['absent values', undefined, undefined, true],
    ['one absent value', undefined, null, false],
    ['inherited keys are none: constructor', { constructor: 1 }, {}, false],
    ['B197 __proto__ is a key like any other', withProto, { a: 1 }, false],
    ['B197 an own __proto__ is not the inherited one', JSON.parse('{"__proto__":{}}') as Json, { a: 1 }, false],
    ['B197 and equal to itself', withProto, JSON.parse('{"a":1,"__proto__":{"admin":true}}') as Json, true],
  ])('%s', (_rule, a, b, equal) => {
    expect(jsonEqual(a, b)).toBe(equal)
    expect(jsonEqual(b, a)).toBe(equal)
    if (a !== undefined && b !== undefined) expect(canonicalJson(a) === canonicalJson(b)).toBe(equal)
  })

  test('canonical text: sorted keys at every level, no undefined fields, JSON otherwise', () => {
    expect(canonicalJson({ b: [{ z: 1, y: null }], a: 'x\n', c: undefined })).toBe('{"a":"x\\n","b":[{"y":null,"z":1}]}')
  })

  test('any value: equal to itself whatever the order of keys, and canonical text is JSON for the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(jsonEqual(value, reversed(value))).toBe(true)
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
        expect(jsonEqual(JSON.parse(canonicalJson(value)) as Json, value)).toBe(true)
      }),
    )
  })

  test('any two values: equal exactly when their canonical texts are', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(jsonEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b))
      }),
    )
  })
})

describe('copyJson', () => {
  test('an equal value that shares nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(copyJson(value)).toEqual(value)
      }),
    )
    const value = { a: [{ b: 1 }] }
    const copy = copyJson(value) as typeof value
    expect([copy === value, copy.a === value.a, copy.a[0] === value.a[0]]).toEqual([false, false, false])
  })

  test('B197 a key named __proto__ stays plain own data', () => {
    const copy = copyJson(withProto) as { admin?: boolean }
    expect([Object.keys(copy), copy.admin, Object.getPrototypeOf(copy) === Object.prototype]).toEqual([['__proto__', 'a'], undefined, true])
  })

  test('undefined fields are dropped', () => {
    expect(Object.keys(copyJson({ a: undefined, b: 1 }) as object)).toEqual(['b'])
  })
})

test('isJsonObject: objects only, no arrays, no null', () => {
  expect([{}, [], null, 'a', 1, undefined].map(isJsonObject)).toEqual([true, false, false, false, false, false])
})

test('nestingDepth: levels of containers, and no further than the limit', () => {
  expect([1, [], {}, [[]], { a: [{}] }].map((value) => nestingDepth(value, 10))).toEqual([0, 1, 1, 2, 3])
  expect(nestingDepth([[[[]]]], 2)).toBe(2)
})
