import { RondoError } from '../core/error.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'
import { escapePointer } from './compile.ts'
import type { Draft } from './keywords.ts'
import { isSchemaShaped, keywords } from './keywords.ts'

const dialects = {
  'draft-2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
}

/** What draft-07 does not know, or (a `$ref` with siblings) reads otherwise. */
const newerThan07: ReadonlySet<string> = new Set([
  'prefixItems',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  'minContains',
  'maxContains',
  '$anchor',
])

type Change = (schema: JsonObject, place: string) => JsonObject

/** A schema of one draft as one of another; throws `ConfigInvalid` where the target has no words for it. */
export function convert(source: JsonObject | boolean, draft: Draft, target: string): Record<string, unknown> {
  if (target !== 'draft-2020-12' && target !== 'draft-07')
    throw new RondoError('ConfigInvalid', `jsonSchema() converts to 'draft-2020-12' and 'draft-07', not to '${target}'`)
  const schema = source === true ? {} : source === false ? { not: {} } : source
  const change = target === 'draft-2020-12' ? toNew(draft) : toOld(draft)
  const converted: Json = change === undefined ? schema : rewrite(schema, change, '#')
  const copy: unknown = JSON.parse(JSON.stringify(converted))
  const root: Record<string, unknown> = isJsonObject(copy) ? { ...copy } : {}
  if (root.$schema !== undefined) root.$schema = dialects[target]
  return root
}

function toNew(draft: Draft): Change | undefined {
  if (draft === '2020-12') return undefined
  return (schema, place) => {
    const { items, additionalItems, dependencies, ...rest } = olderSpelling(schema, draft)
    if (typeof rest.$ref === 'string' && /\/(?:additionalItems|dependencies|items\/\d+)(?:\/|$)/.test(rest.$ref))
      throw unconvertible(`${place}/$ref leads through a keyword that draft 2020-12 spells otherwise`)
    const tuple = Array.isArray(items)
    return {
      ...rest,
      ...(items === undefined ? {} : { [tuple ? 'prefixItems' : 'items']: items }),
      ...(tuple && additionalItems !== undefined ? { items: additionalItems } : {}),
      ...splitDependencies(dependencies),
    }
  }
}

/** Draft-04's words, and what older drafts ignore beside a `$ref`. */
function olderSpelling(schema: JsonObject, draft: Draft): JsonObject {
  if (draft === '2019-09') return schema
  if (schema.$ref !== undefined) {
    const { $ref, $schema, definitions, $defs } = schema
    return { $ref, $schema, definitions, $defs }
  }
  if (draft !== '4') return schema
  const { id, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  return {
    ...rest,
    ...(id === undefined ? {} : { $id: id }),
    ...(minimum === undefined ? {} : { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum === undefined ? {} : { [exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
  }
}

function splitDependencies(dependencies: Json | undefined): JsonObject {
  if (!isJsonObject(dependencies)) return {}
  const entries = Object.entries(dependencies)
  const required = Object.fromEntries(entries.filter(([, one]) => Array.isArray(one)))
  const schemas = Object.fromEntries(entries.filter(([, one]) => !Array.isArray(one)))
  return {
    ...(Object.keys(required).length === 0 ? {} : { dependentRequired: required }),
    ...(Object.keys(schemas).length === 0 ? {} : { dependentSchemas: schemas }),
  }
}

function toOld(draft: Draft): Change | undefined {
  if (draft === '7') return undefined
  if (draft === '4') return (schema) => olderSpelling(schema, '4')
  return (schema, place) => {
    const newer = Object.keys(schema).find((word) => newerThan07.has(word))
    if (newer !== undefined) throw unconvertible(`${place}/${newer} is unknown to draft-07`)
    const beside = schema.$ref === undefined ? undefined : Object.keys(schema).find((word) => word !== '$defs' && keywords.has(word))
    if (beside !== undefined) throw unconvertible(`${place}/${beside} stands beside a '$ref', where draft-07 ignores it`)
    return schema
  }
}

function unconvertible(why: string): RondoError {
  return new RondoError('ConfigInvalid', `jsonSchema(): ${why}`)
}

function rewrite(schema: JsonObject, change: Change, place: string): JsonObject {
  const result: Record<string, Json | undefined> = {}
  for (const [word, value] of Object.entries(change(schema, place))) result[word] = rewriteValue(word, value, change, `${place}/${word}`)
  return result
}

function rewriteValue(word: string, value: Json | undefined, change: Change, place: string): Json | undefined {
  const one = (member: Json | undefined, at: string) => (isJsonObject(member) ? rewrite(member, change, at) : member)
  const kind = keywords.get(word)
  if (value === undefined || kind === undefined) return value
  if ((kind === 'schemas' || kind === 'items') && Array.isArray(value))
    return value.map((item: Json, i) => one(item, `${place}/${i}`) ?? item)
  if ((kind === 'schema' || kind === 'items') && isSchemaShaped(value)) return one(value, place)
  if ((kind === 'schema-map' || kind === 'regex-map' || kind === 'dependencies') && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, one(member, `${place}/${escapePointer(key)}`)]))
  return value
}
