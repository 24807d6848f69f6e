import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../src/core/json.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { outputSchema, schemaInstructions } from '../../src/output/schema.ts'

/** What the wire schema takes, by our own validator. */
function takes(wire: Json, value: unknown): boolean {
  const result = jsonSchema(wire)['~standard'].validate(value)
  return !(result instanceof Promise) && result.issues === undefined
}

test('an object is sent as it is', () => {
  const { json, wire, isWrapped } = outputSchema(z.object({ a: z.string() }))
  expect([wire, isWrapped]).toEqual([json, false])
  expect(json).toEqual({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
})

test('it is converted once', () => {
  const schema = z.object({ a: z.string() })
  expect(outputSchema(schema)).toBe(outputSchema(schema))
})

test.each<[string, Json]>([
  ['an array', { type: 'array', items: { type: 'string' } }],
  ['a scalar', { type: 'number' }],
  ['anything', {}],
  ['alternatives at the root (B179)', { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }],
  ['several types', { type: ['object', 'null'] }],
])('%s is wrapped', (_name, schema) => {
  const { wire, isWrapped } = outputSchema(jsonSchema(schema))
  expect([isWrapped, wire]).toEqual([
    true,
    { type: 'object', properties: { value: schema }, required: ['value'], additionalProperties: false },
  ])
})

test.each<[string, Json, unknown, unknown]>([
  ['B180 a tree that refers to its root', { type: 'array', items: { $ref: '#' } }, [[], [[]]], [[], 'x']],
  ['definitions', { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } }, [1], ['1']],
  ['a reference at the root', { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } }, 1, '1'],
  [
    'an own name, by which it is referred to',
    { $id: 'https://example.test/list', type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } },
    [1],
    ['1'],
  ],
  [
    'fields that are named as words of JSON Schema are',
    {
      anyOf: [{ type: 'object', properties: { const: { $ref: '#/$defs/n' }, $ref: { type: 'string' } } }],
      $defs: { n: { type: 'number' } },
    },
    { const: 1, $ref: '#' },
    { const: '1' },
  ],
])('%s: its references lead where they led', (_name, schema, good, bad) => {
  const { wire, isWrapped } = outputSchema(jsonSchema(schema))
  expect([isWrapped, takes(wire, { value: good }), takes(wire, { value: bad })]).toEqual([true, true, false])
})

test('values that look like references stay as they are', () => {
  const schema = { enum: [{ $ref: '#' }], default: { $ref: '#/a' } }
  expect(outputSchema(jsonSchema(schema)).wire['properties']).toEqual({ value: schema })
})

test('zod: a recursive list', () => {
  const node: z.ZodType = z.lazy(() => z.array(node))
  expect(takes(outputSchema(z.array(node)).wire, { value: [[], [[]]] })).toBe(true)
})

test('a model that takes no schema is told of what is sent, wrapper included', () => {
  expect(schemaInstructions(outputSchema(z.array(z.string())))).toContain('"required":["value"]')
})
