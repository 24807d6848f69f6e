import { percentDecoded, toBase64 } from '../core/media.ts'
import type { MediaPart } from '../core/message.ts'
import { wellFormed } from '../core/text.ts'

const base64Url = /^data:[^,]{0,200};base64,/i

/** Whether a file's data says where the bytes are, and does not hold them: base64 has no colon. */
export function isRemote(data: string): boolean {
  return isUrl(data) && !/^data:/i.test(data)
}

function isUrl(data: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(data)
}

/** Base64 as a `data:` URL, a URL as it is. */
export function urlOf({ data = '', mediaType }: Pick<MediaPart, 'data' | 'mediaType'>): string {
  return isUrl(data) ? data : `data:${mediaType};base64,${data}`
}

/** The base64 of base64, or of a `data:` URL (RFC 2397). `undefined` for a URL of another kind. */
export function base64Of(data: string): string | undefined {
  if (!isUrl(data)) return data
  const start = base64Url.exec(data)?.[0]
  if (start !== undefined) return data.slice(start.length)
  return isRemote(data) ? undefined : toBase64(percentDecoded(data.slice(data.indexOf(',') + 1)))
}

/** In small letters and without parameters: `text/plain` for `Text/Plain; charset=utf-8`. */
export function typeOf(mediaType: string): string {
  return mediaType.toLowerCase().replace(/;.*$/s, '').trim()
}

/**
 * What stands in the place of media that can't be shown. An API's own refusal would hold for ever: whoever goes on with the session sends it again.
 * The model can say that it does not see it.
 */
export function unseen({ mediaType, name = '' }: Pick<MediaPart, 'mediaType' | 'name'>): string {
  const title = name.trim() === '' ? '' : ` named ${wellFormed(name)}`
  return `(Here was a file of type ${wellFormed(mediaType)}${title}, which can't be shown to you.)`
}

/** Whether a file of this type can be read as text. */
export function isText(type: string): boolean {
  return texts.test(type)
}

const texts = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-sh|sql|toml)$)|\+(?:json|xml)$/

/** What Chat Completions, Responses and Messages take as images; others are refused, whatever the model. */
export function isCommonImage({ type, mediaType }: Pick<MediaPart, 'type' | 'mediaType'>): boolean {
  return type === 'image' && commonImages.has(mediaType)
}

const commonImages: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** OpenAI takes no file without a name, and tells its kind by how that ends. */
export function fileName({ mediaType, name = '' }: Pick<MediaPart, 'mediaType' | 'name'>): string {
  return name.trim() === '' ? `file.${extension(typeOf(mediaType))}` : wellFormed(name)
}

function extension(type: string): string {
  const known = extensions.get(type)
  if (known !== undefined) return known
  const subtype = type.replace(/^.*\+(?=(?:json|xml)$)|^[^/]*\/(?:x-|vnd\.)?|\+.*$/g, '')
  return /^\w+$/.test(subtype) ? subtype : 'bin'
}

/** Those that are no name of their type. */
const extensions: ReadonlyMap<string, string> = new Map([
  ['application/javascript', 'js'],
  ['application/msword', 'doc'],
  ['application/octet-stream', 'bin'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['text/javascript', 'js'],
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
  ['text/x-python', 'py'],
])
