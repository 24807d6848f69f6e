import type { Json, JsonObject } from '../../core/json.ts'
import type { AssistantItem } from '../history/turns.ts'
import { textOrNothing } from '../wire.ts'
import { callItem } from './client-calls.ts'
import { dataOf, type ItemData } from './data.ts'
import { madePicture } from './media.ts'

interface OfResponse {
  /** The item's own id. */
  readonly id: string | undefined
  /** The reasoning item that it goes with, by one of its names. */
  readonly after: string | undefined
}

/** A message as far as it is one item. */
export interface MessageDraft extends OfResponse {
  readonly type: 'message'
  readonly message: NonNullable<ItemData['message']> | undefined
  readonly content: readonly JsonObject[]
  readonly text: string
}

/** An item that goes back as it came: reasoning, a call, what the server has done. */
export interface ItemDraft extends OfResponse {
  readonly type: 'reasoning' | 'call' | 'other'
  readonly item: JsonObject
  /** What `after` may call it: its id, '' where it has none, and its first one. */
  readonly names: readonly string[]
}

export type Draft = MessageDraft | ItemDraft

/** What the model has said and done in one turn, as items of the API. */
export function draftsOf(items: readonly AssistantItem[]): readonly Draft[] {
  const drafts: Draft[] = []
  for (const item of items) {
    const draft = draftOf(item)
    if (draft === undefined) continue
    const before = drafts.at(-1)
    if (before?.type === 'message' && draft.type === 'message' && isSameMessage(before, draft))
      drafts[drafts.length - 1] = joined(before, draft)
    else drafts.push(draft)
  }
  return drafts
}

function draftOf(item: AssistantItem): Draft | undefined {
  const data = dataOf(item.data)
  const { after } = data
  switch (item.type) {
    case 'text':
      return data.item === undefined ? messageDraft(item.text, data) : itemDraft(data.item, data)
    case 'reasoning':
      return data.item === undefined ? undefined : itemDraft(data.item, data)
    case 'media':
      return data.item === undefined ? undefined : itemDraft({ ...data.item, result: madePicture(item.part) }, data)
    case 'server-call':
      return data.item === undefined ? undefined : itemDraft(data.item, data)
    case 'call':
      return { type: 'call', id: idOf(data.item), after, item: callItem(item, data.item), names: [] }
  }
}

function itemDraft(item: JsonObject, { after, firstId }: ItemData): ItemDraft {
  const id = idOf(item)
  const names = [id ?? '', ...(firstId === undefined ? [] : [firstId])]
  return { type: item['type'] === 'reasoning' ? 'reasoning' : 'other', id, after, item, names }
}

function messageDraft(text: string, { message, refusal, annotations = [], after }: ItemData): Draft | undefined {
  if (message === undefined && text.trim() === '') return undefined
  const part: JsonObject = refusal === true ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations }
  return { type: 'message', message, id: message?.id, after, content: [part], text }
}

/** Texts of one message of the response; or texts of which nobody knows where a message ended. */
function isSameMessage(a: MessageDraft, b: MessageDraft): boolean {
  return a.message === undefined ? b.message === undefined : a.id !== undefined && a.id === b.id
}

function joined(a: MessageDraft, b: MessageDraft): MessageDraft {
  return { ...a, content: [...a.content, ...b.content], text: a.text + b.text }
}

function idOf(item: JsonObject | undefined): string | undefined {
  const id: Json | undefined = item?.['id']
  return textOrNothing(id) || undefined
}
