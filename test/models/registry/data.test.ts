import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { dataSource, lookupModel, models } from '../../../src/models/registry/index.ts'
import { readTable } from '../../../src/models/registry/table.ts'

test('a line of the table is a model: limits, abilities, prices and tiers, and what is not told is absent', () => {
  const text = [
    '',
    '@ acme api.acme.example',
    'one 200000 - ri 3 15 0.3 - >100000 6 20 - 7',
    'two - 8192 -',
    '@ other -',
    'free 10 5 i 0 0 0 0',
    '',
  ]
  expect(readTable(text.join('\n'))).toEqual([
    {
      provider: 'acme',
      host: 'api.acme.example',
      entries: [
        {
          provider: 'acme',
          id: 'one',
          aliases: [],
          contextWindow: 200_000,
          capabilities: { reasoning: true, images: true },
          prices: { input: 3, output: 15, cachedInput: 0.3, tiers: [{ above: 100_000, input: 6, output: 20, cacheWrite: 7 }] },
          origin: 'data',
        },
        {
          provider: 'acme',
          id: 'two',
          aliases: [],
          maxOutputTokens: 8_192,
          capabilities: { reasoning: false, images: false },
          origin: 'data',
        },
      ],
    },
    {
      provider: 'other',
      host: undefined,
      entries: [
        {
          provider: 'other',
          id: 'free',
          aliases: [],
          contextWindow: 10,
          maxOutputTokens: 5,
          capabilities: { reasoning: false, images: true },
          prices: { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 },
          origin: 'data',
        },
      ],
    },
  ])
})

test('the data names its package, version, licence and day', () => {
  expect(dataSource).toEqual({
    package: expect.stringMatching(/^@?[\w/-]+$/),
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    licence: 'MIT',
    date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
  })
})

const providers = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'groq',
  'xai',
  'deepseek',
  'together',
  'openrouter',
  'azure',
  'amazon-bedrock',
]

test.each(providers)('the data has models of %s, with windows and prices', (provider) => {
  const own = models().filter((entry) => entry.provider === provider)
  expect(own.filter(({ contextWindow, prices }) => contextWindow !== undefined && prices !== undefined).length).toBeGreaterThan(1)
})

test('the data is plausible: positive limits, windows beyond each price tier, nothing free but what says so, no model twice', () => {
  const odd = models().flatMap((entry) => {
    const { provider, id, contextWindow, maxOutputTokens, prices } = entry
    const limits = [contextWindow, maxOutputTokens].filter((limit) => limit !== undefined)
    const rates = prices === undefined ? [] : [prices, ...(prices.tiers ?? [])]
    const isBounded = limits.every((limit) => Number.isSafeInteger(limit) && limit > 0 && limit <= 20_000_000)
    const isWide = (prices?.tiers ?? []).every(({ above }) => contextWindow === undefined || contextWindow > above)
    const isPaid = id.endsWith(':free') || rates.every(({ input, output }) => input > 0 && output > 0 && output < 1_000)
    return isBounded && isWide && isPaid ? [] : [`${provider}:${id}`]
  })
  expect(odd).toEqual([])
  expect(new Set(models().map(({ provider, id }) => `${provider}:${id}`)).size).toBe(models().length)
})

test("what is kept for an hour costs twice the input with Anthropic's models, wherever they are, and is not known of others", () => {
  for (const name of [
    'anthropic:claude-sonnet-4-5',
    'openrouter:anthropic/claude-sonnet-4.5',
    'amazon-bedrock:anthropic.claude-opus-4-7',
  ]) {
    const { prices } = lookupModel(name) ?? {}
    for (const { input, cacheWrite, longCacheWrite } of prices === undefined ? [] : [prices, ...(prices.tiers ?? [])])
      expect([longCacheWrite, (cacheWrite ?? 0) < 2 * input], name).toEqual([2 * input, true])
  }
  const others = models().filter(({ id, prices }) => !id.includes('claude') && prices?.longCacheWrite !== undefined)
  expect(others).toEqual([])
})

test('no tier is cheaper than what is below it', () => {
  const cheaper = models().filter(({ prices }) => (prices?.tiers ?? []).some(({ input }) => input < (prices?.input ?? 0)))
  expect(cheaper.map(({ provider, id }) => `${provider}:${id}`)).toEqual([])
})

test('nothing but the command and its own sub-path loads the data: the root entry and the adapters stay small', () => {
  const src = fileURLToPath(new URL('../../../src/', import.meta.url))
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const loading = files.filter((name) => /from '[^']*\bregistry\/|import\('[^']*\bregistry\//.test(readFileSync(`${src}${name}`, 'utf8')))
  expect(loading.filter((name) => !name.startsWith('cli/'))).toEqual([])
  const statically = loading.filter((name) => /^import (?!type)[^\n]*\bregistry\//m.test(readFileSync(`${src}${name}`, 'utf8')))
  expect(statically).toEqual([])
})
