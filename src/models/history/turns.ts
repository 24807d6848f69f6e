import type { Json } from '../../core/json.ts'
import { type MediaPart, type Message, type Part, resultText, type ToolCallPart } from '../../core/message.ts'
import { wellFormed } from '../../core/text.ts'
import { unseen } from '../media-data.ts'
import { plainMedia } from '../plain-media.ts'
import { legalToolName } from '../tool-names.ts'
import { type CallIds, idsOf } from './ids.ts'

/** What an API takes of a history, and in which form. */
export interface HistoryRules {
  /** Opaque data goes back to whom it came from only: what is kept under another scope is not shown to the adapter. */
  readonly scope: string
  readonly ids: CallIds
  /** Whether the API has a form for this at all, which is plain (`plainMedia`). What it has none for is told in words. Default: it has. */
  readonly shows?: (media: MediaPart) => boolean
  /** Whether the result of a tool may hold this, which can be shown. What it may not is shown by the user, after all results of the turn. Default: nothing. */
  readonly resultHolds?: (media: MediaPart) => boolean
  /** How tools may be named. Default: `legalToolName`. */
  readonly nameOf?: (name: string) => string
}

export interface TextItem {
  readonly type: 'text'
  /** Well-formed. '' only where it has data. */
  readonly text: string
  /** Ours: it stands in the place of what can't be shown. */
  readonly isTold?: true
  /** The opaque data of this scope. */
  readonly data?: Json
}

export interface ReasoningItem {
  readonly type: 'reasoning'
  readonly text: string
  readonly data?: Json
}

export interface MediaItem {
  readonly type: 'media'
  /** Plain, but for what an answer holds. */
  readonly part: MediaPart
  readonly data?: Json
}

export interface CallItem {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly part: ToolCallPart
  readonly data?: Json
}

/** A call that the provider ran itself; only where its data is of this scope. */
export interface ServerCallItem {
  readonly type: 'server-call'
  readonly part: ToolCallPart
  readonly data: Json
}

export interface ResultItem {
  readonly id: string
  readonly name: string
  /** Well-formed; may be ''. */
  readonly text: string
  readonly isError: boolean
  /** What the API takes in a result. */
  readonly media: readonly MediaPart[]
  readonly part: ToolCallPart
}

export type AssistantItem = TextItem | ReasoningItem | MediaItem | CallItem | ServerCallItem

/** A piece of a conversation as APIs know them. None is empty. */
export type Turn =
  | { readonly role: 'user'; readonly items: readonly (TextItem | MediaItem)[] }
  | { readonly role: 'assistant'; readonly items: readonly AssistantItem[] }
  | { readonly role: 'results'; readonly results: readonly ResultItem[] }

export interface Turns {
  readonly turns: readonly Turn[]
  /** The ids under which its calls are sent. */
  readonly ids: readonly string[]
}

/**
 * A message of ours as the turns of an API: the one place that knows what a history must be everywhere. A call is followed by its result,
 * results stand in call order and in one turn, ids and names are legal and ids unique, what is blank is left out (a blank between two texts
 * is of the first one), opaque data of others is dropped, and reasoning with it when its text is of no use elsewhere, texts are well-formed,
 * and media that a result can't hold is shown by the user behind all results, or told of in words where the API has no form for it. The same
 * message after the same history gives the same turns.
 *
 * @param used The ids of calls before it.
 */
export function turnsOf(message: Message, used: { has(id: string): boolean }, rules: HistoryRules): Turns {
  if (message.role !== 'assistant') {
    const items = message.parts.flatMap((part) => userItem(part, rules))
    return { turns: items.length === 0 ? [] : [{ role: 'user', items }], ids: [] }
  }
  const calls = message.parts.filter((part): part is ToolCallPart => part.type === 'tool-call' && part.providerExecuted !== true)
  const ids = calls.length === 0 ? none : idsOf(calls, used, rules.ids)
  const items = assistantItems(message, ids, rules)
  const settled = items.flatMap((item) => (item.type === 'call' ? [settledCall(item, rules)] : []))
  const turns: Turn[] = []
  if (items.length > 0) turns.push({ role: 'assistant', items })
  if (settled.length > 0) turns.push({ role: 'results', results: settled.map(({ result }) => result) })
  const shown = settled.flatMap(({ beside }) => beside)
  if (shown.length > 0) turns.push({ role: 'user', items: shown })
  return { turns, ids }
}

const none: readonly string[] = []

function userItem(part: Part, rules: HistoryRules): readonly (TextItem | MediaItem)[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: wellFormed(part.text) }]
  return isMedia(part) ? [mediaItem(part, plainMedia(part), rules)] : []
}

function mediaItem(part: MediaPart, plain: MediaPart | undefined, { shows }: HistoryRules): TextItem | MediaItem {
  return plain === undefined || shows?.(plain) === false
    ? { type: 'text', text: unseen(part), isTold: true }
    : { type: 'media', part: plain }
}

/** As one text, for where there are no parts: what a user says in pieces is one text, what is told in the place of media stands apart from it. */
export function joinedTexts(items: readonly TextItem[]): string {
  let text = ''
  for (const [place, item] of items.entries()) {
    const isApart = place > 0 && (item.isTold === true || items[place - 1]?.isTold === true)
    text += isApart ? `\n\n${item.text}` : item.text
  }
  return text
}

function assistantItems({ parts }: Message, ids: readonly string[], rules: HistoryRules): readonly AssistantItem[] {
  const items: AssistantItem[] = []
  let next = 0
  /** Blanks that came as a text of their own: between two texts they are of the first one. */
  let blank = ''
  for (const part of parts) {
    const made = assistantItem(part, () => ids[next++] ?? '', rules)
    const last = items.at(-1)
    if (made.length === 0 && part.type === 'text' && isText(last)) blank += part.text
    if (made.length === 0) continue
    if (blank !== '' && isText(last) && isText(made[0])) items[items.length - 1] = { ...last, text: last.text + blank }
    blank = ''
    items.push(...made)
  }
  return items
}

/** One that says something: others hold data only. */
function isText(item: AssistantItem | undefined): item is TextItem {
  return item?.type === 'text' && item.text.trim() !== ''
}

function assistantItem(part: Part, nextId: () => string, rules: HistoryRules): readonly AssistantItem[] {
  const own = part.providerData
  const data = own !== undefined && Object.hasOwn(own, rules.scope) ? own[rules.scope] : undefined
  const withData = data === undefined ? {} : { data }
  switch (part.type) {
    case 'text':
    case 'reasoning':
      if (part.text.trim() === '' && data === undefined) return []
      return [{ type: part.type, text: wellFormed(part.text), ...withData }]
    case 'image':
    case 'file':
      return [{ type: 'media', part, ...withData }]
    case 'source':
      return []
    case 'tool-call': {
      if (part.providerExecuted === true) return data === undefined ? [] : [{ type: 'server-call', part, data }]
      const name = (rules.nameOf ?? legalToolName)(part.toolName)
      return [{ type: 'call', id: nextId(), name, input: part.input, part, ...withData }]
    }
  }
}

interface SettledCall {
  readonly result: ResultItem
  /** What the user shows, for the result can't hold it. */
  readonly beside: readonly (TextItem | MediaItem)[]
}

function settledCall({ id, name, part }: CallItem, rules: HistoryRules): SettledCall {
  const media: MediaPart[] = []
  const beside: (TextItem | MediaItem)[] = []
  for (const one of mediaIn(part)) {
    const plain = plainMedia(one)
    if (plain !== undefined && rules.resultHolds?.(plain) === true) media.push(plain)
    else beside.push(mediaItem(one, plain, rules))
  }
  if (beside.length > 0) beside.unshift({ type: 'text', text: `From the result of ${wellFormed(part.toolName)}:` })
  const isError = part.settlement !== undefined && part.settlement.outcome !== 'ok'
  return { result: { id, name, text: wellFormed(resultText(part)), isError, media, part }, beside }
}

function mediaIn({ content }: ToolCallPart): readonly MediaPart[] {
  return content === undefined || typeof content === 'string' ? [] : content.filter(isMedia)
}

function isMedia(part: Part): part is MediaPart {
  return part.type === 'image' || part.type === 'file'
}
