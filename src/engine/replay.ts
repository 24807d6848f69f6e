import { applyTo } from '../core/apply.ts'
import type { CoreEvent } from '../core/event.ts'
import { glimpse, project } from '../core/project.ts'
import { emptyState } from '../core/state.ts'
import type { SessionDriver } from './session-driver.ts'
import { settledPieces } from './show.ts'

/** The seq of the entry that an event belongs to, or came after. */
export function seqOf(cursor: string): number {
  return Number.parseInt(cursor, 10)
}

export interface ReplayRange {
  readonly runId: string
  /** Only events after this cursor; '' = all. */
  readonly after: string
  /** Only events of entries up to this seq. */
  readonly through: number
  /** Only events before this cursor. */
  readonly until?: string
  /** How much of each text part of the message that was being shown the reader has got: it gets the rest. Absent: it gets the whole. */
  readonly shown?: ReadonlyMap<string, number>
}

/**
 * The events of a run, from the journal: exactly those that were shown, but for the pieces between facts. Of those the settled message
 * is given instead: each part of it as one delta.
 */
export async function* replay(driver: SessionDriver, range: ReplayRange): AsyncGenerator<CoreEvent, void, undefined> {
  const { sessionId } = driver
  const { runId, after, through, until } = range
  const state = emptyState()
  const naming = { sessionId, isDynamic: (name: string) => driver.isDynamic(runId, name) }
  const begun = parts(after)
  for await (const entry of driver.load()) {
    if (entry.seq > through) return
    const before = glimpse(state, entry)
    applyTo(state, entry)
    if ((entry.runId ?? before.runId) !== runId) continue
    if (entry.seq > begun.seq) {
      const { iteration, model } = before
      let count = begun.piece && begun.seq === entry.seq - 1 ? begun.index + 1 : 0
      for (const body of settledPieces(entry, range.shown)) {
        const cursor = `${entry.seq - 1}.${count++}`
        yield { v: 1, cursor, at: entry.at, sessionId, runId, iteration, ...(model === undefined ? {} : { of: model.seq }), ...body }
      }
    }
    for (const event of project(before, entry, state, naming))
      if (isAfter(event.cursor, after) && (until === undefined || isAfter(until, event.cursor))) yield event
  }
}

/** Cursors are ordered by seq, then pieces of that seq after its facts, then by number. */
function isAfter(cursor: string, after: string): boolean {
  if (after === '') return true
  const a = parts(cursor)
  const b = parts(after)
  return a.seq !== b.seq ? a.seq > b.seq : a.piece !== b.piece ? a.piece : a.index > b.index
}

function parts(cursor: string): { seq: number; piece: boolean; index: number } {
  if (cursor === '') return { seq: 0, piece: false, index: 0 }
  const piece = cursor.includes('.')
  const [seq, index] = cursor.split(piece ? '.' : ':')
  return { seq: Number(seq), piece, index: Number(index) }
}
