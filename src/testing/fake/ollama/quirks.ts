import { type Answer, tokensOf, type WireQuirks } from '../reply.ts'

/** How Ollama servers differ on the wire. Everything absent is as the newest does it. */
export interface OllamaQuirks extends WireQuirks {
  /** Whether calls have ids. Default true; older servers give none. */
  readonly ids?: boolean
  /** Arguments as an object (default), or as its text. */
  readonly arguments?: 'object' | 'text'
  /** Without `prompt_eval_count`: the prompt was known from before. Default false. */
  readonly promptKnown?: boolean
  /** All calls in one line. Default: a line each. */
  readonly callsTogether?: boolean
  /** Without `done_reason`, as older servers. Default false. */
  readonly noReason?: boolean
}

/** How strict the server is. Everything absent is as Ollama is. */
export interface OllamaRules {
  /** Fields that this server knows besides, and options. */
  readonly extraFields?: readonly string[]
  readonly extraOptions?: readonly string[]
}

export type OllamaAnswer = Answer<OllamaQuirks>

/** What the last line tells besides. Durations are in nanoseconds. */
export function measuresOf(answer: OllamaAnswer, { promptKnown }: OllamaQuirks): object {
  const tokens = tokensOf(answer)
  const counts =
    tokens === undefined
      ? {}
      : { ...(promptKnown === true ? {} : { prompt_eval_count: tokens.inputTokens }), eval_count: tokens.outputTokens }
  return { total_duration: 1_500_000_000, load_duration: 20_000_000, ...counts, eval_duration: 900_000_000 }
}
