import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { unmarshal } from './unmarshal.ts'

const roles: readonly string[] = ['system', 'user', 'assistant', 'tool']

/** The fields of a message, and those that only one role has. */
const fields: { readonly [field: string]: readonly string[] } = {
  role: roles,
  content: roles,
  images: ['user', 'tool'],
  thinking: ['assistant'],
  tool_calls: ['assistant'],
  tool_name: ['tool'],
  tool_call_id: ['tool'],
}

export function* checkMessages(messages: unknown): Iterable<Violation> {
  if (!Array.isArray(messages)) return
  for (const [index, message] of messages.entries()) {
    if (isObject(message)) yield* checkMessage(message, `messages[${index}]`)
    else yield unmarshal(message, `messages[${index}]`, 'api.Message')
  }
  yield* checkPairs(messages.filter(isObject))
}

function* checkMessage(message: JsonObject, path: string): Iterable<Violation> {
  const { role, content, images, thinking, tool_calls: calls } = message
  if (typeof role !== 'string' || !roles.includes(role))
    return yield violation('role', path, `invalid role: ${JSON.stringify(role)} (must be "system", "user", "assistant" or "tool")`)
  for (const field of Object.keys(message))
    if (!Object.hasOwn(fields, field) || fields[field]?.includes(role) !== true)
      yield violation('field', path, `json: unknown field "${field}" of a message of role "${role}"`)
  if (typeof content !== 'string') yield unmarshal(content, `${path}.content`, 'string')
  if (thinking !== undefined && typeof thinking !== 'string') yield unmarshal(thinking, `${path}.thinking`, 'string')
  if (images !== undefined && !Array.isArray(images)) yield unmarshal(images, `${path}.images`, '[]api.ImageData')
  for (const image of Array.isArray(images) ? images : [])
    if (typeof image !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(image))
      yield violation('images', path, 'illegal base64 data at input byte 4')
  if (calls !== undefined && !(Array.isArray(calls) && calls.length > 0)) yield unmarshal(calls, `${path}.tool_calls`, '[]api.ToolCall')
  for (const [index, call] of (Array.isArray(calls) ? calls : []).entries()) yield* checkCall(call, `${path}.tool_calls[${index}]`)
}

function* checkCall(call: unknown, path: string): Iterable<Violation> {
  const { id, type: _type, function: named, ...rest } = isObject(call) ? call : {}
  if (!isObject(named)) return yield unmarshal(call, path, 'api.ToolCall')
  const { index: _index, name, arguments: args, ...others } = named
  for (const field of [...Object.keys(rest), ...Object.keys(others)]) yield violation('field', path, `json: unknown field "${field}"`)
  if (id !== undefined && typeof id !== 'string') yield unmarshal(id, `${path}.id`, 'string')
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    yield violation('tool-name', path, `invalid tool name ${JSON.stringify(name)}`)
  if (!isObject(args)) yield unmarshal(args, `${path}.function.arguments`, 'api.ToolCallFunctionArguments')
}

/** Each call is answered by a tool message of its name, in the order of the calls, directly behind the turn that made them. */
function* checkPairs(messages: readonly JsonObject[]): Iterable<Violation> {
  let open: JsonObject[] = []
  const unanswered = (at: string) => violation('pairing', at, `${open.length} tool calls have no tool message before ${at}`)
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (message['role'] !== 'tool') {
      if (open.length > 0) yield unanswered(path)
      open = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isObject) : []
      continue
    }
    const call = open.shift()
    const name = Object(call?.['function'])['name']
    const { tool_name: told, tool_call_id: id } = message
    if (call === undefined) yield violation('pairing', path, `${path} is a tool message without a tool call`)
    else if (told !== name)
      yield violation('pairing', path, `${path} is a result of "${String(told)}" and stands where that of "${name}" is due`)
    else if (id !== undefined && call['id'] !== undefined && id !== call['id'])
      yield violation('ids', path, `${path} answers another tool call than its tool_call_id says`)
  }
  if (open.length > 0) yield unanswered('the end')
}
