import { createHash } from 'node:crypto'
import { type BlobStore, type Entry, RondoError, type SessionSummary, type Store } from '../../index.ts'
import { CannotRun } from '../terminal.ts'
import { jsonLine, oneLine } from '../text.ts'
import { type BlobLine, type EndLine, formatName, formatVersion, type HeaderLine, maxFileBytes, megabytes, refsIn } from './format.ts'

/** What an export has written so far. */
export interface Exported {
  entries: number
  blobs: number
  bytes: number
  /** Why a blob is not in it. */
  readonly missing: string[]
}

/** The lines of a session's file, as far as it went when `summary` was made: what is appended meanwhile belongs to a later export. */
export async function* exportLines({ sessionId, seq, head }: SessionSummary, store: Store, exported: Exported): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const seen = new Set<string>()
  const counted = (value: HeaderLine | BlobLine | Entry): string => {
    const line = jsonLine(value)
    hash.update(line)
    exported.bytes += Buffer.byteLength(line)
    if (exported.bytes > maxFileBytes) throw tooLarge(sessionId)
    return line
  }
  yield counted({ format: formatName, version: formatVersion, session: sessionId, ...(head === undefined ? {} : { head }) })
  for await (const entry of store.load(sessionId)) {
    if (entry.seq > seq) break
    for (const ref of refsIn(entry.data)) {
      if (seen.has(ref)) continue
      seen.add(ref)
      const bytes = await blobOf(ref, store.blobs, exported)
      if (bytes === undefined) continue
      exported.blobs++
      yield counted({ blob: ref, base64: Buffer.from(bytes).toString('base64') })
    }
    exported.entries++
    yield counted(entry)
  }
  const { entries, blobs } = exported
  const end: EndLine = { end: { entries, blobs, sha256: hash.digest('hex') } }
  yield jsonLine(end)
}

async function blobOf(ref: string, blobs: BlobStore, { missing }: Exported): Promise<Uint8Array | undefined> {
  try {
    const bytes = await blobs.get(ref)
    if (bytes === undefined) missing.push(`Blob ${ref} is not in the store.`)
    return bytes
  } catch (error) {
    if (!RondoError.is(error)) throw error
    missing.push(error.message)
    return undefined
  }
}

function tooLarge(sessionId: string): CannotRun {
  const most = megabytes(maxFileBytes)
  return new CannotRun(
    `Session ${oneLine(sessionId)} takes more than ${most}, which is the most that an import reads. Copy the sessions file instead, while nothing runs.`,
  )
}
