import { RondoError } from '../core/error.ts'
import type { Head } from '../core/store.ts'
import { type Handle, readAt, type Source } from './jsonl-files.ts'
import { chunkBytes, Damage, type Line, linesOf, piecesOf } from './jsonl-lines.ts'
import { checkHeader, Fold, type HeadLine, headLineOf } from './jsonl-records.ts'

/** What a file says of its session, and where the next append goes. */
export interface FileState {
  /** The bytes that count. */
  readonly length: number
  /** Whether the last line lacks its newline. */
  readonly unended: boolean
  readonly seq: number
  readonly at: number
  readonly createdAt: number
  readonly epoch: number
  readonly head: Head | undefined
  readonly held: boolean
}

/** A session's file as something that errors can name. */
export interface Place {
  readonly sessionId: string
  readonly path: string
}

export type Warn = (message: string) => void

/**
 * Looks at a file that was not written by this store object, or was written to in vain: only at its first line and from its last head line on.
 * What an append left that did not come to its end is cut off. Damage is `SessionReadFailed`.
 */
export async function inspect(handle: Handle, place: Place, warn: Warn): Promise<FileState> {
  const source: Source = (position, length) => readAt(handle, position, length)
  const { size } = await handle.stat()
  try {
    const from = await seek(source, size, Number.POSITIVE_INFINITY)
    if (from > 0) await checkFirstLine(source, size, place.sessionId)
    const { fold, good, unended } = await foldFrom(source, from, size, place.sessionId)
    if (good === size) {
      const { seq, at, createdAt, epoch, head, held } = fold
      return { length: size, unended, seq, at, createdAt, epoch, head, held }
    }
    await handle.truncate(good)
    await handle.sync()
    warn(
      `rondo: ${place.path}: an append to session ${JSON.stringify(place.sessionId)} was cut off; its ${size - good} bytes were removed.`,
    )
  } catch (error) {
    throw await damageError(source, size, place, error)
  }
  return inspect(handle, place, warn)
}

/** Where a reader begins who wants the entries after `afterSeq`: a head line at most a chunk and an append before them, or 0. */
export async function seek(source: Source, size: number, afterSeq: number): Promise<number> {
  let low = 0
  let high = size
  while (high - low > chunkBytes) {
    // What is looked for is near the end as a rule.
    const middle = high === size ? size - chunkBytes : low + Math.floor((high - low) / 2)
    const found = await nextHead(source, middle, high, size)
    if (found !== undefined && found.seq - found.entries <= afterSeq) low = found.offset
    else high = middle
  }
  return low
}

/** The first head line that begins between two places. */
async function nextHead(source: Source, from: number, to: number, size: number): Promise<(HeadLine & { offset: number }) | undefined> {
  for await (const batch of linesOf(source, from, size)) {
    for (const { bytes, offset } of batch) {
      if (offset >= to) return undefined
      // The first line has its beginning before `from`.
      const line = offset > from ? headLineOf(bytes) : undefined
      if (line !== undefined) return { ...line, offset }
    }
  }
  return undefined
}

/** `good` is the place after the last append that is whole. */
async function foldFrom(
  source: Source,
  from: number,
  size: number,
  sessionId: string,
): Promise<{ readonly fold: Fold; readonly good: number; readonly unended: boolean }> {
  const fold = new Fold(sessionId, from)
  let good = from
  let unended = false
  for await (const batch of linesOf(source, from, size)) {
    for (const line of batch) {
      for (const piece of piecesOf(line)) {
        if (piece.kind === 'torn') return { fold, good, unended }
        fold.take(piece)
        if (fold.owed === 0) good = piece.end
      }
      unended = !line.ended
      if (fold.owed === 0) good = endOf(line)
    }
  }
  return { fold, good, unended }
}

/** What can be said of a session whose file can't be read: what stands before the damage. */
export async function foldOfDamaged(source: Source, sessionId: string): Promise<Fold> {
  const fold = new Fold(sessionId, 0)
  try {
    for await (const batch of linesOf(source, 0, Number.MAX_SAFE_INTEGER))
      for (const line of batch) for (const piece of piecesOf(line)) if (piece.kind === 'record') fold.take(piece)
  } catch {
    // Whoever loads the session is told.
  }
  return fold
}

async function checkFirstLine(source: Source, size: number, sessionId: string): Promise<void> {
  for await (const [line] of linesOf(source, 0, size)) {
    if (line === undefined) return
    for (const piece of piecesOf(line)) {
      if (piece.kind === 'record') checkHeader(piece.value, sessionId, piece.offset)
      return
    }
  }
}

/** `Damage` with its session, line and byte. Other errors are given back as they are. */
export async function damageError(source: Source, size: number, { sessionId, path }: Place, error: unknown): Promise<unknown> {
  if (!(error instanceof Damage)) return error
  let line = 1
  for await (const batch of linesOf(source, 0, size)) {
    const before = batch.filter((one) => endOf(one) <= error.offset).length
    line += before
    if (before < batch.length) break
  }
  return new RondoError(
    'SessionReadFailed',
    `Session ${JSON.stringify(sessionId)}: ${path} is damaged in line ${line} (byte ${error.offset}): ${error.message}. Repair that line or restore the file from a backup; the other sessions are not affected.`,
    { cause: error, retryable: false },
  )
}

function endOf({ bytes, offset, ended }: Line): number {
  return offset + bytes.length + (ended ? 1 : 0)
}
