import { resolve } from 'node:path'
import { RondoError } from '../core/error.ts'
import type { Store } from '../core/store.ts'
import { realFiles } from './jsonl-files.ts'
import { JsonlStore } from './jsonl-store.ts'

export interface JsonlOptions {
  /** Where the files are; made at the first use. It is for this store alone. */
  readonly directory: string
  /**
   * `full` (default): what was appended survives a power cut. `normal`: the last appends before a power cut may be lost, none before a crash of
   * the process.
   */
  readonly synchronous?: 'full' | 'normal'
  /** The store's clock: ms since 1970, used for `at` and leases. Default `Date.now`. */
  readonly clock?: () => number
  /** Called when a file was repaired (the rest of an append that a crash has cut off), or can't be read and is listed without its head. Default `console.warn`. */
  readonly onWarning?: (message: string) => void
}

/**
 * A store of readable files, one a session: a line of JSON for each entry, and one before each append that says what the session is after it. Blobs lie
 * beside them.
 *
 * For one process, and one store object in it: a file can't keep a late writer out. A second one on the same folder is `ConfigInvalid` as long as the
 * first is open or its process lives; of one that died the folder and its sessions are taken over: at once, or, where that can't be known (it ran on another
 * machine or in another container), after 15 s without a sign of it. For several processes there is `rondo/sqlite`.
 *
 * The folder (mode 0700; its files 0600) is made at the first use. Appends to a session that come together are written together; each is all or nothing.
 * A file that is damaged is `SessionReadFailed` with its line and byte; other sessions are not affected.
 */
export function jsonlStore(options: JsonlOptions): Store {
  // Without types nothing may be given at all.
  const given: Partial<JsonlOptions> = options ?? {}
  const { directory, synchronous = 'full', clock = Date.now, onWarning = console.warn } = given
  for (const key of Object.keys(given))
    if (!['directory', 'synchronous', 'clock', 'onWarning'].includes(key))
      throw new RondoError('ConfigInvalid', `jsonlStore(): unknown option '${key}'; there are directory, synchronous, clock, onWarning.`)
  if (typeof directory !== 'string' || directory === '')
    throw new RondoError(
      'ConfigInvalid',
      "jsonlStore(): directory is empty. Give it the name of a folder: jsonlStore({ directory: 'sessions' }).",
    )
  if (synchronous !== 'full' && synchronous !== 'normal')
    throw new RondoError('ConfigInvalid', `jsonlStore(): synchronous must be 'full' or 'normal', not ${JSON.stringify(synchronous)}.`)
  return new JsonlStore({ directory: resolve(directory), synchronous, clock, onWarning }, realFiles)
}
