import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { SchemaRefs } from '../../core/schema-refs.ts'
import type { SchemaProfile } from './profile.ts'

/** One conversion while it goes on. */
export interface Converting {
  readonly profile: SchemaProfile
  readonly source: Json
  readonly refs: SchemaRefs
  readonly notes: string[]
  /** What is referred to, by what it is in the schema that is converted. */
  readonly definitions: Map<JsonObject, Definition>
  readonly names: Set<string>
  /** What can come back to itself; found when it is asked for. */
  cyclic: ReadonlySet<JsonObject> | undefined
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

/** Schemas inside of schemas, schemas in all, parts of one (`allOf`), and how often one stands inside itself: beyond them there is "anything", with a note. */
export const conversionLimits = { depth: 60, nodes: 10_000, parts: 200, notes: 100, repeats: 2 }

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

const types: ReadonlySet<Json> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** The types that a schema names; `undefined`: it names none, so any. */
export function typesOf({ type }: JsonObject): readonly string[] | undefined {
  const known = (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === 'string' && types.has(one))
  return known.length === 0 ? undefined : [...new Set(known)]
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
