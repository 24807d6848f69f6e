import type { Message } from './message.ts'
import type { SessionState, Turn } from './state.ts'

/**
 * The conversation as a model call sees it: what a revision left, the sealed turns, then the queued messages up to `through`.
 * Walks the state's own turns and copies nothing; what is appended later does not show.
 */
export function transcript(state: SessionState, through = Number.POSITIVE_INFINITY): Iterable<Message> {
  const { prefix, from, sealedCount, queue } = state.live
  const { sealed } = state
  return {
    *[Symbol.iterator]() {
      for (const turn of prefix) yield turn.message
      for (let i = from; i < sealedCount; i++) yield messageAt(sealed, i)
      for (const turn of queue) if (turn.seq <= through) yield turn.message
    },
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
