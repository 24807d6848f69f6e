import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { subschemas, subschemaWords } from '../../core/schema-refs.ts'
import {
  annotations,
  type Converting,
  conversionLimits,
  fieldsOf,
  into,
  listOf,
  note,
  notStrict,
  type Place,
  resolved,
  setField,
  takes,
  typesOf,
  without,
} from './converting.ts'
import { cyclicSchemas } from './cycles.ts'
import { flattened } from './meet.ts'
import { described, saying } from './says.ts'
import { assumedTypes, ofType } from './types.ts'
import { words } from './words.ts'

/** A schema as the profile takes it. */
export function converted(state: Converting, schema: Json, place: Place): JsonObject {
  if (++state.nodes > conversionLimits.nodes || place.depth > conversionLimits.depth) return cutOff(state, schema, place, 'is too large')
  if (!isJsonObject(schema)) return anything(state, place, schema === false ? ['nothing fits here'] : [])
  if (state.inPlace) return inPlace(state, schema, place)
  if (typeof schema['$ref'] === 'string' && !(takes(state.profile, 'allOf') && hasRules(without(schema, '$ref'))))
    return reference(state, schema, place)
  const flat = takes(state.profile, 'allOf') ? { schema, said: [], place } : flattened(state, schema, place)
  return separated(state, flat.schema, flat.said, flat.place)
}

/** Where every word is taken: only what is missing is put in. */
function inPlace(state: Converting, schema: JsonObject, place: Place): JsonObject {
  const out: { [word: string]: Json } = {}
  for (const [word, value] of fieldsOf(schema)) {
    const kind = subschemaWords.get(word)
    if (kind === 'one') out[word] = inner(state, value, into(place, word))
    else if (kind === 'list' && Array.isArray(value)) out[word] = value.map((one: Json, i) => inner(state, one, into(place, word, i)))
    else if (kind === 'map' && isJsonObject(value)) {
      const map: { [name: string]: Json } = {}
      for (const [name, one] of fieldsOf(value)) setField(map, name, inner(state, one, into(place, word, name)))
      out[word] = map
    } else out[word] = value
  }
  return withEmpty(state, out, place)
}

/** A schema that is true or false says so as it is. */
function inner(state: Converting, schema: Json, place: Place): Json {
  return isJsonObject(schema) ? converted(state, schema, place) : schema
}

function withEmpty({ profile }: Converting, out: JsonObject, place: Place): JsonObject {
  if (!profile.saysEmpty) return out
  const types = typesOf(out) ?? []
  const lacksItems = types.includes('array') && out['items'] === undefined && out['prefixItems'] === undefined
  const lacksFields = types.includes('object') && out['properties'] === undefined && (place.depth === 0 || profile.strict !== undefined)
  return { ...out, ...(lacksItems ? { items: {} } : {}), ...(lacksFields ? { properties: {} } : {}) }
}

/** A reference is kept where the profile has them; else what it leads to stands in its place, as often as that is of use. */
function reference(state: Converting, schema: JsonObject, place: Place): JsonObject {
  const target = resolved(state, schema)
  if (target === undefined) {
    note(state, place, 'refers to nothing in this schema')
    return anything(state, place, [])
  }
  if (!isJsonObject(target)) return converted(state, target, place)
  const beside = without(schema, '$ref', '$defs', 'definitions', '$id', '$anchor', '$schema', '$comment')
  const { references } = state.profile
  const isKept = references === 'keep' || (references === 'acyclic' && !isCyclic(state, target))
  if (isKept && !hasRules(beside))
    return withAnnotations(state, { $ref: `#/$defs/${defined(state, target, String(schema['$ref']))}` }, beside)
  if (place.trail.filter((one) => one === target).length >= conversionLimits.repeats)
    return cutOff(state, target, place, 'goes on in the same way; it is written out to some depth only')
  const flat = flattened(state, schema, place)
  return separated(state, flat.schema, flat.said, flat.place)
}

function isCyclic(state: Converting, schema: JsonObject): boolean {
  state.cyclic ??= cyclicSchemas(state.source, state.refs)
  return state.cyclic.has(schema)
}

function hasRules(schema: JsonObject): boolean {
  return Object.keys(schema).some((word) => !annotations.has(word))
}

/** A description can't stand beside a reference everywhere; beside an alternative it can. */
function withAnnotations(state: Converting, reference: JsonObject, beside: JsonObject): JsonObject {
  const { profile } = state
  const said = fieldsOf(beside).flatMap(([word, value]) => (takes(profile, word) ? [] : [saying(word, value)]))
  const description = described(typeof beside['description'] === 'string' ? beside['description'] : undefined, said)
  if (description === undefined || profile.unionAlone) return reference
  return { description, [profile.union === 'oneOf' ? 'oneOf' : 'anyOf']: [reference] }
}

function defined(state: Converting, target: JsonObject, reference: string): string {
  const known = state.definitions.get(target)
  if (known !== undefined) return known.name
  const last = reference.slice(reference.lastIndexOf('/') + 1)
  const plain = /^[A-Za-z0-9_-]{1,50}$/.test(last) ? last : reference === '#' ? 'root' : 'schema'
  let name = plain
  for (let n = 2; state.names.has(name); n++) name = `${plain}_${n}`
  state.names.add(name)
  state.definitions.set(target, { name, schema: undefined })
  return name
}

/** Null, several types and alternatives, each as the profile writes them. */
function separated(state: Converting, schema: JsonObject, said: readonly string[], place: Place): JsonObject {
  const { profile } = state
  if (profile.nullable === 'flag') {
    const { rest, mayBeNull } = withoutNull(schema)
    if (mayBeNull && rest === undefined) return flagged(written(state, { type: 'string' }, [...said, 'always null'], place))
    if (mayBeNull && rest !== undefined) return flagged(separated(state, rest, said, place))
  }
  const types = typesOf(schema)
  if (types !== undefined && types.length > 1 && !profile.typeLists)
    return separated(state, { anyOf: types.map((type) => ofType(without(schema, ...annotations), type)), ...kept(schema) }, said, place)
  if (profile.union === 'keep') return written(state, schema, said, place)
  const word = listOf(schema['anyOf']).length > 0 ? 'anyOf' : listOf(schema['oneOf']).length > 0 ? 'oneOf' : undefined
  return word === undefined ? written(state, schema, said, place) : union(state, schema, word, said, place)
}

function kept(schema: JsonObject): JsonObject {
  return Object.fromEntries(fieldsOf(schema).filter(([word]) => annotations.has(word)))
}

/** What is left of a schema when its null is told by a flag; nothing where null was all. */
function withoutNull(schema: JsonObject): { readonly rest: JsonObject | undefined; readonly mayBeNull: boolean } {
  const { type, enum: values, const: only } = schema
  // A list of types that names none says nothing.
  const types = typesOf(schema)
  if (types?.join() === 'null' || only === null) return { rest: undefined, mayBeNull: true }
  if (Array.isArray(values) && values.includes(null) && (types === undefined || types.includes('null'))) {
    const others = values.filter((value: Json) => value !== null)
    const rest = { ...schema, ...(Array.isArray(type) ? { type: type.filter((one: Json) => one !== 'null') } : {}), enum: others }
    return { rest: others.length === 0 ? undefined : rest, mayBeNull: true }
  }
  if (Array.isArray(values) && values.includes(null))
    return { rest: { ...schema, enum: values.filter((one: Json) => one !== null) }, mayBeNull: false }
  if (Array.isArray(type) && type.includes('null')) {
    const others = type.filter((one: Json) => one !== 'null')
    return {
      rest: others.length === 0 ? undefined : { ...schema, type: others.length === 1 ? (others[0] ?? 'string') : others },
      mayBeNull: only === undefined && values === undefined,
    }
  }
  for (const word of ['anyOf', 'oneOf'] as const) {
    const branches = listOf(schema[word])
    const others = branches.filter((branch) => !isNull(branch))
    if (others.length === branches.length || types !== undefined) continue
    return { rest: others.length === 0 ? undefined : { ...schema, [word]: others }, mayBeNull: true }
  }
  return { rest: schema, mayBeNull: false }
}

function isNull(branch: Json): boolean {
  if (!isJsonObject(branch)) return false
  const { const: only, enum: values } = branch
  return typesOf(branch)?.join() === 'null' || only === null || (Array.isArray(values) && values.length === 1 && values[0] === null)
}

/** Beside alternatives that stand alone there is no place for a flag: each of them has it. */
function flagged(schema: JsonObject): JsonObject {
  const { anyOf } = schema
  if (!Array.isArray(anyOf)) return { ...schema, nullable: true }
  return { ...schema, anyOf: anyOf.map((branch: Json) => (isJsonObject(branch) ? flagged(branch) : branch)) }
}

/** Alternatives. What stands beside them goes into each, and they are all written with the one word of the profile. */
function union(state: Converting, schema: JsonObject, word: 'anyOf' | 'oneOf', said: readonly string[], place: Place): JsonObject {
  const { profile } = state
  const { [word]: branches, ...rest } = schema
  const shared = without(rest, ...annotations)
  const needs = neededFields(listOf(branches))
  if (needs !== undefined && typesOf(shared)?.join() === 'object') return separated(state, rest, [...said, needs], place)
  const isShared = hasRules(shared)
  const all = listOf(branches).map((branch, i) => converted(state, isShared ? { allOf: [shared, branch] } : branch, into(place, word, i)))
  const name = profile.union === 'oneOf' ? 'oneOf' : 'anyOf'
  const different = unique(all.flatMap((one) => spliced(one, name)))
  const [only] = different
  const beside = [
    ...said,
    ...fieldsOf(rest).flatMap(([key, value]) => (annotations.has(key) && !takes(profile, key) ? [saying(key, value)] : [])),
  ]
  const description = described(typeof rest['description'] === 'string' ? rest['description'] : undefined, beside)
  if (only === undefined) return anything(state, place, beside)
  if (different.length === 1) return withDescription(only, description)
  if (profile.unionAlone) return { [name]: different.map((one, i) => (i === 0 ? withDescription(one, description) : one)) }
  const titled = fieldsOf(rest).filter(
    ([key]) => key !== 'description' && annotations.has(key) && takes(profile, key) && !key.startsWith('$'),
  )
  return { ...(description === undefined ? {} : { description }), ...Object.fromEntries(titled), [name]: different }
}

/** `anyOf: [{ required: ['a'] }, { required: ['b'] }]`: which fields have to be there, in words. */
function neededFields(branches: readonly Json[]): string | undefined {
  const sets = branches.map((branch) => {
    if (!isJsonObject(branch) || Object.keys(branch).some((word) => word !== 'required' && word !== 'type')) return undefined
    return listOf(branch['required']).join(' and ')
  })
  return sets.length === 0 || sets.some((set) => set === undefined || set === '') ? undefined : `needs ${sets.slice(0, 20).join(', or ')}`
}

function unique(schemas: readonly JsonObject[]): readonly JsonObject[] {
  const texts = new Map<string, JsonObject>()
  for (const schema of schemas) {
    const text = JSON.stringify(schema)
    if (!texts.has(text)) texts.set(text, schema)
  }
  return [...texts.values()]
}

/** Alternatives that are nothing but alternatives themselves. */
function spliced(schema: JsonObject, name: 'anyOf' | 'oneOf'): readonly JsonObject[] {
  const inner = schema[name]
  return Array.isArray(inner) && Object.keys(schema).length === 1 ? inner.filter(isJsonObject) : [schema]
}

function withDescription(schema: JsonObject, description: string | undefined): JsonObject {
  if (description === undefined || schema['$ref'] !== undefined) return schema
  const own = schema['description']
  return { ...schema, description: typeof own === 'string' ? `${description} ${own}` : description }
}

/** A schema without alternatives, word by word. */
function written(state: Converting, schema: JsonObject, said: readonly string[], place: Place): JsonObject {
  const { profile } = state
  const isTyped = typesOf(schema) !== undefined || listOf(schema['anyOf']).length > 0
  const assumed = profile.typeRequired && !isTyped ? assumedTypes(schema) : []
  if (profile.typeRequired && !isTyped && assumed.length === 0)
    return anything(state, place, [...said, ...fieldsOf(schema).map(([word, value]) => saying(word, value))], schema['description'])
  if (assumed.length > 1 && !profile.typeLists) return separated(state, { ...schema, type: [...assumed] }, said, place)
  const type = assumed.length === 1 ? assumed[0] : [...assumed]
  const typed = assumed.length === 0 ? schema : { type, ...without(schema, 'type') }
  return withEmpty(state, words({ state, place, converted }, typed, said), place)
}

/** Any JSON value, as far as the profile can say it. */
function anything(state: Converting, place: Place, said: readonly string[], description?: Json): JsonObject {
  notStrict(state, place, 'takes any value')
  const { profile } = state
  const text = described(typeof description === 'string' ? description : undefined, said)
  const named: JsonObject = text === undefined ? {} : { description: text }
  if (!profile.typeRequired || profile.strict !== undefined) return named
  const scalars: JsonObject[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }]
  const values: JsonObject = {
    anyOf: [...scalars, { type: 'object' }, { type: 'array', items: { anyOf: [...scalars, { type: 'object' }] } }, { type: 'null' }],
  }
  return separated(state, { ...named, ...values }, [], place)
}

/** What is not written out further: anything of its type. */
function cutOff(state: Converting, schema: Json, place: Place, why: string): JsonObject {
  note(state, place, why)
  notStrict(state, place, why)
  const { profile } = state
  const types = isJsonObject(schema) ? typesOf(schema) : undefined
  const isObject = types === undefined ? isJsonObject(schema) && subschemas(schema).length > 0 : types[0] === 'object'
  if (!profile.typeRequired && !isObject) return {}
  const word = profile.typeCase === 'upper' ? 'OBJECT' : 'object'
  return { type: word, description: '(goes on in the same way)' }
}
