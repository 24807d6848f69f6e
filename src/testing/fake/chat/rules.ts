import { array, boolean, type Check, integer, number, object, oneOf, stop, text } from '../checks.ts'
import { checkName, checkToolCount, unknownField } from '../openai.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import type { ChatRules } from './chat-rules.ts'
import { checkMessages } from './messages.ts'
import { checkSchema } from './schema.ts'

/** The fields of `POST /chat/completions`, without the deprecated ones. */
const fields: { readonly [field: string]: Check } = {
  audio: object,
  frequency_penalty: number(-2, 2),
  logit_bias: object,
  logprobs: boolean,
  max_completion_tokens: integer(1),
  max_tokens: integer(1),
  messages: array,
  metadata: object,
  modalities: array,
  model: text,
  n: integer(1),
  parallel_tool_calls: boolean,
  prediction: object,
  presence_penalty: number(-2, 2),
  prompt_cache_key: text,
  prompt_cache_retention: text,
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
  response_format: object,
  safety_identifier: text,
  seed: integer(Number.MIN_SAFE_INTEGER),
  service_tier: text,
  stop,
  store: boolean,
  stream: boolean,
  stream_options: object,
  temperature: number(0, 2),
  tool_choice: (value) => (typeof value === 'string' || isObject(value) ? undefined : 'a string or an object'),
  tools: array,
  top_logprobs: integer(0),
  top_p: number(0, 1),
  user: text,
  verbosity: oneOf('low', 'medium', 'high'),
  web_search_options: object,
}

export function* checkBody(body: JsonObject, options: ChatRules): Iterable<Violation> {
  for (const [field, value] of Object.entries(body)) {
    const check = fields[field]
    const wanted = value === null ? undefined : check?.(value)
    if (check === undefined && options.extraFields?.includes(field) !== true)
      yield violation('field', field, `Unrecognized request argument supplied: ${field}`)
    if (wanted !== undefined) yield violation('type', field, `Invalid type for '${field}': expected ${wanted}.`, 'invalid_type')
  }
  if (body['model'] === undefined) yield violation('model', 'model', 'you must provide a model parameter')
  yield* checkOptions(body)
  yield* checkTools(body, options)
  yield* checkFormat(body['response_format'], options)
  yield* checkMessages(body['messages'], options)
}

function* checkOptions(body: JsonObject): Iterable<Violation> {
  if (body['stream_options'] !== undefined && body['stream'] !== true)
    yield violation('option', 'stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  if (body['max_tokens'] !== undefined && body['max_completion_tokens'] !== undefined)
    yield violation('option', null, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
  for (const field of ['tool_choice', 'parallel_tool_calls'])
    if (body[field] !== undefined && body['tools'] === undefined)
      yield violation('tool-choice', field, `${field} was set on the request but no tools were specified`)
}

function* checkTools({ tools, tool_choice: choice }: JsonObject, options: ChatRules): Iterable<Violation> {
  if (!Array.isArray(tools)) return
  if (tools.length === 0)
    yield violation('tool-count', 'tools', "Invalid 'tools': empty array. Expected an array with minimum length 1.", 'empty_array')
  yield* checkToolCount(tools)
  const names = tools.map((tool: unknown) => (isObject(tool) ? nameIn(tool) : undefined))
  for (const [index, tool] of tools.entries()) {
    yield* checkTool(tool, `tools[${index}]`, options)
    if (names.indexOf(names[index]) !== index)
      yield violation('tool-name', `tools[${index}].function.name`, `Tool names must be unique: '${String(names[index])}'.`)
  }
  yield* checkChoice(choice, names)
}

/** Of a function, or of a custom tool. */
function nameIn(tool: JsonObject): unknown {
  const { type } = tool
  const named = type === 'function' || type === 'custom' ? tool[type] : undefined
  return isObject(named) ? named['name'] : undefined
}

function* checkTool(tool: unknown, path: string, options: ChatRules): Iterable<Violation> {
  if (isObject(tool) && tool['type'] === 'custom' && isObject(tool['custom']))
    return yield* checkName(tool['custom']['name'], `${path}.custom.name`)
  const { type, function: definition, ...rest } = isObject(tool) ? tool : {}
  if (type !== 'function' || !isObject(definition))
    return yield violation('type', path, `Invalid value for '${path}': expected a tool of type 'function'.`)
  const { name, description, parameters, strict, ...others } = definition
  for (const field of [...Object.keys(rest), ...Object.keys(others)]) yield unknownField(`${path}.${field}`)
  yield* checkName(name, `${path}.function.name`)
  if (description !== undefined && typeof description !== 'string')
    yield violation('type', path, `Invalid type for '${path}.function.description'.`, 'invalid_type')
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    yield violation('type', path, `Invalid type for '${path}.function.strict'.`, 'invalid_type')
  const isStrict = strict === true || options.strictSchemas === 'always'
  if (parameters !== undefined) yield* checkSchema(parameters, `function '${String(name)}'`, `${path}.function.parameters`, isStrict)
}

function* checkChoice(choice: unknown, names: readonly unknown[]): Iterable<Violation> {
  if (choice === undefined || choice === 'none' || choice === 'auto' || choice === 'required') return
  const named = isObject(choice) ? nameIn(choice) : undefined
  if (named === undefined)
    yield violation(
      'tool-choice',
      'tool_choice',
      "Invalid value: 'tool_choice'. Supported values are: 'none', 'auto', and 'required'.",
      'invalid_value',
    )
  else if (!names.includes(named))
    yield violation('tool-choice', 'tool_choice', `Tool choice '${String(named)}' not found in 'tools' parameter.`)
}

function* checkFormat(format: unknown, options: ChatRules): Iterable<Violation> {
  if (!isObject(format) || format['type'] === 'text' || format['type'] === 'json_object') return
  const schema = format['json_schema']
  if (format['type'] !== 'json_schema' || !isObject(schema))
    return yield violation(
      'format',
      'response_format',
      "Invalid value: 'response_format'. Supported values are: 'text', 'json_object', and 'json_schema'.",
      'invalid_value',
    )
  yield* checkName(schema['name'], 'response_format.json_schema.name')
  const isStrict = schema['strict'] === true || options.strictSchemas === 'always'
  yield* checkSchema(schema['schema'], 'response_format', 'response_format.json_schema.schema', isStrict)
}
