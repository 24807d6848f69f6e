import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Source } from './jsonl-files.ts'

/** How much of a file is looked at at once. */
export const chunkBytes = 128 * 1024

export interface Line {
  /** Without its newline. */
  readonly bytes: Buffer
  readonly offset: number
  /** Whether it has a newline; only the last one of a file may have none. */
  readonly ended: boolean
}

/** The lines between two places, in batches. What comes before the first newline is a line too, whole or not. */
export async function* linesOf(source: Source, from: number, to: number): AsyncGenerator<readonly Line[], void, undefined> {
  let offset = from
  let rest: Buffer[] = []
  for (let position = from; position < to; ) {
    const chunk = await source(position, Math.min(chunkBytes, to - position))
    if (chunk.length === 0) break
    position += chunk.length
    const batch: Line[] = []
    let begin = 0
    for (let newline = chunk.indexOf(10); newline !== -1; newline = chunk.indexOf(10, begin)) {
      const piece = chunk.subarray(begin, newline)
      const bytes = rest.length === 0 ? piece : Buffer.concat([...rest, piece])
      batch.push({ bytes, offset, ended: true })
      offset += bytes.length + 1
      begin = newline + 1
      rest = []
    }
    if (begin < chunk.length) rest.push(chunk.subarray(begin))
    if (batch.length > 0) yield batch
  }
  if (rest.length > 0) yield [{ bytes: Buffer.concat(rest), offset, ended: false }]
}

/** Something in a file that no write of ours, whole or cut, can have left there. */
export class Damage extends Error {
  readonly offset: number

  constructor(why: string, offset: number) {
    super(why)
    this.offset = offset
  }
}

export type Piece =
  | { readonly kind: 'record'; readonly value: JsonObject; readonly offset: number; readonly end: number }
  /** A write that was cut begins here; nothing follows. */
  | { readonly kind: 'torn'; readonly offset: number }

/**
 * What a line holds: a record as a rule, none when it is blank, several when something wrote them without a newline between. A byte order mark
 * at its beginning and a carriage return at its end are no part of it. Throws `Damage`.
 */
export function* piecesOf({ bytes, offset, ended }: Line): Generator<Piece, void, undefined> {
  const text = ended ? bytes : withoutNuls(bytes)
  let from = skipBlank(text, hasMark(text) ? 3 : 0)
  const whole = from < text.length ? parsed(text.subarray(from)) : undefined
  if (whole !== undefined) {
    yield { kind: 'record', value: whole, offset: offset + from, end: offset + text.length }
    from = text.length
  }
  while (from < text.length) {
    if (text[from] !== openBrace) throw new Damage('no record begins here', offset + from)
    const end = objectEnd(text, from)
    if (end === undefined && ended) throw new Damage('the line ends in the middle of a record', offset + from)
    if (end === undefined) return yield { kind: 'torn', offset: offset + from }
    const piece = text.subarray(from, end)
    const value = parsed(piece)
    if (value === undefined) throw new Damage(isUtf8(piece) ? 'it is no valid JSON' : 'it holds a byte that is no UTF-8', offset + from)
    yield { kind: 'record', value, offset: offset + from, end: offset + end }
    from = skipBlank(text, end)
  }
  // A file system that lost its power may have made a file longer and not yet filled it.
  if (text.length < bytes.length) yield { kind: 'torn', offset: offset + text.length }
}

const [quote, backslash, openBrace] = [0x22, 0x5c, 0x7b]
const opening: readonly number[] = [openBrace, 0x5b]
const closing: readonly number[] = [0x7d, 0x5d]
const blank: readonly (number | undefined)[] = [0x09, 0x0d, 0x20]

/** Where the object that begins at `from` ends, by its braces alone; `undefined` when the text ends first. */
function objectEnd(text: Buffer, from: number): number | undefined {
  let depth = 0
  let inString = false
  for (let i = from; i < text.length; i++) {
    const byte = text[i] ?? 0
    if (inString) {
      if (byte === backslash) i++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (opening.includes(byte)) depth++
    else if (closing.includes(byte) && --depth === 0) return i + 1
  }
  return undefined
}

function parsed(bytes: Buffer): JsonObject | undefined {
  if (!isUtf8(bytes)) return undefined
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function withoutNuls(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}

function skipBlank(text: Buffer, from: number): number {
  let at = from
  while (blank.includes(text[at])) at++
  return at
}

function hasMark(text: Buffer): boolean {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf
}
