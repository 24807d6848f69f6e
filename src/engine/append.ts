import type { Entry, EntryBody } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { Head } from '../core/store.ts'
import type { Activation } from './activation.ts'

export interface Envelope {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly epoch?: number
  readonly runId?: string
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
export async function append(a: Activation, entries: readonly Entry[], head: Head): Promise<Appended> {
  if (a.detached) return { kind: 'written', at: entries[entries.length - 1]?.at ?? 0 }
  const options = { expectedSeq: a.state.live.seq, epoch: a.epoch, head }
  for (let attempt = 1; ; attempt++) {
    try {
      const { at } = await a.store.append(a.sessionId, entries, options)
      return { kind: 'written', at }
    } catch (cause) {
      const error = storeError(cause)
      if (error.code === 'SessionConcurrentWrite') return { kind: 'conflict' }
      if (error.code === 'SessionLeaseLost') return { kind: 'lost', reason: 'lease_lost', error }
      if (attempt >= appendAttempts) return { kind: 'lost', reason: 'session_error', error }
    }
    await new Promise<void>((resolve) => a.world.clock.timer(retryDelayMs * attempt, resolve))
  }
}

export function storeError(cause: unknown): RondoError {
  if (RondoError.is(cause)) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  return new RondoError('SessionWriteFailed', `The session could not be written: ${why}`, { cause })
}
