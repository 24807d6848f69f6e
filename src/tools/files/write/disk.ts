import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { link, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises'
import { errorCode } from '../problem.ts'
import type { Folder } from '../root.ts'

/** Everything that changes a disk: the port at which tests let a disk be full, or a process die. */
export interface Disk {
  makeFolder(path: string): Promise<void>
  /** Only if it is empty. */
  removeFolder(path: string): Promise<void>
  /** A new file to be written. Rejects with `EEXIST` if the name is taken, by a link too. */
  create(path: string, mode: number): Promise<FileHandle>
  write(handle: FileHandle, bytes: Uint8Array): Promise<void>
  setOwner(handle: FileHandle, user: number, group: number): Promise<void>
  setMode(handle: FileHandle, mode: number): Promise<void>
  /** Until the bytes are on the disk. */
  sync(handle: FileHandle): Promise<void>
  /** Takes the place of what has the name `to`, all at once. */
  replace(from: string, to: string): Promise<void>
  /** A second name of a file. Rejects with `EEXIST` if the name is taken. */
  addName(from: string, to: string): Promise<void>
  removeFile(path: string): Promise<void>
  /** Until the names in the folder are on the disk, where the system can do that. */
  syncFolder(folder: Folder): Promise<void>
}

const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

export const realDisk: Disk = {
  makeFolder: (path) => mkdir(path),
  removeFolder: rmdir,
  create: (path, mode) => open(path, newFileFlags, mode),
  write: (handle, bytes) => handle.writeFile(bytes),
  setOwner: (handle, user, group) => handle.chown(user, group),
  setMode: (handle, mode) => handle.chmod(mode),
  sync: (handle) => handle.sync(),
  replace: rename,
  addName: link,
  removeFile: unlink,
  syncFolder: async ({ reach, handle }) => {
    if (handle !== undefined) return handle.sync()
    if (process.platform === 'win32') return
    const opened = await open(reach, constants.O_RDONLY)
    await opened.sync().finally(() => opened.close())
  },
}

/** Removes what need not be there. */
export async function removeIfThere(disk: Disk, path: string): Promise<'removed' | 'gone'> {
  try {
    await disk.removeFile(path)
    return 'removed'
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return 'gone'
  }
}
