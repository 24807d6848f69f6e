import { applyTo } from '../core/apply.ts'
import type { CoreEvent } from '../core/event.ts'
import { glimpse, project } from '../core/project.ts'
import type { CoreResult } from '../core/result.ts'
import { emptyState } from '../core/state.ts'
import { cursorOf, isAfter } from './cursor.ts'
import type { SessionDriver } from './session-driver.ts'
import { type Shown, settledPieces } from './show.ts'

export interface ReplayRange {
  readonly runId: string
  /** Only events of entries up to this seq. */
  readonly through?: number
  /** Only events before this cursor. */
  readonly until?: string
  /** Makes of the run's result what its reader is told. */
  readonly read: (result: CoreResult) => CoreResult | Promise<CoreResult>
}

/**
 * The events of a run that a reader has not got, from the journal: exactly those that were shown, but for the pieces between facts. Of
 * those the settled message is given instead: what the reader lacks of each part, as one delta. Keeps `shown` up to date.
 */
export async function* replay(driver: SessionDriver, range: ReplayRange, shown: Shown): AsyncGenerator<CoreEvent, void, undefined> {
  const { sessionId } = driver
  const { runId } = range
  const after = cursorOf(shown.last)
  const until = range.until === undefined ? undefined : cursorOf(range.until)
  const through = range.through ?? until?.seq ?? Number.POSITIVE_INFINITY
  const state = emptyState()
  const naming = { sessionId, isDynamic: (name: string) => driver.isDynamic(runId, name) }
  for await (const entry of driver.load()) {
    if (entry.seq > through) return
    const before = glimpse(state, entry)
    applyTo(state, entry)
    if ((entry.runId ?? before.runId) !== runId) continue
    if (entry.seq > after.seq) {
      const { iteration, model } = before
      const of = model === undefined ? {} : { of: model.seq }
      let count = after.piece && after.seq === entry.seq - 1 ? after.index + 1 : 0
      for (const body of settledPieces(entry, shown)) {
        const piece = shown.rest({ v: 1, cursor: `${entry.seq - 1}.${count}`, at: entry.at, sessionId, runId, iteration, ...of, ...body })
        if (piece === undefined) continue
        count++
        yield piece
      }
    }
    for (const event of project(before, entry, state, naming)) {
      const cursor = cursorOf(event.cursor)
      if (!isAfter(cursor, after) || (until !== undefined && !isAfter(until, cursor))) continue
      shown.note(event)
      yield event.type === 'run.finished' ? { ...event, result: await range.read(event.result) } : event
    }
  }
}

/** The last end of a model call up to this entry that the journal has, and this process does not know yet; 0 = none. */
export async function unknownEnd({ sessionId, store, hub }: SessionDriver, through: number): Promise<number> {
  let end = 0
  if (hub.seq >= through) return end
  for await (const { seq, kind } of store.load(sessionId, hub.seq)) {
    if (seq > through) return end
    if (kind === 'model.responded' || kind === 'model.failed') end = seq
  }
  return end
}
