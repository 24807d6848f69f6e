/**
 * Tokens of one or more model calls. `inputTokens` includes the cached and cache-write ones, `outputTokens` the reasoning
 * ones. `complete: false` says that at least one call did not report its usage: the numbers are then a lower bound.
 * `costUsd` (US dollars) is present when it is known for every call.
 */
export interface Usage {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  /** Of the cache-write ones, those that are kept for longer than usual (an hour, with Anthropic) and cost more. Absent: none are known. */
  readonly longCacheWriteTokens?: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly costUsd?: number
  readonly complete: boolean
}

export const noUsage: Usage = Object.freeze({
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  complete: true,
})

/** What a call without reported usage counts as: nothing known. */
export const unknownUsage: Usage = Object.freeze({ ...noUsage, complete: false })

export function addUsage(total: Usage, more: Usage): Usage {
  const costUsd = addCost(total, more)
  const longCacheWriteTokens = (total.longCacheWriteTokens ?? 0) + (more.longCacheWriteTokens ?? 0)
  const sum = {
    inputTokens: total.inputTokens + more.inputTokens,
    cachedInputTokens: total.cachedInputTokens + more.cachedInputTokens,
    cacheWriteTokens: total.cacheWriteTokens + more.cacheWriteTokens,
    ...(longCacheWriteTokens > 0 ? { longCacheWriteTokens } : {}),
    outputTokens: total.outputTokens + more.outputTokens,
    reasoningTokens: total.reasoningTokens + more.reasoningTokens,
    complete: total.complete && more.complete,
  }
  return costUsd === undefined ? sum : { ...sum, costUsd }
}

/** Known only when every part is known; a total that has counted nothing yet takes the first cost as it is. */
function addCost(total: Usage, more: Usage): number | undefined {
  if (total === noUsage) return more.costUsd
  if (total.costUsd === undefined || more.costUsd === undefined) return undefined
  return total.costUsd + more.costUsd
}
