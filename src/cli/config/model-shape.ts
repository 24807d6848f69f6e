import type { Shape } from './shapes.ts'

const tokens: Shape = { is: 'whole', from: 1, to: 1_000_000_000 }
const flag: Shape = { is: 'switch' }
const rate: Shape = { is: 'rate' }
const rates = { input: rate, output: rate, cachedInput: rate, cacheWrite: rate, longCacheWrite: rate }

const tier: Shape = {
  is: 'fields',
  of: { above: tokens, ...rates },
  needs: ['above', 'input', 'output'],
  example: '{ "above": 200000, "input": 0.5, "output": 4 }',
}

/** What a user says of models: the entries of `defineModels`, which takes whatever fits this. */
export const modelsShape: Shape = {
  is: 'named',
  name: 'models, each by provider and name',
  pattern: '^[^\\s:]+:\\S',
  example: '{ "openai:NAME": { "contextWindow": 128000 } }',
  of: {
    is: 'fields',
    needs: [],
    example: '{ "contextWindow": 128000 }',
    of: {
      aliases: { is: 'list', of: 'names without a provider', pattern: '^\\S+$' },
      contextWindow: tokens,
      maxInputTokens: tokens,
      maxOutputTokens: tokens,
      prices: {
        is: 'fields',
        of: { ...rates, tiers: { is: 'several', of: tier, name: 'rates, each with "above"' } },
        needs: ['input', 'output'],
        example: '{ "input": 0.25, "output": 2 }',
      },
      capabilities: {
        is: 'fields',
        of: {
          reasoning: flag,
          images: flag,
          imagesInResults: flag,
          parallelCalls: flag,
          structuredOutput: { is: 'choice', of: ['native', 'tool', 'prompt'] },
        },
        needs: [],
        example: '{ "reasoning": true }',
      },
    },
  },
}
