import { jsonSchema } from '../../json-schema/index.ts'
import { tool } from '../tool.ts'
import { problem } from './problem.ts'
import type { LimitHit, Reader, Truncation } from './reader.ts'
import { fileStats, inputOf, limitProperty, pathProperty, truncation } from './reader.ts'
import { shownPath, withPath } from './resolve.ts'
import type { EntryKind } from './root.ts'
import { newCounts, walk } from './walk.ts'

const defaultLimit = 200

export interface ListFilesInput {
  readonly path?: string
  readonly depth?: number
  readonly limit?: number
}

export interface ListedEntry {
  readonly path: string
  readonly type: EntryKind
  /** Bytes; files only. */
  readonly size?: number
}

export interface ListFilesOutput extends Truncation {
  readonly path: string
  readonly entries: readonly ListedEntry[]
  readonly count: number
  /** Entries left out: .git, node_modules and what .gitignore names. */
  readonly skipped: number
  /** Folders that could not be read. */
  readonly unreadable: number
}

export function listFiles(reader: Reader) {
  const { limits } = reader
  return tool({
    name: 'list_files',
    description:
      'Lists what a folder holds, sorted by path, with type (file, folder, link, other) and size in bytes. .git, node_modules and what ' +
      '.gitignore names are left out, unless path leads into them.',
    effect: 'read',
    inputSchema: jsonSchema<ListFilesInput>(
      inputOf({
        path: pathProperty,
        depth: { type: 'integer', minimum: 1, maximum: limits.depth, description: 'Levels of folders. Default 1: only the folder itself.' },
        limit: limitProperty('entries', defaultLimit, limits.results),
      }),
    ),
    execute: (input, { signal }) => list(reader, input, signal),
  })
}

async function list(reader: Reader, input: ListFilesInput, signal: AbortSignal): Promise<ListFilesOutput> {
  const { root, limits, respectGitignore } = reader
  const limit = Math.min(input.limit ?? defaultLimit, limits.results)
  return withPath(root, input.path ?? '', signal, async (opened) => {
    if (opened.kind === 'file') throw problem(`'${opened.path}' is a file, not a folder. Use read_file or file_info.`)
    const counts = newCounts()
    const options = {
      signal,
      respectGitignore,
      depth: input.depth ?? 1,
      below: 'unwanted',
      visited: limits.visited,
      wanted: () => true,
      load: fileStats(root),
    } as const
    const entries: ListedEntry[] = []
    let limitHit: LimitHit | undefined
    for await (const { path, kind, loaded } of walk(root, opened, options, counts)) {
      if (entries.length >= limit) {
        limitHit = 'limit'
        break
      }
      entries.push({ path, type: kind, ...(loaded === undefined ? {} : { size: loaded.size }) })
    }
    const { skipped, unreadable } = counts
    return { path: shownPath(opened.path), entries, count: entries.length, skipped, unreadable, ...truncation(limitHit ?? counts.limitHit) }
  })
}
