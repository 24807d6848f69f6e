import type { Desk, Finding } from './desk.ts'
import type { FileText, Row } from './results.ts'
import { fileTextOf, rowsOf } from './results.ts'
import type { Wish } from './tools.ts'
import { bullets, folderPath, placeName, plural } from './wording.ts'
import { bareNameGlob, isBareName, nameOf } from './words.ts'

/** A question about a file, put to the file that the user meant. */
export interface Located {
  readonly path: string
  readonly finding: Finding
}

/** A listing asks for all that the tool gives: the schema's maximum cuts it. */
export const everything = 10_000

/**
 * Puts a question to the file that a name means. `README` is looked for under any ending, `index.ts` in the sub-folders when it is
 * not where the user said. Several files of that name are a question back to the user, not a guess.
 */
export function locate(desk: Desk, said: string, question: (path: string) => Finding): Located {
  const path = folderPath(said).path ?? said
  if (isBareName(nameOf(path))) return locateBareName(desk, path, question)
  const finding = question(path)
  if (finding.state !== 'problem' || finding.why !== 'failed' || path.includes('/')) return { path, finding }
  const found = filesFound(desk, { glob: `**/${path}`, limit: everything })
  if (found === undefined) return { path, finding: { state: 'waiting' } }
  const [only, ...others] = found
  if (only === undefined || found.some((row) => row.path === path)) return { path, finding }
  if (others.length === 0) return { path: only.path, finding: question(only.path) }
  const problem = `${found.length} files are called ${path}; say which one you mean:\n${bullets(found.map((row) => row.path))}`
  return { path, finding: { state: 'problem', problem, why: 'failed' } }
}

function locateBareName(desk: Desk, path: string, question: (path: string) => Finding): Located {
  const name = nameOf(path)
  const folder = folderPath(path.slice(0, -name.length))
  const wish: Wish = { glob: bareNameGlob(name), ...folder, limit: everything }
  if (!desk.can('find', { glob: wish.glob ?? '' })) {
    const guess = /^readme$/i.test(name) ? `${path}.md` : path
    return { path: guess, finding: question(guess) }
  }
  const found = filesFound(desk, wish)
  if (found === undefined) return { path, finding: { state: 'waiting' } }
  const best = found.filter((row) => new RegExp(`^${name}(?:\\..*)?$`, 'i').test(nameOf(row.path))).sort(byNearness)[0]
  if (best !== undefined) return { path: best.path, finding: question(best.path) }
  const empty = emptiness(desk, folder.path)
  if (empty === undefined) return { path, finding: { state: 'waiting' } }
  const problem = `I found no file called ${name} in ${placeName(folder.path)}.${empty || ' "List the files" shows what is there.'}`
  return { path, finding: { state: 'problem', problem, why: 'failed' } }
}

function filesFound(desk: Desk, wish: Wish): readonly Row[] | undefined {
  const finding = desk.ask('find', wish)
  if (finding.state === 'waiting') return undefined
  return finding.state === 'ready' ? (rowsOf(finding.output)?.rows ?? []).filter((row) => row.kind === 'file') : []
}

/** The outermost first, a Markdown file before its siblings, then by name. */
function byNearness(a: Row, b: Row): number {
  const rank = (row: Row) => row.path.split('/').length * 2 + (/\.(?:md|markdown)$/i.test(row.path) ? 0 : 1)
  return rank(a) - rank(b) || (a.path < b.path ? -1 : 1)
}

/** When nothing was found: whether that is because the folder is empty. '' when it is not or no tool can tell, undefined to wait. */
export function emptiness(desk: Desk, path: string | undefined): string | undefined {
  const finding = desk.ask('list', { ...folderPath(path), depth: 1, limit: everything })
  if (finding.state === 'waiting') return undefined
  const found = finding.state === 'ready' ? rowsOf(finding.output) : undefined
  if (found === undefined || found.rows.length > 0) return ''
  return ` The folder ${found.skipped === 0 ? 'is empty' : 'holds nothing but what the tool skips'}: there is nothing to read.`
}

/** A whole file, page by page. */
export interface WholeFile {
  readonly path: string
  readonly lines: readonly string[]
  /** Lines are missing at its end. */
  readonly partial: boolean
  /** Long lines were cut, so their text is not whole. */
  readonly cutLines: boolean
  readonly totalLines?: number
  /** Bytes. */
  readonly size?: number
  readonly toolName: string
}

const maxPages = 20

export function readWhole(desk: Desk, said: string): WholeFile | Exclude<Finding, { state: 'ready' }> {
  const { path, finding } = locate(desk, said, (one) => desk.ask('read', { path: one }))
  if (finding.state !== 'ready') return finding
  const first = fileTextOf(finding.output)
  if (first === undefined) return { state: 'problem', problem: unreadable(finding.toolName), why: 'failed' }
  const pages = [first]
  let read = first.lines.length
  for (let last = first; pages.length < maxPages && goesOn(last, read); read += last.lines.length) {
    const next = desk.ask('read', { path, fromLine: read + 1 })
    if (next.state === 'waiting') return next
    const page = next.state === 'ready' ? fileTextOf(next.output) : undefined
    // A page that does not begin where the last one ended, or has nothing, would never come to an end.
    if (page === undefined || page.fromLine !== read + 1 || page.lines.length === 0) break
    pages.push(page)
    last = page
  }
  return { path, toolName: finding.toolName, ...joined(pages, first) }
}

function joined(pages: readonly FileText[], { totalLines, size }: FileText): Omit<WholeFile, 'path' | 'toolName'> {
  const lines = pages.flatMap((page) => page.lines)
  const last = pages.at(-1)
  const partial = last !== undefined && goesOn(last, lines.length)
  const cutLines = pages.some((page) => page.cutLines) || (!partial && last?.truncated === true)
  return { lines, partial, cutLines, ...(totalLines === undefined ? {} : { totalLines }), ...(size === undefined ? {} : { size }) }
}

export function lineCount(file: WholeFile): string {
  if (file.totalLines !== undefined)
    return `${plural(file.totalLines, 'line')}${file.partial ? `, of which I could read ${file.lines.length}` : ''}`
  return file.partial
    ? `at least ${plural(file.lines.length, 'line')} (the result was cut: a lower bound)`
    : plural(file.lines.length, 'line')
}

function goesOn(page: FileText, read: number): boolean {
  return page.totalLines === undefined ? page.truncated : read < page.totalLines
}

export function unreadable(toolName: string): string {
  return `${toolName} gave a result in a form that I can't read.`
}
