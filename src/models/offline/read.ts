import type { Desk } from './desk.ts'
import { lineCount, locate, readWhole, unreadable } from './locate.ts'
import { outlineOf } from './outline.ts'
import { fileTextOf } from './results.ts'
import type { Intent } from './task.ts'
import type { Section } from './wording.ts'
import { bullets, plural, quote, shortLine } from './wording.ts'

type ReadIntent = Extract<Intent, { readonly kind: 'read' }>

const maxQuotedLines = 60
const maxHeadings = 60

export function readSection(desk: Desk, intent: ReadIntent): Section {
  if (intent.how === 'text') return linesSection(desk, intent)
  const file = readWhole(desk, intent.path)
  if ('state' in file) return file.state === 'waiting' ? undefined : file.problem
  if (file.lines.length === 0) return `${file.path} has 0 lines (${file.toolName}): there is nothing to read.`
  const size = `${file.path} has ${lineCount(file)} (${file.toolName})`
  const items = outlineOf(file.path, file.lines)
  const outline = bullets(
    items.map((item) => `line ${item.line}: ${shortLine(item.text)}`),
    maxHeadings,
  )
  const found =
    items.length === 0
      ? `${size}. I see no headings or declarations in it.`
      : `${size}. Its outline, ${plural(items.length, 'item')}:\n${outline}`
  if (intent.how === 'outline' && items.length > 0) return found
  const about = intent.how === 'summary' ? 'Without a language model I can give no summary in my own words. ' : ''
  return `${about}${found}\nIt begins:\n${quote(firstParagraph(file.lines))}`
}

function linesSection(desk: Desk, intent: ReadIntent): Section {
  const { fromLine = 1, lines: count = maxQuotedLines } = intent
  const lines = Math.min(count, maxQuotedLines)
  const { path, finding } = locate(desk, intent.path, (one) =>
    desk.ask('read', { path: one, ...(fromLine === 1 ? {} : { fromLine }), lines }),
  )
  if (finding.state === 'waiting') return undefined
  if (finding.state === 'problem') return finding.problem
  const text = fileTextOf(finding.output)
  if (text === undefined) return unreadable(finding.toolName)
  const total = text.totalLines
  if (total === 0) return `${path} has 0 lines (${finding.toolName}): there is nothing to read.`
  // A tool that takes no line numbers gives the whole file.
  const wanted = text.lines.slice(Math.max(0, fromLine - text.fromLine)).slice(0, lines)
  if (wanted.length === 0)
    return `${path} has no line ${fromLine}${total === undefined ? '' : `: it has ${plural(total, 'line')}`} (${finding.toolName}).`
  const of = total === undefined ? '' : ` of ${total}`
  const less = lines < count ? ` I show at most ${maxQuotedLines} lines at once.` : ''
  const cut = text.cutLines ? ' Long lines are cut.' : ''
  return `${path}, lines ${fromLine} to ${fromLine + wanted.length - 1}${of} (${finding.toolName}).${less}${cut}\n${quote(wanted)}`
}

/** The first lines that are neither headings nor badges, at most six. */
function firstParagraph(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => /\w/.test(line) && !/^\s*(?:#|<|!?\[!)/.test(line))
  const rest = lines.slice(Math.max(0, from))
  const end = rest.findIndex((line) => line.trim() === '')
  return rest.slice(0, Math.min(6, end < 1 ? 6 : end)).map(shortLine)
}
