import type { Message } from './message.ts'
import type { SessionState, Turn } from './state.ts'

/** What of a state is looked at: none of it changes when the session goes on. */
interface Source {
  readonly sealed: readonly Turn[]
  readonly prefix: readonly Turn[]
  readonly from: number
  readonly sealedCount: number
  readonly queue: readonly Turn[]
}

/**
 * The conversation as a model call sees it: what a revision left, the sealed turns, then the queued messages up to a seq. Looks at the
 * state's own turns and copies nothing; what is appended later does not show.
 *
 * A session's story only goes on: where two transcripts of one `story` have the same message at a place, all before it are the same too.
 * So whoever keeps something for each message, as adapters keep its encoding, need not walk a history that it knows.
 */
export class Transcript implements Iterable<Message> {
  /** Another object after each revision, and for each reading of a journal. */
  readonly story: object
  readonly length: number
  readonly #source: Source
  readonly #instead: WeakMap<Message, Message> | undefined

  private constructor(source: Source, length: number, instead?: WeakMap<Message, Message>) {
    this.story = source.prefix
    this.length = length
    this.#source = source
    this.#instead = instead
  }

  static of({ sealed, live }: SessionState, through = Number.POSITIVE_INFINITY): Transcript {
    const { prefix, from, sealedCount, queue } = live
    let queued = 0
    // Ordered by seq.
    while (queued < queue.length && (queue[queued]?.seq ?? 0) <= through) queued++
    return new Transcript({ sealed, prefix, from, sealedCount, queue }, prefix.length + sealedCount - from + queued)
  }

  /** The same with other messages in the place of some: always the same ones in one story. */
  with(instead: WeakMap<Message, Message>): Transcript {
    return new Transcript(this.#source, this.length, instead)
  }

  at(index: number): Message {
    const { prefix, from, sealed, sealedCount, queue } = this.#source
    const place = from + index - prefix.length
    const turn = index < prefix.length ? prefix[index] : place < sealedCount ? sealed[place] : queue[place - sealedCount]
    if (turn === undefined) throw new RangeError(`no message ${index}`)
    return this.#instead?.get(turn.message) ?? turn.message
  }

  *[Symbol.iterator](): Generator<Message, void, undefined> {
    for (let index = 0; index < this.length; index++) yield this.at(index)
  }
}
