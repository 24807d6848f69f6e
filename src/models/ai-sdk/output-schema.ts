import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { AiSdkLanguageModel, JsonFields, ProviderFields } from './spec.ts'

/** Keywords that hold schemas by name, and those that hold one or a list. */
const named = ['properties', '$defs', 'definitions']
const nested = ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not']

export interface OutputSchema {
  readonly schema: JsonFields
  /** Whether it is as APIs want it that promise to keep to it (OpenAI's strict form): objects are closed, and all of their fields required. */
  readonly isStrict: boolean
}

/**
 * A schema of an answer, its objects closed where nothing is said of other fields: packages take that as done, for the AI SDK does it, and ask
 * their API to keep to the schema.
 */
export function outputSchemaOf(schema: Json): OutputSchema {
  const copy: JsonFields = isJsonObject(schema) ? JSON.parse(JSON.stringify(schema)) : { type: 'object' }
  return { schema: copy, isStrict: close(copy) }
}

/** Closes a schema and all inside it, in place. Whether it is strict then. */
function close(schema: JsonFields): boolean {
  let isStrict = true
  const inner = (value: unknown) => {
    if (isFields(value) && !close(value)) isStrict = false
  }
  for (const key of named) if (isFields(schema[key])) for (const value of Object.values(schema[key])) inner(value)
  for (const key of nested) for (const value of [schema[key]].flat()) inner(value)
  const { properties } = schema
  if (isFields(properties)) {
    schema['additionalProperties'] ??= false
    const required: unknown = schema['required']
    if (!Array.isArray(required) || Object.keys(properties).some((name) => !required.includes(name))) isStrict = false
  }
  const isObject = schema['type'] === 'object' || isFields(properties)
  return isStrict && (!isObject || (isFields(properties) && schema['additionalProperties'] === false))
}

function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Under which names a package reads that the strict form is not wanted, where it asks for it by itself: OpenAI's do since specification 3. */
export function strictNamesOf(model: AiSdkLanguageModel): readonly string[] {
  if (model.specificationVersion === 'v2') return []
  const { provider } = model
  // `supportsStructuredOutputs`: a model of `@ai-sdk/openai-compatible`. Packages that know no such option may send it to their API.
  const isOne = 'supportsStructuredOutputs' in model || /^(?:openai|azure|groq)(?:[.-]|$)/.test(provider)
  return isOne ? [provider.split('.')[0] ?? provider, 'openai'] : []
}

/** Options that say that the strict form is not wanted: APIs refuse it for any other schema. What the user has said there stands. */
export function looseOptions(names: readonly string[], given: JsonObject | undefined): ProviderFields {
  const loose: ProviderFields = {}
  for (const name of names) {
    const own = given?.[name]
    if (isJsonObject(own) && own['strictJsonSchema'] !== undefined) return {}
    loose[name] = { strictJsonSchema: false }
  }
  return loose
}
