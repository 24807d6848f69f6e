import { type Usage, unknownUsage } from '../../core/usage.ts'
import { countOf, isWire, type Wire, wires } from '../wire.ts'

/**
 * Tokens as a package tells them: flat in specification 2, by kind in the later ones. `complete` only when both totals are known: a missing one is not
 * zero.
 *
 * @param metadata The `providerMetadata` of the finish.
 */
export function usageOf(usage: unknown, metadata: unknown): Usage {
  if (!isWire(usage)) return unknownUsage
  const { input, cached, cacheWrite, output, reasoning } = isWire(usage['inputTokens']) ? nested(usage) : flat(usage, metadata)
  if (input === undefined && output === undefined) return unknownUsage
  const long = longWrites(isWire(usage['raw']) ? usage['raw'] : undefined) ?? longWrites(rawBeside(metadata)) ?? 0
  const tokens = {
    inputTokens: input ?? 0,
    cachedInputTokens: cached ?? 0,
    cacheWriteTokens: cacheWrite ?? 0,
    ...(long > 0 ? { longCacheWriteTokens: long } : {}),
    outputTokens: output ?? 0,
    reasoningTokens: reasoning ?? 0,
    complete: input !== undefined && output !== undefined,
  }
  // OpenRouter tells what a call cost, in US dollars.
  const costUsd = isWire(usage['raw']) ? countOf(usage['raw']['cost']) : undefined
  return costUsd === undefined ? tokens : { ...tokens, costUsd }
}

/** What Anthropic's API and Bedrock tell of what they keep for an hour, in their own words. */
function longWrites(raw: Wire | undefined): number | undefined {
  if (isWire(raw?.['cache_creation'])) return countOf(raw['cache_creation']['ephemeral_1h_input_tokens'])
  const long = wires(raw?.['cacheDetails']).filter(({ ttl }) => ttl === '1h')
  return long.length === 0 ? undefined : sum(0, ...long.map(({ inputTokens }) => countOf(inputTokens)))
}

/** Packages of specification 2 have it in the metadata. */
function rawBeside(metadata: unknown): Wire | undefined {
  const own = isWire(metadata) ? (metadata['anthropic'] ?? metadata['bedrock']) : undefined
  return isWire(own) && isWire(own['usage']) ? own['usage'] : undefined
}

interface Tokens {
  /** With the cached ones. */
  readonly input: number | undefined
  readonly cached: number | undefined
  readonly cacheWrite: number | undefined
  /** With the reasoning. */
  readonly output: number | undefined
  readonly reasoning: number | undefined
}

function nested(usage: Wire): Tokens {
  const input = isWire(usage['inputTokens']) ? usage['inputTokens'] : {}
  const output = isWire(usage['outputTokens']) ? usage['outputTokens'] : {}
  const [cached, cacheWrite, reasoning] = [countOf(input['cacheRead']), countOf(input['cacheWrite']), countOf(output['reasoning'])]
  return {
    input: countOf(input['total']) ?? sum(countOf(input['noCache']), cached, cacheWrite),
    cached,
    cacheWrite,
    output: countOf(output['total']) ?? sum(countOf(output['text']), reasoning),
    reasoning,
  }
}

function flat(usage: Wire, metadata: unknown): Tokens {
  const [input, output, total] = [countOf(usage['inputTokens']), countOf(usage['outputTokens']), countOf(usage['totalTokens'])]
  const [cached, reasoning] = [countOf(usage['cachedInputTokens']), countOf(usage['reasoningTokens'])]
  const beside = cacheBeside(metadata)
  return {
    // Anthropic counts what went through the cache beside the input and not in it, and packages of specification 2 pass that on.
    input: beside === undefined ? input : sum(input, cached, beside),
    cached,
    cacheWrite: beside,
    output: isBeside(input, output, reasoning, total) ? sum(output, reasoning) : output,
    reasoning,
  }
}

/** Tokens written to the cache where a provider counts those beside the input; `undefined` where it does not. */
function cacheBeside(metadata: unknown): number | undefined {
  if (!isWire(metadata)) return undefined
  const { anthropic, bedrock } = metadata
  if (isWire(anthropic)) return countOf(anthropic['cacheCreationInputTokens']) ?? 0
  if (!isWire(bedrock) || !isWire(bedrock['usage'])) return undefined
  return countOf(bedrock['usage']['cacheWriteInputTokens']) ?? 0
}

/** Gemini counts reasoning beside the output: the total says so. */
function isBeside(input?: number, output?: number, reasoning?: number, total?: number): boolean {
  if (input === undefined || output === undefined || reasoning === undefined || total === undefined) return false
  return reasoning > 0 && total === input + output + reasoning
}

function sum(first: number | undefined, ...more: readonly (number | undefined)[]): number | undefined {
  return first === undefined ? undefined : more.reduce<number>((total, next) => total + (next ?? 0), first)
}
