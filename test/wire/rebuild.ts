import { errorData } from '../../src/core/error.ts'
import type { Json } from '../../src/core/json.ts'
import { type MediaPart, type Message, type Part, type ToolCallPart, textOf } from '../../src/core/message.ts'
import { same } from './differences.ts'
import type { Item, Media, ReadRequest, Result, Turn } from './readings/request.ts'

/** Our history for a recorded request. */
export interface Rebuilt {
  readonly messages: readonly Message[]
  /** Which turns of the request are answers that we have decoded, by the place of the turn: the number of the answer. */
  readonly ours: ReadonlyMap<number, number>
  /** Answers of which the client has kept some of the calls and forgotten the others. */
  readonly partly: number
}

/**
 * The history that a recorded request tells, with our own decoded answers in the places of those that the client sent back; results go onto
 * their calls. A turn that is no answer of the recording (the client had it from elsewhere) is built from what the request says of it.
 *
 * @param answers Those of the steps before, by their numbers; `undefined` for a step that failed.
 */
export function rebuild({ turns }: ReadRequest, answers: readonly (Message | undefined)[]): Rebuilt {
  const ours = placesOf(turns, answers)
  const messages: Message[] = []
  let partly = 0
  for (const [place, turn] of turns.entries()) {
    if (turn.role === 'user') {
      const said = turn.items.filter((item) => item.type !== 'result')
      if (said.length > 0) messages.push({ id: `u${place}`, role: 'user', parts: said.flatMap(userPart) })
      continue
    }
    const answer = answers[ours.get(place) ?? -1]
    const message = kept(answer ?? fromElsewhere(turn, place), turn)
    if (answer !== undefined && message.parts.length < answer.parts.length) partly++
    const results = turns[place + 1]?.items.filter((item) => item.type === 'result') ?? []
    messages.push({ ...message, parts: settled(message.parts, turn, results) })
  }
  return { messages, ours, partly }
}

/**
 * Answers stand in the order in which they came. One that the client has changed is found by its place: what goes on with one more turn than
 * was known goes on with the newest answer, when there are as many calls in both.
 */
function placesOf(turns: readonly Turn[], answers: readonly (Message | undefined)[]): Map<number, number> {
  const ours = new Map<number, number>()
  let next = 0
  for (const [place, turn] of turns.entries()) {
    if (turn.role !== 'assistant') continue
    const at = answers.findIndex((answer, number) => number >= next && answer !== undefined && says(answer, turn))
    if (at < 0) continue
    ours.set(place, at)
    next = at + 1
  }
  const number = answers.length - 1
  const newest = answers[number]
  const last = Math.max(-1, ...ours.keys())
  const rest = [...turns.entries()].filter(([place, { role }]) => place > last && role === 'assistant')
  const [only] = rest
  // What says nothing is not sent: the client has put something of its own there.
  const isNothing = newest?.parts.every((part) => part.type === 'reasoning' || (part.type === 'text' && part.text.trim() === ''))
  if (newest === undefined || isNothing === true || next > number || only === undefined || rest.length > 1) return ours
  if (callsOf(newest.parts).length === told(only[1]).length) ours.set(only[0], number)
  return ours
}

/** Whether a turn is an answer: by its calls, or some of them; without calls by its text. */
function says(answer: Message, turn: Turn): boolean {
  const calls = callsOf(answer.parts)
  if (calls.length > 0) return told(turn).length > 0 && told(turn).every((call) => calls.some((ours) => isSameCall(ours, call)))
  const text = textOf(answer).trim()
  return (
    text !== '' &&
    told(turn).length === 0 &&
    text ===
      turn.items
        .map((item) => (item.type === 'text' ? item.text : ''))
        .join('')
        .trim()
  )
}

function told({ items }: Turn): ToldCall[] {
  return items.filter((item) => item.type === 'call')
}

type ToldCall = Extract<Item, { readonly type: 'call' }>

function isSameCall({ toolName, input }: ToolCallPart, call: ToldCall): boolean {
  // The arguments of one that is no function have no common form.
  if (call.native !== undefined) return toolName === (call.name ?? call.native.replace(/_call$/, ''))
  return call.name === toolName && same(call.input, input)
}

/** Without the calls that the client has forgotten: it will never have their results. */
function kept(message: Message, turn: Turn): Message {
  const calls = callsOf(message.parts)
  if (told(turn).length >= calls.length) return message
  const left = [...told(turn)]
  const parts = message.parts.filter((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return true
    const at = left.findIndex((call) => isSameCall(part, call))
    return at >= 0 && left.splice(at, 1).length === 1
  })
  return { ...message, parts }
}

function callsOf(parts: readonly Part[]): readonly ToolCallPart[] {
  return parts.filter((part): part is ToolCallPart => part.type === 'tool-call' && part.providerExecuted !== true)
}

/** Results belong to the calls of the turn before them, by their ids, else by their names; where there are no such ones, by their order. */
function settled(parts: readonly Part[], turn: Turn, results: readonly Result[]): Part[] {
  const left = [...results]
  const take = ({ id, name }: ToldCall): Result | undefined => {
    const isIts = (result: Result) => (id === undefined || result.id === undefined ? result.name === name : result.id === id)
    const at = left.findIndex(isIts)
    return left.splice(Math.max(at, 0), 1)[0]
  }
  const outcomes = told(turn).map(take)
  const calls = callsOf(parts)
  return parts.map((part) => {
    const result = part.type === 'tool-call' ? outcomes[calls.indexOf(part)] : undefined
    return part.type === 'tool-call' && result !== undefined ? withResult(part, result) : part
  })
}

function withResult(call: ToolCallPart, { text, media, failed }: Result): ToolCallPart {
  const content = media.length === 0 ? text : [{ type: 'text', text } as const, ...media.map(mediaPart)]
  const settlement = failed
    ? ({ outcome: 'error', error: errorData('ToolExecutionError', text) } as const)
    : ({ outcome: 'ok', output: text } as const)
  return { ...call, content, settlement }
}

function fromElsewhere({ items }: Turn, place: number): Message {
  const parts = items.flatMap((item, index): Part[] => {
    if (item.type === 'text') return [{ type: 'text', text: item.text }]
    if (item.type !== 'call') return []
    const { name, id, input } = item
    const ids = { callId: `m${1_000 + place}.${index}`, ...(id === undefined ? {} : { providerCallId: id }) }
    return [{ type: 'tool-call', ...ids, toolName: name ?? 'a_tool', input: typeof input === 'object' ? (input as Json) : {} }]
  })
  return { id: `m${1_000 + place}`, role: 'assistant', parts }
}

function userPart(item: Item): Part[] {
  if (item.type === 'text') return [{ type: 'text', text: item.text }]
  return item.type === 'media' ? [mediaPart(item)] : []
}

function mediaPart({ kind, mediaType, data }: Media): MediaPart {
  return { type: kind, mediaType: mediaType ?? (kind === 'image' ? 'image/png' : 'application/pdf'), data }
}
