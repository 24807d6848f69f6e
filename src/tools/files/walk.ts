import type { IgnoreRules } from './ignored.ts'
import { isSkipped, rulesAbove, rulesInside } from './ignored.ts'
import type { Opened } from './resolve.ts'
import type { EntryKind, Folder, FolderEntry, Root } from './root.ts'
import { closeFolders, openFolder, readFolder } from './root.ts'

/** Files that are loaded before they are asked for. More gain nothing: Node has four threads for files by default. */
const filesAhead = 4

/** One entry of a walk; `loaded` is what `load` gave for a file, `undefined` where it failed and for other kinds. */
export interface WalkEntry<T> {
  readonly path: string
  readonly kind: EntryKind
  readonly loaded: T | undefined
}

export interface WalkOptions<T> {
  readonly signal: AbortSignal
  readonly respectGitignore: boolean
  /** Levels that are asked for: 1 is the folder itself. */
  readonly depth: number
  /** Whether folders below `depth` are a limit that is hit, or were not asked for. */
  readonly below: 'unwanted' | 'limit'
  readonly visited: number
  /** Asked for each file; files that are not wanted are not given. */
  readonly wanted: (path: string) => boolean
  /** Called once for each wanted file while its folder is open, up to four at a time and a little ahead of the reader. */
  readonly load: (folder: Folder, name: string) => Promise<T>
}

/** What a walk counts as it goes; complete when it has ended. */
export interface WalkCounts {
  visited: number
  /** Entries passed over: .git, node_modules and what .gitignore names. */
  skipped: number
  /** Folders that could not be read. */
  unreadable: number
  limitHit: 'visited' | 'depth' | undefined
}

export function newCounts(): WalkCounts {
  return { visited: 0, skipped: 0, unreadable: 0, limitHit: undefined }
}

interface Level<T> {
  readonly folder: Folder
  readonly path: string
  readonly rules: IgnoreRules
  readonly entries: readonly FolderEntry[]
  next: number
  readonly ahead: Map<number, Promise<T | undefined>>
  /** Where to look for the next file to load. */
  aheadFrom: number
}

interface Walk<T> {
  readonly root: Root
  readonly options: WalkOptions<T>
  readonly counts: WalkCounts
  readonly levels: Level<T>[]
}

/**
 * Gives what lies below a folder, sorted by path, one entry at a time. Links are named and not followed. At most one handle per level is
 * open, and all are closed when the reader stops, by any exit.
 */
export async function* walk<T>(root: Root, start: Opened, options: WalkOptions<T>, counts: WalkCounts): AsyncGenerator<WalkEntry<T>> {
  const levels: Level<T>[] = []
  const state: Walk<T> = { root, options, counts, levels }
  try {
    levels.push(await enter(state, start.folder, start.path, await rulesAbove(root, start.folders, options.respectGitignore)))
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      options.signal.throwIfAborted()
      const index = level.next++
      const entry = level.entries[index]
      if (entry === undefined) {
        levels.pop()
        if (levels.length > 0) await closeFolders([level.folder])
        continue
      }
      const path = memberPath(level, entry.name)
      if (entry.kind === 'file') {
        loadAhead(level, options)
        const loading = level.ahead.get(index)
        if (loading === undefined) continue
        const loaded = await loading
        level.ahead.delete(index)
        yield { path, kind: 'file', loaded }
      } else {
        yield { path, kind: entry.kind, loaded: undefined }
        if (entry.kind === 'folder') await descend(state, level, entry.name)
      }
    }
  } finally {
    for (const { ahead } of levels) await Promise.all(ahead.values())
    // The first folder is the caller's.
    await closeFolders(levels.slice(1).map(({ folder }) => folder))
  }
}

/** Starts loading the next files of a level, up to its next folder: nothing is held while a walk is further down. */
function loadAhead<T>(level: Level<T>, { wanted, load }: WalkOptions<T>): void {
  level.aheadFrom = Math.max(level.aheadFrom, level.next - 1)
  while (level.ahead.size < filesAhead) {
    const entry = level.entries[level.aheadFrom]
    if (entry === undefined || entry.kind === 'folder') return
    const isWanted = entry.kind === 'file' && wanted(memberPath(level, entry.name))
    if (isWanted)
      level.ahead.set(
        level.aheadFrom,
        load(level.folder, entry.name).catch(() => undefined),
      )
    level.aheadFrom++
  }
}

async function descend<T>(state: Walk<T>, parent: Level<T>, name: string): Promise<void> {
  const { root, options, counts, levels } = state
  if (levels.length >= options.depth) {
    if (options.below === 'limit') counts.limitHit ??= 'depth'
    return
  }
  const folder = await openFolder(root, parent.folder, name).catch(() => undefined)
  if (folder === undefined) {
    counts.unreadable++
    return
  }
  try {
    levels.push(await enter(state, folder, memberPath(parent, name), await rulesInside(root, folder, parent.rules)))
  } catch {
    // One folder that can't be read does not spoil a walk: it is counted.
    await closeFolders([folder])
    options.signal.throwIfAborted()
    counts.unreadable++
  }
}

async function enter<T>({ root, options, counts }: Walk<T>, folder: Folder, path: string, rules: IgnoreRules): Promise<Level<T>> {
  const { entries, complete } = await readFolder(root, folder, options.visited - counts.visited, options.signal)
  counts.visited += entries.length
  if (!complete) counts.limitHit ??= 'visited'
  const kept = entries.filter(({ name, kind }) => !isSkipped(rules, folder, name, kind === 'folder' ? 'folder' : 'other'))
  counts.skipped += entries.length - kept.length
  return { folder, path, rules, entries: kept, next: 0, ahead: new Map(), aheadFrom: 0 }
}

function memberPath<T>({ path }: Level<T>, name: string): string {
  return path === '' ? name : `${path}/${name}`
}
