import type { JsonObject } from '../../core/json.ts'
import { anyIds } from '../history/ids.ts'
import { type CallItem, type HistoryRules, type Turn, turnsOf } from '../history/turns.ts'
import type { Piece, Role, Writing } from '../http/conversation.ts'
import { answerItem } from './client-calls.ts'
import { dataOf } from './data.ts'
import { draftsOf } from './drafts.ts'
import { isShown, userContent } from './media.ts'
import { callIdOf, sendable } from './units.ts'

/** What the writing of a history depends on. */
export interface HistoryOptions {
  readonly scope: string
  /** Whether the server keeps what it has said. */
  readonly store: boolean
  readonly mediaInResults: boolean
}

/** How a history is written as items of the API's input. */
export function responsesWriting(options: HistoryOptions): Writing {
  const { scope, store, mediaInResults } = options
  const rules: HistoryRules = { scope, ids: anyIds, shows: isShown, resultHolds: (media) => mediaInResults && isShown(media) }
  return {
    encode(message, used) {
      const { turns, ids } = turnsOf(message, used, rules)
      const programs: string[] = []
      const pieces = turns.flatMap((turn, index) => piecesOf(turn, turns[index - 1], store, used, programs))
      return { pieces, ids: [...ids, ...programs] }
    },
  }
}

function piecesOf(
  turn: Turn,
  before: Turn | undefined,
  store: boolean,
  used: { has(id: string): boolean },
  programs: string[],
): readonly Piece[] {
  switch (turn.role) {
    case 'user':
      return [piece('user', { role: 'user', content: userContent(turn.items) })]
    case 'assistant': {
      const drafts = draftsOf(turn.items)
      programs.push(...drafts.map(callIdOf).filter((id) => id !== ''))
      return sendable(drafts, store, used).map((item) => piece('assistant', item))
    }
    case 'results': {
      const calls = before?.role === 'assistant' ? before.items.filter((item): item is CallItem => item.type === 'call') : []
      const kept = new Map(calls.map((call) => [call.id, dataOf(call.data).item]))
      return turn.results.map((result) => piece('tool', answerItem(result, kept.get(result.id))))
    }
  }
}

function piece(role: Role, item: JsonObject): Piece {
  return { role, open: '', body: JSON.stringify(item), close: '' }
}
