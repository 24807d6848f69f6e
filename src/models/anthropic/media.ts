import type { JsonObject } from '../../core/json.ts'
import type { MediaPart } from '../../core/message.ts'
import { wellFormed } from '../../core/text.ts'
import { base64Of, isRemote, typeOf } from '../media-data.ts'

/** platform.claude.com, Images and vision; PDF support. Any other image is refused. */
const images: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

const texts = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-sh|sql|toml)$)|\+(?:json|xml)$/

/** Whether the API has a block for it at all. By their URLs it fetches images and PDFs, and nothing else. */
export function isReadable({ mediaType, data = '' }: MediaPart): boolean {
  const type = ownType(mediaType)
  if (type === 'application/pdf') return true
  return isRemote(data) ? type.startsWith('image/') : images.has(type) || texts.test(type)
}

/** An image or a document: one that is readable. */
export function mediaBlock(part: MediaPart): JsonObject {
  const { mediaType, name = '', data = '' } = part
  const type = ownType(mediaType)
  const source = isRemote(data) ? { type: 'url', url: data } : sourceOf(data, type)
  if (type.startsWith('image/')) return { type: 'image', source }
  return { type: 'document', source, ...(name.trim() === '' ? {} : { title: wellFormed(name) }) }
}

function sourceOf(data: string, type: string): JsonObject {
  const base64 = base64Of(data) ?? ''
  if (texts.test(type)) return { type: 'text', media_type: 'text/plain', data: wellFormed(decoded(base64)) }
  return { type: 'base64', media_type: type, data: base64 }
}

function ownType(mediaType: string): string {
  const type = typeOf(mediaType)
  return type === 'image/jpg' ? 'image/jpeg' : type
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)))
  } catch {
    return base64
  }
}
