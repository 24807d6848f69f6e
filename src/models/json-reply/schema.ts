import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { Tool } from '../../core/tool.ts'

/** What a reply may be, as parts of a request say it. */
export interface ReplyParts {
  readonly tools: readonly Tool[]
  readonly toolChoice: ModelRequest['toolChoice']
  readonly outputSchema: Json | undefined
  readonly thoughts: boolean
}

/**
 * The reply as a JSON Schema: for a model that can be held to one. `object`: one object with all keys, of which `response` may be null and the
 * list of calls empty, for providers that take no alternatives at the root. `alternatives`: either calls or an answer.
 */
export function replySchema(parts: ReplyParts, root: 'object' | 'alternatives'): JsonObject {
  const defs: { [name: string]: Json } = {}
  const { tools, toolChoice } = parts
  const calls = allowed(tools, toolChoice).map((tool, index): Json => {
    const input = hoisted(tool.inputJsonSchema, `t${index}`, defs)
    return objectOf({ name: { const: tool.name }, input })
  })
  const answer = parts.outputSchema === undefined ? { type: 'string' } : hoisted(parts.outputSchema, 'output', defs)
  const mayAnswer = toolChoice === 'auto' || toolChoice === 'none' || calls.length === 0
  const thought: JsonObject = parts.thoughts ? { thought: { type: 'string' } } : {}
  const anyCall: Json = calls.length === 1 ? (calls[0] ?? {}) : { anyOf: calls }
  const list = (least: number): Json => ({ type: 'array', items: anyCall, ...(least === 0 ? {} : { minItems: least }) })
  const said: JsonObject = { ...thought, response: answer }
  const $defs = Object.keys(defs).length === 0 ? {} : { $defs: defs }
  if (calls.length === 0) return { ...objectOf(said), ...$defs }
  if (!mayAnswer) return { ...objectOf({ ...thought, tool_calls: list(1) }), ...$defs }
  if (root === 'alternatives') return { oneOf: [objectOf({ ...thought, tool_calls: list(1) }), objectOf(said)], ...$defs }
  return { ...objectOf({ ...thought, tool_calls: list(0), response: { anyOf: [answer, { type: 'null' }] } }), ...$defs }
}

/** The tools that a choice leaves. */
export function allowed(tools: readonly Tool[], toolChoice: ModelRequest['toolChoice']): readonly Tool[] {
  if (toolChoice === 'none') return []
  return typeof toolChoice === 'string' ? tools : tools.filter(({ name }) => name === toolChoice.tool)
}

function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** What holds values, not schemas. */
const valueWords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'])
/** What holds schemas by names that are the user's. */
const mapWords: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])

/**
 * A schema as a part of another one: what it defines, and itself where it refers to itself, stands under names of its own in the `$defs` of
 * the whole. One that names itself by `$id` is any object here: what it refers to can't be told from outside.
 */
function hoisted(schema: Json, prefix: string, defs: { [name: string]: Json }): Json {
  if (!isJsonObject(schema)) return schema
  if (schema['$id'] !== undefined) return { type: 'object' }
  const { $schema: _dialect, $defs: own, definitions, ...rest } = schema
  let usesRoot = false
  const referred = (ref: string): string => {
    const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1]
    if (name !== undefined) return `#/$defs/${prefix}_${name}`
    usesRoot = true
    return `#/$defs/${prefix}`
  }
  const moved = (value: Json | undefined): Json | undefined => {
    if (Array.isArray(value)) return value.map((item: Json) => moved(item) ?? null)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([word, inner]): [string, Json | undefined] => {
        if (valueWords.has(word)) return [word, inner]
        if (word === '$ref' && typeof inner === 'string') return [word, referred(inner)]
        if (mapWords.has(word) && isJsonObject(inner)) return [word, mapped(inner, moved)]
        return [word, moved(inner)]
      }),
    )
  }
  for (const group of [definitions, own])
    if (isJsonObject(group)) for (const [name, inner] of Object.entries(group)) defs[`${prefix}_${name}`] = moved(inner) ?? {}
  const main = moved(rest) ?? {}
  if (!usesRoot) return main
  defs[prefix] = main
  return { $ref: `#/$defs/${prefix}` }
}

function mapped(schemas: JsonObject, change: (schema: Json | undefined) => Json | undefined): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))
}
