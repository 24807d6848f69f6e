import { table } from './data.ts'
import type { ModelEntry, ModelPrices, ModelRates } from './entry.ts'

/** A provider of the data. */
export interface ProviderData {
  readonly provider: string
  /** Where its API is, when that is one place for everybody. */
  readonly host: string | undefined
  readonly entries: readonly ModelEntry[]
}

/** Reads the table: 1,300 lines in a few milliseconds, once a process, by who asks first. */
export function readTable(text: string = table): readonly ProviderData[] {
  const providers: (ProviderData & { readonly entries: ModelEntry[] })[] = []
  for (const line of text.split('\n')) {
    const [first = '', ...fields] = line.split(' ')
    const current = providers.at(-1)
    if (first === '@') providers.push({ provider: fields[0] ?? '', host: known(fields[1]), entries: [] })
    else if (first !== '' && current !== undefined) current.entries.push(entryOf(current.provider, first, fields))
  }
  return providers
}

function entryOf(provider: string, id: string, [window, output, abilities = '', ...prices]: readonly string[]): ModelEntry {
  const read = pricesOf(prices, id)
  return {
    provider,
    id,
    aliases: [],
    ...given('contextWindow', numberOf(window)),
    ...given('maxOutputTokens', numberOf(output)),
    capabilities: { reasoning: abilities.includes('r'), images: abilities.includes('i') },
    ...(read === undefined ? {} : { prices: read }),
    origin: 'data',
  }
}

function pricesOf(fields: readonly string[], id: string): ModelPrices | undefined {
  const rates = ratesOf(fields, id)
  if (rates === undefined) return undefined
  const tiers = fields.flatMap((field, at) => {
    const tier = field.startsWith('>') ? ratesOf(fields.slice(at + 1), id) : undefined
    return tier === undefined ? [] : [{ above: Number(field.slice(1)), ...tier }]
  })
  return tiers.length === 0 ? rates : { ...rates, tiers }
}

/** Anthropic's models cost twice their input where they keep it for an hour (platform.claude.com/docs, prompt caching): the table does not say it. */
function longCacheWriteOf(id: string, input: number, cacheWrite: number | undefined): number | undefined {
  return cacheWrite !== undefined && id.includes('claude') ? 2 * input : undefined
}

function ratesOf(fields: readonly string[], id: string): ModelRates | undefined {
  const [input, output, cachedInput, cacheWrite] = fields.slice(0, 4).map(numberOf)
  if (input === undefined || output === undefined) return undefined
  return {
    input,
    output,
    ...given('cachedInput', cachedInput),
    ...given('cacheWrite', cacheWrite),
    ...given('longCacheWrite', longCacheWriteOf(id, input, cacheWrite)),
  }
}

function given<Name extends string>(name: Name, value: number | undefined): { readonly [name in Name]?: number } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: number })
}

function numberOf(field: string | undefined): number | undefined {
  return field === undefined || field === '-' ? undefined : Number(field)
}

function known(field: string | undefined): string | undefined {
  return field === '-' ? undefined : field
}
