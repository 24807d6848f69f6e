import { same } from './differences.ts'
import type { Item, Media, ReadRequest, Result, Turn } from './readings/request.ts'

export type RequestWhat =
  | 'request-instructions'
  | 'request-roles'
  | 'request-order'
  | 'request-text'
  | 'request-reasoning'
  | 'request-calls'
  | 'request-ids'
  | 'request-pairing'
  | 'request-results'
  | 'request-media'
  | 'request-opaque'
  | 'request-items'

export interface RequestDifference {
  readonly what: RequestWhat
  readonly turn?: number
  readonly recorded: unknown
  readonly ours: unknown
}

/**
 * Where our request says something else than the recorded one.
 *
 * @param isOurs Whether a turn was made from an answer that we have decoded: of others we were never given reasoning and opaque data.
 */
export function requestDifferences(recorded: ReadRequest, ours: ReadRequest, isOurs: (turn: number) => boolean): RequestDifference[] {
  const found: RequestDifference[] = []
  const compare = (what: RequestWhat, one: unknown, other: unknown, turn?: number) => {
    if (!same(one, other)) found.push({ what, ...(turn === undefined ? {} : { turn }), recorded: one, ours: other })
  }
  compare('request-instructions', recorded.instructions, ours.instructions)
  compare('request-roles', recorded.turns.map(outline), ours.turns.map(outline))
  if (found.some(({ what }) => what === 'request-roles')) return found
  for (const [place, turn] of recorded.turns.entries()) {
    const other = ours.turns[place] ?? turn
    const before = { recorded: recorded.turns[place - 1], ours: ours.turns[place - 1] }
    compare('request-text', textIn(turn), textIn(other), place)
    compare(
      'request-calls',
      of(turn, 'call').map(({ name, input }) => [name, input]),
      of(other, 'call').map(({ name, input }) => [name, input]),
      place,
    )
    compare(
      'request-ids',
      of(turn, 'call').map(({ id }) => id),
      of(other, 'call').map(({ id }) => id),
      place,
    )
    compare('request-pairing', pairs(turn, before.recorded), pairs(other, before.ours), place)
    compare(
      'request-results',
      of(turn, 'result').map(({ text }) => text),
      of(other, 'result').map(({ text }) => text),
      place,
    )
    compare('request-media', mediaIn(turn), mediaIn(other), place)
    compare('request-order', orderOf(turn), orderOf(other), place)
    if (turn.role === 'user' || !isOurs(place)) continue
    compare('request-reasoning', reasoningIn(turn), reasoningIn(other), place)
    compare(
      'request-opaque',
      of(turn, 'opaque').map(({ value }) => value),
      of(other, 'opaque').map(({ value }) => value),
      place,
    )
    compare(
      'request-items',
      of(turn, 'item').map(({ value }) => value),
      of(other, 'item').map(({ value }) => value),
      place,
    )
  }
  return found
}

/** Who speaks, and what of. */
function outline({ role, items }: Turn): string {
  const calls = items.filter(({ type }) => type === 'call').length
  const results = items.filter(({ type }) => type === 'result').length
  return `${role}${calls > 0 ? ` ${calls} calls` : ''}${results > 0 ? ` ${results} results` : ''}`
}

function of<T extends Item['type']>({ items }: Turn, type: T): Extract<Item, { readonly type: T }>[] {
  return items.filter((item): item is Extract<Item, { readonly type: T }> => item.type === type)
}

function textIn({ items }: Turn): string {
  return items.map((item) => (item.type === 'text' ? item.text : '')).join('')
}

function reasoningIn({ items }: Turn): string {
  return items.map((item) => (item.type === 'reasoning' ? item.text : '')).join('')
}

/** Of each result, the place of its call in the turn before. */
function pairs(turn: Turn, before: Turn | undefined): number[] {
  const ids = before === undefined ? [] : of(before, 'call').map(({ id }) => id)
  return of(turn, 'result').map(({ id }, place) => (id === undefined ? place : ids.indexOf(id)))
}

function mediaIn({ items }: Turn): unknown[] {
  const inResults = items.flatMap((item): readonly Media[] => (item.type === 'result' ? (item as Result).media : []))
  const shown = items.filter((item) => item.type === 'media')
  return [...inResults, ...shown].map(({ mediaType, data }) => (/^https?:/.test(data) ? data : [mediaType, data]))
}

/** What follows what; where an API keeps reasoning and opaque data beside the rest, they have no place. */
function orderOf({ items }: Turn): string[] {
  const types = items.map(({ type }) => type).filter((type) => type === 'text' || type === 'call' || type === 'result' || type === 'item')
  return types.filter((type, place) => type !== types[place - 1])
}
