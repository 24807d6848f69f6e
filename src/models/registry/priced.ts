import type { Model, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { builtIn, type Catalogue } from './catalogue.ts'
import { checkPrices } from './check-entries.ts'
import { costOf } from './cost.ts'
import type { ModelPrices } from './entry.ts'

/**
 * The model, whose calls tell what they cost: `usage.costUsd`, from list prices, where its server does not tell it. So the cost is in the journal with the
 * response, once, and `limits.maxCostUsd` works. A call whose usage is not known in full has no cost, and a model without a known price is handed back as it is.
 *
 * @param by Prices, or a catalogue that has them. Default: the built-in data. In a catalogue the model is looked up by its provider and id, wherever its
 * requests go: give the prices yourself for a server that has its own. A `fallback` has no price of its own: price each of its models.
 * @throws `ConfigInvalid` for prices that can't be used.
 */
export function priced(model: Model, by: ModelPrices | Catalogue = builtIn): Model {
  if (isCatalogue(by)) {
    const prices = by.lookup(model)?.prices
    return prices === undefined ? model : new PricedModel(model, prices)
  }
  checkPrices(by)
  return new PricedModel(model, by)
}

function isCatalogue(by: ModelPrices | Catalogue): by is Catalogue {
  return typeof by === 'object' && by !== null && 'lookup' in by
}

class PricedModel implements Model {
  readonly provider: string
  readonly id: string
  readonly #model: Model
  readonly #prices: ModelPrices

  constructor(model: Model, prices: ModelPrices) {
    this.provider = model.provider
    this.id = model.id
    this.#model = model
    this.#prices = prices
  }

  get capabilities(): Model['capabilities'] {
    return this.#model.capabilities
  }

  async stream(request: ModelRequest, sink: (delta: ModelDelta) => void, options: Parameters<Model['stream']>[2]): Promise<ModelFinish> {
    const finish = await this.#model.stream(request, sink, options)
    // What is no finish is told by the engine, and not made another error here.
    if (typeof finish?.usage !== 'object' || finish.usage === null) return finish
    const costUsd = finish.usage.costUsd ?? costOf(finish.usage, this.#prices)
    return costUsd === undefined ? finish : { ...finish, usage: { ...finish.usage, costUsd } }
  }
}
