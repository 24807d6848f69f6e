import { columnsOf, pieced, plain } from '../text.ts'
import { type Draft, lineEnd, lineStart } from './draft.ts'
import type { LivePart } from './live.ts'

/** Before the first row of a draft and before each other one; both take the same columns. */
export interface Marks {
  readonly first: string
  readonly rest: string
  /** Their columns. */
  readonly columns: number
}

/** A draft in rows of at most `width` columns, `maxRows` of them around the cursor. What stands further off is not looked at. */
export function draftPart(draft: Draft, width: number, marks: Marks, maxRows = 10): LivePart {
  const room = Math.max(8, width - marks.columns)
  const { text, at, isBeginning } = around(draft, maxRows)
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
    for (const piece of pieced(shown(line), room)) rows.push(piece)
    if (within && cursor.row === rows.length) rows.push('')
    start += line.length + 1
  }
  const from = Math.max(0, Math.min(cursor.row - maxRows + 1, rows.length - maxRows))
  const lines = rows
    .slice(from, from + maxRows)
    .map((row, index) => `${isBeginning && from + index === 0 ? marks.first : marks.rest}${row}`)
  return { lines, cursor: { row: cursor.row - from, column: cursor.column + marks.columns } }
}

/** Code units on each side of the cursor that can be seen, at most; those before it come and go in blocks of so many. */
const near = 8_000

/** What can be seen of a draft: so many lines on each side of the cursor, and of lines without an end the near part. */
function around({ text, at }: Draft, lines: number): Draft & { readonly isBeginning: boolean } {
  let [from, to] = [lineStart(text, at), lineEnd(text, at)]
  for (let line = 0; line < lines && from > 0; line++) from = lineStart(text, from - 1)
  for (let line = 0; line < lines && to < text.length; line++) to = lineEnd(text, to + 1)
  const nearest = Math.floor((at - near) / near) * near
  from = Math.max(from, nearest)
  return { text: text.slice(from, Math.min(to, at + near)), at: at - from, isBeginning: from === 0 }
}

/** A tab takes the room that it is shown with. */
function shown(line: string): string {
  return plain(line.replaceAll('\t', '  ').replaceAll('\r', '␍'))
}
