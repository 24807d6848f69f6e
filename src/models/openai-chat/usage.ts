import { type Usage, unknownUsage } from '../../core/usage.ts'
import { countOf, isWire, type Wire } from '../wire.ts'

/**
 * Tokens as servers report them: in the last chunk, in every chunk, more than once, beside the choices or under a name of their own. A
 * later number replaces an earlier one, field by field, and is never added to it (B098, B099); what nobody told stays unknown.
 */
export class ChatUsage {
  #input: number | undefined
  #output: number | undefined
  #cached: number | undefined
  #cacheWrite: number | undefined
  #reasoning: number | undefined
  #costUsd: number | undefined

  read(usage: unknown): void {
    if (!isWire(usage)) return
    const input = part(usage, 'prompt_tokens_details')
    const output = part(usage, 'completion_tokens_details')
    this.#input = countOf(usage['prompt_tokens']) ?? this.#input
    this.#output = outputOf(usage, countOf(output['reasoning_tokens'])) ?? this.#output
    this.#cached =
      countOf(input['cached_tokens']) ??
      countOf(usage['prompt_cache_hit_tokens']) ??
      countOf(usage['cache_read_input_tokens']) ??
      countOf(usage['cached_tokens']) ??
      countOf(usage['num_cached_tokens']) ??
      this.#cached
    this.#cacheWrite = countOf(input['cache_write_tokens']) ?? countOf(usage['cache_creation_input_tokens']) ?? this.#cacheWrite
    this.#reasoning = countOf(output['reasoning_tokens']) ?? this.#reasoning
    this.#costUsd = costOf(usage['cost']) ?? this.#costUsd
  }

  /** `complete` only when both counts are known: a missing one is not zero. */
  get usage(): Usage {
    if (this.#input === undefined && this.#output === undefined) return unknownUsage
    const usage = {
      inputTokens: this.#input ?? 0,
      cachedInputTokens: this.#cached ?? 0,
      cacheWriteTokens: this.#cacheWrite ?? 0,
      outputTokens: this.#output ?? 0,
      reasoningTokens: this.#reasoning ?? 0,
      complete: this.#input !== undefined && this.#output !== undefined,
    }
    return this.#costUsd === undefined ? usage : { ...usage, costUsd: this.#costUsd }
  }
}

/** Some servers (xAI, Gemini) count reasoning beside the completion and not in it: their total says so. */
function outputOf(usage: Wire, reasoning: number | undefined): number | undefined {
  const [input, output, total] = [countOf(usage['prompt_tokens']), countOf(usage['completion_tokens']), countOf(usage['total_tokens'])]
  if (input === undefined || output === undefined || total === undefined) return output
  const beside = reasoning !== undefined && reasoning > 0 && total === input + output + reasoning
  return beside || (reasoning ?? 0) > output ? Math.max(output, total - input) : output
}

function part(usage: Wire, name: string): Wire {
  const value = usage[name]
  return isWire(value) ? value : {}
}

/** OpenRouter tells US dollars as a number, Perplexity as an object with its total. */
function costOf(cost: unknown): number | undefined {
  return countOf(isWire(cost) ? cost['total_cost'] : cost)
}
