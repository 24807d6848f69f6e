import type { Usage } from '../../core/usage.ts'
import type { ModelPrices, ModelRates } from './entry.ts'

/**
 * What the tokens of one model call cost by these prices, in US dollars. `undefined` where that is not known: a count was not told (`complete: false`), or there
 * is no price for tokens that were used. Never 0 for what is not known.
 */
export function costOf(usage: Usage, prices: ModelPrices): number | undefined {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, longCacheWriteTokens = 0, outputTokens, complete } = usage
  const plainInput = inputTokens - cachedInputTokens - cacheWriteTokens
  // A server that counts cached tokens beside the input has told something else than it seems.
  if (!complete || plainInput < 0) return undefined
  const { input, output, cachedInput, cacheWrite, longCacheWrite } = ratesFor(inputTokens, prices)
  const parts = [
    times(plainInput, input),
    times(cachedInputTokens, cachedInput),
    times(cacheWriteTokens - longCacheWriteTokens, cacheWrite),
    times(longCacheWriteTokens, longCacheWrite),
    times(outputTokens, output),
  ]
  let millionths = 0
  for (const part of parts) {
    if (part === undefined) return undefined
    millionths += part
  }
  // A millionth of a millionth of a dollar: what is finer is an error of binary fractions.
  return Math.round(millionths * 1e6) / 1e12
}

/** Those of the highest tier that the request has come into. */
function ratesFor(inputTokens: number, { tiers = [], ...base }: ModelPrices): ModelRates {
  let rates: ModelRates = base
  let highest = -1
  for (const tier of tiers) {
    if (inputTokens <= tier.above || tier.above <= highest) continue
    rates = tier
    highest = tier.above
  }
  return rates
}

/** An adapter may be anybody's: what is no count costs nothing that is known. */
function times(tokens: number, rate: number | undefined): number | undefined {
  if (tokens === 0) return 0
  return rate === undefined || !(tokens > 0) ? undefined : tokens * rate
}
