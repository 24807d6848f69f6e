import { dirname } from 'node:path/posix'
import { errorCode, problem } from '../files/problem.ts'
import type { FileVersion, Folder, FolderContent, FolderEntry, Layer, MemberStats, OpenFile, Root } from '../files/root.ts'
import { byPath, changedAt, kindOf, linkTarget, openFile, openFolder, openRoot, readFolder, statsOf } from '../files/root.ts'
import type { Entry } from './entries.ts'
import { costOf, costOfMark, folderNow, isSame, OpenMemoryFile, stats, statsOfEntry, versionOfEntry } from './entries.ts'
import { systemError } from './errors.ts'

const never = new AbortController().signal

/** An open folder: where it lies, and the folder of the disk that shows through. */
interface Opened {
  readonly path: string
  readonly lower: Folder | undefined
}

/**
 * A file system of its own, from `/` on, in which a folder of the disk lies at `mount`. All that is changed is kept in memory; the disk is only read,
 * by the same functions as by the read tools, which follow no link. Links are resolved by who asks, name by name from `/`, so that none leads to
 * anything but this.
 *
 * Paths are whole, with links resolved. Methods that change something look and act in one step: nothing can come between.
 */
export class Overlay implements Layer {
  readonly mount: string
  readonly note = ' It is kept in memory: the disk stays as it is, and what was written is lost when the program is started again.'
  readonly #disk: Root
  readonly #memoryBytes: number
  readonly #entries = new Map<string, Entry>()
  readonly #names = new Map<string, Set<string>>()
  /** Paths at which, and below which, the disk does not show through any more. */
  readonly #removed = new Set<string>()
  readonly #opened = new WeakMap<Folder, Opened>()
  #bytes = 0
  #serial = 0n

  constructor(disk: Root, mount: string, memoryBytes: number) {
    this.#disk = disk
    this.mount = mount
    this.#memoryBytes = memoryBytes
    this.#set('/', folderNow())
    for (const path of [dirname(mount), '/tmp', '/home/user', '/dev']) this.#makeFolders(path)
    this.#names.get(dirname(mount))?.add(mount.slice(mount.lastIndexOf('/') + 1))
    if (!this.#isInMount('/dev/null')) this.#set('/dev/null', this.newFile(Buffer.alloc(0), 0o666))
    // A link of the disk may name the folder as it was given.
    const given = disk.givenPath
    if (mount !== disk.realPath || given === mount || this.#isInMount(given) || this.#entries.has(given)) return
    this.#makeFolders(dirname(given))
    if (this.#entries.get(dirname(given))?.kind === 'folder') this.#set(given, { kind: 'link', target: mount, mtime: new Date() })
  }

  openTop(): Folder {
    return this.#open('/', undefined)
  }

  async openRoot(): Promise<Folder> {
    return this.#open(this.mount, await openRoot(this.#disk))
  }

  async openFolder(parent: Folder, name: string): Promise<Folder> {
    const path = this.pathOf(parent, name)
    if (path === this.mount) return this.openRoot()
    const entry = this.#entries.get(path)
    if (entry?.kind === 'link') throw systemError('ELOOP')
    if (entry?.kind === 'file') throw systemError('ENOTDIR')
    const lower = this.#lowerOf(parent, path)
    if (lower === undefined && entry === undefined) throw systemError('ENOENT')
    const below = lower && (await openFolder(this.#disk, lower, name).catch(unlessMissing(entry)))
    return this.#open(path, below)
  }

  async openFile(parent: Folder, name: string): Promise<OpenFile> {
    const path = this.pathOf(parent, name)
    const entry = this.#entries.get(path)
    if (entry?.kind === 'file') return new OpenMemoryFile(entry)
    const lower = this.#lowerOf(parent, path)
    if (entry !== undefined || lower === undefined)
      throw systemError(entry === undefined ? 'ENOENT' : entry.kind === 'link' ? 'ELOOP' : 'EISDIR')
    return openFile(this.#disk, lower, name)
  }

  async readFolder(folder: Folder, most: number, signal: AbortSignal): Promise<FolderContent> {
    const { path, lower } = this.#of(folder)
    const found = lower === undefined ? { entries: [], complete: true } : await readFolder(this.#disk, lower, most, signal)
    const names = new Map<string, FolderEntry>()
    for (const entry of found.entries) if (!this.#removed.has(inside(path, entry.name))) names.set(entry.name, entry)
    for (const name of this.#names.get(path) ?? []) names.set(name, { name, kind: this.#entries.get(inside(path, name))?.kind ?? 'folder' })
    const entries = byPath([...names.values()])
    return { entries: entries.slice(0, most), complete: found.complete && entries.length <= most }
  }

  async statsOf(parent: Folder, name: string): Promise<MemberStats> {
    const path = this.pathOf(parent, name)
    if (path === this.mount) return stats('folder', 0, 0o755, await this.#changedMount())
    const entry = this.#entries.get(path)
    if (entry !== undefined) return statsOfEntry(entry)
    const lower = this.#lowerOf(parent, path)
    if (lower === undefined) throw systemError('ENOENT')
    return statsOf(this.#disk, lower, name)
  }

  async linkTarget(parent: Folder, name: string): Promise<string> {
    const path = this.pathOf(parent, name)
    const entry = this.#entries.get(path)
    if (entry?.kind === 'link') return entry.target
    const lower = this.#lowerOf(parent, path)
    if (entry !== undefined || lower === undefined) throw systemError('EINVAL')
    return linkTarget(this.#disk, lower, name)
  }

  async changedAt(folder: Folder): Promise<Date> {
    const { path, lower } = this.#of(folder)
    const entry = this.#entries.get(path)
    if (entry !== undefined || lower === undefined) return entry?.mtime ?? new Date()
    return changedAt(this.#disk, lower)
  }

  async makeFolder(parent: Folder, name: string): Promise<void> {
    if ((await this.find(parent, name)) !== undefined) throw systemError('EEXIST')
    fullIsTold(() => this.place(parent, name, folderNow()))
  }

  async removeFolder(parent: Folder, name: string): Promise<void> {
    const folder = await this.openFolder(parent, name)
    try {
      if ((await this.readFolder(folder, 1, never)).entries.length > 0) throw systemError('ENOTEMPTY')
      this.remove(parent, name)
    } finally {
      await folder.handle?.close()
    }
  }

  async put(parent: Folder, name: string, bytes: Buffer, seen: FileVersion | undefined): Promise<void> {
    const path = this.pathOf(parent, name)
    const before = this.#entries.get(path)
    const now = await this.#versionAt(parent, name)
    if (!isSame(now, seen) || this.#entries.get(path) !== before) throw systemError('ESTALE')
    const file = this.newFile(bytes, seen === undefined ? 0o644 : Number(seen.mode) & 0o7777)
    fullIsTold(() => this.place(parent, name, file))
  }

  /** What is at a name, if anything. */
  async find(parent: Folder, name: string): Promise<MemberStats | undefined> {
    return this.statsOf(parent, name).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    })
  }

  newFile(bytes: Buffer, mode: number): Entry {
    return { kind: 'file', bytes, mode, mtime: new Date(), serial: ++this.#serial }
  }

  /** Puts something at a name. No folder gives way to something else, nor something else to a folder: it is to be removed first. */
  place(parent: Folder, name: string, entry: Entry): void {
    const path = this.pathOf(parent, name)
    const { path: above } = this.#of(parent)
    if (path === this.mount) throw systemError('EBUSY')
    if (!this.#isFolder(above)) throw systemError('ENOENT')
    const there = this.#entries.get(path)
    if (there !== undefined && (there.kind === 'folder') !== (entry.kind === 'folder'))
      throw systemError(there.kind === 'folder' ? 'EISDIR' : 'EEXIST')
    this.#set(path, entry)
  }

  /** Removes what is at a name, with all below it. */
  remove(parent: Folder, name: string): void {
    const path = this.pathOf(parent, name)
    if (path === this.mount || this.mount.startsWith(`${path}/`)) throw systemError('EBUSY')
    const mark = this.#isInMount(path) && !this.#removed.has(path) ? costOfMark(path) : 0
    // First, so that a sandbox that is full is as it was. What is in memory frees more than that.
    if (this.#entries.has(path)) this.#bytes += mark
    else this.#charge(mark)
    this.#drop(path)
    if (mark === 0) return
    for (const one of this.#removed) {
      if (!one.startsWith(`${path}/`)) continue
      this.#removed.delete(one)
      this.#bytes -= costOfMark(one)
    }
    this.#removed.add(path)
  }

  /** Where a member of an open folder lies. */
  pathOf(parent: Folder, name: string): string {
    return inside(this.#of(parent).path, name)
  }

  placeOf(folder: Folder): string {
    return this.#of(folder).path
  }

  /** What differs from the disk, below the mount: what is in memory, and what was removed with all below it. Paths as from the mount. */
  touched(): { readonly entries: ReadonlyMap<string, Entry>; readonly removed: readonly string[] } {
    const below = (path: string) => path.slice(this.mount.length + 1)
    const entries = [...this.#entries].filter(([path]) => this.#isInMount(path)).map(([path, entry]) => [below(path), entry] as const)
    return { entries: new Map(entries), removed: [...this.#removed].map(below) }
  }

  #open(path: string, lower: Folder | undefined): Folder {
    // With a character that no path can have: should it ever be given to the system, that refuses it.
    const folder: Folder = {
      reach: `\0${path}`,
      realPath: this.#isInMount(path) ? path.slice(this.mount.length + 1) : path,
      handle: lower?.handle,
    }
    this.#opened.set(folder, { path, lower })
    return folder
  }

  #of(folder: Folder): Opened {
    const opened = this.#opened.get(folder)
    if (opened === undefined) throw systemError('EBADF')
    return opened
  }

  #lowerOf(parent: Folder, path: string): Folder | undefined {
    return this.#removed.has(path) ? undefined : this.#of(parent).lower
  }

  #isInMount(path: string): boolean {
    return path === this.mount || path.startsWith(`${this.mount}/`)
  }

  /** Whether there is still a folder at a path at which one was opened. */
  #isFolder(path: string): boolean {
    if (path === this.mount) return true
    const entry = this.#entries.get(path)
    if (entry !== undefined || !this.#isInMount(path)) return entry?.kind === 'folder'
    for (let at = path; at !== this.mount; at = dirname(at)) {
      if (this.#removed.has(at)) return false
      if ((this.#entries.get(at)?.kind ?? 'folder') !== 'folder') return false
    }
    return true
  }

  async #versionAt(parent: Folder, name: string): Promise<FileVersion | undefined> {
    const found = await this.find(parent, name)
    if (found === undefined) return undefined
    if (kindOf(found) !== 'file') throw systemError('ESTALE')
    const entry = this.#entries.get(this.pathOf(parent, name))
    if (entry?.kind === 'file') return versionOfEntry(entry)
    const file = await this.openFile(parent, name)
    return file.stat({ bigint: true }).finally(() => file.close())
  }

  async #changedMount(): Promise<Date> {
    const folder = await openRoot(this.#disk)
    return changedAt(this.#disk, folder).finally(() => folder.handle?.close())
  }

  #makeFolders(path: string): void {
    if (this.#isInMount(path)) return
    const above = dirname(path)
    if (above !== path) this.#makeFolders(above)
    if (!this.#entries.has(path)) this.#set(path, folderNow())
  }

  #set(path: string, entry: Entry): void {
    this.#charge(costOf(path, entry) - costOf(path, this.#entries.get(path)))
    this.#entries.set(path, entry)
    if (path === '/') return
    const above = dirname(path)
    const names = this.#names.get(above) ?? new Set()
    names.add(path.slice(path.lastIndexOf('/') + 1))
    this.#names.set(above, names)
  }

  #drop(path: string): void {
    for (const name of this.#names.get(path) ?? []) this.#drop(inside(path, name))
    this.#names.delete(path)
    this.#names.get(dirname(path))?.delete(path.slice(path.lastIndexOf('/') + 1))
    this.#bytes -= costOf(path, this.#entries.get(path))
    this.#entries.delete(path)
  }

  #charge(bytes: number): void {
    if (bytes > 0 && this.#bytes + bytes > this.#memoryBytes)
      throw systemError('ENOSPC', `the sandbox is full: ${this.#memoryBytes} bytes at most`)
    this.#bytes += bytes
  }
}

export function inside(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`
}

/** For the file tools, in whose words a full disk is none of a sandbox. */
function fullIsTold(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error
    throw problem(
      'The sandbox is full: all that is changed in it is kept in memory. Nothing was written. Remove files that are not needed.',
      error,
    )
  }
}

/** A folder in memory may have none of the disk below it. */
function unlessMissing(entry: Entry | undefined): (error: unknown) => undefined {
  return (error) => {
    if (entry === undefined || !['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) throw error
    return undefined
  }
}
