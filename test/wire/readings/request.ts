import { type AnyJson, json, type Opaque } from './reading.ts'

// What a request says, read in the plainest way. Recorded requests and ours are read by the same reader and then compared, so that what
// clients may write in several ways (adjacent messages of one role, text as a text or as parts) is the same in both.

/** One thing in a turn, in the order in which it stands there. */
export type Item =
  | { readonly type: 'text'; readonly text: string }
  /** `field`: where it stands, if its API has several places for it. */
  | { readonly type: 'reasoning'; readonly text: string; readonly field?: string }
  | Media
  | { readonly type: 'call'; readonly name?: string; readonly id?: string; readonly input: unknown; readonly native?: string }
  | Result
  | ({ readonly type: 'opaque' } & Opaque)
  /** What only this API has: a result of a server tool, a compaction. */
  | { readonly type: 'item'; readonly value: AnyJson }

export interface Media {
  readonly type: 'media'
  readonly kind: 'image' | 'file'
  readonly mediaType?: string
  /** Base64, or a URL. */
  readonly data: string
}

export interface Result {
  readonly type: 'result'
  /** Of its call; where an API has none, results come in the order of the calls. */
  readonly id?: string
  /** Of the tool, where the API asks for it. */
  readonly name?: string
  readonly text: string
  readonly media: readonly Media[]
  readonly failed: boolean
  /** Of a call that is no function call: the item's type. */
  readonly native?: string
  /** The program of the model that called, where one did: it is answered to it. */
  readonly caller?: string
}

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly items: readonly Item[]
}

export interface ReadRequest {
  readonly instructions: string
  readonly turns: readonly Turn[]
  /** Names of the tools, where they have one. */
  readonly tools: readonly string[]
  /** The response that it goes on with, instead of telling it. */
  readonly previous?: string
}

/** A message as it stands in a request, before adjacent ones are merged. */
export interface Said {
  readonly role: 'system' | 'user' | 'assistant'
  readonly items: readonly Item[]
}

/**
 * System messages at the beginning are the instructions; later ones are read as said by the user, for our history has no others. Adjacent
 * messages of one role are one turn, adjacent texts one text. What is empty or blank is nothing.
 */
export function requestOf(said: readonly Said[], more: Partial<ReadRequest> = {}): ReadRequest {
  const begin = said.findIndex(({ role }) => role !== 'system')
  const system = said.slice(0, begin < 0 ? said.length : begin)
  const instructions = [more.instructions ?? '', ...system.flatMap(({ items }) => items.map(textOf))]
    .filter((text) => text !== '')
    .join('\n\n')
  const turns: { role: Turn['role']; items: Item[] }[] = []
  for (const { role, items } of said.slice(system.length)) {
    const side = role === 'system' ? 'user' : role
    const last = turns.at(-1)
    const turn = last?.role === side ? last : { role: side, items: [] }
    const isBlank = items.every((item) => item.type !== 'text' || item.text.trim() === '')
    for (const item of isBlank ? items.filter(({ type }) => type !== 'text') : items)
      for (const one of side === 'user' ? [asSaid(item)] : withThoughts(item)) addItem(turn.items, one)
    if (turn !== last && turn.items.length > 0) turns.push(turn)
  }
  return { tools: [], ...more, instructions, turns }
}

function addItem(items: Item[], item: Item): void {
  const last = items.at(-1)
  if (item.type !== 'text' && item.type !== 'reasoning') items.push(item)
  else if (item.text !== '' && last?.type === item.type) items[items.length - 1] = { ...last, text: last.text + item.text }
  else if (item.text !== '') items.push(item)
}

/** Models that write tags into their text: some clients split them off, and some write reasoning so when they send it back. */
function withThoughts(item: Item): Item[] {
  const [all, thought] = (item.type === 'text' && /^(?:<think>)?(.*?)<\/think>\s*/s.exec(item.text)) || []
  if (item.type !== 'text' || all === undefined || thought === undefined) return [item]
  return [
    { type: 'reasoning', text: thought },
    { type: 'text', text: item.text.slice(all.length) },
  ]
}

/** Users do not reason: some clients mark their words so. */
function asSaid(item: Item): Item {
  return item.type === 'reasoning' ? { type: 'text', text: item.text } : item
}

function textOf(item: Item): string {
  return item.type === 'text' ? item.text : ''
}

/** `data:image/png;base64,…` or another URL. */
export function mediaOf(kind: Media['kind'], url: string): Media {
  const [, mediaType, data] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(url) ?? []
  return mediaType === undefined || data === undefined ? { type: 'media', kind, data: url } : { type: 'media', kind, mediaType, data }
}

/** What a tool gave back, when it is no text: as JSON. */
export function resultText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Arguments as they stand in a request: JSON, or a text where they are none. */
export function inputOf(text: unknown): unknown {
  return typeof text === 'string' ? (text.trim() === '' || text === 'null' ? {} : (json(text) ?? text)) : text
}
