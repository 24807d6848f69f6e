import { checkName, unknownField } from '../openai.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import type { ChatRules } from './chat-rules.ts'

/** The fields of a message by its role. */
const messageFields: { readonly [role: string]: readonly string[] } = {
  system: ['content', 'name'],
  developer: ['content', 'name'],
  user: ['content', 'name'],
  assistant: ['content', 'name', 'refusal', 'tool_calls', 'audio'],
  tool: ['content', 'tool_call_id'],
}

/** What the content of a role may be made of, and the fields of each part. */
const contentTypes: { readonly [role: string]: readonly string[] } = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
}

/** https://docs.mistral.ai/capabilities/document_ai/document_qna: a `file` there is one of its own, by its id. */
const mistralTypes: typeof contentTypes = { ...contentTypes, user: ['text', 'image_url', 'input_audio', 'document_url'] }

/** "unknown variant `image_url`, expected `text`" */
const deepseekTypes: typeof contentTypes = { ...contentTypes, user: ['text'] }

function typesFor({ mistral, deepseek }: ChatRules): typeof contentTypes {
  return mistral === true ? mistralTypes : deepseek === true ? deepseekTypes : contentTypes
}

const partFields: { readonly [type: string]: readonly string[] } = {
  image_url: ['url', 'detail'],
  input_audio: ['data', 'format'],
  file: ['file_data', 'file_id', 'filename'],
}

export function* checkMessages(messages: unknown, options: ChatRules): Iterable<Violation> {
  if (!Array.isArray(messages) || messages.length === 0) return yield violation('messages', 'messages', "[] is too short - 'messages'")
  const known = messages.filter(isObject)
  for (const [index, message] of messages.entries()) {
    if (isObject(message)) yield* checkMessage(message, `messages[${index}]`, options)
    else yield violation('messages', `messages[${index}]`, `Invalid type for 'messages[${index}]': expected an object.`, 'invalid_type')
  }
  yield* checkPairs(known)
  yield* checkIds(known, options)
  if (options.mistral === true) yield* checkAlternation(known)
}

function* checkMessage(message: JsonObject, path: string, options: ChatRules): Iterable<Violation> {
  const role = String(message['role'])
  const fields = messageFields[role]
  if (fields === undefined)
    return yield violation(
      'role',
      `${path}.role`,
      `Invalid value: '${role}'. Supported values are: '${Object.keys(messageFields).join("', '")}'.`,
      'invalid_value',
    )
  const all = ['role', ...fields, ...(options.extraMessageFields ?? []), ...(options.deepseek === true ? ['reasoning_content'] : [])]
  for (const field of Object.keys(message)) if (!all.includes(field)) yield unknownField(`${path}.${field}`)
  yield* checkContent(message, path, typesFor(options)[role])
  if (role === 'tool' && typeof message['tool_call_id'] !== 'string')
    yield violation('pairing', `${path}.tool_call_id`, `Missing required parameter: '${path}.tool_call_id'.`, 'missing_required_parameter')
  if (role === 'assistant' && message['tool_calls'] !== undefined) yield* checkCalls(message['tool_calls'], path)
  if (options.deepseek === true && role === 'assistant' && typeof message['reasoning_content'] !== 'string')
    yield violation('reasoning', path, `Missing \`reasoning_content\` field in the assistant message at ${path}.`, 'invalid_request_error')
}

function* checkContent(
  { role, content, tool_calls: calls, refusal }: JsonObject,
  path: string,
  types: readonly string[] = [],
): Iterable<Violation> {
  const wrong = (at: string, message: string) => violation('content', at, message, 'invalid_value')
  if (typeof content === 'string') return
  if (content === undefined || content === null) {
    const mayLack = role === 'assistant' && (calls !== undefined || typeof refusal === 'string')
    if (!mayLack) yield wrong(`${path}.content`, `Invalid value for 'content': expected a string, got null.`)
    return
  }
  if (!Array.isArray(content) || content.length === 0)
    return yield wrong(`${path}.content`, `Invalid type for '${path}.content': expected one of a string or a non-empty array of objects.`)
  for (const [index, part] of content.entries()) {
    const at = `${path}.content[${index}]`
    const type = isObject(part) ? String(part['type']) : 'none'
    if (!isObject(part) || !types.includes(type))
      yield wrong(`${at}.type`, `Invalid value: '${type}'. Supported values are: '${types.join("', '")}'.`)
    else yield* checkPart(part, type, at)
  }
}

function* checkPart(part: JsonObject, type: string, path: string): Iterable<Violation> {
  const value = part[type]
  const known = ['type', type, ...(type === 'document_url' ? ['document_name'] : [])]
  for (const field of Object.keys(part)) if (!known.includes(field)) yield unknownField(`${path}.${field}`)
  const inner = partFields[type]
  if (inner === undefined) {
    if (typeof value !== 'string')
      yield violation('content', path, `Missing required parameter: '${path}.${type}'.`, 'missing_required_parameter')
    return
  }
  if (!isObject(value))
    return yield violation('content', path, `Missing required parameter: '${path}.${type}'.`, 'missing_required_parameter')
  for (const field of Object.keys(value)) if (!inner.includes(field)) yield unknownField(`${path}.${type}.${field}`)
  if (type === 'file' && value['file_id'] === undefined && typeof value['filename'] !== 'string')
    yield violation('content', path, `Missing required parameter: '${path}.file.file_id'.`, 'missing_required_parameter')
  if (type === 'file' && value['file_id'] === undefined && !/^data:application\/pdf;base64,./.test(String(value['file_data'])))
    yield violation(
      'content',
      path,
      `Invalid file data: '${path}.file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type.`,
      'invalid_value',
    )
  if (type === 'image_url' && !/^(?:https?:\/\/|data:image\/(?:png|jpeg|gif|webp);base64,.)/.test(String(value['url'])))
    yield violation(
      'content',
      path,
      `Invalid value for '${path}.image_url.url': expected an http(s) URL or a base64 data URL of an image.`,
      'invalid_image_url',
    )
}

function* checkCalls(calls: unknown, path: string): Iterable<Violation> {
  if (!Array.isArray(calls) || calls.length === 0)
    return yield violation('pairing', `${path}.tool_calls`, `[] is too short - '${path}.tool_calls'`)
  for (const [index, call] of calls.entries()) {
    const at = `${path}.tool_calls[${index}]`
    const { id, type, function: named, custom, ...rest } = isObject(call) ? call : {}
    for (const field of Object.keys(rest)) yield unknownField(`${at}.${field}`)
    if (typeof id !== 'string' || id === '')
      yield violation('ids', `${at}.id`, `Missing required parameter: '${at}.id'.`, 'missing_required_parameter')
    if (type === 'custom' && isObject(custom)) yield* checkCustom(custom, at)
    else if (type !== 'function' || !isObject(named))
      yield violation('type', at, `Invalid value for '${at}': expected a call of type 'function'.`)
    else yield* checkCalled(named, at)
  }
}

function* checkCustom({ name, input, ...rest }: JsonObject, path: string): Iterable<Violation> {
  for (const field of Object.keys(rest)) yield unknownField(`${path}.custom.${field}`)
  yield* checkName(name, `${path}.custom.name`)
  if (typeof input !== 'string')
    yield violation('type', path, `Invalid type for '${path}.custom.input': expected a string.`, 'invalid_type')
}

function* checkCalled({ name, arguments: args, ...rest }: JsonObject, path: string): Iterable<Violation> {
  for (const field of Object.keys(rest)) yield unknownField(`${path}.function.${field}`)
  yield* checkName(name, `${path}.function.name`)
  if (!isJsonObject(args))
    yield violation(
      'arguments',
      `${path}.function.arguments`,
      `Failed to parse tool call arguments as JSON: ${JSON.stringify(args)?.slice(0, 200)}`,
    )
}

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === 'string' && isObject(JSON.parse(text))
  } catch {
    return false
  }
}

function idsIn({ tool_calls: calls }: JsonObject): string[] {
  return Array.isArray(calls)
    ? calls.flatMap((call: unknown) => (isObject(call) && typeof call['id'] === 'string' ? [call['id']] : []))
    : []
}

/** Each call is answered by exactly one tool message, all of them directly behind the turn that made the calls. */
function* checkPairs(messages: readonly JsonObject[]): Iterable<Violation> {
  let open: string[] = []
  let answered: string[] = []
  const close = function* (at: number): Iterable<Violation> {
    if (open.length > 0)
      yield violation(
        'pairing',
        `messages[${at}]`,
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
      )
    open = []
    answered = []
  }
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      const id = String(message['tool_call_id'])
      if (answered.includes(id) && !open.includes(id))
        yield violation('pairing', `messages[${index}].tool_call_id`, `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}'.`)
      else if (!open.includes(id))
        yield violation(
          'pairing',
          `messages[${index}].role`,
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        )
      else open.splice(open.indexOf(id), 1)
      answered.push(id)
      continue
    }
    yield* close(index)
    open = idsIn(message)
  }
  yield* close(messages.length)
}

function* checkIds(
  messages: readonly JsonObject[],
  { mistral, uniqueIds = mistral === true ? 'request' : 'turn', maxIdLength = 40 }: ChatRules,
): Iterable<Violation> {
  const seen = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (uniqueIds === 'turn') seen.clear()
    for (const id of idsIn(message)) {
      const param = `messages[${index}].tool_calls`
      if (seen.has(id)) yield violation('ids', param, `Duplicate value for 'tool_call_id' of '${id}': ids must be unique.`)
      seen.add(id)
      if (mistral === true && !/^[a-zA-Z0-9]{9}$/.test(id))
        yield violation('mistral', param, `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`, '3280')
      if (id.length > maxIdLength)
        yield violation(
          'ids',
          param,
          `Invalid '${param}.id': string too long. Expected a string with maximum length ${maxIdLength}, but got a string with length ${id.length} instead.`,
          'string_above_max_length',
        )
    }
  }
}

/** Which roles may follow a role: after the system's words user and assistant take turns, and tool messages stand behind calls. */
const followers: { readonly [role: string]: readonly string[] } = {
  begin: ['system', 'user'],
  system: ['system', 'user'],
  user: ['assistant'],
  assistant: ['user'],
  calls: ['tool'],
  tool: ['tool', 'assistant'],
}

function* checkAlternation(messages: readonly JsonObject[]): Iterable<Violation> {
  let before = 'begin'
  for (const [index, message] of messages.entries()) {
    const role = String(message['role'])
    if (followers[before]?.includes(role) !== true)
      yield violation(
        'mistral',
        `messages[${index}].role`,
        `Unexpected role '${role}' after role '${before === 'calls' ? 'assistant' : before}': conversation roles must alternate`,
        '3230',
      )
    before = idsIn(message).length > 0 ? 'calls' : role
  }
  if (before === 'assistant')
    yield violation(
      'mistral',
      'messages',
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      '3230',
    )
}
