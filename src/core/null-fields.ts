import { isJsonObject, type Json, type JsonObject, jsonEqual } from './json.ts'
import { refsOf, type SchemaRefs } from './schema-refs.ts'

interface Looking {
  readonly refs: SchemaRefs
  /** Whether an object that does not say so takes no other properties. */
  readonly closed: boolean
  /** Schemas that may still be looked at: alternatives of alternatives are many. When it is used up, what is in doubt stays. */
  budget: number
}

const maxLooks = 100_000
/** Schemas one inside the other for the same value. */
const maxTrail = 100

/**
 * The value without the fields that are null where the schema has an optional field that can't be null: models write "not given" so, and some APIs
 * make them (B181). What can be null stays null, and so does what is required, unknown, or an item of a list: it is the validator's to judge. Where
 * alternatives disagree, null stays if one that may be meant takes it. A value that fits the schema comes back as it is; one without any null is
 * not looked at further.
 *
 * @param schema Plain JSON Schema, draft 2020-12.
 * @param options.closed Objects that don't say whether they take other properties are read as if they don't: for a value that was asked for in a
 * form in which they could not. Default false.
 */
export function withoutNullFields(schema: Json, value: Json, { closed = false }: { readonly closed?: boolean } = {}): Json {
  return holdsNullField(value) ? cleaned({ refs: refsOf(schema), closed, budget: maxLooks }, schema, value) : value
}

/** Whether null fits a schema that stands in the one that `refs` are of. When in doubt it does. */
export function takesNull(refs: SchemaRefs, schema: Json): boolean {
  return admitsNull({ refs, closed: false, budget: maxLooks }, schema, [])
}

/** Arguments nearly never do, so this is all that most of them cost. */
function holdsNullField(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsNullField)
  if (!isJsonObject(value)) return false
  for (const key of Object.keys(value)) if (value[key] === null || holdsNullField(value[key] ?? true)) return true
  return false
}

function cleaned(looking: Looking, schema: Json, value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json, i) => cleaned(looking, inner(looking, schema, value, i, []), item))
  if (!isJsonObject(value)) return value
  const copy: { [key: string]: Json } = {}
  for (const key of Object.keys(value)) {
    const field = value[key]
    if (field === undefined) continue
    const rule = inner(looking, schema, value, key, [])
    if (field === null && isAbsent(looking, schema, rule, value, key)) continue
    const kept = cleaned(looking, rule, field)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: kept, writable: true, enumerable: true, configurable: true })
    else copy[key] = kept
  }
  return copy
}

function isAbsent(looking: Looking, schema: Json, rule: Json, value: JsonObject, key: string): boolean {
  const isField = rule === undeclared || declares(looking, schema, key, [])
  return !admitsNull(looking, rule, []) && isField && !requires(looking, schema, value, key, [])
}

/**
 * The schema of one field or item of a value, made of the ones that the value's schema and its parts have for it. Alternatives that the value
 * certainly does not fit have no say.
 */
function inner(looking: Looking, schema: Json, value: JsonObject | readonly Json[], place: string | number, trail: readonly Json[]): Json {
  if (!isJsonObject(schema)) return schema
  if (isSpent(looking, schema, trail)) return true
  const next = [...trail, schema]
  const of = (part: Json) => inner(looking, part, value, place, next)
  const rules = typeof place === 'number' ? itemRules(schema, place) : fieldRules(looking, schema, place)
  const choices = alternatives(schema).map((branches) => either(looking, branches.filter((one) => mayFit(looking, one, value, [])).map(of)))
  return both([...rules, ...fixedParts(looking, schema).map(of), ...choices])
}

/** A schema that comes back to itself says nothing new. */
function isSpent(looking: Looking, schema: JsonObject, trail: readonly Json[]): boolean {
  return looking.budget-- <= 0 || trail.length > maxTrail || trail.includes(schema)
}

/** Nothing fits a field that no part of a closed object has. One that another part has is that part's matter. */
const undeclared: Json = { not: {} }

function both(rules: readonly Json[]): Json {
  const real = rules.filter((rule) => rule !== true && rule !== undeclared)
  if (real.includes(false)) return false
  if (real.length > 1) return { allOf: real }
  return real[0] ?? (rules.includes(undeclared) ? undeclared : true)
}

function either({ refs }: Looking, rules: readonly Json[]): Json {
  const known = new Set<Json>()
  const different = rules.filter((rule) => {
    const meant = (isJsonObject(rule) && Object.keys(rule).length === 1 ? refs.target(rule) : undefined) ?? rule
    const isNew = rule !== false && !known.has(meant)
    known.add(meant)
    return isNew
  })
  if (different.includes(true)) return true
  const real = different.filter((rule) => rule !== undeclared)
  return real.length > 1 ? { anyOf: real } : (real[0] ?? different[0] ?? false)
}

function itemRules(schema: JsonObject, index: number): readonly Json[] {
  const first = listOf(schema['prefixItems'])
  const rule = index < first.length ? first[index] : schema['items']
  return rule === undefined ? [] : [rule]
}

function fieldRules({ closed }: Looking, schema: JsonObject, key: string): readonly Json[] {
  const own = ownField(schema, key)
  const patterns = schema['patternProperties']
  const byPattern = isJsonObject(patterns) ? Object.keys(patterns).filter((pattern) => matches(pattern, key)) : []
  const rules = byPattern.map((pattern) => (isJsonObject(patterns) ? patterns[pattern] : undefined) ?? true)
  if (own !== undefined) return [own, ...rules]
  if (rules.length > 0) return rules
  const { properties, additionalProperties, unevaluatedProperties } = schema
  if (additionalProperties !== undefined) return [additionalProperties]
  return closed && properties !== undefined && unevaluatedProperties === undefined ? [undeclared] : []
}

function ownField({ properties }: JsonObject, key: string): Json | undefined {
  return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
}

/** What holds beside a schema in any case. */
function fixedParts({ refs }: Looking, schema: JsonObject): readonly Json[] {
  const target = refs.target(schema)
  return target === undefined ? listOf(schema['allOf']) : [target, ...listOf(schema['allOf'])]
}

/** Of each list one has to hold. */
function alternatives(schema: JsonObject): readonly (readonly Json[])[] {
  return [listOf(schema['anyOf']), listOf(schema['oneOf'])].filter((branches) => branches.length > 0)
}

function declares(looking: Looking, schema: Json, key: string, trail: readonly Json[]): boolean {
  if (!isJsonObject(schema) || isSpent(looking, schema, trail)) return false
  if (ownField(schema, key) !== undefined) return true
  return [...fixedParts(looking, schema), ...alternatives(schema).flat()].some((part) => declares(looking, part, key, [...trail, schema]))
}

function requires(looking: Looking, schema: Json, value: JsonObject, key: string, trail: readonly Json[]): boolean {
  if (!isJsonObject(schema) || isSpent(looking, schema, trail)) return false
  if (listOf(schema['required']).includes(key)) return true
  const next = [...trail, schema]
  const of = (part: Json) => requires(looking, part, value, key, next)
  if (fixedParts(looking, schema).some(of)) return true
  return alternatives(schema).some((branches) => {
    const possible = branches.filter((one) => mayFit(looking, one, value, []))
    return possible.length > 0 && possible.every(of)
  })
}

/** Whether null fits a schema. When in doubt it does: what might be meant is not taken away. */
function admitsNull(looking: Looking, schema: Json, trail: readonly Json[]): boolean {
  if (!isJsonObject(schema)) return schema !== false
  if (isSpent(looking, schema, trail)) return true
  const { type, const: only, enum: values, not } = schema
  if (type !== undefined && type !== 'null' && !listOf(type).includes('null')) return false
  if ((only !== undefined && only !== null) || (Array.isArray(values) && !values.includes(null))) return false
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) return false
  const next = [...trail, schema]
  const of = (part: Json) => admitsNull(looking, part, next)
  return fixedParts(looking, schema).every(of) && alternatives(schema).every((branches) => branches.some(of))
}

/** False only where the value certainly does not fit: it is of another type, lacks a field, or has one that is fixed to another value. */
function mayFit(looking: Looking, schema: Json, value: JsonObject | readonly Json[], trail: readonly Json[]): boolean {
  if (!isJsonObject(schema)) return schema !== false
  if (isSpent(looking, schema, trail)) return true
  const { type, required } = schema
  const own = isJsonObject(value) ? 'object' : 'array'
  if (type !== undefined && type !== own && !listOf(type).includes(own)) return false
  if (isJsonObject(value)) {
    if (listOf(required).some((key) => typeof key === 'string' && !Object.hasOwn(value, key))) return false
    if (!Object.keys(value).every((key) => isPossible(ownField(schema, key), value[key]))) return false
  }
  return fixedParts(looking, schema).every((part) => mayFit(looking, part, value, [...trail, schema]))
}

function isPossible(rule: Json | undefined, field: Json | undefined): boolean {
  if (field === undefined || field === null || !isJsonObject(rule)) return true
  const { const: only, enum: values } = rule
  if (only !== undefined && !jsonEqual(only, field)) return false
  return !Array.isArray(values) || values.some((one: Json) => jsonEqual(one, field))
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function matches(pattern: string, key: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(key)
  } catch {
    return false
  }
}
