import { type Answer, hasCalls, tokensOf, type WireQuirks } from '../reply.ts'

/** How servers of the Messages API differ on the wire. Everything absent is as Anthropic does it. */
export interface MessagesQuirks extends WireQuirks {
  /** Events without their names. */
  readonly noNames?: boolean
  /** Without `message_stop`. */
  readonly noStop?: boolean
  /** Without pings. */
  readonly noPing?: boolean
  /** Blanks before the last brackets of each event, as against listeners who measure packets. */
  readonly padding?: boolean
  /** The arguments of a call: in pieces (default), or where its block begins. */
  readonly arguments?: 'fragments' | 'start'
  /** Thinking with its signature (default), the signature alone, without one, or as a block that nobody can read. */
  readonly thinking?: 'signed' | 'omitted' | 'unsigned' | 'redacted'
  /** Of the input tokens: at the begin and the end (default), at the begin only, or nowhere. */
  readonly usage?: 'both' | 'begin' | 'none'
}

export type MessagesAnswer = Answer<MessagesQuirks>

/** The raw `stop_reason`. Default `tool_use` with calls, else `end_turn`. */
export function stopOf(answer: MessagesAnswer): string | null {
  return answer.finish === undefined ? (hasCalls(answer) ? 'tool_use' : 'end_turn') : answer.finish
}

export interface TokenFields {
  readonly begin: object
  readonly end: object
}

/** `usage` where a message begins and where it ends; `undefined` when it is not reported. */
export function usageOf(answer: MessagesAnswer, { usage = 'both' }: MessagesQuirks): TokenFields | undefined {
  const tokens = usage === 'none' ? undefined : tokensOf(answer)
  if (tokens === undefined) return undefined
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = tokens
  const input = {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
    cache_read_input_tokens: cachedInputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
  }
  const output = { output_tokens: outputTokens, output_tokens_details: { thinking_tokens: reasoningTokens } }
  return { begin: { ...input, output_tokens: 1 }, end: usage === 'both' ? { ...input, ...output } : output }
}

/** What a thought is signed with. It belongs to its text, as the real one does. */
export function signatureOf(thinking: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < thinking.length; i++) hash = Math.imul(hash ^ thinking.charCodeAt(i), 0x01000193)
  return `sig/${(hash >>> 0).toString(36)}/${thinking.length}==`
}

/** That of a thought whose text is not told. */
export const omittedSignature = 'sig/omitted=='

export const redactedData = 'redacted/data=='
