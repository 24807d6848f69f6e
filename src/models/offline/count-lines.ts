import type { Desk } from './desk.ts'
import { everything, lineCount, locate, readWhole, unreadable } from './locate.ts'
import { fileInfoOf, rowsOf } from './results.ts'
import type { Intent } from './task.ts'
import type { Section } from './wording.ts'
import { folderPath, leftOut, placeName, plural } from './wording.ts'
import { isFileName } from './words.ts'

export function countLinesSection(desk: Desk, intent: Extract<Intent, { readonly kind: 'count-lines' }>): Section {
  const said = folderPath(intent.path).path ?? '.'
  if (!isFileName(said)) return folderLinesSection(desk, said)
  const { path, finding } = locate(desk, said, (one) => desk.ask('info', { path: one }))
  if (finding.state === 'waiting') return undefined
  const known = finding.state === 'ready' ? fileInfoOf(finding.output).lines : undefined
  if (finding.state === 'ready' && known !== undefined) return `${path} has ${plural(known, 'line')} (${finding.toolName}).`
  if (finding.state === 'problem' && finding.why === 'failed') return finding.problem
  const file = readWhole(desk, said)
  if ('state' in file) return file.state === 'waiting' ? undefined : file.problem
  return `${file.path} has ${lineCount(file)} (${file.toolName}).`
}

const maxCountedFiles = 100

/** Adds up what each file's info says, and says what it leaves out. */
function folderLinesSection(desk: Desk, path: string): Section {
  const found = desk.ask('find', { ...folderPath(path), glob: '**/*', limit: everything })
  if (found.state === 'waiting') return undefined
  if (found.state === 'problem') return found.problem
  const list = rowsOf(found.output)
  if (list === undefined) return unreadable(found.toolName)
  const files = list.rows.filter((row) => row.kind === 'file')
  if (files.length === 0) return `There are 0 files in ${placeName(path)} (${found.toolName}): there is nothing to read.`
  const asked = files.slice(0, maxCountedFiles).map((row) => desk.ask('info', { path: row.path }))
  if (asked.some((finding) => finding.state === 'waiting')) return undefined
  for (const finding of asked) if (finding.state === 'problem' && finding.why === 'no-tool') return finding.problem
  const counted = asked.flatMap((finding) => (finding.state === 'ready' ? (fileInfoOf(finding.output).lines ?? []) : []))
  const total = counted.reduce((sum, lines) => sum + lines, 0)
  const uncounted = files.length - counted.length
  const bound = uncounted > 0 || list.truncated || list.unreadable > 0 ? 'at least ' : ''
  const left = uncounted === 0 ? '' : ` ${plural(uncounted, 'file')} could not be counted (no text, or beyond my limit).`
  const have = counted.length === 1 ? 'has' : 'have'
  return `${plural(counted.length, 'file')} in ${placeName(path)} ${have} ${bound}${plural(total, 'line')} (counted file by file).${left}${leftOut(list)}`
}

export function sizeSection(desk: Desk, intent: Extract<Intent, { readonly kind: 'size' }>): Section {
  const { path, finding } = locate(desk, intent.path ?? '.', (one) => desk.ask('info', { path: one }))
  if (finding.state === 'waiting') return undefined
  if (finding.state === 'problem') return finding.problem
  const { size, lines, files } = fileInfoOf(finding.output)
  if (size === undefined) return `${finding.toolName} does not tell the size of ${placeName(path)}, or not all of it.`
  const more = files === undefined ? (lines === undefined ? '' : ` and ${plural(lines, 'line')}`) : ` in ${plural(files, 'file')}`
  return `${placeName(path, 'This')} has ${plural(size, 'byte')}${more} (${finding.toolName}).`
}
