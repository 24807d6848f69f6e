import { assert } from '../core/error.ts'

/**
 * A place in the sequence of events: `seq:index` is the index-th event of an entry, `seq.index` a piece that came after that entry and
 * before the next one. Ordered by seq, then pieces after facts, then by index.
 */
export interface Cursor {
  readonly seq: number
  readonly piece: boolean
  readonly index: number
}

/** `undefined` for what is no cursor; '' is the place before all events. */
export function parseCursor(text: unknown): Cursor | undefined {
  if (text === '') return { seq: 0, piece: false, index: 0 }
  if (typeof text !== 'string') return undefined
  const match = /^(\d+)([:.])(\d+)$/.exec(text)
  if (match === null) return undefined
  const cursor = { seq: Number(match[1]), piece: match[2] === '.', index: Number(match[3]) }
  return Number.isSafeInteger(cursor.seq) && Number.isSafeInteger(cursor.index) ? cursor : undefined
}

/** A cursor that we made ourselves. */
export function cursorOf(text: string): Cursor {
  const cursor = parseCursor(text)
  assert(cursor !== undefined, 'events have cursors')
  return cursor
}

export function isAfter(a: Cursor, b: Cursor): boolean {
  if (a.seq !== b.seq) return a.seq > b.seq
  return a.piece === b.piece ? a.index > b.index : a.piece
}

/** The place that an event, and whatever came with its entry, is after. */
export function placeBefore(text: string): string {
  const { seq, piece } = cursorOf(text)
  return piece ? `${seq}:${Number.MAX_SAFE_INTEGER}` : `${seq - 1}.${Number.MAX_SAFE_INTEGER}`
}
