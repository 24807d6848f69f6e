import { RondoError } from '../../core/error.ts'
import { Utf8Pieces } from './utf8.ts'

export interface NdjsonLimits {
  /** Characters of one line. More of it is a `ModelServerError`. Default 16,777,216, as for an event of `SseDecoder`. */
  readonly maxLineChars?: number
}

const defaultMaxLineChars = 16_777_216

/** Decodes JSON lines (`application/x-ndjson`): one value a line, ended by LF or CRLF; blank lines are skipped. The lines are not parsed. */
export class NdjsonDecoder {
  readonly #onLine: (line: string) => void
  readonly #maxChars: number
  readonly #utf8 = new Utf8Pieces()
  /** Built by `+=` and never searched, as in `SseDecoder`. */
  #rest = ''

  /** `onLine` is called during `push`, once for each line, without white space around it. What it throws goes through `push`. */
  constructor(onLine: (line: string) => void, limits: NdjsonLimits = {}) {
    this.#onLine = onLine
    this.#maxChars = limits.maxLineChars ?? defaultMaxLineChars
  }

  push(bytes: Uint8Array): void {
    const text = this.#utf8.push(bytes)
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = (from === 0 ? this.#rest + text.slice(0, end) : text.slice(from, end)).trim()
      from = end + 1
      if (line !== '') this.#onLine(line)
    }
    if (from === 0) this.#rest += text
    else this.#rest = text.slice(from)
    if (this.#rest.length > this.#maxChars) throw tooLong(this.#maxChars)
  }

  /** The body has ended. Returns a last line that no line feed ended, else `undefined`. It is whole only if it reads as JSON. */
  end(): string | undefined {
    const line = (this.#rest + this.#utf8.end()).trim()
    this.#rest = ''
    return line === '' ? undefined : line
  }
}

function tooLong(maxChars: number): RondoError {
  const limit = maxChars.toLocaleString('en-US')
  return new RondoError('ModelServerError', `One line of the answer is longer than ${limit} characters (limit maxLineChars).`)
}
