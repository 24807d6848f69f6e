import { errorCode } from '../files/problem.ts'
import type { Folder, MemberStats, Root } from '../files/root.ts'
import { closeFolders, kindOf, linkTarget, openFile, openFolder, openRoot, readFolder, statsOf } from '../files/root.ts'
import { textOf, wholeOf } from '../files/write/text.ts'
import type { Entry } from './entries.ts'
import type { SandboxLimits } from './limits.ts'
import type { Overlay } from './overlay.ts'

/** A file or a link, on the disk or in the sandbox. */
export interface SandboxFile {
  readonly type: 'file' | 'link'
  /** The whole file; of a link, where it points. `null`: it is no text in UTF-8, or larger than `limits.fileBytes`. */
  readonly text: string | null
  /** Bytes. */
  readonly size: number
  /** Permission bits, such as `0o644`. */
  readonly mode: number
}

/** What a sandbox has made of a path, compared with the disk as it is now. Paths are relative to the root, with `/`. Folders are not told. */
export type SandboxChange =
  | { readonly kind: 'created'; readonly path: string; readonly after: SandboxFile }
  | { readonly kind: 'changed'; readonly path: string; readonly before: SandboxFile; readonly after: SandboxFile }
  | { readonly kind: 'deleted'; readonly path: string; readonly before: SandboxFile }

export interface SandboxChanges {
  /** Sorted by path. */
  readonly changes: readonly SandboxChange[]
  /** Whether there are more than `limits.changes`, or than could be looked at (`visited`, `depth`). */
  readonly truncated: boolean
}

interface Comparison {
  readonly disk: Root
  readonly limits: SandboxLimits
  readonly signal: AbortSignal
  readonly entries: ReadonlyMap<string, Entry>
  truncated: boolean
}

type Side = SandboxFile & { readonly bytes: Buffer | undefined }

/** What a sandbox has changed. Reads the disk, and changes nothing. */
export async function changesOf(disk: Root, overlay: Overlay, limits: SandboxLimits, signal: AbortSignal): Promise<SandboxChanges> {
  const { entries, removed } = overlay.touched()
  const comparison: Comparison = { disk, limits, signal, entries, truncated: false }
  const paths = new Set([...entries].filter(([, { kind }]) => kind !== 'folder').map(([path]) => path))
  for (const path of removed) await addFilesAt(comparison, path, paths)
  const changes: SandboxChange[] = []
  for (const path of [...paths].sort()) {
    signal.throwIfAborted()
    const change = await compare(comparison, path)
    if (change === undefined) continue
    if (changes.length >= limits.changes) {
      comparison.truncated = true
      break
    }
    changes.push(change)
  }
  return { changes, truncated: comparison.truncated }
}

async function compare(comparison: Comparison, path: string): Promise<SandboxChange | undefined> {
  const before = await beforeAt(comparison, path)
  const after = afterOf(comparison.entries.get(path), comparison.limits)
  if (before === undefined) return after && { kind: 'created', path, after: shown(after) }
  if (after === undefined) return { kind: 'deleted', path, before: shown(before) }
  const isSame =
    before.type === after.type &&
    before.mode === after.mode &&
    (before.type === 'link' ? before.text === after.text : before.bytes !== undefined && after.bytes?.equals(before.bytes) === true)
  return isSame ? undefined : { kind: 'changed', path, before: shown(before), after: shown(after) }
}

function afterOf(entry: Entry | undefined, limits: SandboxLimits): Side | undefined {
  if (entry === undefined || entry.kind === 'folder') return undefined
  if (entry.kind === 'link') return linkSide(entry.target)
  return fileSide(entry.bytes, entry.bytes.length, entry.mode, limits)
}

async function beforeAt({ disk, limits }: Comparison, path: string): Promise<Side | undefined> {
  return onDisk(disk, path, async (parent, name, stats) => {
    switch (kindOf(stats)) {
      case 'link':
        return linkSide(await linkTarget(disk, parent, name))
      case 'file':
        return fileSide(await readUpTo(disk, parent, name, limits.shellFileBytes), stats.size, stats.mode & 0o7777, limits)
      case 'folder':
      case 'other':
        return undefined
    }
  })
}

function fileSide(bytes: Buffer | undefined, size: number, mode: number, limits: SandboxLimits): Side {
  const text = bytes === undefined || bytes.length > limits.fileBytes ? undefined : textOf(bytes)
  return { type: 'file', text: text === undefined ? null : wholeOf(text), size, mode, bytes }
}

function linkSide(target: string): Side {
  return { type: 'link', text: target, size: Buffer.byteLength(target), mode: 0o777, bytes: undefined }
}

function shown({ type, text, size, mode }: Side): SandboxFile {
  return { type, text, size, mode }
}

/** The files of the disk at a path that was removed, and below it. */
async function addFilesAt(comparison: Comparison, path: string, paths: Set<string>): Promise<void> {
  await onDisk(comparison.disk, path, async (parent, name, stats) => {
    if (!stats.isDirectory()) return void paths.add(path)
    const folder = await openFolder(comparison.disk, parent, name)
    await addFilesIn(comparison, folder, path, 1, paths)
  })
}

/** Closes the folder. */
async function addFilesIn(comparison: Comparison, folder: Folder, path: string, depth: number, paths: Set<string>): Promise<void> {
  const { disk, limits, signal } = comparison
  try {
    const { entries, complete } = await readFolder(disk, folder, Math.max(0, limits.visited - paths.size), signal)
    if (!complete) comparison.truncated = true
    for (const { name, kind } of entries) {
      const member = `${path}/${name}`
      if (kind !== 'folder') paths.add(member)
      else if (depth >= limits.depth) comparison.truncated = true
      else {
        const below = await openFolder(disk, folder, name).catch(() => undefined)
        if (below !== undefined) await addFilesIn(comparison, below, member, depth + 1, paths)
      }
    }
  } finally {
    await closeFolders([folder])
  }
}

/** Leads to a path on the disk, and through no link. `undefined`: nothing is there. */
async function onDisk<T>(
  disk: Root,
  path: string,
  use: (parent: Folder, name: string, stats: MemberStats) => Promise<T>,
): Promise<T | undefined> {
  const names = path.split('/')
  const name = names.pop() ?? ''
  let parent = await openRoot(disk)
  const folders = [parent]
  try {
    for (const one of names) {
      parent = await openFolder(disk, parent, one)
      folders.push(parent)
    }
    return await use(parent, name, await statsOf(disk, parent, name))
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) throw error
    return undefined
  } finally {
    await closeFolders(folders)
  }
}

async function readUpTo(disk: Root, parent: Folder, name: string, most: number): Promise<Buffer | undefined> {
  const file = await openFile(disk, parent, name)
  try {
    const { size } = await file.stat()
    if (size > most) return undefined
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await file.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
