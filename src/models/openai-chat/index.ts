import type { Model } from '../../core/model.ts'
import { checkedURL, checkModelName, checkOptions, nameRule } from '../http/check-options.ts'
import { HttpModel } from '../http/model.ts'
import type { HttpOptions } from '../http/options.ts'
import { overlaid } from '../http/overlay.ts'
import { ChatApi } from './api.ts'
import { compatibleDialect, openaiDialect, openaiDialectAt } from './dialect.ts'

/** How a Chat Completions server is reached. '/chat/completions' is put behind the path of `baseURL`. */
export interface OpenAIChatOptions extends HttpOptions {}

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
  checkModelName(model, 'openaiChat', 'gpt-5-mini')
  checkOptions(options, 'openaiChat')
  const { baseURL } = options
  const dialect = baseURL === undefined ? openaiDialect : openaiDialectAt(checkedURL(baseURL))
  return new HttpModel(model, new ChatApi(model, dialect, options), overlaid({}, options))
}

/**
 * Models of any server that speaks the Chat Completions API (llama.cpp, vLLM, Ollama, LM Studio, OpenRouter, Groq, …).
 *
 * @returns A function that makes a model by its name. Options given there go over those of the server: `headers`, `timeouts` and `capabilities`
 * field by field, so that a model with a header of its own has those of the server too; the others as a whole.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function openaiCompatible(server: OpenAICompatibleOptions): (model: string, options?: OpenAIChatOptions) => Model {
  checkOptions(server, 'openaiCompatible', { name: nameRule }, "an object, as { baseURL: 'http://localhost:8080/v1' }")
  const baseURL = checkedURL(server.baseURL)
  const name = server.name ?? new URL(baseURL).host
  return (model, options = {}) => {
    checkModelName(model, 'openaiCompatible', 'qwen3')
    checkOptions(options, 'openaiCompatible')
    const own = options.baseURL === undefined ? baseURL : checkedURL(options.baseURL)
    const both = overlaid<OpenAIChatOptions>(server, options)
    return new HttpModel(model, new ChatApi(model, compatibleDialect(name, own), both), both)
  }
}
