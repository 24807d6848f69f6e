import { RondoError } from '../../core/error.ts'

/** What one call of a read tool may cost. */
export interface ReadToolLimits {
  /** Bytes of text that one `read_file` returns. */
  readonly readBytes: number
  /** Bytes of one file that are looked at: what is beyond is not counted by `read_file` and not hashed by `file_info`. */
  readonly scanBytes: number
  /** Bytes of one file that `search_text` searches. */
  readonly searchBytes: number
  /** Time one `search_text` takes, in ms. */
  readonly searchMs: number
  /** Characters of a line that are shown. */
  readonly lineLength: number
  /** Folder entries that one call visits. */
  readonly visited: number
  /** Levels of folders that one call goes down. */
  readonly depth: number
  /** The highest `limit` that a model may ask for: entries, files or matches in one result. */
  readonly results: number
}

/** The defaults of `readTools({ limits })`. */
export const readToolLimits: ReadToolLimits = Object.freeze({
  readBytes: 262_144,
  scanBytes: 67_108_864,
  searchBytes: 8_388_608,
  searchMs: 5_000,
  lineLength: 2_000,
  visited: 50_000,
  depth: 64,
  results: 1_000,
})

/** What one call of a write tool may do. */
export interface WriteToolLimits {
  /** Bytes of a file: as a call leaves it, as `edit_file` finds it, and (at least in characters) between its edits. */
  readonly fileBytes: number
  /** Edits in one `edit_file`. */
  readonly edits: number
  /** Folders that one `write_file` makes. */
  readonly newFolders: number
}

/** The defaults of `writeTools({ limits })`. */
export const writeToolLimits: WriteToolLimits = Object.freeze({ fileBytes: 4_194_304, edits: 100, newFolders: 16 })

/** The defaults with what differs. Throws `ConfigInvalid`, in the name of the function that was given them. */
export function completeLimits<L extends { readonly [K in keyof L]: number }>(
  given: Partial<L> | undefined,
  defaults: L,
  owner: string,
): L {
  const differing = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  for (const [name, value] of differing) {
    if (!Object.hasOwn(defaults, name))
      throw new RondoError('ConfigInvalid', `${owner}: unknown limit '${name}'; there are ${Object.keys(defaults).join(', ')}`)
    if (!(Number.isSafeInteger(value) && Number(value) > 0))
      throw new RondoError('ConfigInvalid', `${owner}: limit '${name}' must be a whole number greater than 0, not ${String(value)}`)
  }
  return { ...defaults, ...Object.fromEntries(differing) }
}
