import { RondoError } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import { type MediaPart, type Message, type Part, resultText, type ToolCallPart, textOf } from '../../core/message.ts'
import { wellFormed } from '../../core/text.ts'

/** Ids of tool calls as a server wants them. */
export interface CallIds {
  /** Whether the server takes this id of its own. */
  readonly accepts: (id: string) => boolean
  /** An id for a call that has none that can be sent: from our own, which is unique in the session. */
  readonly make: (callId: string) => string
}

/** `call_m3_0`: what nearly every server takes. */
export const anyIds: CallIds = {
  accepts: (id) => id.length <= 64 && /^[\w.:-]+$/.test(id),
  make: (callId) => `call_${callId.replace('.', '_')}`,
}

/**
 * A message of ours as the JSON of one or more messages of the API, each with a comma before it; '' for one that says nothing there. The
 * same message after the same history gives the same text.
 */
export function encodeMessage(message: Message, used: ReadonlySet<string> | ReadonlyMap<string, unknown>, ids: CallIds): Encoded {
  if (message.role !== 'assistant') return { json: userJson(message), ids: [] }
  const calls = message.parts.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true) as readonly ToolCallPart[]
  const text = wellFormed(textOf(message))
  if (calls.length === 0) return { json: text.trim() === '' ? '' : `,{"role":"assistant","content":${JSON.stringify(text)}}`, ids: [] }
  const named = idsOf(calls, used, ids)
  const content = text === '' ? 'null' : JSON.stringify(text)
  const asked = calls.map((call, index) => callJson(call, named[index] ?? ''))
  const answers = calls.map((call, index) => answerJson(call, named[index] ?? ''))
  return {
    json: `,{"role":"assistant","content":${content},"tool_calls":[${asked.join(',')}]}${answers.join('')}${imagesJson(calls)}`,
    ids: named,
  }
}

export interface Encoded {
  readonly json: string
  /** The ids of its calls. */
  readonly ids: readonly string[]
}

/** The server's own ids where they can go back; if one of a message can't (B014, B015, B016), all of it get ours. */
function idsOf(calls: readonly ToolCallPart[], used: { has(id: string): boolean }, ids: CallIds): readonly string[] {
  const own = calls.map(({ providerCallId }) => providerCallId ?? '')
  const good = new Set(own).size === own.length && own.every((id) => id !== '' && ids.accepts(id) && !used.has(id))
  return good ? own : calls.map(({ callId }) => ids.make(callId))
}

function callJson({ toolName, input }: ToolCallPart, id: string): string {
  return `{"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(toolName)},"arguments":${JSON.stringify(JSON.stringify(input))}}}`
}

function answerJson(call: ToolCallPart, id: string): string {
  return `,{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${JSON.stringify(wellFormed(resultText(call)))}}`
}

/** A tool message holds text only: what a result shows besides is shown by the user, after all answers of the batch. */
function imagesJson(calls: readonly ToolCallPart[]): string {
  const shown = calls.flatMap((call) => {
    const media = mediaOf(call.content)
    return media.length === 0 ? [] : [textPart(`From the result of ${call.toolName}:`), ...media.map(mediaPart)]
  })
  return shown.length === 0 ? '' : `,{"role":"user","content":${JSON.stringify(shown)}}`
}

function mediaOf(content: ToolCallPart['content']): readonly MediaPart[] {
  return content === undefined || typeof content === 'string' ? [] : content.filter(isMedia)
}

function isMedia(part: Part): part is MediaPart {
  return part.type === 'image' || part.type === 'file'
}

/** What a user says, and summaries: text alone as a text, else as parts. A message without anything in it is none. */
function userJson(message: Message): string {
  if (message.parts.every((part) => part.type === 'text')) {
    const text = wellFormed(textOf(message))
    return text === '' ? '' : `,{"role":"user","content":${JSON.stringify(text)}}`
  }
  const parts = message.parts.flatMap((part): readonly Json[] => {
    if (part.type === 'text') return part.text === '' ? [] : [textPart(part.text)]
    return isMedia(part) ? [mediaPart(part)] : []
  })
  return parts.length === 0 ? '' : `,{"role":"user","content":${JSON.stringify(parts)}}`
}

function textPart(text: string): Json {
  return { type: 'text', text: wellFormed(text) }
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
