import { type Usage, unknownUsage } from '../../core/usage.ts'
import { countOf, isWire, type Wire } from '../wire.ts'

/**
 * Tokens as `usageMetadata` tells them: in each event anew, the later number in the place of the earlier one. Thoughts are counted beside the
 * answer, and what tools of the provider have read beside the prompt (B101). Numbers that are zero are left out.
 */
export class GeminiUsage {
  #last: Wire = {}

  read(usage: unknown): void {
    if (isWire(usage)) this.#last = { ...this.#last, ...usage }
  }

  get usage(): Usage {
    const last = this.#last
    const input = countOf(last['promptTokenCount'])
    const told = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'].some((name) => countOf(last[name]) !== undefined)
    if (!told) return unknownUsage
    const reasoningTokens = countOf(last['thoughtsTokenCount']) ?? 0
    return {
      inputTokens: (input ?? 0) + (countOf(last['toolUsePromptTokenCount']) ?? 0),
      cachedInputTokens: countOf(last['cachedContentTokenCount']) ?? 0,
      cacheWriteTokens: 0,
      outputTokens: (countOf(last['candidatesTokenCount']) ?? 0) + reasoningTokens,
      reasoningTokens,
      complete: input !== undefined,
    }
  }
}
