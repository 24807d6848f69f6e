import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { check, issues, weather } from './check.ts'

function refusal(schema: unknown): string {
  try {
    jsonSchema(schema as Json)
    return 'accepted'
  } catch (error) {
    return String(error)
  }
}

describe('references and drafts', () => {
  const list: Json = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } }, required: ['value'] } },
  }

  test('local references work: pointer, anchor, $id, recursion', () => {
    expect(issues(list, { value: 1, next: { value: 2 } })).toBe('ok')
    expect(issues(list, { value: 1, next: { value: 2, next: { value: 'x' } } })).toEqual([
      { path: ['next', 'next', 'value'], message: 'expected number, received string' },
    ])
    const wrong = [{ path: ['a'], message: 'expected number, received string' }]
    const number = { type: 'number' }
    expect(issues({ properties: { a: { $ref: '#num' } }, $defs: { n: { $anchor: 'num', ...number } } }, { a: 'x' })).toEqual(wrong)
    expect(issues({ properties: { a: { $ref: 'num' } }, $defs: { n: { $id: 'num', ...number } } }, { a: 'x' })).toEqual(wrong)
    expect(issues({ $id: 'https://x.y/s', properties: { a: { $ref: '/s#/$defs/n' } }, $defs: { n: number } }, { a: 'x' })).toEqual(wrong)
    expect(issues({ properties: { a: { $ref: '#/components/n' } }, components: { n: number } }, { a: 'x' })).toEqual(wrong)
    expect(issues({ properties: { a: { $ref: '#/$defs/a~1b%20c' } }, $defs: { 'a/b c': number } }, { a: 'x' })).toEqual(wrong)
  })

  test('an example with an id is no identifier', () => {
    const property = { type: 'object', example: { id: 'abc' }, default: { $id: 'abc', $ref: 'nowhere' } }
    expect(issues({ properties: { a: property, b: property } }, { a: {} })).toBe('ok')
  })

  test('older drafts are read as they were meant', () => {
    const draft07: Json = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { pair: { items: [{ type: 'string' }], additionalItems: false }, ref: { $ref: '#/definitions/any', type: 'string' } },
      dependencies: { a: ['b'], c: { required: ['d'] } },
      definitions: { any: {} },
    }
    expect(issues(draft07, { pair: ['a'], ref: 5 })).toBe('ok')
    expect(issues(draft07, { pair: ['a', 1] })).toEqual([{ path: ['pair', 1], message: 'nothing is allowed here' }])
    expect(issues(draft07, { a: 1 })).toEqual([{ path: [], message: 'the value has "a" but does not have "b"' }])
    const draft04: Json = { $schema: 'http://json-schema.org/draft-04/schema#', id: 'x', minimum: 1, exclusiveMinimum: true }
    expect(issues(draft04, 1)).toEqual([{ path: [], message: 'expected a number > 1, received 1' }])
    expect(issues({ $ref: '#/$defs/any', type: 'string', $defs: { any: {} } }, 5)).toEqual([
      { path: [], message: 'expected string, received number' },
    ])
  })
})

describe('what can not be a schema is refused when it is made', () => {
  const loop: Record<string, unknown> = {}
  loop.not = loop

  test.each<[string, unknown, string]>([
    ['a number', 5, '# must be an object, true or false, not 5'],
    ['an array', [], '# must be an object, true or false, not []'],
    ['undefined', undefined, '# must be an object, true or false, not undefined'],
    ['a circle', loop, 'the schema must be plain JSON without circular references; use $ref for those'],
    ['another draft', { $schema: 'x' }, '#/$schema must be the URI of draft-04, -06, -07, 2019-09 or 2020-12, not "x"'],
    [
      'an unknown type',
      { properties: { a: { type: 'int' } } },
      '#/properties/a/type must be one of array, boolean, integer, null, number, object, string, not "int"',
    ],
    [
      'an invalid pattern',
      { items: { pattern: '(' } },
      '#/items/pattern "(" is no regular expression with the flag \'u\' (Invalid regular expression: /(/u: Unterminated group)',
    ],
    ['required as a flag', { required: true }, '#/required must be a list of property names, not true'],
    ['an empty enum', { enum: [] }, '#/enum must be a list of at least one value, not []'],
    [
      'a schema that is a word',
      { properties: { 'a/b': 'string' } },
      '#/properties/a~1b must be a schema (an object, true or false), not "string"',
    ],
    ['a negative length', { minLength: -1 }, '#/minLength must be a whole number of 0 or more, not -1'],
    [
      'an old tuple',
      { items: [{}] },
      "#/items is a list: since draft 2020-12 a tuple is written with 'prefixItems' (or name an older draft in '$schema')",
    ],
    [
      'a remote reference',
      { properties: { a: { $ref: 'https://x.y/z.json' } } },
      "#/properties/a/$ref: 'https://x.y/z.json' is not in this schema, and nothing is loaded from elsewhere; put it under '#/$defs'",
    ],
    ['a lost reference', { $ref: '#/$defs/a' }, "#/$ref: '#/$defs/a' leads to no schema here"],
    ['a dynamic reference', { $dynamicRef: '#a' }, "#/$dynamicRef is not supported: use '$ref'"],
    [
      'a reference to itself',
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      'a schema leads back to itself without going into the data, or over more than 200 steps',
    ],
    [
      'two with one name',
      { $defs: { a: { $id: 'x' }, b: { $id: 'x' } } },
      "#/$defs/b has the same identifier as another place: 'schema:/x'",
    ],
  ])('%s', (_, schema, why) => {
    expect(refusal(schema)).toBe(`RondoError: jsonSchema(): ${why}`)
  })

  test('all problems are told at once', () => {
    expect(refusal({ type: 'int', minItems: '1' })).toBe(
      'RondoError: jsonSchema(): #/type must be one of array, boolean, integer, null, number, object, string, not "int"; ' +
        '#/minItems must be a whole number of 0 or more, not "1"',
    )
    let deep: Json = {}
    for (let i = 0; i < 201; i++) deep = { not: deep }
    expect(refusal(deep)).toBe('RondoError: jsonSchema(): the schema is nested deeper than 200 levels, the limit')
    expect(refusal(jsonSchema({}))).toBe(
      'RondoError: jsonSchema() takes plain JSON Schema; this value is a schema already: pass it as it is',
    )
  })
})

describe('the schema as JSON Schema', () => {
  const convert = (schema: Json, target: string) => {
    try {
      return jsonSchema(schema)['~standard'].jsonSchema.input({ target })
    } catch (error) {
      return String(error)
    }
  }

  test('it is a copy: neither the source nor a result can change it', () => {
    const source = { type: 'object', properties: { a: { type: 'string' } } }
    const schema = jsonSchema(source)
    source.properties.a.type = 'number'
    const first = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
    expect(first).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    first.type = 'array'
    expect(schema['~standard'].jsonSchema.output({ target: 'draft-2020-12' }).type).toBe('object')
    expect(check(schema, { a: 1 })).not.toBe('ok')
    expect([schema['~standard'].vendor, schema['~standard'].version, Object.isFrozen(schema)]).toEqual(['rondo', 1, true])
  })

  test('frozen input works and stays untouched', () => {
    const frozen = Object.freeze({
      properties: Object.freeze({ a: Object.freeze({ $ref: '#/$defs/n' }) }),
      $defs: { n: Object.freeze({ type: 'number' }) },
    })
    const before = JSON.stringify(frozen)
    expect(issues(frozen, { a: 'x' })).not.toBe('ok')
    expect([JSON.stringify(frozen), Object.getOwnPropertyNames(frozen.properties.a)]).toEqual([before, ['$ref']])
  })

  test('older drafts become 2020-12', () => {
    const source: Json = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { p: { items: [{ type: 'string' }], additionalItems: false }, r: { $ref: '#/definitions/x', type: 'string' } },
      dependencies: { a: ['b'], c: { required: ['d'] } },
      definitions: { x: {} },
    }
    expect(convert(source, 'draft-2020-12')).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { p: { prefixItems: [{ type: 'string' }], items: false }, r: { $ref: '#/definitions/x' } },
      dependentRequired: { a: ['b'] },
      dependentSchemas: { c: { required: ['d'] } },
      definitions: { x: {} },
    })
    expect(convert(source, 'draft-07')).toEqual(source)
    expect(
      convert({ $schema: 'http://json-schema.org/draft-04/schema#', id: 'x', minimum: 1, exclusiveMinimum: true }, 'draft-07'),
    ).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'x',
      exclusiveMinimum: 1,
    })
  })

  test('what a target has no words for throws', () => {
    expect(convert(weather, 'draft-07')).toEqual(weather)
    expect(convert({ properties: { a: { prefixItems: [{}] } } }, 'draft-07')).toBe(
      'RondoError: jsonSchema(): #/properties/a/prefixItems is unknown to draft-07',
    )
    expect(convert({ $ref: '#/$defs/a', type: 'string', $defs: { a: {} } }, 'draft-07')).toBe(
      "RondoError: jsonSchema(): #/type stands beside a '$ref', where draft-07 ignores it",
    )
    expect(convert({}, 'openapi-3.0')).toBe("RondoError: jsonSchema() converts to 'draft-2020-12' and 'draft-07', not to 'openapi-3.0'")
    expect([convert(true, 'draft-2020-12'), convert(false, 'draft-07')]).toEqual([{}, { not: {} }])
  })
})
