import { array, boolean, type Check, integer, number, object, text } from '../checks.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { checkMessages } from './messages.ts'
import type { MessagesRules } from './messages-rules.ts'

const texts: Check = (value) => (Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'a list of strings')
const system: Check = (value) => (typeof value === 'string' || Array.isArray(value) ? undefined : 'a string or a list')

/** The fields of `POST /v1/messages`. */
const fields: { readonly [field: string]: Check } = {
  anthropic_version: text,
  cache_control: object,
  container: (value) => (typeof value === 'string' || isObject(value) ? undefined : 'a string or an object'),
  context_management: object,
  fallbacks: (value) => (typeof value === 'string' || Array.isArray(value) ? undefined : 'a string or a list'),
  inference_geo: text,
  max_tokens: integer(1),
  mcp_servers: array,
  messages: array,
  metadata: object,
  model: text,
  output_config: object,
  service_tier: text,
  speed: text,
  stop_sequences: texts,
  stream: boolean,
  system,
  temperature: number(0, 1),
  thinking: object,
  tool_choice: object,
  tools: array,
  top_k: integer(0),
  top_p: number(0, 1),
}

export function* checkBody(body: JsonObject, rules: MessagesRules, isModelInPath: boolean): Iterable<Violation> {
  for (const [field, value] of Object.entries(body)) {
    const check = fields[field]
    if (check === undefined && rules.extraFields?.includes(field) !== true)
      yield violation('field', field, `${field}: Extra inputs are not permitted`)
    const wanted = check?.(value)
    if (wanted !== undefined) yield violation('type', field, `${field}: Input should be ${wanted}`)
  }
  if (body['max_tokens'] === undefined) yield violation('field', 'max_tokens', 'max_tokens: Field required')
  if (isModelInPath) {
    if (body['model'] !== undefined) yield violation('field', 'model', 'model: Extra inputs are not permitted')
    if (body['anthropic_version'] === undefined) yield violation('field', 'anthropic_version', 'anthropic_version: Field required')
  } else if (body['model'] === undefined) yield violation('field', 'model', 'model: Field required')
  yield* checkSystem(body['system'])
  yield* checkTools(body)
  yield* checkThinking(body)
  yield* checkMarks(body)
  yield* checkMessages(body['messages'], rules)
}

function* checkSystem(blocks: unknown): Iterable<Violation> {
  if (!Array.isArray(blocks)) return
  for (const [index, block] of blocks.entries()) {
    const said = isObject(block) && block['type'] === 'text' ? block['text'] : undefined
    if (typeof said !== 'string' || said.trim() === '')
      yield violation('blank', 'system', `system.${index}: text content blocks must contain non-whitespace text`)
  }
}

function* checkTools({ messages, tools, tool_choice: choice }: JsonObject): Iterable<Violation> {
  if (choice !== undefined && !(Array.isArray(tools) && tools.length > 0))
    yield violation('tool-choice', 'tool_choice', 'tool_choice may only be specified while providing tools')
  if (!Array.isArray(tools)) {
    if (hasToolBlocks(messages))
      yield violation('tools', 'tools', 'Requests which include `tool_use` or `tool_result` blocks must define tools.')
    return
  }
  const names = tools.map((tool: unknown) => (isObject(tool) ? tool['name'] : undefined))
  for (const [index, tool] of tools.entries()) {
    const path = `tools.${index}`
    if (!isObject(tool)) yield violation('type', path, `${path}: Input should be an object`)
    else if (tool['type'] === undefined || tool['type'] === 'custom') yield* checkTool(tool, `${path}.custom`)
    if (names[index] !== undefined && names.indexOf(names[index]) !== index)
      yield violation('tool-name', 'tools', 'tools: Tool names must be unique.')
  }
  const { type, name } = isObject(choice) ? choice : {}
  if (choice !== undefined && !['auto', 'any', 'tool', 'none'].includes(String(type)))
    yield violation(
      'tool-choice',
      'tool_choice',
      `tool_choice: Input tag '${String(type)}' found using 'type' does not match any of the expected tags`,
    )
  if (type === 'tool' && !names.includes(name))
    yield violation('tool-choice', 'tool_choice', `tool_choice.name: Tool '${String(name)}' not found in provided tools`)
  if (type === 'none' && isObject(choice) && 'disable_parallel_tool_use' in choice)
    yield violation('field', 'tool_choice', 'tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted')
}

function hasToolBlocks(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false
  const blocks: readonly unknown[] = messages.flatMap((message) => (isObject(message) ? message['content'] : []))
  return blocks.some((block) => isObject(block) && (block['type'] === 'tool_use' || block['type'] === 'tool_result'))
}

const toolFields = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'defer_loading',
  'eager_input_streaming',
  'allowed_callers',
  'input_examples',
])

function* checkTool(tool: JsonObject, path: string): Iterable<Violation> {
  for (const field of Object.keys(tool))
    if (!toolFields.has(field)) yield violation('field', path, `${path}.${field}: Extra inputs are not permitted`)
  const { name, input_schema: schema } = tool
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    yield violation('tool-name', path, `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
  if (!isObject(schema)) return yield violation('schema', path, `${path}.input_schema: Field required`)
  if (schema['type'] !== 'object') yield violation('schema', path, `${path}.input_schema.type: Input should be 'object'`)
  if (['oneOf', 'allOf', 'anyOf'].some((key) => key in schema))
    yield violation('schema', path, `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`)
}

function* checkThinking({ thinking, temperature, tool_choice: choice, max_tokens: max }: JsonObject): Iterable<Violation> {
  if (!isObject(thinking)) return
  const { type, budget_tokens: budget } = thinking
  if (!['enabled', 'disabled', 'adaptive', 'between_tools'].includes(String(type)))
    yield violation(
      'thinking',
      'thinking',
      `thinking: Input tag '${String(type)}' found using 'type' does not match any of the expected tags`,
    )
  if (type !== 'enabled') return
  if (typeof budget !== 'number' || budget < 1024)
    yield violation('thinking', 'thinking', 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
  else if (typeof max === 'number' && budget >= max)
    yield violation('thinking', 'thinking', '`max_tokens` must be greater than `thinking.budget_tokens`')
  if (temperature !== undefined && temperature !== 1)
    yield violation('thinking', 'temperature', '`temperature` may only be set to 1 when thinking is enabled')
  if (isObject(choice) && (choice['type'] === 'any' || choice['type'] === 'tool'))
    yield violation('thinking', 'tool_choice', 'Thinking may not be enabled when tool_choice forces tool use.')
}

function* checkMarks(body: JsonObject): Iterable<Violation> {
  const marks = JSON.stringify(body).split('"cache_control":').length - 1
  if (marks > 4) yield violation('cache', null, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
}
