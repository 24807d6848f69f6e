import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../core/json.ts'
import {
  annotations,
  type Converting,
  conversionLimits,
  fieldsOf,
  listOf,
  type Place,
  resolved,
  setField,
  typesOf,
  without,
} from './converting.ts'
import { saying } from './says.ts'

/** A schema without `$ref` and `allOf`, and what of them could only be said. */
export interface Flat {
  readonly schema: JsonObject
  readonly said: readonly string[]
  readonly place: Place
}

/** Folds a schema's reference and its `allOf` into it. What is folded may be looser than what it was, never stricter: it is validated by the original. */
export function flattened(state: Converting, schema: JsonObject, place: Place): Flat {
  return folded(state, schema, place, new Set())
}

/** Each part once: what holds twice holds. */
function folded(state: Converting, schema: JsonObject, place: Place, done: Set<Json>): Flat {
  const { $ref, allOf, ...own } = schema
  if ($ref === undefined && allOf === undefined) return { schema, said: [], place }
  const target = typeof $ref === 'string' ? resolved(state, schema) : undefined
  const flat = target === undefined ? { schema: own, said: [], place } : referred(state, { schema: own, said: [], place }, target, done)
  return listOf(allOf).reduce<Flat>((so, member) => met(state, so, member, done), flat)
}

/** What is referred to stands here from now on: it is known when it comes again further inside. */
function referred(state: Converting, flat: Flat, target: Json, done: Set<Json>): Flat {
  const { trail } = flat.place
  if (!isJsonObject(target) || done.has(target)) return met(state, flat, target, done)
  if (trail.filter((one) => one === target).length >= conversionLimits.repeats) return flat
  return met(state, { ...flat, place: { ...flat.place, trail: [...trail, target] } }, target, done)
}

function met(state: Converting, flat: Flat, member: Json, done: Set<Json>): Flat {
  if (!isJsonObject(member)) return member === false ? { ...flat, said: [...flat.said, 'nothing fits here'] } : flat
  if (done.has(member) || done.size > conversionLimits.parts) return flat
  done.add(member)
  const inner = folded(state, member, flat.place, done)
  const both = meet(flat.schema, inner.schema)
  return { schema: both.schema, said: [...flat.said, ...inner.said, ...both.said], place: inner.place }
}

const largest: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'])
const smallest: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'])

/** Two schemas of the same value as one. */
function meet(a: JsonObject, b: JsonObject): { readonly schema: JsonObject; readonly said: readonly string[] } {
  const schema: { [word: string]: Json } = {}
  for (const [word, value] of fieldsOf(a)) schema[word] = value
  const said: string[] = []
  for (const [word, theirs] of fieldsOf(b)) {
    const ours = schema[word]
    if (ours === undefined || jsonEqual(ours, theirs)) schema[word] = theirs
    else if (word === 'description') schema[word] = `${String(ours)} ${String(theirs)}`
    else if (annotations.has(word)) continue
    else {
      const one = metWord(word, ours, theirs)
      if (one === undefined) said.push(saying(word, theirs))
      else schema[word] = one
    }
  }
  return { schema: settledEnum(schema), said }
}

/** What both values of a keyword come to; `undefined` where there is no such value. */
function metWord(word: string, ours: Json, theirs: Json): Json | undefined {
  if (word === 'type') return metTypes({ type: ours }, { type: theirs })
  if (word === 'properties') return metProperties(ours, theirs)
  if (word === 'required') return [...new Set([...listOf(ours), ...listOf(theirs)])]
  if (word === 'items' || word === 'propertyNames') return { allOf: [ours, theirs] }
  if (word === 'additionalProperties') {
    if (ours === false || theirs === false) return false
    return ours === true ? theirs : theirs === true ? ours : { allOf: [ours, theirs] }
  }
  // One of ours and one of theirs.
  if (word === 'anyOf' || word === 'oneOf') return listOf(ours).map((branch) => ({ allOf: [branch, { [word]: theirs }] }))
  if (word === 'uniqueItems') return true
  if (word === 'enum') {
    const shared = listOf(ours).filter((value) => listOf(theirs).some((other) => jsonEqual(value, other)))
    return shared.length === 0 ? undefined : shared
  }
  if (typeof ours !== 'number' || typeof theirs !== 'number') return undefined
  if (largest.has(word)) return Math.max(ours, theirs)
  return smallest.has(word) ? Math.min(ours, theirs) : undefined
}

function metTypes(a: JsonObject, b: JsonObject): Json | undefined {
  const theirs = typesOf(b) ?? []
  const shared = (typesOf(a) ?? []).flatMap((type) => {
    if (theirs.includes(type) || (type === 'integer' && theirs.includes('number'))) return [type]
    return type === 'number' && theirs.includes('integer') ? ['integer'] : []
  })
  return shared.length > 1 ? shared : shared[0]
}

function metProperties(a: Json, b: Json): Json {
  const fields: { [key: string]: Json } = {}
  for (const [key, field] of fieldsOf(a)) setField(fields, key, field)
  for (const [key, field] of fieldsOf(b)) {
    const ours = Object.hasOwn(fields, key) ? fields[key] : undefined
    setField(fields, key, ours === undefined || jsonEqual(ours, field) ? field : { allOf: [ours, field] })
  }
  return fields
}

/** A fixed value beside a list of values: the one that both allow. */
function settledEnum(schema: JsonObject): JsonObject {
  const { const: only, enum: values } = schema
  return only === undefined || values === undefined ? schema : without(schema, 'enum')
}
