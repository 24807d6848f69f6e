import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { jsonSchemaOf } from '../../../src/core/json-schema-of.ts'
import type { Schema } from '../../../src/core/schema.ts'
import {
  anthropicSchemas,
  anthropicStrictSchemas,
  anySchemas,
  convertSchema,
  geminiJsonSchemas,
  geminiSchemas,
  llamaCppSchemas,
  mistralStrictSchemas,
  ollamaFormatSchemas,
  ollamaToolSchemas,
  openaiSchemas,
  openaiStrictSchemas,
  type SchemaProfile,
} from '../../../src/models/schema/index.ts'

const of = (schema: Schema) => jsonSchemaOf(schema, 'schema')
const sent = (schema: Json, profile: SchemaProfile) => convertSchema(schema, profile).schema
/** One field of an object, as it is sent. */
const field = (schema: Json, profile: SchemaProfile): Json | undefined => {
  const { properties } = sent({ type: 'object', properties: { a: schema }, required: ['a'] }, profile)
  return (properties as JsonObject)['a']
}
const all = [
  ...[anySchemas, openaiSchemas, openaiStrictSchemas, anthropicSchemas, anthropicStrictSchemas, geminiSchemas, geminiJsonSchemas],
  ...[mistralStrictSchemas, ollamaToolSchemas, ollamaFormatSchemas, llamaCppSchemas],
]

describe('a usual schema is sent as it is where nothing is refused', () => {
  const usual = of(z.object({ city: z.string().min(2), days: z.int().default(3), tags: z.array(z.enum(['x', 'y'])).optional() }))
  test.each([anySchemas, openaiSchemas, anthropicSchemas])('$name', (profile) => {
    const { schema, strict, notes } = convertSchema(usual, profile)
    expect(JSON.stringify(schema)).toBe(JSON.stringify(usual))
    expect([strict, notes]).toEqual([false, []])
  })
})

describe('B178 the strict form of OpenAI', () => {
  test('all fields are required, an optional one may be null, every object is closed', () => {
    const schema = of(
      z.object({
        query: z.string(),
        limit: z.number().optional(),
        unit: z.enum(['c', 'f']).optional(),
        only: z.literal('x').optional(),
        size: z.int().default(3),
        maybe: z.string().nullable().optional(),
        inner: z.object({ deep: z.boolean().optional() }).optional(),
        list: z.array(z.object({ a: z.string().optional() })),
        either: z.union([z.string(), z.object({ b: z.number() })]).optional(),
      }),
    )
    expect(convertSchema(schema, openaiStrictSchemas)).toMatchObject({ strict: true, whyNotStrict: undefined })
    expect(sent(schema, openaiStrictSchemas)).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: ['number', 'null'] },
        unit: { type: ['string', 'null'], enum: ['c', 'f', null] },
        only: { type: ['string', 'null'], enum: ['x', null] },
        size: { type: ['integer', 'null'], minimum: -9007199254740991, maximum: 9007199254740991, description: '(default: 3)' },
        maybe: { type: ['string', 'null'] },
        inner: {
          type: ['object', 'null'],
          properties: { deep: { type: ['boolean', 'null'] } },
          required: ['deep'],
          additionalProperties: false,
        },
        list: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'], additionalProperties: false },
        },
        either: {
          anyOf: [
            { type: 'string' },
            { type: 'object', properties: { b: { type: 'number' } }, required: ['b'], additionalProperties: false },
            { type: 'null' },
          ],
        },
      },
      required: ['query', 'limit', 'unit', 'only', 'size', 'maybe', 'inner', 'list', 'either'],
      additionalProperties: false,
    })
  })

  test.each<[string, Json, string]>([
    ['a record', of(z.object({ r: z.record(z.string(), z.number()) })), '#/properties/r takes properties that it does not name'],
    ['an open object', of(z.object({ o: z.looseObject({ a: z.string() }) })), '#/properties/o takes properties that it does not name'],
    ['an object of anything', { type: 'object', properties: { o: { type: 'object' } } }, '#/properties/o is an open object'],
    ['any value', of(z.object({ a: z.any() })), '#/properties/a takes any value'],
    ['a list of anything', { type: 'object', properties: { a: { type: 'array' } } }, '#/properties/a/items takes any value'],
    ['properties by pattern', { type: 'object', properties: {}, patternProperties: { '^x': {} } }, '# has properties by pattern'],
    ['a field that is required only', { type: 'object', properties: {}, required: ['x'] }, '# requires a field that it does not describe'],
    [
      'too many properties',
      { type: 'object', properties: Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`p${i}`, { type: 'string' }])) },
      '# has 5001 properties; the limit is 5000',
    ],
    ['too deep', nested(11), '# has 11 levels of objects in objects; the limit is 10'],
    [
      'too many values of enums',
      { type: 'object', properties: { e: { type: 'string', enum: Array.from({ length: 1001 }, (_, i) => `${i}`) } }, required: ['e'] },
      '# has 1001 values in enums; the limit is 1000',
    ],
  ])('%s is sent in the form that is not strict, and why', (_name, schema, why) => {
    const conversion = convertSchema(schema, openaiStrictSchemas)
    expect([conversion.strict, conversion.whyNotStrict]).toEqual([false, why])
    expect(conversion.schema).toEqual(sent(schema, openaiSchemas))
  })

  test.each([[[]], [['any']], ['any']])('an optional field of types %j, which name none, may be more than null', (type) => {
    const { properties } = sent({ type: 'object', properties: { a: { type, enum: ['x', 2] } } }, openaiStrictSchemas)
    expect((properties as JsonObject)['a']).toEqual({ anyOf: [{ type: ['string', 'number'], enum: ['x', 2] }, { type: 'null' }] })
  })

  test('10 levels are still strict', () => {
    expect(convertSchema(nested(10), openaiStrictSchemas).strict).toBe(true)
  })
})

describe('B179 a root that is no plain object', () => {
  const union = of(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), radius: z.number() }),
      z.object({ kind: z.literal('box'), width: z.number(), height: z.number().optional() }),
    ]),
  )

  test.each([openaiSchemas, anthropicSchemas])(
    '$name: a discriminated union is one object with all its fields, and says which go together',
    (profile) => {
      expect(sent(union, profile)).toEqual({
        type: 'object',
        description: '(fields that go together: {kind "circle", radius} or {kind "box", width, optional height})',
        properties: {
          kind: { type: 'string', enum: ['circle', 'box'] },
          radius: { type: 'number' },
          width: { type: 'number' },
          height: { type: 'number' },
        },
        required: ['kind'],
      })
    },
  )

  test('alternatives that only require fields are said', () => {
    const schema = {
      type: 'object',
      properties: { route: { type: 'string' }, file: { type: 'string' } },
      anyOf: [{ required: ['route'] }, { required: ['file'] }],
    }
    expect(sent(schema, anthropicSchemas)).toEqual({
      type: 'object',
      description: '(fields that go together: {route} or {file})',
      properties: { route: { type: 'string' }, file: { type: 'string' } },
    })
  })

  test('allOf and a reference are folded together', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/base' }, { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] }],
      $defs: { base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    }
    expect(sent(schema, openaiSchemas)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a', 'b'],
    })
  })

  test('what is no object becomes the one field of one', () => {
    const conversion = convertSchema({ type: 'array', items: { type: 'string' } }, openaiStrictSchemas)
    expect(conversion.wrapper).toBe('value')
    expect(conversion.schema).toEqual({
      type: 'object',
      properties: { value: { type: 'array', items: { type: 'string' } } },
      required: ['value'],
      additionalProperties: false,
    })
  })

  test.each(all.filter(({ plainRoot }) => plainRoot))('$name: true and an empty schema are an object, never nothing', (profile) => {
    for (const schema of [true, {}]) expect(String(sent(schema, profile)['type']).toLowerCase()).toBe('object')
  })
})

function nested(levels: number): Json {
  const leaf: Json = { type: 'object', properties: { v: { type: 'string' } }, required: ['v'] }
  return levels === 1 ? leaf : { type: 'object', properties: { o: nested(levels - 1) }, required: ['o'] }
}

describe('B180 schemas that come back to themselves', () => {
  interface Tree {
    name: string
    children: Tree[]
  }
  const tree: z.ZodType<Tree> = z.object({
    name: z.string(),
    get children() {
      return z.array(tree)
    },
  })

  test('where references are known they stay, by definitions of the schema that is sent', () => {
    const node = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/root' } } },
      required: ['name', 'children'],
      additionalProperties: false,
    }
    expect(convertSchema(of(tree), openaiStrictSchemas).strict).toBe(true)
    expect(sent(of(tree), openaiStrictSchemas)).toEqual({ ...node, $defs: { root: node } })
  })

  test('where they are not, it is written out to some depth, then open, and a note says so', () => {
    const level = (children: Json): JsonObject => ({
      type: 'OBJECT',
      properties: { name: { type: 'STRING' }, children: { type: 'ARRAY', items: children } },
      required: ['name', 'children'],
      propertyOrdering: ['name', 'children'],
    })
    const open = { type: 'OBJECT', description: '(goes on in the same way)' }
    expect(sent(of(tree), geminiSchemas)).toEqual(level(level(level(open))))
    expect(convertSchema(of(tree), geminiSchemas).notes.join()).toContain('written out to some depth only')
  })

  test('a strict form without recursion (Anthropic) is not used for them', () => {
    expect(convertSchema(of(tree), anthropicStrictSchemas)).toMatchObject({ strict: false, schema: { type: 'object' } })
  })

  test.each(all)('$name: a schema that refers to itself and nothing else ends', (profile) => {
    const circles = [
      { $ref: '#' },
      { type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { $ref: '#/$defs/y' }, y: { $ref: '#/$defs/x' } } },
      { type: 'object', properties: { a: { allOf: [{ $ref: '#' }, { minProperties: 1 }] } } },
      { anyOf: [{ $ref: '#' }, { type: 'object' }] },
    ]
    for (const schema of circles) expect(JSON.stringify(sent(schema, profile)).length).toBeLessThan(1500)
  })
})

describe("B183 Gemini's part of OpenAPI", () => {
  test.each<[string, Json, Json]>([
    [
      'a type or null',
      { type: ['array', 'null'], items: { type: 'string' } },
      { type: 'ARRAY', items: { type: 'STRING' }, nullable: true },
    ],
    ['an enum with null', { enum: ['a', null] }, { type: 'STRING', enum: ['a'], nullable: true }],
    ['a constant', { const: 'a' }, { type: 'STRING', enum: ['a'] }],
    ['a number of a list', { type: 'integer', enum: [1, 2] }, { type: 'INTEGER', description: '(one of: 1, 2)' }],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      { type: 'ARRAY', items: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] }, description: '(items in this order: string, number)' },
    ],
    ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] }],
    [
      'alternatives, beside which nothing may stand',
      { description: 'Which.', oneOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] },
      {
        anyOf: [
          { type: 'STRING', description: 'Which.', nullable: true },
          { type: 'BOOLEAN', nullable: true },
        ],
      },
    ],
    ['an exclusive bound of a whole number', { type: 'integer', exclusiveMinimum: 0 }, { type: 'INTEGER', minimum: 1 }],
    [
      'an exclusive bound of another',
      { type: 'number', exclusiveMaximum: 1 },
      { type: 'NUMBER', maximum: 1, description: '(less than 1)' },
    ],
    [
      'an unknown format',
      { type: 'string', format: 'email', description: 'Who.' },
      { type: 'STRING', description: 'Who. (format: email)' },
    ],
    ['a known format', { type: 'string', format: 'date-time' }, { type: 'STRING', format: 'date-time' }],
    ['a default', { type: 'boolean', default: true }, { type: 'BOOLEAN', description: '(default: true)' }],
    [
      'a record',
      { type: 'object', additionalProperties: { type: 'number' } },
      { type: 'OBJECT', description: '(other properties: {"type":"number"})' },
    ],
    ['null only', { type: 'null' }, { type: 'STRING', description: '(always null)', nullable: true }],
    [
      'null only, beside a list of types that names none',
      { type: ['any'], enum: [null] },
      { type: 'STRING', description: '(always null)', nullable: true },
    ],
    [
      'a bare list',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { type: 'ARRAY', items: { type: 'STRING' }, description: '(no two items alike)' },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(field(schema, geminiSchemas)).toEqual(expected)
  })

  test('the order of fields is told', () => {
    const { propertyOrdering } = sent(of(z.object({ b: z.string(), a: z.string() })), geminiSchemas)
    expect(propertyOrdering).toEqual(['b', 'a'])
  })

  test('a schema without fields is known to be empty', () => {
    expect(convertSchema(of(z.object({})), geminiSchemas).isEmpty).toBe(true)
    expect(convertSchema(of(z.object({ a: z.string() })), geminiSchemas).isEmpty).toBe(false)
  })
})

describe('S4 what a provider does not take is said in the description', () => {
  test.each<[SchemaProfile, Json, Json]>([
    [
      anthropicStrictSchemas,
      { type: 'array', items: { type: 'string' }, minItems: 3 },
      { type: 'array', items: { type: 'string' }, minItems: 1, description: '(at least 3 items)' },
    ],
    [anthropicStrictSchemas, { type: 'string', pattern: '^(?=a)' }, { type: 'string', description: '(pattern: ^(?=a))' }],
    [anthropicStrictSchemas, { type: 'integer', minimum: 1, maximum: 9 }, { type: 'integer', description: '(at least 1; at most 9)' }],
    [
      anthropicStrictSchemas,
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'integer', description: '(at least 0)' },
    ],
    [anthropicStrictSchemas, JSON.parse(JSON.stringify(z.toJSONSchema(z.int()))), { type: 'integer' }],
    [
      anthropicStrictSchemas,
      { type: 'number', minimum: 1e16, maximum: 1e18 },
      { type: 'number', description: '(at least 10000000000000000)' },
    ],
    [
      openaiStrictSchemas,
      { type: 'string', minLength: 1, description: 'Name.' },
      { type: 'string', description: 'Name. (at least 1 character)' },
    ],
    [openaiStrictSchemas, { type: 'string', not: { const: 'x' } }, { type: 'string', description: '(not: {"const":"x"})' }],
    [
      llamaCppSchemas,
      {
        anyOf: [
          { type: 'string', pattern: '^a+$' },
          { type: 'integer', minimum: 100 },
        ],
      },
      {
        oneOf: [
          { type: 'string', description: '(pattern: ^a+$)' },
          { type: 'integer', description: '(at least 100)' },
        ],
      },
    ],
    [
      llamaCppSchemas,
      { type: 'array', items: { type: 'string' }, minItems: 4000 },
      { type: 'array', items: { type: 'string' }, minItems: 1000, description: '(at least 4000 items)' },
    ],
    [
      geminiJsonSchemas,
      { type: 'object', properties: {}, patternProperties: { '^x-': { type: 'string' } } },
      { type: 'object', properties: {}, description: '(properties by pattern: {"^x-":{"type":"string"}})' },
    ],
    [ollamaToolSchemas, { $ref: '#/properties/a' }, {}],
  ])('$name', (profile, schema, expected) => {
    expect(field(schema, profile)).toEqual(expected)
  })

  test('it is bounded, whatever the schema holds', () => {
    const long = { type: 'string', pattern: 'x'.repeat(100_000), not: { enum: Array.from({ length: 100_000 }, (_, i) => i) } }
    expect(JSON.stringify(field(long, anthropicStrictSchemas)).length).toBeLessThan(1000)
  })
})

describe('once a schema', () => {
  test('the second request does no work: not one property of the schema is read again', () => {
    let reads = 0
    const watched = new Proxy(of(z.object({ a: z.string(), b: z.array(z.number()).optional() })), {
      get: (target, key, receiver) => {
        reads++
        return Reflect.get(target, key, receiver)
      },
    })
    const first = convertSchema(watched, openaiStrictSchemas)
    expect(reads).toBeGreaterThan(0)
    reads = 0
    expect(convertSchema(watched, openaiStrictSchemas)).toBe(first)
    expect(reads).toBe(0)
  })

  test('each profile has its own', () => {
    const schema = of(z.object({ a: z.string() }))
    expect(sent(schema, geminiSchemas)).not.toEqual(sent(schema, openaiSchemas))
  })
})
