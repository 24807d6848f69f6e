import type { ErrorData } from './error.ts'
import { isJsonObject, type Json } from './json.ts'

/** How a call settled when it did not succeed. */
export type FailedOutcome = 'error' | 'denied' | 'timeout' | 'cancelled' | 'skipped' | 'truncated' | 'invalid' | 'unknown'
export type Outcome = 'ok' | FailedOutcome

export type Settlement<O = unknown> =
  | { readonly outcome: 'ok'; readonly output: O }
  | { readonly outcome: FailedOutcome; readonly error: ErrorData; readonly output?: undefined }

/**
 * Opaque provider data (signatures, encrypted reasoning, item ids), kept byte for byte on the part it came with. The scope
 * names provider, API and model family (`openai/responses/gpt-5`); it is sent back only to the same scope.
 */
export type ProviderData = { readonly [scope: string]: Json }

interface WithProviderData {
  readonly providerData?: ProviderData
}

export interface TextPart extends WithProviderData {
  readonly type: 'text' | 'reasoning'
  readonly text: string
}

export interface SourcePart extends WithProviderData {
  readonly type: 'source'
  readonly url: string
  readonly title?: string
}

/**
 * A binary part: `data` is base64 or a URL; `ref` names a blob of the store (`store.blobs.get(ref)`). Bytes, and base64 or `data:` URLs of
 * more than 8 KB, are kept as blobs; models get them as `data`.
 */
export interface MediaPart extends WithProviderData {
  readonly type: 'image' | 'file'
  readonly mediaType: string
  readonly data?: string
  readonly ref?: string
  readonly name?: string
}

/** A tool call and, once it has settled, its outcome: an orphan can't be written down. */
export interface ToolCallPart extends WithProviderData {
  readonly type: 'tool-call'
  /** `m<n>.<index>`: ours, unique in the session. The provider's own id may repeat and stays in `providerCallId`. */
  readonly callId: string
  readonly toolName: string
  readonly providerCallId?: string
  /** The arguments as an object. `{}` when the model's text was no JSON object: the original is then in `rawInput`. */
  readonly input: Json
  readonly rawInput?: string
  /** Why `rawInput` could not be used. */
  readonly inputError?: string
  readonly providerExecuted?: boolean
  readonly settlement?: Settlement<Json>
  /** It went on in the background: the settlement is a placeholder, and its outcome comes in a later message. */
  readonly background?: true
  /** What the model is shown instead of the output, when that differs (`toModelOutput`, `content()`, a cut). */
  readonly content?: string | readonly Part[]
  /** What a hook or an approval has changed the arguments to: they ran, unless the call was refused then. */
  readonly ranWith?: Json
}

export type Part = TextPart | SourcePart | MediaPart | ToolCallPart

/** A part of what a user says: `data` is bytes, base64 text or a URL. Default media type: that of a `data:` URL, else `image/png` or `application/octet-stream`. */
export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'file'; readonly data: Uint8Array | string | URL; readonly mediaType?: string; readonly name?: string }

export interface Message {
  readonly id?: string
  readonly role: 'user' | 'assistant' | 'summary'
  readonly parts: readonly Part[]
}

/** Whether a value of unknown origin is a part: of a known type, with what that type needs. */
export function isPart(value: unknown): value is Part {
  if (!isJsonObject(value)) return false
  switch (value['type']) {
    case 'text':
    case 'reasoning':
      return typeof value['text'] === 'string'
    case 'source':
      return typeof value['url'] === 'string'
    case 'image':
    case 'file':
      return typeof value['mediaType'] === 'string' && (typeof value['data'] === 'string' || typeof value['ref'] === 'string')
    case 'tool-call':
      return typeof value['toolName'] === 'string' && isJsonObject(value['input'])
    default:
      return false
  }
}

export function textOf(message: Message): string {
  let text = ''
  for (const part of message.parts) if (part.type === 'text') text += part.text
  return text
}

/** Whether a message says nothing: no call, no media, no text but white space. Reasoning alone is no answer (B063), nor are sources. */
export function isBlank(message: Message): boolean {
  return message.parts.every((part) => {
    if (part.type === 'text') return part.text.trim() === ''
    return part.type === 'reasoning' || part.type === 'source'
  })
}

export function textMessage(role: Message['role'], text: string, id?: string): Message {
  const parts: readonly Part[] = [{ type: 'text', text }]
  return id === undefined ? { role, parts } : { id, role, parts }
}

/**
 * What the model reads as the result of a settled call: its content, else its output as text, else the error's message. When the arguments were
 * changed it says so first, for the call stands in the model's own message as the model made it (machine 4).
 */
export function resultText(call: ToolCallPart): string {
  const { ranWith } = call
  return ranWith === undefined
    ? plainResult(call)
    : `The arguments of this call were changed to ${JSON.stringify(ranWith)}.\n${plainResult(call)}`
}

function plainResult(call: ToolCallPart): string {
  if (typeof call.content === 'string') return call.content
  if (call.content !== undefined) return textOf({ role: 'user', parts: call.content })
  const settlement = call.settlement
  if (settlement === undefined) return ''
  if (settlement.outcome !== 'ok') return settlement.error.message
  return typeof settlement.output === 'string' ? settlement.output : JSON.stringify(settlement.output)
}
