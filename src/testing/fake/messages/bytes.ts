import { eventText, type Frame, trimmed } from '../frames.ts'
import { callsOf, type Piece, piecesOf, type WholeCall } from '../reply.ts'
import type { Asked } from '../server.ts'
import { type MessagesAnswer, type MessagesQuirks, omittedSignature, redactedData, signatureOf, stopOf, usageOf } from './quirks.ts'

/** An event of the stream. */
interface WireEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A block of content with its pieces. */
interface Block {
  readonly kind: 'text' | 'thinking' | 'call'
  readonly call: WholeCall | undefined
  readonly pieces: Piece[]
}

/** Pieces of text, and of thinking, that follow each other are one block; each call is one, wherever its pieces stand. */
function blocksOf(pieces: readonly Piece[]): Block[] {
  const blocks: Block[] = []
  const calls = callsOf(pieces)
  const byCall = new Map<number, Block>()
  for (const piece of pieces) {
    const kind = 'call' in piece ? 'call' : 'reasoning' in piece ? 'thinking' : 'text'
    const last = blocks.at(-1)
    const known = 'call' in piece ? byCall.get(piece.call) : last?.kind === kind ? last : undefined
    const block = known ?? { kind, call: 'call' in piece ? calls.get(piece.call) : undefined, pieces: [] }
    if (known === undefined) blocks.push(block)
    if ('call' in piece) byCall.set(piece.call, block)
    block.pieces.push(piece)
  }
  return blocks
}

/** The body of a streamed answer, up to where it breaks off. */
export function streamFrames(answer: MessagesAnswer, quirks: MessagesQuirks, asked: Asked): readonly Frame[] {
  const { breaks } = answer
  const pieces = piecesOf(answer, quirks, asked.newId)
  const blocks = blocksOf(pieces)
  const usage = usageOf(answer, quirks)
  const frames: Frame[] = []
  const say = (event: WireEvent, isDelta = false) => frames.push({ text: written(event, quirks), isDelta })
  const begun = usage === undefined ? {} : { usage: usage.begin }
  say({ type: 'message_start', message: { ...headOf(asked), content: [], stop_reason: null, stop_sequence: null, ...begun } })
  if (quirks.noPing !== true) say({ type: 'ping' })
  for (const piece of breaks === undefined ? pieces : pieces.slice(0, breaks.after)) {
    const index = blocks.findIndex((block) => block.pieces.includes(piece))
    const block = blocks[index]
    if (block !== undefined) for (const [event, isDelta] of eventsOf(block, index, piece, quirks)) say(event, isDelta)
  }
  if (breaks?.with === 'error') frames.push({ text: eventText(breaks.error, quirks, breaks.event), isDelta: false })
  if (breaks === undefined) {
    const delta = { stop_reason: stopOf(answer), stop_sequence: null }
    say({ type: 'message_delta', delta, ...(usage === undefined ? {} : { usage: usage.end }) })
    if (quirks.noStop !== true) say({ type: 'message_stop' })
  }
  return trimmed(frames, quirks)
}

/** With whether it is a delta. */
type Event = readonly [WireEvent, boolean]

/** What is sent for a piece: with what must stand before it, and behind it when it is the last one of its block. */
function eventsOf(block: Block, index: number, piece: Piece, quirks: MessagesQuirks): Event[] {
  const start = (content_block: object): Event => [{ type: 'content_block_start', index, content_block }, 'name' in piece]
  const delta = (of: object): Event => [{ type: 'content_block_delta', index, delta: of }, true]
  const events: Event[] = []
  const isLast = piece === block.pieces.at(-1)
  const { thinking = 'signed' } = quirks
  if (piece === block.pieces[0]) events.push(start(beginOf(block, quirks)))
  if ('text' in piece || 'refusal' in piece) events.push(delta({ type: 'text_delta', text: 'text' in piece ? piece.text : piece.refusal }))
  if ('reasoning' in piece && (thinking === 'signed' || thinking === 'unsigned'))
    events.push(delta({ type: 'thinking_delta', thinking: piece.reasoning }))
  if ('arguments' in piece && beginsWhole(block, quirks) === undefined)
    events.push(delta({ type: 'input_json_delta', partial_json: piece.arguments }))
  if (isLast && block.kind === 'thinking' && (thinking === 'signed' || thinking === 'omitted')) {
    const signature = thinking === 'omitted' ? omittedSignature : signatureOf(thoughtOf(block))
    events.push([{ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } }, false])
  }
  if (isLast) events.push([{ type: 'content_block_stop', index }, false])
  return events
}

function beginOf(block: Block, quirks: MessagesQuirks): object {
  const { kind, call } = block
  if (kind === 'text') return { type: 'text', text: '' }
  if (kind === 'thinking')
    return quirks.thinking === 'redacted'
      ? { type: 'redacted_thinking', data: redactedData }
      : { type: 'thinking', thinking: '', signature: '' }
  return { type: 'tool_use', id: call?.id, name: call?.name, input: beginsWhole(block, quirks) ?? {} }
}

/** The arguments that stand where the call begins; `undefined` when they come in pieces. What is no JSON can't stand there. */
function beginsWhole({ call }: Block, quirks: MessagesQuirks): unknown {
  if (quirks.arguments !== 'start' || call === undefined) return undefined
  try {
    return JSON.parse(call.text)
  } catch {
    return undefined
  }
}

function written(event: WireEvent, quirks: MessagesQuirks): string {
  const text = eventText(event, quirks, quirks.noNames === true ? undefined : event.type)
  // As many blanks as the text has units in its last hexadecimal digit: some, and not always the same.
  return quirks.padding === true ? text.replace(/\}(?=[\r\n]+$)/, `${' '.repeat(text.length % 16)}}`) : text
}

/** The body of an answer in one piece, as it is when nothing breaks it off. */
export function messageText(answer: MessagesAnswer, quirks: MessagesQuirks, asked: Asked): string {
  const content = blocksOf(piecesOf(answer, quirks, asked.newId)).map((block) => wholeOf(block, quirks))
  const usage = usageOf(answer, quirks)
  const message = {
    ...headOf(asked),
    content,
    stop_reason: stopOf(answer),
    stop_sequence: null,
    ...(usage === undefined ? {} : { usage: { ...usage.begin, ...usage.end } }),
  }
  return `${quirks.bom === true ? '\ufeff' : ''}${JSON.stringify(message)}`
}

function wholeOf(block: Block, quirks: MessagesQuirks): object {
  const { kind, call } = block
  if (kind === 'text')
    return {
      type: 'text',
      text: block.pieces.map((piece) => ('text' in piece ? piece.text : 'refusal' in piece ? piece.refusal : '')).join(''),
    }
  if (kind === 'call') return { type: 'tool_use', id: call?.id, name: call?.name, input: parsed(call?.text ?? '') }
  const thinking = thoughtOf(block)
  switch (quirks.thinking ?? 'signed') {
    case 'signed':
      return { type: 'thinking', thinking, signature: signatureOf(thinking) }
    case 'omitted':
      return { type: 'thinking', thinking: '', signature: omittedSignature }
    case 'unsigned':
      return { type: 'thinking', thinking, signature: '' }
    case 'redacted':
      return { type: 'redacted_thinking', data: redactedData }
  }
}

function thoughtOf({ pieces }: Block): string {
  return pieces.map((piece) => ('reasoning' in piece ? piece.reasoning : '')).join('')
}

/** What is no JSON stays a text: who reads it must see that it is none. */
function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return text
  }
}

function headOf({ body }: Asked): object {
  return { id: 'msg_fake', type: 'message', role: 'assistant', model: String(body['model'] ?? 'in-path') }
}
