import type { ErrorCode } from '../../../src/core/error.ts'
import type { FinishReason } from '../../../src/core/model.ts'

// What a recorded response says, read in the plainest way: the whole body at once, no stream, no fast path, no code of any adapter. The
// types are all that is shared with the source.

/** Recorded JSON of any shape: what is looked for and isn't there is `undefined`. */
// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
export type AnyJson = any

/** A call that we are to run. */
export interface ReadCall {
  /** Absent for calls that have none of their own (`local_shell_call`). */
  readonly name?: string
  readonly id?: string
  /** The arguments as JSON; as text where they are none. */
  readonly input: unknown
  /** Of a call that is no function call: the item's type. Its arguments have no common form. */
  readonly native?: string
}

/** A call that the provider ran itself. */
export interface ServerCall {
  readonly name: string
  /** As it stands in the body. */
  readonly item: AnyJson
}

/** Data that is to come back as it was: what of it, and the value. */
export interface Opaque {
  /** A `mark` is no secret, but has to come back all the same: the phase of a message, whose call a call is. */
  readonly kind: 'signature' | 'encrypted' | 'redacted' | 'item-id' | 'mark'
  readonly value: string
}

/** Tokens; what was not told is absent. */
export interface ReadUsage {
  /** Cached and cache-write ones included. */
  readonly input?: number
  readonly cached?: number
  readonly cacheWrite?: number
  /** Of those, what is kept for an hour. */
  readonly longCacheWrite?: number
  /** Reasoning included. */
  readonly output?: number
  readonly reasoning?: number
}

export interface ReadError {
  readonly code: ErrorCode
  /** Of an overflow, where the body tells them (tokens): how much it was, and how much it may be. */
  readonly used?: number
  readonly limit?: number
  /** ms, where a header or the body says so in numbers. */
  readonly retryAfterMs?: number
}

/** What an answer says, does and holds, in the order in which it stands in the body: a text, one of `calls`, or what only its API has. */
export type Placed =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call' }
  /** As it has to come back, without its id. */
  | { readonly type: 'item'; readonly value: AnyJson }

export interface Answer {
  readonly text: string
  /** In pieces, as they stand in the body: joined by nothing or by line breaks. */
  readonly reasoning: readonly string[]
  /** Where the API has several for it: the name of its field. It goes back under the same. */
  readonly reasoningField?: string
  readonly calls: readonly ReadCall[]
  readonly serverCalls: readonly ServerCall[]
  readonly opaque: readonly Opaque[]
  readonly media: readonly { readonly mediaType?: string; readonly data: string }[]
  /** Absent where the API knows no order: one text, and calls behind it. */
  readonly order?: readonly Placed[]
  /** The provider's words for why it ended: each one may be kept. Empty when it gave none. */
  readonly rawFinish: readonly string[]
  /** As the provider's word says, whatever calls there are: some APIs have no word for them. */
  readonly finish: FinishReason
  readonly usage: ReadUsage
}

/** An answer, or an error. `either`: the end may be told as an error of one of these codes too, for both stop a run in the same way. */
export type Reading =
  | { readonly answer: Answer; readonly either?: readonly ErrorCode[]; readonly error?: undefined }
  | { readonly error: ReadError; readonly answer?: undefined }

/** What a recording is, for those who read it. */
export interface Recorded {
  readonly status: number
  readonly body: string
  readonly header: (name: string) => string | undefined
}

/** What is gathered on the way to an `Answer`. */
export interface Draft {
  text: string
  reasoning: string[]
  reasoningField?: string
  calls: ReadCall[]
  serverCalls: ServerCall[]
  opaque: Opaque[]
  media: { mediaType?: string; data: string }[]
  order?: Placed[]
}

export function draft(): Draft {
  return { text: '', reasoning: [], calls: [], serverCalls: [], opaque: [], media: [] }
}

/** A draft of an answer that has an order. */
export function orderedDraft(): Draft & { readonly order: Placed[] } {
  return { ...draft(), order: [] }
}

/** The JSON of a text; `undefined` when it is none. */
export function json(text: string): AnyJson {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Arguments: as JSON where they are, else as the text. Blank ones, and null, are none. A text that was encoded twice is unwrapped once. */
export function argumentsOf(text: string): unknown {
  if (text.trim() === '' || text === 'null') return {}
  const value = json(text)
  return typeof value === 'string' ? (json(value) ?? value) : (value ?? text)
}

/** Without the keys whose value is not known. */
export function known<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null)) as T
}
