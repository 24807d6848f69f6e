import type { Ignore } from 'ignore'
import ignore from 'ignore'
import type { Folder, Root } from './root.ts'
import { openFile } from './root.ts'

/** Folders that no walk enters on its own. Asked for by an explicit path, they are walked. */
const alwaysSkipped: ReadonlySet<string> = new Set(['.git', 'node_modules'])
/** Bytes of a .gitignore that are read. */
const longestIgnoreFile = 1_048_576
/** Wildcards in one pattern: each is a loop of the regular expression behind it, and file names come from outside. */
const mostWildcards = 6

/** The .gitignore files that hold for a folder, outermost first. */
export interface IgnoreRules {
  readonly levels: readonly { readonly base: string; readonly rules: Ignore }[]
  readonly respectGitignore: boolean
}

/** The rules at the start of a walk: those of all folders above, unless they ignore the start itself, which was asked for by name. */
export async function rulesAbove(root: Root, folders: readonly Folder[], respectGitignore: boolean): Promise<IgnoreRules> {
  let rules: IgnoreRules = { levels: [], respectGitignore }
  for (const folder of folders.slice(0, -1)) rules = await rulesInside(root, folder, rules)
  const start = folders.at(-1)
  if (start === undefined) return rules
  const parts = start.realPath.split('/')
  const ignored = parts.some((_, i) => start.realPath !== '' && matches(rules, `${parts.slice(0, i + 1).join('/')}/`))
  return rulesInside(root, start, ignored ? { levels: [], respectGitignore } : rules)
}

/** The rules inside a folder: those outside and the folder's own .gitignore. As for git, one that is a link does not count. */
export async function rulesInside(root: Root, folder: Folder, outside: IgnoreRules): Promise<IgnoreRules> {
  if (!outside.respectGitignore) return outside
  const text = await readIgnoreFile(root, folder)
  if (text === undefined) return outside
  const lines = text.split(/\r?\n/).filter((line) => (line.match(/\*+/g)?.length ?? 0) <= mostWildcards)
  const rules = ignore({ ignorecase: false }).add(lines)
  return { ...outside, levels: [...outside.levels, { base: folder.realPath, rules }] }
}

/** Whether a walk passes over an entry: by name, or by a .gitignore. */
export function isSkipped(rules: IgnoreRules, folder: Folder, name: string, kind: 'folder' | 'other'): boolean {
  if (kind === 'folder' && alwaysSkipped.has(name)) return true
  const path = folder.realPath === '' ? name : `${folder.realPath}/${name}`
  return matches(rules, kind === 'folder' ? `${path}/` : path)
}

/** The innermost .gitignore that says something decides (gitignore(5)). */
function matches({ levels }: IgnoreRules, path: string): boolean {
  for (const { base, rules } of [...levels].reverse()) {
    const below = base === '' ? path : path.startsWith(`${base}/`) ? path.slice(base.length + 1) : ''
    if (!ignore.isPathValid(below)) continue
    const { ignored, unignored } = rules.test(below)
    if (ignored || unignored) return ignored
  }
  return false
}

async function readIgnoreFile(root: Root, folder: Folder): Promise<string | undefined> {
  const handle = await openFile(root, folder, '.gitignore').catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const buffer = Buffer.alloc(Math.min((await handle.stat()).size, longestIgnoreFile))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}
