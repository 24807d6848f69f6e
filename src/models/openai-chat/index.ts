import { RondoError } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { safeText } from '../safe-text.ts'
import { checkModelName, checkOptions, checkServer } from './check-options.ts'
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
  checkModelName(model, 'openaiChat')
  checkOptions(options, 'openaiChat')
  const { baseURL } = options
  const dialect = baseURL === undefined ? openaiDialect : openaiDialectAt(checkedURL(baseURL))
  return new ChatModel(model, dialect, overlaid({}, options))
}

/**
 * Models of any server that speaks the Chat Completions API (llama.cpp, vLLM, Ollama, LM Studio, OpenRouter, Groq, …).
 *
 * @returns A function that makes a model by its name. Options given there go over those of the server: `headers`, `timeouts` and `capabilities`
 * field by field, so that a model with a header of its own has those of the server too; the others as a whole.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function openaiCompatible(server: OpenAICompatibleOptions): (model: string, options?: OpenAIChatOptions) => Model {
  checkServer(server, 'openaiCompatible')
  const baseURL = checkedURL(server.baseURL)
  const name = server.name ?? new URL(baseURL).host
  return (model, options = {}) => {
    checkModelName(model, 'openaiCompatible')
    checkOptions(options, 'openaiCompatible')
    const own = options.baseURL === undefined ? baseURL : checkedURL(options.baseURL)
    return new ChatModel(model, compatibleDialect(name, own), overlaid(server, options))
  }
}

/** The options of a server with what a model has of its own: field by field where an option has fields. */
function overlaid(server: OpenAIChatOptions, model: OpenAIChatOptions): OpenAIChatOptions {
  return {
    ...merged(server, model),
    headers: merged(server.headers, model.headers),
    timeouts: merged(server.timeouts, model.timeouts),
    capabilities: merged(server.capabilities, model.capabilities),
  }
}

/** The fields of both, the latter first. What is undefined was not given. */
function merged<X extends object>(...layers: readonly (X | undefined)[]): X {
  const given = layers.flatMap((layer) => Object.entries(layer ?? {})).filter(([, value]) => value !== undefined)
  return Object.assign({}, ...given.map(([name, value]) => ({ [name]: value })))
}

function checkedURL(baseURL: unknown): string {
  if (typeof baseURL === 'string' && /^https?:\/\//.test(baseURL) && URL.canParse(baseURL)) return baseURL
  throw new RondoError(
    'ConfigInvalid',
    `baseURL must be a URL that begins with http:// or https://, as 'http://localhost:8080/v1', not ${safeText(String(baseURL), 100)}.`,
  )
}
