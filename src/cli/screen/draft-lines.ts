import { columnsOf, pieced, plain } from '../text.ts'
import type { Draft } from './draft.ts'
import type { LivePart } from './live.ts'

/** Before the first row of a draft and before each other one; both take the same columns. */
export interface Marks {
  readonly first: string
  readonly rest: string
  /** Their columns. */
  readonly columns: number
}

/** A draft in rows of at most `width` columns, `maxRows` of them around the cursor. */
export function draftPart({ text, at }: Draft, width: number, marks: Marks, maxRows = 10): LivePart {
  const room = Math.max(8, width - marks.columns)
  const rows: string[] = []
  let cursor = { row: 0, column: 0 }
  let start = 0
  for (const line of text.split('\n')) {
    const within = at >= start && at <= start + line.length
    if (within) {
      const before = pieced(shown(line.slice(0, at - start)), room)
      const last = before.at(-1) ?? ''
      // Behind a full row the next character begins a new one.
      const full = columnsOf(last) >= room
      cursor = { row: rows.length + before.length - (full ? 0 : 1), column: full ? 0 : columnsOf(last) }
    }
    rows.push(...pieced(shown(line), room))
    if (within && cursor.row === rows.length) rows.push('')
    start += line.length + 1
  }
  const from = Math.max(0, Math.min(cursor.row - maxRows + 1, rows.length - maxRows))
  const lines = rows.slice(from, from + maxRows).map((row, index) => `${from + index === 0 ? marks.first : marks.rest}${row}`)
  return { lines, cursor: { row: cursor.row - from, column: cursor.column + marks.columns } }
}

/** A tab takes the room that it is shown with. */
function shown(line: string): string {
  return plain(line.replaceAll('\t', '  '))
}
