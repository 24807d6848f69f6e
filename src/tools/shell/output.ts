/** What a command has written, as it is shown. */
export interface ShellText {
  /** Standard output and error as they came; of much, the beginning and the end. Empty if it is binary. */
  readonly output: string
  /** Bytes that were written. */
  readonly bytes: number
  /** Bytes in the middle that are not in `output`. */
  readonly omittedBytes?: number
  readonly binary?: true
}

/** Takes what a command writes and keeps of it what is shown: at most `most` bytes, half of them from the end. */
export class Output {
  readonly #head: Buffer[] = []
  readonly #tail: Buffer[] = []
  readonly #headMost: number
  readonly #tailMost: number
  #headBytes = 0
  #tailBytes = 0
  #bytes = 0
  #binary = false

  constructor(most: number) {
    this.#headMost = Math.ceil(most / 2)
    this.#tailMost = most - this.#headMost
  }

  get binary(): boolean {
    return this.#binary
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length
    if (!this.#binary && bytes.includes(0)) this.#binary = true
    const room = this.#headMost - this.#headBytes
    if (room > 0) {
      const first = Buffer.from(bytes.subarray(0, room))
      this.#head.push(first)
      this.#headBytes += first.length
    }
    const rest = bytes.subarray(Math.max(0, room))
    if (rest.length > 0) this.#addToTail(Buffer.from(lastOf(rest, this.#tailMost)))
  }

  #addToTail(bytes: Buffer): void {
    this.#tail.push(bytes)
    this.#tailBytes += bytes.length
    // Many small pieces become one: no more than twice of what is shown is kept.
    if (this.#tailBytes < 2 * this.#tailMost && this.#tail.length < 1_000) return
    const last = lastOf(Buffer.concat(this.#tail), this.#tailMost)
    this.#tail.splice(0, this.#tail.length, Buffer.from(last))
    this.#tailBytes = last.length
  }

  text(): ShellText {
    if (this.#binary) return { output: '', bytes: this.#bytes, binary: true }
    const head = Buffer.concat(this.#head)
    const tail = lastOf(Buffer.concat(this.#tail), this.#tailMost)
    const omittedBytes = this.#bytes - head.length - tail.length
    if (omittedBytes === 0) return { output: Buffer.concat([head, tail]).toString(), bytes: this.#bytes }
    const output = `${headText(head)}\n… [${omittedBytes} bytes left out here] …\n${tailText(tail)}`
    return { output, bytes: this.#bytes, omittedBytes }
  }
}

/** The last bytes, also if that is none: `subarray(-0)` would be all. */
function lastOf(bytes: Uint8Array, most: number): Uint8Array {
  return bytes.subarray(Math.max(0, bytes.length - most))
}

/** Without the letter that was cut at the end. */
function headText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true })
}

/** Without the rest of a letter at the beginning. */
function tailText(bytes: Uint8Array): string {
  let from = 0
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++
  return Buffer.from(bytes.subarray(from)).toString()
}
