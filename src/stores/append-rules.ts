import type { NewEntry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { Head, SessionQuery } from '../core/store.ts'

/** What every store says in the same words: the rules of an append that do not depend on the medium. */

export interface Place {
  readonly sessionId: string
  readonly expectedSeq: number
}

/** Entries follow `expectedSeq` without a gap; an append has at least one. */
export function checkEntries({ sessionId, expectedSeq }: Place, entries: readonly NewEntry[]): void {
  if (entries.length === 0) throw refused(sessionId, 'the append holds no entry')
  let seq = expectedSeq
  for (const entry of entries) {
    seq++
    if (entry.seq !== seq) throw refused(sessionId, `entry ${JSON.stringify(entry.id)} has seq ${entry.seq} where ${seq} follows`)
  }
}

/** The highest epoch that entries carry (0: none does): of a journal that is copied here, whoever drives it next must be above that. */
export function highestEpoch(entries: readonly NewEntry[]): number {
  let highest = 0
  for (const { epoch = 0 } of entries) if (epoch > highest) highest = epoch
  return highest
}

/** A caller's bug: trying again is no use. */
export function refused(sessionId: string, why: string): RondoError {
  return new RondoError('SessionWriteFailed', `Session ${JSON.stringify(sessionId)}: ${why}. Nothing was written.`, { retryable: false })
}

export function concurrentWrite({ sessionId, expectedSeq }: Place, seq: number): RondoError {
  return new RondoError(
    'SessionConcurrentWrite',
    `Session ${JSON.stringify(sessionId)} is at entry ${seq}, not ${expectedSeq}: somebody else wrote. Load the entries after ${expectedSeq} and decide again.`,
  )
}

export function leaseLost(sessionId: string, epoch: number, current: number | undefined): RondoError {
  const now = current === undefined ? 'the session is gone' : `the epoch is ${current} now`
  return new RondoError(
    'SessionLeaseLost',
    `The lease on session ${JSON.stringify(sessionId)} with epoch ${epoch} is lost: ${now}. Stop driving it; acquire it again to go on.`,
  )
}

/** A query's limit, checked: default 100. */
export function listLimit(query: SessionQuery): number {
  const limit = query.limit ?? 100
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RondoError('ConfigInvalid', `list: limit must be a whole number from 1 on, not ${limit}.`)
  return limit
}

/** Statuses in which no driver is missed when its lease runs out. */
export const settledStatuses: readonly Head['status'][] = ['idle', 'completed', 'incomplete', 'failed', 'aborted']
