import { applyTo } from '../core/apply.ts'
import { type EntryOf, messageIdOf } from '../core/entry.ts'
import type { CoreEvent, EventBody } from '../core/event.ts'
import { glimpse, project } from '../core/project.ts'
import type { OpenModelCall } from '../core/state.ts'
import { emptyState } from '../core/state.ts'
import type { SessionDriver } from './session-driver.ts'

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
}

/**
 * The events of a run, from the journal: exactly those that were shown, but for the pieces between facts. Of those the settled message
 * is given instead: each part of it as one delta.
 */
export async function* replay(driver: SessionDriver, range: ReplayRange): AsyncGenerator<CoreEvent, void, undefined> {
  const { sessionId, store } = driver
  const state = emptyState()
  const naming = { sessionId, isDynamic: (name: string) => driver.isDynamic(range.runId, name) }
  for await (const entry of store.load(sessionId)) {
    if (entry.seq > range.through) return
    const before = glimpse(state, entry)
    applyTo(state, entry)
    const runId = entry.runId ?? before.runId
    if (runId !== range.runId) continue
    if (entry.kind === 'model.responded' && before.model !== undefined && isAfter(`${entry.seq - 1}.0`, range.after))
      yield* settledPieces(entry, before.model, sessionId, before.iteration)
    for (const event of project(before, entry, state, naming)) if (isAfter(event.cursor, range.after)) yield event
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
  const piece = cursor.includes('.')
  const [seq, index] = cursor.split(piece ? '.' : ':')
  return { seq: Number(seq), piece, index: Number(index) }
}

function* settledPieces(
  entry: EntryOf<'model.responded'>,
  model: OpenModelCall,
  sessionId: string,
  iteration: number,
): Generator<CoreEvent, void, undefined> {
  const messageId = messageIdOf(entry.data.n)
  let count = 0
  const piece = (body: EventBody): CoreEvent => {
    const cursor = `${entry.seq - 1}.${count++}`
    return { v: 1, cursor, at: entry.at, sessionId, runId: entry.runId ?? '', iteration, of: model.seq, ...body }
  }
  for (const [part, value] of entry.data.message.parts.entries()) {
    if ((value.type !== 'text' && value.type !== 'reasoning') || value.text === '') continue
    yield piece({ type: `${value.type}.started`, messageId, part })
    yield piece({ type: `${value.type}.delta`, messageId, part, text: value.text })
    yield piece({ type: `${value.type}.finished`, messageId, part })
  }
}
