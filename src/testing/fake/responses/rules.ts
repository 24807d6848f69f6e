import { checkSchema } from '../chat/schema.ts'
import { array, boolean, type Check, integer, number, object, oneOf, text } from '../checks.ts'
import { checkName, checkToolCount, unknownField } from '../openai.ts'
import type { FakeHead } from '../server.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { checkInput } from './input.ts'
import type { ResponsesRules } from './quirks.ts'

/** The fields of `POST /responses`. */
const fields: { readonly [field: string]: Check } = {
  background: boolean,
  context_management: array,
  conversation: (value) => (typeof value === 'string' || isObject(value) ? undefined : 'a string or an object'),
  include: array,
  input: (value) => (typeof value === 'string' || Array.isArray(value) ? undefined : 'a string or an array'),
  instructions: text,
  max_output_tokens: integer(16),
  max_tool_calls: integer(1),
  metadata: object,
  model: text,
  parallel_tool_calls: boolean,
  previous_response_id: text,
  prompt: object,
  prompt_cache_key: (value) => (typeof value === 'string' && value.length <= 64 ? undefined : 'a string of at most 64 characters'),
  prompt_cache_retention: text,
  reasoning: object,
  safety_identifier: text,
  service_tier: text,
  store: boolean,
  stream: boolean,
  stream_options: object,
  temperature: number(0, 2),
  text: object,
  tool_choice: (value) => (typeof value === 'string' || isObject(value) ? undefined : 'a string or an object'),
  tools: array,
  top_logprobs: integer(0),
  top_p: number(0, 1),
  truncation: oneOf('auto', 'disabled'),
  user: text,
}

const includables: readonly unknown[] = [
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
  'web_search_call.results',
]

const reasoningFields: { readonly [field: string]: Check } = {
  effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
  summary: oneOf('auto', 'concise', 'detailed'),
  context: text,
  mode: text,
}

export function* checkBody(body: JsonObject, rules: ResponsesRules, _head: FakeHead): Iterable<Violation> {
  for (const [field, value] of Object.entries(body)) {
    const check = fields[field]
    if (check === undefined && rules.extraFields?.includes(field) !== true) yield unknownField(field)
    const wanted = value === null ? undefined : check?.(value)
    if (wanted !== undefined) yield violation('type', field, `Invalid type for '${field}': expected ${wanted}.`, 'invalid_type')
  }
  if (body['model'] === undefined) yield violation('model', 'model', "Missing required parameter: 'model'.", 'missing_required_parameter')
  yield* checkOptions(body)
  yield* checkTools(body)
  yield* checkFormat(body['text'])
  const { previous_response_id: previous } = body
  if (typeof previous === 'string' && rules.kept?.includes(previous) === false)
    yield violation('previous', 'previous_response_id', `Previous response with id '${previous}' not found.`, 'previous_response_not_found')
  if (typeof previous === 'string' && rules.keepsNothing === true)
    yield violation(
      'previous',
      'previous_response_id',
      'Previous response cannot be used for this organization due to Zero Data Retention.',
    )
  yield* checkInput(body, rules)
}

function* checkOptions(body: JsonObject): Iterable<Violation> {
  if (body['stream_options'] !== undefined && body['stream'] !== true)
    yield violation('option', 'stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  if (body['tool_choice'] !== undefined && body['tools'] === undefined)
    yield violation('tool-choice', 'tool_choice', 'tool_choice was set on the request but no tools were specified')
  const { include, reasoning } = body
  for (const one of Array.isArray(include) ? include : [])
    if (!includables.includes(one)) yield violation('option', 'include', `Invalid value: '${String(one)}'.`, 'invalid_value')
  for (const [field, value] of Object.entries(isObject(reasoning) ? reasoning : {})) {
    const check = reasoningFields[field]
    const wanted = value === null ? undefined : check?.(value)
    if (check === undefined) yield unknownField(`reasoning.${field}`)
    if (wanted !== undefined) yield violation('type', `reasoning.${field}`, `Invalid value for 'reasoning.${field}': expected ${wanted}.`)
  }
}

function* checkTools({ tools, tool_choice: choice }: JsonObject): Iterable<Violation> {
  if (!Array.isArray(tools)) return
  yield* checkToolCount(tools)
  const names = tools.map((tool: unknown) => (isObject(tool) ? (tool['name'] ?? tool['type']) : undefined))
  for (const [index, tool] of tools.entries()) {
    yield* checkTool(tool, `tools[${index}]`)
    if (names.indexOf(names[index]) !== index && isObject(tool) && tool['type'] !== 'mcp')
      yield violation('tool-name', `tools[${index}].name`, `Tool names must be unique: '${String(names[index])}'.`)
  }
  if (isObject(choice) && !names.includes(choice['name'] ?? choice['type']))
    yield violation('tool-choice', 'tool_choice', `Tool choice '${String(choice['name'])}' not found in 'tools' parameter.`)
}

function* checkTool(tool: unknown, path: string): Iterable<Violation> {
  if (!isObject(tool) || typeof tool['type'] !== 'string')
    return yield violation('type', path, `Invalid type for '${path}': expected a tool.`, 'invalid_type')
  if (tool['type'] !== 'function') return
  const { type: _, name, description, parameters, strict, ...others } = tool
  for (const field of Object.keys(others))
    if (!['defer_loading', 'allowed_callers', 'output_schema'].includes(field)) yield unknownField(`${path}.${field}`)
  yield* checkName(name, `${path}.name`)
  if (description !== undefined && typeof description !== 'string')
    yield violation('type', path, `Invalid type for '${path}.description'.`, 'invalid_type')
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    yield violation('type', path, `Invalid type for '${path}.strict': expected a boolean.`, 'invalid_type')
  // Where nothing is said of it, the API makes the schema strict itself if it can.
  yield* checkSchema(parameters, `function '${String(name)}'`, `${path}.parameters`, strict === true)
}

function* checkFormat(text: unknown): Iterable<Violation> {
  const format = isObject(text) ? text['format'] : undefined
  if (!isObject(format) || format['type'] === 'text' || format['type'] === 'json_object') return
  if (format['type'] !== 'json_schema')
    return yield violation('format', 'text.format.type', `Invalid value: '${String(format['type'])}'.`, 'invalid_value')
  yield* checkName(format['name'], 'text.format.name')
  yield* checkSchema(format['schema'], `response_format '${String(format['name'])}'`, 'text.format.schema', format['strict'] === true)
}
