import type { Model } from '../../core/model.ts'
import { checkModel, checkOptions } from './check.ts'
import { AiSdkModel } from './model.ts'
import type { AiSdkOptions } from './options.ts'
import type { AiSdkLanguageModel } from './spec.ts'

export type { AiSdkOptions } from './options.ts'
export type { AiSdkLanguageModel } from './spec.ts'

/**
 * Any language model of the AI SDK's ecosystem (specification v2, v3 and v4: AI SDK 5, 6 and 7) as a model of Rondo. What its package keeps in
 * `providerMetadata` (signatures of thoughts, ids of items) is stored with the session and goes back to the same model family as it came.
 *
 * `settings.providerOptions` go to the package as they are: `{ anthropic: { thinking: { type: 'enabled', budgetTokens: 4_000 } } }`. Retries are
 * Rondo's; keys, base URLs and proxies are the package's.
 *
 * @throws `ConfigInvalid` for what is no language model, and for options that can't work.
 */
export function fromAiSdk(model: AiSdkLanguageModel, options: AiSdkOptions = {}): Model {
  checkModel(model)
  checkOptions(options)
  return new AiSdkModel(model, options)
}
