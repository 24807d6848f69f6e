import type { Exchange } from '../setup/wire.ts'
import { readResponse } from './readings/read-response.ts'
import type { Answer, Placed } from './readings/reading.ts'
import { type Item, requestOf, type Turn } from './readings/request.ts'
import {
  isMadeId,
  nativeDifferences,
  opaqueDifferences,
  orderDifferences,
  type RequestDifference,
  turnDifferences,
} from './request-differences.ts'

/** The answer of a response as a turn of a request, as the plain reading has it, with as many calls as the client has kept. */
export function turnOf({ text, reasoning, reasoningField: field, calls, opaque, order }: Answer, kept: number): Turn | undefined {
  const left = calls.slice(0, kept)
  const placed: readonly Placed[] = order ?? [{ type: 'text', text }, ...left.map(() => ({ type: 'call' as const }))]
  const items: Item[] = [
    ...opaque.map((one) => ({ type: 'opaque' as const, ...one })),
    { type: 'reasoning', text: reasoning.join(''), ...(field === undefined ? {} : { field }) },
    ...placed.flatMap((one): Item[] => (one.type === 'call' ? left.splice(0, 1).map((call) => ({ type: 'call', ...call })) : [one])),
  ]
  return requestOf([
    { role: 'user', items: [{ type: 'text', text: 'Hello' }] },
    { role: 'assistant', items },
  ]).turns[1]
}

/** Where the API gave a call no id, one that ours has made stands for it. */
function numbered(said: Turn, ours: Turn): Turn {
  const made = ours.items.filter((item) => item.type === 'call')
  const items = said.items.map((item) => {
    const one = item.type === 'call' ? made.shift() : undefined
    return one?.id !== undefined && item.type === 'call' && !item.id && isMadeId(one.id) ? { ...item, id: one.id } : item
  })
  return { ...said, items }
}

export function callsIn({ items }: Turn): number {
  return items.filter(({ type }) => type === 'call').length
}

/** Marks the differences in which ours is what the provider had said: then it is the client that says something else. */
export function markSaid(
  differences: readonly RequestDifference[],
  answered: (turn: number) => Exchange | undefined,
  sent: readonly Turn[],
): RequestDifference[] {
  return differences.map((difference) => {
    const ours = sent[difference.turn ?? -1]
    const exchange = answered(difference.turn ?? -1)
    const answer = exchange === undefined ? undefined : readResponse(exchange).answer
    const turn = ours === undefined || answer === undefined ? undefined : turnOf(answer, callsIn(ours))
    if (ours === undefined || turn === undefined || !told.has(difference.what)) return difference
    const said = numbered(turn, ours)
    if (difference.origin === 'foreign' && opaque.has(difference.what)) return difference
    const ownWords = [
      ...turnDifferences(said, ours),
      ...opaqueDifferences(said, ours),
      ...orderDifferences(said, ours, difference.origin),
      ...(difference.origin === 'own' ? nativeDifferences('call', said, ours) : []),
    ].filter((one) => !isBlankOnly(one))
    return ownWords.some(({ what }) => what === difference.what) ? difference : { ...difference, said: true }
  })
}

/** Blanks behind a text are of no use, and may have come apart from it. */
function isBlankOnly({ what, recorded, ours }: RequestDifference): boolean {
  return what === 'request-text' && String(recorded).trimEnd() === String(ours).trimEnd()
}

/** What the plain reading of an answer tells all of. */
const told: ReadonlySet<RequestDifference['what']> = new Set([
  'request-text',
  'request-order',
  'request-reasoning',
  'request-calls',
  'request-ids',
  'request-opaque',
  'request-item-ids',
  'request-marks',
  'request-items',
])

/** What does not go to another model, be it word for word. */
const opaque: ReadonlySet<RequestDifference['what']> = new Set([
  'request-reasoning',
  'request-opaque',
  'request-item-ids',
  'request-marks',
  'request-items',
])
