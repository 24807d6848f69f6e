import { randomBytes } from 'node:crypto'
import * as promises from 'node:fs/promises'
import { dirname } from 'node:path'
import { RondoError } from '../core/error.ts'

/** What the store uses of `node:fs/promises`: where a test puts a disk that fails. */
export type Files = Pick<typeof promises, 'mkdir' | 'open' | 'readdir' | 'rename' | 'unlink'>
export type Handle = promises.FileHandle

export const realFiles: Files = promises

/** `full`: what was written is on the disk before anybody is told. */
export type Synchronous = 'full' | 'normal'

/** The bytes at a place of a file; fewer at its end. */
export type Source = (position: number, length: number) => Promise<Buffer>

export async function withFile<T>(files: Files, path: string, flags: string, work: (handle: Handle) => Promise<T>): Promise<T> {
  const handle = await files.open(path, flags, 0o600)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

export async function readAt(handle: Handle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** A write may take a part only (at the end of a full disk, or of a limit). */
export async function writeAt(handle: Handle, bytes: Buffer, position: number): Promise<void> {
  let done = 0
  while (done < bytes.length) done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

/** A new name is durable once its folder is. Windows has no such thing. */
export async function syncFolder(files: Files, folder: string): Promise<void> {
  if (process.platform !== 'win32') await withFile(files, folder, 'r', (handle) => handle.sync())
}

/** What a crash may leave behind. */
export const unfinishedEnding = '.tmp'

/** A file that is there whole or not at all, whatever happens meanwhile. */
export async function writeWhole(files: Files, path: string, bytes: Buffer, synchronous: Synchronous): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}${unfinishedEnding}`
  try {
    await withFile(files, unfinished, 'w', async (handle) => {
      await writeAt(handle, bytes, 0)
      if (synchronous === 'full') await handle.sync()
    })
    await files.rename(unfinished, path)
  } catch (error) {
    await files.unlink(unfinished).catch(() => {})
    throw error
  }
  if (synchronous === 'full') await syncFolder(files, dirname(path))
}

export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** `undefined` for a file that is not there. */
export async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

const full = 'The disk, or a limit on it, is full: free space or raise the limit, then try again.'
const forbidden = 'No permission: make the folder and its files readable and writable for this process.'

const advice: { readonly [code: string]: { readonly next: string; readonly retryable: boolean } } = {
  ENOSPC: { next: full, retryable: true },
  EDQUOT: { next: full, retryable: true },
  EFBIG: { next: full, retryable: true },
  EIO: { next: 'The disk failed to read or write: check the disk and the file system.', retryable: true },
  EMFILE: { next: 'Too many files are open: raise the limit of this process (ulimit -n), then try again.', retryable: true },
  ENFILE: { next: 'Too many files are open on this machine: try again.', retryable: true },
  EACCES: { next: forbidden, retryable: false },
  EPERM: { next: forbidden, retryable: false },
  EROFS: { next: 'The file system is read-only: choose another folder.', retryable: false },
  ENOTDIR: { next: 'Choose a path in a folder that this process can write.', retryable: false },
  EEXIST: { next: 'Something else has this name: choose another folder.', retryable: false },
}

/** What an error of the file system means, in Rondo's words. `what` says what was being done to which session. */
export function fileFailure(error: unknown, what: string, path: string, direction: 'read' | 'write'): RondoError {
  if (RondoError.is(error)) return error
  const { next, retryable } = advice[errorCode(error) ?? ''] ?? { next: 'Try again; if it stays, check the file.', retryable: true }
  const reason = error instanceof Error ? error.message : String(error)
  const failed = direction === 'read' ? 'SessionReadFailed' : 'SessionWriteFailed'
  return new RondoError(failed, `${path}: ${what} failed (${reason}). ${next}`, { cause: error, retryable })
}

/** So many at a time; the others wait in their order. A process has only so many open files. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
