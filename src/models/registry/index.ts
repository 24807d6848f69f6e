import { builtIn } from './catalogue.ts'
import type { ModelEntry } from './entry.ts'
import type { ModelName } from './names.ts'

export { type Catalogue, defineModels } from './catalogue.ts'
export { costOf } from './cost.ts'
export { dataSource } from './data.ts'
export type { DataSource, KnownCapabilities, ModelEntry, ModelFacts, ModelPrices, ModelRates } from './entry.ts'
export { known } from './known.ts'
export type { ModelName } from './names.ts'
export { priced } from './priced.ts'

/** What the data says of a model: `lookupModel('anthropic:claude-sonnet-4-5')`. See `Catalogue.lookup`. */
export function lookupModel(name: string | ModelName): ModelEntry | undefined {
  return builtIn.lookup(name)
}

/** All models of the data, by provider. */
export function models(): readonly ModelEntry[] {
  return builtIn.models()
}
