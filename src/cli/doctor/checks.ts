import { ollamaAddress } from '../../models/ollama/index.ts'
import { chooseModel } from '../choose-model.ts'
import { withSettings } from '../config/configured.ts'
import { ownPath } from '../config/files.ts'
import type { ConfigValues } from '../config/keys.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import { modelsAt, unreadable } from '../ollama.ts'
import { CannotRun } from '../terminal.ts'
import { count, oneLine, plain } from '../text.ts'
import type { Check, Looked } from './check.ts'
import { withoutCredentials } from './masked.ts'

/** The oldest Node that Rondo runs on. */
export const oldestNode = '20.19'

export function checkRondo({ installed: { version, node } }: Looked): Check[] {
  const parts = (text: string) => text.split('.').map(Number)
  const [major = 0, minor = 0] = parts(node)
  const [wantedMajor = 0, wantedMinor = 0] = parts(oldestNode)
  const suffices = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
  const next = suffices ? {} : { next: 'Install a newer one: https://nodejs.org' }
  return [
    { name: 'rondo', state: 'ok', text: version, facts: { version } },
    {
      name: 'node',
      state: suffices ? 'ok' : 'broken',
      text: `${node} (${oldestNode} or later is needed)`,
      ...next,
      facts: { version: node, oldest: oldestNode },
    },
  ]
}

/** The settings, or `undefined` where they can't be understood. */
export function checkSettings({ flags, folder, terminal }: Looked): { readonly check: Check; readonly loaded: LoadedConfig | undefined } {
  try {
    const loaded = loadConfig(flags.config, folder, terminal)
    const { files, warnings } = loaded
    const facts = { files: files.map(({ path, level, values, ignored }) => ({ path, level, sets: shownValues(values), ignored })) }
    if (files.length === 0) {
      const own = flags.config === false ? undefined : ownPath(terminal)
      const next = own === undefined ? {} : { next: `Your own would be ${plain(own)}` }
      return { check: { name: 'settings', state: 'ok', text: 'no file of settings', ...next, facts }, loaded }
    }
    const text = facts.files.map(({ path, level, sets }) => `${path} (${levels[level]}): ${saidOf(sets)}`).join('; ')
    const next = warnings.length === 0 ? {} : { next: warnings.join(' ') }
    return { check: { name: 'settings', state: warnings.length === 0 ? 'ok' : 'note', text: oneLine(text), ...next, facts }, loaded }
  } catch (error) {
    return { check: { name: 'settings', state: 'broken', text: messageOf(error) }, loaded: undefined }
  }
}

const levels = { own: 'your own', project: "the project's" } as const

/** Values that may be long, or hold what is nobody's business, as their number. */
function shownValues(values: ConfigValues): { readonly [key: string]: unknown } {
  const shown = Object.entries(values).map(([key, value]) => {
    if (key === 'baseUrl') return [key, withoutCredentials(String(value))]
    if (key === 'models') return [key, Object.keys(value).length]
    if (key === 'instructions') return [key, count([...String(value)].length, 'character')]
    return [key, Array.isArray(value) && key !== 'tools' ? value.length : value]
  })
  return Object.fromEntries(shown)
}

function saidOf(sets: { readonly [key: string]: unknown }): string {
  const said = Object.entries(sets).map(([key, value]) => `${key} ${Array.isArray(value) ? value.join(' ') : String(value)}`)
  return said.length === 0 ? 'sets nothing' : said.join(', ')
}

/** On this machine, or where OLLAMA_HOST says: who asks for a report wants to know. */
export async function checkOllama({ terminal: { env }, installed }: Looked): Promise<Check> {
  const address = ollamaAddress(env)
  const next = 'It is optional: https://ollama.com has it, and ollama serve starts it'
  if (address === undefined)
    return { name: 'ollama', state: 'note', text: unreadable, next: 'Name it as http://127.0.0.1:11434, or unset it' }
  const shown = oneLine(withoutCredentials(address))
  const models = await modelsAt(address, installed.fetch)
  const facts = { address: shown, answers: models !== undefined, models: models ?? [] }
  if (models === undefined) return { name: 'ollama', state: 'note', text: `no server answers at ${shown}`, next, facts }
  if (models.length === 0)
    return { name: 'ollama', state: 'note', text: `the server at ${shown} has no models`, next: 'Get one: ollama pull qwen3', facts }
  const some = models.slice(0, shownModels).map(oneLine).join(', ')
  const more = models.length > shownModels ? ', …' : ''
  return { name: 'ollama', state: 'ok', text: `${shown} has ${count(models.length, 'model')}: ${some}${more}`, facts }
}

const shownModels = 5

/** What `rondo run` would take, by the code that it has for that. */
export async function checkModel({ flags, terminal, installed }: Looked, loaded: LoadedConfig | undefined): Promise<Check> {
  if (loaded === undefined) return { name: 'model', state: 'note', text: 'not looked at: the settings come first' }
  try {
    const { model, line } = await chooseModel(withSettings(flags, loaded, terminal), terminal, installed)
    const facts = { provider: model.provider, id: model.id }
    const text = line.replace(/^Model: /, '')
    if (model.provider !== 'rondo') return { name: 'model', state: 'ok', text, facts }
    return { name: 'model', state: 'note', text, next: 'The offline model answers questions about files and nothing else', facts }
  } catch (error) {
    return { name: 'model', state: 'broken', text: messageOf(error) }
  }
}

/** What a command would say in place of running; anything else is a defect of ours. */
export function messageOf(error: unknown): string {
  if (error instanceof CannotRun) return oneLine(error.message)
  throw error
}
