import type { Json } from '../../core/json.ts'
import type { MediaPart } from '../../core/message.ts'
import type { MediaItem, ResultItem, TextItem } from '../history/turns.ts'
import { base64Of, fileName, isRemote, urlOf } from '../media-data.ts'

/** Text alone as a text, else as parts. */
export function userContent(items: readonly (TextItem | MediaItem)[]): Json {
  if (items.every((item) => item.type === 'text')) return items.map((item) => item.text).join('')
  return items.map((item) => (item.type === 'text' ? textPart(item.text) : mediaPart(item.part)))
}

/** What a tool has given. '' says that there is nothing (B048). */
export function resultContent({ text, media }: ResultItem): Json {
  if (media.length === 0) return text
  return [...(text === '' ? [] : [textPart(text)]), ...media.map(mediaPart)]
}

function textPart(text: string): Json {
  return { type: 'input_text', text }
}

function mediaPart(part: MediaPart): Json {
  if (isImage(part)) return { type: 'input_image', image_url: urlOf(part), detail: 'auto' }
  const url = urlOf(part)
  return isRemote(url) ? { type: 'input_file', file_url: url } : { type: 'input_file', filename: fileName(part), file_data: url }
}

export function isFileOrImage({ type, mediaType }: MediaPart): boolean {
  return type === 'image' || !/^(?:audio|video)\//.test(mediaType)
}

function isImage({ type, mediaType }: MediaPart): boolean {
  return type === 'image' || mediaType.startsWith('image/')
}

/** A picture that the model has made, as the API told it: base64, or a URL. */
export function madePicture({ data = '' }: MediaPart): string {
  return base64Of(data) ?? data
}
