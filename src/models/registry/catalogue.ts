import { RondoError } from '../../core/error.ts'
import { safeText } from '../safe-text.ts'
import { checkEntries } from './check-entries.ts'
import type { ModelEntry, ModelFacts } from './entry.ts'
import { type ModelName, nameOf, providerAliases, splitName, undated } from './names.ts'
import { readTable } from './table.ts'

/** Models that something is known of. */
export interface Catalogue {
  /** All of them: yours first, then those of the data by provider. */
  models(): readonly ModelEntry[]
  /**
   * What is known of a model: by `provider:id`, by an id or alias that one provider alone has, or by anything with `provider` and `id`, as a `Model`. A dated id
   * (`gpt-5-2025-08-07`) that is not known is its undated model. `undefined`: nothing is known.
   *
   * @throws `ConfigInvalid`, which names them, where a name may mean several models; and for what is no name.
   */
  lookup(name: string | ModelName): ModelEntry | undefined
}

/** What the data says, and nothing else. */
export const builtIn: Catalogue = lazily(() => indexed([]))

/**
 * A catalogue in which your entries go over the data, field by field.
 *
 * @param entries By `provider:id`. The provider may be the host of a server: `localhost:8080:qwen3`.
 * @throws `ConfigInvalid`, which names all that is wrong.
 */
export function defineModels(entries: { readonly [name: string]: ModelFacts }): Catalogue {
  const facts = checkEntries(entries)
  return lazily(() => indexed(facts))
}

type Own = ReturnType<typeof checkEntries>

/** Read when it is first asked. */
function lazily(read: () => Index): Catalogue {
  let index: Index | undefined
  const kept = () => {
    index ??= read()
    return index
  }
  return { models: () => kept().entries, lookup: (name) => find(kept(), name) }
}

interface Index {
  readonly entries: readonly ModelEntry[]
  /** By what a provider is called: its name of the data. */
  readonly providers: ReadonlyMap<string, string>
  /** By provider and id, or provider and alias. */
  readonly byName: ReadonlyMap<string, readonly ModelEntry[]>
  /** By id or alias alone. */
  readonly byShortName: ReadonlyMap<string, readonly ModelEntry[]>
}

function indexed(own: Own): Index {
  const data = readTable()
  const providers = new Map(Object.entries(providerAliases))
  for (const { provider, host } of data) for (const name of [provider, host]) if (name !== undefined) providers.set(name, provider)
  const byProviderAndId = new Map(data.flatMap(({ entries }) => entries.map((entry) => [nameOf(entry), entry] as const)))
  const mine = own.map(({ name, facts }) => {
    const placed = { provider: providers.get(name.provider) ?? name.provider, id: name.id }
    return overlaid(placed, byProviderAndId.get(nameOf(placed)) ?? byProviderAndId.get(nameOf(withoutDate(placed))), facts)
  })
  refuseDoubles(mine)
  const over = new Set(mine.map(nameOf))
  const entries = [...mine, ...[...byProviderAndId.values()].filter((entry) => !over.has(nameOf(entry)))]
  const byName = new Map<string, ModelEntry[]>()
  const byShortName = new Map<string, ModelEntry[]>()
  for (const entry of entries) {
    providers.set(entry.provider, entry.provider)
    for (const id of new Set([entry.id, ...entry.aliases])) {
      add(byName, nameOf({ provider: entry.provider, id }), entry)
      add(byShortName, id, entry)
    }
  }
  return { entries, providers, byName, byShortName }
}

function withoutDate({ provider, id }: ModelName): ModelName {
  return { provider, id: undated(id) ?? id }
}

function overlaid({ provider, id }: ModelName, known: ModelEntry | undefined, facts: ModelFacts): ModelEntry {
  const capabilities = { ...known?.capabilities, ...facts.capabilities }
  return { ...known, ...facts, provider, id, aliases: facts.aliases ?? [], capabilities, origin: 'own' }
}

/** Two names of one provider may have led to the same model. */
function refuseDoubles(entries: readonly ModelEntry[]): void {
  const names = entries.map(nameOf)
  const doubles = names.filter((name, at) => names.indexOf(name) !== at)
  if (doubles.length > 0)
    throw new RondoError('ConfigInvalid', `defineModels: ${said(doubles)} is there twice, by two names of its provider.`)
}

function add(map: Map<string, ModelEntry[]>, name: string, entry: ModelEntry): void {
  const there = map.get(name)
  if (there === undefined) map.set(name, [entry])
  else there.push(entry)
}

function find(index: Index, name: string | ModelName): ModelEntry | undefined {
  if (!isAsked(name)) throw new RondoError('ConfigInvalid', "The name of a model must be a text, as 'openai:gpt-5-mini', or a model.")
  const asked = typeof name === 'string' ? splitName(name) : name
  const provider = asked === undefined ? undefined : providerOf(index, asked.provider)
  if (asked !== undefined && provider !== undefined)
    return dated(asked.id, (id) => one(byId(index.byName.get(nameOf({ provider, id })) ?? [], id), nameOf(asked)))
  return typeof name === 'string' ? dated(name, (id) => one(index.byShortName.get(id) ?? [], id)) : undefined
}

/** Whether it is what the types ask for: programs in JavaScript may ask with anything. */
function isAsked(name: unknown): boolean {
  if (typeof name !== 'object' || name === null) return typeof name === 'string'
  return typeof Reflect.get(name, 'provider') === 'string' && typeof Reflect.get(name, 'id') === 'string'
}

/** As it is, else without its date. */
function dated(id: string, look: (id: string) => ModelEntry | undefined): ModelEntry | undefined {
  const short = undated(id)
  return look(id) ?? (short === undefined ? undefined : look(short))
}

/** The AI SDK says with which API: `openai.responses`. */
function providerOf({ providers }: Index, name: string): string | undefined {
  return providers.get(name) ?? providers.get(name.replace(/\.(?:chat|completion|responses|messages|generative-ai)$/, ''))
}

/** What you have said goes before what the data says. */
function one(found: readonly ModelEntry[], name: string): ModelEntry | undefined {
  const own = found.filter(({ origin }) => origin === 'own')
  const meant = own.length > 0 ? own : found
  if (meant.length < 2) return meant[0]
  throw new RondoError('ConfigInvalid', `${safeText(name, 100)} may be one of several models: ${said(meant.map(nameOf))}. Say which.`)
}

/** Within a provider an id goes before an alias. */
function byId(found: readonly ModelEntry[], id: string): readonly ModelEntry[] {
  const exact = found.filter((entry) => entry.id === id)
  return exact.length > 0 ? exact : found
}

const saidNames = 10

function said(names: readonly string[]): string {
  const some = names.slice(0, saidNames).map((name) => safeText(name, 100))
  return `${some.join(', ')}${names.length > saidNames ? ', …' : ''}`
}
