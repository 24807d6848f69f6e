import type { Model } from '../index.ts'
import { offline } from '../models/offline/index.ts'
import { openaiChat, openaiCompatible } from '../models/openai/index.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine } from './text.ts'

export interface ModelFlags {
  /** `openai:gpt-5-mini`, `ollama:qwen3`, `offline`, or with `baseUrl` the name of a model of that server. */
  readonly model?: string
  readonly baseUrl?: string
}

/** A model, and what the command says of it in its first line. */
export interface ChosenModel {
  readonly model: Model
  readonly line: string
}

/** Which model of a provider is taken when none is named. */
const usualModel = 'gpt-5-mini'
/** An Ollama server that listens answers within a few ms. */
const ollamaPatienceMs = 500

/**
 * The model that a command works with: the one that was asked for (--model, RONDO_MODEL), else OpenAI's when there is a key, else one of an Ollama server on this
 * machine, else the offline model. Throws `CannotRun` for one that can't be had.
 */
export async function chooseModel(
  flags: ModelFlags,
  terminal: Terminal,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<ChosenModel> {
  // What was meant for another server is not sent to this one: neither the usual model nor, unless it is asked for by name, OpenAI's key.
  if (flags.baseUrl !== undefined) return atServer(flags.baseUrl, flags.model, terminal)
  const named = flags.model ?? given(terminal.env['RONDO_MODEL'])
  if (named !== undefined) return byName(named, terminal)
  if (hasValue(terminal.env['OPENAI_API_KEY']))
    return {
      ...byName(`openai:${usualModel}`, terminal),
      line: `Model: openai:${usualModel} (OPENAI_API_KEY is set; --model chooses another)`,
    }
  const host = ollamaHost(terminal)
  const found = await firstOllamaModel(host, fetch)
  if (found === undefined) return { model: offlineModel(terminal), line: offlineLine }
  return {
    model: ollama(host)(found),
    line: `Model: ollama:${oneLine(found)} (an Ollama server answers at ${host}; --model chooses another)`,
  }
}

const offlineLine = 'Model: offline (no language model; no OPENAI_API_KEY is set and no Ollama server answers: --model names one)'

function atServer(baseUrl: string, name: string | undefined, { env }: Terminal): ChosenModel {
  if (name === undefined) throw new CannotRun('--base-url needs the name of a model: --model NAME')
  const [provider, model] = split(name)
  if (provider === 'openai')
    return chosen(
      valid(() => openaiChat(model, { baseURL: baseUrl, apiKey: env['OPENAI_API_KEY'] })),
      baseUrl,
    )
  const apiKey = env['RONDO_API_KEY']
  return chosen(
    valid(() => openaiCompatible({ baseURL: baseUrl, ...(hasValue(apiKey) ? { apiKey } : {}) })(name)),
    baseUrl,
  )
}

function byName(name: string, terminal: Terminal): ChosenModel {
  const [provider, model] = split(name)
  switch (provider) {
    case 'offline':
      return { model: offlineModel(terminal), line: 'Model: offline (no network and no language model)' }
    case 'openai':
      return openaiModel(model, terminal)
    case 'ollama':
      if (model !== '') return chosen(ollama(ollamaHost(terminal))(model))
      throw new CannotRun('--model ollama: needs the name of a model, as ollama:qwen3')
    default:
      throw new CannotRun(
        `There is no provider '${oneLine(provider)}' (--model ${oneLine(name)}). Say openai:NAME, ollama:NAME or offline; for any other server with the same API as OpenAI's add --base-url URL.`,
      )
  }
}

function openaiModel(model: string, { env }: Terminal): ChosenModel {
  if (!hasValue(env['OPENAI_API_KEY']))
    throw new CannotRun('openai: needs a key. Set OPENAI_API_KEY, or take another model (--model ollama:NAME, --model offline).')
  const baseURL = env['OPENAI_BASE_URL']
  return chosen(
    valid(() =>
      openaiChat(model === '' ? usualModel : model, { apiKey: env['OPENAI_API_KEY'], ...(hasValue(baseURL) ? { baseURL } : {}) }),
    ),
  )
}

function chosen(model: Model, baseUrl?: string): ChosenModel {
  return { model, line: `Model: ${model.provider}:${model.id}${baseUrl === undefined ? '' : ` (${placeOf(baseUrl)})`}` }
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

function ollama(host: string): (model: string) => Model {
  return openaiCompatible({ name: 'ollama', baseURL: `${host}/v1` })
}

/** As Ollama reads it: a host, a port, both, or a URL. */
function ollamaHost({ env }: Terminal): string {
  const given = env['OLLAMA_HOST'] ?? ''
  const url = /^https?:\/\//.test(given)
    ? given
    : `http://${given === '' ? '127.0.0.1' : given.replace(/^(:|0\.0\.0\.0)/, (start) => (start === ':' ? '127.0.0.1:' : '127.0.0.1'))}`
  if (!URL.canParse(url)) throw new CannotRun(`OLLAMA_HOST is no address: ${oneLine(given)}`)
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port === '' ? (given.startsWith('https:') ? '443' : given.startsWith('http:') ? '80' : '11434') : port}`
}

/** The model that came last to a server that answers on this machine, if it can chat; elsewhere nothing is asked for unbidden. */
async function firstOllamaModel(host: string, fetch: typeof globalThis.fetch): Promise<string | undefined> {
  if (!/^https?:\/\/(127\.0\.0\.1|0\.0\.0\.0|localhost|\[::1\]):/.test(host)) return undefined
  try {
    const response = await fetch(`${host}/api/tags`, { signal: AbortSignal.timeout(ollamaPatienceMs), redirect: 'error' })
    const body: unknown = await response.json()
    const models: unknown = typeof body === 'object' && body !== null && 'models' in body ? body.models : undefined
    return Array.isArray(models)
      ? models.map(nameOf).find((name) => name !== undefined && !/embed|bge-|minilm|rerank/i.test(name))
      : undefined
  } catch {
    return undefined
  }
}

function nameOf(model: unknown): string | undefined {
  return typeof model === 'object' && model !== null && 'name' in model && typeof model.name === 'string' ? model.name : undefined
}

function given(text: string | undefined): string | undefined {
  return hasValue(text) ? text : undefined
}

function hasValue(text: string | undefined): text is string {
  return text !== undefined && text !== ''
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
