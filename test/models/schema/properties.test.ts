import { type Schema as OracleSchema, validate } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../src/core/json.ts'
import { withoutNullFields } from '../../../src/core/null-fields.ts'
import * as schemas from '../../../src/models/schema/index.ts'
import {
  anthropicStrictFaults,
  geminiFaults,
  geminiJsonFaults,
  llamaCppFaults,
  openAIFaults,
  openAIStrictFaults,
  rootFaults,
} from './checkers.ts'

const { convertSchema, restore } = schemas
const profiles = Object.values(schemas).filter((one): one is schemas.SchemaProfile => typeof one === 'object')

// Names that get in each other's way: few, so that they meet, and some that are traps.
const name = fc.constantFrom('a', 'b', 'c', 'kind', '__proto__', 'constructor', 'toString', '$ref', 'properties', 'anyOf', 'ü/~')
const scalar = fc.oneof(fc.constantFrom<Json>('x', 'y', 1, 2, true, null, '', '\ud800'), fc.string({ maxLength: 3 }))
const reference = fc.constantFrom(
  '#',
  '#/$defs/d0',
  '#/$defs/d1',
  '#/$defs/none',
  '#/properties/a',
  '#nowhere',
  'https://example.com/x',
  '%%%',
  'http://[',
)
const count = fc.constantFrom<Json>(0, 1, 2, 5, 5000)

const record = (key: fc.Arbitrary<string>, value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.array(fc.tuple(key, value), { maxLength: 4 }).map((entries) => {
    const made = {}
    for (const [field, one] of entries)
      Object.defineProperty(made, field, { value: one, enumerable: true, configurable: true, writable: true })
    return made
  })

/** Any schema, however odd: words that do not go together, wrong values, references in circles. */
const nasty = fc.letrec<{ schema: Json; words: Json }>((tie) => {
  const schema = tie('schema')
  const list = fc.array(schema, { maxLength: 3 }) as fc.Arbitrary<Json>
  const type = fc.constantFrom<Json>('object', 'array', 'string', 'number', 'integer', 'boolean', 'null', 'nonsense')
  const word = fc.oneof(
    fc.tuple(fc.constant('type'), fc.oneof(type, fc.array(type, { maxLength: 3 }) as fc.Arbitrary<Json>)),
    fc.tuple(fc.constant('properties'), record(name, schema)),
    fc.tuple(fc.constant('required'), fc.array(name, { maxLength: 3 }) as fc.Arbitrary<Json>),
    fc.tuple(
      fc.constantFrom('additionalProperties', 'items', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties'),
      schema,
    ),
    fc.tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf', 'prefixItems'), list),
    fc.tuple(fc.constant('patternProperties'), record(fc.constantFrom('^x', '.', '('), schema)),
    fc.tuple(fc.constant('$ref'), reference as fc.Arbitrary<Json>),
    fc.tuple(fc.constant('const'), scalar),
    fc.tuple(fc.constant('enum'), fc.array(scalar, { maxLength: 4 }) as fc.Arbitrary<Json>),
    fc.tuple(
      fc.constantFrom(
        'minimum',
        'maximum',
        'exclusiveMinimum',
        'exclusiveMaximum',
        'multipleOf',
        'minItems',
        'maxItems',
        'minLength',
        'maxLength',
        'minProperties',
      ),
      count,
    ),
    fc.tuple(
      fc.constantFrom('pattern', 'format', 'title', 'description', '$id', '$anchor', 'x-own', 'contentEncoding'),
      fc.constantFrom<Json>('date-time', 'email', '^a+$', '(?=x)', '\udfff'),
    ),
    fc.tuple(
      fc.constantFrom(
        'default',
        'examples',
        'dependentRequired',
        'dependentSchemas',
        'propertyOrdering',
        'uniqueItems',
        'nullable',
        'items',
      ),
      fc.oneof(scalar, list),
    ),
  )
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(true, false, {}, { type: 'string' }),
      tie('words'),
    ),
    words: fc.array(word, { minLength: 1, maxLength: 5 }).map((entries) => Object.fromEntries(entries) as Json),
  }
})

const nastyRoot = fc
  .tuple(nasty.words, nasty.schema, nasty.schema)
  .map(([root, d0, d1]): JsonObject => ({ ...(isJsonObject(root) ? root : {}), $defs: { d0, d1 } }))

const faults: { readonly [profile: string]: (schema: JsonObject) => string[] } = {
  any: () => [],
  openai: openAIFaults,
  'openai strict': openAIStrictFaults,
  anthropic: rootFaults,
  'anthropic strict': anthropicStrictFaults,
  gemini: geminiFaults,
  'gemini json': geminiJsonFaults,
  mistral: openAIFaults,
  'mistral strict': (schema) => rootFaults(schema),
  'ollama tools': rootFaults,
  'ollama format': rootFaults,
  'llama-cpp': llamaCppFaults,
}

describe.each(profiles)('B178, B179, B180, B183 $name', (profile) => {
  test('any schema becomes one that the provider takes, at once, and the same each time', () => {
    fc.assert(
      fc.property(nastyRoot, (schema) => {
        const before = JSON.stringify(schema)
        const conversion = convertSchema(schema, profile)
        // What can't be strict is sent as the form that is not.
        const form = profile.strict === undefined || conversion.strict ? profile : profile.strict.instead
        expect(faults[form.name]?.(conversion.schema)).toEqual([])
        expect(JSON.stringify(schema)).toBe(before)
        const text = JSON.stringify(conversion.schema)
        expect(JSON.stringify(convertSchema(structuredClone(schema), profile).schema)).toBe(text)
        // One object that stands at two places (the generator makes such, and a clone keeps them) is one definition; in JSON they are two.
        const [once, again] = [0, 1].map(() => JSON.stringify(convertSchema(JSON.parse(before), profile).schema))
        expect(again).toBe(once)
        expect(text).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/)
        if (form.words !== 'all') expect(text.length).toBeLessThan(4_000_000)
      }),
      { numRuns: 150 },
    )
  })

  test('schemas that are deep, long or multiply end too', () => {
    for (const schema of monsters()) {
      const conversion = convertSchema(schema, profile)
      const form = profile.strict === undefined || conversion.strict ? profile : profile.strict.instead
      expect(faults[form.name]?.(conversion.schema)).toEqual([])
    }
  })
})

function monsters(): JsonObject[] {
  let deep: Json = { type: 'string' }
  for (let level = 0; level < 5000; level++) deep = { type: 'object', properties: { a: deep } }
  let alternatives: Json = { type: 'string' }
  for (let level = 0; level < 200; level++) alternatives = { anyOf: [alternatives, { type: 'null' }], description: 'x' }
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`)
  const all = Object.fromEntries(names.map((one) => [one, { $ref: `#/$defs/${one}` }]))
  const web = Object.fromEntries(names.map((one) => [one, { type: 'object', properties: all }]))
  const mixed = Object.fromEntries(
    names.map((one) => [one, { allOf: names.map((other) => ({ $ref: `#/$defs/${other}` })), type: 'object' }]),
  )
  const chain = Object.fromEntries(
    Array.from({ length: 500 }, (_, i) => [`c${i}`, { type: 'object', properties: { next: { $ref: `#/$defs/c${i + 1}` } } }]),
  )
  let double: JsonObject = { type: 'object', properties: { a: { type: 'string' } } }
  for (let level = 0; level < 25; level++)
    double = {
      type: 'object',
      properties: { a: double },
      anyOf: [{ properties: { b: { type: 'string' } } }, { properties: { c: { type: 'number' } } }],
    }
  return [
    { type: 'object', properties: { a: deep } },
    { type: 'object', properties: { a: alternatives } },
    { type: 'object', properties: all, $defs: web },
    { type: 'object', properties: all, $defs: mixed },
    { type: 'object', properties: { a: { $ref: '#/$defs/c0' } }, $defs: chain },
    double,
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 11_000 }, (_, i) => [`p${i}`, { type: 'string' }])) },
    { type: 'object', properties: { e: { enum: Array.from({ length: 20_000 }, (_, i) => ({ i })) } } },
  ]
}

/** Schemas as people write them, each with values that fit it. */
interface Sample {
  readonly schema: Json
  readonly value: fc.Arbitrary<Json>
}

const leaf: fc.Arbitrary<Sample> = fc.constantFrom<Sample>(
  { schema: { type: 'string' }, value: fc.string({ maxLength: 4 }) },
  { schema: { type: ['string', 'null'] }, value: fc.option(fc.string({ maxLength: 4 })) },
  { schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, value: fc.option(fc.integer()) },
  { schema: { type: 'integer', exclusiveMinimum: 0, maximum: 9 }, value: fc.integer({ min: 1, max: 9 }) },
  {
    schema: { type: 'number', exclusiveMaximum: 1 },
    value: fc.double({ max: 0.5, noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  },
  { schema: { enum: ['x', 'y', null] }, value: fc.constantFrom('x', 'y', null) },
  { schema: { type: 'string', enum: ['x', 'y'] }, value: fc.constantFrom('x', 'y') },
  { schema: { type: 'integer', enum: [1, 2] }, value: fc.constantFrom(1, 2) },
  { schema: { const: 'k' }, value: fc.constant('k') },
  { schema: { type: 'string', pattern: '^(?=a)a+$', minLength: 1 }, value: fc.constantFrom('a', 'aa') },
  { schema: { type: ['string', 'number'] }, value: fc.oneof(fc.string({ maxLength: 2 }), fc.integer()) },
  {
    schema: { $ref: '#/$defs/tree' },
    value: fc.constantFrom<Json>({ v: 'x' }, { v: 'x', note: null, kids: [{ v: 'y', kids: [{ v: 'z', kids: [] }] }] }),
  },
  { schema: { $ref: '#/$defs/word', description: 'A word.' }, value: fc.constantFrom('p', 'q') },
)

const $defs: JsonObject = {
  tree: {
    type: 'object',
    properties: { v: { type: 'string' }, note: { type: ['string', 'null'] }, kids: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    required: ['v'],
  },
  word: { type: 'string', enum: ['p', 'q'] },
}

const sample: fc.Arbitrary<Sample> = fc.letrec<{ any: Sample; object: Sample }>((tie) => {
  const any = tie('any')
  const key = fc.constantFrom('a', 'b', 'c', 'd', '__proto__')
  const object = fc.array(fc.tuple(key, any, fc.boolean()), { maxLength: 4 }).map((given) => objectOf(given))
  const list = any.map(
    (item): Sample => ({
      schema: { type: 'array', items: item.schema, maxItems: 3 },
      value: fc.array(item.value, { maxLength: 3 }) as fc.Arbitrary<Json>,
    }),
  )
  const tuple = fc.array(any, { minLength: 1, maxLength: 3 }).map(
    (items): Sample => ({
      schema: {
        type: 'array',
        prefixItems: items.map(({ schema }) => schema),
        items: false,
        minItems: items.length,
        maxItems: items.length,
      },
      value: fc.tuple(...items.map(({ value }) => value)) as fc.Arbitrary<Json>,
    }),
  )
  const union = fc.tuple(object, object).map(([one, two]): Sample => {
    const tagged = (of: Sample, kind: string): JsonObject => {
      const { properties, required, ...rest } = of.schema as unknown as { properties: JsonObject; required: Json[] }
      return { ...rest, properties: { kind: { type: 'string', const: kind }, ...properties }, required: ['kind', ...required] }
    }
    const value = fc.oneof(
      one.value.map((given): Json => ({ kind: 'one', ...(given as JsonObject) })),
      two.value.map((given): Json => ({ kind: 'two', ...(given as JsonObject) })),
    )
    return { schema: { oneOf: [tagged(one, 'one'), tagged(two, 'two')] }, value }
  })
  const meeting = fc.tuple(object, object).map(([one, two]): Sample => {
    const value = fc.tuple(one.value, two.value).map(([a, b]): Json => ({ ...(b as JsonObject), ...(a as JsonObject) }))
    return { schema: { allOf: [one.schema, two.schema] }, value }
  })
  return {
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, object, list, tuple, union, meeting),
    object,
  }
}).any

function objectOf(given: readonly (readonly [string, Sample, boolean])[]): Sample {
  const properties: JsonObject = {}
  const fields = new Map(given.map(([key, one, needed]) => [key, { one, needed }]))
  for (const [key, { one }] of fields)
    Object.defineProperty(properties, key, { value: one.schema, enumerable: true, configurable: true, writable: true })
  const required = [...fields].flatMap(([key, { needed }]) => (needed ? [key] : []))
  const value = fc
    .tuple(...[...fields].map(([key, { one, needed }]) => fc.tuple(fc.constant(key), needed ? fc.constant(true) : fc.boolean(), one.value)))
    .map((entries) => {
      const made = {}
      for (const [key, isThere, field] of entries)
        if (isThere) Object.defineProperty(made, key, { value: field, enumerable: true, configurable: true, writable: true })
      return made as Json
    })
  return { schema: { type: 'object', properties, required }, value }
}

const pair = sample.chain(({ schema, value }) =>
  value.map((one) => ({ schema: { ...(schema as JsonObject), $defs } as JsonObject, value: one })),
)

const fits = (schema: Json, value: Json): boolean => validate(value, schema as OracleSchema, '2020-12').valid

/** What is sent as JSON Schema again: OpenAPI's words, and the alternatives of grammars. */
function readable(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(readable)
  if (!isJsonObject(schema)) return schema
  const { nullable, propertyOrdering: _ordering, type, enum: values, ...rest } = schema
  const out: { [word: string]: Json } = {}
  for (const word of Object.keys(rest)) {
    const inner = rest[word] ?? null
    const map = isJsonObject(inner) && word === 'properties'
    // A grammar takes one of the alternatives: whether others would fit too is not its matter.
    out[word === 'oneOf' ? 'anyOf' : word] = map ? mapped(inner) : readable(inner)
  }
  if (Array.isArray(values)) out['enum'] = nullable === true ? [...values, null] : values
  if (typeof type === 'string') out['type'] = nullable === true ? [type.toLowerCase(), 'null'] : type.toLowerCase()
  else if (type !== undefined) out['type'] = type
  return out
}

function mapped(properties: JsonObject): JsonObject {
  const out = {}
  for (const key of Object.keys(properties))
    Object.defineProperty(out, key, { value: readable(properties[key] ?? true), enumerable: true, configurable: true, writable: true })
  return out
}

/** The value as a model has to write it: null for each field that the schema requires and the value has not. */
function filled(schema: JsonObject, value: Json, root: JsonObject): Json {
  const target = (one: Json): Json => {
    const name = isJsonObject(one) && typeof one['$ref'] === 'string' ? one['$ref'].slice('#/$defs/'.length) : undefined
    return name === undefined ? one : ((root['$defs'] as JsonObject)[name] ?? true)
  }
  if (Array.isArray(value))
    return isJsonObject(schema['items']) ? value.map((item: Json) => bestFill(target(schema['items'] ?? true), item, root, target)) : value
  const { properties } = schema
  if (!isJsonObject(value) || !isJsonObject(properties)) return value
  const made = {}
  const put = (key: string, field: Json) =>
    Object.defineProperty(made, key, { value: field, enumerable: true, configurable: true, writable: true })
  for (const key of Object.keys(properties)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    if (given !== undefined) put(key, bestFill(target(properties[key] ?? true), given, root, target))
    else if (Array.isArray(schema['required']) && schema['required'].includes(key)) put(key, null)
  }
  for (const key of Object.keys(value)) if (!Object.hasOwn(properties, key)) put(key, value[key] ?? null)
  return made
}

function bestFill(schema: Json, value: Json, root: JsonObject, target: (one: Json) => Json): Json {
  if (!isJsonObject(schema)) return value
  const { anyOf } = schema
  if (!Array.isArray(anyOf)) return filled(schema, value, root)
  for (const branch of anyOf) {
    const made = bestFill(target(branch), value, root, target)
    const real = target(branch)
    if (isJsonObject(real) && fits({ ...real, $defs: root['$defs'] ?? {} }, made)) return made
  }
  return value
}

/** The value with the fields that are null there and not here. */
function nullsAdded(value: Json, there: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json, i) => nullsAdded(item, Array.isArray(there) ? (there[i] ?? null) : null))
  if (!isJsonObject(value) || !isJsonObject(there)) return value
  const made = {}
  const put = (key: string, field: Json) =>
    Object.defineProperty(made, key, { value: field, enumerable: true, configurable: true, writable: true })
  for (const key of Object.keys(value)) put(key, nullsAdded(value[key] ?? null, Object.hasOwn(there, key) ? (there[key] ?? null) : null))
  for (const key of Object.keys(there)) if (there[key] === null && !Object.hasOwn(value, key)) put(key, null)
  return made
}

describe.each(profiles)('B181 there and back: $name', (profile) => {
  test('each value that fits the schema can be written in the form that is sent, and comes back as itself', () => {
    let strict = 0
    let written = 0
    let total = 0
    fc.assert(
      fc.property(pair, ({ schema, value }) => {
        fc.pre(fits(schema, value))
        const conversion = convertSchema(schema, profile)
        const wire = conversion.wrapper === undefined ? value : { [conversion.wrapper]: value }
        const form = (profile.words === 'all' ? conversion.schema : readable(conversion.schema)) as JsonObject
        const answer = conversion.strict && profile.strict?.allRequired === true ? filled(form, wire, form) : wire
        total++
        if (conversion.strict) strict++
        if (fits(form, answer)) written++
        const restored = restore(conversion, answer)
        // A field that may be null and may be left out is null where all fields are required.
        const expected = conversion.strict && profile.strict?.allRequired === true ? nullsAdded(value, restored) : value
        expect([fits(form, answer), restored, fits(schema, restored)]).toEqual([true, expected, true])
      }),
      { numRuns: 150 },
    )
    expect(written).toBe(total)
    if (profile.name === 'openai strict') expect(strict).toBeGreaterThan(total / 4)
  })
})

test('B181 a value that fits a schema never loses anything', () => {
  fc.assert(
    fc.property(pair, ({ schema, value }) => {
      fc.pre(fits(schema, value))
      expect(jsonEqual(withoutNullFields(schema, value), value)).toBe(true)
      expect(withoutNullFields(schema, value)).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

test('B181 any value and any schema: what is taken away is only null, and only fields of objects', () => {
  const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>
  fc.assert(
    fc.property(nastyRoot, value, (schema, given) => {
      const kept = withoutNullFields(schema, given)
      expect(withoutNulls(kept)).toEqual(withoutNulls(given))
      expect(withoutNullFields(schema, kept)).toEqual(kept)
    }),
    { numRuns: 500 },
  )
})

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const made = {}
  for (const key of Object.keys(value))
    if (value[key] !== null)
      Object.defineProperty(made, key, { value: withoutNulls(value[key] ?? null), enumerable: true, configurable: true, writable: true })
  return made
}
