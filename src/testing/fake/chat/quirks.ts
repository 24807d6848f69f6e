import { type Answer, hasCalls, tokensOf, type WireQuirks } from '../reply.ts'

/** How real servers of the Chat Completions API differ on the wire. Everything absent is as OpenAI does it. */
export interface ChatQuirks extends WireQuirks {
  /** Without `[DONE]`. */
  readonly noDone?: boolean
  /** Where the role stands: in a chunk of its own before all others (default), in the first delta, or nowhere. */
  readonly role?: 'own' | 'first' | 'none'
  /** A first chunk with `choices: []`, as Azure's content filter has it. */
  readonly filterPreamble?: boolean
  /** Where reasoning stands. Default `reasoning_content`. */
  readonly reasoningField?: 'reasoning_content' | 'reasoning'
  /** Of calls: their number (default), none, 0 for all, or one that counts on with each fragment. */
  readonly index?: 'right' | 'none' | 'zero' | 'drifting'
  /** Of calls: on the first fragment (default), on each, none, an empty one, or `call_0` for all. */
  readonly ids?: 'once' | 'every' | 'none' | 'empty' | 'same'
  /** Of calls: after the begin, in pieces (default); together with the begin; as an object; as JSON in JSON. */
  readonly arguments?: 'fragments' | 'whole' | 'object' | 'twice'
  /**
   * In a last chunk with `choices: []` when the request asks for it (default), always there, in the chunk with the finish reason, in every
   * chunk (growing), or nowhere.
   */
  readonly usage?: 'asked' | 'last' | 'finish' | 'every' | 'none'
}

export type ChatAnswer = Answer<ChatQuirks>

export function reasoningFieldOf({ reasoningField = 'reasoning_content' }: ChatQuirks): string {
  return reasoningField
}

/** The raw `finish_reason`. Default `tool_calls` with calls, else `stop`. */
export function finishOf(answer: ChatAnswer): string | null {
  return answer.finish === undefined ? (hasCalls(answer) ? 'tool_calls' : 'stop') : answer.finish
}

/**
 * `usage` as OpenAI writes it, with OpenRouter's `cost` (USD), when that `share` of the output (0 to 1) is said; `undefined` when it is not
 * reported.
 */
export function usageOf(answer: ChatAnswer, share = 1): object | undefined {
  const tokens = tokensOf(answer)
  if (tokens === undefined) return undefined
  const { inputTokens, cachedInputTokens, reasoningTokens, costUsd } = tokens
  const outputTokens = Math.ceil(tokens.outputTokens * share)
  const written = answer.usage?.cacheWriteTokens
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens, ...(written === undefined ? {} : { cache_write_tokens: written }) },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
    ...(costUsd === undefined ? {} : { cost: costUsd }),
  }
}
