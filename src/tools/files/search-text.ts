import { setImmediate } from 'node:timers/promises'
import { jsonSchema } from '../../json-schema/index.ts'
import { tool } from '../tool.ts'
import { globMatcher } from './find-files.ts'
import { cutText } from './lines.ts'
import type { Matcher } from './matcher.ts'
import { lineMatcher } from './matcher.ts'
import type { LimitHit, Reader, Truncation } from './reader.ts'
import { inputOf, limitProperty, pathProperty, truncation } from './reader.ts'
import type { Opened } from './resolve.ts'
import { shownPath, withPath } from './resolve.ts'
import type { Folder, OpenFile } from './root.ts'
import { openFile } from './root.ts'
import { newCounts, walk } from './walk.ts'

const defaultLimit = 100
const mostContextLines = 10
/** Lines between two looks at the clock and the signal. */
const batchLines = 2_000
const sniffedBytes = 8_000
const firstRead = 16_384

interface Content {
  readonly bytes: Buffer
  readonly cut: boolean
}

export interface SearchTextInput {
  readonly pattern: string
  readonly regex?: boolean
  readonly path?: string
  readonly glob?: string
  readonly ignoreCase?: boolean
  readonly contextLines?: number
  readonly limit?: number
}

export interface TextMatch {
  readonly path: string
  /** Counted from 1. */
  readonly line: number
  readonly text: string
  /** The lines around it, with `contextLines` only. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

export interface SearchTextOutput extends Truncation {
  readonly path: string
  readonly matches: readonly TextMatch[]
  readonly count: number
  readonly filesSearched: number
  /** Files passed over: binary, or not readable. */
  readonly filesSkipped: number
  /** Files of which only the first part was searched (8 MB by default). */
  readonly filesCut: number
  /** Entries that were not looked into: .git, node_modules and what .gitignore names. */
  readonly skipped: number
}

/** A search in progress. */
interface Search {
  readonly reader: Reader
  readonly signal: AbortSignal
  readonly matcher: Matcher
  readonly limit: number
  readonly contextLines: number
  readonly deadline: number
  readonly matches: TextMatch[]
  filesSearched: number
  filesSkipped: number
  filesCut: number
  limitHit: LimitHit | undefined
}

export function searchText(reader: Reader) {
  return tool({
    name: 'search_text',
    description:
      'Searches text files line by line for a text, or with regex for a JavaScript regular expression. Gives path, line number and line. ' +
      'Binary files, .git, node_modules and what .gitignore names are left out, unless path leads into them.',
    effect: 'read',
    inputSchema: jsonSchema<SearchTextInput>(
      inputOf(
        {
          pattern: { type: 'string', minLength: 1, description: 'What to search for, at most 500 characters, within one line.' },
          regex: { type: 'boolean', description: 'Whether pattern is a regular expression. Default false.' },
          path: {
            ...Object(pathProperty),
            description: 'Folder or file to search, relative to the root folder. Default: the root folder.',
          },
          glob: { type: 'string', minLength: 1, description: "Only files that match, such as '*.ts'." },
          ignoreCase: { type: 'boolean', description: 'Default false.' },
          contextLines: {
            type: 'integer',
            minimum: 0,
            maximum: mostContextLines,
            description: 'Lines to show before and after. Default 0.',
          },
          limit: limitProperty('matches', defaultLimit, reader.limits.results),
        },
        ['pattern'],
      ),
    ),
    execute: (input, { signal }) => withPath(reader.root, input.path ?? '', signal, (opened) => run(reader, input, opened, signal)),
  })
}

async function run(reader: Reader, input: SearchTextInput, opened: Opened, signal: AbortSignal): Promise<SearchTextOutput> {
  const search: Search = {
    reader,
    signal,
    matcher: lineMatcher(input.pattern, input.regex === true ? 'regex' : 'text', input.ignoreCase === true ? 'any-case' : 'exact'),
    limit: Math.min(input.limit ?? defaultLimit, reader.limits.results),
    contextLines: input.contextLines ?? 0,
    deadline: performance.now() + reader.limits.searchMs,
    matches: [],
    filesSearched: 0,
    filesSkipped: 0,
    filesCut: 0,
    limitHit: undefined,
  }
  const counts = newCounts()
  if (opened.kind === 'file') await searchContent(search, opened.path, await readStart(search, opened.handle))
  else await searchFolder(search, opened, input.glob, counts)
  const { matches, filesSearched, filesSkipped, filesCut } = search
  const { skipped } = counts
  const limitHit = search.limitHit ?? counts.limitHit ?? (filesCut > 0 ? 'bytes' : undefined)
  return {
    path: shownPath(opened.path),
    matches,
    count: matches.length,
    filesSearched,
    filesSkipped,
    filesCut,
    skipped,
    ...truncation(limitHit),
  }
}

async function searchFolder(search: Search, opened: Opened, glob: string | undefined, counts: ReturnType<typeof newCounts>): Promise<void> {
  const { root, limits, respectGitignore } = search.reader
  const wanted = glob === undefined ? () => true : globMatcher(glob, opened.path)
  const load = (folder: Folder, name: string) => readMember(search, folder, name)
  const options = {
    signal: search.signal,
    respectGitignore,
    depth: limits.depth,
    below: 'limit',
    visited: limits.visited,
    wanted,
    load,
  } as const
  for await (const { path, kind, loaded } of walk(root, opened, options, counts)) {
    if (kind !== 'file') continue
    if (isOver(search)) return
    await searchContent(search, path, loaded)
  }
}

async function readMember(search: Search, folder: Folder, name: string): Promise<Content> {
  const handle = await openFile(search.reader.root, folder, name)
  try {
    return await readStart(search, handle)
  } finally {
    await handle.close()
  }
}

/** Whether to stop: the limit was passed, or the time is up. Throws when the call was aborted. */
function isOver(search: Search): boolean {
  search.signal.throwIfAborted()
  if (search.limitHit === undefined && performance.now() > search.deadline) search.limitHit = 'time'
  return search.limitHit !== undefined
}

async function searchContent(search: Search, path: string, content: Content | undefined): Promise<void> {
  if (content === undefined || content.bytes.subarray(0, sniffedBytes).includes(0)) {
    search.filesSkipped++
    return
  }
  search.filesSearched++
  if (content.cut) search.filesCut++
  const lines = content.bytes.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (let start = 0; start < lines.length; start += batchLines) {
    if (start > 0) await setImmediate()
    if (isOver(search)) return
    const found = search.matcher(lines.slice(start, start + batchLines))
    for (const [i, at] of found.entries()) {
      if (at < 0) continue
      if (search.matches.length >= search.limit) {
        search.limitHit = 'limit'
        return
      }
      search.matches.push(matchAt(search, path, lines, start + i, at))
    }
  }
}

/** The first bytes of a file, as many as are searched. What its size says is not relied on: it may grow meanwhile. */
async function readStart({ reader }: Search, handle: OpenFile): Promise<Content> {
  const most = reader.limits.searchBytes + 1
  let buffer = Buffer.allocUnsafe(Math.min(firstRead, most))
  let length = 0
  for (;;) {
    const wanted = buffer.length - length
    const { bytesRead } = await handle.read(buffer, length, wanted, length)
    length += bytesRead
    // Of a regular file a read gives less than was wanted only at the end (read(2)).
    if (bytesRead < wanted || length === most) return { bytes: buffer.subarray(0, Math.min(length, most - 1)), cut: length === most }
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(buffer.length * 4, most))
  }
}

function matchAt({ contextLines, reader }: Search, path: string, lines: readonly string[], index: number, at: number): TextMatch {
  const most = reader.limits.lineLength
  const match = { path, line: index + 1, text: around(lines[index] ?? '', at, most) }
  if (contextLines === 0) return match
  const context = (from: number, to: number) => lines.slice(Math.max(0, from), to).map((line) => around(line, 0, most))
  return { ...match, before: context(index - contextLines, index), after: context(index + 1, index + 1 + contextLines) }
}

/** At most `most` characters of a line, with the match in them; `…` where something is missing. */
function around(line: string, at: number, most: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  if (text.length <= most) return text
  const start = Math.max(0, Math.min(at - Math.floor(most / 4), text.length - most))
  const piece = cutText(text.slice(start), most)
  return `${start > 0 ? '…' : ''}${piece}${start + piece.length < text.length ? '…' : ''}`
}
