import type { Model } from '../index.ts'
import { offline } from '../models/offline/index.ts'
import { ollamaAddress } from '../models/ollama/index.ts'
import { openaiChat, openaiCompatible } from '../models/openai/index.ts'
import { lookForOllama, unreadable } from './ollama.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine } from './text.ts'

export interface ModelFlags {
  /** `openai:gpt-5-mini`, `ollama:qwen3`, `offline`, or with `baseUrl` the name of a model of that server. */
  readonly model?: string
  readonly baseUrl?: string
  /** The file that names them, where no flag does. */
  readonly namedBy?: string
}

/** A model, and what the command says of it in its first line. */
export interface ChosenModel {
  readonly model: Model
  readonly line: string
}

/** Which model of a provider is taken when none is named. */
export const usualModel = 'gpt-5-mini'

/** A name that was given, and by what. */
interface Named {
  readonly name: string
  /** `--model`, `RONDO_MODEL` or a file. */
  readonly by: string
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
  if (flags.model !== undefined) return byName({ name: flags.model, by: flags.namedBy ?? '--model' }, terminal)
  const { env } = terminal
  const usual = given(env['RONDO_MODEL'])
  if (usual !== undefined) return byName({ name: usual, by: 'RONDO_MODEL' }, terminal)
  const noteOther = '--model chooses another'
  if (given(env['OPENAI_API_KEY']) !== undefined) return openaiModel(usualModel, terminal, ['OPENAI_API_KEY is set', noteOther])
  const looked = await lookForOllama(env, fetch)
  if ('reason' in looked) {
    const notes = ['no language model', `no OPENAI_API_KEY is set and ${looked.reason}: --model names one`]
    return chosen(offlineModel(terminal), notes)
  }
  const { model, address } = looked
  return chosen(ollama(address)(model), [`an Ollama server answers at ${oneLine(address)}`, noteOther])
}

function atServer(baseUrl: string, { model: name, namedBy }: ModelFlags, { env }: Terminal): ChosenModel {
  if (name === undefined)
    throw new CannotRun(`${namedBy === undefined ? '--base-url' : `baseUrl in ${namedBy}`} needs the name of a model: --model NAME`)
  const [provider, model] = split(name)
  const key = given(env['RONDO_API_KEY'])
  const made =
    provider === 'openai'
      ? valid(() => openaiChat(model, { baseURL: baseUrl, apiKey: env['OPENAI_API_KEY'] }))
      : valid(() => openaiCompatible({ baseURL: baseUrl, ...(key === undefined ? {} : { apiKey: key }) })(name))
  return chosen(made, [placeOf(baseUrl), ...(namedBy === undefined ? [] : [`${namedBy} names it`])])
}

function byName({ name, by }: Named, terminal: Terminal): ChosenModel {
  const [provider, model] = split(name)
  const reason = by === '--model' ? [] : [`${by} names it`]
  switch (provider) {
    case 'offline':
      return chosen(offlineModel(terminal), ['no network and no language model', ...reason])
    case 'openai':
      return openaiModel(model === '' ? usualModel : model, terminal, reason)
    case 'ollama': {
      if (model === '') throw new CannotRun(`${by} ollama: needs the name of a model, as ollama:qwen3`)
      const address = ollamaAddress(terminal.env)
      if (address === undefined) throw new CannotRun(`${unreadable}. Say where the server is, as http://127.0.0.1:11434, or unset it.`)
      return chosen(ollama(address)(model), [oneLine(address), ...reason])
    }
    default:
      throw new CannotRun(
        `There is no provider '${oneLine(provider)}' (${by} ${oneLine(name)}). Say openai:NAME, ollama:NAME or offline; for any other server with the same API as OpenAI's add --base-url URL.`,
      )
  }
}

function openaiModel(name: string, { env }: Terminal, notes: readonly string[]): ChosenModel {
  const apiKey = given(env['OPENAI_API_KEY'])
  if (apiKey === undefined)
    throw new CannotRun('openai: needs a key. Set OPENAI_API_KEY, or take another model (--model ollama:NAME, --model offline).')
  const baseURL = given(env['OPENAI_BASE_URL'])
  if (baseURL === undefined)
    return chosen(
      valid(() => openaiChat(name, { apiKey })),
      notes,
    )
  const model = valid(() => openaiChat(name, { apiKey, baseURL }))
  return chosen(model, [`at ${placeOf(baseURL)} by OPENAI_BASE_URL`, ...notes])
}

function chosen(model: Model, notes: readonly string[]): ChosenModel {
  const name = model.provider === 'rondo' ? 'offline' : `${model.provider}:${oneLine(model.id)}`
  return { model, line: `Model: ${name}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}` }
}

/** A URL may hold a password, or a key in its query. */
function placeOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  return oneLine(`${origin}${pathname}`)
}

/** Only the first colon parts: names of models have colons too (`qwen3:8b`). */
function split(name: string): [provider: string, model: string] {
  const at = name.indexOf(':')
  return at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at + 1)]
}

function valid(make: () => Model): Model {
  try {
    return make()
  } catch (error) {
    throw new CannotRun(error instanceof Error ? error.message : String(error))
  }
}

function ollama(address: string): (model: string) => Model {
  return openaiCompatible({ name: 'ollama', baseURL: `${address}/v1` })
}

/** What is blank was not given. */
export function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

function offlineModel(terminal: Terminal): Model {
  return offline({ delayMs: delayOf(terminal) })
}

function delayOf({ env }: Terminal): number {
  const text = env['RONDO_OFFLINE_DELAY_MS'] ?? ''
  if (!/^\d{0,6}$/.test(text))
    throw new CannotRun(`RONDO_OFFLINE_DELAY_MS must be a whole number of ms below 1,000,000, not ${oneLine(text)}.`)
  return Number(text)
}
