import { type Entry, type Head, RondoError, type Store } from '../../index.ts'
import { sqlite } from '../../stores/sqlite.ts'
import { CannotRun } from '../terminal.ts'
import { oneLine } from '../text.ts'
import { findSession } from './find-session.ts'
import type { ReadExport } from './read-export.ts'

/** Where an import writes. */
export interface Target {
  readonly file: string
  readonly sessionId: string
  /** Asked between two appends: the import is undone then. */
  isInterrupted(): boolean
}

/**
 * Keeps a session as it is, times included; resolves with false when it was interrupted. Whatever ends it early, nothing of the session is left, but after
 * the death of this process: then a part is there without a head, and the same import completes it. Blobs that were written stay: they are nobody's,
 * and the next import of the same file needs them.
 *
 * A store stamps what is appended with its clock, and takes entries of one time in one append. So this one has a clock that says the time of the entries at
 * hand. What comes before the last append need not be on the disk by itself: that one, which waits for the disk, comes after it in the same log.
 */
export async function writeSession({ entries, blobs, head }: ReadExport, target: Target): Promise<boolean> {
  const { file, sessionId } = target
  const time = { at: 0 }
  const clock = () => time.at
  const store = sqlite(file, { clock })
  const quick = sqlite(file, { clock, synchronous: 'normal' })
  let isBegun = false
  try {
    const there = await partThere(sessionId, entries, head, store)
    for (const bytes of blobs.values()) await store.blobs.put(bytes)
    let expectedSeq = there
    for (const batch of batchesOf(entries.slice(there))) {
      if (target.isInterrupted()) break
      const isLast = expectedSeq + batch.length === entries.length
      time.at = batch[0]?.at ?? 0
      await (isLast ? store : quick).append(sessionId, batch, { expectedSeq, ...(isLast && head !== undefined ? { head } : {}) })
      isBegun = true
      expectedSeq += batch.length
    }
    if (expectedSeq === entries.length) {
      await checkKept(sessionId, entries, store)
      return true
    }
    if (isBegun || there > 0) await store.delete(sessionId)
    return false
  } catch (error) {
    if (isBegun) await undo(sessionId, error, store)
    else if (isTaken(error)) throw isThere(sessionId)
    throw error
  } finally {
    await quick.close()
    await store.close()
  }
}

/** Entries of one time, in one append. */
function* batchesOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let batch: Entry[] = []
  for (const entry of entries) {
    if (batch.length > 0 && batch[0]?.at !== entry.at) {
      yield batch
      batch = []
    }
    batch.push(entry)
  }
  if (batch.length > 0) yield batch
}

/** How many entries an import that was killed has left. Throws `CannotRun` when a session is there that is anything else. */
async function partThere(sessionId: string, entries: readonly Entry[], head: Head | undefined, store: Store): Promise<number> {
  const found = await findSession(sessionId, store)
  if (found === undefined) return 0
  let equal = 0
  for await (const entry of store.load(sessionId)) if (same(entry, entries[equal])) equal++
  const isSame = equal === found.seq
  if (isSame && equal < entries.length && found.head === undefined && head !== undefined) return equal
  throw isSame && equal === entries.length ? isThere(sessionId, ', just as it is in the file') : isThere(sessionId)
}

function same(a: Entry, b: Entry | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isThere(sessionId: string, how = ''): CannotRun {
  return new CannotRun(`Session ${oneLine(sessionId)} is there already${how}. Nothing was imported; --as ID imports it under another id.`)
}

async function checkKept(sessionId: string, entries: readonly Entry[], store: Store): Promise<void> {
  let count = 0
  for await (const entry of store.load(sessionId)) {
    if (!same(entry, entries[count]))
      throw new CannotRun(`Entry ${entry.seq} comes back from the sessions file as another one. Nothing was imported.`)
    count++
  }
}

async function undo(sessionId: string, why: unknown, store: Store): Promise<void> {
  const name = `session ${oneLine(sessionId)}`
  // What somebody else has made of it is not ours to delete.
  if (isTaken(why))
    throw new CannotRun(
      `Another process has written to ${name} during the import: it holds a part of the file, and what that process wrote.`,
    )
  try {
    await store.delete(sessionId)
  } catch (error) {
    if (!RondoError.is(error)) throw error
    throw new CannotRun(`A part of ${name} was imported, and could not be undone: ${error.message} The same import completes it later.`)
  }
}

function isTaken(error: unknown): boolean {
  return RondoError.is(error) && error.code === 'SessionConcurrentWrite'
}
