import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, RondoError } from '../../core/error.ts'
import { canonicalJson, isJsonObject, type Json } from '../../core/json.ts'
import { type Answer, readAnswer, written } from './answer.ts'
import type { Described } from './description.ts'

/** A request and its answers, in the order in which they were given. */
export interface Recorded {
  readonly request: Omit<Described, 'pieces'>
  readonly answers: readonly Answer[]
}

/** What a file holds. */
export interface Recording {
  readonly pieces: ReadonlyMap<string, Json>
  readonly requests: ReadonlyMap<string, Recorded>
}

const version = 1
const maxUnits = 256 * 1024 * 1024

/**
 * Reads a file; one that is not there holds nothing.
 *
 * @throws `ConfigInvalid` for a file that can't be read, or is damaged: the message names the line.
 */
export async function readRecording(path: string): Promise<Recording & { readonly exists: boolean }> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if (isJsonObject(cause) && cause['code'] === 'ENOENT') return { pieces: new Map(), requests: new Map(), exists: false }
    throw new RondoError('ConfigInvalid', `The recording ${path} could not be read: ${messageOf(cause)}`, { cause })
  }
  if (text.length > maxUnits) throw new RondoError('ConfigInvalid', `The recording ${path} is larger than ${maxUnits} characters.`)
  return { ...parse(path, text), exists: true }
}

function parse(path: string, text: string): Recording {
  const pieces = new Map<string, Json>()
  const requests = new Map<string, { request: Recorded['request']; answers: Answer[] }>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = jsonOf(line)
    const damaged = (what: string) => {
      const advice = 'Nothing was changed: mend the line, or delete the file and record it anew.'
      return new RondoError('ConfigInvalid', `The recording ${path} is damaged: line ${index + 1} ${what}. ${advice}`)
    }
    if (!isJsonObject(value)) throw damaged('is no JSON object')
    if ('recording' in value) {
      if (value['recording'] !== version) throw damaged(`is of version ${String(value['recording'])}, and this is for version ${version}`)
    } else if (typeof value['piece'] === 'string' && value['is'] !== undefined) pieces.set(value['piece'], value['is'])
    else if ('request' in value) {
      const request = requestOf(value)
      if (request === undefined) throw damaged('is no request')
      if (requests.has(request.fingerprint)) throw damaged('tells a request that was told before')
      requests.set(request.fingerprint, { request, answers: [] })
    } else if ('answer' in value) {
      const answer = readAnswer(value)
      if (answer === undefined) throw damaged('is no answer')
      const to = requests.get(String(value['answer']))
      if (to === undefined) throw damaged('answers a request that is not told before it')
      to.answers.push(answer)
    } else throw damaged('is neither a piece nor a request nor an answer')
  }
  return { pieces, requests }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function requestOf(value: { readonly [key: string]: Json | undefined }): Recorded['request'] | undefined {
  const { request, model, purpose, instructions, tools, messages, rest } = value
  const texts = Array.isArray(messages) && messages.every((digest) => typeof digest === 'string') ? messages : undefined
  if (typeof request !== 'string' || typeof model !== 'string' || typeof purpose !== 'string') return undefined
  if (typeof instructions !== 'string' || typeof tools !== 'string' || texts === undefined) return undefined
  return { fingerprint: request, model, purpose, instructions, tools, messages: texts, rest: rest ?? {} }
}

/** One after the other for each file: what one wrapper adds, another of this process does not lose. */
const lines = new Map<string, Promise<unknown>>()

/**
 * Adds an answer to a file, which is read anew and replaced all at once. `index` is its place among the answers to that request, where the
 * next place that is free does not do.
 */
export function addAnswer(path: string, described: Described, answer: Answer, index?: number): Promise<void> {
  const before = lines.get(path) ?? Promise.resolve()
  const added = before.then(async () => {
    const { pieces, requests } = await readRecording(path)
    const { pieces: more, ...request } = described
    const answers = [...(requests.get(request.fingerprint)?.answers ?? [])]
    answers[Math.min(index ?? answers.length, answers.length)] = answer
    const all = new Map(requests).set(request.fingerprint, { request, answers })
    await replace(path, textOf(new Map([...pieces, ...more]), all))
  })
  const quiet = added.catch(() => {})
  lines.set(path, quiet)
  quiet.then(() => {
    if (lines.get(path) === quiet) lines.delete(path)
  })
  return added
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(temporary, text)
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new RondoError('ConfigInvalid', `The recording ${path} could not be written: ${messageOf(cause)}`, { cause })
  }
}

/** Always in the same order, whatever came first: conversations by how they begin, in them shorter requests first. Each piece stands before the first that has it. */
function textOf(pieces: ReadonlyMap<string, Json>, requests: ReadonlyMap<string, Recorded>): string {
  const rows: Json[] = [{ recording: version }]
  const said = new Set<string>()
  const keyed = [...requests.values()].map((one) => ({ one, key: sortKey(one, pieces) }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  for (const { one } of keyed) {
    const { fingerprint, model, purpose, instructions, tools, messages, rest } = one.request
    for (const digest of [instructions, tools, ...messages]) {
      const piece = pieces.get(digest)
      if (said.has(digest) || piece === undefined) continue
      said.add(digest)
      rows.push({ piece: digest, is: piece })
    }
    rows.push({ request: fingerprint, model, purpose, instructions, tools, messages, rest })
    for (const answer of one.answers) rows.push({ answer: fingerprint, ...written(answer) })
  }
  return `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`
}

function sortKey({ request }: Recorded, pieces: ReadonlyMap<string, Json>): string {
  const { messages, fingerprint, model } = request
  const first = pieces.get(messages[0] ?? '') ?? ''
  return [model, canonicalJson(first), String(messages.length).padStart(8, '0'), fingerprint].join('\n')
}
