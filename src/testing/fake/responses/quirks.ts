import { type Answer, tokensOf, type WireQuirks } from '../reply.ts'

/** How real servers of the Responses API differ on the wire. Everything absent is as OpenAI does it. */
export interface ResponsesQuirks extends WireQuirks {
  /** Events without an `event:` line (OpenRouter). */
  readonly unnamed?: boolean
  /** Ends with `[DONE]` (OpenRouter). */
  readonly doneSentinel?: boolean
  /** Random padding in each event. */
  readonly padded?: boolean
  /** How an event tells its item: by its place and id (default), by one of both, by a new id each time, or all in place 0. */
  readonly items?: 'both' | 'id' | 'place' | 'renamed' | 'zero'
  /** What tells texts and arguments: all that OpenAI sends (default), no deltas, deltas and the last snapshot, items only, the snapshot only. */
  readonly tells?: 'all' | 'no-deltas' | 'deltas' | 'items' | 'snapshot'
  /** The output of the last snapshot is empty. */
  readonly emptySnapshot?: boolean
  /** Reasoning: encrypted when it is asked for (default), as text in `content`, or only as a summary under its id. */
  readonly reasoning?: 'encrypted' | 'content' | 'stored'
  /** Arguments as an object. */
  readonly objectArguments?: boolean
  /** In the last snapshot (default) or nowhere. */
  readonly usage?: 'last' | 'none'
}

/** How strict the server is. Everything absent is as OpenAI is. */
export interface ResponsesRules {
  /** Fields that this server knows besides OpenAI's. */
  readonly extraFields?: readonly string[]
  /** Results are texts: pictures and files in them are refused. Default false. */
  readonly textResults?: boolean
  /** Responses that it has kept, by their ids: what goes on from another one is refused. Default: those that it has given. */
  readonly kept?: readonly string[]
  /** It keeps nothing for whom it talks to, whatever `store` says (zero data retention). Default false. */
  readonly keepsNothing?: boolean
}

export type ResponsesAnswer = Answer<ResponsesQuirks>

/** `usage` as OpenAI writes it, with OpenRouter's `cost` (USD); null when it is not reported. */
export function usageOf(answer: ResponsesAnswer, { usage }: ResponsesQuirks): object | null {
  const tokens = usage === 'none' ? undefined : tokensOf(answer)
  if (tokens === undefined) return null
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens, costUsd } = tokens
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
    ...(costUsd === undefined ? {} : { cost: costUsd }),
  }
}
