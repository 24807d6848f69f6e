import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { refsOf } from '../../core/schema-refs.ts'
import { toStorable } from '../../core/storable.ts'
import { type Converting, note, rootPlace } from './converting.ts'
import { converted } from './node.ts'
import type { SchemaProfile } from './profile.ts'
import { isPlainRoot, plainRoot } from './root.ts'
import { countsOf, exceeded, type SchemaCounts } from './strict.ts'

/** A schema as one provider takes it. Never changed: it is kept, and the same one for each request. */
export interface SchemaConversion {
  /** What is sent. The same object each time, so that what is made of it can be kept by it. */
  readonly schema: JsonObject
  /** Whether it may be sent as strict. False for a profile that is not, and for a schema that can't be (`whyNotStrict`). */
  readonly strict: boolean
  /** Why a strict profile could not be kept to: a place, and what is there. For a notice. */
  readonly whyNotStrict: string | undefined
  /** Whether it is an object without any property: some APIs want none rather than such a one. */
  readonly isEmpty: boolean
  /** The field that the value was put into because it is no object; `restore` takes it out. `undefined`: none. */
  readonly wrapper: string | undefined
  /** What was changed and where, in words: for people, in no particular form. At most 100. */
  readonly notes: readonly string[]
  /** For limits that are of all the schemas of a request. */
  readonly counts: SchemaCounts
  /** The schema that was converted. */
  readonly source: Json
}

/** The field of a wrapper. */
const wrapperField = 'value'

const kept = new WeakMap<SchemaProfile, WeakMap<object, SchemaConversion>>()

/**
 * A JSON Schema (draft 2020-12, as a tool's `inputJsonSchema` or a request's `outputSchema`) as the profile's provider takes it. What the provider does
 * not take is said in the description of the place. What is sent may be looser than the original, so answers are validated by the original.
 *
 * Converted once a schema object and profile, which therefore must not be changed afterwards; the same schema gives the same bytes. Never throws and
 * always ends, whatever the schema: what is too deep, too large or comes back to itself is cut off with a note.
 */
export function convertSchema(schema: Json, profile: SchemaProfile): SchemaConversion {
  if (!isJsonObject(schema)) return convert(schema, profile)
  const before = kept.get(profile)?.get(schema)
  if (before !== undefined) return before
  const made = convert(schema, profile)
  const own = kept.get(profile) ?? new WeakMap<object, SchemaConversion>()
  own.set(schema, made)
  kept.set(profile, own)
  return made
}

function convert(source: Json, profile: SchemaProfile): SchemaConversion {
  const { strict } = profile
  const { schema: made, state, wrapper } = sent(source, profile)
  // Half a surrogate pair in a text would make the whole request one that servers refuse (B196).
  const clean = toStorable(made).json
  const schema = isJsonObject(clean) ? clean : made
  const counts = countsOf(schema)
  const limit = strict === undefined ? undefined : exceeded(counts, strict.limits)
  const whyNotStrict = state.whyNotStrict ?? (limit === undefined ? undefined : `# ${limit}`)
  if (strict !== undefined && whyNotStrict !== undefined) return { ...convertSchema(source, strict.instead), strict: false, whyNotStrict }
  const isEmpty = schema['$ref'] === undefined && Object.keys(schema['properties'] ?? {}).length === 0 && wrapper === undefined
  return { schema, strict: strict !== undefined, whyNotStrict, isEmpty, wrapper, notes: state.notes, counts, source }
}

function sent(source: Json, profile: SchemaProfile): { schema: JsonObject; state: Converting; wrapper: string | undefined } {
  const plain = !profile.plainRoot || isPlainRoot(source)
  const inPlace = profile.words === 'all' && plain
  const state: Converting = {
    profile,
    refs: refsOf(source),
    notes: [],
    definitions: new Map(),
    cyclic: new Map(),
    inPlace,
    nodes: 0,
    whyNotStrict: undefined,
  }
  const root = plain ? source : plainRoot(state, source)
  const wrapper = root === undefined ? wrapperField : undefined
  if (root === undefined) note(state, rootPlace, `is no object: it is the field '${wrapperField}' of one`)
  const whole = root ?? { type: 'object', properties: { [wrapperField]: source }, required: [wrapperField], additionalProperties: false }
  const schema = converted(state, profile.plainRoot ? typed(whole) : whole, rootPlace)
  // Each definition may bring more.
  for (const [target, definition] of state.definitions)
    definition.schema = converted(state, target, { ...rootPlace, path: `#/$defs/${definition.name}` })
  if (state.definitions.size === 0) return { schema, state, wrapper }
  const $defs: { [name: string]: Json } = {}
  for (const { name, schema: one } of state.definitions.values()) if (one !== undefined) $defs[name] = one
  return { schema: { ...schema, $defs }, state, wrapper }
}

/** An object says so at the root. */
function typed(whole: Json): Json {
  if (!isJsonObject(whole) || whole['type'] === 'object') return whole
  return whole['type'] === undefined ? { type: 'object', ...whole } : { ...whole, type: 'object' }
}
