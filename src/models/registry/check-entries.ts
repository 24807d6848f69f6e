import {
  aBoolean,
  abilityRules,
  anObject,
  faultsIn,
  faultsInGroup,
  hasFields,
  invalidOptions,
  isName,
  type Rule,
  type Rules,
  refuse,
  tokens,
} from '../option-rules.ts'
import { safeText } from '../safe-text.ts'
import type { KnownCapabilities, ModelFacts, ModelPrices } from './entry.ts'
import { type ModelName, splitName } from './names.ts'

const isNameAsItIs = (value: unknown) => isName(value) && value.trim() === value
const rate: Rule = ['US dollars for a million tokens, 0 or more', (value) => typeof value === 'number' && value >= 0 && value < 1e6]

const factRules: Rules<ModelFacts> = {
  aliases: ['a list of names, each without the provider', (value) => Array.isArray(value) && value.every(isNameAsItIs)],
  contextWindow: tokens,
  maxInputTokens: tokens,
  maxOutputTokens: tokens,
  prices: anObject('{ input: 0.25, output: 2 }'),
  capabilities: anObject('{ reasoning: true }'),
}
const rateRules = { input: rate, output: rate, cachedInput: rate, cacheWrite: rate, longCacheWrite: rate }
const priceRules: Rules<ModelPrices> = {
  ...rateRules,
  tiers: ['a list, as [{ above: 200_000, input: 0.5, output: 4 }]', (value) => Array.isArray(value) && value.every(hasFields)],
}
const tierRules = { ...rateRules, above: tokens }
const capabilityRules: Rules<KnownCapabilities> = { ...abilityRules, images: aBoolean }

/** What others call these. */
const words = {
  context: 'contextWindow',
  maxTokens: 'maxOutputTokens',
  cost: 'prices',
  pricing: 'prices',
  cacheRead: 'cachedInput',
  vision: 'images',
}

const maker = 'defineModels'

/** The entries by the parts of their names. Throws `ConfigInvalid` for what can't be used, and names all of it. */
export function checkEntries(entries: unknown): readonly { readonly name: ModelName; readonly facts: ModelFacts }[] {
  if (!hasFields(entries)) throw invalidOptions(maker, ["the entries must be an object, as { 'openai:NAME': { contextWindow: 128_000 } }"])
  const wrong: string[] = []
  const checked = Object.entries(entries).flatMap(([key, facts]: [string, unknown]) => {
    const shown = `'${safeText(key, 100)}'`
    const name = splitName(key)
    if (name === undefined) wrong.push(`${shown} must have a provider, as 'openai:NAME'`)
    if (!hasFields(facts)) wrong.push(`${shown} must be an object, as { contextWindow: 128_000 }`)
    else wrong.push(...faultsOf(facts).map((fault) => `${shown}: ${fault}`))
    return name === undefined ? [] : [{ name, facts: facts as ModelFacts }]
  })
  refuse(maker, wrong)
  return checked
}

/** Throws `ConfigInvalid` for prices that can't be used. */
export function checkPrices(prices: unknown): asserts prices is ModelPrices {
  const wrong = hasFields(prices)
    ? priceFaults(prices, '')
    : ['the prices must be an object, as { input: 0.25, output: 2 }, or a catalogue']
  refuse('priced', wrong)
}

function faultsOf(facts: { readonly [name: string]: unknown }): string[] {
  const { prices, capabilities } = facts
  return [
    ...faultsIn(facts, factRules, { words, shows: true }),
    ...(hasFields(prices) ? priceFaults(prices, 'prices.') : []),
    ...faultsInGroup(capabilities, capabilityRules, { prefix: 'capabilities.', words, shows: true }),
  ]
}

function priceFaults(prices: { readonly [name: string]: unknown }, prefix: string): string[] {
  const { tiers } = prices
  const inTiers = Array.isArray(tiers) ? tiers.filter(hasFields) : []
  return [
    ...faultsIn(prices, priceRules, { prefix, words, required: ['input', 'output'], shows: true }),
    ...inTiers.flatMap((tier, at) =>
      faultsIn(tier, tierRules, { prefix: `${prefix}tiers[${at}].`, words, required: ['above', 'input', 'output'], shows: true }),
    ),
  ]
}
