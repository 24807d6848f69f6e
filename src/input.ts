import { errorData, RondoError } from './core/error.ts'
import { isJsonObject } from './core/json.ts'
import { type FailedOutcome, isPart, type Message, type Part, type ToolCallPart, type UserPart } from './core/message.ts'
import { storableCopy } from './core/storable.ts'
import { wellFormed } from './core/text.ts'
import { type Keep, keptMedia } from './engine/media.ts'
import type { Input } from './options.ts'

/**
 * What a caller says, as messages of the journal: copied (the caller's objects are never kept or changed), binary data as blobs,
 * calls of imported history that nobody answered settled as skipped. Throws `ContextInvalidInput` for what can't be a message.
 */
export function toMessages(keep: Keep, input: Input, id: string): readonly Message[] | Promise<readonly Message[]> {
  if (typeof input === 'string') return [userText(input, id)]
  if (!Array.isArray(input) || input.length === 0) throw invalid('it must be a text, or a list of parts or messages that is not empty')
  const first: unknown = input[0]
  if (isRecord(first) && 'role' in first)
    return settled(input.map((message: unknown, index) => importedMessage(keep, message, `${id}.${index}`)))
  return userParts(keep, input as readonly UserPart[], id)
}

function isBlankText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === ''
}

function userText(text: string, id: string): Message {
  if (text.trim() === '') throw invalid('it is empty')
  return { id, role: 'user', parts: [{ type: 'text', text: wellFormed(text) }] }
}

function invalid(why: string): RondoError {
  return new RondoError('ContextInvalidInput', `The input can't be used: ${why}.`)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function userParts(keep: Keep, parts: readonly UserPart[], id: string): readonly Message[] | Promise<readonly Message[]> {
  if (parts.every((part) => isRecord(part) && part.type === 'text' && isBlankText(part.text))) throw invalid('it is empty')
  const made = settled(parts.map((part) => userPart(keep, part)))
  const message = (ready: readonly Part[]): readonly Message[] => [{ id, role: 'user', parts: ready }]
  return made instanceof Promise ? made.then(message) : message(made)
}

/** Waits only where there is something to wait for. */
function settled<X extends object>(values: readonly (X | Promise<X>)[]): readonly X[] | Promise<readonly X[]> {
  if (values.some((value) => value instanceof Promise)) return Promise.all(values)
  return values.filter((value): value is X => !(value instanceof Promise))
}

function userPart(keep: Keep, part: UserPart): Part | Promise<Part> {
  if (!isRecord(part)) throw invalid('a part is no object')
  if (part.type === 'text') {
    if (typeof part.text !== 'string') throw invalid('a text part has no text')
    return { type: 'text', text: wellFormed(part.text) }
  }
  if (part.type !== 'image' && part.type !== 'file') throw invalid(`a part has the unknown type '${String(Reflect.get(part, 'type'))}'`)
  const { type, data, mediaType, name } = part
  if (!(data instanceof Uint8Array) && !(data instanceof URL) && typeof data !== 'string')
    throw invalid(`an ${type} part needs data: bytes, base64 text or a URL`)
  return keptMedia(keep, { type, data: data instanceof URL ? data.href : data, mediaType, name })
}

const roles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'summary'])

function importedMessage(keep: Keep, value: unknown, id: string): Message | Promise<Message> {
  const { json, changed } = storableCopy(value)
  if (!isJsonObject(json) || !roles.has(json['role'])) throw invalid("a message needs a role: 'user', 'assistant' or 'summary'")
  const { parts, role } = json
  if (changed.some(({ reason }) => reason === 'binary'))
    throw invalid('a message holds binary data; give bytes as parts, or as base64 text')
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isPart))
    throw invalid("a message needs parts, each with a known type: 'text', 'reasoning', 'source', 'image', 'file' or 'tool-call'")
  if (role !== 'assistant' && parts.some((part) => part.type === 'tool-call')) throw invalid('only an assistant message has calls')
  if (role === 'user' && parts.every((part) => part.type === 'text' && isBlankText(part.text))) throw invalid('it is empty')
  let calls = 0
  const own = settled(
    parts.map((part) => (part.type === 'tool-call' ? importedCall(keep, part, `${id}.${calls++}`) : importedPart(keep, part))),
  )
  const message = (ready: readonly Part[]): Message => ({
    id,
    role: role === 'user' ? 'user' : role === 'assistant' ? 'assistant' : 'summary',
    parts: ready,
  })
  return own instanceof Promise ? own.then(message) : message(own)
}

function importedPart(keep: Keep, part: Part): Part | Promise<Part> {
  if ((part.type !== 'image' && part.type !== 'file') || part.data === undefined) return part
  const { type, data, mediaType, name, providerData } = part
  return keptMedia(keep, { type, data, mediaType, name, providerData })
}

/** Ids of another session may be ours too: the call gets one of its own. */
function importedCall(keep: Keep, part: ToolCallPart, callId: string): ToolCallPart | Promise<ToolCallPart> {
  if (part.settlement !== undefined && !isSettlement(part.settlement))
    throw invalid(
      `the settlement of a call of '${part.toolName}' needs an outcome, with an output ('ok') or an error with code and message`,
    )
  const { content: shown } = part
  if (shown !== undefined && typeof shown !== 'string' && !(Array.isArray(shown) && shown.every(isPart)))
    throw invalid(`the content of a call of '${part.toolName}' must be a text or a list of parts`)
  const settlement = part.settlement ?? {
    outcome: 'skipped',
    error: errorData('ToolSkipped', 'This call came with imported history, without a result; it was not run.'),
  }
  const call: ToolCallPart = { ...part, callId, providerCallId: part.providerCallId ?? part.callId, settlement }
  if (shown === undefined || typeof shown === 'string') return call
  const content = settled(shown.map((one) => importedPart(keep, one)))
  return content instanceof Promise ? content.then((ready) => ({ ...call, content: ready })) : { ...call, content }
}

const failedOutcomes: ReadonlySet<unknown> = new Set<FailedOutcome>([
  'error',
  'denied',
  'timeout',
  'cancelled',
  'skipped',
  'truncated',
  'invalid',
  'unknown',
])

function isSettlement(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { outcome, output, error } = value
  if (outcome === 'ok') return output !== undefined
  return failedOutcomes.has(outcome) && isRecord(error) && typeof error['message'] === 'string' && typeof error['code'] === 'string'
}
