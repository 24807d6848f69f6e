import type { Pending } from '../index.ts'
import { argumentText } from './call-line.ts'
import { commandName } from './summary.ts'
import type { Output, Terminal } from './terminal.ts'
import { dateAndTime, oneLine, type Piece, roughly, row, sessionWord, shellWord, spelledOut, styled, wrapped } from './text.ts'
import { toolNames } from './toolset.ts'

type Screen = Pick<Output, 'color' | 'columns'>

/** What is known of a call that waits, besides the call. */
export interface Waiting {
  readonly sessionId: string
  /** ms since 1970. */
  readonly since?: number | undefined
}

const indent = '  '
/** Before every line of arguments: whatever they hold and wherever they are broken, none of their lines is taken for one of ours. */
const gutter = '  │ '
const whyIndent = '  Why: '
/** Arguments in a list are shown whole up to here. */
const maxArgumentLength = 4_000

/** A call that waits, and the command that answers it: who must decide sees all of its arguments, in lines that fit the screen. */
export function waitingLines(call: Pending, waiting: Waiting, terminal: Terminal, screen: Screen): string {
  const { columns } = screen
  const reason = call.kind === 'approval' && call.reason !== undefined ? reasonLines(call.reason, screen) : ''
  const command = answerCommand(call, waiting.sessionId, terminal)
  // A command is there to be copied: it is not broken.
  const answer =
    command === undefined
      ? `${styled(wrapped(elsewhere(call), columns, indent).trimEnd(), 'yellow', screen)}\n`
      : `${indent}${styled(command, 'cyan', screen)}\n`
  return `${styled('?', 'yellow', screen)} ${row(waitingFacts(call, waiting, terminal), screen, indent)}${argumentLines(call.input, screen)}${reason}${answer}`
}

/** Why it waits. It may quote the arguments: its second line stands further in than a command does. */
export function reasonLines(reason: string, { columns }: Pick<Screen, 'columns'>): string {
  const lines = wrapped(spelledOut(oneLine(reason)), columns, ' '.repeat(whyIndent.length))
  return `${whyIndent}${lines.slice(whyIndent.length)}`
}

/** What there is to say of a call that waits, in a row. */
export function waitingFacts(call: Pending, { since }: Pick<Waiting, 'since'>, terminal: Terminal): readonly Piece[] {
  const now = terminal.wall()
  const pieces: Piece[] = [{ text: spelledOut(oneLine(`${call.toolName} ${call.callId}`)), style: 'bold' }]
  if (call.kind === 'result') pieces.push({ text: needs[call.why] })
  else if (call.risk !== undefined) pieces.push({ text: `${call.risk} risk`, style: riskStyles[call.risk] })
  if (call.kind === 'approval' && call.repeats !== undefined)
    pieces.push({ text: `may have been done already, as ${oneLine(call.repeats)}`, style: 'red' })
  if (call.kind === 'result' && call.correlationId !== undefined) pieces.push({ text: oneLine(call.correlationId) })
  if (since !== undefined) pieces.push({ text: `waits for ${roughly(now - since)}`, style: 'dim' })
  if (call.expiresAt === undefined) return pieces
  const { expiresAt } = call
  if (expiresAt <= now) return [...pieces, { text: `expired ${dateAndTime(expiresAt)}`, style: 'red' }]
  return [...pieces, { text: `expires in ${roughly(expiresAt - now)} (${dateAndTime(expiresAt)})`, style: 'dim' }]
}

/** What is to be said of a call that waits outside, by why it is there. */
const needs: { readonly [why in Extract<Pending, { kind: 'result' }>['why']]: string } = {
  client: 'needs a result from outside',
  manual: 'needs a result from outside',
  suspended: 'needs a result from outside',
  child: 'waits for another session',
  'ask-user': 'asks you',
  unresolved: 'began, and its outcome was lost: what became of it?',
}

const riskStyles = { low: 'green', medium: 'yellow', high: 'red' } as const

/** Arguments behind a bar, `maxLength` characters of them: who decides here and now sees all. Nothing for none. */
export function argumentLines(input: unknown, { columns }: Screen, maxLength = maxArgumentLength): string {
  const text = shownArguments(input, maxLength)
  return text === '' ? '' : wrapped(text, columns, gutter)
}

function shownArguments(input: unknown, maxLength: number): string {
  const text = spelledOut(argumentText(input))
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength)}… (${(text.length - maxLength).toLocaleString('en-US')} characters more: --json shows them)`
}

/** `undefined` where the command can't go on with the session, for it lacks the tool. */
export function answerCommand(call: Pending, sessionId: string, terminal: Terminal): string | undefined {
  if (!toolNames().has(call.toolName)) return undefined
  const callId = shellWord(call.callId)
  const answer = call.kind === 'approval' ? `--approve ${callId}` : `--result ${callId}=JSON`
  const session = sessionWord(sessionId)
  // Behind two dashes there are no options.
  return `${commandName(terminal)} resume ${session.startsWith('-') ? `${answer} ${session}` : `${session} ${answer}`}`
}

function elsewhere({ toolName }: Pending): string {
  return `To be answered in the program that has the tool ${oneLine(toolName)}: this command lacks it.`
}

/** Once below calls that wait: the other answers. */
export function answerHint(calls: readonly Pending[], screen: Screen): string {
  if (!calls.some(({ kind, toolName }) => kind === 'approval' && toolNames().has(toolName))) return ''
  const hint = '--deny instead of --approve refuses a call, and --reason "…" tells the model why.'
  const all = calls.length > 1 ? ' --approve all and --deny all answer all calls of a session.' : ''
  return `${styled(wrapped(`${hint}${all}`, screen.columns, '').trimEnd(), 'dim', screen)}\n`
}
