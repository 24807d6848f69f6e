import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { MediaPart } from '../../core/message.ts'
import { anyIds } from '../history/ids.ts'
import { type AssistantItem, type HistoryRules, type MediaItem, type TextItem, type Turn, turnsOf } from '../history/turns.ts'
import type { Piece, Writing } from '../http/conversation.ts'
import { isRemote } from '../media-data.ts'
import { scopeOf } from '../scope.ts'

/** Under which key it is kept that reasoning came from this model. */
export function ollamaScope(model: string): string {
  return scopeOf('ollama', 'chat', model)
}

/** How messages are written for a model. */
export function ollamaWriting(model: string): Writing {
  const rules: HistoryRules = { scope: ollamaScope(model), ids: anyIds, shows: isImage }
  return {
    encode(message, used) {
      const { turns, ids } = turnsOf(message, used, rules)
      return { pieces: turns.flatMap(piecesOf), ids }
    },
  }
}

function piecesOf(turn: Turn): readonly Piece[] {
  switch (turn.role) {
    case 'user':
      return [pieceOf('user', userMessage(turn.items))]
    case 'results':
      // The name tells older servers whose result it is, together with the order.
      return turn.results.map(({ id, name, text }) => pieceOf('tool', { role: 'tool', tool_name: name, tool_call_id: id, content: text }))
    case 'assistant':
      return assistantPieces(turn.items)
  }
}

function pieceOf(role: Piece['role'], message: JsonObject): Piece {
  return { role, open: '', body: JSON.stringify(message), close: '' }
}

function assistantPieces(items: readonly AssistantItem[]): readonly Piece[] {
  const content = items.map((item) => (item.type === 'text' ? item.text : '')).join('')
  const thinking = items.map((item) => (item.type === 'reasoning' && item.data !== undefined ? item.text : '')).join('')
  const calls = items.flatMap((item): readonly Json[] => {
    if (item.type !== 'call') return []
    // Arguments are an object here; what could not be used is an empty one.
    return [{ id: item.id, function: { name: item.name, arguments: isJsonObject(item.input) ? item.input : {} } }]
  })
  if (content.trim() === '' && calls.length === 0) return []
  const message = {
    role: 'assistant',
    content,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return [pieceOf('assistant', message)]
}

function userMessage(items: readonly (TextItem | MediaItem)[]): JsonObject {
  const content = items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n\n')
  const images = items.flatMap((item) => (item.type === 'media' ? [item.part.data ?? ''] : []))
  return { role: 'user', content, ...(images.length === 0 ? {} : { images }) }
}

/** Images are all that there is, and by their bytes alone. Others than these fail with "image: unknown format". */
function isImage({ mediaType, data = '' }: MediaPart): boolean {
  return types.has(mediaType) && !isRemote(data)
}

const types: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp'])
