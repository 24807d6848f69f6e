import type { Entry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { Activation, Asked, StoreOperation } from './activation.ts'
import type { Clock } from './ports.ts'
import { readOn } from './read-on.ts'

/**
 * A store that has not answered for so long (ms) has failed. Databases that fail over, and drivers that connect anew, take up to half a
 * minute; who waits for a run gives up after a few. Looked at with the heartbeat, so it may be as much more as lies between two beats.
 */
const answerMs = 60_000

/** After a failure, what would be good to know or to do is waited for so long (ms). */
export const courtesyMs = 5_000

const noAnswer = Symbol('no answer')

/** Whether an error says that there was no answer: asking once more would take as long. */
export function isSilence(error: unknown): boolean {
  return RondoError.is(error) && error.cause === noAnswer
}

/** What is thrown for an operation that has not been answered. It may still be done: like any failed write, it has the ids and the epoch that make it harmless. */
function silence(operation: StoreOperation, sessionId: string): RondoError {
  const what = `The store has not answered '${operation}' of session '${sessionId}' for ${answerMs / 1_000} s`
  return new RondoError(
    operation === 'load' || operation === 'blobs.get' ? 'SessionReadFailed' : 'SessionWriteFailed',
    `${what}; it may still do it. Look at the store, then resume.`,
    { cause: noAnswer },
  )
}

/** The answer of an operation of the pump; no timer of its own: the heartbeat looks, and the loss of the lease ends the wait. */
export function answered<T>(a: Activation, operation: StoreOperation, answer: Promise<T>): Promise<T>
/** The same, and what is made of the answer, or of there being none: one promise, for each step has two of them. */
export function answered<T, U>(
  a: Activation,
  operation: StoreOperation,
  answer: Promise<T>,
  made: (value: T) => U,
  failed: (error: unknown) => Promise<U>,
): Promise<U>
export function answered<T, U>(
  a: Activation,
  operation: StoreOperation,
  answer: Promise<T>,
  made?: (value: T) => U,
  failed?: (error: unknown) => Promise<U>,
): Promise<T | U> {
  return new Promise((resolve, reject) => {
    let waiting = true
    // The first of an answer, an error and being given up counts: what comes later must set nothing going.
    const isFirst = () => {
      if (a.asked === asked) a.asked = undefined
      const first = waiting
      waiting = false
      return first
    }
    const giveUp = (error: unknown) => {
      if (isFirst()) failed === undefined ? reject(error) : resolve(failed(error))
    }
    const asked: Asked = { operation, since: undefined, giveUp }
    a.asked = asked
    answer.then((value) => {
      if (!isFirst()) return
      try {
        resolve(made === undefined ? value : made(value))
      } catch (error) {
        // A store of somebody else may answer with anything.
        reject(error)
      }
    }, giveUp)
  })
}

/** Called with each heartbeat. */
export function lookAtStore(a: Activation, now: number): void {
  const { asked } = a
  if (asked === undefined) return
  asked.since ??= now
  if (now - asked.since < answerMs) return
  a.silent = true
  asked.giveUp(silence(asked.operation, a.sessionId))
}

/** Hands over what the journal holds after the activation's state; `take` is told of no entry after the reading was given up. */
export function readNews(a: Activation, take: (entry: Entry) => void): Promise<void> {
  let over = false
  const read = readOn(
    (afterSeq) => a.store.load(a.sessionId, afterSeq),
    a.sessionId,
    a.state.live,
    (entry) => {
      if (over) throw silence('load', a.sessionId)
      if (a.asked !== undefined) a.asked.since = undefined
      take(entry)
    },
  )
  return answered(a, 'load', read).catch((error: unknown) => {
    over = true
    throw error
  })
}

/** The same outside of an activation, where there is no heartbeat: inputs, blobs. */
export function within<T>(clock: Clock, operation: StoreOperation, sessionId: string, answer: Promise<T>, ms = answerMs): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.timer(ms, () => reject(silence(operation, sessionId)))
    answer.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}

/** A journal read outside of an activation. One timer for all of it: what it waits for is the next entry, not the last. */
export async function* patiently(clock: Clock, sessionId: string, source: AsyncIterable<Entry>): AsyncGenerator<Entry, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let giveUp: (error: RondoError) => void = () => {}
  let moved = false
  let open = true
  let cancel = clock.timer(answerMs, look)
  function look(): void {
    if (!moved) giveUp(silence('load', sessionId))
    moved = false
    cancel = clock.timer(answerMs, look)
  }
  try {
    for (;;) {
      open = false
      const step = await new Promise<IteratorResult<Entry, unknown>>((resolve, reject) => {
        giveUp = reject
        iterator.next().then(resolve, reject)
      })
      moved = true
      if (step.done === true) return
      open = true
      yield step.value
    }
  } finally {
    cancel()
    if (open) await iterator.return?.()
  }
}
