import type { Entry, Store } from '../../index.ts'

/** All entries of a session: those of the demo are short. */
export async function journalOf(store: Store, sessionId: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.load(sessionId)) entries.push(entry)
  return entries
}

/** Its last run is over, and has done what it was asked for. */
export function isComplete(journal: readonly Entry[]): boolean {
  const end = journal.at(-1)
  return end?.kind === 'run.finished' && end.data.status === 'completed'
}

/**
 * Gives back the lease of a process that was seen to die, which would run out by itself after 15 seconds. A store refuses an epoch that is not the one
 * at hand; the process was the first on its session. False when it held none.
 */
export function giveBackLease(store: Store, sessionId: string): Promise<boolean> {
  return store.release(sessionId, { epoch: 1, expectedSeq: 0 })
}
