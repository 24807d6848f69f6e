import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { MediaPart } from '../../core/message.ts'
import { anyIds } from '../history/ids.ts'
import {
  type AssistantItem,
  type CallItem,
  type HistoryRules,
  type MediaItem,
  type ResultItem,
  type Turn,
  turnsOf,
} from '../history/turns.ts'
import type { Piece, Role, Writing } from '../http/conversation.ts'
import { optional } from '../http/frames.ts'
import { isRemote, isText, unseen } from '../media-data.ts'
import { plainMedia } from '../plain-media.ts'
import { geminiToolNames, legalToolName } from '../tool-names.ts'
import type { Family } from './family.ts'

/** What is kept of a part, so that it goes back as it came. */
export interface PartData {
  readonly thoughtSignature?: string
  /** The id that the API gave a call; elsewhere calls have none, and some endpoints refuse those that others made. */
  readonly id?: string
  /** A part that has no form of ours, whole. */
  readonly part?: Json
}

/** https://ai.google.dev/gemini-api/docs/function-calling#multimodal */
const typesInResults: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain'])

/** How the contents of a request are written. */
export function geminiWriting(scope: string, family: Family): Writing {
  const rules: HistoryRules = {
    scope,
    ids: anyIds,
    nameOf: (name) => legalToolName(name, geminiToolNames),
    shows: isShown,
    // As bytes only; a URL would be another kind of part.
    resultHolds: ({ mediaType, data = '' }) => family.mediaInResults && typesInResults.has(mediaType) && !isRemote(data),
  }
  return {
    between,
    encode(message, used) {
      const { turns, ids } = turnsOf(message, used, rules)
      return { pieces: turns.flatMap((turn) => piecesOf(turn, scope, family)), ids }
    },
  }
}

/** A conversation begins with the user. */
function between(before: Role | undefined, after: Role): Piece | undefined {
  return before === undefined && after === 'assistant' ? pieceOf('user', [{ text: '(The conversation goes on.)' }]) : undefined
}

function piecesOf(turn: Turn, scope: string, family: Family): readonly Piece[] {
  switch (turn.role) {
    case 'user':
      return [
        pieceOf(
          'user',
          turn.items.map((item) => (item.type === 'text' ? { text: item.text } : mediaPart(item.part))),
        ),
      ]
    case 'results':
      // B013: all of a turn in one content, and nothing else in it.
      return [
        pieceOf(
          'user',
          turn.results.map((result) => responsePart(result, scope)),
        ),
      ]
    case 'assistant': {
      const parts = modelParts(turn.items, family)
      return parts.length === 0 ? [] : [pieceOf('assistant', parts)]
    }
  }
}

/** A call may not follow another content of the model's: these are one. */
function pieceOf(role: 'user' | 'assistant', parts: readonly Json[]): Piece {
  const body = parts.map((part) => JSON.stringify(part)).join(',')
  const open = `{"role":"${role === 'user' ? 'user' : 'model'}","parts":[`
  return role === 'user' ? { role, open, body, close: ']}' } : { role, joins: role, open, body, close: ']}' }
}

function modelParts(items: readonly AssistantItem[], family: Family): readonly Json[] {
  const firstCall = items.find((item) => item.type === 'call')
  return items.flatMap((item): readonly Json[] => {
    const { part, thoughtSignature } = dataOf(item)
    if (part !== undefined) return [part]
    const value = valueOfItem(item)
    const ours = item === firstCall && family.signedCalls ? standIn : undefined
    return value === undefined ? [] : [{ ...value, ...optional('thoughtSignature', thoughtSignature ?? ours) }]
  })
}

/** A part without what signs it; `undefined` for what does not go back. */
function valueOfItem(item: AssistantItem): JsonObject | undefined {
  switch (item.type) {
    case 'text':
      return { text: item.text }
    case 'reasoning':
      return item.data === undefined ? undefined : { text: item.text, thought: true }
    case 'media':
      return answerMedia(item)
    case 'call':
      return callPart(item)
    case 'server-call':
      return undefined
  }
}

/** What the model itself has made goes back as it came. */
function answerMedia({ part, data }: MediaItem): JsonObject {
  if (data !== undefined) return mediaPart(part)
  const plain = plainMedia(part)
  return plain !== undefined && isShown(plain) ? mediaPart(plain) : { text: unseen(part) }
}

/** For calls that another model made; the word itself, as Google's own client sends it. https://ai.google.dev/gemini-api/docs/thought-signatures */
const standIn = 'skip_thought_signature_validator'

function dataOf({ data }: { readonly data?: Json }): PartData {
  return isJsonObject(data) ? (data as PartData) : {}
}

function callPart(item: CallItem): JsonObject {
  const { id } = dataOf(item)
  return { functionCall: { ...(id === undefined ? {} : { id }), name: item.name, args: item.input } }
}

function responsePart({ name, text, isError, media, part }: ResultItem, scope: string): JsonObject {
  const own = part.providerData
  const data = own !== undefined && Object.hasOwn(own, scope) ? own[scope] : undefined
  const { id } = dataOf(data === undefined ? {} : { data })
  const parts = media.length === 0 ? {} : { parts: media.map(mediaPart) }
  return { functionResponse: { ...(id === undefined ? {} : { id }), name, response: { [isError ? 'error' : 'output']: text }, ...parts } }
}

/**
 * What is of another type is refused ("Unsupported MIME type"): https://ai.google.dev/gemini-api/docs/image-understanding, …/document-processing. Of what
 * lies elsewhere (a page, a video of YouTube, a file of the Files API, one in Google's storage) the type need not be known:
 * https://ai.google.dev/gemini-api/docs/file-input-methods
 */
function isShown({ mediaType, data = '' }: MediaPart): boolean {
  if (isRemote(data) && mediaType === unknownType) return true
  return images.has(mediaType) || /^(?:audio|video)\//.test(mediaType) || mediaType === 'application/pdf' || isText(mediaType)
}

const unknownType = 'application/octet-stream'

const images: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'])

function mediaPart({ mediaType, data = '' }: MediaPart): JsonObject {
  const mimeType = isText(mediaType) && !mediaType.startsWith('text/') ? 'text/plain' : mediaType
  if (!isRemote(data)) return { inlineData: { mimeType, data } }
  return { fileData: mediaType === unknownType ? { fileUri: data } : { mimeType, fileUri: data } }
}
