import type { Model, ModelCapabilities } from '../index.ts'
import type { Catalogue, ModelFacts, ModelName } from '../models/registry/index.ts'
import { CannotRun } from './terminal.ts'

/** What a user says of models, by `provider:id`: the setting `models`. */
export interface OwnModels {
  readonly [name: string]: ModelFacts
}

/** A model, and what is known of it. */
export interface InformedModel {
  readonly model: Model
  /** The name under which a user can say more of it. */
  readonly knownAs: string
  /** Whether its calls tell what they cost, wherever they tell their tokens. */
  readonly isPriced: boolean
}

/** Data and what the user says. Loaded by who needs it: a help or a tab does not. Throws `CannotRun` for entries that contradict each other. */
export async function catalogueOf(own: OwnModels = {}): Promise<Catalogue> {
  const { defineModels } = await import('../models/registry/index.ts')
  return orCannotRun(() => {
    const catalogue = defineModels(own)
    catalogue.models()
    return catalogue
  })
}

/**
 * The one place where the command makes a model of its adapter: with what is known of it, and with prices where they are known. `name.provider` says whose model it
 * is and, for a server of anybody's, the host. Throws `CannotRun` for what can't work.
 */
export async function informed(
  name: ModelName,
  make: (capabilities: Partial<ModelCapabilities>) => Model,
  own: OwnModels | undefined,
): Promise<InformedModel> {
  const catalogue = await catalogueOf(own)
  const { known, priced } = await import('../models/registry/index.ts')
  return orCannotRun(() => {
    const model = make(known(name, catalogue))
    const prices = catalogue.lookup(name)?.prices
    return {
      model: prices === undefined ? model : priced(model, prices),
      knownAs: `${name.provider}:${name.id}`,
      isPriced: prices !== undefined,
    }
  })
}

/** The full name of what a short one or an alias means; `undefined` where nothing is known of it. Throws `CannotRun` where that is not one model. */
export async function fullName(name: string, own: OwnModels | undefined): Promise<string | undefined> {
  const catalogue = await catalogueOf(own)
  const entry = orCannotRun(() => catalogue.lookup(name))
  return entry === undefined ? undefined : `${entry.provider}:${entry.id}`
}

function orCannotRun<X>(make: () => X): X {
  try {
    return make()
  } catch (error) {
    throw new CannotRun(error instanceof Error ? error.message : String(error))
  }
}
