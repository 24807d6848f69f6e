import type { EntryOf, Json } from '../../index.ts'
import type { Output } from '../terminal.ts'
import { plain, spelledOut, styled } from '../text.ts'
import { quoted, said } from './quoted.ts'
import { below } from './rows.ts'

type Screen = Pick<Output, 'color' | 'columns'>

/** Below a call's row: its id, its arguments, what it returned, and what the model was shown instead. */
export function wholeCall(callId: string, input: Json, settlement: EntryOf<'call.settled'>['data']['settlement'], screen: Screen): string {
  const { content } = settlement
  const blocks = [block(`${plain(callId)} arguments`, spelledOut(jsonText(input)), screen)]
  if (settlement.outcome === 'ok') blocks.push(block('result', plain(valueText(settlement.output)), screen))
  else blocks.push(block(`error ${plain(settlement.error.code)}`, plain(settlement.error.message), screen))
  if (content !== undefined) blocks.push(block('the model read', plain(typeof content === 'string' ? content : jsonText(content)), screen))
  return blocks.join('')
}

function block(title: string, text: string, screen: Screen): string {
  return `${below}${styled(title, 'dim', screen)}\n${quoted(text.trimEnd(), { ...said, indent: below }, screen)}`
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : jsonText(value)
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
