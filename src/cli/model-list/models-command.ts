import type { Catalogue, DataSource, ModelEntry } from '../../models/registry/index.ts'
import { folderOf } from '../command-agent.ts'
import { type ConfigFlags, configured } from '../config/configured.ts'
import { catalogueOf } from '../informed-model.ts'
import { providerNamed } from '../providers/table.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { count, jsonLine, oneLine, wrapped } from '../text.ts'
import { modelFacts, modelTable } from './model-lines.ts'

export interface ModelsFlags extends Pick<ConfigFlags, 'config'> {
  readonly provider?: string
  readonly limit?: number
  readonly json?: boolean
}

const defaultLimit = 50

/** Lists the models that something is known of, or shows the one that is named; resolves with the exit code. */
export async function modelsCommand(words: readonly string[], asked: ModelsFlags, world: Terminal): Promise<number> {
  const { flags, terminal } = configured<ModelsFlags & ConfigFlags>(asked, folderOf(undefined, world), world)
  const catalogue = await catalogueOf(flags.models)
  const { dataSource } = await import('../../models/registry/index.ts')
  const name = words.join(' ').trim()
  const one = flags.provider === undefined ? exactly(name, catalogue) : undefined
  const { stdout, stderr } = terminal
  if (one !== undefined) {
    stdout.write(flags.json === true ? jsonLine(jsonOf(one, dataSource)) : modelFacts(one, name, stdout))
  } else {
    const found = sorted(fitting(name, flags.provider, catalogue), name)
    const shown = found.slice(0, flags.limit ?? (flags.json === true ? found.length : defaultLimit))
    if (flags.json === true) stdout.write(shown.map((entry) => jsonLine(jsonOf(entry, dataSource))).join(''))
    else if (found.length === 0)
      stdout.write('No model fits. rondo models without words lists all; "models" in rondo.config.json adds yours.\n')
    else stdout.write(modelTable(shown, stdout))
    if (found.length > shown.length) stderr.write(wrapped(more(found, shown.length), stderr.columns, ''))
    if (flags.json !== true && found.length > 0) stderr.write(wrapped(legend, stderr.columns, ''))
  }
  if (flags.json !== true) stderr.write(wrapped(sourceLine(dataSource), stderr.columns, ''))
  return 0
}

/** The model that is meant; `undefined` where the words may be found in several, or are no name. */
function exactly(name: string, catalogue: Catalogue): ModelEntry | undefined {
  try {
    return catalogue.lookup(name) ?? catalogue.lookup(nameInData(name))
  } catch {
    return undefined
  }
}

/** A name as `--model` takes it, as the data has it: `openai-chat:gpt-5` is `openai:gpt-5` there. */
function nameInData(name: string): string {
  const at = name.indexOf(':')
  const provider = at < 0 ? undefined : providerNamed(name.slice(0, at))
  return provider === undefined ? name : `${provider.data}${name.slice(at)}`
}

function fitting(text: string, provider: string | undefined, catalogue: Catalogue): readonly ModelEntry[] {
  const all = catalogue.models()
  const known = providerNamed(provider ?? '')
  const own = provider === undefined ? all : all.filter((entry) => entry.provider === provider || entry.provider === known?.data)
  if (own.length === 0 && known === undefined)
    throw new CannotRun(`There is no provider '${oneLine(provider ?? '')}'. There are ${providersOf(all).join(', ')}.`)
  const words = text.toLowerCase().split(/\s+/)
  return own.filter(({ provider: name, id, aliases }) => {
    const named = [`${name}:${id}`, ...aliases].join(' ').toLowerCase()
    return words.every((word) => named.includes(word))
  })
}

/** What is called just so goes first. */
function sorted(entries: readonly ModelEntry[], name: string): readonly ModelEntry[] {
  const isNamed = ({ id, aliases }: ModelEntry) => id === name || aliases.includes(name)
  return [...entries.filter(isNamed), ...entries.filter((entry) => !isNamed(entry))]
}

function providersOf(entries: readonly ModelEntry[]): readonly string[] {
  return [...new Set(entries.map(({ provider }) => oneLine(provider)))]
}

function more(found: readonly ModelEntry[], shown: number): string {
  const providers = providersOf(found)
  const narrower =
    providers.length > 1 ? `Narrow them with words or --provider (${providers.join(', ')}), or see` : 'Narrow them with words, or see'
  return `${count(found.length - shown, 'more model fits', 'more models fit')}. ${narrower} more with --limit ${found.length}.`
}

const legend = '$ is USD for a million tokens. R reasons, I takes images, - is not known, * has figures of yours.'

function sourceLine({ package: name, version, licence, date }: DataSource): string {
  return `Figures and list prices of ${date}, from ${name} ${version} (${licence}).`
}

function jsonOf(entry: ModelEntry, source: DataSource): object {
  const { provider, id, aliases, contextWindow, maxInputTokens, maxOutputTokens, capabilities, prices, origin } = entry
  const facts = { contextWindow, maxInputTokens, maxOutputTokens, capabilities, prices, origin }
  return { model: `${provider}:${id}`, provider, id, aliases, ...facts, ...(origin === 'data' ? { source } : {}) }
}
