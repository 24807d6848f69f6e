import type { ErrorData, Outcome } from '../index.ts'
import type { Output } from './terminal.ts'
import { columnsOf, count, duration, oneLine, padEnd, padStart, plain, shorten, styled } from './text.ts'

/** A settled call, from an event or from the journal. */
export interface SettledCallView {
  readonly toolName: string
  readonly input: unknown
  readonly outcome: Outcome
  readonly output?: unknown
  readonly error?: ErrorData
  readonly durationMs?: number
}

type Screen = Pick<Output, 'color' | 'columns'>

export const defaultColumns = 80
/** A wider screen does not pull the line further apart. */
export const maxColumns = 100
export const nameColumns = 11
export const outcomeColumns = 12
export const timeColumns = 8
const minArgumentColumns = 12
const maxErrorLength = 240

/** `✓ read_file    path=README.md                10 lines     4 ms`; a failure has its message in a second line. */
export function callLine(call: SettledCallView, screen: Screen): string {
  const { mark, style } = marks[call.outcome]
  const outcome = padStart(shorten(outcomeText(call), outcomeColumns), outcomeColumns)
  const time = padStart(call.durationMs === undefined ? '' : duration(call.durationMs), timeColumns)
  const head = `${styled(mark, style, screen)} ${callText(call, screen, outcomeColumns + timeColumns + 2)}`
  const tail = ` ${call.outcome === 'ok' ? outcome : styled(outcome, style, screen)} ${styled(time, 'dim', screen)}`
  const error = call.error === undefined ? '' : `\n  ${styled(shorten(oneLine(call.error.message), maxErrorLength), style, screen)}`
  return `${head}${tail.trimEnd()}${error}\n`
}

/** The line of a call that takes its time; `since` follows its end. */
export function runningLine(
  call: Pick<SettledCallView, 'toolName' | 'input'>,
  screen: Screen,
  { mark, since }: { readonly mark: string; readonly since: string } = { mark: '·', since: '' },
): string {
  const word = `running …${since}`
  return `${styled(`${mark} ${callText(call, screen, word.length + 1)} ${word}`, 'dim', screen)}\n`
}

/**
 * Name and arguments, padded so that the line has room for `rest` more columns. On a narrow screen they give way: what the terminal breaks off must not be
 * words of others, which could pass for a line of their own.
 */
function callText({ toolName, input }: Pick<SettledCallView, 'toolName' | 'input'>, screen: Screen, rest: number): string {
  const width = Math.min(screen.columns ?? defaultColumns, maxColumns) - rest - 4
  const isNarrow = width < nameColumns * 2 + minArgumentColumns
  const name = padEnd(shorten(oneLine(toolName), isNarrow ? nameColumns : nameColumns * 2), nameColumns)
  const room = width - columnsOf(name)
  return `${name}  ${room < 1 ? '' : padEnd(shorten(argumentText(input), room), room)}`
}

const marks: { readonly [outcome in Outcome]: { readonly mark: string; readonly style: 'green' | 'red' | 'yellow' } } = {
  ok: { mark: '✓', style: 'green' },
  error: { mark: '✗', style: 'red' },
  timeout: { mark: '✗', style: 'red' },
  invalid: { mark: '✗', style: 'red' },
  unknown: { mark: '✗', style: 'red' },
  denied: { mark: '–', style: 'yellow' },
  cancelled: { mark: '–', style: 'yellow' },
  skipped: { mark: '–', style: 'yellow' },
  truncated: { mark: '–', style: 'yellow' },
}

/** `depth=1 glob=src/*.ts query="two words"` */
export function argumentText(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return valueText(input)
  return Object.entries(input)
    .map(([name, value]) => `${nameText(name)}=${valueText(value)}`)
    .join(' ')
}

/** One name must not look like several arguments. */
function nameText(name: string): string {
  return /^[\p{L}\p{N}_.$-]+$/u.test(name) ? name : plain(JSON.stringify(name))
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[\w./*[\]{}?@:+~,-]+$/.test(value)) return value
  return plain(JSON.stringify(value) ?? 'undefined')
}

/** How much a good result holds, where its shape tells (`20 entries`, `10 lines`; `+` where it was cut); else the outcome. */
function outcomeText({ outcome, output }: SettledCallView): string {
  if (outcome !== 'ok' || typeof output !== 'object' || output === null || Array.isArray(output)) return outcome
  const cut = 'truncated' in output && output.truncated === true ? '+' : ''
  const list = Object.entries(output).find((field): field is [string, unknown[]] => Array.isArray(field[1]))
  if (list !== undefined) return sized(list[1].length, cut, oneLine(list[0]))
  if ('text' in output && typeof output.text === 'string') return sized(output.text.split('\n').length, cut, 'lines')
  return outcome
}

const singular: { readonly [many: string]: string } = { entries: 'entry', matches: 'match', files: 'file', lines: 'line' }

function sized(size: number, cut: string, many: string): string {
  if (cut !== '') return `${size.toLocaleString('en-US')}+ ${many}`
  return count(size, singular[many] ?? many, many)
}
