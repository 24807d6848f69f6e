import type { Json } from '../../core/json.ts'
import type { ReadToolLimits } from './limits.ts'
import { problem } from './problem.ts'
import type { Folder, Root } from './root.ts'
import { statsOf } from './root.ts'

/** What all read tools share. */
export interface Reader {
  readonly root: Root
  readonly limits: ReadToolLimits
  readonly respectGitignore: boolean
}

/**
 * Why a result is not the whole: `limit` results asked for, `visited` entries, `depth` of folders, `time`, `bytes` of a file, `lines`
 * asked for, `lineLength`.
 */
export type LimitHit = 'limit' | 'visited' | 'depth' | 'time' | 'bytes' | 'lines' | 'lineLength'

/** The end of every result: `truncated` is true when there is more than was given, and `limitHit` says why. */
export interface Truncation {
  readonly truncated: boolean
  readonly limitHit?: LimitHit
}

export function truncation(limitHit: LimitHit | undefined): Truncation {
  return limitHit === undefined ? { truncated: false } : { truncated: true, limitHit }
}

/** The input schema of a tool: an object with these properties and no others. */
export function inputOf(properties: { readonly [name: string]: Json }, required: readonly string[] = []): Json {
  return { type: 'object', properties, required, additionalProperties: false }
}

export const pathProperty: Json = {
  type: 'string',
  description: "Path relative to the root folder, such as 'src/main.ts'. Default: the root folder itself.",
}

export function limitProperty(what: string, fallback: number, most: number): Json {
  return {
    type: 'integer',
    minimum: 1,
    maximum: most,
    description: `At most this many ${what}. Default ${Math.min(fallback, most)}, at most ${most}.`,
  }
}

export interface FileStats {
  readonly size: number
  readonly modified: string
}

/** Finds what walks need to know of a file. It rejects if that is none any more. */
export function fileStats(root: Root): (folder: Folder, name: string) => Promise<FileStats> {
  return async (folder, name) => {
    const stats = await statsOf(root, folder, name)
    if (!stats.isFile()) throw problem(`'${name}' is no regular file.`)
    return { size: stats.size, modified: stats.mtime.toISOString() }
  }
}
