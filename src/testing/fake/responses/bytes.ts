import { eventText, type Frame, trimmed } from '../frames.ts'
import { piecesOf } from '../reply.ts'
import type { Asked } from '../server.ts'
import { itemsOf, type Said } from './items.ts'
import { type ResponsesAnswer, type ResponsesQuirks, usageOf } from './quirks.ts'

interface Event {
  readonly kind: 'head' | 'delta' | 'tail'
  readonly json: { readonly type: string; readonly [field: string]: unknown }
}

/** The body of a streamed answer, up to where it breaks off. */
export function streamFrames(answer: ResponsesAnswer, quirks: ResponsesQuirks, asked: Asked): readonly Frame[] {
  const { breaks } = answer
  const frames: Frame[] = []
  let deltas = 0
  for (const { json, kind } of eventsOf(answer, quirks, asked)) {
    // Nothing comes behind the place where it breaks off.
    if (breaks !== undefined && (kind === 'tail' || (kind === 'delta' && deltas++ >= breaks.after))) break
    const numbered = {
      ...json,
      sequence_number: frames.length,
      ...(quirks.padded === true ? { obfuscation: 'x7Bq'.repeat(frames.length % 5) } : {}),
    }
    frames.push({ text: eventText(numbered, quirks, quirks.unnamed === true ? undefined : json.type), isDelta: kind === 'delta' })
  }
  if (breaks?.with === 'error')
    frames.push({ text: eventText(breaks.error, quirks, quirks.unnamed === true ? undefined : breaks.event), isDelta: false })
  if (breaks === undefined && quirks.doneSentinel === true) frames.push({ text: eventText('[DONE]', quirks), isDelta: false })
  return trimmed(frames, quirks)
}

function eventsOf(answer: ResponsesAnswer, quirks: ResponsesQuirks, asked: Asked): readonly Event[] {
  const { tells = 'all', emptySnapshot } = quirks
  const { head, said, end } = responseOf(answer, quirks, asked)
  const begun = { ...head, status: 'in_progress', error: null, incomplete_details: null, output: [], usage: null }
  const events: Event[] = [
    { kind: 'head', json: { type: 'response.created', response: begun } },
    { kind: 'head', json: { type: 'response.in_progress', response: begun } },
  ]
  // A server that tells items when they are whole tells nothing of one that it has broken off.
  const isPiecewise = tells === 'all' || tells === 'deltas'
  if (tells !== 'snapshot') for (const [place, one] of said.entries()) events.push(...itemEvents(one, place, quirks, isPiecewise))
  if (answer.finish === null) return events
  const output = emptySnapshot === true && tells !== 'snapshot' ? [] : said.map(({ item }) => item)
  const type = end.status === 'completed' ? 'response.completed' : end.status === 'failed' ? 'response.failed' : 'response.incomplete'
  events.push({ kind: 'tail', json: { type, response: { ...begun, ...end, output } } })
  return events
}

/** What of an item is told, one event each. */
function itemEvents(
  { kind, id, item, begun, pieces }: Said,
  place: number,
  quirks: ResponsesQuirks,
  isPiecewise: boolean,
): readonly Event[] {
  const { tells = 'all', items = 'both' } = quirks
  let events = 0
  const at = () => {
    const name = items === 'renamed' ? `${id}_${++events}` : id
    return { ...(items === 'place' ? {} : { item_id: name }), ...(items === 'id' ? {} : { output_index: items === 'zero' ? 0 : place }) }
  }
  const head = (type: string, more: object): Event => ({ kind: 'head', json: { type, ...at(), ...more } })
  const delta = (text: string): Event => ({
    kind: 'delta',
    json: { type: `${nameOf(kind, quirks)}.delta`, ...at(), ...indexOf(kind, quirks), delta: text },
  })
  const whole = pieces.join('')
  const whiles = {
    reasoning: { text: whole },
    text: { text: whole },
    refusal: { refusal: whole },
    call: { arguments: whole },
  }
  const renamed = items === 'renamed' ? { ...item, id: `${id}_done` } : item
  const { item_id: _id, ...placed }: { readonly item_id?: string } = at()
  const isTold = tells !== 'deltas' || kind === 'call'
  const ofItem = (kind: Event['kind'], type: string, told: object): Event => ({ kind, json: { type, ...placed, item: told } })
  const done = head(`${nameOf(kind, quirks)}.done`, { ...indexOf(kind, quirks), ...whiles[kind] })
  return [
    ofItem(kind === 'call' ? 'delta' : 'head', 'response.output_item.added', begun),
    ...(isPiecewise && quirks.objectArguments !== true ? pieces.map(delta) : []),
    ...(isTold && tells !== 'items' ? [done] : []),
    ...(isTold ? [ofItem('head', 'response.output_item.done', renamed)] : []),
  ]
}

const names = {
  reasoning: 'response.reasoning_summary_text',
  text: 'response.output_text',
  refusal: 'response.refusal',
  call: 'response.function_call_arguments',
} as const

function nameOf(kind: Said['kind'], { reasoning }: ResponsesQuirks): string {
  return kind === 'reasoning' && reasoning === 'content' ? 'response.reasoning_text' : names[kind]
}

function indexOf(kind: Said['kind'], { reasoning }: ResponsesQuirks): object {
  if (kind === 'call') return {}
  return kind === 'reasoning' && reasoning !== 'content' ? { summary_index: 0 } : { content_index: 0 }
}

/** The body of an answer in one piece, as it is when nothing breaks it off. */
export function bodyText(answer: ResponsesAnswer, quirks: ResponsesQuirks, asked: Asked): string {
  const { head, said, end } = responseOf(answer, quirks, asked)
  const text = JSON.stringify({ ...head, error: null, ...end, output: said.map(({ item }) => item) })
  return quirks.bom === true ? `\ufeff${text}` : text
}

/** Always the same second (s since 1970). */
const created = 1_750_000_000

let responses = 0

function responseOf(answer: ResponsesAnswer, quirks: ResponsesQuirks, asked: Asked) {
  const id = `resp_${String(++responses).padStart(6, '0')}`
  const said = itemsOf(piecesOf(answer, quirks, asked.newId), quirks, asked, id)
  const { finish = 'completed' } = answer
  const isStatus = finish === 'completed' || finish === 'failed'
  const end = {
    status: isStatus ? finish : 'incomplete',
    incomplete_details: isStatus ? null : { reason: finish },
    ...(finish === 'failed' ? { error: { code: 'server_error', message: 'The model failed.' } } : {}),
    usage: usageOf(answer, quirks),
  }
  return { head: { id, object: 'response', created_at: created, model: String(asked.body['model']) }, said, end }
}
