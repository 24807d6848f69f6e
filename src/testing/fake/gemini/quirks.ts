import { type Answer, hasCalls, tokensOf, type WireQuirks } from '../reply.ts'

/** How servers of `generateContent` differ on the wire. Everything absent is as the Gemini API does it. */
export interface GeminiQuirks extends WireQuirks {
  /** Whether calls have ids. Default true. */
  readonly ids?: boolean
  /** Arguments come in pieces, each with its place (Vertex AI with `streamFunctionCallArguments`). Default: whole. Only where all of them can be said so. */
  readonly partialArgs?: boolean
  /**
   * Where signatures stand: on the first call (default for Gemini 3), there and on an empty text at the end, there and on the last text, or
   * nowhere (default for older models).
   */
  readonly signatures?: 'call' | 'end' | 'text' | 'none'
  /** The reason of the end: its name (default), or its number where the two APIs agree on it. */
  readonly finish?: 'name' | 'number'
  /** Where that stands: in an event of its own with an empty text (default), in one without content, or with the last piece. */
  readonly finishIn?: 'own' | 'bare' | 'last'
  /** In each event, growing (default), in the last one, or nowhere. */
  readonly usage?: 'every' | 'last' | 'none'
  /** As servers pretty-print it: a blank behind each colon. */
  readonly spaced?: boolean
}

/** How strict the server is. Everything absent is as the model in the path is. */
export interface GeminiRules {
  /** Calls of the current turn must be signed; media in results, tools with a schema of the output are taken. Default: by the model. */
  readonly isGemini3?: boolean
}

export type GeminiAnswer = Answer<GeminiQuirks>

const numbers: { readonly [reason: string]: number } = { STOP: 1, MAX_TOKENS: 2 }

/** The raw `finishReason`. Default `STOP`, with calls or without. */
export function finishOf({ finish = 'STOP' }: GeminiAnswer, quirks: GeminiQuirks): string | number | null {
  return quirks.finish === 'number' && finish !== null ? (numbers[finish] ?? finish) : finish
}

/** `usageMetadata` when that `share` of the output (0 to 1) is said; numbers that are zero are left out, as servers do. */
export function usageOf(answer: GeminiAnswer, share = 1): object | undefined {
  const tokens = tokensOf(answer)
  if (tokens === undefined) return undefined
  const { inputTokens, cachedInputTokens, reasoningTokens } = tokens
  const candidates = Math.ceil((tokens.outputTokens - reasoningTokens) * share)
  return {
    promptTokenCount: inputTokens,
    ...(candidates === 0 ? {} : { candidatesTokenCount: candidates }),
    totalTokenCount: inputTokens + candidates + reasoningTokens,
    ...(cachedInputTokens === 0 ? {} : { cachedContentTokenCount: cachedInputTokens }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
  }
}

/** Where signatures stand in this answer. */
export function signaturesOf(
  answer: GeminiAnswer,
  { signatures }: GeminiQuirks,
  isGemini3: boolean,
): { call: boolean; end: boolean; text: boolean } {
  const where = signatures ?? (isGemini3 ? 'call' : 'none')
  const calls = hasCalls(answer)
  return { call: where !== 'none', end: where === 'end' && !calls, text: where === 'text' && !calls }
}
