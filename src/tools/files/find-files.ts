import picomatch from 'picomatch'
import { jsonSchema } from '../../json-schema/index.ts'
import { tool } from '../tool.ts'
import { problem } from './problem.ts'
import type { LimitHit, Reader, Truncation } from './reader.ts'
import { fileStats, inputOf, limitProperty, pathProperty, truncation } from './reader.ts'
import type { Opened } from './resolve.ts'
import { shownPath, withPath } from './resolve.ts'
import { newCounts, walk } from './walk.ts'

const defaultLimit = 200
const longestGlob = 500
/** Each wildcard is a loop in the regular expression behind a glob; with many, matching one name could take for ever. */
const mostWildcards = 10

export interface FindFilesInput {
  readonly glob: string
  readonly path?: string
  readonly sort?: 'path' | 'size' | 'modified'
  readonly limit?: number
}

export interface FoundFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** ISO 8601, UTC. */
  readonly modified: string
}

export interface FindFilesOutput extends Truncation {
  readonly path: string
  readonly glob: string
  readonly files: readonly FoundFile[]
  readonly count: number
  readonly visited: number
  readonly skipped: number
  readonly unreadable: number
}

export function findFiles(reader: Reader) {
  return tool({
    name: 'find_files',
    description:
      "Finds files by a glob such as '*.ts' (in every folder below path) or 'src/**/*.test.{ts,js}' (from path on). Files that .gitignore " +
      'names, .git, node_modules and what links lead to are not looked at, unless path leads there.',
    effect: 'read',
    inputSchema: jsonSchema<FindFilesInput>(
      inputOf(
        {
          glob: {
            type: 'string',
            minLength: 1,
            description: 'Glob with *, **, ?, [..] and {a,b}. Without / it is matched against the file name.',
          },
          path: pathProperty,
          sort: {
            enum: ['path', 'size', 'modified'],
            description: "'path' (default), 'size' (largest first) or 'modified' (newest first).",
          },
          limit: limitProperty('files', defaultLimit, reader.limits.results),
        },
        ['glob'],
      ),
    ),
    execute: (input, { signal }) => withPath(reader.root, input.path ?? '', signal, (opened) => find(reader, input, opened, signal)),
  })
}

async function find(reader: Reader, input: FindFilesInput, opened: Opened, signal: AbortSignal): Promise<FindFilesOutput> {
  if (opened.kind === 'file') throw problem(`'${opened.path}' is a file, not a folder. Leave path out, or give the folder to look in.`)
  const { root, limits, respectGitignore } = reader
  const limit = Math.min(input.limit ?? defaultLimit, limits.results)
  const wanted = globMatcher(input.glob, opened.path)
  const counts = newCounts()
  const options = {
    signal,
    respectGitignore,
    depth: limits.depth,
    below: 'limit',
    visited: limits.visited,
    wanted,
    load: fileStats(root),
  } as const
  const files: FoundFile[] = []
  const sort = input.sort ?? 'path'
  let limitHit: LimitHit | undefined
  for await (const { path, loaded } of walk(root, opened, options, counts)) {
    if (loaded === undefined) continue
    if (sort === 'path' && files.length >= limit) {
      limitHit = 'limit'
      break
    }
    files.push({ path, ...loaded })
  }
  if (sort === 'size') files.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1))
  if (sort === 'modified') files.sort((a, b) => (a.modified === b.modified ? (a.path < b.path ? -1 : 1) : a.modified < b.modified ? 1 : -1))
  if (files.length > limit) limitHit = 'limit'
  const shown = files.slice(0, limit)
  const { visited, skipped, unreadable } = counts
  const path = shownPath(opened.path)
  return {
    path,
    glob: input.glob,
    files: shown,
    count: shown.length,
    visited,
    skipped,
    unreadable,
    ...truncation(limitHit ?? counts.limitHit),
  }
}

/** Matches paths below `start`. Throws for a glob that is too costly. */
export function globMatcher(glob: string, start: string): (path: string) => boolean {
  if (glob.length > longestGlob) throw problem(`The glob has ${glob.length} characters; the limit is ${longestGlob}. Use a simpler one.`)
  if ((glob.match(/\*+/g)?.length ?? 0) > mostWildcards)
    throw problem(`The glob has more than ${mostWildcards} wildcards. Use a simpler one.`)
  const plain = glob.replace(/^(?:\.?\/)+/, '')
  const matches = picomatch(plain, { dot: true, basename: !plain.includes('/'), nonegate: true, noextglob: true })
  const from = start === '' ? 0 : start.length + 1
  return (path) => matches(path.slice(from))
}
