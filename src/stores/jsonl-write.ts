import { dirname } from 'node:path'
import { RondoError } from '../core/error.ts'
import { errorCode, type Files, type Handle, type Synchronous, syncFolder, withFile, writeAt } from './jsonl-files.ts'
import type { Place } from './jsonl-inspect.ts'
import { headerLine } from './jsonl-records.ts'
import type { SessionState } from './jsonl-rules.ts'

/**
 * Writes lines behind what counts of a session's file, in one piece, and waits until they are on the disk. When it fails the file is as before, as far
 * as the disk lets it; the caller looks at it anew. Resolves with the new length.
 */
export async function writeLines(
  files: Files,
  { sessionId, path }: Place,
  state: Pick<SessionState, 'exists' | 'length' | 'unended' | 'settled'>,
  lines: readonly string[],
  synchronous: Synchronous,
): Promise<number> {
  const { exists, length, unended, settled } = state
  const start = length === 0 ? headerLine(sessionId) : unended ? '\n' : ''
  const bytes = Buffer.from(start + lines.join(''))
  const isMade = { yes: false }
  try {
    await withFile(files, path, exists ? 'r+' : 'wx', async (handle) => {
      isMade.yes = !exists
      const { size } = await handle.stat()
      if (size !== length) throw changed(path)
      if (synchronous === 'full' && !settled) await syncFolder(files, dirname(path))
      await writeOrUndo(handle, bytes, length, synchronous)
    })
  } catch (error) {
    if (isMade.yes) await files.unlink(path).catch(() => {})
    throw errorCode(error) === 'EEXIST' ? changed(path) : error
  }
  return length + bytes.length
}

async function writeOrUndo(handle: Handle, bytes: Buffer, length: number, synchronous: Synchronous): Promise<void> {
  try {
    await writeAt(handle, bytes, length)
    if (synchronous === 'full') await handle.sync()
  } catch (error) {
    // What can't be undone now is cut off when the file is looked at next.
    await handle.truncate(length).catch(() => {})
    throw error
  }
}

/** A file can't keep others from writing. What a program or a person has added meanwhile is looked at, not written over. */
function changed(path: string): RondoError {
  return new RondoError('SessionWriteFailed', `${path} was changed by another program meanwhile. Nothing was written; try again.`)
}
