import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import type { ValidationIssue } from '../../src/core/schema.ts'
import { issues, weather } from './check.ts'

describe('validation', () => {
  test('valid data is returned as it is', () => {
    expect(issues(weather, { city: 'Paris', days: 3 })).toBe('ok')
    expect(issues(true, 1)).toBe('ok')
    expect(issues({}, null)).toBe('ok')
  })

  test('every problem is told with its path, what was expected and what received', () => {
    expect(issues(weather, { days: 1.5, unit: 'kelvin', cty: 'x' })).toEqual([
      { path: ['city'], message: 'expected string, received nothing: this property is required' },
      { path: ['days'], message: 'expected integer, received 1.5' },
      { path: ['unit'], message: 'expected one of "c", "f", received "kelvin"' },
      { path: ['cty'], message: 'unexpected property; only these are allowed: city, days, unit' },
    ])
    expect(issues(weather, 'Paris')).toEqual([{ path: [], message: 'expected object, received string' }])
  })

  test.each<[Json, unknown, ValidationIssue]>([
    [{ type: ['string', 'null'] }, 1, { path: [], message: 'expected string or null, received number' }],
    [{ const: 'a' }, 'b', { path: [], message: 'expected "a", received "b"' }],
    [{ minimum: 2 }, 1, { path: [], message: 'expected a number >= 2, received 1' }],
    [{ exclusiveMaximum: 2 }, 2, { path: [], message: 'expected a number < 2, received 2' }],
    [{ multipleOf: 0.1 }, 0.25, { path: [], message: 'expected a multiple of 0.1, received 0.25' }],
    [{ minLength: 2 }, '🎵', { path: [], message: 'expected at least 2 characters, received 1' }],
    [{ maxItems: 1 }, [1, 2], { path: [], message: 'expected at most 1 items, received 2' }],
    [{ minProperties: 1 }, {}, { path: [], message: 'expected at least 1 properties, received 0' }],
    [{ pattern: '^a' }, 'b', { path: [], message: 'expected text that matches /^a/, received "b"' }],
    [{ format: 'email' }, 'b', { path: [], message: 'expected text in the format email, received "b"' }],
    [{ uniqueItems: true }, [1, 2, 1], { path: [], message: 'duplicate items at indexes 0 and 2' }],
    [{ items: { type: 'string' } }, ['a', 1], { path: [1], message: 'expected string, received number' }],
    [{ prefixItems: [{}], items: false }, [1, 2], { path: [1], message: 'nothing is allowed here' }],
    [{ contains: { type: 'number' } }, ['a'], { path: [], message: 'expected at least one item that fits the schema in contains' }],
    [{ not: { type: 'string' } }, 'a', { path: [], message: 'expected something that does not fit the schema in not, received "a"' }],
    [
      { propertyNames: { pattern: '^a' } },
      { b: 1 },
      { path: ['b'], message: 'property name is not allowed: expected text that matches /^a/, received "b"' },
    ],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, { path: [], message: 'the value has "a" but does not have "b"' }],
    [
      { patternProperties: { '^x/~': { type: 'string' } } },
      { 'x/~ é%#': 1 },
      { path: ['x/~ é%#'], message: 'expected string, received number' },
    ],
    [
      JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}'),
      { a: 1 },
      { path: ['b'], message: 'received nothing: this property is required' },
    ],
    [false, 1, { path: [], message: 'nothing is allowed here' }],
  ])('%j refuses %j', (schema, value, issue) => {
    expect(issues(schema, value)).toEqual([issue])
  })

  test('of a union the branch that was meant is told, else what all expected', () => {
    const circle = { type: 'object', properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind', 'radius'] }
    const square = { type: 'object', properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] }
    const shape: Json = { anyOf: [circle, square, { type: 'null' }] }
    expect(issues(shape, { kind: 'circle', radius: '1' })).toEqual([{ path: ['radius'], message: 'expected number, received string' }])
    expect(issues({ oneOf: [circle, square] }, { kind: 'oval' })).toEqual([
      { path: ['kind'], message: 'expected "circle" or "square", received "oval"' },
    ])
    expect(issues({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5)).toEqual([
      { path: [], message: 'expected string or null, received number' },
    ])
    expect(issues({ oneOf: [{ type: 'number' }, { minimum: 3 }] }, 5)).toEqual([
      { path: [], message: 'fits 2 of the alternatives in oneOf; exactly one is allowed' },
    ])
    expect(issues({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {})).toEqual([
      {
        path: [],
        message:
          'fits none of 2 alternatives (a: received nothing: this property is required; b: received nothing: this property is required)',
      },
    ])
  })

  test('at most ten issues, and a last one that counts the rest', () => {
    const found = issues({ items: { type: 'string' } }, Array(30).fill(1))
    expect(found).toHaveLength(11)
    expect(found[10]).toEqual({ path: [], message: 'and 20 more problems' })
  })

  test('undefined is absent as a property and no JSON elsewhere; so are functions, BigInt and NaN', () => {
    expect(issues(weather, { city: 'Paris', days: undefined })).toBe('ok')
    expect(issues(weather, { city: undefined })).toEqual([
      { path: ['city'], message: 'expected string, received nothing: this property is required' },
    ])
    expect(issues({}, undefined)).toEqual([{ message: 'expected JSON, received undefined' }])
    expect(issues({}, { a: [undefined] })).toEqual([{ path: ['a', 0], message: 'expected JSON, received undefined' }])
    expect(issues({}, { a: 1n })).toEqual([{ path: ['a'], message: 'expected JSON, received bigint' }])
    expect(issues({}, [Number.NaN])).toEqual([{ path: [0], message: 'expected JSON, received NaN' }])
  })

  test('__proto__ and names of Object.prototype are plain data', () => {
    const own = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}')
    const schema: Json = { properties: own, required: ['__proto__', 'toString'], additionalProperties: false }
    expect(issues(schema, {})).toEqual([
      { path: ['__proto__'], message: 'expected string, received nothing: this property is required' },
      { path: ['toString'], message: 'received nothing: this property is required' },
    ])
    expect(issues(schema, JSON.parse('{"__proto__": 1, "toString": 1, "constructor": "x"}'))).toEqual([
      { path: ['__proto__'], message: 'expected string, received number' },
      { path: ['toString'], message: 'unexpected property; only these are allowed: __proto__, constructor' },
    ])
    expect(issues({ format: 'isPrototypeOf' }, 'x')).toBe('ok')
    expect(Object.hasOwn(Object.prototype, 'type')).toBe(false)
  })

  test('a property name with half of a surrogate pair is an issue, not an error', () => {
    expect(issues({ additionalProperties: { type: 'string' } }, { '\ud800': 1 })).toEqual([
      { path: [], message: 'a property name holds half of a surrogate pair, which is no text' },
    ])
  })
})

describe('hostile sizes', () => {
  const nested = (levels: number, inner: unknown) => {
    let value = inner
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
    return value
  }
  const anything: Json = {
    $ref: '#/$defs/json',
    $defs: {
      json: {
        anyOf: [
          { type: ['string', 'number', 'boolean', 'null'] },
          { type: 'array', items: { $ref: '#/$defs/json' } },
          { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
        ],
      },
    },
  }

  test('200 levels are validated, 201 and a circle are refused', () => {
    expect(issues(anything, nested(200, 1))).toBe('ok')
    expect(issues(anything, nested(201, 1))).toMatchObject([{ message: 'nested deeper than 200 levels, the limit' }])
    expect(issues(anything, nested(100_000, 1))).toMatchObject([{ message: 'nested deeper than 200 levels, the limit' }])
    const circle: Record<string, unknown> = {}
    circle.a = circle
    circle.b = circle
    expect(issues({}, circle)).toMatchObject([{ message: 'nested deeper than 200 levels, the limit' }])
  })

  test('4 MB of values: valid, wrong at the end, and wrong throughout', () => {
    const large = Array<unknown>(400_000).fill(12345678)
    const schema: Json = { type: 'array', items: { type: 'number' } }
    expect(issues(schema, large)).toBe('ok')
    large[399_999] = 'x'
    expect(issues(schema, large)).toEqual([{ path: [399_999], message: 'expected number, received string' }])
    const open = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))
    const found = issues({ additionalProperties: false }, open)
    expect(found[0]).toEqual({ path: ['k0'], message: 'unexpected property; none are allowed' })
    expect(found).toHaveLength(11)
    expect(issues({ properties: { open: { additionalProperties: false } } }, { open: { ...open, ...(nested(1, 0) as object) } })).not.toBe(
      'ok',
    )
  })

  test('uniqueItems, which costs the square, has its own limit', () => {
    expect(issues({ properties: { a: { uniqueItems: true } } }, { a: Array.from({ length: 5_001 }, (_, i) => i) })).toEqual([
      { path: ['a'], message: '5001 items; the limit is 5000 where a schema compares items (uniqueItems)' },
    ])
  })
})

test('it runs where code generation is forbidden', () => {
  const built = fileURLToPath(new URL('../../dist/json-schema/index.js', import.meta.url))
  if (!existsSync(built)) throw new Error('dist/json-schema/index.js is missing: run "npm run build" first ("npm test" does)')
  const code = `
    import { jsonSchema } from ${JSON.stringify(new URL('../../dist/json-schema/index.js', import.meta.url).href)}
    let eval_ = 'allowed'
    try { new Function('1') } catch { eval_ = 'forbidden' }
    const schema = jsonSchema({ $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { n: { type: 'number', pattern: 'x' } } } } })
    console.log(JSON.stringify([eval_, schema['~standard'].validate({ n: 1 }), schema['~standard'].validate({ n: 'x' })]))`
  const options = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', code]
  expect(JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }))).toEqual([
    'forbidden',
    { value: { n: 1 } },
    { issues: [{ path: ['n'], message: 'expected number, received string' }] },
  ])
})
