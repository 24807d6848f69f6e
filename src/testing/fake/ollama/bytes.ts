import { type Frame, trimmed } from '../frames.ts'
import { callsOf, type Piece, piecesOf, type WholeCall } from '../reply.ts'
import type { Asked } from '../server.ts'
import { measuresOf, type OllamaAnswer, type OllamaQuirks } from './quirks.ts'

interface Message {
  readonly role: 'assistant'
  readonly content: string
  readonly thinking?: string
  readonly tool_calls?: readonly object[]
}

/** The body of a streamed answer, up to where it breaks off: a line of JSON for each piece. */
export function streamFrames(answer: OllamaAnswer, quirks: OllamaQuirks, asked: Asked): readonly Frame[] {
  const { breaks } = answer
  const messages = messagesOf(answer, quirks, asked)
  const said = breaks === undefined ? messages : messages.slice(0, breaks.after)
  const lines = said.map((message, index) => ({ value: lineOf(asked, index, { message, done: false }), isDelta: true }))
  if (breaks?.with === 'error') lines.push({ value: Object(breaks.error), isDelta: false })
  if (breaks === undefined && answer.finish !== null) lines.push({ value: endOf(answer, quirks, asked, messages.length), isDelta: false })
  const newline = quirks.newline ?? '\n'
  return trimmed(
    lines.map(({ value, isDelta }) => ({ text: JSON.stringify(value) + newline, isDelta })),
    quirks,
  )
}

/** The body of an answer in one piece, as it is when nothing breaks it off. */
export function bodyText(answer: OllamaAnswer, quirks: OllamaQuirks, asked: Asked): string {
  const messages = messagesOf(answer, quirks, asked)
  const calls = messages.flatMap((message) => message.tool_calls ?? [])
  const thinking = messages.map((message) => message.thinking ?? '').join('')
  const message = {
    role: 'assistant',
    content: messages.map(({ content }) => content).join(''),
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return JSON.stringify({ ...endOf(answer, quirks, asked, 0), message })
}

function messagesOf(answer: OllamaAnswer, quirks: OllamaQuirks, { newId }: Asked): readonly Message[] {
  const pieces = piecesOf(answer, quirks, newId)
  const calls = callsOf(pieces)
  const message = (said: object): Message => ({ role: 'assistant', content: '', ...said })
  const together = quirks.callsTogether === true && calls.size > 1
  const said = pieces.flatMap((piece: Piece): Message[] => {
    if ('text' in piece) return [message({ content: piece.text })]
    if ('reasoning' in piece) return [message({ thinking: piece.reasoning })]
    if ('refusal' in piece) return [message({ content: piece.refusal })]
    const call = 'name' in piece ? calls.get(piece.call) : undefined
    return call === undefined || together ? [] : [message({ tool_calls: [callOf(call, piece.call, quirks)] })]
  })
  const all = together ? [...calls].map(([index, call]) => callOf(call, index, quirks)) : []
  return all.length === 0 ? said : [...said, message({ tool_calls: all })]
}

function callOf({ id, name, text }: WholeCall, index: number, quirks: OllamaQuirks): object {
  const args: unknown = quirks.arguments === 'text' ? text : JSON.parse(text === '' ? '{}' : text)
  return { ...(quirks.ids === false ? {} : { id }), function: { index, name, arguments: args } }
}

/** Of a text the server waits some time for each piece: the time of a line is its own. */
function lineOf({ body }: Asked, index: number, more: object): object {
  const time = `2026-08-07T06:08:${String(10 + (index % 50))}.${String((index + 1) * 947_137).slice(0, 6)}Z`
  return { model: String(body['model']), created_at: time, ...more }
}

function endOf(answer: OllamaAnswer, quirks: OllamaQuirks, asked: Asked, index: number): object {
  const reason = quirks.noReason === true ? {} : { done_reason: answer.finish ?? 'stop' }
  return lineOf(asked, index, { message: { role: 'assistant', content: '' }, done: true, ...reason, ...measuresOf(answer, quirks) })
}
