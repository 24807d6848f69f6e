import { same } from './differences.ts'
import type { Item, Media, ReadRequest, Turn } from './readings/request.ts'

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
  | 'request-item-ids'
  | 'request-marks'
  | 'request-items'
  | 'request-lost'

export interface RequestDifference {
  readonly what: RequestWhat
  readonly turn?: number
  readonly recorded: unknown
  readonly ours: unknown
  /** Whose answer the turn is. */
  readonly origin?: Origin
  /** Ours is what the provider had said, as the plain reading of its answer tells. */
  readonly said?: true
  /** The recorded ids of calls stand in a turn before too. */
  readonly reused?: true
}

/**
 * Whose answer a turn is: one that we have decoded, from the same model or from another provider, API or model (what is opaque to others goes
 * back to its own kind only); absent: what the user says, or from elsewhere.
 */
export type Origin = 'own' | 'foreign' | undefined

/**
 * Where our request says something else than the recorded one.
 *
 * @param originOf Of turns from elsewhere we were never given reasoning and opaque data: these are not compared.
 */
export function requestDifferences(recorded: ReadRequest, ours: ReadRequest, originOf: (turn: number) => Origin): RequestDifference[] {
  const [rolesRecorded, rolesOurs] = [recorded.turns.map(outline), ours.turns.map(outline)]
  const found: RequestDifference[] = []
  if (recorded.instructions !== ours.instructions)
    found.push({ what: 'request-instructions', recorded: recorded.instructions, ours: ours.instructions })
  if (!same(rolesRecorded, rolesOurs)) found.push({ what: 'request-roles', recorded: rolesRecorded, ours: rolesOurs })
  const turns = turnsFor(recorded, ours)
  if (!same(rolesRecorded, turns.map(outline))) return found
  for (const [place, told] of recorded.turns.entries()) {
    const [asked, askedOurs, sent] = [recorded.turns[place - 1], turns[place - 1], turns[place] ?? told]
    const [turn, other] = [inOrderOfCalls(told, asked), inOrderOfCalls(sent, askedOurs)]
    const origin = originOf(place)
    const differences = [
      ...turnDifferences(turn, other),
      ...resultNameDifferences([asked, turn], [askedOurs, other]),
      ...difference('request-pairing', pairs(told, asked), pairs(sent, askedOurs)),
      ...unnumberedDifferences(other, askedOurs),
      ...orderDifferences(turn, other, origin),
      ...(origin === undefined ? [] : opaqueDifferences(turn, other)),
      ...(origin === 'own' ? nativeDifferences('call', turn, other) : []),
      ...(originOf(place - 1) === 'own' ? nativeDifferences('result', turn, other) : []),
    ]
    const more = { turn: place, ...(origin === undefined ? {} : { origin }), ...reused(recorded.turns, place) }
    found.push(...differences.map((one) => ({ ...one, ...more })))
  }
  return found
}

function reused(turns: readonly Turn[], place: number): { readonly reused?: true } {
  const before = new Set(turns.slice(0, place).flatMap((turn) => itemsOf(turn, 'call').map(({ id }) => id)))
  return itemsOf(turns[place] ?? { role: 'user', items: [] }, 'call').some(({ id }) => before.has(id)) ? { reused: true } : {}
}

/** Our turns in the places of the recorded ones: ours may have a word of the user before them. */
export function turnsFor(recorded: ReadRequest, { turns }: ReadRequest): readonly Turn[] {
  return recorded.turns[0]?.role === 'assistant' && turns[0]?.role === 'user' ? turns.slice(1) : turns
}

function difference(what: RequestWhat, recorded: unknown, ours: unknown): RequestDifference[] {
  return same(recorded, ours) ? [] : [{ what, recorded, ours }]
}

/** What anybody can read. */
export function turnDifferences(recorded: Turn, ours: Turn): RequestDifference[] {
  const both = (what: RequestWhat, read: (turn: Turn) => unknown) => difference(what, read(recorded), read(ours))
  // Some calls that are no functions have no name.
  const isNamed = itemsOf(recorded, 'call').map(({ name }) => name !== undefined)
  const resultsIn = resultsOf(recorded)
  return [
    ...both('request-text', (turn) => textIn(turn, 'text')),
    ...both('request-calls', (turn) =>
      itemsOf(turn, 'call').map(({ name, input }, place) => [isNamed[place] === true ? name : null, input]),
    ),
    ...both('request-ids', (turn) => itemsOf(turn, 'call').map(({ id }) => id ?? null)),
    ...both('request-results', (turn) => resultsIn(turn).map(({ text, failed }) => (failed ? { failed: text } : text))),
    ...both('request-media', mediaIn),
  ]
}

/** Of ours: `call_m1_0`, or `R00001000` where nine letters are all that a server takes. */
export function isMadeId(id: unknown): boolean {
  return /^(?:call_m\d+_\d+|R[0-9a-z]{8})$/.test(String(id))
}

/** What only the model that made it can read, or asks for. */
export function opaqueDifferences(recorded: Turn, ours: Turn): RequestDifference[] {
  const both = (what: RequestWhat, read: (turn: Turn) => unknown) => difference(what, read(recorded), read(ours))
  const opaque = (turn: Turn, is: (kind: string) => boolean) =>
    itemsOf(turn, 'opaque').flatMap(({ kind, value }) => (is(kind) ? [value] : []))
  return [
    ...both('request-reasoning', (turn) => textIn(turn, 'reasoning').trim()),
    ...both('request-opaque', (turn) => opaque(turn, (kind) => kind !== 'item-id' && kind !== 'mark')),
    ...both('request-item-ids', (turn) => opaque(turn, (kind) => kind === 'item-id')),
    ...both('request-marks', (turn) => [...opaque(turn, (kind) => kind === 'mark'), ...fieldsIn(turn)]),
    ...itemDifferences(recorded, ours),
  ]
}

/** Calls that are no function calls go back as what they were, and so do their results. */
export function nativeDifferences(type: 'call' | 'result', recorded: Turn, ours: Turn): RequestDifference[] {
  const natives = (turn: Turn) =>
    itemsOf<'call' | 'result'>(turn, type).map((one) => [one.native ?? null, one.type === 'result' ? (one.caller ?? null) : null])
  return difference(type === 'call' ? 'request-calls' : 'request-results', natives(recorded), natives(ours))
}

function fieldsIn(turn: Turn): string[] {
  return itemsOf(turn, 'reasoning').flatMap(({ field }) => field ?? [])
}

/** One by one, as far as they differ. What is null is nothing: clients that have types for it write down all that there could be. */
function itemDifferences(recorded: Turn, ours: Turn): RequestDifference[] {
  const [theirs, others] = [recorded, ours].map((turn) => itemsOf(turn, 'item').map(({ value }) => withoutNulls(value)))
  const count = Math.max(theirs?.length ?? 0, others?.length ?? 0)
  return Array.from({ length: count }, (_, place) => difference('request-items', theirs?.[place], others?.[place])).flat()
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutNulls(one)]))
}

/** Who speaks, and what of. */
function outline(turn: Turn): string {
  const counts = (['call', 'result'] as const).flatMap((type) => {
    const { length } = itemsOf(turn, type)
    return length === 0 ? [] : [` ${length} ${type}s`]
  })
  return `${turn.role}${counts.join('')}`
}

function itemsOf<T extends Item['type']>({ items }: Turn, type: T): Extract<Item, { readonly type: T }>[] {
  return items.filter((item): item is Extract<Item, { readonly type: T }> => item.type === type)
}

function textIn({ items }: Turn, type: 'text' | 'reasoning'): string {
  return items.map((item) => (item.type === type ? item.text : '')).join('')
}

/** The names of the tools whose results they are, where the recorded request says them; of calls that the client has renamed it says others. */
function resultNameDifferences(recorded: readonly [Turn | undefined, Turn], ours: readonly [Turn | undefined, Turn]): RequestDifference[] {
  const called = ([before]: typeof recorded) => (before === undefined ? [] : itemsOf(before, 'call').map(({ name }) => name))
  if (!same(called(recorded), called(ours))) return []
  const resultsIn = resultsOf(recorded[1])
  const [theirs, others] = [resultsIn(recorded[1]), resultsIn(ours[1])]
  // Some clients put the id of the call there.
  const isName = (name: string | undefined) => called(recorded).includes(name)
  const names = (results: typeof theirs) => results.map(({ name }, place) => (isName(theirs[place]?.name) ? name : null))
  return difference('request-results', names(theirs), names(others))
}

/** In their order; where the recorded ones are told by their names alone, in the order of those. */
function resultsOf(recorded: Turn): (turn: Turn) => readonly Extract<Item, { readonly type: 'result' }>[] {
  const isNamed = itemsOf(recorded, 'result').every(({ id, name }) => id === undefined && name !== undefined)
  return (turn) => {
    const results = itemsOf(turn, 'result')
    return isNamed ? [...results].sort((a, b) => (a.name ?? '').localeCompare(b.name ?? '')) : results
  }
}

/** Results without ids are told by the names of their tools: ours stand in the order of the calls, whatever the client does. */
function unnumberedDifferences(turn: Turn, before: Turn | undefined): RequestDifference[] {
  const results = itemsOf(turn, 'result')
  if (before === undefined || results.every(({ id, name }) => id !== undefined || name === undefined)) return []
  const called = itemsOf(before, 'call').map(({ name }) => name)
  return difference(
    'request-pairing',
    called,
    results.map(({ name }) => name),
  )
}

/** Each result in the place of its call: in which order a client sends them is told by `pairs`. */
function inOrderOfCalls(turn: Turn, before: Turn | undefined): Turn {
  const places = pairs(turn, before)
  if (new Set(places).size < places.length || places.includes(-1)) return turn
  const results = itemsOf(turn, 'result')
  const sorted = places.toSorted((a, b) => a - b).map((place) => results[places.indexOf(place)])
  return { ...turn, items: turn.items.map((item) => (item.type === 'result' ? (sorted.shift() ?? item) : item)) }
}

/** Of each result, the place of its call in the turn before. */
function pairs(turn: Turn, before: Turn | undefined): number[] {
  const ids = before === undefined ? [] : itemsOf(before, 'call').map(({ id }) => id)
  return itemsOf(turn, 'result').map(({ id }, place) => (id === undefined ? place : ids.indexOf(id)))
}

function mediaIn(turn: Turn): unknown[] {
  const inResults = itemsOf(turn, 'result').flatMap(({ media }): readonly Media[] => media)
  return [...inResults, ...itemsOf(turn, 'media')].map(({ mediaType, data }) =>
    /^https?:/.test(data) ? data : [mediaType, standardBase64(data)],
  )
}

/** Python clients write the other alphabet: the bytes are the same. */
function standardBase64(data: string): string {
  return /^[\w=-]*$/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data
}

export function orderDifferences(recorded: Turn, ours: Turn, origin: Origin): RequestDifference[] {
  return difference('request-order', orderOf(recorded, origin), orderOf(ours, origin))
}

/** What follows what. Reasoning and opaque data have a place in some APIs only; what has no common form stays with its own model. */
function orderOf({ items }: Turn, origin: Origin): string[] {
  const compared = ['text', 'call', 'result', ...(origin === 'own' ? ['item'] : [])]
  const types = items.map(({ type }) => type).filter((type) => compared.includes(type))
  return types.filter((type, place) => type !== types[place - 1])
}
