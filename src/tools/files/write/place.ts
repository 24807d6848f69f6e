import { fileSystemProblem, problem } from '../problem.ts'
import type { WalkRules } from '../resolve.ts'
import { notFound, shownPath, topFolder, walkPath } from '../resolve.ts'
import type { FileVersion, Folder, OpenFile } from '../root.ts'
import { closeFolders, memberPath } from '../root.ts'
import { checkWritable } from './names.ts'
import { NewFolders } from './new-folders.ts'
import type { Writer } from './writer.ts'

/** The file that is there. Its handle is for reading, and open as long as the place is. */
export interface FoundFile {
  readonly handle: OpenFile
  readonly stats: FileVersion
}

/** Where a write goes. */
export interface Place {
  /** As it was asked for. */
  readonly path: string
  /** The folder of the file, held open; where folders are missing and were only looked for, the deepest one that is there. */
  readonly folder: Folder
  readonly name: string
  /** Where the file lies below the root, links resolved. */
  readonly realPath: string
  readonly found: FoundFile | undefined
  /** Folders that were made, or would have to be: their paths below the root, outermost first. */
  readonly newFolders: readonly string[]
}

/** Folders that are missing are made (`make`), are an error as a missing file is (`find`), or are only named (`look`). */
export type Missing = 'make' | 'find' | 'look'

/**
 * Leads a path to the file that is to be written, as reading does, and lets nothing be written in `.git`. When this or what is done there fails, the
 * folders that were made for it are removed again.
 */
export async function withPlace<T>(
  writer: Writer,
  path: string,
  signal: AbortSignal,
  missing: Missing,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  if (path.endsWith('/') || (process.platform === 'win32' && path.endsWith('\\')))
    throw problem(`'${path.slice(0, 200)}' names a folder. Give the path of a file.`)
  const made = new NewFolders(writer, missing === 'make' ? 'make' : 'look')
  const { walker, end } = await walkPath(writer.root, path, signal, rulesFor(missing, made))
  const { asked, folders } = walker
  const handle = end.kind === 'file' ? end.handle : undefined
  try {
    if (end.kind === 'folder') throw problem(`'${shownPath(asked)}' is a folder, so it is not written. Give the path of a file.`)
    const folder = topFolder(walker)
    const name = made.fileName ?? end.name
    const realPath = memberPath({ realPath: made.deepest ?? folder.realPath }, name)
    const found = handle && { handle, stats: await handle.stat({ bigint: true }) }
    return await use({ path: asked, folder, name, realPath, found, newFolders: made.paths })
  } catch (error) {
    await made.remove(walker)
    signal.throwIfAborted()
    throw fileSystemProblem(error, asked, 'written')
  } finally {
    await handle?.close().catch(() => {})
    // What was done is done, whatever closing says.
    await closeFolders(folders).catch(() => {})
  }
}

function rulesFor(missing: Missing, made: NewFolders): WalkRules {
  return {
    done: 'written',
    allow: checkWritable,
    missing: async (walker, parent, name, cause) => {
      if (missing === 'find') throw await notFound(walker, parent, name, cause)
      return made.add(walker, parent, name, cause)
    },
    undo: (walker) => made.remove(walker),
  }
}
