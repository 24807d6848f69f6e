import type { Usage } from '../../../src/core/usage.ts'

/** What the fake server answers: a text, an answer of a model, or any bytes under any status. */
export type Reply = string | Answer | Raw

/**
 * An answer of a model. `text`, `reasoning`, `refusal` and `calls` are said in this order: reasoning, text, refusal, calls; `pieces` says
 * what comes piece by piece instead. Each piece is one delta on the wire.
 */
export interface Answer {
  readonly text?: string | readonly string[]
  readonly reasoning?: string | readonly string[]
  readonly refusal?: string | readonly string[]
  readonly calls?: readonly Call[]
  readonly pieces?: readonly Piece[]
  /** The raw `finish_reason`; `null`: none ever comes. Default `tool_calls` with calls, else `stop`. */
  readonly finish?: string | null
  /** Tokens; `null`: not reported. Default 10 in, 5 out. */
  readonly usage?: Partial<Usage> | null
  /** Waits before the response begins (ms); `Infinity`: it never does. */
  readonly delayMs?: number
  /** Waits between two deltas (ms). */
  readonly gapMs?: number
  /** Awaited after each delta, with how many have left: how a test holds back the rest. Over `gapMs`. */
  readonly afterDelta?: (deltas: number) => Promise<void> | undefined
  /** How it breaks off. */
  readonly breaks?: Break
  /** Over those of the server. */
  readonly quirks?: Quirks
}

export interface Call {
  readonly name: string
  readonly input?: unknown
  /** The arguments as the text that the model wrote, instead of `input`. */
  readonly rawInput?: string
  /** The provider's id. Default: one that is new in this server. */
  readonly id?: string
}

/** One delta. Calls are numbered from 0 in the order in which they begin; arguments of one that never begins are a garbled stream. */
export type Piece =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly refusal: string }
  | { readonly call: number; readonly name: string; readonly id?: string }
  | { readonly call: number; readonly arguments: string }

/**
 * After so many deltas (a call's begin and each piece of its arguments are one each) comes an error object, the clean end of the body
 * without finish reason and `[DONE]`, a lost connection, or nothing any more. In the JSON form: the error as a body with status 200, half
 * of the body, no body, nothing.
 */
export type Break =
  | { readonly after: number; readonly with: 'error'; readonly error: unknown; readonly event?: string }
  | { readonly after: number; readonly with: 'end' | 'reset' | 'hang' }

/** Bytes as they are, for HTTP errors, pages and recorded traffic. */
export interface Raw {
  readonly status: number
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body: unknown
  /** Default: `application/json`. */
  readonly contentType?: string
  readonly headers?: { readonly [name: string]: string }
  readonly delayMs?: number
  readonly quirks?: Quirks
}

/** How real servers differ on the wire. Everything absent is as OpenAI does it. */
export interface Quirks {
  /** Bytes of each write, which is a chunk of its own in the HTTP framing; `Infinity`: all at once. Default: an event each. */
  readonly bytesPerWrite?: number
  readonly newline?: '\n' | '\r\n' | '\r'
  /** Begins with a byte order mark. */
  readonly bom?: boolean
  /** A comment line before each event, e.g. `: OPENROUTER PROCESSING` or `:`, with a blank line after it. */
  readonly comment?: string
  /** `data:{…}` without the space. */
  readonly noSpace?: boolean
  /** JSON with line breaks, over several `data:` lines. */
  readonly multiline?: boolean
  /** The last event ends with the body: no blank line, no line end. */
  readonly openEnd?: boolean
  /** Without `[DONE]`. */
  readonly noDone?: boolean
  /** Where the role stands: in a chunk of its own before all others (default), in the first delta, or nowhere. */
  readonly role?: 'own' | 'first' | 'none'
  /** A first chunk with `choices: []`, as Azure's content filter has it. */
  readonly filterPreamble?: boolean
  readonly reasoningField?: 'reasoning_content' | 'reasoning'
  /** Of calls: their number (default), none, 0 for all, or one that counts on with each fragment. */
  readonly index?: 'right' | 'none' | 'zero' | 'drifting'
  /** Of calls: on the first fragment (default), on each, none, an empty one, or `call_0` for all. */
  readonly ids?: 'once' | 'every' | 'none' | 'empty' | 'same'
  /** Of calls: after the begin, in pieces of `argumentsPiece` characters (default: one piece); together with the begin; as an object; as JSON in JSON. */
  readonly arguments?: 'fragments' | 'whole' | 'object' | 'twice'
  readonly argumentsPiece?: number
  /**
   * In a last chunk with `choices: []` when the request asks for it (default), always there, in the chunk with the finish reason, in every
   * chunk (growing), or nowhere.
   */
  readonly usage?: 'asked' | 'last' | 'finish' | 'every' | 'none'
  /** Streams or not whatever the request says. */
  readonly form?: 'asked' | 'json' | 'sse'
}

/** The pieces of an answer as they go over the wire. `newId` gives ids to calls that have none. */
export function piecesOf(answer: Answer, quirks: Quirks, newId: () => string): Piece[] {
  if (answer.pieces !== undefined) return answer.pieces.map((piece) => ('name' in piece ? { ...piece, id: piece.id ?? newId() } : piece))
  const { reasoning = [], text = [], refusal = [], calls = [] } = answer
  return [
    ...list(reasoning).map((piece) => ({ reasoning: piece })),
    ...list(text).map((piece) => ({ text: piece })),
    ...list(refusal).map((piece) => ({ refusal: piece })),
    ...calls.flatMap((call, index) => [
      { call: index, name: call.name, id: call.id ?? newId() },
      ...cut(call.rawInput ?? JSON.stringify(call.input ?? {}), quirks.argumentsPiece).map((piece) => ({ call: index, arguments: piece })),
    ]),
  ]
}

export function finishOf(answer: Answer): string | null {
  const called = (answer.calls ?? []).length > 0 || (answer.pieces ?? []).some((piece) => 'name' in piece)
  return answer.finish === undefined ? (called ? 'tool_calls' : 'stop') : answer.finish
}

/**
 * `usage` as OpenAI writes it, with OpenRouter's `cost` (USD), when that `share` of the output (0 to 1) is said; `undefined` when it is not
 * reported.
 */
export function usageOf({ usage }: Answer, share = 1): object | undefined {
  if (usage === null || usage?.complete === false) return undefined
  const outputTokens = Math.ceil((usage?.outputTokens ?? 5) * share)
  const { inputTokens = 10, cachedInputTokens = 0, cacheWriteTokens, reasoningTokens = 0, costUsd } = usage ?? {}
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedInputTokens,
      ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
    ...(costUsd === undefined ? {} : { cost: costUsd }),
  }
}

function list(pieces: string | readonly string[]): readonly string[] {
  return typeof pieces === 'string' ? [pieces] : pieces
}

function cut(text: string, size = Number.POSITIVE_INFINITY): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}
