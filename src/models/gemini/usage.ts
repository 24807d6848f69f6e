import { type Usage, unknownUsage } from '../../core/usage.ts'
import { isWire, type Wire } from '../wire.ts'

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
    const input = this.#tokens('promptTokenCount')
    if (input === undefined) return unknownUsage
    const reasoningTokens = this.#tokens('thoughtsTokenCount') ?? 0
    return {
      inputTokens: input + (this.#tokens('toolUsePromptTokenCount') ?? 0),
      cachedInputTokens: this.#tokens('cachedContentTokenCount') ?? 0,
      cacheWriteTokens: 0,
      outputTokens: (this.#tokens('candidatesTokenCount') ?? 0) + reasoningTokens,
      reasoningTokens,
      complete: true,
    }
  }

  #tokens(name: string): number | undefined {
    const value = this.#last[name]
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
  }
}
