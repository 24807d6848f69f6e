import type { Json, JsonObject } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'

export type Draft = '4' | '7' | '2019-09' | '2020-12'

/** What a keyword's value must be. Where a kind holds subschemas, the compiler goes into them. */
export type Kind =
  | 'type'
  | 'number'
  | 'positive'
  | 'exclusive'
  | 'count'
  | 'text'
  | 'flag'
  | 'names'
  | 'name-lists'
  | 'regex'
  | 'values'
  | 'value'
  | 'schema'
  | 'schemas'
  | 'schema-map'
  | 'regex-map'
  | 'items'
  | 'dependencies'

/** Every keyword that is checked. Others are annotations to the specification, so they are allowed and ignored. */
export const keywords: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['type', 'type'],
  ['const', 'value'],
  ['enum', 'values'],
  ['multipleOf', 'positive'],
  ['maximum', 'number'],
  ['minimum', 'number'],
  ['exclusiveMaximum', 'exclusive'],
  ['exclusiveMinimum', 'exclusive'],
  ['maxLength', 'count'],
  ['minLength', 'count'],
  ['maxItems', 'count'],
  ['minItems', 'count'],
  ['maxContains', 'count'],
  ['minContains', 'count'],
  ['maxProperties', 'count'],
  ['minProperties', 'count'],
  ['uniqueItems', 'flag'],
  ['pattern', 'regex'],
  ['format', 'text'],
  ['required', 'names'],
  ['dependentRequired', 'name-lists'],
  ['dependentSchemas', 'schema-map'],
  ['dependencies', 'dependencies'],
  ['properties', 'schema-map'],
  ['patternProperties', 'regex-map'],
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['items', 'items'],
  ['prefixItems', 'schemas'],
  ['additionalItems', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['contains', 'schema'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['$defs', 'schema-map'],
  ['definitions', 'schema-map'],
])

const types: ReadonlySet<Json> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const drafts: readonly (readonly [pattern: RegExp, draft: Draft])[] = [
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, '4'],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, '7'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
]

/** The draft that `$schema` names; 2020-12 without one; `undefined` for a name that is not known. */
export function draftOf(schema: JsonObject | boolean): Draft | undefined {
  const name = typeof schema === 'boolean' ? undefined : schema.$schema
  if (name === undefined) return '2020-12'
  return typeof name === 'string' ? drafts.find(([pattern]) => pattern.test(name))?.[1] : undefined
}

/** What is wrong with the value of a keyword, its subschemas aside; `undefined` if nothing. */
export function keywordProblem(kind: Kind, value: Json, draft: Draft): string | undefined {
  switch (kind) {
    case 'value':
      return undefined
    case 'type':
      return typeProblem(value)
    case 'number':
      return typeof value === 'number' ? undefined : mustBe('a number', value)
    case 'positive':
      return typeof value === 'number' && value > 0 ? undefined : mustBe('a number greater than 0', value)
    case 'exclusive':
      if (draft === '4') return typeof value === 'boolean' ? undefined : mustBe('true or false in draft-04', value)
      return typeof value === 'number' ? undefined : mustBe('a number (true and false are of draft-04)', value)
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? undefined : mustBe('a whole number of 0 or more', value)
    case 'text':
      return typeof value === 'string' ? undefined : mustBe('a string', value)
    case 'flag':
      return typeof value === 'boolean' ? undefined : mustBe('true or false', value)
    case 'names':
      return isNames(value) ? undefined : mustBe('a list of property names', value)
    case 'name-lists':
      return isJsonObject(value) && Object.values(value).every(isNames) ? undefined : mustBe('an object of lists of property names', value)
    case 'regex':
      return typeof value === 'string' ? regexProblem(value) : mustBe('a regular expression as a string', value)
    case 'values':
      return Array.isArray(value) && value.length > 0 ? undefined : mustBe('a list of at least one value', value)
    case 'schema':
      return isSchemaShaped(value) ? undefined : mustBe('a schema (an object, true or false)', value)
    case 'schemas':
      return Array.isArray(value) && value.length > 0 ? undefined : mustBe('a list of at least one schema', value)
    case 'schema-map':
    case 'dependencies':
      return isJsonObject(value) ? undefined : mustBe('an object of schemas', value)
    case 'regex-map':
      return isJsonObject(value) ? firstProblem(Object.keys(value).map(regexProblem)) : mustBe('an object of schemas', value)
    case 'items':
      return itemsProblem(value, draft)
  }
}

export function isSchemaShaped(value: unknown): value is JsonObject | boolean {
  return typeof value === 'boolean' || isJsonObject(value)
}

export function mustBe(what: string, value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return `must be ${what}, not ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
}

function typeProblem(value: Json): string | undefined {
  const words = Array.isArray(value) ? value : [value]
  if (words.length === 0) return mustBe('one of the seven types or a list of them', value)
  const unknown = words.find((word: Json) => !types.has(word))
  return unknown === undefined ? undefined : mustBe(`one of ${[...types].join(', ')}`, unknown)
}

function itemsProblem(value: Json, draft: Draft): string | undefined {
  if (!Array.isArray(value)) return isSchemaShaped(value) ? undefined : mustBe('a schema (an object, true or false)', value)
  if (draft !== '2020-12') return undefined
  return "is a list: since draft 2020-12 a tuple is written with 'prefixItems' (or name an older draft in '$schema')"
}

function regexProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    return `${JSON.stringify(pattern)} is no regular expression with the flag 'u' (${error instanceof Error ? error.message : String(error)})`
  }
}

function isNames(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined)
}
