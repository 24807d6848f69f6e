import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Message } from '../../core/message.ts'
import { wordIds } from '../history/ids.ts'
import { type AssistantItem, type HistoryRules, type ResultItem, type Turn, turnsOf } from '../history/turns.ts'
import type { Encoded, Piece, Writing } from '../http/conversation.ts'
import { unseen } from '../media-data.ts'
import { isReadable, mediaBlock } from './media.ts'
import { noteIn } from './notes.ts'
import { pendingIn, serverBlocks } from './pending.ts'
import { isServerResult, isServerUse, missingResult } from './server-tools.ts'

/**
 * How messages are written for the models of a scope.
 *
 * @param prefill Whether they go on with an answer that another one follows. Others are asked to by a message of the user.
 */
export function messagesWriting(scope: string, prefill: boolean): Writing {
  const rules: HistoryRules = { scope, ids: wordIds, shows: isReadable, resultHolds: isReadable }
  return {
    encode: (message, used, before) => encodeMessage(message, used, before, rules, prefill),
    between: (before, after) => (before === undefined && after === 'assistant' ? userPiece([words(opening)]) : undefined),
  }
}

/** The first message must be the user's. */
const opening = '(The conversation begins here.)'

const goOn = 'Go on.'

/** A failure that says nothing would be refused. */
const failedSilently = '(It failed and said nothing.)'

/** What stands behind an answer that ends the conversation, where a model does not go on with it by itself. */
export function goOnPiece(): Piece {
  return userPiece([words(goOn)])
}

function encodeMessage(
  message: Message,
  used: ReadonlyMap<string, unknown>,
  before: Message | undefined,
  rules: HistoryRules,
  prefill: boolean,
): Encoded {
  const { turns, ids } = turnsOf(message, used, rules)
  const { scope } = rules
  const pending = before === undefined ? new Map<string, JsonObject>() : pendingIn(before, scope)
  const own = serverBlocks(message, scope)
  const left = [...pending].filter(([id]) => !own.results.has(id) && !own.callers.has(id))
  const pieces = turns.flatMap((turn) => piecesOf(turn, message, pending, scope))
  if (pieces.length === 0 && left.length === 0) return { pieces, ids }
  // What was pending and gets no answer here never will.
  if (left.length > 0) pieces.unshift(assistantPiece(left.map(([, use]) => JSON.stringify(missingResult(use)))))
  else if (!prefill && pieces[0]?.role === 'assistant' && before !== undefined && isAnswer(before, rules)) pieces.unshift(goOnPiece())
  return { pieces, ids }
}

/** An answer that has ended, and with which the conversation so far ends. */
function isAnswer(message: Message, rules: HistoryRules): boolean {
  if (message.role !== 'assistant' || noteIn(message, rules.scope, 'paused') === true) return false
  if (message.parts.some((part) => part.type === 'tool-call' && part.providerExecuted !== true)) return false
  return turnsOf(message, new Set(), rules).turns.length > 0
}

function piecesOf(turn: Turn, message: Message, pending: ReadonlyMap<string, JsonObject>, scope: string): Piece[] {
  switch (turn.role) {
    case 'user':
      return [userPiece(turn.items.map((item) => (item.type === 'text' ? words(item.text) : JSON.stringify(mediaBlock(item.part)))))]
    case 'results':
      return [{ ...userPiece(turn.results.map(resultBlock)), role: 'tool' }]
    case 'assistant': {
      const isLegal = legalBlocks(message, pending, scope)
      const blocks: string[] = []
      let last: AssistantItem | undefined
      for (const item of turn.items) {
        const made = blocksOf(item, isLegal)
        if (made.length > 0) last = item
        blocks.push(...made)
      }
      return blocks.length === 0 ? [] : [assistantPiece(blocks, last)]
    }
  }
}

/** A call of the provider has its result, or is pending; a result has its call, here or pending in the answer before. */
function legalBlocks(message: Message, pendingBefore: ReadonlyMap<string, JsonObject>, scope: string): (item: JsonObject) => boolean {
  const { uses, results } = serverBlocks(message, scope)
  const pending = pendingIn(message, scope)
  return ({ type, id, tool_use_id: of }) => {
    if (isServerUse(type)) return typeof id === 'string' && (results.has(id) || pending.has(id))
    return !isServerResult(type) || (typeof of === 'string' && (uses.has(of) || pendingBefore.has(of)))
  }
}

function blocksOf(item: AssistantItem, isLegal: (block: JsonObject) => boolean): readonly string[] {
  const notes = isJsonObject(item.data) ? item.data : {}
  if (isJsonObject(notes['item'])) return isLegal(notes['item']) ? [JSON.stringify(notes['item'])] : []
  switch (item.type) {
    case 'text': {
      if (item.text.trim() === '') return []
      const { citations } = notes
      // The text stands last: its blank end is cut off there.
      return [citations === undefined ? words(item.text) : JSON.stringify({ type: 'text', citations, text: item.text })]
    }
    case 'reasoning': {
      // Without its signature it would be refused, and so would one that is blank (B070).
      const { signature } = notes
      return signature === undefined ? [] : [JSON.stringify({ type: 'thinking', thinking: item.text, signature })]
    }
    case 'media':
      return [words(unseen(item.part))]
    case 'call': {
      const { id, name, input } = item
      const caller = notes['caller'] === undefined ? {} : { caller: notes['caller'] }
      return [JSON.stringify({ type: 'tool_use', id, name, input, ...caller })]
    }
    case 'server-call':
      return []
  }
}

function resultBlock({ id, text, isError, media }: ResultItem): string {
  const said = text.trim() === '' ? [] : [{ type: 'text', text }]
  const nothing = isError ? { content: failedSilently } : {}
  const content: JsonObject =
    media.length > 0 ? { content: [...said, ...media.map(mediaBlock)] } : said.length > 0 ? { content: text } : nothing
  return JSON.stringify({ type: 'tool_result', tool_use_id: id, ...content, ...(isError ? { is_error: true } : {}) })
}

function words(text: string): string {
  return JSON.stringify({ type: 'text', text })
}

/** Messages of one role that follow each other are one: results stand in it before all that is said (B193). */
function userPiece(blocks: readonly string[]): Piece {
  return { role: 'user', joins: 'user', open: '{"role":"user","content":[', body: blocks.join(','), close: ']}' }
}

/** @param last What the last block was made of. */
function assistantPiece(blocks: readonly string[], last?: AssistantItem): Piece {
  const piece: Piece = {
    role: 'assistant',
    joins: 'assistant',
    open: '{"role":"assistant","content":[',
    body: blocks.join(','),
    close: ']}',
  }
  const blank = last?.type === 'text' ? blankEnd(last.text) : 0
  return blank === 0 ? piece : { ...piece, whenLast: { drop: blank + '"}'.length, put: '"}' } }
}

/** How long the blank end of a text is as JSON, in bytes (B191). */
function blankEnd(text: string): number {
  const end = text.slice(text.trimEnd().length)
  return end === '' ? 0 : new TextEncoder().encode(JSON.stringify(end)).length - '""'.length
}
