import type { Folder, MemberStats } from '../files/root.ts'
import { closeFolders } from '../files/root.ts'
import { systemError } from './errors.ts'
import type { Overlay } from './overlay.ts'

/** As Linux counts them (path_resolution(7)). */
const mostLinks = 40
const longestPath = 4_096
const longestName = 255

/** What a path led to: a folder as such (`/`, or what ends with `..`), or a name in a folder, where something is or is not. */
export type Spot =
  | { readonly kind: 'self'; readonly folder: Folder }
  | { readonly kind: 'member'; readonly parent: Folder; readonly name: string; readonly stats: MemberStats | undefined }

/**
 * Leads a path from `/` to its end as a system does, links resolved in this file system, and holds it open while it is used. `last` says what is done
 * with a link at the end. Rejects with `ENOENT`, `ENOTDIR` or `ELOOP` for a path that leads nowhere.
 */
export async function withSpot<T>(overlay: Overlay, path: string, last: 'follow' | 'keep', use: (spot: Spot) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) > longestPath) throw systemError('ENAMETOOLONG')
  if (!path.startsWith('/') || path.includes('\0')) throw systemError('EINVAL')
  const folders: Folder[] = [overlay.openTop()]
  try {
    return await use(await lead(overlay, folders, path, last))
  } finally {
    await closeFolders(folders)
  }
}

async function lead(overlay: Overlay, folders: Folder[], path: string, last: 'follow' | 'keep'): Promise<Spot> {
  const pending = path.split('/')
  let links = 0
  for (;;) {
    const parent = folders.at(-1) ?? overlay.openTop()
    const name = pending.shift()
    if (name === undefined) return { kind: 'self', folder: parent }
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (folders.length > 1) await closeFolders(folders.splice(-1))
      continue
    }
    if (Buffer.byteLength(name) > longestName) throw systemError('ENAMETOOLONG')
    const stats = await overlay.find(parent, name)
    const isLast = pending.every((one) => one === '' || one === '.')
    if (stats?.isSymbolicLink() === true && (!isLast || last === 'follow')) {
      if (++links > mostLinks) throw systemError('ELOOP')
      const target = await overlay.linkTarget(parent, name)
      if (target.startsWith('/')) await closeFolders(folders.splice(1))
      pending.unshift(...target.split('/'))
      continue
    }
    if (isLast) return { kind: 'member', parent, name, stats }
    if (stats === undefined) throw systemError('ENOENT')
    if (!stats.isDirectory()) throw systemError('ENOTDIR')
    folders.push(await overlay.openFolder(parent, name))
  }
}

/** Where a spot lies, links resolved. */
export function pathAt(overlay: Overlay, spot: Spot): string {
  return spot.kind === 'self' ? overlay.placeOf(spot.folder) : overlay.pathOf(spot.parent, spot.name)
}

/** What is at the end of a path, which must be something with a name. */
export function existing(spot: Spot): { parent: Folder; name: string; stats: MemberStats } {
  if (spot.kind === 'self') throw systemError('EBUSY')
  const { parent, name, stats } = spot
  if (stats === undefined) throw systemError('ENOENT')
  return { parent, name, stats }
}

/** A name at the end of a path at which nothing is yet. */
export function free(spot: Spot): { parent: Folder; name: string } {
  if (spot.kind === 'self' || spot.stats !== undefined) throw systemError('EEXIST')
  return spot
}

/** What is told of a file. */
export interface ShellStats {
  readonly isFile: boolean
  readonly isDirectory: boolean
  readonly isSymbolicLink: boolean
  readonly mode: number
  readonly size: number
  readonly mtime: Date
}

export async function statsAt(overlay: Overlay, spot: Spot): Promise<ShellStats> {
  if (spot.kind === 'self') {
    const mtime = await overlay.changedAt(spot.folder)
    return { isFile: false, isDirectory: true, isSymbolicLink: false, mode: 0o755, size: 0, mtime }
  }
  const { stats } = existing(spot)
  const { size, mtime } = stats
  const mode = stats.mode & 0o7777
  return { isFile: stats.isFile(), isDirectory: stats.isDirectory(), isSymbolicLink: stats.isSymbolicLink(), mode, size, mtime }
}

/** Opens the folder at the end of a path while it is used. */
export async function withFolder<T>(overlay: Overlay, spot: Spot, use: (folder: Folder) => Promise<T>): Promise<T> {
  if (spot.kind === 'self') return use(spot.folder)
  const { parent, name, stats } = existing(spot)
  if (!stats.isDirectory()) throw systemError('ENOTDIR')
  const folder = await overlay.openFolder(parent, name)
  try {
    return await use(folder)
  } finally {
    await folder.handle?.close()
  }
}
