import type { Message } from './message.ts'
import type { Live, SessionState, Turn } from './state.ts'

/**
 * The conversation as a model call sees it: what a revision left, the sealed turns, then the queued messages up to `through`.
 * Walks the state's own turns and copies nothing; what is appended later does not show.
 */
export function transcript(state: SessionState, through = Number.POSITIVE_INFINITY): Iterable<Message> {
  return new Transcript(state, through)
}

class Transcript implements Iterable<Message> {
  readonly #sealed: readonly Turn[]
  readonly #live: Pick<Live, 'prefix' | 'from' | 'sealedCount' | 'queue'>
  readonly #through: number

  constructor({ sealed, live }: SessionState, through: number) {
    const { prefix, from, sealedCount, queue } = live
    this.#sealed = sealed
    this.#live = { prefix, from, sealedCount, queue }
    this.#through = through
  }

  *[Symbol.iterator](): Generator<Message, void, undefined> {
    const { prefix, from, sealedCount, queue } = this.#live
    for (const turn of prefix) yield turn.message
    for (let i = from; i < sealedCount; i++) yield messageAt(this.#sealed, i)
    for (const turn of queue) if (turn.seq <= this.#through) yield turn.message
  }
}

/** Turns of a run, the first one included, in order. */
export function turnsBetween(state: SessionState, from: number, to: number): readonly Turn[] {
  return state.sealed.slice(from, to)
}

function messageAt(sealed: readonly Turn[], index: number): Message {
  const turn = sealed[index]
  if (turn === undefined) throw new RangeError(`no turn ${index}`)
  return turn.message
}
