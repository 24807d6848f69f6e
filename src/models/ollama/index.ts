import { RondoError } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { environment } from '../environment.ts'
import { checkedURL, checkModelName, checkOptions } from '../http/check-options.ts'
import { HttpModel } from '../http/model.ts'
import { type Rules, tokens } from '../option-rules.ts'
import { ollamaAddress } from './address.ts'
import { OllamaApi } from './api.ts'
import type { OllamaOptions } from './options.ts'

export { ollamaAddress } from './address.ts'
export type { OllamaOptions } from './options.ts'

/**
 * A model of an Ollama server, over its own API: with what the compatible one lacks, as the size of the context.
 *
 * @param model Its name there: `qwen3:8b`.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function ollama(model: string, options: OllamaOptions = {}): Model {
  checkModelName(model, 'ollama', 'qwen3')
  checkOptions(options, 'ollama', moreRules)
  const { contextTokens, capabilities } = options
  const baseURL = options.baseURL === undefined ? usualAddress() : checkedURL(options.baseURL, 'http://127.0.0.1:11434')
  const window = contextTokens === undefined ? {} : { contextWindow: contextTokens }
  return new HttpModel(model, new OllamaApi(model, baseURL, options), { ...options, capabilities: { ...window, ...capabilities } })
}

const moreRules: Rules = {
  contextTokens: tokens,
  keepAlive: [
    "a time, as '10m', or seconds",
    (value) => typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)),
  ],
}

function usualAddress(): string {
  const address = ollamaAddress({ OLLAMA_HOST: environment('OLLAMA_HOST') })
  if (address !== undefined) return address
  throw new RondoError('ConfigInvalid', "OLLAMA_HOST can't be read as an address. Set it as http://127.0.0.1:11434, or pass baseURL.")
}
