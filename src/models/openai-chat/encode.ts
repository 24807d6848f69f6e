import { RondoError } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { MediaPart, Message } from '../../core/message.ts'
import { type CallItem, type HistoryRules, type MediaItem, type ResultItem, type TextItem, type Turn, turnsOf } from '../history/turns.ts'
import type { Encoded, Piece, Writing } from '../http/conversation.ts'
import { scopeOf } from '../scope.ts'
import type { Dialect } from './dialect.ts'

/** How a server's messages are written. */
export function chatWriting(model: string, { provider, ids }: Dialect): Writing {
  const rules: HistoryRules = { scope: scopeOf(provider, 'chat', model), ids }
  return { encode: (message, used) => encodeMessage(message, used, rules) }
}

/** A message of ours as messages of the API. */
function encodeMessage(message: Message, used: { has(id: string): boolean }, rules: HistoryRules): Encoded {
  const { turns, ids } = turnsOf(message, used, rules)
  return { pieces: turns.flatMap(piecesOf), ids }
}

function piecesOf(turn: Turn): readonly Piece[] {
  switch (turn.role) {
    case 'user':
      return [piece('user', `{"role":"user","content":${userContent(turn.items)}}`)]
    case 'results':
      return turn.results.map((result) => piece('tool', answerJson(result)))
    case 'assistant': {
      const text = turn.items.map((item) => (item.type === 'text' ? item.text : '')).join('')
      const calls = turn.items.filter((item) => item.type === 'call')
      if (text.trim() === '' && calls.length === 0) return []
      if (calls.length === 0) return [piece('assistant', `{"role":"assistant","content":${JSON.stringify(text)}}`)]
      const content = text === '' ? 'null' : JSON.stringify(text)
      return [piece('assistant', `{"role":"assistant","content":${content},"tool_calls":[${calls.map(callJson).join(',')}]}`)]
    }
  }
}

function piece(role: Piece['role'], body: string): Piece {
  return { role, open: '', body, close: '' }
}

function callJson({ id, name, input }: CallItem): string {
  return `{"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(JSON.stringify(input))}}}`
}

function answerJson({ id, text }: ResultItem): string {
  return `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${JSON.stringify(text)}}`
}

/** Text alone as a text, else as parts. */
function userContent(items: readonly (TextItem | MediaItem)[]): string {
  if (items.every((item) => item.type === 'text')) return JSON.stringify(items.map((item) => item.text).join(''))
  return JSON.stringify(items.map((item): Json => (item.type === 'text' ? { type: 'text', text: item.text } : mediaPart(item.part))))
}

function mediaPart(part: MediaPart): Json {
  const { type, mediaType, name } = part
  const data = part.data ?? ''
  const url = /^(?:https?|data):/.test(data) ? data : `data:${mediaType};base64,${data}`
  if (type === 'image' || mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const format = audioFormats[mediaType]
  if (format !== undefined) return { type: 'input_audio', input_audio: { data: bareBase64(data, mediaType), format } }
  return { type: 'file', file: { file_data: url, ...(name === undefined ? {} : { filename: name }) } }
}

/** The API takes audio as base64 and as nothing else (its reference, `input_audio.data`). */
function bareBase64(data: string, mediaType: string): string {
  if (!/^(?:https?|data):/.test(data)) return data
  const base64 = /^data:[^,]{0,200};base64,/i.exec(data)?.[0]
  if (base64 !== undefined) return data.slice(base64.length)
  const given = data.startsWith('data:') ? 'a data: URL that is not base64' : 'a URL'
  throw new RondoError(
    'ModelBadRequest',
    `A file of type ${mediaType} is given as ${given}: the API takes audio as base64 only. Load it and pass its bytes.`,
  )
}

const audioFormats: { readonly [mediaType: string]: string } = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}
