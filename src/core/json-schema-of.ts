import { RondoError } from './error.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import type { Schema } from './schema.ts'

/** What may stand where a schema is asked for, in words. */
export const schemaWords =
  'must have both standard halves (validation and JSON Schema): zod >= 4.2, arktype, valibot through ' +
  "toStandardJsonSchema(), or jsonSchema() from 'rondo/json-schema'"

export function isSchema(value: unknown): value is Schema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard = (value as Partial<Schema>)['~standard']
  return typeof standard?.validate === 'function' && typeof standard.jsonSchema?.input === 'function'
}

/** What a model is told of a schema: its input side. Throws `ConfigInvalid`; `what` names the schema there, and the field follows. */
export function jsonSchemaOf(schema: Schema, what: string): JsonObject {
  let converted: Record<string, unknown>
  try {
    converted = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const field = unconvertibleField(schema)
    throw new RondoError(
      'ConfigInvalid',
      `${what}${field} has no JSON Schema (${why}). Describe what the model sends as JSON and transform it: a date, ` +
        'for example, as a string in ISO format.',
      { cause },
    )
  }
  const json: unknown = JSON.parse(JSON.stringify(converted))
  if (!isJsonObject(json)) throw new RondoError('ConfigInvalid', `${what} converts to no JSON Schema object`)
  const { $schema: _, ...plain } = json
  return plain
}

/** The path of the first field that can't be converted, where the schema shows its fields (zod: `shape`, valibot: `entries`). */
function unconvertibleField(schema: Schema): string {
  const open = schema as { readonly shape?: unknown; readonly entries?: unknown }
  const fields = open.shape ?? open.entries
  if (typeof fields !== 'object' || fields === null) return ''
  for (const [key, field] of Object.entries(fields)) {
    if (!isSchema(field)) continue
    try {
      field['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
    } catch {
      return `.${key}${unconvertibleField(field)}`
    }
  }
  return ''
}
