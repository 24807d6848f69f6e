import { RondoError } from '../../core/error.ts'
import { sentenceOf, unknownKeys } from '../../core/known-keys.ts'
import { safeText } from '../safe-text.ts'
import type { KnownCapabilities, ModelFacts, ModelPrices } from './entry.ts'
import { type ModelName, splitName } from './names.ts'

/** What a value must be, in words, and whether it is. */
type Rule = readonly [what: string, fits: (value: unknown) => boolean]
type Rules<X> = { readonly [name in keyof Required<X>]: Rule }

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
const isName = (value: unknown) => typeof value === 'string' && value.trim() === value && value !== ''

const tokens: Rule = ['a positive whole number of tokens', (value) => Number.isSafeInteger(value) && Number(value) > 0]
const rate: Rule = ['US dollars for a million tokens, 0 or more', (value) => typeof value === 'number' && value >= 0 && value < 1e6]
const flag: Rule = ['a boolean', (value) => typeof value === 'boolean']

const factRules: Rules<ModelFacts> = {
  aliases: ['a list of names, each without the provider', (value) => Array.isArray(value) && value.every(isName)],
  contextWindow: tokens,
  maxInputTokens: tokens,
  maxOutputTokens: tokens,
  prices: ['an object, as { input: 0.25, output: 2 }', isObject],
  capabilities: ['an object, as { reasoning: true }', isObject],
}
const rateRules = { input: rate, output: rate, cachedInput: rate, cacheWrite: rate, longCacheWrite: rate }
const priceRules: Rules<ModelPrices> = {
  ...rateRules,
  tiers: ['a list, as [{ above: 200_000, input: 0.5, output: 4 }]', (value) => Array.isArray(value) && value.every(isObject)],
}
const tierRules = { ...rateRules, above: tokens }
const capabilityRules: Rules<KnownCapabilities> = {
  structuredOutput: ["'native', 'tool' or 'prompt'", (value) => value === 'native' || value === 'tool' || value === 'prompt'],
  parallelCalls: flag,
  imagesInResults: flag,
  reasoning: flag,
  images: flag,
}

/** What others call these. */
const words = {
  context: 'contextWindow',
  maxTokens: 'maxOutputTokens',
  cost: 'prices',
  pricing: 'prices',
  cacheRead: 'cachedInput',
  vision: 'images',
}

/** The entries by the parts of their names. Throws `ConfigInvalid` for what can't be used, and names all of it. */
export function checkEntries(entries: unknown): readonly { readonly name: ModelName; readonly facts: ModelFacts }[] {
  if (!isObject(entries)) throw invalid(["the entries must be an object, as { 'openai:NAME': { contextWindow: 128_000 } }"])
  const wrong: string[] = []
  const checked = Object.entries(entries).flatMap(([key, facts]: [string, unknown]) => {
    const shown = `'${safeText(key, 100)}'`
    const name = splitName(key)
    if (name === undefined) wrong.push(`${shown} must have a provider, as 'openai:NAME'`)
    if (!isObject(facts)) wrong.push(`${shown} must be an object, as { contextWindow: 128_000 }`)
    else wrong.push(...faultsOf(facts).map((fault) => `${shown}: ${fault}`))
    return name === undefined ? [] : [{ name, facts: facts as ModelFacts }]
  })
  if (wrong.length > 0) throw invalid(wrong)
  return checked
}

/** Throws `ConfigInvalid` for prices that can't be used. */
export function checkPrices(prices: unknown): asserts prices is ModelPrices {
  const wrong = isObject(prices) ? priceFaults(prices, '') : ['the prices must be an object, as { input: 0.25, output: 2 }, or a catalogue']
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `priced: ${sentenceOf(wrong)}`)
}

function faultsOf(facts: object): string[] {
  const { prices, capabilities }: { prices?: unknown; capabilities?: unknown } = facts
  return [
    ...faults(facts, factRules, ''),
    ...(isObject(prices) ? priceFaults(prices, 'prices.') : []),
    ...(isObject(capabilities) ? faults(capabilities, capabilityRules, 'capabilities.') : []),
  ]
}

function priceFaults(prices: object, prefix: string): string[] {
  const { tiers }: { tiers?: unknown } = prices
  const inTiers = Array.isArray(tiers) ? tiers.filter(isObject) : []
  return [
    ...faults(prices, priceRules, prefix),
    ...missing(prices, ['input', 'output'], prefix),
    ...inTiers.flatMap((tier, at) => [
      ...faults(tier, tierRules, `${prefix}tiers[${at}].`),
      ...missing(tier, ['above', 'input', 'output'], `${prefix}tiers[${at}].`),
    ]),
  ]
}

function faults(values: object, rules: { readonly [name: string]: Rule }, prefix: string): string[] {
  const wrong = unknownKeys(values, new Set(Object.keys(rules)), prefix, words)
  for (const [name, [what, fits]] of Object.entries(rules)) {
    const value: unknown = Reflect.get(values, name)
    if (value !== undefined && !fits(value)) wrong.push(`${prefix}${name} must be ${what}`)
  }
  return wrong
}

function missing(values: object, names: readonly string[], prefix: string): string[] {
  return names.filter((name) => Reflect.get(values, name) === undefined).map((name) => `${prefix}${name} is missing`)
}

function invalid(wrong: readonly string[]): RondoError {
  return new RondoError('ConfigInvalid', `defineModels: ${sentenceOf(wrong)}`)
}
