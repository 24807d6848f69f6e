import type { JsonObject } from '../../core/json.ts'
import { textOrNothing } from '../wire.ts'
import type { Draft, ItemDraft, MessageDraft } from './drafts.ts'

/** Kinds of what the server did that say nothing without the reasoning that led to them. */
const leaveWithReasoning: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
])

/** Kinds of the server's own that have an id to be answered by and are answered elsewhere, or never. */
const answeredElsewhere: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_call',
  'program',
])

/**
 * The items of a turn as they can be sent. Reasoning and the item after it are one unit: when the server has no way to read it, or when the
 * item after it is missing, reasoning is left out (B067), and what came after it goes without its id, which would ask for it (B068). What
 * was called and never answered is left out, and so is an answer without its call (B012).
 *
 * @param store Whether the server keeps what it has said, so that an id is enough.
 * @param used The ids of calls in the turns before.
 */
export function sendable(drafts: readonly Draft[], store: boolean, used: { has(id: string): boolean }): readonly JsonObject[] {
  const paired = withoutOrphans(drafts.map(withoutNulls), used)
  const kept = keptReasoning(paired, store)
  let last: ItemDraft | undefined
  return paired.flatMap((draft, index): readonly JsonObject[] => {
    if (draft.type === 'reasoning') {
      if (!kept.has(draft)) return []
      last = draft
      return [draft.item]
    }
    const isIntact = draft.after === undefined || last?.names.includes(draft.after) === true
    const isNeeded = isIntact && last !== undefined && paired[index - 1] === last
    if (draft.type === 'message') return messageItems(draft, isIntact, isNeeded)
    return itemItems(draft, isIntact)
  })
}

function keptReasoning(drafts: readonly Draft[], store: boolean): ReadonlySet<Draft> {
  const kept = new Set<Draft>()
  let next: Draft | undefined
  for (const draft of [...drafts].reverse()) {
    const isFollowed = isBefore(draft, next) && (next.type !== 'reasoning' || kept.has(next))
    if (draft.type === 'reasoning' && isFollowed && (store || isWhole(draft.item))) kept.add(draft)
    next = draft
  }
  return kept
}

function isBefore(draft: Draft, next: Draft | undefined): next is Draft {
  return next?.after !== undefined && draft.type !== 'message' && draft.names.includes(next.after)
}

/** Whether reasoning can be read without what the server may have kept: encrypted, or as the text that open models give. */
function isWhole({ encrypted_content: encrypted, content }: JsonObject): boolean {
  return textOrNothing(encrypted) !== '' || (Array.isArray(content) && content.length > 0)
}

/** Servers tell so what an item has not. OpenAI takes most of it so, but no status, no content and no namespace. */
function withoutNulls(draft: Draft): Draft {
  if (draft.type === 'message') return draft
  const isToLeave = ([name, value]: readonly [string, unknown]) => value === null && neverNull.has(name)
  const fields = Object.entries(draft.item)
  return fields.some(isToLeave) ? { ...draft, item: Object.fromEntries(fields.filter((field) => !isToLeave(field))) } : draft
}

const neverNull: ReadonlySet<string> = new Set(['content', 'namespace', 'status'])

/** With its id it is a message of the response as it was; without, it is one that says the same. */
function messageItems({ id, message, content, text }: MessageDraft, isIntact: boolean, isNeeded: boolean): readonly JsonObject[] {
  if (text === '' && !isNeeded) return []
  const phase = message?.phase === undefined ? {} : { phase: message.phase }
  if (!isIntact || id === undefined) return [{ role: 'assistant', content: text, ...phase }]
  return [{ type: 'message', role: 'assistant', id, status: message?.status ?? 'completed', content, ...phase }]
}

function itemItems({ type, item }: ItemDraft, isIntact: boolean): readonly JsonObject[] {
  if (isIntact || item['type'] === 'mcp_approval_request') return [item]
  if (type === 'other' && leaveWithReasoning.has(item['type'])) return []
  const { id: _id, ...rest } = item
  return [rest]
}

function withoutOrphans(drafts: readonly Draft[], used: { has(id: string): boolean }): readonly Draft[] {
  const kinds = new Map<string, Set<unknown>>()
  for (const draft of drafts) {
    const id = callIdOf(draft)
    if (id !== '' && 'item' in draft) kinds.set(id, (kinds.get(id) ?? new Set()).add(draft.item['type']))
  }
  return drafts.filter((draft) => {
    const id = callIdOf(draft)
    if (draft.type !== 'other' || id === '' || answeredElsewhere.has(draft.item['type'])) return true
    return (kinds.get(id)?.size ?? 0) > 1 || used.has(id)
  })
}

export function callIdOf(draft: Draft): string {
  return draft.type === 'other' ? textOrNothing(draft.item['call_id']) : ''
}
