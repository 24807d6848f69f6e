/** Plain JSON: what the journal can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

export type JsonObject = { readonly [key: string]: Json | undefined }

/** A value after the journal (`toJSON` applied, functions gone): what events and results carry, live or replayed. */
export type Jsonify<T> = unknown extends T
  ? unknown
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends { toJSON(): infer J }
      ? Jsonify<J>
      : T extends (...args: never) => unknown
        ? never
        : T extends readonly unknown[]
          ? { -readonly [K in keyof T]: Jsonify<T[K]> }
          : T extends object
            ? { [K in keyof T]: Jsonify<T[K]> }
            : never

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Whether two JSON values are the same, whatever the order of their keys. An absent key and one that is `undefined` are
 * the same, as they are in the journal.
 */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false
    return true
  }
  return objectsEqual(a as JsonObject, b as JsonObject)
}

function objectsEqual(a: JsonObject, b: JsonObject): boolean {
  let present = 0
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue
    present++
    if (!Object.hasOwn(b, key) || !jsonEqual(a[key], b[key])) return false
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) present--
  return present === 0
}

/** JSON text with sorted keys: two values have the same text exactly when `jsonEqual` holds. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const fields: string[] = []
  for (const key of Object.keys(value).sort()) {
    const field = value[key]
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`)
  }
  return `{${fields.join(',')}}`
}

/**
 * How deep a value nests: 0 for a scalar, 1 for `[]`. Walks level by level, so that a hostile value cannot exhaust the stack, and
 * stops counting at `limit`.
 */
export function nestingDepth(value: unknown, limit: number): number {
  let level = isContainer(value) ? [value] : []
  let depth = 0
  while (level.length > 0 && depth < limit) {
    depth++
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return depth
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** A copy of plain JSON. Keys named `__proto__` stay plain own data. */
export function copyJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyJson)
  if (!isJsonObject(value)) return value
  const copy: { [key: string]: Json } = {}
  for (const key of Object.keys(value)) {
    const field = value[key]
    if (field === undefined) continue
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: copyJson(field), writable: true, enumerable: true, configurable: true })
    else copy[key] = copyJson(field)
  }
  return copy
}
