import { RondoError } from '../../core/error.ts'
import type { ModelFinish } from '../../core/model.ts'
import { scanJson } from '../../core/scan-json.ts'
import { countsOf, httpError, noAnswer, quietOverflow } from '../errors.ts'
import { JsonEnd } from '../json-end.ts'
import { requestIdOf } from '../request-id.ts'
import { safeText } from '../safe-text.ts'
import { type BodyKind, bodyKind } from '../transport/body-kind.ts'
import { JsonListDecoder } from '../transport/json-list.ts'
import { NdjsonDecoder } from '../transport/ndjson.ts'
import { retryAfterMs } from '../transport/retry-after.ts'
import { SseDecoder } from '../transport/sse.ts'
import type { HttpHead, HttpReceiver } from '../transport/transport.ts'
import { Utf8Pieces } from '../transport/utf8.ts'
import type { ApiAnswerer, ResponseDecoder } from './decoder.ts'

/** So much of an error's body is read (UTF-16 units): enough for every message, not enough to be a weapon. */
const maxErrorLength = 64 * 1024

/** Levels of an event, or of a whole answer. A stack has room for some thousands. */
const maxDepth = 1_000

/** What a body begins with tells what it is, once so many bytes of it have come: a byte order mark and `event:` or `retry:`. */
const tellingBytes = 9

const nothing = new Uint8Array(0)

/** Cuts a body into events. */
interface Cutter {
  push(bytes: Uint8Array): void
  /** What stands after the last event. */
  end(): string | undefined
}

/**
 * Takes the response to a request: a stream of events, a whole answer or an error, by what came and not by what was asked for (B089, B090).
 * `finish` is called at the clean end of the body.
 */
export class ApiResponse implements HttpReceiver {
  readonly #from: ApiAnswerer
  readonly #decoder: ResponseDecoder
  #head: HttpHead | undefined
  #body: 'events' | 'text' | 'refusal' | undefined
  #events: Cutter | undefined
  /** The first bytes, as long as they don't tell what the body is. Blanks before them mean nothing in any kind. */
  #start = nothing
  /** A body that is no stream of events, as text. */
  #text = ''
  /** Of an error: whether its body is whole, should it be JSON. */
  readonly #end = new JsonEnd()
  readonly #utf8 = new Utf8Pieces()

  constructor(from: ApiAnswerer, decoder: ResponseDecoder) {
    this.#from = from
    this.#decoder = decoder
  }

  /** What the server calls the request, where it tells that. */
  get requestId(): string | undefined {
    return requestIdOf((name) => this.#head?.header(name))
  }

  head(head: HttpHead): void {
    this.#head = head
    if (!isGood(head)) this.#body = 'refusal'
  }

  chunk(bytes: Uint8Array): void | 'complete' {
    if (this.#body === 'events') return this.#read(bytes)
    if (this.#body === 'refusal') return this.#refused(bytes)
    if (this.#body === undefined) return this.#begin(bytes)
    this.#text += this.#utf8.push(bytes)
  }

  #read(bytes: Uint8Array): void | 'complete' {
    try {
      this.#events?.push(bytes)
    } finally {
      // What came before an error was said.
      this.#decoder.flush()
    }
    return this.#decoder.isDone ? 'complete' : undefined
  }

  /** Waits until enough has come to tell what the body is. */
  #begin(bytes: Uint8Array): void | 'complete' {
    const start = this.#start.length === 0 ? withoutBlanks(bytes) : joined(this.#start, bytes)
    if (start.length >= tellingBytes) return this.#readStart(start)
    // The bytes may be overwritten after the call.
    this.#start = start.slice()
  }

  #readStart(start: Uint8Array): void | 'complete' {
    this.#events = this.#cutter(bodyKind(this.#head?.header('content-type'), start), start)
    this.#body = this.#events === undefined ? 'text' : 'events'
    if (this.#body === 'events') return this.#read(start)
    this.#text = this.#utf8.push(start)
  }

  #cutter(kind: BodyKind, start: Uint8Array): Cutter | undefined {
    const decoder = this.#decoder
    const { json } = this.#from
    const push = (data: string, name?: string): void => {
      this.#checkDepth(data)
      decoder.push(data, name)
    }
    if (kind === 'event-stream') {
      const takeRun = decoder.takeRun?.bind(decoder)
      return new SseDecoder(push, takeRun === undefined ? {} : { takeRun })
    }
    if (json === 'lines' && (kind === 'ndjson' || kind === 'json')) return new NdjsonDecoder(push)
    if (json === 'list' && kind === 'json' && start[0] === openBracket) return new JsonListDecoder(push)
    return undefined
  }

  /** Whatever is kept of an answer is written again, by functions that call themselves for each level. */
  #checkDepth(json: string): void {
    if (!isTooDeep(json)) return
    const message = `The response of ${this.#from.provider} nests deeper than ${maxDepth.toLocaleString('en-US')} levels: nothing of it is used.`
    throw new RondoError('ModelServerError', message)
  }

  /** An error says what it has to say at its beginning, and some servers never end it. */
  #refused(bytes: Uint8Array): void | 'complete' {
    const text = this.#utf8.push(bytes)
    this.#text += text
    if (this.#text.length > maxErrorLength) return 'complete'
    if (this.#end.isComplete) return
    this.#end.push(text)
    return this.#end.isComplete && isJson(this.#text) ? 'complete' : undefined
  }

  finish(): ModelFinish {
    const head = this.#head
    if (head === undefined) throw new RondoError('ModelServerError', `${this.#from.provider} did not answer.`)
    if (!isGood(head)) throw this.#failure(head)
    try {
      if (this.#body === undefined && this.#start.length > 0) this.#readStart(this.#start)
      if (this.#body === 'text') this.#whole(head)
      const rest = this.#events?.end()
      if (rest !== undefined) {
        this.#checkDepth(rest)
        this.#decoder.pushRest(rest)
      }
    } finally {
      this.#decoder.flush()
    }
    const finish = this.#decoder.end()
    const { requestId } = this
    const told = requestId === undefined ? finish : { ...finish, requestId }
    if (this.#from.tellsOverflow === true) return told
    const { rawFinishReason, usage } = finish
    const overflow = quietOverflow({ ...this.#from, finishReason: rawFinishReason, ...countsOf(usage) })
    if (overflow !== undefined) throw overflow
    return told
  }

  /** What a request that broke off failed of: where the server had said that it refuses, that, however little of its reason came. */
  broken(cause: unknown): unknown {
    const head = this.#head
    if (head === undefined || isGood(head) || (RondoError.is(cause) && cause.code === 'RunAborted')) return cause
    return this.#failure(head)
  }

  /** An answer that came at once, or an error that came with a good status. */
  #whole(head: HttpHead): void {
    const text = this.#text
    if (/^\s*</.test(text)) throw this.#failure(head)
    this.#checkDepth(text)
    const value = jsonOf(text)
    if (value !== undefined && this.#decoder.whole(value)) return
    // A body that has lost its end begins as one that is whole; JSON lines do not, and who sends them was asked for them.
    if (value === undefined && /^\s*[{[]/.test(text) && jsonOf(text.split('\n', 1)[0] ?? '') === undefined)
      throw new RondoError(
        'ModelServerError',
        `The response of ${this.#from.provider} is JSON without its end: ${safeText(text, 200, this.#from.secrets)}`,
      )
    throw noAnswer(text, value, this.#from.answerOf, this.#from)
  }

  #failure(head: HttpHead): RondoError {
    const header = (name: string) => head.header(name)
    return httpError({
      status: head.status,
      header,
      body: this.#text,
      ...this.#from,
      retryAfterMs: retryAfterMs(header, Date.now()),
    })
  }
}

/** '[' */
const openBracket = 0x5b

function withoutBlanks(bytes: Uint8Array): Uint8Array {
  let from = 0
  while (from < bytes.length && isBlank(bytes[from])) from++
  return from === 0 ? bytes : bytes.subarray(from)
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function joined(start: Uint8Array, more: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(start.length + more.length)
  bytes.set(start)
  bytes.set(more, start.length)
  return bytes
}

/** Each level is two brackets: most texts are too short for so many, or have fewer. */
function isTooDeep(json: string): boolean {
  if (json.length <= 2 * maxDepth) return false
  const mayBe = has(json, '[', maxDepth / 2) || has(json, '{', maxDepth / 2)
  return mayBe ? scanJson(json).depth > maxDepth : false
}

/** Whether a text has so many of a bracket: far quicker to find than the depth. */
function has(json: string, bracket: string, count: number): boolean {
  let at = -1
  for (let found = 0; found < count; found++) {
    at = json.indexOf(bracket, at + 1)
    if (at < 0) return false
  }
  return true
}

/** The JSON value that a text is; `undefined` when it is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  return jsonOf(text) !== undefined
}

function isGood({ status }: HttpHead): boolean {
  return status >= 200 && status < 300
}
