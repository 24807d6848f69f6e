import type { Rows } from './results.ts'

/** A part of the answer; `undefined` while calls that it needs are out. */
export type Section = string | undefined

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

export function placeName(path: string | undefined, word: 'this' | 'This' = 'this'): string {
  return path === undefined || path === '.' ? `${word} folder` : path
}

/** `src/` and `./src` are the folder `src`; the folder that the tools work in is not named. */
export function folderPath(path: string | undefined): { readonly path?: string } {
  const plain = path?.replace(/^(?:\.\/)+/, '').replace(/(.)\/+$/, '$1')
  return plain === undefined || plain === '' || plain === '.' ? {} : { path: plain }
}

const maxShown = 50

/** The items as lines; of a long list the first ones and how many more there are. */
export function bullets(items: readonly string[], shown = maxShown): string {
  const lines = items.slice(0, shown).map((item) => `- ${item}`)
  if (items.length > shown) lines.push(`- … and ${items.length - shown} more`)
  return lines.join('\n')
}

/** Said wherever a result was cut. */
const lowerBound = 'The result was cut, so the numbers are lower bounds.'

/** What a result leaves out, for the reader who counts again. */
export function leftOut({ truncated, skipped, unreadable, filesSkipped }: Rows): string {
  const cut = truncated ? ` ${lowerBound}` : ''
  const failed =
    unreadable === 0
      ? ''
      : ` ${plural(unreadable, 'folder or file', 'folders or files')} could not be read, so the numbers are lower bounds.`
  const passed =
    skipped === 0
      ? ''
      : ` Not counted: ${plural(skipped, 'entry', 'entries')} that the tool skips (such as .git, node_modules and what .gitignore names).`
  const binary = filesSkipped === 0 ? '' : ` Not searched: ${plural(filesSkipped, 'file')}, binary or not readable.`
  return `${cut}${failed}${binary}${passed}`
}

const maxLineLength = 200

export function shortLine(line: string): string {
  const plain = line.trim()
  return plain.length <= maxLineLength ? plain : `${plain.slice(0, maxLineLength)}…`
}

/** Text of a file as it stands, in a fence that the text can't close. */
export function quote(lines: readonly string[]): string {
  const ticks = lines.flatMap((line) => line.match(/`{3,}/g) ?? [])
  const fence = '`'.repeat(Math.max(2, ...ticks.map((tick) => tick.length)) + 1)
  return [fence, ...lines.map((line) => line.replace(/\r$/, '')), fence].join('\n')
}
