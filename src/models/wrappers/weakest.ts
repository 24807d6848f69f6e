import type { Model, ModelCapabilities } from '../../core/model.ts'

const byStrength: readonly ModelCapabilities['structuredOutput'][] = ['prompt', 'tool', 'native']

/** What every one of the models can do: the smallest window and output limit that are known, and no more than the weakest of them. */
export function weakest(models: readonly Model[]): ModelCapabilities {
  const all = models.map(({ capabilities }) => capabilities)
  const contextWindow = least(all.map((one) => one.contextWindow))
  const maxOutputTokens = least(all.map((one) => one.maxOutputTokens))
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    structuredOutput: byStrength.find((kind) => all.some((one) => one.structuredOutput === kind)) ?? 'prompt',
    parallelCalls: all.every((one) => one.parallelCalls),
    imagesInResults: all.every((one) => one.imagesInResults),
    reasoning: all.every((one) => one.reasoning),
  }
}

function least(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
