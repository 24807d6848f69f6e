import type { ModelCapabilities } from '../../core/model.ts'

/** US dollars for a million tokens. What is absent is not known. */
export interface ModelRates {
  readonly input: number
  /** Reasoning is output. */
  readonly output: number
  /** Input that the provider had in its cache. */
  readonly cachedInput?: number
  /** Input that the provider puts into its cache, for the usual time. */
  readonly cacheWrite?: number
  /** Input that the provider puts into its cache for longer: for an hour, with Anthropic. */
  readonly longCacheWrite?: number
}

/** List prices: nothing of discounts, batches, service tiers or server tools is in them. */
export interface ModelPrices extends ModelRates {
  /** Rates of a whole request with more input tokens than `above`, cached ones included. */
  readonly tiers?: readonly (ModelRates & { readonly above: number })[]
}

/** What is known of a model beside its limits. `images`: it takes images as input. */
export type KnownCapabilities = Partial<Omit<ModelCapabilities, 'contextWindow' | 'maxOutputTokens'>> & { readonly images?: boolean }

/** What you say of a model. What is absent is what the data says, else not known. */
export interface ModelFacts {
  /** Other names of it, each without the provider. */
  readonly aliases?: readonly string[]
  /** Tokens of input and output together. */
  readonly contextWindow?: number
  /** Tokens, where the input has a limit of its own. */
  readonly maxInputTokens?: number
  /** Tokens. */
  readonly maxOutputTokens?: number
  /** Taken as a whole: prices of yours have nothing of the data's. */
  readonly prices?: ModelPrices
  readonly capabilities?: KnownCapabilities
}

export interface ModelEntry extends ModelFacts {
  readonly provider: string
  readonly id: string
  readonly aliases: readonly string[]
  readonly capabilities: KnownCapabilities
  /** `own`: you have said something of it. */
  readonly origin: 'data' | 'own'
}

/** Where the data comes from: a package of the npm registry, and the day of its figures (`YYYY-MM-DD`). */
export interface DataSource {
  readonly package: string
  readonly version: string
  readonly licence: string
  readonly date: string
}
