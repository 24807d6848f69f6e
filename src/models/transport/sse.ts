import { RondoError } from '../../core/error.ts'
import { Utf8Pieces } from './utf8.ts'

export interface SseOptions {
  /**
   * Asked where an event begins in a piece of the stream: may take events of the form `data: …` and a blank line (lines end with LF or CRLF) out
   * of `text` itself, and says where the first one begins that it has not taken.
   */
  readonly takeRun?: (text: string, from: number) => number
  /**
   * Characters of one event, and of one line. More of it is a `ModelServerError`. Default 16,777,216: the largest events of providers
   * are whole responses with generated images in base64 (some megabytes), and half a response (32 MiB) leaves room for the rest of it.
   */
  readonly maxEventChars?: number
}

const defaultMaxEventChars = 16_777_216

const lineFeed = 10
const carriageReturn = 13
const space = 32

/**
 * Decodes a `text/event-stream` as the HTML standard says, whatever the cuts between its bytes: lines end with LF, CR or CRLF, comments
 * are skipped, `data` lines are joined with a line feed. `id` and `retry` mean nothing here, as nobody reconnects. One thing differs from
 * the standard: an event whose data is empty is not dispatched (B082: gateways send them as pings).
 */
export class SseDecoder {
  readonly #onEvent: (data: string, event: string | undefined) => void
  readonly #takeRun: SseOptions['takeRun']
  readonly #maxChars: number
  readonly #utf8 = new Utf8Pieces()
  /** A line that has not ended. Built by `+=` and never searched: searching would copy it together each time, so a slow long line would be quadratic. */
  #rest = ''
  #data: string | undefined
  #event: string | undefined
  /** Lines of JSON that are no field: a gateway that gives up in the middle writes its error so, as it would outside a stream (Gemini). */
  #stray = ''
  /** The last piece ended with CR: a line feed that comes first is the other half of that line end (B077). */
  #afterReturn = false

  /** `onEvent` is called during `push`, once for each event, with its data and its `event` field. What it throws goes through `push`. */
  constructor(onEvent: (data: string, event: string | undefined) => void, options: SseOptions = {}) {
    this.#onEvent = onEvent
    this.#takeRun = options.takeRun
    this.#maxChars = options.maxEventChars ?? defaultMaxEventChars
  }

  push(bytes: Uint8Array): void {
    let text = this.#utf8.push(bytes)
    if (text === '') return
    if (this.#afterReturn) {
      this.#afterReturn = false
      if (text.charCodeAt(0) === lineFeed) text = text.slice(1)
    }
    const from = this.#rest === '' ? 0 : this.#endRest(text)
    if (from === -1) this.#rest += text
    else this.#rest = text.slice(this.#lines(text, from))
    if (this.#rest.length > this.#maxChars) throw tooLong(this.#maxChars)
  }

  /**
   * The body has ended. Returns the data of an event whose end did not come (no blank line, or not even a line end), or JSON that stands
   * there bare, else `undefined`: the standard drops both, but real servers end so (B095). It is whole only if it reads as JSON.
   */
  end(): string | undefined {
    this.#rest += this.#utf8.end()
    if (this.#rest !== '') this.#field(this.#rest)
    const data = this.#data || this.#stray
    this.#rest = ''
    this.#data = undefined
    this.#event = undefined
    this.#stray = ''
    return data === '' ? undefined : data
  }

  /** Ends the line that earlier pieces began. Returns where the next one begins, or -1 when it goes on. */
  #endRest(text: string): number {
    const end = nearest(text.indexOf('\n'), text.indexOf('\r'))
    if (end === -1) return -1
    this.#field(this.#rest + text.slice(0, end))
    return this.#afterLine(text, end)
  }

  /** Takes all whole lines of `text`. Returns where the last, unfinished one begins. */
  #lines(text: string, start: number): number {
    let from = start
    let feed = text.indexOf('\n', from)
    let carriage = text.indexOf('\r', from)
    for (;;) {
      if (this.#takeRun !== undefined && this.#data === undefined && !this.#event) {
        from = this.#takeRun(text, from)
        if (feed !== -1 && feed < from) feed = text.indexOf('\n', from)
        if (carriage !== -1 && carriage < from) carriage = text.indexOf('\r', from)
      }
      const end = nearest(feed, carriage)
      if (end === -1) return from
      const blank = this.#data === undefined && isData(text, from) ? blankLine(text, end) : 0
      if (blank > 0) {
        // What nearly all of a stream is, `data: …` and a blank line, goes out without being kept.
        const value = text.slice(valueStart(text, from + 4), end)
        if (value !== '') this.#onEvent(value, this.#event || undefined)
        this.#event = undefined
        from = end + blank
      } else {
        if (end === from) this.#dispatch()
        else this.#field(text.slice(from, end))
        from = this.#afterLine(text, end)
      }
      // A search that found nothing is not made again: it would go through the whole piece for each line.
      if (feed !== -1 && feed < from) feed = text.indexOf('\n', from)
      if (carriage !== -1 && carriage < from) carriage = text.indexOf('\r', from)
    }
  }

  #afterLine(text: string, end: number): number {
    if (text.charCodeAt(end) === lineFeed) return end + 1
    this.#afterReturn = end + 1 === text.length
    return text.charCodeAt(end + 1) === lineFeed ? end + 2 : end + 1
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(valueStart(line, colon))
    if (name === 'event') this.#event = value
    else if (name === 'data') {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
      if (this.#data.length > this.#maxChars) throw tooLong(this.#maxChars)
    } else if (this.#stray !== '' || line.startsWith('{')) {
      this.#stray += `${line}\n`
      if (this.#stray.length > this.#maxChars) throw tooLong(this.#maxChars)
    }
  }

  #dispatch(): void {
    const data = this.#data
    const event = this.#event
    this.#data = undefined
    this.#event = undefined
    if (data !== undefined && data !== '') this.#onEvent(data, event || undefined)
  }
}

function nearest(a: number, b: number): number {
  return b === -1 || (a !== -1 && a < b) ? a : b
}

/** How long the end of a line and the blank line behind it are, where both end with LF or both with CRLF; else 0. */
function blankLine(text: string, at: number): number {
  if (text.charCodeAt(at) === lineFeed) return text.charCodeAt(at + 1) === lineFeed ? 2 : 0
  const isPair = text.charCodeAt(at + 1) === lineFeed && text.charCodeAt(at + 2) === carriageReturn && text.charCodeAt(at + 3) === lineFeed
  return isPair ? 4 : 0
}

/** Whether `data:` stands at `at`. Compared by codes, as this is asked for each line. */
function isData(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === 100 &&
    text.charCodeAt(at + 1) === 97 &&
    text.charCodeAt(at + 2) === 116 &&
    text.charCodeAt(at + 3) === 97 &&
    text.charCodeAt(at + 4) === 58
  )
}

/** Where the value of a field begins: one space after the colon is not part of it. */
function valueStart(text: string, colon: number): number {
  return text.charCodeAt(colon + 1) === space ? colon + 2 : colon + 1
}

function tooLong(maxChars: number): RondoError {
  const limit = maxChars.toLocaleString('en-US')
  return new RondoError('ModelServerError', `One event of the answer is longer than ${limit} characters (limit maxEventChars).`)
}
