import { RondoError } from '../../core/error.ts'
import { unknownKeys } from '../../core/known-keys.ts'
import type { Model } from '../../core/model.ts'
import { safeText } from '../safe-text.ts'
import { compatibleDialect, openaiDialect, openaiDialectAt } from './dialect.ts'
import { ChatModel } from './model.ts'
import type { OpenAIChatOptions } from './options.ts'

export type { OpenAIChatOptions } from './options.ts'

/** A server that speaks the Chat Completions API: where it is, and what its models have in common. */
export interface OpenAICompatibleOptions extends OpenAIChatOptions {
  /** Where the API is, as far as '/chat/completions': `http://localhost:8080/v1`. */
  readonly baseURL: string
  /** Names the server in errors, in `settings.providerOptions` and in the journal. Default: the host of `baseURL`. */
  readonly name?: string | undefined
}

/**
 * A model of OpenAI's Chat Completions API.
 *
 * @param model Its name: `gpt-5-mini`.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function openaiChat(model: string, options: OpenAIChatOptions = {}): Model {
  checkName(model, 'openaiChat')
  checkOptions(options, 'openaiChat')
  const { baseURL } = options
  return new ChatModel(model, baseURL === undefined ? openaiDialect : openaiDialectAt(checkedURL(baseURL)), options)
}

/**
 * Models of any server that speaks the Chat Completions API (llama.cpp, vLLM, Ollama, LM Studio, OpenRouter, Groq, …).
 *
 * @returns A function that makes a model by its name; options given there go over those of the server.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function openaiCompatible(server: OpenAICompatibleOptions): (model: string, options?: OpenAIChatOptions) => Model {
  checkOptions(server, 'openaiCompatible', ['name'])
  const baseURL = checkedURL(server.baseURL)
  const name = server.name ?? new URL(baseURL).host
  return (model, options = {}) => {
    checkName(model, 'openaiCompatible')
    checkOptions(options, 'openaiCompatible')
    const own = options.baseURL === undefined ? baseURL : checkedURL(options.baseURL)
    return new ChatModel(model, compatibleDialect(name, own), { ...server, ...given(options) })
  }
}

/** An option that is undefined was not given. */
function given(options: OpenAIChatOptions): OpenAIChatOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

const optionNames = ['apiKey', 'baseURL', 'headers', 'stream', 'timeouts', 'maxResponseBytes', 'fetch', 'capabilities'] as const
const capabilityNames = ['contextWindow', 'maxOutputTokens', 'structuredOutput', 'parallelCalls', 'imagesInResults', 'reasoning']

/** What others call these. */
const words = {
  api_key: 'apiKey',
  base_url: 'baseURL',
  url: 'baseURL',
  endpoint: 'baseURL',
  defaultHeaders: 'headers',
  timeout: 'timeouts',
  streaming: 'stream',
  maxRetries: 'settings.maxRetries of the agent',
  temperature: 'settings.temperature of the agent',
}

function checkOptions(options: object, maker: string, more: readonly string[] = []): void {
  const wrong = unknownKeys(options, new Set([...optionNames, ...more]), '', words)
  const value = (name: (typeof optionNames)[number]): unknown => Reflect.get(options, name)
  const kinds = [
    ['stream', ['boolean']],
    ['headers', ['object']],
    ['apiKey', ['string', 'function']],
    ['fetch', ['function']],
  ] as const
  for (const [name, allowed] of kinds)
    if (value(name) !== undefined && !allowed.some((kind) => typeof value(name) === kind))
      wrong.push(`${name} must be a ${allowed.join(' or a ')}, not a ${typeof value(name)}`)
  const bytes = value('maxResponseBytes')
  if (bytes !== undefined && !(typeof bytes === 'number' && bytes > 0)) wrong.push('maxResponseBytes must be a positive number of bytes')
  const capabilities = value('capabilities')
  if (typeof capabilities === 'object' && capabilities !== null)
    wrong.push(...unknownKeys(capabilities, new Set(capabilityNames), 'capabilities.', {}))
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `${maker}: ${wrong.join('; ')}.`)
}

function checkName(model: unknown, maker: string): void {
  if (typeof model === 'string' && model.trim() !== '') return
  throw new RondoError(
    'ConfigInvalid',
    `${maker}: the name of the model is missing; pass it as a text, as '${maker === 'openaiChat' ? 'gpt-5-mini' : 'qwen3'}'.`,
  )
}

function checkedURL(baseURL: unknown): string {
  if (typeof baseURL === 'string' && /^https?:\/\//.test(baseURL) && URL.canParse(baseURL)) return baseURL
  throw new RondoError(
    'ConfigInvalid',
    `baseURL must be a URL that begins with http:// or https://, as 'http://localhost:8080/v1', not ${safeText(String(baseURL), 100)}.`,
  )
}
