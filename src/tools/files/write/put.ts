import type { FileHandle } from 'node:fs/promises'
import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, escapes, fileSystemProblem, problem } from '../problem.ts'
import type { FileVersion, Layer } from '../root.ts'
import { identityOf, verifyInside } from '../root.ts'
import type { Disk } from './disk.ts'
import { removeIfThere } from './disk.ts'
import type { Place } from './place.ts'
import type { Plan } from './plan.ts'
import { changedMeanwhile, readWhole } from './plan.ts'
import { temporaryName } from './temporary.ts'
import type { Writer, Writing } from './writer.ts'

type PutKind = 'replace' | 'exclusive'

/**
 * Makes a file what the plan says, all at once: a temporary file beside it is written, brought to the disk, and given the name. Whenever this
 * fails, is aborted or the process dies, the file is as it was or as it shall be. Extended attributes and access lists are not taken over.
 *
 * What remains: somebody else's change in the instant between the last look and the rename is lost. No system that Node runs on can compare and
 * rename in one step.
 */
export async function put(writer: Writer, place: Place, plan: Plan, kind: PutKind, writing: Writing): Promise<void> {
  const { disk, root } = writer
  const { folder, name, path } = place
  if (root.layer !== undefined) return putInLayer(root.layer, place, plan, kind, writing.signal)
  const temporary = join(folder.reach, temporaryName(writing))
  const target = join(folder.reach, name)
  const stats = plan.before?.file.stats
  writing.signal.throwIfAborted()
  const handle = await disk.create(temporary, stats === undefined ? 0o666 : 0o600)
  try {
    await fill(disk, handle, plan, stats)
      .then(() => checkInside(writer, place, temporary, handle))
      .finally(() => handle.close())
    await checkUnchanged(writer, place, plan, target)
    // Windows replaces no file that is open.
    await plan.before?.file.handle.close()
    // The last moment at which an abort, or a lease that is lost, can keep the file as it was.
    writing.signal.throwIfAborted()
    if (kind === 'replace') await disk.replace(temporary, target)
    else await addName(disk, temporary, target, path)
  } catch (error) {
    await removeIfThere(disk, temporary).catch(() => {})
    throw fileSystemProblem(error, path, 'written')
  }
  // It is done: what fails from here on must not be told as a failure.
  if (kind === 'exclusive') await removeIfThere(disk, temporary).catch(() => {})
  await disk.syncFolder(folder).catch(() => {})
}

async function putInLayer(layer: Layer, { folder, name, path }: Place, plan: Plan, kind: PutKind, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  try {
    await layer.put(folder, name, plan.bytes, plan.before?.file.stats)
  } catch (error) {
    if (errorCode(error) !== 'ESTALE') throw error
    throw kind === 'exclusive' ? madeMeanwhile(path, error) : changedMeanwhile(path)
  }
}

/** `link` and not `rename`: it never takes the place of a file. */
async function addName(disk: Disk, temporary: string, target: string, path: string): Promise<void> {
  try {
    await disk.addName(temporary, target)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw madeMeanwhile(path, error)
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error)))
      throw problem(`'${path}' lies on a file system that can't do 'exclusive'. Nothing was written. Leave it out.`, error)
    throw error
  }
}

function madeMeanwhile(path: string, cause: unknown): Error {
  return problem(`'${path}' was made by somebody else meanwhile, and 'exclusive' was asked for. Nothing was written.`, cause)
}

async function fill(disk: Disk, handle: FileHandle, { bytes }: Plan, before: FileVersion | undefined): Promise<void> {
  await disk.write(handle, bytes)
  if (before !== undefined && process.platform !== 'win32') {
    const own = await handle.stat({ bigint: true })
    const isSameOwner = own.uid === before.uid && own.gid === before.gid
    const isOwnerKept =
      isSameOwner ||
      (await disk.setOwner(handle, Number(before.uid), Number(before.gid)).then(
        () => true,
        () => false,
      ))
    // Bits that lend an owner's rights go only to a file of that owner.
    await disk.setMode(handle, Number(before.mode) & (isOwnerKept ? 0o7777 : 0o777))
  }
  await disk.sync(handle)
}

/** Whether the folder, which is held open, still lies in the root: it may have been moved away. */
async function checkInside({ root }: Writer, { folder, realPath, path }: Place, temporary: string, handle: FileHandle): Promise<void> {
  if (root.access === 'paths') return verifyInside(root, temporary, realPath, identityOf(await handle.stat({ bigint: true })))
  const now = await readlink(folder.reach)
  if (now !== root.realPath && !now.startsWith(root.realPath === '/' ? '/' : `${root.realPath}/`)) throw escapes(path)
}

/** Whether the file is still the one that was looked at, byte for byte: clocks of file systems are too coarse to tell. */
async function checkUnchanged({ limits }: Writer, { path }: Place, { before }: Plan, target: string): Promise<void> {
  const now = await lstat(target, { bigint: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (before === undefined) {
    if (now !== undefined) throw changedMeanwhile(path)
    return
  }
  const { file, bytes } = before
  const isSame = now?.isFile() && versionOf(now) === versionOf(file.stats)
  if (!isSame || (bytes !== undefined && !(await readWhole(file, limits.fileBytes)).equals(bytes))) throw changedMeanwhile(path)
}

function versionOf(stats: FileVersion): string {
  return [identityOf(stats), stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
}
