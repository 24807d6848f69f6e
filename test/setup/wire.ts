import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

// Recorded provider traffic as data for tests. The folder is `RONDO_WIRE`, else `../shared/wire` beside the project; its README says how a
// case is laid out. It is no part of the project: where it is absent, the tests that need it are reported as skipped, in one line each.

export type WireApi = 'chat-completions' | 'responses' | 'messages' | 'gemini-generate-content' | 'ollama-chat' | 'ollama-generate'
export type Provenance = 'recorded' | 'sdk-fixture' | 'sdk-fixture-edited' | 'vendor-mock' | 'derived' | 'reconstructed'

/** The keys of an exchange's `meta.json` that tests ask for. */
export interface WireMeta {
  readonly provider: string
  readonly api: WireApi
  /** Absent where the source did not say. */
  readonly model?: string
  /** Whether the body is a stream; `streamRequested` is what the request asked for. */
  readonly streaming: boolean
  readonly streamRequested?: boolean
  readonly status: number
  readonly contentType: string
  readonly headers?: { readonly [name: string]: string }
  readonly endpoint: string
  /** Whether there is a `request.json`. */
  readonly request: boolean
  /** The name of the response's file. */
  readonly response: string
  readonly framing: string
  readonly provenance: Provenance
  readonly features: readonly string[]
}

/** One request and its response. */
export interface Exchange {
  /** `openai-chat/chat-stream`, or `openai-chat/hierarchical-process/step-2`. */
  readonly name: string
  readonly meta: WireMeta
  /** The request's JSON, read anew at each call; throws where none was recorded. */
  request(): unknown
  /** The body as a client gets it after content decoding. */
  response(): Uint8Array
  /** A header of the response, by its name in any case. */
  header(name: string): string | undefined
}

/** A case: one exchange, or a trace of several, in order (an agent run or a conversation). */
export interface WireCase {
  /** `openai-chat/hierarchical-process`. */
  readonly name: string
  readonly isTrace: boolean
  readonly exchanges: readonly Exchange[]
}

/** What an exchange must be; absent keys do not matter. Of `features` it has each one. */
export interface WireFilter {
  readonly api?: WireApi
  readonly provider?: string
  readonly features?: readonly string[]
  readonly provenance?: readonly Provenance[]
  readonly streaming?: boolean
  readonly status?: (status: number) => boolean
}

const beside = fileURLToPath(new URL('../../../shared/wire', import.meta.url))

/** Where the recordings are; `undefined` when there are none. A `RONDO_WIRE` that names no folder is an error, an empty one says "none". */
export function wireFolder(named = process.env['RONDO_WIRE']): string | undefined {
  if (named === '') return undefined
  if (named === undefined) return existsSync(beside) ? beside : undefined
  if (!existsSync(named) || !statSync(named).isDirectory()) throw new Error(`RONDO_WIRE names no folder: ${named}`)
  return named
}

/**
 * Whether these are the recordings that the tests were written on: then each rule and each exception must have a case. Others, which
 * `RONDO_WIRE` names, may lack some.
 */
export function areOwn(named = process.env['RONDO_WIRE']): boolean {
  return named === undefined
}

/**
 * What of recordings does not fit a rule of ours that is no rule of our adapters (what a server takes besides, what a package reads): there may be
 * none in our own; of others it is counted in a line.
 */
export function misfits<T>(what: string, found: readonly T[]): readonly T[] {
  if (areOwn()) return found
  if (found.length > 0) console.info(`${found.length} ${what}`)
  return []
}

/** All cases of a folder, by name. */
export function wireCases(folder: string): WireCase[] {
  return folders(folder).flatMap((group) => folders(join(folder, group)).map((name) => readCase(folder, `${group}/${name}`)))
}

/** The exchanges that are as asked, single ones and steps of traces, by name. */
export function exchangesIn(folder: string, filter: WireFilter = {}): Exchange[] {
  return wireCases(folder).flatMap(({ exchanges }) => exchanges.filter(({ meta }) => fits(meta, filter)))
}

/** `describe` for tests over the recordings. Without them one line says so, and a skipped test stands in their place. */
export function describeWire(title: string, tests: (folder: string) => void, folder = wireFolder()): void {
  if (folder === undefined) console.info(`skipped: no recordings for "${title}" (RONDO_WIRE names their folder)`)
  describe(title, () => {
    if (folder === undefined) test.skip('skipped: no recordings', () => {})
    else tests(folder)
  })
}

function fits(meta: WireMeta, { api, provider, features = [], provenance, streaming, status }: WireFilter): boolean {
  return (
    (api === undefined || meta.api === api) &&
    (provider === undefined || meta.provider === provider) &&
    features.every((feature) => meta.features.includes(feature)) &&
    (provenance === undefined || provenance.includes(meta.provenance)) &&
    (streaming === undefined || meta.streaming === streaming) &&
    (status === undefined || status(meta.status))
  )
}

function folders(dir: string): string[] {
  const names = readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  return names.sort()
}

function readCase(root: string, name: string): WireCase {
  const steps = folders(join(root, name)).filter((step) => /^step-\d+$/.test(step))
  if (steps.length === 0) return { name, isTrace: false, exchanges: [readExchange(root, name)] }
  steps.sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)))
  return { name, isTrace: true, exchanges: steps.map((step) => readExchange(root, `${name}/${step}`)) }
}

function readExchange(root: string, name: string): Exchange {
  const dir = join(root, name)
  const meta = readMeta(join(dir, 'meta.json'))
  const headers = new Map(Object.entries(meta.headers ?? {}).map(([key, value]) => [key.toLowerCase(), value]))
  return {
    name,
    meta,
    request() {
      if (!meta.request) throw new Error(`${name} has no request`)
      return readJson(join(dir, 'request.json'))
    },
    response: () => readFileSync(join(dir, meta.response)),
    header: (key) => headers.get(key.toLowerCase()),
  }
}

function readMeta(path: string): WireMeta {
  const meta = readJson(path)
  if (isMeta(meta)) return meta
  throw new Error(`${path} lacks a key of an exchange`)
}

/** What the harness itself relies on; the whole form is checked where the recordings are kept. */
function isMeta(value: unknown): value is WireMeta {
  if (typeof value !== 'object' || value === null) return false
  const has = (key: string, type: string) => typeof Reflect.get(value, key) === type
  const strings = ['provider', 'api', 'contentType', 'endpoint', 'response', 'provenance'].every((key) => has(key, 'string'))
  return (
    strings &&
    has('status', 'number') &&
    has('streaming', 'boolean') &&
    has('request', 'boolean') &&
    Array.isArray(Reflect.get(value, 'features'))
  )
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
