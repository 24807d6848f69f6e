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

export function completeLimits(limits: Partial<ReadToolLimits> | undefined): ReadToolLimits {
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (!Object.hasOwn(readToolLimits, name))
      throw new RondoError('ConfigInvalid', `readTools(): unknown limit '${name}'; there are ${Object.keys(readToolLimits).join(', ')}`)
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new RondoError('ConfigInvalid', `readTools(): limit '${name}' must be a whole number greater than 0, not ${String(value)}`)
  }
  const given = Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined))
  return { ...readToolLimits, ...given }
}
