import type { Json, Outcome, Usage } from '../../index.ts'
import {
  argumentText,
  callLine,
  defaultColumns,
  maxColumns,
  nameColumns,
  outcomeColumns,
  type SettledCallView,
  timeColumns,
} from '../call-line.ts'
import type { Output } from '../terminal.ts'
import { columnsOf, duration, oneLine, padEnd, padStart, shorten, styled, wrapped } from '../text.ts'

type Screen = Pick<Output, 'color' | 'columns'>

/** `12:00:03 ` */
const clockColumns = 9
/** Below a row: what belongs to it. */
export const below = ' '.repeat(clockColumns + 2)

/** A call of a model, whatever it took. */
export interface ModelView {
  readonly n: number
  readonly state: 'answered' | 'failed' | 'open'
  readonly usage?: Usage | undefined
  /** The finish reason, or what else became of it. */
  readonly end: string
  readonly durationMs?: number | undefined
}

const modelMarks = {
  answered: { mark: '●', style: 'cyan' },
  failed: { mark: '✗', style: 'red' },
  open: { mark: '·', style: 'dim' },
} as const

/** `12:00:02 ● model 1      1,234 in, 56 out · $0.0012           tool-calls    1.2 s` */
export function modelRow({ n, state, usage, end, durationMs }: ModelView, at: number, screen: Screen): string {
  const { mark, style } = modelMarks[state]
  const name = padEnd(`model ${n}`, nameColumns)
  const outcome = padStart(end, outcomeColumns)
  const time = padStart(durationMs === undefined ? '' : duration(durationMs), timeColumns)
  const room = Math.max(0, width(screen) - columnsOf(name) - columnsOf(outcome) - timeColumns - 6)
  const spent = padEnd(shorten(usage === undefined ? '' : spentText(usage), room), room)
  const right = state === 'failed' ? styled(outcome, 'red', screen) : outcome
  const line = `${styled(mark, style, screen)} ${name}  ${spent} ${right} ${styled(time, 'dim', screen)}`
  return `${clock(at, screen)}${line.trimEnd()}\n`
}

/** A settled tool call in one row, its error below it. */
export function callRow({ error, ...call }: SettledCallView, at: number, screen: Screen): string {
  const row = `${clock(at, screen)}${callLine(call, { color: screen.color, columns: width(screen) })}`
  if (error === undefined) return row
  const style = notRun.has(call.outcome) ? 'yellow' : 'red'
  return row + hanging(below, shorten(oneLine(error.message), maxErrorLength), style, screen)
}

const maxErrorLength = 240
const notRun: ReadonlySet<Outcome> = new Set<Outcome>(['denied', 'cancelled', 'skipped', 'truncated'])

/** `12:00:05 · pause` */
export function noteRow(text: string, at: number, screen: Screen): string {
  return `${clock(at, screen)}${hanging('· ', text, 'dim', screen)}`
}

/** `session notes begun 2026-11-28 12:00:00 in /home/ann/tides`: in two lines or more where that is too long for one. */
export function sessionHeader(sessionId: string, begun: string, screen: Screen): string {
  const id = `session ${oneLine(sessionId)}`
  const isShort = screen.columns === undefined || columnsOf(id) + 1 + columnsOf(begun) <= screen.columns
  if (isShort) return `${styled(id, 'bold', screen)} ${styled(begun, 'dim', screen)}\n`
  return `${styled(headerLines(id, screen), 'bold', screen)}\n${styled(wrapped(begun, screen.columns, headerIndent).trimEnd(), 'dim', screen)}\n`
}

/** `run r_1 · 2026-11-28 12:00:00` */
export function runHeader(runId: string, when: string, screen: Screen): string {
  return `${styled(headerLines(`run ${oneLine(runId)} · ${when}`, screen), 'bold', screen)}\n`
}

const headerIndent = '  '

/** Ids are names that others have given: no part of one begins a line. */
function headerLines(text: string, screen: Screen): string {
  return wrapped(text, screen.columns, headerIndent).trim()
}

/** Text that is broken before the end of the screen, its further lines below a row: no piece of it begins a line. */
function hanging(first: string, text: string, style: 'dim' | 'yellow' | 'red', screen: Screen): string {
  const lines = wrapped(text, screen.columns, below).slice(below.length).trimEnd()
  return `${styled(`${first}${lines}`, style, screen)}\n`
}

/** `12:00:03 · read_file    path=a.csv                            not settled`; without a clock for a call that has not begun. */
export function openCallRow(toolName: string, input: Json, startedAt: number | undefined, screen: Screen): string {
  const end = 'not settled'
  const name = padEnd(shorten(oneLine(toolName), nameColumns * 2), nameColumns)
  const room = Math.max(0, width(screen) - columnsOf(name) - end.length - timeColumns - 6)
  const before = startedAt === undefined ? ' '.repeat(clockColumns) : clock(startedAt, screen)
  return `${before}${styled(`· ${name}  ${padEnd(shorten(argumentText(input), room), room)} ${end}`, 'dim', screen)}\n`
}

/** What there is to say of a row, in lines of their own below it. */
export function remarkLines(texts: readonly string[], screen: Screen): string {
  return texts.map((text) => hanging(below, text, 'dim', screen)).join('')
}

/** The same with dots between them; one that does not fit begins the next line. */
export function detail(texts: readonly string[], screen: Screen): string {
  const room = (screen.columns ?? Number.POSITIVE_INFINITY) - below.length
  const lines: string[] = []
  for (const text of texts) {
    const joined = `${lines.at(-1) ?? ''} · ${text}`
    if (lines.length > 0 && columnsOf(joined) <= room) lines[lines.length - 1] = joined
    else lines.push(text)
  }
  return remarkLines(lines, screen)
}

function clock(at: number, screen: Screen): string {
  return `${styled(timeOfDay(at), 'dim', screen)} `
}

function width({ columns }: Screen): number {
  return Math.min((columns ?? defaultColumns) - clockColumns, maxColumns)
}

function spentText({ inputTokens, outputTokens, complete, costUsd }: Usage): string {
  const least = complete ? '' : '≥ '
  const tokens = `${least}${inputTokens.toLocaleString('en-US')} in, ${outputTokens.toLocaleString('en-US')} out`
  return costUsd === undefined ? tokens : `${tokens} · $${costUsd.toFixed(4)}`
}

/** `12:00:03`, in the time zone of the process. */
function timeOfDay(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
