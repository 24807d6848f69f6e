import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { subschemas } from '../../core/schema-refs.ts'
import { fieldsOf, listOf } from './converting.ts'
import type { StrictLimits } from './profile.ts'

/** What a schema is made of, as providers count it. */
export interface SchemaCounts {
  readonly properties: number
  /** Objects in objects. */
  readonly depth: number
  readonly enumValues: number
  /** Characters in the names of properties and definitions and in fixed values. */
  readonly nameCharacters: number
  /** Characters in the longest enum of more than 250 strings. */
  readonly longEnumCharacters: number
  /** Properties that are not required. */
  readonly optionalFields: number
  /** Schemas with alternatives or several types. */
  readonly unions: number
}

export function countsOf(schema: JsonObject): SchemaCounts {
  const counts = { properties: 0, depth: 0, enumValues: 0, nameCharacters: 0, longEnumCharacters: 0, optionalFields: 0, unions: 0 }
  const waiting: { readonly at: Json; readonly depth: number }[] = [{ at: schema, depth: 0 }]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (!isJsonObject(one.at)) continue
    const { at } = one
    const names = fieldsOf(at['properties']).map(([name]) => name)
    const values = at['const'] === undefined ? listOf(at['enum']) : [at['const']]
    const characters = values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
    const depth = names.length > 0 || at['type'] === 'object' ? one.depth + 1 : one.depth
    counts.properties += names.length
    counts.depth = Math.max(counts.depth, depth)
    counts.enumValues += listOf(at['enum']).length
    counts.nameCharacters += characters + [...names, ...fieldsOf(at['$defs']).map(([name]) => name)].join('').length
    if (values.length > 250) counts.longEnumCharacters = Math.max(counts.longEnumCharacters, characters)
    counts.optionalFields += names.filter((name) => !listOf(at['required']).includes(name)).length
    if (at['anyOf'] !== undefined || Array.isArray(at['type'])) counts.unions++
    for (const inner of subschemas(at)) waiting.push({ at: inner, depth })
  }
  return counts
}

const inWords: { readonly [name in keyof StrictLimits]-?: string } = {
  properties: 'properties',
  depth: 'levels of objects in objects',
  enumValues: 'values in enums',
  nameCharacters: 'characters in names and fixed values',
  longEnumCharacters: 'characters in one long enum',
  optionalFields: 'optional fields',
  unions: 'schemas with alternatives or several types',
}

/** The first limit that is exceeded, in words. */
export function exceeded(counts: SchemaCounts, limits: StrictLimits): string | undefined {
  for (const name of Object.keys(inWords) as (keyof StrictLimits)[]) {
    const limit = limits[name]
    if (limit !== undefined && counts[name] > limit) return `has ${counts[name]} ${inWords[name]}; the limit is ${limit}`
  }
  return undefined
}
