import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import type { MessagesRules } from './messages-rules.ts'
import { omittedSignature, redactedData, signatureOf } from './quirks.ts'

/** Which blocks a role may say, and what each must have. */
const blockFields: { readonly [role: string]: { readonly [type: string]: readonly string[] } } = {
  user: {
    text: ['text'],
    image: ['source'],
    document: ['source'],
    search_result: ['source'],
    tool_result: ['tool_use_id'],
    container_upload: ['file_id'],
  },
  assistant: {
    text: ['text'],
    thinking: ['thinking', 'signature'],
    redacted_thinking: ['data'],
    tool_use: ['id', 'name', 'input'],
    server_tool_use: ['id', 'name', 'input'],
    mcp_tool_use: ['id', 'name', 'input', 'server_name'],
    compaction: ['content'],
    fallback: ['from', 'to'],
  },
}

const optionalFields: { readonly [type: string]: readonly string[] } = {
  text: ['citations'],
  document: ['title', 'context', 'citations'],
  search_result: ['title', 'content', 'citations'],
  tool_result: ['content', 'is_error'],
  tool_use: ['caller'],
  server_tool_use: ['caller'],
}

const idPattern = /^[a-zA-Z0-9_-]+$/

interface Turn {
  readonly role: string
  readonly path: string
  readonly blocks: readonly JsonObject[]
}

export function* checkMessages(messages: unknown, rules: MessagesRules): Iterable<Violation> {
  if (!Array.isArray(messages) || messages.length === 0)
    return yield violation('messages', 'messages', 'messages: at least one message is required')
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const turn = yield* readTurn(message, `messages.${index}`)
    if (turn === undefined) continue
    const last = turns.at(-1)
    // Messages of one role that follow each other are one.
    if (last?.role === turn.role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...turn.blocks] }
    else turns.push(turn)
    for (const [place, block] of turn.blocks.entries()) yield* checkBlock(block, turn.role, `${turn.path}.content.${place}`, rules)
  }
  if (turns[0] !== undefined && turns[0].role !== 'user')
    yield violation('role', 'messages.0.role', 'messages: first message must use the "user" role')
  yield* checkPairs(turns)
  yield* checkServerPairs(turns)
  yield* checkEnd(turns.at(-1), rules)
}

function* readTurn(message: unknown, path: string): Generator<Violation, Turn | undefined> {
  const { role, content, ...rest } = isObject(message) ? message : {}
  if (role !== 'user' && role !== 'assistant') {
    yield violation('role', path, `${path}.role: Input should be 'user' or 'assistant'`)
    return undefined
  }
  for (const field of Object.keys(rest)) yield extra(`${path}.${field}`)
  if (typeof content === 'string') return { role, path, blocks: content === '' ? [] : [{ type: 'text', text: content }] }
  if (Array.isArray(content) && content.length > 0 && content.every(isObject)) return { role, path, blocks: content }
  yield violation('content', path, `${path}: all messages must have non-empty content except for the optional final assistant message`)
  return undefined
}

function* checkBlock(block: JsonObject, role: string, path: string, rules: MessagesRules): Iterable<Violation> {
  const type = String(block['type'])
  const isResult = role === 'assistant' && type.endsWith('_tool_result')
  const needed = isResult ? ['tool_use_id', 'content'] : blockFields[role]?.[type]
  if (needed === undefined) {
    const tags = Object.keys(blockFields[role] ?? {}).map((tag) => `'${tag}'`)
    return yield violation(
      'content',
      path,
      `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.join(', ')}`,
    )
  }
  for (const field of needed) if (block[field] === undefined) yield violation('content', path, `${path}.${type}.${field}: Field required`)
  const known = new Set(['type', 'cache_control', ...needed, ...(optionalFields[type] ?? [])])
  if (!isResult) for (const field of Object.keys(block)) if (!known.has(field)) yield extra(`${path}.${type}.${field}`)
  yield* checkText(block, type, path)
  yield* checkThinking(block, type, path, rules)
  yield* checkUse(block, type, path)
  if (type === 'image' || type === 'document') yield* checkSource(block['source'], type, path)
  if (type === 'tool_result') yield* checkResult(block, path, rules)
}

function* checkText({ text }: JsonObject, type: string, path: string): Iterable<Violation> {
  if (type !== 'text') return
  if (typeof text !== 'string') yield violation('content', path, `${path}.text.text: Input should be a valid string`)
  else if (text === '') yield violation('blank', path, 'messages: text content blocks must be non-empty')
  else if (text.trim() === '') yield violation('blank', path, 'messages: text content blocks must contain non-whitespace text')
}

function* checkThinking(block: JsonObject, type: string, path: string, { signatures = 'own' }: MessagesRules): Iterable<Violation> {
  const wrong = () => violation('signature', path, `${path}: Invalid \`signature\` in \`thinking\` block`)
  if (type === 'redacted_thinking' && signatures === 'own' && block['data'] !== redactedData)
    yield violation('signature', path, `${path}: Invalid \`data\` in \`redacted_thinking\` block`)
  if (type !== 'thinking') return
  const { thinking, signature } = block
  if (typeof thinking !== 'string' || typeof signature !== 'string' || signature === '') return yield wrong()
  const isOwn = signature === (thinking === '' ? omittedSignature : signatureOf(thinking))
  if (signatures === 'own' && !isOwn) yield wrong()
  if ('cache_control' in block) yield extra(`${path}.thinking.cache_control`)
}

function* checkUse(block: JsonObject, type: string, path: string): Iterable<Violation> {
  if (!type.endsWith('tool_use')) return
  const { id, name, input } = block
  if (typeof id !== 'string' || !idPattern.test(id))
    yield violation('ids', path, `${path}.${type}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    yield violation('tool-name', path, `${path}.${type}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
  if (!isObject(input)) yield violation('arguments', path, `${path}.${type}.input: Input should be a valid dictionary`)
}

function* checkSource(source: unknown, type: string, path: string): Iterable<Violation> {
  const { type: form, media_type: mediaType, data, url } = isObject(source) ? source : {}
  const at = `${path}.${type}.source`
  if (form === 'url') {
    if (!/^https:/.test(String(url))) yield violation('media', path, `${at}.url: Only HTTPS URLs are supported.`)
  } else if (form === 'base64') {
    const types = type === 'image' ? ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] : ['application/pdf']
    if (!types.includes(String(mediaType)))
      yield violation('media', path, `${at}.base64.media_type: Input should be ${types.map((one) => `'${one}'`).join(' or ')}`)
    if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
      yield violation('media', path, `${at}.base64.data: invalid base64 data`)
  } else if (!(type === 'document' && form === 'text' && mediaType === 'text/plain' && typeof data === 'string'))
    yield violation('media', path, `${at}: Input tag '${String(form)}' found using 'type' does not match any of the expected tags`)
}

function* checkResult({ tool_use_id: id, content, is_error: failed }: JsonObject, path: string, rules: MessagesRules): Iterable<Violation> {
  if (typeof id !== 'string' || !idPattern.test(id))
    yield violation('ids', path, `${path}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
  if (failed !== undefined && typeof failed !== 'boolean')
    yield violation('content', path, `${path}.tool_result.is_error: Input should be a valid boolean`)
  if (failed === true && (content === undefined || content === '' || (Array.isArray(content) && content.length === 0)))
    yield violation('content', path, `${path}.tool_result: content cannot be empty if \`is_error\` is true`)
  if (content === undefined || typeof content === 'string') return
  if (!Array.isArray(content)) return yield violation('content', path, `${path}.tool_result.content: Input should be a valid list`)
  for (const [index, block] of content.entries()) {
    const at = `${path}.tool_result.content.${index}`
    const type = isObject(block) ? String(block['type']) : ''
    if (!isObject(block) || !['text', 'image', 'document', 'search_result'].includes(type))
      yield violation(
        'content',
        at,
        `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text'`,
      )
    else yield* checkBlock(block, 'user', at, rules)
  }
}

function ofType(blocks: readonly JsonObject[], type: string): readonly JsonObject[] {
  return blocks.filter((block) => block['type'] === type)
}

/** Each call has its result in the very next message, each result its call in the one before, once, and before all that is said there. */
function* checkPairs(turns: readonly Turn[]): Iterable<Violation> {
  const seen = new Set<unknown>()
  for (const [place, { role, path, blocks }] of turns.entries()) {
    const results = ofType(blocks, 'tool_result').map((block) => block['tool_use_id'])
    const before = turns[place - 1]
    const asked = before?.role === 'assistant' ? ofType(before.blocks, 'tool_use').map((block) => block['id']) : []
    for (const id of results)
      if (!asked.includes(id))
        yield violation(
          'pairing',
          path,
          `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        )
    if (new Set(results).size < results.length)
      yield violation('pairing', path, `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks.`)
    const first = blocks.findIndex((block) => block['type'] !== 'tool_result')
    const isFirst = first < 0 || blocks.slice(first).every((block) => block['type'] !== 'tool_result')
    const answered = isFirst ? results : results.slice(0, Math.max(first, 0))
    const missing = asked.filter((id) => !answered.includes(id))
    if (missing.length > 0) yield unanswered(before?.path ?? path, missing)
    if (role !== 'assistant') continue
    const ids = ofType(blocks, 'tool_use').map((block) => block['id'])
    for (const [index, id] of ids.entries())
      if (seen.has(id) || ids.indexOf(id) !== index) yield violation('ids', path, `${path}: \`tool_use\` ids must be unique`)
    for (const id of ids) seen.add(id)
    if (place === turns.length - 1 && ids.length > 0) yield unanswered(path, ids)
  }
}

function unanswered(path: string, ids: readonly unknown[]): Violation {
  return violation(
    'pairing',
    path,
    `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

/** A call that the provider runs has its result behind it, unless the answer paused there, or its program waits for calls of ours. */
function* checkServerPairs(turns: readonly Turn[]): Iterable<Violation> {
  const open = new Map<unknown, string>()
  for (const [place, { role, path, blocks }] of turns.entries()) {
    if (role !== 'assistant') continue
    for (const block of blocks) {
      const type = String(block['type'])
      if (type === 'server_tool_use' || type === 'mcp_tool_use') open.set(block['id'], path)
      else if (type.endsWith('_tool_result') && !open.delete(block['tool_use_id']))
        yield violation(
          'server-pairing',
          path,
          `${path}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${String(block['tool_use_id'])}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
        )
    }
    const callers = blocks.map(({ caller }) => (isObject(caller) ? caller['tool_id'] : undefined))
    for (const caller of callers)
      if (caller !== undefined && !open.has(caller))
        yield violation('server-pairing', path, `source tool \`${String(caller)}\` not found for tool use block`)
    if (place === turns.length - 1) return
    for (const [id, at] of open)
      if (!callers.includes(id))
        yield violation('server-pairing', at, `${at}: tool use with id \`${String(id)}\` was found without a corresponding result block`)
  }
}

function* checkEnd(last: Turn | undefined, { prefill = true }: MessagesRules): Iterable<Violation> {
  if (last === undefined || last.role !== 'assistant') return
  const block = last.blocks.at(-1)
  const { text } = block ?? {}
  if (typeof text === 'string' && text !== text.trimEnd())
    yield violation('trailing', last.path, 'messages: final assistant content cannot end with trailing whitespace')
  const paused = last.blocks.some((one) => one['type'] === 'server_tool_use')
  if (!prefill && !paused)
    yield violation(
      'prefill',
      last.path,
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
}

function extra(path: string): Violation {
  return violation('field', path, `${path}: Extra inputs are not permitted`)
}
