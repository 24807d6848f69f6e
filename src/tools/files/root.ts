import type { BigIntStats, Stats } from 'node:fs'
import { constants, existsSync, realpathSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { lstat, open, opendir, readlink, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { RondoError } from '../../core/error.ts'
import { escapes, fileSystemProblem, problem } from './problem.ts'

/**
 * How files are reached.
 *
 * `handles` (Linux): every folder is held open and its members are opened through `/proc/self/fd/<folder>/<name>` with `O_NOFOLLOW`,
 * so no path is ever looked up twice and a folder that is swapped for a link meanwhile changes nothing.
 *
 * `paths` (elsewhere): members are opened by path; then the real path of what was opened must lie in the root and be the same file
 * (device and inode). A link that is swapped in and out again several times between those checks could go unnoticed.
 */
export type Access = 'handles' | 'paths'

/** The folder that nothing may lead out of. Its real path and identity are taken once, when the tools are made. */
export interface Root {
  readonly realPath: string
  readonly givenPath: string
  readonly identity: string
  readonly access: Access
  /** What lies over the disk, and is asked in its place. */
  readonly layer?: Layer
}

/** Files that are reached in another way than by the system; those that read are as the functions of their names here. */
export interface Layer {
  /** What the model is told about what it writes there: a sentence with a space before it. */
  readonly note: string
  openRoot(): Promise<Folder>
  openFolder(parent: Folder, name: string): Promise<Folder>
  openFile(parent: Folder, name: string): Promise<OpenFile>
  readFolder(folder: Folder, most: number, signal: AbortSignal): Promise<FolderContent>
  statsOf(parent: Folder, name: string): Promise<MemberStats>
  linkTarget(parent: Folder, name: string): Promise<string>
  changedAt(folder: Folder): Promise<Date>
  /** Rejects with `EEXIST` if the name is taken. */
  makeFolder(parent: Folder, name: string): Promise<void>
  /** Only if it is empty. */
  removeFolder(parent: Folder, name: string): Promise<void>
  /** Makes a file what it shall be, all at once. Rejects with `ESTALE` if what has the name is not the file that was seen (`undefined`: none). */
  put(parent: Folder, name: string, bytes: Buffer, seen: FileVersion | undefined): Promise<void>
}

/** An open folder. `reach` is the path by which the system finds it; `realPath` where it lies below the root (`''` is the root). */
export interface Folder {
  readonly reach: string
  readonly realPath: string
  readonly handle: FileHandle | undefined
}

/** What is read of an open file: of the system's handle, or of something like it. */
export interface OpenFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
  stat(): Promise<Pick<Stats, 'size' | 'mtime'>>
  stat(options: { readonly bigint: true }): Promise<FileVersion>
  close(): Promise<void>
}

/** Which file it is, and what would be otherwise if it had been changed. */
export type FileVersion = Pick<BigIntStats, 'dev' | 'ino' | 'mode' | 'nlink' | 'uid' | 'gid' | 'size' | 'mtimeNs' | 'ctimeNs'>

export type MemberStats = Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'size' | 'mtime' | 'mode'>

export interface FolderContent {
  readonly entries: FolderEntry[]
  readonly complete: boolean
}

export type EntryKind = 'file' | 'folder' | 'link' | 'other'

export interface FolderEntry {
  readonly name: string
  readonly kind: EntryKind
}

export function makeRoot(
  path: string,
  access: Access = process.platform === 'linux' && existsSync('/proc/self/fd') ? 'handles' : 'paths',
  owner = 'readTools()',
): Root {
  if (typeof path !== 'string' || path === '' || path.includes('\0'))
    throw new RondoError('ConfigInvalid', `${owner}: root must be the path of a folder, not ${JSON.stringify(path)}`)
  try {
    const realPath = realpathSync(path)
    const stats = statSync(realPath, { bigint: true })
    if (stats.isDirectory()) return { realPath, givenPath: resolve(path), identity: identityOf(stats), access }
  } catch (cause) {
    throw new RondoError('ConfigInvalid', `${owner}: root '${path}' can't be opened`, { cause })
  }
  throw new RondoError('ConfigInvalid', `${owner}: root '${path}' is no folder`)
}

export function identityOf(stats: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${stats.dev}:${stats.ino}`
}

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
/** `O_NONBLOCK`: a FIFO that takes a file's place must not hang the call. */
const fileFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opens the root itself. Fails if another folder took its place since the tools were made. */
export async function openRoot(root: Root): Promise<Folder> {
  if (root.layer !== undefined) return root.layer.openRoot()
  const replaced = () => problem('The root folder was replaced or removed since the tools were made, so nothing in it can be reached.')
  if (root.access === 'paths') {
    const stats = await lstat(root.realPath, { bigint: true }).catch(() => undefined)
    if (stats === undefined || identityOf(stats) !== root.identity) throw replaced()
    return { reach: root.realPath, realPath: '', handle: undefined }
  }
  const handle = await open(root.realPath, folderFlags).catch(() => undefined)
  if (handle === undefined) throw replaced()
  if (identityOf(await statOrClose(handle)) === root.identity) return { reach: `/proc/self/fd/${handle.fd}`, realPath: '', handle }
  await handle.close()
  throw replaced()
}

/** Opens a folder in a folder. Rejects with the system's error, `ELOOP` or `ENOTDIR` if it is a link. */
export async function openFolder(root: Root, parent: Folder, name: string): Promise<Folder> {
  if (root.layer !== undefined) return root.layer.openFolder(parent, name)
  const realPath = memberPath(parent, name)
  const reach = join(parent.reach, name)
  if (root.access === 'paths') {
    await verifyInside(root, reach, realPath)
    return { reach, realPath, handle: undefined }
  }
  const handle = await open(reach, folderFlags)
  return { reach: `/proc/self/fd/${handle.fd}`, realPath, handle }
}

/** Opens a regular file in a folder; anything else is refused, and was not waited for. */
export async function openFile(root: Root, parent: Folder, name: string): Promise<OpenFile> {
  if (root.layer !== undefined) return root.layer.openFile(parent, name)
  const realPath = memberPath(parent, name)
  const reach = join(parent.reach, name)
  const handle = await open(reach, fileFlags)
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) throw problem(`'${realPath}' is no regular file, so it is not read.`)
    if (root.access === 'paths') await verifyInside(root, reach, realPath, identityOf(stats))
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** What a member of a folder is; of a link, the link itself. */
export async function statsOf(root: Root, parent: Folder, name: string): Promise<MemberStats> {
  return root.layer === undefined ? lstat(join(parent.reach, name)) : root.layer.statsOf(parent, name)
}

export async function linkTarget(root: Root, parent: Folder, name: string): Promise<string> {
  return root.layer === undefined ? readlink(join(parent.reach, name)) : root.layer.linkTarget(parent, name)
}

/** When an open folder was changed. */
export async function changedAt(root: Root, folder: Folder): Promise<Date> {
  return root.layer === undefined ? (await stat(folder.reach)).mtime : root.layer.changedAt(folder)
}

/** The members of an open folder, at most `most`, sorted by path. */
export async function readFolder(root: Root, folder: Folder, most: number, signal: AbortSignal): Promise<FolderContent> {
  if (root.layer !== undefined) return root.layer.readFolder(folder, most, signal)
  const entries: FolderEntry[] = []
  let complete = true
  for await (const entry of await opendir(folder.reach, { bufferSize: 256 })) {
    signal.throwIfAborted()
    if (entries.length >= most) {
      complete = false
      break
    }
    const known = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket()
    entries.push({ name: entry.name, kind: known ? kindOf(entry) : await memberKind(folder, entry.name) })
  }
  if (root.access === 'paths') await verifyInside(root, folder.reach, folder.realPath)
  return { entries: byPath(entries), complete }
}

/** A folder sorts as if its name ended with `/`. */
export function byPath(entries: readonly FolderEntry[]): FolderEntry[] {
  const keyed = entries.map((entry) => ({ entry, key: entry.kind === 'folder' ? `${entry.name}/` : entry.name }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return keyed.map(({ entry }) => entry)
}

/** Some file systems leave the kind of an entry open. */
async function memberKind(folder: Folder, name: string): Promise<EntryKind> {
  return await lstat(join(folder.reach, name)).then(kindOf, () => 'other' as const)
}

export function kindOf(stats: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntryKind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

/** Where a member of a folder lies below the root. */
export function memberPath(parent: Pick<Folder, 'realPath'>, name: string): string {
  return parent.realPath === '' ? name : `${parent.realPath}/${name}`
}

export async function closeFolders(folders: readonly Folder[]): Promise<void> {
  for (const { handle } of folders) await handle?.close()
}

/** A link's absolute target as a path below the root; `undefined` if it points elsewhere. */
export function belowRoot(root: Root, absolutePath: string): string | undefined {
  for (const base of [root.realPath, root.givenPath]) {
    const below = relative(base, absolutePath)
    if (below === '' || !(below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below))) return below.split(sep).join('/')
  }
  return undefined
}

async function statOrClose(handle: FileHandle) {
  try {
    return await handle.stat({ bigint: true })
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** For `paths`: what lies at this path now must lie in the root for real, and be what was opened. */
export async function verifyInside(root: Root, path: string, shownPath: string, identity?: string): Promise<void> {
  const real = await realpath(path)
  if (belowRoot({ ...root, givenPath: root.realPath }, real) === undefined) throw escapes(shownPath)
  if (identity === undefined) return
  const stats = await lstat(real, { bigint: true })
  const again = await realpath(path)
  if (identityOf(stats) !== identity || again !== real) throw fileSystemProblem({ code: 'ESTALE' }, shownPath)
}
