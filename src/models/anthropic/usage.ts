import { type Usage, unknownUsage } from '../../core/usage.ts'
import { countOf, isWire, type Wire } from '../wire.ts'

/**
 * Tokens as they are told: at the begin of a message and again at its end, each time as a whole. A later number replaces an earlier one, field
 * by field (B099). `input_tokens` leaves out what was read from and written to the cache: all of it is input here. What a provider-run tool
 * took is in it too, so that the input may well be over the window.
 */
export class MessagesUsage {
  readonly #told = new Map<keyof typeof fields, number>()
  #reasoning: number | undefined
  #costUsd: number | undefined
  #long = 0

  read(usage: unknown): void {
    if (!isWire(usage)) return
    for (const [name, field] of Object.entries(fields) as [keyof typeof fields, string][]) {
      const count = countOf(usage[field])
      if (count !== undefined) this.#told.set(name, count)
    }
    const { cache_creation: creation } = usage
    if (isWire(creation)) {
      this.#long = countOf(creation['ephemeral_1h_input_tokens']) ?? this.#long
      if (countOf(usage['cache_creation_input_tokens']) === undefined) this.#told.set('written', written(creation))
    }
    const { output_tokens_details: details } = usage
    this.#reasoning = (isWire(details) ? countOf(details['thinking_tokens']) : undefined) ?? this.#reasoning
    this.#costUsd = countOf(usage['cost']) ?? this.#costUsd
  }

  /** `complete` only when both counts are known: a missing one is not zero. */
  get usage(): Usage {
    const [input, output] = [this.#told.get('input'), this.#told.get('output')]
    if (input === undefined && output === undefined) return unknownUsage
    const [cachedInputTokens, cacheWriteTokens] = [this.#told.get('cached') ?? 0, this.#told.get('written') ?? 0]
    const usage = {
      inputTokens: (input ?? 0) + cachedInputTokens + cacheWriteTokens,
      cachedInputTokens,
      cacheWriteTokens,
      ...(this.#long > 0 ? { longCacheWriteTokens: this.#long } : {}),
      outputTokens: output ?? 0,
      reasoningTokens: this.#reasoning ?? 0,
      complete: input !== undefined && output !== undefined,
    }
    return this.#costUsd === undefined ? usage : { ...usage, costUsd: this.#costUsd }
  }
}

const fields = {
  input: 'input_tokens',
  cached: 'cache_read_input_tokens',
  written: 'cache_creation_input_tokens',
  output: 'output_tokens',
} as const

/** By how long it is kept: `ephemeral_5m_input_tokens`, `ephemeral_1h_input_tokens`. */
function written(creation: Wire): number {
  return Object.values(creation).reduce<number>((sum, count) => sum + (countOf(count) ?? 0), 0)
}
