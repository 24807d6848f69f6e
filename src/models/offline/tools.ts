import type { Json, JsonObject } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import type { ToolCallPart } from '../../core/message.ts'
import type { ModelRequest } from '../../core/model.ts'

/** What the planner can make use of, whatever the tool that does it is called. */
export type Capability = 'list' | 'find' | 'read' | 'search' | 'info'

/** What the planner wants to say to a tool, in its own words; a tool's schema says what they are called there. */
export interface Wish {
  readonly path?: string
  readonly glob?: string
  readonly pattern?: string
  readonly regex?: boolean
  readonly ignoreCase?: boolean
  readonly sort?: 'path' | 'size'
  readonly depth?: number
  readonly limit?: number
  readonly fromLine?: number
  readonly lines?: number
}

export interface ToolSpec {
  readonly name: string
  readonly properties: JsonObject
  readonly required: readonly string[]
}

interface CapabilityWords {
  /** The built-in tool that does it: tried first, and named when there is none. */
  readonly usual: string
  readonly words: readonly string[]
  readonly needs: readonly (keyof Wish)[]
  readonly does: string
}

export const capabilities: { readonly [C in Capability]: CapabilityWords } = {
  list: { usual: 'list_files', words: ['list', 'ls'], needs: ['path'], does: 'lists a folder' },
  find: { usual: 'find_files', words: ['find', 'glob'], needs: ['glob'], does: 'finds files by a glob' },
  read: { usual: 'read_file', words: ['read', 'cat'], needs: ['path'], does: 'reads a file' },
  search: { usual: 'search_text', words: ['search', 'grep'], needs: ['pattern'], does: 'searches text in files' },
  info: { usual: 'file_info', words: ['info', 'stat'], needs: ['path'], does: 'tells the size of a file' },
}

const propertyNames: { readonly [W in keyof Wish]-?: readonly string[] } = {
  pattern: ['pattern', 'query', 'text', 'regex'],
  path: ['path', 'file', 'filePath', 'file_path', 'directory', 'dir', 'folder'],
  glob: ['glob', 'pattern', 'include'],
  regex: ['regex', 'isRegex', 'regexp'],
  ignoreCase: ['ignoreCase', 'ignore_case', 'caseInsensitive'],
  sort: ['sort', 'sortBy'],
  depth: ['depth', 'maxDepth', 'max_depth'],
  limit: ['limit', 'maxResults', 'max_results'],
  fromLine: ['fromLine', 'from_line', 'startLine', 'start_line'],
  lines: ['lines', 'lineCount', 'maxLines'],
}

// `pattern` before `glob`: a search tool's `pattern` is what it searches for, a find tool's is the glob.
const wishKeys = ['pattern', 'path', 'glob', 'regex', 'ignoreCase', 'sort', 'depth', 'limit', 'fromLine', 'lines'] as const

/** Without these the call would mean something else. The others only say how much, or in which order. */
const essential: ReadonlySet<string> = new Set(['path', 'glob', 'pattern', 'regex', 'ignoreCase', 'fromLine'])

/** The tools that may be called now and change nothing. */
export function callableTools(request: ModelRequest): readonly ToolSpec[] {
  if (request.toolChoice === 'none') return []
  const only = typeof request.toolChoice === 'object' ? request.toolChoice.tool : undefined
  return request.tools.flatMap((tool) => {
    if (!('inputJsonSchema' in tool) || tool.effect !== 'read' || (only !== undefined && tool.name !== only)) return []
    const schema = isJsonObject(tool.inputJsonSchema) ? tool.inputJsonSchema : {}
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? schema['required'].filter((one): one is string => typeof one === 'string') : []
    return [{ name: tool.name, properties, required }]
  })
}

export interface Match {
  readonly toolName: string
  readonly input: JsonObject
  /** The tool takes all that was wished for, the unessential too. */
  readonly whole: boolean
}

/** The tool for a wish and its arguments: the built-in one, else one whose name has the word and whose schema takes them all. */
export function matchTool(tools: readonly ToolSpec[], capability: Capability, wish: Wish): Match | undefined {
  const { usual, words } = capabilities[capability]
  const named = tools.filter((tool) => tool.name === usual)
  const alike = tools.filter((tool) => tool.name !== usual && wordsOf(tool.name).some((word) => words.includes(word)))
  for (const tool of [...named, ...alike]) {
    const match = argumentsFor(tool, capability, wish)
    if (match !== undefined) return match
  }
  return undefined
}

/** Whether a call was made for a wish. How much was asked for does not count: a schema may have cut it to its maximum. */
export function answersWish(call: ToolCallPart, capability: Capability, wish: Wish): boolean {
  const { usual, words } = capabilities[capability]
  if (call.toolName !== usual && !wordsOf(call.toolName).some((word) => words.includes(word))) return false
  const input = isJsonObject(call.input) ? call.input : {}
  const said = new Set<string>()
  for (const key of wishKeys) {
    const name = propertyNames[key].find((one) => Object.hasOwn(input, one) && !said.has(one))
    const value = name === undefined ? undefined : input[name]
    if (name !== undefined) said.add(name)
    if (key === 'limit' || key === 'depth' || (key === 'sort' && value === undefined)) continue
    if (key === 'lines' && (value === undefined) === (wish.lines === undefined)) continue
    if (key === 'path' && (value ?? '.') === (wish.path ?? '.')) continue
    if (value !== (wish[key] === false ? undefined : wish[key])) return false
  }
  return true
}

export function hasTool(tools: readonly ToolSpec[], capability: Capability): boolean {
  const wish = Object.fromEntries(capabilities[capability].needs.map((key) => [key, '.']))
  return matchTool(tools, capability, wish) !== undefined
}

/** `readFile`, `fs__read_file` and `read-file` all have the word `read`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
}

function argumentsFor(tool: ToolSpec, capability: Capability, wish: Wish): Match | undefined {
  let whole = true
  const input: { [name: string]: Json } = {}
  const { needs } = capabilities[capability]
  if (needs.some((key) => propertyOf(tool, key, {}) === undefined)) return undefined
  for (const key of wishKeys) {
    const value = wish[key]
    if (value === undefined || value === false) continue
    const property = propertyOf(tool, key, input)
    const fitted = property === undefined ? undefined : fit(value, tool.properties[property])
    if (property !== undefined && fitted !== undefined) input[property] = fitted
    else if (essential.has(key)) return undefined
    else whole = false
  }
  const path = propertyOf(tool, 'path', input)
  if (path !== undefined && tool.required.includes(path)) input[path] = '.'
  return tool.required.every((name) => Object.hasOwn(input, name)) ? { toolName: tool.name, input, whole } : undefined
}

function propertyOf(tool: ToolSpec, key: keyof Wish, taken: JsonObject): string | undefined {
  return propertyNames[key].find((name) => Object.hasOwn(tool.properties, name) && !Object.hasOwn(taken, name))
}

/** The value within what the schema allows; `undefined` when it can't say it. */
function fit(value: string | number | boolean, schema: Json | undefined): Json | undefined {
  if (!isJsonObject(schema)) return value
  const choices = schema['enum']
  if (Array.isArray(choices)) return choices.includes(value) ? value : undefined
  if (typeof value !== 'number') return schema['type'] === undefined || schema['type'] === typeof value ? value : undefined
  const { minimum, maximum } = schema
  const floor = typeof minimum === 'number' ? Math.max(value, minimum) : value
  return typeof maximum === 'number' ? Math.min(floor, maximum) : floor
}
