import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { JsonFields, JsonValue, ProviderFields } from './spec.ts'

/** What is kept with a part under its scope, so that it can go back as it came. `{}`: nothing but whence it is. */
export interface Saved {
  /** The part's `providerMetadata`, which goes back as its `providerOptions`. */
  readonly metadata?: JsonObject
  /** The part stands where the result of a call stood that the provider ran. `output`: where the call itself does not have it. */
  readonly result?: { readonly id: string; readonly name: string; readonly output?: Json; readonly isError?: true }
  /** The part stands for one of a kind that only the provider knows. */
  readonly custom?: string
  /** The part stands for a file among the thoughts. `data` is base64 or a URL. */
  readonly thoughtFile?: { readonly mediaType: string; readonly data: string }
  /** The part stands for a source without a URL. */
  readonly source?: JsonObject
}

/** As data of the journal. */
export function savedJson(saved: Saved): JsonObject {
  return { ...saved }
}

/** `undefined`: the part is not of this scope, or holds what nobody here has written. */
export function readSaved(data: Json | undefined): Saved | undefined {
  if (!isJsonObject(data)) return undefined
  const { metadata, result, custom, thoughtFile, source } = data
  return {
    ...(isJsonObject(metadata) ? { metadata } : {}),
    ...(isResult(result) ? { result } : {}),
    ...(typeof custom === 'string' ? { custom } : {}),
    ...(isFile(thoughtFile) ? { thoughtFile } : {}),
    ...(isJsonObject(source) ? { source } : {}),
  }
}

function isResult(value: Json | undefined): value is NonNullable<Saved['result']> & JsonObject {
  return isJsonObject(value) && typeof value['id'] === 'string' && typeof value['name'] === 'string'
}

function isFile(value: Json | undefined): value is NonNullable<Saved['thoughtFile']> & JsonObject {
  return isJsonObject(value) && typeof value['mediaType'] === 'string' && typeof value['data'] === 'string'
}

/** The metadata of a part as the options of the same part. */
export function optionsOf(saved: Saved | undefined): { providerOptions?: ProviderFields } {
  return saved?.metadata === undefined ? {} : { providerOptions: providerFields(saved.metadata) }
}

/** The fields that are named by a provider; what else stands there is of nobody. */
export function providerFields(value: JsonObject): ProviderFields {
  const fields: ProviderFields = {}
  for (const [provider, own] of Object.entries(value)) if (isJsonObject(own)) fields[provider] = fieldsOf(own)
  return fields
}

/** A copy that may be changed: a package gets nothing of the journal's own. */
export function copyOf(value: Json): JsonValue {
  const copy: JsonValue = JSON.parse(JSON.stringify(value))
  return copy
}

export function fieldsOf(value: JsonObject): JsonFields {
  const copy: JsonFields = JSON.parse(JSON.stringify(value))
  return copy
}
