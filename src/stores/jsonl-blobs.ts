import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { RondoError } from '../core/error.ts'
import { type Files, readAt, type Slots, type Synchronous, unlessMissing, withFile, writeWhole } from './jsonl-files.ts'

const refPattern = /^sha256:([\da-f]{64})$/

/** Blobs, a file each, named by their hash. */
export class JsonlBlobs {
  readonly #folder: string
  readonly #files: Files
  readonly #slots: Slots
  readonly #synchronous: Synchronous

  constructor(folder: string, files: Files, slots: Slots, synchronous: Synchronous) {
    this.#folder = folder
    this.#files = files
    this.#slots = slots
    this.#synchronous = synchronous
  }

  /** Written also when it is there already: whether that one is on the disk, and whole, is not known. */
  async put(bytes: Buffer): Promise<string> {
    const hash = hashOf(bytes)
    await this.#slots.use(() => writeWhole(this.#files, join(this.#folder, hash), bytes, this.#synchronous))
    return `sha256:${hash}`
  }

  async get(ref: string): Promise<Uint8Array | undefined> {
    const hash = refPattern.exec(ref)?.[1]
    if (hash === undefined) return undefined
    const path = join(this.#folder, hash)
    const work = () => withFile(this.#files, path, 'r', async (handle) => readAt(handle, 0, (await handle.stat()).size))
    const bytes = await this.#slots.use(() => unlessMissing(work()))
    if (bytes === undefined || hashOf(bytes) === hash) return bytes && new Uint8Array(bytes)
    throw new RondoError('SessionReadFailed', `Blob ${ref} is damaged: ${path} has another hash. Restore the file from a backup.`, {
      retryable: false,
    })
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
