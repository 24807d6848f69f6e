import { statusStyles, tokens } from '../summary.ts'
import type { Output, Terminal } from '../terminal.ts'
import { columnsOf, count, dateAndTime, oneLine, type Piece, row, shorten, styled } from '../text.ts'
import type { Totals } from './beginning.ts'
import type { FoundSession, ShownStatus } from './find.ts'

type Screen = Pick<Output, 'color' | 'columns'>

const indent = '  '
/** Of what was asked, where no screen says how much fits. */
const maxAsked = 200

/** `notes · completed · 2026-11-28 12:31:56 · ~/tides`, and below it what was asked first. */
export function sessionLines(session: FoundSession, totals: Totals | undefined, { stdout, home }: Terminal): string {
  const { sessionId, updatedAt, shown, head, beginning } = session
  const pending = head?.pending ?? 0
  const waits = pending === 0 ? '' : ` (${count(pending, 'call waits', 'calls wait')})`
  const pieces: Piece[] = [
    { text: oneLine(sessionId), style: 'bold' },
    { text: `${shown}${waits}`, style: styleOf(shown) },
    { text: dateAndTime(updatedAt), style: 'dim' },
  ]
  if (beginning?.folder !== undefined) pieces.push({ text: placeText(beginning.folder, home, stdout), style: 'dim' })
  return `${row(pieces, stdout, indent)}${about(session, stdout)}${totals === undefined ? '' : totalsLine(totals, stdout)}`
}

function styleOf(status: ShownStatus): 'green' | 'red' | 'yellow' | 'dim' | 'cyan' {
  if (status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'aborted') return statusStyles[status]
  if (status === 'idle' || status === 'unknown') return 'dim'
  return status === 'preparing' || status === 'model_running' || status === 'tool_running' ? 'cyan' : 'yellow'
}

function about({ head, beginning }: FoundSession, screen: Screen): string {
  const room = screen.columns === undefined ? maxAsked : screen.columns - indent.length - 2
  if (head?.title !== undefined) return `${indent}${styled('*', 'dim', screen)} ${shorten(oneLine(head.title), room)}\n`
  if (beginning === undefined) return `${indent}${styled("(can't be read)", 'yellow', screen)}\n`
  const { asked = '' } = beginning
  if (asked === '') return `${indent}${styled('(nothing in words was asked)', 'dim', screen)}\n`
  return `${indent}${styled('>', 'cyan', screen)} ${shorten(oneLine(asked), room)}\n`
}

function totalsLine({ runs, modelCalls, toolCalls, usage }: Totals, screen: Screen): string {
  const facts = [count(runs, 'run'), count(modelCalls, 'model call'), count(toolCalls, 'tool call'), tokens(usage)]
  if (usage.costUsd !== undefined) facts.push(`$${usage.costUsd.toFixed(4)}`)
  const pieces = facts.map((text): Piece => ({ text, style: 'dim' }))
  return `${indent}${row(pieces, { color: screen.color, columns: screen.columns === undefined ? undefined : screen.columns - indent.length }, indent)}`
}

/** Below the home folder it begins with `~`; of one that is too long the end is what tells it from others. */
function placeText(folder: string, home: string, { columns }: Screen): string {
  const isBelow = home !== '' && (folder === home || folder.startsWith(`${home}/`))
  const text = oneLine(isBelow ? `~${folder.slice(home.length)}` : folder)
  if (columns === undefined || columnsOf(text) <= columns - indent.length) return text
  const characters = [...text].slice(-(columns - indent.length - 1))
  while (columnsOf(characters.join('')) >= columns - indent.length) characters.shift()
  return `…${characters.join('')}`
}
