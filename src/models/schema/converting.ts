import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { type SchemaRefs, subschemas } from '../../core/schema-refs.ts'
import type { SchemaProfile } from './profile.ts'

/** One conversion while it goes on. */
export interface Converting {
  readonly profile: SchemaProfile
  readonly refs: SchemaRefs
  readonly notes: string[]
  /** What is referred to, by what it is in the schema that is converted. */
  readonly definitions: Map<JsonObject, Definition>
  readonly cyclic: Map<JsonObject, boolean>
  /** Whether everything stands where it stood, so that references hold as they are. */
  readonly inPlace: boolean
  nodes: number
  /** The first thing for which it can't be strict. */
  whyNotStrict: string | undefined
}

export interface Definition {
  readonly name: string
  schema: JsonObject | undefined
}

/** Where in a schema, for notes and for limits. */
export interface Place {
  readonly path: string
  readonly depth: number
  /** What stands here in the place of a reference, from the outside in. */
  readonly trail: readonly JsonObject[]
}

export const rootPlace: Place = { path: '#', depth: 0, trail: [] }

/** Schemas inside of schemas, and schemas in all: beyond them there is "anything", with a note. */
export const conversionLimits = { depth: 60, nodes: 20_000, notes: 100, repeats: 2 }

export function into(place: Place, ...steps: readonly (string | number)[]): Place {
  const path = steps.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
  return { ...place, path: `${place.path}/${path}`, depth: place.depth + 1 }
}

export function note(state: Converting, place: Place, text: string): void {
  if (state.notes.length < conversionLimits.notes) state.notes.push(`${place.path} ${text}`)
}

export function notStrict(state: Converting, place: Place, why: string): void {
  if (state.profile.strict !== undefined) state.whyNotStrict ??= `${place.path} ${why}`
}

export function takes({ words }: SchemaProfile, word: string): boolean {
  return words === 'all' || words.has(word)
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** The types that a schema names; `undefined`: it names none, so any. */
export function typesOf({ type }: JsonObject): readonly string[] | undefined {
  if (typeof type === 'string') return [type]
  const types = listOf(type).filter((one) => typeof one === 'string')
  return types.length === 0 ? undefined : [...new Set(types)]
}

/** What says something of a schema and nothing of its values. */
export const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
])

export function without(schema: JsonObject, ...words: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([word]) => !words.includes(word)))
}

/** The field whatever its name: assigning to `__proto__` would change the prototype. */
export function setField(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true })
  else target[key] = value
}

export function fieldsOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  if (!isJsonObject(value)) return []
  return Object.keys(value).flatMap((key) => {
    const field = value[key]
    return field === undefined ? [] : [[key, field] as const]
  })
}

/** What a schema that is nothing but a reference leads to in the end; `undefined` where that is nowhere, or a circle. */
export function resolved(state: Converting, schema: JsonObject): JsonObject | boolean | undefined {
  let at: JsonObject | boolean | undefined = state.refs.target(schema)
  for (let steps = 0; steps < 50; steps++) {
    if (!isJsonObject(at) || at['$ref'] === undefined || Object.keys(at).some((word) => word !== '$ref' && !annotations.has(word)))
      return at
    at = state.refs.target(at)
  }
  return undefined
}

/** Whether a schema can come back to itself. */
export function isCyclic(state: Converting, schema: JsonObject): boolean {
  const known = state.cyclic.get(schema)
  if (known !== undefined) return known
  const seen = new Set<Json>()
  const waiting: Json[] = next(state, schema)
  let found = false
  while (waiting.length > 0 && !found) {
    const at = waiting.pop()
    if (at === schema) found = true
    else if (isJsonObject(at) && !seen.has(at)) {
      seen.add(at)
      waiting.push(...next(state, at))
    }
  }
  state.cyclic.set(schema, found)
  return found
}

function next(state: Converting, schema: JsonObject): Json[] {
  const target = state.refs.target(schema)
  return target === undefined ? [...subschemas(schema)] : [target, ...subschemas(schema)]
}
