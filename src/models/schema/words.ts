import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { takesNull } from '../../core/null-fields.ts'
import { type Converting, fieldsOf, into, listOf, note, notStrict, type Place, setField, takes, typesOf } from './converting.ts'
import { described, saying } from './says.ts'

/** What the words of one schema are written with. */
export interface Writing {
  readonly state: Converting
  readonly place: Place
  /** Converts what stands inside. */
  readonly converted: (state: Converting, schema: Json, place: Place) => JsonObject
}

/** The words of a schema without alternatives, as the profile takes them; what it does not take is said in the description. */
export function words(writing: Writing, schema: JsonObject, said: readonly string[]): JsonObject {
  const { state, place } = writing
  const out: { [word: string]: Json } = {}
  const sayings = [...said]
  for (const [word, value] of fieldsOf(schema)) {
    const one = written(writing, schema, word, value)
    for (const [key, field] of fieldsOf(one.words)) out[key] = field
    if (one.said !== undefined && one.said !== '') {
      sayings.push(one.said)
      note(state, place, `'${word}' is said in the description`)
    }
  }
  if ((typesOf(schema) ?? []).includes('object')) finishObject(writing, schema, out, sayings)
  if ((typesOf(schema) ?? []).includes('array')) finishList(writing, out)
  const given = typeof out['description'] === 'string' ? out['description'] : undefined
  const description = described(given, sayings)
  if (description === undefined || description === given) return out
  return given === undefined ? { ...out, description } : Object.assign(out, { description })
}

/** What becomes of one keyword. */
interface Written {
  readonly words?: JsonObject
  readonly said?: string
}

function written(writing: Writing, schema: JsonObject, word: string, value: Json): Written {
  const { state, place, converted } = writing
  const { profile } = state
  const isTaken = takes(profile, word)
  const asIs: Written = isTaken ? { words: { [word]: value } } : { said: saying(word, value) }
  switch (word) {
    case 'type':
      return typeWord(state, typesOf(schema))
    case 'title':
      return isTaken || schema['description'] !== undefined || typeof value !== 'string'
        ? isTaken
          ? asIs
          : {}
        : { words: { description: value } }
    case 'properties':
      return { words: { properties: properties(writing, schema) } }
    case 'required':
      return { words: required(writing, schema) }
    case 'items':
      return items(writing, schema)
    case 'prefixItems':
      return isTaken
        ? { words: { prefixItems: listOf(value).map((one, i) => converted(state, one, into(place, word, i))) } }
        : tuple(writing, schema)
    case 'additionalProperties':
      return additional(writing, value)
    case 'patternProperties':
      if (!isTaken && fieldsOf(value).length > 0) notStrict(state, place, 'has properties by pattern')
      return isTaken ? { words: { patternProperties: map(writing, word, value) } } : asIs
    case 'const':
      return fixed(state, schema, 'const', [value])
    case 'enum':
      return fixed(state, schema, 'enum', listOf(value))
    case 'format':
      return isTaken && profile.formats !== 'any' && !profile.formats.has(String(value)) ? { said: saying(word, value) } : asIs
    case 'pattern':
      return isTaken && profile.patterns === 'plain' && !isPlainPattern(String(value)) ? { said: saying(word, value) } : asIs
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return isTaken ? asIs : inclusive(state, schema, word, value)
    case 'minItems':
    case 'maxItems':
    case 'minLength':
    case 'maxLength':
      return count(state, word, value, asIs)
    case '$defs':
    case 'definitions':
    case '$schema':
    case '$id':
    case '$anchor':
      return {}
    case 'propertyOrdering':
      return {}
    case 'default':
      return isTaken && profile.nullable === 'type' ? asIs : { said: saying(word, value) }
    default:
      return other(writing, word, value, asIs)
  }
}

/** What may have fields that a closed object would not take. */
const dependent: ReadonlySet<string> = new Set(['then', 'else', 'dependentSchemas', 'unevaluatedProperties'])

/** Words that hold schemas and are taken as they are have them converted; what is unknown is only sent where everything is. */
function other(writing: Writing, word: string, value: Json, asIs: Written): Written {
  const { state, place, converted } = writing
  if (asIs.words === undefined) {
    if (dependent.has(word) && value !== false) notStrict(state, place, 'has fields that depend on others')
    return asIs
  }
  if (['allOf', 'anyOf', 'oneOf'].includes(word) && listOf(value).length === 0) return {}
  if (['allOf', 'anyOf', 'oneOf'].includes(word))
    return { words: { [word]: listOf(value).map((one, i) => (isJsonObject(one) ? converted(state, one, into(place, word, i)) : one)) } }
  if (['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems'].includes(word))
    return { words: { [word]: isJsonObject(value) ? converted(state, value, into(place, word)) : value } }
  if (word === 'dependentSchemas') return { words: { [word]: map(writing, word, value) } }
  return asIs
}

function map({ state, place, converted }: Writing, word: string, value: Json): JsonObject {
  const out: { [name: string]: Json } = {}
  for (const [name, schema] of fieldsOf(value))
    setField(out, name, isJsonObject(schema) ? converted(state, schema, into(place, word, name)) : schema)
  return out
}

function typeWord({ profile }: Converting, types: readonly string[] | undefined): Written {
  if (types === undefined) return {}
  const named = types.map((type) => (profile.typeCase === 'upper' ? type.toUpperCase() : type))
  return { words: { type: named.length === 1 ? named[0] : named } }
}

function properties({ state, place, converted }: Writing, schema: JsonObject): JsonObject {
  const { profile } = state
  const out: { [key: string]: Json } = {}
  const needed = new Set(listOf(schema['required']))
  for (const [key, field] of fieldsOf(schema['properties'])) {
    // A field that must not be there is not offered.
    if (field === false) continue
    const isOptional = profile.strict?.allRequired === true && !needed.has(key)
    setField(out, key, converted(state, isOptional ? orNull(state, field) : field, into(place, 'properties', key)))
  }
  return out
}

/** The schema of an optional field, where all are required: null says that it is not given. */
function orNull({ refs }: Converting, field: Json): Json {
  if (takesNull(refs, field) || !isJsonObject(field)) return field
  const { const: only, enum: values } = field
  const types = typesOf(field)
  if (field['$ref'] !== undefined || field['allOf'] !== undefined) return { anyOf: [field, { type: 'null' }] }
  if (Array.isArray(field['anyOf']) && types === undefined && values === undefined && only === undefined)
    return { ...field, anyOf: [...field['anyOf'], { type: 'null' }] }
  if (types === undefined || field['anyOf'] !== undefined || field['oneOf'] !== undefined || field['not'] !== undefined)
    return { anyOf: [field, { type: 'null' }] }
  const type = [...types, 'null']
  if (only !== undefined) return { ...withoutConst(field), type, enum: [only, null] }
  return Array.isArray(values) ? { ...field, type, enum: [...values, null] } : { ...field, type }
}

function withoutConst({ const: _const, ...rest }: JsonObject): JsonObject {
  return rest
}

function required({ state }: Writing, schema: JsonObject): JsonObject {
  if (state.profile.strict?.allRequired === true) return {}
  const names = listOf(schema['required'])
  if (state.profile.words === 'all') return { required: [...names] }
  const fields = schema['properties']
  const known = names.filter(
    (name) => typeof name === 'string' && isJsonObject(fields) && Object.hasOwn(fields, name) && fields[name] !== false,
  )
  return known.length === 0 && names.length > 0 ? {} : { required: [...new Set(known)] }
}

function finishObject(writing: Writing, schema: JsonObject, out: { [word: string]: Json }, sayings: string[]): void {
  const { state, place } = writing
  const { profile } = state
  if (profile.words === 'all') return
  declareRequired(writing, schema, out, sayings)
  const names = fieldsOf(out['properties']).map(([key]) => key)
  if (profile.strict !== undefined) {
    if (schema['properties'] === undefined && schema['additionalProperties'] !== false) notStrict(state, place, 'is an open object')
    if (profile.strict.allRequired) out['required'] = names
    out['additionalProperties'] = false
  }
  if (profile.ordersProperties && names.length > 1) {
    const known = new Set(names)
    const given = listOf(schema['propertyOrdering']).filter((name) => typeof name === 'string' && known.has(name))
    out['propertyOrdering'] = [...new Set([...given, ...names])]
  }
}

/** A list of anything says so where it has to say what it is of. */
function finishList({ state, place, converted }: Writing, out: { [word: string]: Json }): void {
  if (!state.profile.typeRequired || out['items'] !== undefined || out['prefixItems'] !== undefined) return
  out['items'] = converted(state, true, into(place, 'items'))
}

/** A field that is required and has no schema of its own: an API that knows only what is declared would leave it out. */
function declareRequired({ state, place, converted }: Writing, schema: JsonObject, out: { [word: string]: Json }, sayings: string[]): void {
  const fields = schema['properties']
  const bare = listOf(schema['required']).filter(
    (name) => typeof name === 'string' && !(isJsonObject(fields) && Object.hasOwn(fields, name)),
  )
  if (bare.length === 0) return
  sayings.push(`also required: ${bare.slice(0, 20).join(', ')}`)
  notStrict(state, place, 'requires a field that it does not describe')
  const all: { [key: string]: Json } = {}
  for (const [key, field] of fieldsOf(out['properties'])) setField(all, key, field)
  for (const name of bare) if (typeof name === 'string') setField(all, name, converted(state, true, into(place, 'properties', name)))
  out['properties'] = all
  if (state.profile.strict?.allRequired !== true) out['required'] = [...new Set([...listOf(out['required']), ...bare])]
}

function additional({ state, place, converted }: Writing, value: Json): Written {
  const { profile } = state
  if (profile.strict !== undefined) {
    if (value !== false) notStrict(state, place, 'takes properties that it does not name')
    return {}
  }
  if (!takes(profile, 'additionalProperties') || (profile.additional === 'false' && value !== false))
    return { said: saying('additionalProperties', value) }
  return { words: { additionalProperties: isJsonObject(value) ? converted(state, value, into(place, 'additionalProperties')) : value } }
}

function items(writing: Writing, schema: JsonObject): Written {
  const { state, place, converted } = writing
  const value = schema['items']
  if (Array.isArray(value)) return tuple(writing, { ...schema, prefixItems: value, items: schema['additionalItems'] })
  if (schema['prefixItems'] !== undefined && !takes(state.profile, 'prefixItems')) return {}
  if (typeof value !== 'boolean') return { words: { items: converted(state, value ?? true, into(place, 'items')) } }
  if (takes(state.profile, 'prefixItems'))
    return schema['prefixItems'] === undefined ? { words: { items: {} } } : { words: { items: value } }
  return { words: { items: converted(state, true, into(place, 'items')) }, ...(value ? {} : { said: 'no items' }) }
}

/** A list whose first items have schemas of their own, as one whose items are any of these. */
function tuple(writing: Writing, schema: JsonObject): Written {
  const { state, place, converted } = writing
  const first = listOf(schema['prefixItems'])
  const { items: rest, maxItems } = schema
  const isClosed = rest === false || (typeof maxItems === 'number' && maxItems <= first.length)
  const all = isClosed ? first : [...first, rest ?? true]
  const schemas = all.includes(true) ? true : all.length === 1 ? (all[0] ?? true) : { anyOf: all }
  return { words: { items: converted(state, schemas, into(place, 'items')) }, said: saying('prefixItems', [...first]) }
}

function fixed({ profile }: Converting, schema: JsonObject, word: 'const' | 'enum', values: readonly Json[]): Written {
  const fits =
    profile.enums === 'any' ||
    (profile.enums === 'strings'
      ? schema['type'] === 'string' && values.every((one) => typeof one === 'string')
      : values.every((one) => typeof one !== 'object' || one === null))
  if (!fits || values.length === 0) return { said: saying(word, schema[word] ?? null) }
  if (takes(profile, word)) return { words: { [word]: schema[word] } }
  return takes(profile, 'enum') ? { words: { enum: [...values] } } : { said: saying(word, schema[word] ?? null) }
}

/** Of a whole number there is a next one; of others the bound itself is let through, and said. */
function inclusive({ profile }: Converting, schema: JsonObject, word: string, value: Json): Written {
  const plain = word === 'exclusiveMinimum' ? 'minimum' : 'maximum'
  if (typeof value !== 'number' || !takes(profile, plain) || schema[plain] !== undefined) return { said: saying(word, value) }
  if (schema['type'] !== 'integer') return { words: { [plain]: value }, said: saying(word, value) }
  return { words: { [plain]: word === 'exclusiveMinimum' ? Math.floor(value) + 1 : Math.ceil(value) - 1 } }
}

function count({ profile }: Converting, word: string, value: Json, asIs: Written): Written {
  const most = Math.min(
    profile.mostRepeats ?? Number.POSITIVE_INFINITY,
    word === 'minItems' ? (profile.mostMinItems ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
  )
  if (asIs.words === undefined || typeof value !== 'number' || value <= most) return asIs
  return { ...(word.startsWith('min') ? { words: { [word]: most } } : {}), said: saying(word, value) }
}

/** Without what automata can't do, and short enough to be made into one. */
function isPlainPattern(pattern: string): boolean {
  return pattern.length <= 500 && !/\(\?(?!:)|\\[bBkpP1-9]/.test(pattern)
}
