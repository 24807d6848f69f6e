import type { Entry, EntryBody } from '../core/entry.ts'
import { messageOf, RondoError } from '../core/error.ts'
import type { AppendOptions, Head } from '../core/store.ts'
import type { Activation } from './activation.ts'
import { answered, isSilence } from './patience.ts'

export interface Envelope {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly epoch?: number | undefined
  readonly runId?: string | undefined
}

/** The one place where a body becomes an entry; kind and data belong together in the body already. */
export function toEntry(body: EntryBody, envelope: Envelope): Entry {
  const { id, seq, at, epoch, runId } = envelope
  const { kind, data } = body
  if (epoch === undefined)
    return (runId === undefined ? { v: 1, id, seq, at, kind, data } : { v: 1, id, seq, at, runId, kind, data }) as Entry
  return (runId === undefined ? { v: 1, id, seq, at, epoch, kind, data } : { v: 1, id, seq, at, epoch, runId, kind, data }) as Entry
}

export type Appended =
  | { readonly kind: 'written'; readonly at: number }
  /** Somebody else wrote first: look, and stage again. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'lost'; readonly reason: 'lease_lost' | 'session_error'; readonly error: RondoError }

const appendAttempts = 3
const retryDelayMs = 50

/**
 * Writes staged entries: all or nothing. A failure is tried again with the same ids, so that an append which did succeed before its
 * answer was lost is seen as the success it is.
 */
export function append(a: Activation, entries: readonly Entry[], head: Head): Promise<Appended> {
  if (a.detached) return Promise.resolve({ kind: 'written', at: entries[entries.length - 1]?.at ?? 0 })
  return attempt(a, entries, { expectedSeq: a.state.live.seq, epoch: a.epoch, head }, 1)
}

/** No async function: this is on the path of every step. */
function attempt(a: Activation, entries: readonly Entry[], options: AppendOptions, count: number): Promise<Appended> {
  const failed = (cause: unknown) => again(a, entries, options, count, storeError(cause))
  try {
    return answered(a, 'append', a.store.append(a.sessionId, entries, options), written, failed)
  } catch (cause) {
    return failed(cause)
  }
}

function written({ at }: { readonly at: number }): Appended {
  return { kind: 'written', at }
}

async function again(
  a: Activation,
  entries: readonly Entry[],
  options: AppendOptions,
  count: number,
  error: RondoError,
): Promise<Appended> {
  // The lease was lost while this was waited for.
  if (a.lost !== undefined) return { kind: 'lost', ...a.lost }
  if (error.code === 'SessionConcurrentWrite') return { kind: 'conflict' }
  if (error.code === 'SessionLeaseLost') return { kind: 'lost', reason: 'lease_lost', error }
  if (count >= appendAttempts || isSilence(error)) return { kind: 'lost', reason: 'session_error', error }
  await new Promise<void>((resolve) => a.world.clock.timer(retryDelayMs * count, resolve))
  return attempt(a, entries, options, count + 1)
}

export function storeError(cause: unknown): RondoError {
  if (RondoError.is(cause)) return cause
  return new RondoError('SessionWriteFailed', `The session could not be written: ${messageOf(cause)}`, { cause })
}
