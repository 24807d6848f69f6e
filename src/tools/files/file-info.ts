import { createHash } from 'node:crypto'
import { jsonSchema } from '../../json-schema/index.ts'
import { tool } from '../tool.ts'
import { isBinary, scanChunks } from './lines.ts'
import type { Reader, Truncation } from './reader.ts'
import { fileStats, inputOf, pathProperty, truncation } from './reader.ts'
import type { Opened } from './resolve.ts'
import { shownPath, withPath } from './resolve.ts'
import { changedAt } from './root.ts'
import { newCounts, walk } from './walk.ts'

const newline = 0x0a

export interface FileInfoInput {
  readonly path?: string
}

export interface FileInfo extends Truncation {
  readonly path: string
  readonly type: 'file'
  /** Bytes. */
  readonly size: number
  /** ISO 8601, UTC. */
  readonly modified: string
  readonly binary: boolean
  /** `null` for a binary file, and for one that is larger than what is looked at. */
  readonly lines: number | null
  /** In hexadecimal; `null` for a file that is larger than what is looked at (64 MB by default). */
  readonly sha256: string | null
}

export interface FolderInfo extends Truncation {
  readonly path: string
  readonly type: 'folder'
  readonly modified: string
  /** What lies below at any depth, what is skipped aside. */
  readonly files: number
  readonly folders: number
  /** Bytes of the files. */
  readonly bytes: number
  readonly skipped: number
  readonly unreadable: number
}

export type FileInfoOutput = FileInfo | FolderInfo

export function fileInfo(reader: Reader) {
  return tool({
    name: 'file_info',
    description:
      'Of a file: size in bytes, lines, time of change, SHA-256, whether it is binary. Of a folder: how many files and bytes it holds.',
    effect: 'read',
    inputSchema: jsonSchema<FileInfoInput>(inputOf({ path: pathProperty })),
    execute: (input, { signal }) => withPath(reader.root, input.path ?? '', signal, (opened) => inspect(reader, opened, signal)),
  })
}

async function inspect(reader: Reader, opened: Opened, signal: AbortSignal): Promise<FileInfoOutput> {
  return opened.kind === 'file' ? ofFile(reader, opened, signal) : ofFolder(reader, opened, signal)
}

async function ofFile({ limits }: Reader, { path, handle }: Opened & { kind: 'file' }, signal: AbortSignal): Promise<FileInfo> {
  const { size, mtime } = await handle.stat()
  const binary = await isBinary(handle)
  const hash = createHash('sha256')
  let lines = 0
  let last = newline
  const { complete } = await scanChunks(handle, limits.scanBytes, signal, (chunk) => {
    hash.update(chunk)
    if (!binary) for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++
    last = chunk.at(-1) ?? last
    return 'on'
  })
  if (last !== newline) lines++
  return {
    path,
    type: 'file',
    size,
    modified: mtime.toISOString(),
    binary,
    lines: binary || !complete ? null : lines,
    sha256: complete ? hash.digest('hex') : null,
    ...truncation(complete ? undefined : 'bytes'),
  }
}

async function ofFolder({ root, limits, respectGitignore }: Reader, opened: Opened, signal: AbortSignal): Promise<FolderInfo> {
  const counts = newCounts()
  const options = {
    signal,
    respectGitignore,
    depth: limits.depth,
    below: 'limit',
    visited: limits.visited,
    wanted: () => true,
    load: fileStats(root),
  } as const
  let files = 0
  let folders = 0
  let bytes = 0
  for await (const { kind, loaded } of walk(root, opened, options, counts)) {
    if (kind === 'folder') folders++
    if (kind !== 'file') continue
    files++
    bytes += loaded?.size ?? 0
  }
  const mtime = await changedAt(root, opened.folder)
  const { skipped, unreadable } = counts
  const modified = mtime.toISOString()
  return {
    path: shownPath(opened.path),
    type: 'folder',
    modified,
    files,
    folders,
    bytes,
    skipped,
    unreadable,
    ...truncation(counts.limitHit),
  }
}
