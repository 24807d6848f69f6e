import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { jsonSchemaOf } from '../core/json-schema-of.ts'
import type { Schema } from '../core/schema.ts'
import { schemaWords } from '../core/wording.ts'

/** An output schema, and what is told of it. */
export interface OutputSchema {
  readonly schema: Schema
  /** Of the value itself (its input side, draft 2020-12): what the journal keeps. */
  readonly json: JsonObject
  /** What a model is told: always one of an object. */
  readonly wire: JsonObject
  /** Whether that object is ours, and the value its only field. */
  readonly isWrapped: boolean
}

const known = new WeakMap<Schema, OutputSchema>()

/** Converted once a schema, for an agent has the same one for each of its runs. Throws `ConfigInvalid`, naming the field, for one that has no JSON Schema. */
export function outputSchema(schema: Schema): OutputSchema {
  const before = known.get(schema)
  if (before !== undefined) return before
  const json = jsonSchemaOf(schema, 'output')
  const isWrapped = !isPlainObjectSchema(json)
  const made = { schema, json, wire: isWrapped ? wrapped(json) : json, isWrapped }
  known.set(schema, made)
  return made
}

/** Providers take an object at the root, and no alternatives there (B179). */
function isPlainObjectSchema(json: JsonObject): boolean {
  return json['type'] === 'object' && ['anyOf', 'oneOf', 'allOf', 'not', '$ref'].every((word) => json[word] === undefined)
}

/** The name of the one field of a wrapper. */
export const wrapperField = 'value'

function wrapped(json: JsonObject): JsonObject {
  // What has a name of its own is referred to by that.
  const moved = json['$id'] === undefined ? withRefsMoved(json) : json
  return { type: 'object', properties: { [wrapperField]: moved }, required: [wrapperField], additionalProperties: false }
}

/** What holds values, not schemas. */
const valueWords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'])
/** What holds schemas by names that are the user's. */
const mapWords: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** The schema with references from its root as they are where it stands in the wrapper. */
function withRefsMoved(json: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(json).map(([word, value]): [string, Json | undefined] => {
      if (valueWords.has(word)) return [word, value]
      if (word === '$ref' && typeof value === 'string' && /^#(?:\/|$)/.test(value))
        return [word, `#/properties/${wrapperField}${value.slice(1)}`]
      if (mapWords.has(word) && isJsonObject(value))
        return [word, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, moved(inner)]))]
      return [word, moved(value)]
    }),
  )
}

function moved(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item: Json) => moved(item) ?? null)
  return isJsonObject(value) ? withRefsMoved(value) : value
}

/** What a model is told that takes no schema of its own: behind its instructions. */
export function schemaInstructions({ wire }: OutputSchema): string {
  return schemaWords(wire)
}
