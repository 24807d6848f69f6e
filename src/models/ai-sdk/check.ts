import { RondoError } from '../../core/error.ts'
import { sentenceOf, unknownKeys } from '../../core/known-keys.ts'
import { safeText } from '../safe-text.ts'
import { isWire } from '../wire.ts'
import type { AiSdkOptions } from './options.ts'
import type { AiSdkLanguageModel } from './spec.ts'

type Rule = readonly [what: string, fits: (value: unknown) => boolean]

const boolean: Rule = ['a boolean', (value) => typeof value === 'boolean']
const limit: Rule = ['a positive number of ms (Infinity = none)', (value) => typeof value === 'number' && value > 0]
const tokens: Rule = ['a positive whole number of tokens', (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0]

const optionRules: { readonly [name in keyof Required<AiSdkOptions>]: Rule } = {
  headers: ['an object of names and texts', (value) => isFields(value) && Object.values(value).every((one) => typeof one === 'string')],
  stream: boolean,
  timeouts: ['an object of limits in ms, as { idleMs: 600_000 }', isFields],
  capabilities: ['an object, as { contextWindow: 200_000 }', isFields],
  onWarning: ['a function', (value) => typeof value === 'function'],
}
const timeoutRules: { readonly [name in keyof Required<NonNullable<AiSdkOptions['timeouts']>>]: Rule } = {
  firstPartMs: limit,
  idleMs: limit,
}
const capabilityRules: { readonly [name in keyof Required<NonNullable<AiSdkOptions['capabilities']>>]: Rule } = {
  contextWindow: tokens,
  maxOutputTokens: tokens,
  structuredOutput: ["'native', 'tool' or 'prompt'", (value) => value === 'native' || value === 'tool' || value === 'prompt'],
  parallelCalls: boolean,
  imagesInResults: boolean,
  reasoning: boolean,
}

/** Throws `ConfigInvalid` for what is no language model of the AI SDK: a name, a provider, a model of another kind or of another version. */
export function checkModel(model: unknown): asserts model is AiSdkLanguageModel {
  const example = "pass a language model, as fromAiSdk(anthropic('claude-sonnet-4-5')) with anthropic of '@ai-sdk/anthropic'"
  if (typeof model === 'string') throw invalid(`a name ('${safeText(model, 80)}') is no model; ${example}`)
  if (typeof model === 'function') throw invalid(`this is a provider and no model yet; ${example}`)
  if (!isWire(model)) throw invalid(`the model is missing; ${example}`)
  const { specificationVersion: version, provider, modelId, doStream, doGenerate } = model
  const isLanguageModel = typeof doStream === 'function' && typeof doGenerate === 'function'
  if (!isLanguageModel || typeof provider !== 'string' || typeof modelId !== 'string')
    throw invalid(`this is no language model (it needs provider, modelId, doStream() and doGenerate()); ${example}`)
  if (version === 'v2' || version === 'v3' || version === 'v4') return
  throw invalid(
    `'${safeText(provider, 60)}' speaks version '${safeText(String(version), 20)}' of the specification, and v2, v3 and v4 are known here. Take a package of AI SDK 5, 6 or 7.`,
  )
}

/** Throws `ConfigInvalid` for options that can't work, and names all of them. */
export function checkOptions(options: unknown): void {
  if (!isFields(options)) throw invalid('the options must be an object')
  const wrong = broken(options, optionRules, '')
  const { timeouts, capabilities } = options
  if (isFields(timeouts)) wrong.push(...broken(timeouts, timeoutRules, 'timeouts.'))
  if (isFields(capabilities)) wrong.push(...broken(capabilities, capabilityRules, 'capabilities.'))
  if (wrong.length > 0) throw invalid(`${sentenceOf(wrong)}`)
}

/** What others call these. */
const words = { streaming: 'stream', timeout: 'timeouts', temperature: 'settings.temperature of the agent' }

function broken(values: { readonly [name: string]: unknown }, rules: { readonly [name: string]: Rule }, prefix: string): string[] {
  const wrong = unknownKeys(values, new Set(Object.keys(rules)), prefix, words)
  for (const [name, [what, fits]] of Object.entries(rules))
    if (values[name] !== undefined && !fits(values[name])) wrong.push(`${prefix}${name} must be ${what}`)
  return wrong
}

/** Something with fields: lists, `Headers` and `Map` have none to read. */
function isFields(value: unknown): value is { readonly [name: string]: unknown } {
  return isWire(value) && !(Symbol.iterator in value)
}

function invalid(what: string): RondoError {
  return new RondoError('ConfigInvalid', `fromAiSdk: ${what}`)
}
