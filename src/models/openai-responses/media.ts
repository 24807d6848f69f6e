import type { Json } from '../../core/json.ts'
import type { MediaPart } from '../../core/message.ts'
import { joinedTexts, type MediaItem, type ResultItem, type TextItem } from '../history/turns.ts'
import { base64Of, fileName, isCommonImage, isRemote, urlOf } from '../media-data.ts'

/** Text alone as a text, else as parts. */
export function userContent(items: readonly (TextItem | MediaItem)[]): Json {
  if (items.every((item) => item.type === 'text')) return joinedTexts(items)
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
  const url = urlOf(part)
  if (part.type === 'image') return { type: 'input_image', image_url: url, detail: 'auto' }
  return isRemote(url) ? { type: 'input_file', file_url: url } : { type: 'input_file', filename: fileName(part), file_data: url }
}

/** Of files it takes texts, documents and sheets ("unsupported MIME type 'audio/mpeg'"): https://developers.openai.com/api/docs/guides/file-inputs */
export function isShown(media: MediaPart): boolean {
  const { type, mediaType, data = '' } = media
  if (isRemote(data) && !/^https?:/i.test(data)) return false
  return type === 'image' ? isCommonImage(media) : !/^(?:audio|video)\//.test(mediaType)
}

/** A picture that the model has made, as the API told it: base64, or a URL. */
export function madePicture({ data = '' }: MediaPart): string {
  return base64Of(data) ?? data
}
