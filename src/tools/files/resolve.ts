import { isAbsolute } from 'node:path'
import { errorCode, escapes, fileSystemProblem, problem, similarNames } from './problem.ts'
import type { EntryKind, Folder, OpenFile, Root } from './root.ts'
import { belowRoot, closeFolders, kindOf, linkTarget, memberPath, openFile, openFolder, openRoot, readFolder, statsOf } from './root.ts'

/** Lengths that every common file system has (bytes). */
const longestPath = 4_096
/** As Linux counts them (path_resolution(7)). */
const mostLinks = 40
/** Each is held open; a process has only so many open files (1,024 as a rule). */
const mostFolders = 256
/** How often a step is tried again when something is swapped under it. */
const mostTries = 3
/** Names that are looked at for "did you mean". */
const namesCompared = 5_000

/** What a path led to, held open until `close`. `path` is the path as it was asked for. */
export type Opened = {
  readonly path: string
  /** The folders from the root to the one that holds the file, or to the folder itself. */
  readonly folders: readonly Folder[]
  readonly folder: Folder
  close(): Promise<void>
} & ({ readonly kind: 'folder' } | { readonly kind: 'file'; readonly handle: OpenFile })

/** What stands at the end of a path. `missing`: `name` is not there. */
export type End =
  | { readonly kind: 'folder' }
  | { readonly kind: 'file'; readonly name: string; readonly handle: OpenFile }
  | { readonly kind: 'missing'; readonly name: string }

/** Where a walk differs between those who read and those who write. */
export interface WalkRules {
  /** What is done to files at the end: for messages. */
  readonly done: 'read' | 'written'
  /** Asked about each name before it is looked at, those in links too. Throws for one that is not to be entered. */
  allow?(name: string): void
  /** `name` is not there. Throws, makes it a folder (`made`), or ends the path there. */
  missing(walker: Walker, parent: Folder, name: string, cause: unknown): Promise<'made' | 'end'>
  /** The walk has failed: called before the folders are closed. */
  undo?(walker: Walker): Promise<void>
}

export interface Walker {
  readonly root: Root
  readonly rules: WalkRules
  readonly asked: string
  readonly folders: Folder[]
  readonly pending: string[]
  links: number
  tries: number
}

/** Brings a path that a model wrote to `a/b` (`''` is the root). Throws for what can't be a path below the root. */
function cleanPath(root: Root, path: string): string {
  const shown = shownPart(path)
  if (path.includes('\0')) throw problem('The path holds a NUL character, which no file name can. Leave it out.')
  if (/\p{Surrogate}/u.test(path)) throw problem('The path holds half of a surrogate pair, which is no text. Write the name again.')
  if (Buffer.byteLength(path) > longestPath) throw problem(`The path '${shown}' is longer than ${longestPath} bytes, the limit.`)
  let inside = path
  if (isAbsolute(path)) {
    const below = belowRoot(root, path)
    if (below === undefined) throw escapes(shown)
    inside = below
  }
  const steps = (process.platform === 'win32' ? inside.replaceAll('\\', '/') : inside)
    .split('/')
    .filter((step) => step !== '' && step !== '.')
  if (steps.includes('..') || (isAbsolute(path) && path.split('/').includes('..')))
    throw problem(`'${shown}' holds '..', which is not allowed. Write the path from the root folder.`)
  return steps.join('/')
}

/**
 * Opens what a path leads to, step by step from the root. Links are followed as long as they stay in the root; one that leads out is an
 * error, wherever it stands and whatever it is swapped for meanwhile.
 */
export async function walkPath(root: Root, path: string, signal: AbortSignal, rules: WalkRules): Promise<{ walker: Walker; end: End }> {
  const asked = cleanPath(root, path)
  const walker: Walker = { root, rules, asked, folders: [], pending: asked === '' ? [] : asked.split('/'), links: 0, tries: 0 }
  try {
    walker.folders.push(await openRoot(root))
    for (;;) {
      signal.throwIfAborted()
      const end = await step(walker)
      if (end !== 'on') return { walker, end }
    }
  } catch (error) {
    await rules.undo?.(walker)
    await closeFolders(walker.folders)
    signal.throwIfAborted()
    throw fileSystemProblem(error, asked, rules.done)
  }
}

const reading: WalkRules = {
  done: 'read',
  missing: async (walker, parent, name, cause) => {
    throw await notFound(walker, parent, name, cause)
  },
}

/** Opens a path, uses what it leads to, and closes it in every exit. Errors of the file system get words without absolute paths. */
export async function withPath<T>(root: Root, path: string, signal: AbortSignal, use: (opened: Opened) => Promise<T>): Promise<T> {
  const { walker, end } = await walkPath(root, path, signal, reading)
  const opened = openedAt(walker, end)
  try {
    return await use(opened)
  } catch (error) {
    signal.throwIfAborted()
    throw fileSystemProblem(error, opened.path)
  } finally {
    await opened.close()
  }
}

function shownPart(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path
}

/** How a path is shown: the root is `.`. */
export function shownPath(path: string): string {
  return path === '' ? '.' : path
}

function openedAt(walker: Walker, end: End): Opened {
  const { folders, asked: path } = walker
  const folder = topFolder(walker)
  if (end.kind !== 'file') return { kind: 'folder', path, folders, folder, close: () => closeFolders(folders) }
  const { handle } = end
  const close = async () => {
    try {
      await handle.close()
    } finally {
      await closeFolders(folders)
    }
  }
  return { kind: 'file', path, folders, folder, handle, close }
}

/** One step of the path: gives what stands at its end, `on` while there is more. */
async function step(walker: Walker): Promise<End | 'on'> {
  const name = walker.pending.shift()
  if (name === undefined) return { kind: 'folder' }
  if (name === '' || name === '.') return 'on'
  if (name === '..') {
    // Only links bring it here. The stack, not the system, says what is above: the system could lead out of the root.
    const left = walker.folders.length > 1 ? walker.folders.pop() : undefined
    if (left === undefined) throw escapes(walker.asked)
    await closeFolders([left])
    return 'on'
  }
  walker.rules.allow?.(name)
  const parent = topFolder(walker)
  const kind = await kindAt(walker.root, parent, name)
  try {
    switch (kind) {
      case 'folder':
        if (walker.folders.length > mostFolders)
          throw problem(`'${shownPart(walker.asked)}' lies deeper than ${mostFolders} folders, the limit. Use a path with fewer.`)
        walker.folders.push(await openFolder(walker.root, parent, name))
        return 'on'
      case 'link':
        await followLink(walker, parent, name)
        return 'on'
      case 'file':
        if (namesAhead(walker).length > 0) throw problem(`'${memberPath(parent, name)}' is a file, not a folder.`)
        return { kind: 'file', name, handle: await openFile(walker.root, parent, name) }
      case 'other':
        throw problem(`'${memberPath(parent, name)}' is a FIFO, socket or device, so it is not ${walker.rules.done}.`)
    }
    if ((await walker.rules.missing(walker, parent, name, kind.missing)) === 'end') return { kind: 'missing', name }
    walker.pending.unshift(name)
    return 'on'
  } catch (error) {
    // It was swapped between the look and the opening: look again.
    if (!['ELOOP', 'ENOTDIR', 'EINVAL', 'ENXIO'].includes(errorCode(error)) || ++walker.tries > mostTries) throw error
    walker.pending.unshift(name)
    return 'on'
  }
}

/** The steps that are still to be taken. */
export function namesAhead(walker: Walker): readonly string[] {
  return walker.pending.filter((one) => one !== '' && one !== '.')
}

async function kindAt(root: Root, parent: Folder, name: string): Promise<EntryKind | { readonly missing: unknown }> {
  try {
    return kindOf(await statsOf(root, parent, name))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return { missing: error }
  }
}

export async function notFound(walker: Walker, parent: Folder, name: string, cause: unknown): Promise<Error> {
  const { entries } = await readFolder(walker.root, parent, namesCompared, new AbortController().signal).catch(() => ({ entries: [] }))
  const similar = similarNames(
    name,
    entries.map((entry) => entry.name),
  ).map((other) => `'${memberPath(parent, other)}'`)
  const where = parent.realPath === '' ? 'the root folder' : `'${parent.realPath}'`
  const hint = similar.length > 0 ? `Similar names: ${similar.join(', ')}.` : `Use list_files to see what ${where} holds.`
  return problem(`No file or folder '${walker.asked}'. ${hint}`, cause)
}

async function followLink(walker: Walker, parent: Folder, name: string): Promise<void> {
  if (++walker.links > mostLinks) throw problem(`'${walker.asked}' leads through more than ${mostLinks} links, perhaps in a circle.`)
  const target = await linkTarget(walker.root, parent, name)
  let steps = target
  if (isAbsolute(target)) {
    const below = belowRoot(walker.root, target)
    if (below === undefined) throw escapes(walker.asked)
    steps = below
    await closeFolders(walker.folders.splice(1))
  }
  walker.pending.unshift(...(process.platform === 'win32' ? steps.replaceAll('\\', '/') : steps).split('/'))
}

export function topFolder(walker: Walker): Folder {
  const folder = walker.folders.at(-1)
  if (folder === undefined) throw problem('internal: no open folder')
  return folder
}
