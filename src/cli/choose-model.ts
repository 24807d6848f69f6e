import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Model } from '../index.ts'
import { offline } from '../models/offline/index.ts'
import { ollamaAddress } from '../models/ollama/index.ts'
import type { ModelName } from '../models/registry/index.ts'
import { packageVersion } from './doctor/installed.ts'
import { fullName, type InformedModel, informed, type OwnModels } from './informed-model.ts'
import { nearest } from './nearest.ts'
import { lookForOllama, unreadable } from './ollama.ts'
import { isWebAddress, parsedUrl } from './parsed-url.ts'
import { ollamaMaker } from './providers/makers.ts'
import type { Provider } from './providers/provider.ts'
import { providerNamed, providerNames, providers } from './providers/table.ts'
import { usualOf, usuals } from './providers/usual.ts'
import { given, keyOf, lacking } from './providers/variables.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine, wrapped } from './text.ts'

export interface ModelFlags {
  /** `openai:gpt-5-mini`, `anthropic:claude-sonnet-4-5`, `offline`, or with `baseUrl` the name of a model of that server. */
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

/** What is outside. */
export interface Around {
  readonly fetch?: typeof globalThis.fetch
  /** The version of a package that Rondo would find. */
  readonly packageVersion?: (name: string) => string | undefined
}

/** A name that was given, and by what. */
interface Named {
  readonly name: string
  /** `--model`, `RONDO_MODEL` or a file. */
  readonly by: string
  /** The short name or alias that means it, where that was given. */
  readonly alias?: string
}

/** What every choice needs to know. */
interface Scene {
  readonly terminal: Terminal
  readonly own: OwnModels | undefined
  readonly packageVersion: (name: string) => string | undefined
}

/**
 * The model that a command works with: the one that was asked for (--model, RONDO_MODEL, a file of settings), else the usual one of the first provider whose key is set, else one of
 * an Ollama server on this machine, else the offline model. Throws `CannotRun` for one that can't be had.
 */
export async function chooseModel(flags: ModelFlags, terminal: Terminal, around: Around = {}): Promise<ChosenModel> {
  const scene = { terminal, own: flags.models, packageVersion: around.packageVersion ?? packageVersion }
  // What was meant for another server is not sent to this one: neither the usual model nor, unless it is asked for by name, a provider's key.
  if (flags.baseUrl !== undefined) return atServer(flags.baseUrl, flags, scene)
  if (flags.model !== undefined) return byName({ name: flags.model, by: flags.namedBy ?? '--model' }, scene)
  const { env } = terminal
  const usual = given(env['RONDO_MODEL'])
  if (usual !== undefined) return byName({ name: usual, by: 'RONDO_MODEL' }, scene)
  const noteOther = '--model chooses another'
  const found = usualOf(env)
  if (found !== undefined) return ofProvider(found.provider, found.model, scene, [`${found.key} is set`, noteOther])
  const looked = await lookForOllama(env, around.fetch ?? globalThis.fetch)
  if ('reason' in looked) {
    const notes = ['no language model', `no ${orOf(usuals.map(({ key }) => key))} is set and ${looked.reason}: --model names one`]
    return offlineModel(terminal, notes)
  }
  const { model, address } = looked
  return ollamaModel(model, address, scene, [`an Ollama server answers at ${oneLine(address)}`, noteOther])
}

function orOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** The provider says which API is spoken there; the names of servers that speak Chat Completions say nothing, for the address says who is asked. */
async function atServer(baseUrl: string, { model: name, namedBy }: ModelFlags, { terminal: { env }, own }: Scene): Promise<ChosenModel> {
  const by = namedBy === undefined ? '--base-url' : `baseUrl in ${namedBy}`
  if (name === undefined) throw new CannotRun(`${by} needs the name of a model: --model NAME`)
  if (!isWebAddress(baseUrl)) throw new CannotRun(`${by} ${mustBeAddress}, as http://localhost:8080/v1.`)
  const [word, model] = split(name)
  const notes = [placeOf(baseUrl), ...(namedBy === undefined ? [] : [`${namedBy} names it`])]
  const provider = name.includes(':') ? providerNamed(word) : undefined
  const ownKey = given(env['RONDO_API_KEY'])
  if (provider?.isApi === true) {
    if (model === '') throw nameless(provider, namedBy ?? '--model', word)
    const apiKey = keyOf(provider, env) ?? ownKey
    const [variable] = provider.keys
    if (apiKey === undefined && variable !== undefined)
      throw new CannotRun(`${word}: needs a key. Set ${variable}, or RONDO_API_KEY for what is at --base-url.`)
    const make = await provider.load()
    const reach = { apiKey, baseURL: baseUrl, env }
    return chosen({ provider: hostOf(baseUrl), id: model }, (capabilities) => make(model, reach, capabilities), own, notes)
  }
  const { openaiCompatible } = await import('../models/openai/index.ts')
  const server = { baseURL: baseUrl, ...(ownKey === undefined ? {} : { apiKey: ownKey }) }
  return chosen({ provider: hostOf(baseUrl), id: name }, (capabilities) => openaiCompatible(server)(name, { capabilities }), own, notes)
}

/** The address itself is not shown: what can't be read may have a password anywhere. */
const mustBeAddress = 'must be a URL that begins with http:// or https://'

async function byName({ name, by, alias }: Named, scene: Scene): Promise<ChosenModel> {
  if (name.trim() === '') throw new CannotRun(`${by} needs the name of a model: PROVIDER:NAME, as openai:gpt-5-mini, or offline.`)
  const [word, model] = split(name)
  const reason = alias === undefined ? (by === '--model' ? [] : [`${by} names it`]) : [`${by} ${oneLine(alias)} names it`]
  if (word === 'offline') return offlineModel(scene.terminal, ['no network and no language model', ...reason])
  const provider = providerNamed(word)
  if (provider === undefined) {
    const full = await fullName(name, scene.own)
    if (full !== undefined && full !== name) return byName({ name: full, by, alias: name }, scene)
    const asked = alias === undefined ? oneLine(name) : `${oneLine(alias)} is ${oneLine(name)}`
    throw new CannotRun(unknown(word, `${by} ${asked}`, scene.terminal.stderr.columns))
  }
  const id = model === '' ? provider.usual : model
  if (id === undefined) throw nameless(provider, by, word)
  if (provider.name === 'ollama') {
    const address = ollamaAddress(scene.terminal.env)
    if (address === undefined) throw new CannotRun(`${unreadable}. Say where the server is, as http://127.0.0.1:11434, or unset it.`)
    return ollamaModel(id, address, scene, [oneLine(address), ...reason])
  }
  return provider.peer === undefined ? ofProvider(provider, id, scene, reason) : fromFile(provider, id, scene, reason)
}

function nameless({ name, example }: Provider, by: string, word: string): CannotRun {
  return new CannotRun(`${by} ${word}: needs the name of a model, as ${name}:${example}`)
}

/** In lines, so that the names can be read on a screen of 80 columns, or of fewer. */
function unknown(word: string, asked: string, columns = 80): string {
  const near = nearest(word, [...providers.flatMap(({ name, aliases }) => [name, ...aliases]), 'offline'])
  const meant = near === undefined ? [] : [`Did you mean ${near}?`]
  return [
    `There is no provider '${oneLine(word)}' (${asked}).`,
    ...meant,
    'Say PROVIDER:NAME, as openai:gpt-5-mini, or offline. The providers are',
    ...wrapped(`${providerNames}.`, Math.min(columns, 80), '  ').trimEnd().split('\n'),
    "For any other server with the same API as OpenAI's add --base-url URL.",
  ].join('\n')
}

/** One that is asked over the network, with its key. */
async function ofProvider(
  provider: Provider,
  name: string,
  { terminal: { env }, own }: Scene,
  notes: readonly string[],
): Promise<ChosenModel> {
  const { name: word, place, data } = provider
  const lacks = lacking(provider, env)
  if (lacks.length > 0) {
    const what = keyOf(provider, env) === undefined && provider.keys.length > 0 ? 'a key' : 'more than a key'
    throw new CannotRun(`${word}: needs ${what}. Set ${lacks.join(' and ')}, or take another model (--model ollama:NAME, --model offline).`)
  }
  const baseURL = place === undefined ? undefined : given(env[place])
  if (baseURL !== undefined && !isWebAddress(baseURL)) throw new CannotRun(`${place} ${mustBeAddress}.`)
  const make = await provider.load()
  const making: Make = (capabilities) => make(name, { apiKey: keyOf(provider, env), baseURL, env }, capabilities)
  if (baseURL === undefined) return chosen({ provider: data, id: name }, making, own, notes)
  // At another address neither the prices nor the limits need be the provider's.
  return chosen({ provider: hostOf(baseURL), id: name }, making, own, [`at ${placeOf(baseURL)} by ${place}`, ...notes])
}

/** One of a file on this disk, by an optional package. The file is opened with the first request. */
async function fromFile(
  { name, peer, load }: Provider,
  path: string,
  { terminal, own, packageVersion }: Scene,
  notes: readonly string[],
): Promise<ChosenModel> {
  if (peer !== undefined && packageVersion(peer.name) === undefined)
    throw new CannotRun(`${name}: needs the package ${peer.name}. Install it: ${peer.install}`)
  const file = path.startsWith('~/') && terminal.home !== '' ? resolve(terminal.home, path.slice(2)) : resolve(terminal.cwd, path)
  if (!existsSync(file)) throw new CannotRun(`${name}: there is no file ${oneLine(file)}. Name a model in the GGUF format.`)
  const make = await load()
  const reach = { apiKey: undefined, baseURL: undefined, env: terminal.env }
  return chosen({ provider: name, id: basename(file) }, (capabilities) => make(file, reach, capabilities), own, [
    'in this process',
    ...notes,
  ])
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
  return parsedUrl(baseUrl)?.host ?? baseUrl
}

/** A URL may hold a password, or a key in its query. */
function placeOf(baseUrl: string): string {
  const url = parsedUrl(baseUrl)
  return url === undefined ? '' : oneLine(`${url.origin}${url.pathname}`)
}

/** Only the first colon parts: names of models have colons too (`qwen3:8b`). */
function split(name: string): [provider: string, model: string] {
  const at = name.indexOf(':')
  return at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at + 1)]
}

async function ollamaModel(
  name: string,
  baseURL: string,
  { terminal: { env }, own }: Scene,
  notes: readonly string[],
): Promise<ChosenModel> {
  const make = await ollamaMaker()
  const reach = { apiKey: undefined, baseURL, env }
  return chosen({ provider: 'ollama', id: name }, (capabilities) => make(name, reach, capabilities), own, notes)
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
