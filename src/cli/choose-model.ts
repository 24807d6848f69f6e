import type { Model } from '../index.ts'
import { offline } from '../models/offline/index.ts'
import { ollamaAddress } from '../models/ollama/index.ts'
import { openaiChat, openaiCompatible } from '../models/openai/index.ts'
import type { ModelName } from '../models/registry/index.ts'
import { fullName, type InformedModel, informed, type OwnModels } from './informed-model.ts'
import { lookForOllama, unreadable } from './ollama.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine } from './text.ts'

export interface ModelFlags {
  /** `openai:gpt-5-mini`, `ollama:qwen3`, `offline`, or with `baseUrl` the name of a model of that server. */
  readonly model?: string
  readonly baseUrl?: string
  /** The file that names them, where no flag does. */
  readonly namedBy?: string
  /** What the user says of models. */
  readonly models?: OwnModels
}

/** A model, and what the command says of it in its first line. */
export interface ChosenModel extends InformedModel {
  readonly line: string
}

/** Which model of a provider is taken when none is named. */
export const usualModel = 'gpt-5-mini'

/** A name that was given, and by what. */
interface Named {
  readonly name: string
  /** `--model`, `RONDO_MODEL` or a file. */
  readonly by: string
  /** The short name or alias that means it, where that was given. */
  readonly alias?: string
}

/**
 * The model that a command works with: the one that was asked for (--model, RONDO_MODEL, a file of settings), else OpenAI's when there is a key, else one of an Ollama server on this
 * machine, else the offline model. Throws `CannotRun` for one that can't be had.
 */
export async function chooseModel(
  flags: ModelFlags,
  terminal: Terminal,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<ChosenModel> {
  // What was meant for another server is not sent to this one: neither the usual model nor, unless it is asked for by name, OpenAI's key.
  if (flags.baseUrl !== undefined) return atServer(flags.baseUrl, flags, terminal)
  const own = flags.models
  if (flags.model !== undefined) return byName({ name: flags.model, by: flags.namedBy ?? '--model' }, own, terminal)
  const { env } = terminal
  const usual = given(env['RONDO_MODEL'])
  if (usual !== undefined) return byName({ name: usual, by: 'RONDO_MODEL' }, own, terminal)
  const noteOther = '--model chooses another'
  if (given(env['OPENAI_API_KEY']) !== undefined) return openaiModel(usualModel, own, terminal, ['OPENAI_API_KEY is set', noteOther])
  const looked = await lookForOllama(env, fetch)
  if ('reason' in looked) {
    const notes = ['no language model', `no OPENAI_API_KEY is set and ${looked.reason}: --model names one`]
    return offlineModel(terminal, notes)
  }
  const { model, address } = looked
  return ollamaModel(model, address, own, [`an Ollama server answers at ${oneLine(address)}`, noteOther])
}

async function atServer(baseUrl: string, { model: name, namedBy, models: own }: ModelFlags, { env }: Terminal): Promise<ChosenModel> {
  if (name === undefined)
    throw new CannotRun(`${namedBy === undefined ? '--base-url' : `baseUrl in ${namedBy}`} needs the name of a model: --model NAME`)
  const [provider, model] = split(name)
  const key = given(env['RONDO_API_KEY'])
  const notes = [placeOf(baseUrl), ...(namedBy === undefined ? [] : [`${namedBy} names it`])]
  if (provider === 'openai')
    return chosen(
      { provider: hostOf(baseUrl), id: model },
      (capabilities) => openaiChat(model, { baseURL: baseUrl, apiKey: env['OPENAI_API_KEY'], capabilities }),
      own,
      notes,
    )
  const server = { baseURL: baseUrl, ...(key === undefined ? {} : { apiKey: key }) }
  return chosen({ provider: hostOf(baseUrl), id: name }, (capabilities) => openaiCompatible(server)(name, { capabilities }), own, notes)
}

async function byName({ name, by, alias }: Named, own: OwnModels | undefined, terminal: Terminal): Promise<ChosenModel> {
  const [provider, model] = split(name)
  const reason = alias === undefined ? (by === '--model' ? [] : [`${by} names it`]) : [`${by} ${oneLine(alias)} names it`]
  switch (provider) {
    case 'offline':
      return offlineModel(terminal, ['no network and no language model', ...reason])
    case 'openai':
      return openaiModel(model === '' ? usualModel : model, own, terminal, reason)
    case 'ollama': {
      if (model === '') throw new CannotRun(`${by} ollama: needs the name of a model, as ollama:qwen3`)
      const address = ollamaAddress(terminal.env)
      if (address === undefined) throw new CannotRun(`${unreadable}. Say where the server is, as http://127.0.0.1:11434, or unset it.`)
      return ollamaModel(model, address, own, [oneLine(address), ...reason])
    }
    default: {
      const full = await fullName(name, own)
      if (full !== undefined && full !== name) return byName({ name: full, by, alias: name }, own, terminal)
      const asked = alias === undefined ? oneLine(name) : `${oneLine(alias)} is ${oneLine(name)}`
      throw new CannotRun(
        `There is no provider '${oneLine(provider)}' (${by} ${asked}). Say openai:NAME, ollama:NAME or offline; for any other server with the same API as OpenAI's add --base-url URL.`,
      )
    }
  }
}

async function openaiModel(name: string, own: OwnModels | undefined, { env }: Terminal, notes: readonly string[]): Promise<ChosenModel> {
  const apiKey = given(env['OPENAI_API_KEY'])
  if (apiKey === undefined)
    throw new CannotRun('openai: needs a key. Set OPENAI_API_KEY, or take another model (--model ollama:NAME, --model offline).')
  const baseURL = given(env['OPENAI_BASE_URL'])
  if (baseURL === undefined)
    return chosen({ provider: 'openai', id: name }, (capabilities) => openaiChat(name, { apiKey, capabilities }), own, notes)
  const make: Make = (capabilities) => openaiChat(name, { apiKey, baseURL, capabilities })
  // At another address neither the prices nor the limits need be OpenAI's.
  return chosen({ provider: hostOf(baseURL), id: name }, make, own, [`at ${placeOf(baseURL)} by OPENAI_BASE_URL`, ...notes])
}

type Make = Parameters<typeof informed>[1]

async function chosen(name: ModelName, make: Make, own: OwnModels | undefined, notes: readonly string[]): Promise<ChosenModel> {
  const made = await informed(name, make, own)
  return { ...made, line: lineOf(made.model, notes) }
}

function lineOf(model: Model, notes: readonly string[]): string {
  const name = model.provider === 'rondo' ? 'offline' : `${model.provider}:${oneLine(model.id)}`
  return `Model: ${name}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`
}

/** What the catalogue knows a server by. */
function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl
}

/** A URL may hold a password, or a key in its query. What is no URL is refused by the adapter. */
function placeOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return ''
  const { origin, pathname } = new URL(baseUrl)
  return oneLine(`${origin}${pathname}`)
}

/** Only the first colon parts: names of models have colons too (`qwen3:8b`). */
function split(name: string): [provider: string, model: string] {
  const at = name.indexOf(':')
  return at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at + 1)]
}

function ollamaModel(name: string, address: string, own: OwnModels | undefined, notes: readonly string[]): Promise<ChosenModel> {
  const server = { name: 'ollama', baseURL: `${address}/v1` }
  return chosen({ provider: 'ollama', id: name }, (capabilities) => openaiCompatible(server)(name, { capabilities }), own, notes)
}

/** What is blank was not given. */
export function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

function offlineModel(terminal: Terminal, notes: readonly string[]): ChosenModel {
  const model = offline({ delayMs: delayOf(terminal) })
  return { model, knownAs: 'offline', isPriced: false, line: lineOf(model, notes) }
}

function delayOf({ env }: Terminal): number {
  const text = env['RONDO_OFFLINE_DELAY_MS'] ?? ''
  if (!/^\d{0,6}$/.test(text))
    throw new CannotRun(`RONDO_OFFLINE_DELAY_MS must be a whole number of ms below 1,000,000, not ${oneLine(text)}.`)
  return Number(text)
}
