import type { Usage } from '../../core/usage.ts'

/** What the fake server answers: a text, an answer of a model, or any bytes under any status. */
export type Reply<Q extends WireQuirks = WireQuirks> = string | Answer<Q> | Raw<Q>

/**
 * An answer of a model. `text`, `reasoning`, `refusal` and `calls` are said in this order: reasoning, text, refusal, calls; `pieces` says
 * what comes piece by piece instead. Each piece is one delta on the wire.
 */
export interface Answer<Q extends WireQuirks = WireQuirks> {
  readonly text?: string | readonly string[]
  readonly reasoning?: string | readonly string[]
  readonly refusal?: string | readonly string[]
  readonly calls?: readonly Call[]
  readonly pieces?: readonly Piece[]
  /** The API's own word for how it ended; `null`: none ever comes. Default: as the API says it, with calls or without. */
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
  readonly quirks?: Q
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
export interface Raw<Q extends WireQuirks = WireQuirks> {
  readonly status: number
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body: unknown
  /** Default: `application/json`. */
  readonly contentType?: string
  readonly headers?: { readonly [name: string]: string }
  readonly delayMs?: number
  readonly quirks?: Q
}

/** How servers of every API differ on the wire. Everything absent is as the provider does it. */
export interface WireQuirks {
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
  /** Characters of each piece of a call's arguments. Default: all in one piece. */
  readonly argumentsPiece?: number
  /** Streams or not whatever the request says. */
  readonly form?: 'asked' | 'json' | 'sse'
}

/** The pieces of an answer as they go over the wire. `newId` gives ids to calls that have none. */
export function piecesOf<Q extends WireQuirks>(answer: Answer<Q>, quirks: Q, newId: () => string): Piece[] {
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

/** Whether it has calls. */
export function hasCalls({ calls = [], pieces = [] }: Answer<WireQuirks>): boolean {
  return calls.length > 0 || pieces.some((piece) => 'name' in piece)
}

/** A call with everything that its pieces say. */
export interface WholeCall {
  readonly name: string
  readonly id: string | undefined
  /** The arguments. */
  readonly text: string
}

/** The calls that pieces tell, by their number. */
export function callsOf(pieces: readonly Piece[]): Map<number, WholeCall> {
  const calls = new Map<number, WholeCall>()
  for (const piece of pieces) {
    if (!('call' in piece)) continue
    const begun = calls.get(piece.call)
    if ('name' in piece) calls.set(piece.call, { name: piece.name, id: piece.id, text: '' })
    else if (begun !== undefined) calls.set(piece.call, { ...begun, text: begun.text + piece.arguments })
  }
  return calls
}

/** The tokens of an answer, or `undefined` when they are not reported. Default 10 in, 5 out. */
export function tokensOf({ usage }: Answer<WireQuirks>): Usage | undefined {
  if (usage === null || usage?.complete === false) return undefined
  return { inputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0, ...usage, complete: true }
}

function list(pieces: string | readonly string[]): readonly string[] {
  return typeof pieces === 'string' ? [pieces] : pieces
}

function cut(text: string, size = Number.POSITIVE_INFINITY): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}
