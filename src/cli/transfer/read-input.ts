import { type FileHandle, open } from 'node:fs/promises'
import { CannotRun, type Terminal } from '../terminal.ts'
import { plain } from '../text.ts'
import { maxFileBytes, megabytes } from './format.ts'

const chunkBytes = 1024 * 1024

/** The bytes of a file (`undefined`: of standard input). Throws `CannotRun` for what can't be read, and beyond the largest size. */
export async function readInput(path: string | undefined, { stdin }: Terminal): Promise<Buffer> {
  if (path !== undefined) return readFile(path)
  if (stdin.isTTY) throw new CannotRun('Nothing comes through standard input. Name a file, or: rondo import - < FILE')
  try {
    return Buffer.from(await stdin.read(maxFileBytes))
  } catch (error) {
    // What a terminal says of too much speaks of a task.
    throw error instanceof CannotRun ? tooLarge('Standard input') : error
  }
}

async function readFile(path: string): Promise<Buffer> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, 'r')
    return await readAll(handle, path)
  } catch (error) {
    if (error instanceof CannotRun || !(error instanceof Error)) throw error
    if ('code' in error && error.code === 'ENOENT') throw new CannotRun(`There is no file ${plain(path)}. rondo export writes one.`)
    throw new CannotRun(`${plain(path)} can't be read: ${plain(error.message)}.`)
  } finally {
    await handle?.close()
  }
}

/** Also of what has no size: a pipe, a device without an end. */
async function readAll(handle: FileHandle, path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let size = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes)
    if (bytesRead === 0) return Buffer.concat(chunks)
    size += bytesRead
    if (size > maxFileBytes) throw tooLarge(plain(path))
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

function tooLarge(what: string): CannotRun {
  return new CannotRun(`${what} holds more than ${megabytes(maxFileBytes)}, which is the most that an import reads. Nothing was imported.`)
}
