import { expect } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import type { Schema, ValidationIssue } from '../../src/core/schema.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'

export function check(schema: Schema<unknown>, value: unknown): readonly ValidationIssue[] | 'ok' {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new Error('expected a result at once')
  if (result.issues !== undefined) return result.issues
  expect(result.value).toBe(value)
  return 'ok'
}

export const issues = (schema: Json, value: unknown) => check(jsonSchema(schema), value)

export const weather: Json = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    unit: { enum: ['c', 'f'] },
  },
  required: ['city'],
  additionalProperties: false,
}
