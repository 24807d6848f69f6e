import { isJsonObject, type Json } from '../../core/json.ts'
import type { MediaPart } from '../../core/message.ts'
import {
  type AssistantItem,
  type CallItem,
  type HistoryRules,
  joinedTexts,
  type MediaItem,
  type ResultItem,
  type TextItem,
  type Turn,
  turnsOf,
} from '../history/turns.ts'
import type { Piece, Role, Writing } from '../http/conversation.ts'
import { fileName, isCommonImage, isRemote, urlOf } from '../media-data.ts'
import { scopeOf } from '../scope.ts'
import { textOrNothing } from '../wire.ts'
import type { Dialect } from './dialect.ts'
import { customInput } from './open-call.ts'
import { contentWithThinking, reasoningFields } from './reasoning.ts'

/** How a server's messages are written. */
export function chatWriting(model: string, dialect: Dialect): Writing {
  const rules: HistoryRules = { scope: chatScope(model, dialect), ids: dialect.ids, shows: (media) => isShown(media, dialect) }
  const encode: Writing['encode'] = (message, used) => {
    const { turns, ids } = turnsOf(message, used, rules)
    return { pieces: turns.flatMap((turn) => piecesOf(turn, dialect)), ids }
  }
  return dialect.rolesAlternate === true ? { encode, between } : { encode }
}

/** Under which key opaque data of this API is kept. */
export function chatScope(model: string, { provider }: Dialect): string {
  return scopeOf(provider, 'chat', model)
}

/** Strict templates begin with the user, know no user behind the result of a tool, and no two answers behind each other. */
function between(before: Role | undefined, after: Role): Piece | undefined {
  if (before === 'tool' && after === 'user') return piece('assistant', '{"role":"assistant","content":"OK."}')
  if (after !== 'assistant') return undefined
  return before === undefined ? words('(The conversation goes on.)') : endingOf(before)
}

/** What stands behind an answer where the user has to have the last word. */
export function endingOf(last: Role): Piece | undefined {
  return last === 'assistant' ? words('Go on.') : undefined
}

function words(text: string): Piece {
  return openUser([JSON.stringify({ type: 'text', text })])
}

function piecesOf(turn: Turn, dialect: Dialect): readonly Piece[] {
  switch (turn.role) {
    case 'user':
      return [
        dialect.rolesAlternate === true
          ? openUser(turn.items.map((item) => JSON.stringify(userPart(item, dialect))))
          : piece('user', `{"role":"user","content":${userContent(turn.items, dialect)}}`),
      ]
    case 'results':
      return turn.results.map((result) => piece('tool', answerJson(result)))
    case 'assistant':
      return assistantPieces(turn.items, dialect)
  }
}

function assistantPieces(items: readonly AssistantItem[], { reasoningNeeded }: Dialect): readonly Piece[] {
  const text = items.map((item) => (item.type === 'text' ? item.text : '')).join('')
  const calls = items.filter((item) => item.type === 'call')
  if (text.trim() === '' && calls.length === 0) return []
  const parts = contentWithThinking(items)
  const content = parts === undefined ? (text === '' ? 'null' : JSON.stringify(text)) : JSON.stringify(parts)
  const reasoning = reasoningFields(items, reasoningNeeded)
  const asked = calls.length === 0 ? '' : `,"tool_calls":[${calls.map(callJson).join(',')}]`
  return [piece('assistant', `{"role":"assistant","content":${content}${reasoning}${asked}}`)]
}

/** One message of the user's, of these parts in JSON, open for more. */
function openUser(parts: readonly string[]): Piece {
  return { role: 'user', joins: 'user', open: '{"role":"user","content":[', body: parts.join(','), close: ']}' }
}

function piece(role: Piece['role'], body: string): Piece {
  return { role, open: '', body, close: '' }
}

function callJson({ id, name, input, data }: CallItem): string {
  if (isJsonObject(data) && data['custom'] === true) return customCallJson(id, name, input)
  const extra = isJsonObject(data) && data['extra'] !== undefined ? `,"extra_content":${JSON.stringify(data['extra'])}` : ''
  return `{"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(JSON.stringify(input))}}${extra}}`
}

function customCallJson(id: string, name: string, input: Json): string {
  const text = isJsonObject(input) ? textOrNothing(input[customInput]) : ''
  return JSON.stringify({ id, type: 'custom', custom: { name, input: text } })
}

function answerJson({ id, text }: ResultItem): string {
  return `{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${JSON.stringify(text)}}`
}

/** Text alone as a text, else as parts. */
function userContent(items: readonly (TextItem | MediaItem)[], dialect: Dialect): string {
  if (items.every((item) => item.type === 'text')) return JSON.stringify(joinedTexts(items))
  return JSON.stringify(items.map((item) => userPart(item, dialect)))
}

function userPart(item: TextItem | MediaItem, dialect: Dialect): Json {
  return item.type === 'text' ? { type: 'text', text: item.text } : mediaPart(item.part, dialect)
}

function mediaPart(part: MediaPart, dialect: Dialect): Json {
  const { mediaType, data = '' } = part
  const url = urlOf(part)
  switch (kindOf(part)) {
    case 'image':
      return { type: 'image_url', image_url: { url } }
    case 'audio':
      return { type: 'input_audio', input_audio: { data, format: audioFormats[mediaType] ?? '' } }
    case 'video':
      // OpenAI takes none; OpenRouter, vLLM and others take it so.
      return { type: 'video_url', video_url: { url } }
    case 'file':
      return filePart(part, url, dialect)
  }
}

function filePart(part: MediaPart, url: string, { filesAs }: Dialect): Json {
  const name = fileName(part)
  if (filesAs === 'document_url') return { type: 'document_url', document_url: url, document_name: name }
  // Base64 stands there without what says that it is.
  if (filesAs === 'file_url') return { type: 'file_url', file_url: { url: part.data ?? '' }, file_name: name }
  // Without a name OpenAI asks for a `file_id`.
  return { type: 'file', file: { filename: name, file_data: url } }
}

function isShown(media: MediaPart, { shows }: Dialect): boolean {
  const { mediaType, data = '' } = media
  const kind = kindOf(media)
  // The API takes audio as base64 and as nothing else (its reference, `input_audio.data`).
  if (isRemote(data) && (kind === 'audio' || !/^https?:/i.test(data))) return false
  if (shows === undefined) return true
  if (kind === 'file' && mediaType === 'application/pdf' && shows.includes('pdf')) return !isRemote(data)
  return shows.includes(kind) && (kind !== 'image' || isCommonImage(media))
}

/** By the parts that the API has. */
function kindOf({ type, mediaType }: MediaPart): 'image' | 'audio' | 'video' | 'file' {
  if (type === 'image') return 'image'
  if (audioFormats[mediaType] !== undefined) return 'audio'
  return mediaType.startsWith('video/') ? 'video' : 'file'
}

const audioFormats: { readonly [mediaType: string]: string } = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}
