import { type Usage, unknownUsage } from '../../core/usage.ts'
import { countOf, isWire, type Wire } from '../wire.ts'

/** xAI tells what a response cost in ticks: docs.x.ai/developers/cost-tracking. */
const ticksPerUsd = 1e10

/** Tokens as the last snapshot of the response tells them; what nobody told stays unknown. */
export function usageOf(usage: unknown): Usage {
  if (!isWire(usage)) return unknownUsage
  const input = countOf(usage['input_tokens'])
  const output = countOf(usage['output_tokens'])
  if (input === undefined && output === undefined) return unknownUsage
  const inputs = part(usage, 'input_tokens_details')
  const costUsd = costOf(usage)
  return {
    inputTokens: input ?? 0,
    cachedInputTokens: countOf(inputs['cached_tokens']) ?? 0,
    cacheWriteTokens: countOf(inputs['cache_write_tokens']) ?? 0,
    outputTokens: output ?? 0,
    reasoningTokens: countOf(part(usage, 'output_tokens_details')['reasoning_tokens']) ?? 0,
    complete: input !== undefined && output !== undefined,
    ...(costUsd === undefined ? {} : { costUsd }),
  }
}

/** OpenRouter tells US dollars. */
function costOf(usage: Wire): number | undefined {
  const ticks = countOf(usage['cost_in_usd_ticks'])
  return ticks === undefined ? countOf(usage['cost']) : ticks / ticksPerUsd
}

function part(usage: Wire, name: string): Wire {
  const value = usage[name]
  return isWire(value) ? value : {}
}
