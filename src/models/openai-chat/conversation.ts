import type { Message } from '../../core/message.ts'
import { Transcript } from '../../core/transcript.ts'
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
  /** Of which story they are, where they are of one. */
  #story: object | undefined
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
    const count = messages instanceof Transcript ? this.#encodeStory(messages) : this.#encodeAny(messages)
    const end = count === 0 ? 0 : (this.#ends[count - 1] ?? 0)
    return this.#bytes.subarray(0, end)
  }

  /** Looks at what is new only. */
  #encodeStory(messages: Transcript): number {
    const { length, story } = messages
    const known = Math.min(length, this.#messages.length)
    const goesOn = this.#story === story && known > 0 && messages.at(known - 1) === this.#messages[known - 1]
    for (let place = goesOn ? known : 0; place < length; place++) this.#encodeAt(place, messages.at(place))
    this.#story = story
    return length
  }

  #encodeAny(messages: Iterable<Message>): number {
    this.#story = undefined
    let count = 0
    for (const message of messages) this.#encodeAt(count++, message)
    return count
  }

  #encodeAt(place: number, message: Message): void {
    if (this.#messages[place] === message) return
    if (place < this.#messages.length) this.#truncate(place)
    this.#append(message)
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
