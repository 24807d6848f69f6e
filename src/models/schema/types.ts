import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { fieldsOf } from './converting.ts'

/** A schema for the values of one type: what it says of others is left out. */
export function ofType(schema: JsonObject, type: string): JsonObject {
  const { enum: values, ...rest } = schema
  const own = fieldsOf(rest).filter(([word]) => typeWords.get(word)?.includes(type) ?? true)
  const fixed = Array.isArray(values) ? values.filter((value: Json) => isOfType(value, type)) : undefined
  return { ...Object.fromEntries(own), type, ...(fixed === undefined ? {} : { enum: fixed }) }
}

const typeWords: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'].map((word) => [word, ['string']] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((word) => [word, ['number', 'integer']] as const),
  ...['items', 'prefixItems', 'contains', 'minContains', 'maxContains', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems'].map(
    (word) => [word, ['array']] as const,
  ),
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required', 'minProperties', 'maxProperties'].map(
    (word) => [word, ['object']] as const,
  ),
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'propertyOrdering'].map((word) => [word, ['object']] as const),
])

function isOfType(value: Json, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

/** The type that a value has, or that the words of a schema speak of. */
export function assumedTypes(schema: JsonObject): readonly string[] {
  const fixed = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if (Array.isArray(fixed)) return [...new Set(fixed.map((value: Json) => typeOf(value)))]
  return [...new Set(Object.keys(schema).flatMap((word) => (typeWords.get(word) ?? []).slice(0, 1)))]
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
