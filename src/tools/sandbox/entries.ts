import type { FileVersion, MemberStats, OpenFile } from '../files/root.ts'

/** What lies in memory at a path. It is never changed: another takes its place. */
export type Entry = MemoryFile | MemoryFolder | MemoryLink

interface MemoryFile {
  readonly kind: 'file'
  readonly bytes: Buffer
  readonly mode: number
  readonly mtime: Date
  /** No two that were ever there have the same. */
  readonly serial: bigint
}

/** The folder of the disk at this path shows through, unless it was removed. */
interface MemoryFolder {
  readonly kind: 'folder'
  readonly mode: number
  readonly mtime: Date
}

interface MemoryLink {
  readonly kind: 'link'
  readonly target: string
  readonly mtime: Date
}

/** Bytes that an entry is counted for: what it holds, its path, and what keeping it costs. */
export function costOf(path: string, entry: Entry | undefined): number {
  if (entry === undefined) return 0
  const held = entry.kind === 'file' ? entry.bytes.length : entry.kind === 'link' ? entry.target.length * 2 : 0
  return held + path.length * 2 + 256
}

export function folderNow(mode = 0o755): Entry {
  return { kind: 'folder', mode, mtime: new Date() }
}

/** What a path costs at which something of the disk was removed. */
export function costOfMark(path: string): number {
  return path.length * 2 + 128
}

export function statsOfEntry(entry: Entry): MemberStats {
  switch (entry.kind) {
    case 'file':
      return stats('file', entry.bytes.length, entry.mode, entry.mtime)
    case 'folder':
      return stats('folder', 0, entry.mode, entry.mtime)
    case 'link':
      return stats('link', Buffer.byteLength(entry.target), 0o777, entry.mtime)
  }
}

export function stats(kind: Entry['kind'], size: number, mode: number, mtime: Date): MemberStats {
  return { isFile: () => kind === 'file', isDirectory: () => kind === 'folder', isSymbolicLink: () => kind === 'link', size, mode, mtime }
}

export function versionOfEntry({ bytes, mode, mtime, serial }: MemoryFile): FileVersion {
  const changed = BigInt(mtime.getTime()) * 1_000_000n
  const size = BigInt(bytes.length)
  // No disk has this number.
  return { dev: -1n, ino: serial, mode: BigInt(mode), nlink: 1n, uid: 0n, gid: 0n, size, mtimeNs: changed, ctimeNs: changed }
}

export function isSame(one: FileVersion | undefined, other: FileVersion | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return (
    one.dev === other.dev &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  )
}

/** A file in memory as it was when it was opened. */
export class OpenMemoryFile implements OpenFile {
  readonly #file: MemoryFile

  constructor(file: MemoryFile) {
    this.#file = file
  }

  async read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }> {
    return { bytesRead: this.#file.bytes.copy(buffer, offset, position, position + length) }
  }

  stat(): Promise<MemberStats>
  stat(options: { readonly bigint: true }): Promise<FileVersion>
  async stat(options?: { readonly bigint: true }): Promise<MemberStats | FileVersion> {
    return options === undefined ? statsOfEntry(this.#file) : versionOfEntry(this.#file)
  }

  async close(): Promise<void> {}
}
