import { dirname, join, resolve } from 'node:path'
import { type Files, fileFailure, type Synchronous, syncFolder, unfinishedEnding, unlessMissing } from './jsonl-files.ts'
import { type Kept, readLeases } from './jsonl-leases.ts'
import { lockFolder } from './jsonl-lock.ts'

/** A store's folder, made and taken. */
export interface Folder {
  readonly kept: Kept
  /** Throws when it is another's by now. */
  check(): Promise<void>
  release(): Promise<void>
}

export function blobsIn(directory: string): string {
  return join(directory, 'blobs')
}

export async function openFolder(files: Files, directory: string, synchronous: Synchronous): Promise<Folder> {
  try {
    await makeFolder(files, directory, synchronous)
    const { isAfterCrash, check, release } = await lockFolder(files, directory)
    try {
      await makeFolder(files, blobsIn(directory), synchronous)
      if (isAfterCrash) for (const folder of [directory, blobsIn(directory)]) await removeUnfinished(files, folder)
      const { floor, leases } = await readLeases(files, directory)
      // Whoever held a session lived in the process that crashed.
      return { kept: { floor, leases: isAfterCrash ? new Map() : leases }, check, release }
    } catch (error) {
      await release().catch(() => {})
      throw error
    }
  } catch (error) {
    throw fileFailure(error, 'opening the folder', directory, 'write')
  }
}

async function makeFolder(files: Files, folder: string, synchronous: Synchronous): Promise<void> {
  const path = resolve(folder)
  const first = await files.mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined || synchronous !== 'full') return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(files, dirname(made))
}

async function removeUnfinished(files: Files, folder: string): Promise<void> {
  for (const name of await files.readdir(folder)) if (name.endsWith(unfinishedEnding)) await unlessMissing(files.unlink(join(folder, name)))
}
