import type { Message } from '../../core/message.ts'
import { type CallIds, encodeMessage } from './encode.ts'

const encoder = new TextEncoder()

/** From this length on (UTF-16 units) a text is measured before room is made for it. */
const bigLength = 64 * 1024

/**
 * The messages of one session as bytes, which only grow: a request's body is a view on them, so that a step encodes and copies what is
 * new and nothing else, however long the session is.
 */
export class Conversation {
  readonly #ids: CallIds
  readonly #messages: Message[] = []
  /** Where each message ends. */
  readonly #ends: number[] = []
  /** Each id that was sent, by the number of its message. */
  readonly #used = new Map<string, number>()
  #bytes = new Uint8Array(4096)
  #length = 0

  constructor(ids: CallIds) {
    this.#ids = ids
  }

  /** Bytes held. */
  get size(): number {
    return this.#bytes.length
  }

  /** The given messages as JSON, each with a comma before it. The bytes are not changed by later calls. */
  encode(messages: Iterable<Message>): Uint8Array {
    let count = 0
    for (const message of messages) {
      if (this.#messages[count] !== message) {
        if (count < this.#messages.length) this.#truncate(count)
        this.#append(message)
      }
      count++
    }
    const end = count === 0 ? 0 : (this.#ends[count - 1] ?? 0)
    return this.#bytes.subarray(0, end)
  }

  #append(message: Message): void {
    const { json, ids } = encodeMessage(message, this.#used, this.#ids)
    for (const id of ids) this.#used.set(id, this.#messages.length)
    this.#messages.push(message)
    this.#write(json)
    this.#ends.push(this.#length)
  }

  #write(json: string): void {
    if (json.length > bigLength) {
      const bytes = encoder.encode(json)
      this.#reserve(bytes.length)
      this.#bytes.set(bytes, this.#length)
      this.#length += bytes.length
      return
    }
    // A UTF-16 unit takes at most three bytes.
    this.#reserve(json.length * 3)
    this.#length += encoder.encodeInto(json, this.#bytes.subarray(this.#length)).written
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed > this.#bytes.length) this.#move(Math.max(needed, this.#bytes.length * 2))
  }

  #move(size: number): void {
    const bytes = new Uint8Array(size)
    bytes.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = bytes
  }

  /** Another history from here on. A request that is under way still reads the old bytes: they stay as they are. */
  #truncate(count: number): void {
    this.#messages.length = count
    this.#ends.length = count
    for (const [id, index] of this.#used) if (index >= count) this.#used.delete(id)
    this.#length = this.#ends[count - 1] ?? 0
    this.#move(this.#bytes.length)
  }
}
