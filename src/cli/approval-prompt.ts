import type { Pending } from '../index.ts'
import type { Draft } from './screen/draft.ts'
import { draftPart } from './screen/draft-lines.ts'
import type { LivePart, LiveScreen } from './screen/live.ts'
import type { Output } from './terminal.ts'
import { columnsOf, oneLine, row, spelledOut, styled, wrapped } from './text.ts'

/** What keys are for while a question stands. */
export type Mode = { readonly kind: 'choose' } | { readonly kind: 'deny' | 'edit'; readonly draft: Draft; readonly problem?: string }

type Size = Pick<LiveScreen, 'width' | 'rows'>
type Style = Pick<Output, 'color'>

/** What can be answered to a question. */
export interface Choices {
  readonly call: Extract<Pending, { kind: 'approval' }>
  readonly canRun: boolean
  readonly canLeave: boolean
}

/** Below the question, as far as `Approve? ` reaches. */
const indent = '         '

/** The question, with its keys. */
export function questionPart({ call, canRun, canLeave }: Choices, { width }: Size, style: Style): LivePart {
  const question = styled('Approve? ', 'yellow', style)
  const forever = call.rememberAs === false || !canRun ? undefined : always(call)
  // What is agreed to for all of a session is seen whole.
  const isLong = forever !== undefined && columnsOf(forever) > width - indent.length - 2
  const choices = [
    ...(canRun ? [['y', 'yes']] : []),
    ['n', 'no'],
    ['e', 'edit'],
    ...(forever === undefined || isLong ? [] : [['a', forever]]),
    ...(canLeave ? [['l', 'later']] : []),
  ]
  const pieces = choices.map(([key = '', what], index) => ({ text: `${index === 0 ? question : ''}${styled(key, 'bold', style)} ${what}` }))
  const lines = `${row(pieces, { color: style.color, columns: width }, indent)}${isLong ? wrapped(`a ${forever}`, width, indent) : ''}`
  return { lines: ['', ...lines.trimEnd().split('\n')] }
}

/** In place of the question, while keys are for something else. */
export function busyPart(style: Style): LivePart {
  return { lines: ['', `${styled('Approve? ', 'yellow', style)}Finish your message first: Enter says it, Ctrl-U drops it.`] }
}

/** Where a reason, or other arguments, are written. */
export function writingPart({ kind, draft, problem }: Exclude<Mode, { kind: 'choose' }>, { width, rows }: Size, style: Style): LivePart {
  const what =
    kind === 'deny'
      ? 'Why not? The model reads it. Enter: deny · Esc: back'
      : 'The arguments as JSON. Enter: look at it again · Alt-Enter: new line · Esc: back'
  const above = ['', styled(what, 'yellow', style), ...(problem === undefined ? [] : [styled(problem, 'red', style)])]
  const part = draftPart(draft, width, { first: styled('› ', 'cyan', style), rest: '  ', columns: 2 }, Math.max(3, rows - 6))
  const { row: at = 0, column = 0 } = part.cursor ?? {}
  return { lines: [...above, ...part.lines], cursor: { row: at + above.length, column } }
}

function always({ toolName, rememberAs }: Choices['call']): string {
  const what = typeof rememberAs === 'string' ? rememberAs : toolName
  return `always ${spelledOut(oneLine(what))} in this session`
}
