import { type Check, integer, number, object } from '../checks.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { checkMessages } from './messages.ts'
import type { OllamaRules } from './quirks.ts'
import { unmarshal } from './unmarshal.ts'

const string = (value: unknown) => typeof value === 'string'
const bool = (value: unknown) => typeof value === 'boolean'

/** The fields of `POST /api/chat`, what they are in Go, and whether a value is that. https://docs.ollama.com/api/chat */
const fields: { readonly [field: string]: readonly [type: string, fits: (value: unknown) => boolean] } = {
  model: ['string', string],
  messages: ['[]api.Message', Array.isArray],
  stream: ['bool', bool],
  format: ['json.RawMessage', (value) => value === 'json' || value === '' || isObject(value)],
  keep_alive: [
    'api.Duration',
    (value) => typeof value === 'number' || (typeof value === 'string' && /^-?(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+$/.test(value)),
  ],
  tools: ['api.Tools', Array.isArray],
  options: ['map[string]interface {}', isObject],
  think: ['api.ThinkValue', () => true],
  truncate: ['bool', bool],
  shift: ['bool', bool],
  logprobs: ['bool', bool],
  top_logprobs: ['int', Number.isSafeInteger],
}

const positive = integer(0)
const any = number(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
const stops: Check = (value) => (Array.isArray(value) && value.every(string) ? undefined : 'of type array')

/** https://docs.ollama.com/modelfile#valid-parameters-and-values */
const options: { readonly [name: string]: Check } = {
  num_ctx: integer(1),
  num_predict: integer(-2),
  num_keep: integer(-1),
  num_batch: positive,
  num_gpu: integer(-1),
  main_gpu: positive,
  num_thread: positive,
  temperature: number(0, 10),
  top_p: number(0, 1),
  top_k: positive,
  min_p: number(0, 1),
  typical_p: number(0, 1),
  repeat_last_n: integer(-1),
  repeat_penalty: any,
  presence_penalty: any,
  frequency_penalty: any,
  seed: integer(Number.MIN_SAFE_INTEGER),
  stop: stops,
  use_mmap: (value) => (bool(value) ? undefined : 'of type boolean'),
}

export function* checkBody(body: JsonObject, rules: OllamaRules): Iterable<Violation> {
  for (const [field, value] of Object.entries(body)) {
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (known === undefined) {
      if (rules.extraFields?.includes(field) !== true) yield violation('field', field, `json: unknown field "${field}"`)
    } else if (!known[1](value)) yield unmarshal(value, field, known[0])
  }
  if (body['model'] === undefined || body['model'] === '') yield violation('model', 'model', 'model is required')
  yield* checkThink(body['think'])
  if (isObject(body['options'])) yield* checkOptions(body['options'], rules)
  yield* checkTools(body['tools'])
  yield* checkMessages(body['messages'])
}

function* checkThink(think: unknown): Iterable<Violation> {
  if (think === undefined || typeof think === 'boolean' || (typeof think === 'string' && ['high', 'medium', 'low'].includes(think))) return
  yield violation('think', 'think', `invalid think value: ${JSON.stringify(think)} (must be "high", "medium", "low", true, or false)`)
}

function* checkOptions(given: JsonObject, { extraOptions = [] }: OllamaRules): Iterable<Violation> {
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(options, name) ? options[name] : undefined
    const wanted = check?.(value)
    if (check === undefined && !extraOptions.includes(name))
      yield violation('option', `options.${name}`, `invalid option provided: "${name}"`)
    if (wanted !== undefined) yield violation('option', `options.${name}`, `option "${name}" must be ${wanted}`)
  }
}

function* checkTools(tools: unknown): Iterable<Violation> {
  const names = new Set<unknown>()
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const path = `tools[${index}]`
    const { type, function: definition, ...rest } = isObject(tool) ? tool : {}
    if (type !== 'function' || !isObject(definition)) {
      yield unmarshal(tool, path, 'api.Tool')
      continue
    }
    const { name, description, parameters, ...others } = definition
    for (const field of [...Object.keys(rest), ...Object.keys(others)]) yield violation('field', path, `json: unknown field "${field}"`)
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      yield violation('tool-name', path, `invalid tool name ${JSON.stringify(name)}`)
    if (names.has(name)) yield violation('tool-name', path, `duplicate tool name ${JSON.stringify(name)}`)
    names.add(name)
    if (description !== undefined && !string(description)) yield unmarshal(description, `${path}.function.description`, 'string')
    if (object(parameters) !== undefined || Object(parameters)['type'] !== 'object')
      yield unmarshal(parameters, `${path}.function.parameters`, 'api.ToolFunctionParameters')
    else yield* checkSchema(parameters, `${path}.function.parameters`)
  }
}

/** What the server reads of a schema, in the types of its own. */
const schemaFields: readonly string[] = ['type', 'description', 'properties', 'required', 'items', 'enum', 'anyOf', '$defs']

function* checkSchema(schema: unknown, path: string): Iterable<Violation> {
  if (!isObject(schema)) return
  for (const field of Object.keys(schema))
    if (!schemaFields.includes(field)) yield violation('schema', path, `the model is not shown "${field}" of ${path}`)
  const { properties, items, anyOf } = schema
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {}))
    yield* checkSchema(inner, `${path}.properties.${name}`)
  for (const [index, inner] of (Array.isArray(anyOf) ? anyOf : []).entries()) yield* checkSchema(inner, `${path}.anyOf[${index}]`)
  yield* checkSchema(items, `${path}.items`)
}
