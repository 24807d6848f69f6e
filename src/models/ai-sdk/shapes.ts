import type { MediaPart } from '../../core/message.ts'
import { type Place, placeOf } from './media.ts'
import { optionsOf, type Saved } from './saved.ts'
import type { ContentV3, ContentV4, DataV2, DataV4, MoreV4, OutputV2, OutputV3, OutputV4, PlainOutput } from './spec.ts'

/** What the versions of the specification write in different ways. `Extra`: outputs of a result besides those that all have. */
export interface Shape<Data, Extra, More> {
  readonly data: (place: Place) => Data
  /** Whether a result can hold this at all. */
  readonly resultHolds: (media: MediaPart) => boolean
  /** A result with media, as its text and what it shows. */
  readonly content: (text: string, media: readonly MediaPart[]) => Extra
  readonly denied: (reason: string) => PlainOutput | Extra
  /** A part of the assistant that not all versions have. */
  readonly more: (saved: Saved) => More | undefined
}

type Extra<Output> = Exclude<Output, PlainOutput>

export const shapeV2: Shape<DataV2, Extra<OutputV2>, never> = {
  data: dataV2,
  resultHolds: (media) => 'base64' in placeOf(media),
  content: (text, media) => ({
    type: 'content',
    value: [
      ...textIn(text),
      ...media.flatMap((part) => {
        const place = placeOf(part)
        return 'base64' in place ? [{ type: 'media' as const, data: place.base64, mediaType: part.mediaType }] : []
      }),
    ],
  }),
  denied: (reason) => ({ type: 'error-text', value: reason }),
  more: () => undefined,
}

export const shapeV3: Shape<DataV2, Extra<OutputV3>, never> = {
  data: dataV2,
  resultHolds: () => true,
  content: (text, media) => ({ type: 'content', value: [...textIn(text), ...media.map(contentV3)] }),
  denied: (reason) => ({ type: 'execution-denied', reason }),
  more: () => undefined,
}

export const shapeV4: Shape<DataV4, Extra<OutputV4>, MoreV4> = {
  data: dataV4,
  resultHolds: () => true,
  content: (text, media) => ({ type: 'content', value: [...textIn(text), ...media.map(contentV4)] }),
  denied: (reason) => ({ type: 'execution-denied', reason }),
  more(saved) {
    const { custom, thoughtFile } = saved
    if (thoughtFile !== undefined)
      return { type: 'reasoning-file', data: dataV4(placeOf(thoughtFile)), mediaType: thoughtFile.mediaType, ...optionsOf(saved) }
    return custom !== undefined && isKind(custom) ? { type: 'custom', kind: custom, ...optionsOf(saved) } : undefined
  },
}

function dataV2(place: Place): DataV2 {
  return 'base64' in place ? place.base64 : place.url
}

function dataV4(place: Place): DataV4 {
  return 'base64' in place ? { type: 'data', data: place.base64 } : { type: 'url', url: place.url }
}

function contentV3(part: MediaPart): ContentV3 {
  const kind = part.type
  const place = placeOf(part)
  if ('url' in place) return { type: `${kind}-url`, url: place.url.href }
  return { type: `${kind}-data`, data: place.base64, mediaType: part.mediaType, ...(kind === 'file' ? nameOf(part) : {}) }
}

function contentV4(part: MediaPart): ContentV4 {
  return { type: 'file', data: dataV4(placeOf(part)), mediaType: part.mediaType, ...nameOf(part) }
}

function textIn(text: string): { type: 'text'; text: string }[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function nameOf({ name }: MediaPart): { filename?: string } {
  return name === undefined ? {} : { filename: name }
}

function isKind(text: string): text is `${string}.${string}` {
  return text.includes('.')
}
