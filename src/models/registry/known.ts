import type { ModelCapabilities } from '../../core/model.ts'
import { builtIn, type Catalogue } from './catalogue.ts'
import type { ModelName } from './names.ts'

/**
 * What is known of a model, as the `capabilities` option of its adapter: `openaiChat('gpt-5', { capabilities: known('openai:gpt-5') })`. Empty where nothing is known, so
 * that what the adapter assumes stands.
 *
 * @throws `ConfigInvalid` where the name may mean several models.
 */
export function known(name: string | ModelName, catalogue: Catalogue = builtIn): Partial<ModelCapabilities> {
  const entry = catalogue.lookup(name)
  if (entry === undefined) return {}
  const { contextWindow, maxOutputTokens } = entry
  const { images, ...capabilities } = entry.capabilities
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    // An API that takes images in results does so for models that see.
    ...(images === false ? { imagesInResults: false } : {}),
    ...capabilities,
  }
}
