import { dirname } from 'node:path/posix'
import { errorCode } from '../files/problem.ts'
import type { Folder, MemberStats } from '../files/root.ts'
import { kindOf } from '../files/root.ts'
import type { Entry } from './entries.ts'
import { folderNow } from './entries.ts'
import { systemError } from './errors.ts'
import type { Overlay } from './overlay.ts'
import { inside } from './overlay.ts'
import type { ShellStats, Spot } from './spots.ts'
import { existing, free, pathAt, statsAt, withFolder, withSpot } from './spots.ts'

/** What a shell may do at once. */
export interface ShellFilesLimits {
  /** Bytes of a file that it reads or writes. */
  readonly shellFileBytes: number
  /** Members of a folder that it lists. */
  readonly visited: number
  /** Levels of folders that are copied or removed at once. */
  readonly depth: number
}

/** The files of a sandbox as a shell uses them: by whole paths, links followed, with the errors of a system. */
export class ShellFiles {
  readonly #overlay: Overlay
  readonly #limits: ShellFilesLimits
  readonly #signal: AbortSignal

  constructor(overlay: Overlay, limits: ShellFilesLimits, signal: AbortSignal) {
    this.#overlay = overlay
    this.#limits = limits
    this.#signal = signal
  }

  readFile(path: string): Promise<Uint8Array> {
    return this.#at(path, 'follow', async (spot) => {
      const { parent, name, stats } = existing(spot)
      return this.#read(parent, name, stats)
    })
  }

  writeFile(path: string, bytes: Uint8Array): Promise<void> {
    return this.#toFile(path, async (spot) => this.#write(spot, bytes))
  }

  appendFile(path: string, bytes: Uint8Array): Promise<void> {
    return this.#toFile(path, async (spot) => {
      const before =
        spot.kind === 'member' && spot.stats?.isFile() === true ? await this.#read(spot.parent, spot.name, spot.stats) : undefined
      this.#write(spot, before === undefined ? bytes : Buffer.concat([before, bytes]))
    })
  }

  async exists(path: string): Promise<boolean> {
    try {
      return await this.#at(path, 'follow', async (spot) => spot.kind === 'self' || spot.stats !== undefined)
    } catch {
      return false
    }
  }

  stat(path: string): Promise<ShellStats> {
    return this.#at(path, 'follow', (spot) => statsAt(this.#overlay, spot))
  }

  lstat(path: string): Promise<ShellStats> {
    return this.#at(path, 'keep', (spot) => statsAt(this.#overlay, spot))
  }

  async mkdir(path: string, how: 'one' | 'all'): Promise<void> {
    if (how === 'all') {
      const steps = path.split('/')
      for (let length = 2; length < steps.length; length++) await this.#makeFolder(steps.slice(0, length).join('/'), 'may be there')
    }
    await this.#makeFolder(path, how === 'all' ? 'may be there' : 'new')
  }

  readdir(path: string): Promise<{ name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean }[]> {
    return this.#withFolder(path, async (folder) => {
      const entries = await this.#members(folder)
      return entries.map(({ name, kind }) => ({
        name,
        isFile: kind === 'file',
        isDirectory: kind === 'folder',
        isSymbolicLink: kind === 'link',
      }))
    })
  }

  rm(path: string, what: 'empty' | 'all'): Promise<void> {
    return this.#at(path, 'keep', async (spot) => {
      const { parent, name, stats } = existing(spot)
      if (stats.isDirectory() && what === 'empty') return this.#overlay.removeFolder(parent, name)
      this.#overlay.remove(parent, name)
    })
  }

  cp(from: string, to: string, what: 'file' | 'all'): Promise<void> {
    return this.#at(from, what === 'all' ? 'keep' : 'follow', async (source) => {
      if (source.kind === 'self' || source.stats?.isDirectory() === true) {
        if (what === 'file') throw systemError('EISDIR')
        await this.#checkOutside(source, to)
      }
      await this.#copy(source, to, 'follow', 0)
    })
  }

  mv(from: string, to: string): Promise<void> {
    return this.#at(from, 'keep', async (source) => {
      const { parent, name, stats } = existing(source)
      if (stats.isDirectory()) await this.#checkOutside(source, to)
      const isDone = await this.#at(to, 'keep', async (target) => {
        if (target.kind === 'self') throw systemError('EBUSY')
        const there = target.stats
        if (this.#overlay.pathOf(target.parent, target.name) === this.#overlay.pathOf(parent, name)) return true
        if (there?.isDirectory() === true && !stats.isDirectory()) throw systemError('EISDIR')
        if (there !== undefined && !there.isDirectory() && stats.isDirectory()) throw systemError('ENOTDIR')
        if (there?.isDirectory() === true) await this.#overlay.removeFolder(target.parent, target.name)
        return false
      })
      if (isDone) return
      await this.#copy(source, to, 'keep', 0)
      this.#overlay.remove(parent, name)
    })
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#change(path, (entry) => (entry.kind === 'link' ? entry : { ...entry, mode: mode & 0o7777 }))
  }

  utimes(path: string, mtime: Date): Promise<void> {
    return this.#change(path, (entry) => ({ ...entry, mtime }))
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#at(path, 'keep', async (spot) => {
      const { parent, name } = free(spot)
      this.#overlay.place(parent, name, { kind: 'link', target, mtime: new Date() })
    })
  }

  /** A second name is a copy: what is written to the one is not seen by the other. */
  link(from: string, to: string): Promise<void> {
    return this.#at(from, 'follow', async (source) => {
      const { parent, name, stats } = existing(source)
      const bytes = await this.#read(parent, name, stats)
      await this.#at(to, 'keep', async (spot) => {
        const target = free(spot)
        this.#overlay.place(target.parent, target.name, this.#overlay.newFile(bytes, stats.mode & 0o7777))
      })
    })
  }

  readlink(path: string): Promise<string> {
    return this.#at(path, 'keep', async (spot) => {
      const { parent, name, stats } = existing(spot)
      if (!stats.isSymbolicLink()) throw systemError('EINVAL')
      return this.#overlay.linkTarget(parent, name)
    })
  }

  realpath(path: string): Promise<string> {
    return this.#at(path, 'follow', async (spot) => {
      if (spot.kind === 'self') return this.#overlay.placeOf(spot.folder)
      const { parent, name } = existing(spot)
      return this.#overlay.pathOf(parent, name)
    })
  }

  /** Folders on the way are made: the shell counts on it, as its own file systems do so, and gives up the whole command line where they don't. */
  async #toFile(path: string, use: (spot: Spot) => Promise<void>): Promise<void> {
    try {
      await this.#at(path, 'follow', use)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      await this.mkdir(dirname(path), 'all')
      await this.#at(path, 'follow', use)
    }
  }

  async #at<T>(path: string, last: 'follow' | 'keep', use: (spot: Spot) => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted()
    return withSpot(this.#overlay, path, last, use)
  }

  async #members(folder: Folder) {
    const { entries, complete } = await this.#overlay.readFolder(folder, this.#limits.visited, this.#signal)
    if (!complete) throw systemError('EFBIG', `a folder has more than ${this.#limits.visited} members`)
    return entries
  }

  async #read(parent: Folder, name: string, stats: MemberStats): Promise<Buffer> {
    if (stats.isDirectory()) throw systemError('EISDIR')
    if (!stats.isFile()) throw systemError('EINVAL')
    const file = await this.#overlay.openFile(parent, name)
    try {
      const most = this.#limits.shellFileBytes
      const { size } = await file.stat()
      if (size > most) throw this.#tooLarge()
      const buffer = Buffer.alloc(size)
      let length = 0
      while (length < size) {
        const { bytesRead } = await file.read(buffer, length, size - length, length)
        if (bytesRead === 0) break
        length += bytesRead
      }
      return buffer.subarray(0, length)
    } finally {
      await file.close()
    }
  }

  #write(spot: Spot, bytes: Uint8Array): void {
    if (spot.kind === 'self') throw systemError('EISDIR')
    const { parent, name, stats } = spot
    if (stats?.isDirectory() === true) throw systemError('EISDIR')
    if (stats !== undefined && !stats.isFile()) throw systemError('EINVAL')
    if (this.#overlay.pathOf(parent, name) === '/dev/null') return
    if (bytes.length > this.#limits.shellFileBytes) throw this.#tooLarge()
    this.#signal.throwIfAborted()
    this.#overlay.place(parent, name, this.#overlay.newFile(Buffer.from(bytes), (stats?.mode ?? 0o644) & 0o7777))
  }

  #tooLarge(): Error {
    return systemError('EFBIG', `file too large: the shell of the sandbox takes files of ${this.#limits.shellFileBytes} bytes at most`)
  }

  #makeFolder(path: string, which: 'new' | 'may be there'): Promise<void> {
    return this.#at(path, which === 'new' ? 'keep' : 'follow', async (spot) => {
      const isFolder = spot.kind === 'self' || spot.stats?.isDirectory() === true
      if (isFolder && which === 'may be there') return
      const { parent, name } = free(spot)
      this.#overlay.place(parent, name, folderNow())
    })
  }

  #withFolder<T>(path: string, use: (folder: Folder) => Promise<T>): Promise<T> {
    return this.#at(path, 'follow', (spot) => withFolder(this.#overlay, spot, use))
  }

  /** A folder can't be copied or moved into itself. */
  async #checkOutside(source: Spot, to: string): Promise<void> {
    const from = pathAt(this.#overlay, source)
    await this.#at(to, 'keep', async (target) => {
      const path = pathAt(this.#overlay, target)
      if (path.startsWith(inside(from, ''))) throw systemError('EINVAL', 'a folder into itself')
    })
  }

  async #copy(source: Spot, to: string, last: 'follow' | 'keep', depth: number): Promise<void> {
    this.#signal.throwIfAborted()
    if (depth > this.#limits.depth) throw systemError('ELOOP', `folders are more than ${this.#limits.depth} deep`)
    const stats = source.kind === 'self' ? undefined : existing(source).stats
    if (source.kind === 'self' || stats?.isDirectory() === true) {
      await this.#makeFolder(to, 'may be there')
      await withFolder(this.#overlay, source, async (folder) => {
        for (const { name } of await this.#members(folder)) {
          const member: Spot = { kind: 'member', parent: folder, name, stats: await this.#overlay.find(folder, name) }
          await this.#copy(member, inside(to, name), last, depth + 1)
        }
      })
      return
    }
    const { parent, name } = existing(source)
    if (stats?.isSymbolicLink() === true) {
      const target = await this.#overlay.linkTarget(parent, name)
      await this.#at(to, 'keep', async (spot) => this.#putCopy(spot, { kind: 'link', target, mtime: new Date() }))
    } else if (stats !== undefined) {
      const bytes = await this.#read(parent, name, stats)
      await this.#at(to, last, async (spot) => this.#putCopy(spot, this.#overlay.newFile(bytes, stats.mode & 0o7777)))
    }
  }

  #putCopy(spot: Spot, entry: Entry): void {
    if (spot.kind === 'self' || spot.stats?.isDirectory() === true) throw systemError('EISDIR')
    if (this.#overlay.pathOf(spot.parent, spot.name) !== '/dev/null') this.#overlay.place(spot.parent, spot.name, entry)
  }

  /** Of a file of the disk a copy is made. */
  #change(path: string, how: (entry: Entry) => Entry): Promise<void> {
    return this.#at(path, 'follow', async (spot) => {
      if (spot.kind === 'self') return
      const { parent, name, stats } = existing(spot)
      const path = this.#overlay.pathOf(parent, name)
      if (path === this.#overlay.mount || path === '/dev/null') return
      const kind = kindOf(stats)
      const { mode, mtime } = stats
      if (kind === 'folder') return this.#overlay.place(parent, name, how({ kind: 'folder', mode: mode & 0o7777, mtime }))
      const bytes = await this.#read(parent, name, stats)
      this.#overlay.place(parent, name, how({ ...this.#overlay.newFile(bytes, mode & 0o7777), mtime }))
    })
  }
}
