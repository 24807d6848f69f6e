import type { Model } from '../../core/model.ts'
import { checkModelName, checkOptions } from '../http/check-options.ts'
import { HttpModel } from '../http/model.ts'
import { overlaid } from '../http/overlay.ts'
import { aBoolean, aName, oneOf, type Rules } from '../option-rules.ts'
import { ResponsesApi } from './api.ts'
import { dialectOf } from './dialect.ts'
import { ContinuingModel } from './model.ts'
import type { OpenAIOptions } from './options.ts'

export type { OpenAIOptions } from './options.ts'

const rules: Rules = {
  name: aName,
  store: aBoolean,
  previousResponse: aBoolean,
  promptCacheKey: aName,
  reasoningSummary: oneOf('auto', 'concise', 'detailed'),
  apiVersion: aName,
  strictTools: aBoolean,
}

/**
 * A model of OpenAI's Responses API, or of another server that speaks it: Azure, xAI, OpenRouter, DeepSeek, Bedrock, LM Studio, llama.cpp, …
 *
 * @param model Its name: `gpt-5-mini`. On Azure that of the deployment.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function openai(model: string, options: OpenAIOptions = {}): Model {
  checkModelName(model, 'openai', 'gpt-5-mini')
  checkOptions(options, 'openai', rules)
  const api = new ResponsesApi(model, dialectOf(options), options)
  const given = overlaid<OpenAIOptions>({}, options)
  return options.previousResponse === true ? new ContinuingModel(model, api, given) : new HttpModel(model, api, given)
}
