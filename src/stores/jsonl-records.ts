import type { Entry, NewEntry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { JsonObject } from '../core/json.ts'
import type { Head } from '../core/store.ts'
import { Damage, type Piece } from './jsonl-lines.ts'
import { isEntry, isHead } from './stored.ts'

/** The format written by this version, in the first line of a file. */
const format = 1

/**
 * The line before the entries of an append: how many of the next lines belong together, and what the session is after them. It says all that
 * a list needs, so that the last one of a file is enough.
 */
export interface HeadLine {
  readonly head: Head | null
  readonly entries: number
  /** Of the last entry, as `at` is its time. */
  readonly seq: number
  readonly at: number
  readonly createdAt: number
  /** The highest that was given, or that an entry has. */
  readonly epoch: number
  /** Whether a driver holds the session. */
  readonly held: boolean
}

/** How each head line begins, which nothing else does: a newline stands in no JSON text of ours. */
const headStart = '{"head":'

export function headLine({ head, entries, seq, at, createdAt, epoch, held }: HeadLine): string {
  return `${JSON.stringify({ head, entries, seq, at, createdAt, epoch, held })}\n`
}

export function headerLine(sessionId: string): string {
  return `${JSON.stringify({ rondo: 'session', format, sessionId })}\n`
}

export function entryLine(entry: NewEntry, at: number): string {
  const { v, id, seq, ...rest } = entry
  const stamped = { v, id, seq, at, ...rest }
  // An entry given may have a time of its own, which is not what counts.
  stamped.at = at
  return `${JSON.stringify(stamped)}\n`
}

export function headLineOf(line: Buffer): HeadLine | undefined {
  if (line.toString('latin1', 0, headStart.length) !== headStart) return undefined
  try {
    const value: unknown = JSON.parse(line.toString())
    return isHeadLine(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The records of a file, taken one after the other: what the session is after each. Throws `Damage` for one that can't follow. */
export class Fold {
  seq = 0
  at = 0
  createdAt = 0
  epoch = 0
  head: Head | undefined
  held = false
  /** How many entries of the last append are still to come. */
  owed = 0
  readonly #sessionId: string
  /** Whether records before the first one were passed over. */
  #isInMiddle: boolean
  #isFirst = true

  constructor(sessionId: string, from: number) {
    this.#sessionId = sessionId
    this.#isInMiddle = from > 0
  }

  /** Gives the record back if it is an entry. */
  take({ value, offset }: Piece & { readonly kind: 'record' }): Entry | undefined {
    if (typeof value.kind === 'string') return this.#takeEntry(value, offset)
    if (isHeadLine(value)) this.#takeHead(value, offset)
    else if (this.#isFirst && !this.#isInMiddle && typeof value.rondo === 'string') checkHeader(value, this.#sessionId, offset)
    else throw new Damage('it is neither an entry nor a head', offset)
    this.#isFirst = false
    return undefined
  }

  #takeHead(line: HeadLine, offset: number): void {
    const before = line.seq - line.entries
    if (this.#isInMiddle) this.seq = before
    this.#isInMiddle = false
    if (this.owed > 0) throw new Damage(`${this.owed} entries after entry ${this.seq} are missing`, offset)
    if (this.seq !== before) throw new Damage(`it follows entry ${before}, but entry ${this.seq} stands before it`, offset)
    this.owed = line.entries
    this.head = line.head ?? undefined
    this.at = line.at
    this.createdAt = line.createdAt
    this.epoch = line.epoch
    this.held = line.held
  }

  #takeEntry(value: unknown, offset: number): Entry {
    if (!isEntry(value) || !Number.isSafeInteger(value.seq)) throw new Damage('it is no valid entry', offset)
    if (value.seq !== this.seq + 1) {
      const why = value.seq > this.seq ? `entry ${this.seq + 1} is missing before it` : `entry ${value.seq} stands before it already`
      throw new Damage(why, offset)
    }
    this.#isFirst = false
    this.seq = value.seq
    if (this.seq === 1) this.createdAt = value.at
    this.at = value.at
    this.epoch = Math.max(this.epoch, value.epoch ?? 0)
    if (this.owed > 0) this.owed--
    return value
  }
}

/** The first line of a file, which may be missing where a person wrote the file. */
export function checkHeader(value: JsonObject, sessionId: string, offset: number): void {
  if (typeof value.rondo !== 'string') return
  if (typeof value.format === 'number' && value.format > format) {
    throw new RondoError(
      'SessionMigrationFailed',
      `The file of session ${JSON.stringify(sessionId)} has format ${value.format}, but this version of Rondo knows formats up to ${format}. Nothing was changed; update Rondo to open it.`,
    )
  }
  if (value.format !== format) throw new Damage('it names no known format', offset)
  if (value.sessionId === sessionId) return
  throw new Damage(`it says that the file is session ${JSON.stringify(value.sessionId)}: has it been renamed?`, offset)
}

function isHeadLine(value: unknown): value is HeadLine {
  if (typeof value !== 'object' || value === null || !('head' in value) || !(value.head === null || isHead(value.head))) return false
  const numbers = ['entries', 'seq', 'at', 'createdAt', 'epoch'].map((name): unknown => Reflect.get(value, name))
  return numbers.every((number) => typeof number === 'number' && number >= 0) && typeof Reflect.get(value, 'held') === 'boolean'
}
