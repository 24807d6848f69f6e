import type { Entry, NewEntry } from '../core/entry.ts'
import type { Source } from './jsonl-files.ts'
import { damageError, type FileState, type Place, seek } from './jsonl-inspect.ts'
import { Damage, type Line, linesOf, piecesOf } from './jsonl-lines.ts'
import { Fold } from './jsonl-records.ts'

/**
 * The entries after `afterSeq`, up to where the file was when it was looked at, in batches: a step of an async generator for each entry would cost more than
 * reading it. Damage is `SessionReadFailed`, after the good entries before it.
 */
export async function* entriesAfter(
  source: Source,
  place: Place,
  { seq, length }: Pick<FileState, 'seq' | 'length'>,
  afterSeq: number,
): AsyncGenerator<readonly Entry[], void, undefined> {
  if (seq <= afterSeq) return
  const batch: { entries: Entry[] } = { entries: [] }
  try {
    const from = afterSeq === 0 ? 0 : await seek(source, length, afterSeq)
    const fold = new Fold(place.sessionId, from)
    for await (const lines of linesOf(source, from, length)) {
      for (const line of lines) for (const entry of entriesOf(line, fold)) if (entry.seq > afterSeq) batch.entries.push(entry)
      yield batch.entries
      batch.entries = []
    }
    if (fold.seq < seq) throw new Damage(`entries ${fold.seq + 1} to ${seq} are missing`, length)
  } catch (error) {
    yield batch.entries
    throw await damageError(source, length, place, error)
  }
}

function* entriesOf(line: Line, fold: Fold): Generator<Entry, void, undefined> {
  for (const piece of piecesOf(line)) {
    if (piece.kind === 'torn') throw new Damage('the file ends in the middle of a record', piece.offset)
    const entry = fold.take(piece)
    if (entry !== undefined) yield entry
  }
}

/** The `at` of the entries, when exactly these (by id) stand at their place. */
export async function standingSince(
  source: Source,
  place: Place,
  state: Pick<FileState, 'seq' | 'length'>,
  entries: readonly NewEntry[],
  afterSeq: number,
): Promise<number | undefined> {
  const found: Entry[] = []
  for await (const batch of entriesAfter(source, place, state, afterSeq)) {
    for (const entry of batch) if (found.length < entries.length) found.push(entry)
    if (found.length === entries.length) break
  }
  return entries.every(({ id }, i) => found[i]?.id === id) ? found[0]?.at : undefined
}
