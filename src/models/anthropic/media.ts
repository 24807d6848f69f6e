import type { JsonObject } from '../../core/json.ts'
import type { MediaPart } from '../../core/message.ts'
import { wellFormed } from '../../core/text.ts'
import { isCommonImage, isRemote, isText } from '../media-data.ts'

/**
 * Whether the API has a block for it at all (platform.claude.com, Images and vision; PDF support). By their URLs, which are of HTTPS, it fetches
 * images and PDFs, and nothing else.
 */
export function isReadable(part: MediaPart): boolean {
  const { mediaType, data = '' } = part
  const isShown = isCommonImage(part) || mediaType === 'application/pdf'
  return isRemote(data) ? isShown && /^https:/i.test(data) : isShown || isText(mediaType)
}

/** An image or a document: one that is readable. */
export function mediaBlock({ type, mediaType, name = '', data = '' }: MediaPart): JsonObject {
  const source = isRemote(data) ? { type: 'url', url: data } : sourceOf(data, mediaType)
  if (type === 'image') return { type: 'image', source }
  return { type: 'document', source, ...(name.trim() === '' ? {} : { title: wellFormed(name) }) }
}

function sourceOf(base64: string, type: string): JsonObject {
  if (isText(type)) return { type: 'text', media_type: 'text/plain', data: wellFormed(decoded(base64)) }
  return { type: 'base64', media_type: type, data: base64 }
}

function decoded(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)))
}
