import { eventText, type Frame, trimmed } from '../frames.ts'
import { callsOf, type Piece, piecesOf } from '../reply.ts'
import type { Asked } from '../server.ts'
import { isObject, type JsonObject } from '../violation.ts'
import { type ChatAnswer, type ChatQuirks, finishOf, reasoningFieldOf, usageOf } from './quirks.ts'

const created = 1_700_000_000

/** The body of a streamed answer, up to where it breaks off. */
export function streamFrames(answer: ChatAnswer, quirks: ChatQuirks, asked: Asked): readonly Frame[] {
  const { breaks } = answer
  const chunks = chunksOf(answer, quirks, asked)
  let deltas = 0
  const said = chunks.filter(({ kind }) => breaks === undefined || kind === 'head' || (kind === 'delta' && deltas++ < breaks.after))
  const frames = said.map(({ json, kind }) => ({ text: eventText(json, quirks), isDelta: kind === 'delta' }))
  if (breaks?.with === 'error') frames.push({ text: eventText(breaks.error, quirks, breaks.event), isDelta: false })
  if (breaks === undefined && quirks.noDone !== true) frames.push({ text: eventText('[DONE]', quirks), isDelta: false })
  return trimmed(frames, quirks)
}

interface Chunk {
  readonly kind: 'head' | 'delta' | 'tail'
  readonly json: object
}

function chunksOf(answer: ChatAnswer, quirks: ChatQuirks, { body, newId }: Asked): Chunk[] {
  const model = String(body['model'])
  const { usage: when = 'asked', role = 'own' } = quirks
  const deltas = deltasOf(piecesOf(answer, quirks, newId), quirks)
  const usageAt = (share: number) => {
    const usage = when === 'every' ? usageOf(answer, share) : undefined
    return usage === undefined ? {} : { usage }
  }
  const head = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created, model }
  const chunk = (delta: object, finish: string | null, more: object) => {
    return { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...more }
  }
  const chunks: Chunk[] = []
  if (quirks.filterPreamble === true) chunks.push({ kind: 'head', json: { ...head, id: '', choices: [], prompt_filter_results: [] } })
  if (role === 'own') chunks.push({ kind: 'head', json: chunk({ role: 'assistant', content: '', refusal: null }, null, usageAt(0)) })
  for (const [index, delta] of deltas.entries()) {
    const said = role === 'first' && index === 0 ? { role: 'assistant', ...delta } : delta
    chunks.push({ kind: 'delta', json: chunk(said, null, usageAt((index + 1) / deltas.length)) })
  }
  const usage = usageOf(answer)
  const finish = finishOf(answer)
  const withFinish = usage !== undefined && when === 'finish' ? { usage } : usageAt(1)
  if (finish !== null) chunks.push({ kind: 'tail', json: chunk({}, finish, withFinish) })
  const isAlone = when === 'last' || (when === 'asked' && asksForUsage(body))
  if (usage !== undefined && isAlone) chunks.push({ kind: 'tail', json: { ...head, choices: [], usage } })
  return chunks
}

function asksForUsage({ stream_options: options }: JsonObject): boolean {
  return isObject(options) && options['include_usage'] === true
}

function deltasOf(pieces: readonly Piece[], quirks: ChatQuirks): object[] {
  const { arguments: form = 'fragments' } = quirks
  const calls = callsOf(pieces)
  let fragments = 0
  const fragment = (number: number, isBegin: boolean, args: unknown) => {
    const call = calls.get(number)
    const named = isBegin ? { name: call?.name, arguments: args } : { arguments: args }
    const index = indexIn(quirks, number, fragments++)
    return { tool_calls: [{ ...index, ...idIn(quirks, call?.id, isBegin), ...(isBegin ? { type: 'function' } : {}), function: named }] }
  }
  return pieces.flatMap((piece): object[] => {
    if ('text' in piece) return [{ content: piece.text }]
    if ('reasoning' in piece) return [{ [reasoningFieldOf(quirks)]: piece.reasoning }]
    if ('refusal' in piece) return [{ refusal: piece.refusal }]
    if ('name' in piece) return [fragment(piece.call, true, form === 'fragments' ? '' : formed(calls.get(piece.call)?.text ?? '', form))]
    return form === 'fragments' ? [fragment(piece.call, false, piece.arguments)] : []
  })
}

function indexIn({ index = 'right' }: ChatQuirks, call: number, fragment: number): object {
  if (index === 'none') return {}
  return { index: index === 'right' ? call : index === 'zero' ? 0 : fragment }
}

function idIn({ ids = 'once' }: ChatQuirks, id: string | undefined, isBegin: boolean): object {
  if (ids === 'none' || (ids !== 'every' && !isBegin)) return {}
  return { id: ids === 'empty' ? '' : ids === 'same' ? 'call_0' : id }
}

function formed(text: string, form: ChatQuirks['arguments']): unknown {
  if (form === 'object') return JSON.parse(text)
  return form === 'twice' ? JSON.stringify(text) : text
}

/** The body of an answer in one piece, as it is when nothing breaks it off. */
export function completionText(answer: ChatAnswer, quirks: ChatQuirks, { body, newId }: Asked): string {
  const model = String(body['model'])
  const pieces = piecesOf(answer, quirks, newId)
  const calls = [...callsOf(pieces).values()].map(({ name, id, text }) => {
    return { ...idIn(quirks, id, true), type: 'function', function: { name, arguments: formed(text, quirks.arguments) } }
  })
  const message = {
    role: 'assistant',
    content: joined(pieces.flatMap((piece) => ('text' in piece ? [piece.text] : []))),
    refusal: joined(pieces.flatMap((piece) => ('refusal' in piece ? [piece.refusal] : []))),
    [reasoningFieldOf(quirks)]: joined(pieces.flatMap((piece) => ('reasoning' in piece ? [piece.reasoning] : []))),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }]
  const usage = quirks.usage === 'none' ? undefined : usageOf(answer)
  const text = JSON.stringify({ id: 'chatcmpl-fake', object: 'chat.completion', created, model, choices, usage })
  return quirks.bom === true ? `\ufeff${text}` : text
}

function joined(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join('')
}
