import { createHash } from 'node:crypto'
import { problem } from '../problem.ts'

/** A text file, taken apart. Put together again its bytes are the same. */
export interface Text {
  /** Without the byte order mark, which no model sees or writes. */
  readonly text: string
  readonly mark: '' | '\ufeff'
  /** `crlf` and `lf`: all lines end so. */
  readonly lineEnding: 'crlf' | 'lf' | 'mixed' | 'none'
}

/** `undefined` for what is no text in UTF-8. */
export function textOf(bytes: Uint8Array): Text | undefined {
  if (bytes.includes(0)) return undefined
  let whole: string
  try {
    whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  const mark = whole.startsWith('\ufeff') ? '\ufeff' : ''
  const text = mark === '' ? whole : whole.slice(1)
  const hasCrlf = text.includes('\r\n')
  const hasLf = /(?<!\r)\n/u.test(text)
  return { text, mark, lineEnding: hasCrlf ? (hasLf ? 'mixed' : 'crlf') : hasLf ? 'lf' : 'none' }
}

/** As it was before it was taken apart. */
export function wholeOf({ mark, text }: Text): string {
  return mark + text
}

/** The bytes of a text that a model wrote. `what` names it in messages. */
export function bytesOf(text: string, what: string): Buffer {
  if (text.includes('\0')) throw problem(`${what} holds a NUL character, which no text file does. Leave it out.`)
  if (/\p{Surrogate}/u.test(text)) throw problem(`${what} holds half of a surrogate pair, which is no text. Write it again.`)
  return Buffer.from(text)
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Lines as `file_info` counts them: a `\n` at the end begins no further one. */
export function countLines(text: string): number {
  return linesOf(text).length
}

/** With its end each, so that a last line without `\n` differs from one with it. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? []
}

/** The line of a character, counted from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** The part of a file between the first and the last line that differ. */
export interface ChangedLines {
  /** Counted from 1. */
  readonly fromLine: number
  readonly removed: number
  readonly added: number
}

export function changedLines(before: string, after: string): ChangedLines {
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  return { fromLine: head + 1, removed: old.length - head - tail, added: now.length - head - tail }
}
