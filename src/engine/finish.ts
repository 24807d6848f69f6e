import { RondoError } from '../core/error.ts'
import type { FinishReason, ModelFinish } from '../core/model.ts'
import { type Usage, unknownUsage } from '../core/usage.ts'

const finishReasons: ReadonlySet<unknown> = new Set<FinishReason>([
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'refusal',
  'pause-turn',
  'error',
  'other',
])

/**
 * How an adapter says a response ended, as far as that can be used: an adapter may be anybody's, and what it says goes into the journal and
 * the budgets. An unknown reason is `other`, a usage with what is no count is incomplete. Throws when there is no finish at all.
 */
export function readFinish(finish: ModelFinish): ModelFinish {
  if (typeof finish !== 'object' || finish === null)
    throw new RondoError('ModelUnknownError', "The model's stream() resolved without a finish: its adapter is at fault.")
  const known = finishReasons.has(finish.finishReason)
  const usage = readUsage(finish.usage)
  if (known && usage === finish.usage) return finish
  const raw = finish.rawFinishReason ?? String(finish.finishReason)
  return { ...finish, ...(known ? {} : { finishReason: 'other', rawFinishReason: raw }), usage }
}

function readUsage(usage: Usage): Usage {
  if (typeof usage !== 'object' || usage === null) return unknownUsage
  const { inputTokens, cachedInputTokens, cacheWriteTokens, longCacheWriteTokens, outputTokens, reasoningTokens, costUsd } = usage
  const costs = costUsd === undefined || isCount(costUsd)
  const written = isCount(cacheWriteTokens) && (longCacheWriteTokens === undefined || isCount(longCacheWriteTokens))
  const counts = isCount(inputTokens) && isCount(cachedInputTokens) && written
  if (costs && counts && isCount(outputTokens) && isCount(reasoningTokens)) return usage
  return {
    inputTokens: countOf(inputTokens),
    cachedInputTokens: countOf(cachedInputTokens),
    cacheWriteTokens: countOf(cacheWriteTokens),
    outputTokens: countOf(outputTokens),
    reasoningTokens: countOf(reasoningTokens),
    ...(costUsd !== undefined && isCount(costUsd) ? { costUsd } : {}),
    complete: false,
  }
}

function isCount(value: number): boolean {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}

function countOf(value: number): number {
  return isCount(value) ? value : 0
}
