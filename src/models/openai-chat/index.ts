import { RondoError } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { checkedURL, checkModelName, checkOptions } from '../http/check-options.ts'
import { HttpModel } from '../http/model.ts'
import { overlaid } from '../http/overlay.ts'
import { aBoolean, aName, anObject, faultsInGroup, type Rules, refuse } from '../option-rules.ts'
import { ChatApi } from './api.ts'
import { type Dialect, dialectOf, quirkRules } from './dialect.ts'
import type { OpenAIChatOptions } from './options.ts'
import { serverAt, serverNamed, servers } from './servers.ts'

export type { ChatQuirks } from './dialect.ts'
export type { OpenAIChatOptions } from './options.ts'

/** A server that speaks the Chat Completions API: where it is, and what its models have in common. */
export interface OpenAICompatibleOptions extends OpenAIChatOptions {
  /** Where the API is, as far as '/chat/completions': `http://localhost:8080/v1`. Default: where the server of that `name` is, if it is known. */
  readonly baseURL?: string | undefined
  /**
   * Names the server in errors, in `settings.providerOptions` and in the journal. Default: the host of `baseURL`. Known are azure, openrouter,
   * groq, xai, deepseek, mistral, together, fireworks, cerebras, perplexity, moonshot, zai, alibaba, google, huggingface, vercel, venice, vllm,
   * llamacpp, lmstudio: what these do in their own way is done so, and at their own hosts the key comes from their environment variable
   * (`GROQ_API_KEY`).
   */
  readonly name?: string | undefined
}

/**
 * A model of OpenAI's Chat Completions API.
 *
 * @param model Its name: `gpt-5-mini`.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function openaiChat(model: string, options: OpenAIChatOptions = {}): Model {
  checkModelName(model, 'openaiChat', 'gpt-5-mini')
  checkChatOptions(options, 'openaiChat')
  // Behind a proxy of OpenAI's the key is OpenAI's too.
  const dialect = { ...dialectAt('openai', options), apiKeyVariable: serverNamed('openai')?.keyVariable }
  return modelOf(model, dialect, overlaid({}, options))
}

/**
 * Models of any server that speaks the Chat Completions API (llama.cpp, vLLM, Ollama, LM Studio, OpenRouter, Groq, …).
 *
 * @returns A function that makes a model by its name. Options given there go over those of the server: `headers`, `timeouts`, `capabilities` and
 * `quirks` field by field, so that a model with a header of its own has those of the server too; the others as a whole.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function openaiCompatible(server: OpenAICompatibleOptions): (model: string, options?: OpenAIChatOptions) => Model {
  checkChatOptions(server, 'openaiCompatible', { name: aName }, "an object, as { baseURL: 'http://localhost:8080/v1' }")
  const place = server.baseURL ?? serverNamed(server.name ?? '')?.baseURL
  if (place === undefined && server.name !== undefined) throw placeless(server.name)
  const baseURL = checkedURL(place)
  return (model, options = {}) => {
    checkModelName(model, 'openaiCompatible', 'qwen3')
    checkChatOptions(options, 'openaiCompatible')
    const both = overlaid<OpenAIChatOptions>({ ...server, baseURL }, options)
    return modelOf(model, dialectAt(server.name ?? new URL(baseURL).host, both), both)
  }
}

const moreRules: Rules = { strictTools: aBoolean, quirks: anObject("{ maxTokensField: 'max_tokens' }") }

function checkChatOptions(options: OpenAIChatOptions, maker: string, more: Rules = {}, whole?: string): void {
  checkOptions(options, maker, { ...moreRules, ...more }, whole)
  refuse(maker, faultsInGroup(options.quirks, quirkRules, { prefix: 'quirks.', shows: true }))
}

function modelOf(model: string, dialect: Dialect, options: OpenAIChatOptions): Model {
  return new HttpModel(model, new ChatApi(model, dialect, options), options)
}

/** A host says more than a name, for a user may name anything. The environment's key is for the server's own host only. */
export function dialectAt(name: string, { baseURL: given, quirks }: OpenAIChatOptions): Dialect {
  const named = serverNamed(name)
  const baseURL = checkedURL(given ?? named?.baseURL)
  const there = serverAt(baseURL)
  return dialectOf({ name, baseURL, keyVariable: there?.keyVariable }, there ?? named, quirks)
}

function placeless(name: string): RondoError {
  const known = servers.flatMap((server) => (server.baseURL === undefined ? [] : [server.name]))
  const message = `openaiCompatible: baseURL is missing; where '${name}' is, is not known (known are ${known.join(', ')}).`
  return new RondoError('ConfigInvalid', message)
}
