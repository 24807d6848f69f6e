import { StringDecoder } from 'node:string_decoder'

/** At most this many bytes at once, and once in this many ms: readers see that it goes on, the whole is in the result. */
const mostBytes = 4_096
const everyMs = 100

/** Tells new lines of output, whole ones, the latest if there are many. */
export class Lines {
  readonly #tell: (lines: string) => void
  readonly #decoder = new StringDecoder('utf8')
  #pending = ''
  #timer: NodeJS.Timeout | undefined
  #ended = false

  constructor(tell: (lines: string) => void) {
    this.#tell = tell
  }

  add(bytes: Uint8Array): void {
    if (this.#ended) return
    this.#pending += this.#decoder.write(Buffer.from(bytes.subarray(-mostBytes)))
    if (this.#pending.length > 2 * mostBytes) this.#pending = this.#pending.slice(-mostBytes)
    this.#timer ??= setTimeout(() => this.#flush(), everyMs)
  }

  #flush(): void {
    this.#timer = undefined
    const end = this.#pending.lastIndexOf('\n') + 1
    const lines = this.#pending.slice(0, end).slice(-mostBytes)
    this.#pending = this.#pending.slice(end)
    if (lines !== '') this.#tell(lines)
  }

  /** Tells what is left, and nothing later. */
  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    if (this.#pending !== '' && !this.#pending.endsWith('\n')) this.#pending += '\n'
    this.#flush()
  }

  /** Tells nothing more. */
  drop(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#pending = ''
  }
}
