import {
  aBoolean,
  aFunction,
  anObject,
  capabilityRules,
  faultsIn,
  faultsInGroup,
  hasFields,
  invalidOptions,
  isPositive,
  type Rule,
  type Rules,
  refuse,
} from '../option-rules.ts'
import { safeText } from '../safe-text.ts'
import { isWire } from '../wire.ts'
import type { AiSdkOptions } from './options.ts'
import type { AiSdkLanguageModel } from './spec.ts'

const limit: Rule = ['a positive number of ms (Infinity = none)', isPositive]

const optionRules: Rules<AiSdkOptions> = {
  headers: ['an object of names and texts', (value) => hasFields(value) && Object.values(value).every((one) => typeof one === 'string')],
  stream: aBoolean,
  timeouts: anObject('{ idleMs: 600_000 }'),
  capabilities: anObject('{ contextWindow: 200_000 }'),
  onWarning: aFunction,
}
const timeoutRules: Rules<NonNullable<AiSdkOptions['timeouts']>> = { firstPartMs: limit, idleMs: limit }

const maker = 'fromAiSdk'
const invalid = (what: string) => invalidOptions(maker, [what])

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
    `'${safeText(provider, 60)}' speaks version '${safeText(String(version), 20)}' of the specification, and v2, v3 and v4 are known here. Take a package of AI SDK 5, 6 or 7`,
  )
}

/** What others call these. */
const words = { streaming: 'stream', timeout: 'timeouts', temperature: 'settings.temperature of the agent' }

/** Throws `ConfigInvalid` for options that can't work, and names all of them. */
export function checkOptions(options: unknown): void {
  if (!hasFields(options)) throw invalid('the options must be an object')
  refuse(maker, [
    ...faultsIn(options, optionRules, { words }),
    ...faultsInGroup(options['timeouts'], timeoutRules, { prefix: 'timeouts.', shows: true }),
    ...faultsInGroup(options['capabilities'], capabilityRules, { prefix: 'capabilities.', shows: true }),
  ])
}
