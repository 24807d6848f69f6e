import type { Output } from '../terminal.ts'
import { columnsOf, shorten, withoutStyle } from '../text.ts'

/** Where the cursor stands in the live part: from 0. */
export interface Place {
  readonly row: number
  readonly column: number
}

/** What stands below all that was printed. Lines hold no newline; each must fit the width that it was made for. */
export interface LivePart {
  readonly lines: readonly string[]
  readonly cursor?: Place
}

/** The live part is made of these, from above. */
export type Slot = (typeof slots)[number]

const slots = ['preview', 'status', 'question', 'prompt'] as const

const maxTextColumns = 120

const nothing: LivePart = { lines: [] }

/**
 * A screen whose last lines are drawn again and again, below text that stays. What stays is written once and then belongs to the terminal: it scrolls, is
 * selected and found as any output, and costs nothing more.
 */
export class LiveScreen {
  readonly #out: Output
  #drawn: LivePart = nothing
  #tail = ''
  readonly #slots = new Map<Slot, LivePart>()

  constructor(out: Output) {
    this.#out = out
  }

  /** Columns that a line of the live part may take: in the last one terminals break lines by themselves. */
  get width(): number {
    return Math.max(20, (this.#out.columns ?? 80) - 1)
  }

  /** Columns of text that is read as text: longer lines are hard to follow. */
  get textWidth(): number {
    return Math.min(this.width, maxTextColumns)
  }

  get rows(): number {
    return this.#out.rows ?? 24
  }

  /** Writes text that stays. An unfinished last line is kept in the live part until the rest comes. */
  print(text: string): void {
    const whole = this.#tail + text
    const end = whole.lastIndexOf('\n') + 1
    this.#tail = whole.slice(end)
    this.#draw(whole.slice(0, end))
  }

  /** Finishes the unfinished line, if there is one. */
  endLine(): void {
    if (this.#tail !== '') this.print('\n')
  }

  /** Draws this from now on; a cursor of the lowest slot that has one is the one that is seen. */
  show(slot: Slot, part: LivePart = nothing): void {
    this.#slots.set(slot, part)
    this.#draw('')
  }

  /** Writes text that stays and changes a slot at once, so that neither is seen without the other. */
  printAndShow(text: string, slot: Slot, part: LivePart = nothing): void {
    this.#slots.set(slot, part)
    this.print(text)
  }

  /** Nothing stands above any more. */
  clear(): void {
    this.#out.write('\x1b[2J\x1b[H')
    this.redraw(true)
  }

  /** After the terminal's size has changed, or (`isNew`) something else has written on it since. */
  redraw(isNew = false): void {
    if (isNew) this.#drawn = nothing
    else this.#out.write(this.#erase())
    this.#drawn = nothing
    this.#draw('')
  }

  /** Nothing is drawn any more: the cursor stands below what was printed. */
  close(): void {
    this.#slots.clear()
    if (this.#tail !== '') return this.print('\n')
    this.#draw('')
  }

  #draw(printed: string): void {
    const next = this.#fitted()
    const same = printed === '' && sameLines(next.lines, this.#drawn.lines)
    if (same && samePlace(next.cursor, this.#drawn.cursor)) return
    // Between these two a terminal that knows them shows nothing half drawn.
    this.#out.write(`\x1b[?2026h\x1b[?25l${this.#erase()}${printed}${drawing(next)}\x1b[?2026l`)
    this.#drawn = next
  }

  /** Back to the first column of the first line that was drawn, with nothing below. */
  #erase(): string {
    const { lines, cursor } = this.#drawn
    if (lines.length === 0) return ''
    // On a screen that became narrower a line takes several rows.
    const columns = this.#out.columns ?? 80
    const rowsOf = (line: string) => Math.max(1, Math.ceil(columnsOf(withoutStyle(line)) / columns))
    const above = lines.slice(0, cursor?.row ?? lines.length - 1).reduce((sum, line) => sum + rowsOf(line), 0)
    const within = cursor === undefined ? rowsOf(lines.at(-1) ?? '') - 1 : Math.floor(cursor.column / columns)
    const up = above + within
    return `\r${up === 0 ? '' : `\x1b[${up}A`}\x1b[J`
  }

  /** The tail and the live part: as much of their end as the screen has room for, or what follows the cursor. */
  #fitted(): LivePart {
    const tail = this.#tail === '' ? [] : [lastColumns(this.#tail, this.width)]
    const lines = [...tail]
    let cursor: Place | undefined
    for (const slot of slots) {
      const part = this.#slots.get(slot) ?? nothing
      if (part.cursor !== undefined) cursor = { row: lines.length + part.cursor.row, column: part.cursor.column }
      lines.push(...part.lines.map((line) => firstColumns(line, this.width)))
    }
    const most = Math.max(1, this.rows - 1)
    const end = Math.max(0, lines.length - most)
    if (cursor === undefined) return { lines: lines.slice(end) }
    // Where somebody writes is seen before all else.
    const from = Math.min(end, cursor.row)
    return { lines: lines.slice(from, from + most), cursor: { row: cursor.row - from, column: cursor.column } }
  }
}

function drawing({ lines, cursor }: LivePart): string {
  if (lines.length === 0) return '\x1b[?25h'
  const text = lines.join('\n')
  if (cursor === undefined) return `${text}\x1b[?25l`
  const up = lines.length - 1 - cursor.row
  return `${text}\r${up === 0 ? '' : `\x1b[${up}A`}${cursor.column === 0 ? '' : `\x1b[${cursor.column}C`}\x1b[?25h`
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index])
}

function samePlace(a: Place | undefined, b: Place | undefined): boolean {
  return a?.row === b?.row && a?.column === b?.column
}

/** As much of the beginning as fits. A cut would break styles: then nothing of the line is styled. */
function firstColumns(line: string, columns: number): string {
  const plain = withoutStyle(line)
  return columnsOf(plain) <= columns ? line : shorten(plain, columns)
}

/** As much of the end as fits, for a line that is being written. */
function lastColumns(line: string, columns: number): string {
  const plain = withoutStyle(line)
  if (columnsOf(plain) <= columns) return line
  let start = Math.max(0, plain.length - columns)
  while (columnsOf(plain.slice(start)) > columns - 1) start++
  return `…${plain.slice(start)}`
}
