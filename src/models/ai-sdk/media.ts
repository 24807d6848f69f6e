import { RondoError } from '../../core/error.ts'
import type { MediaPart } from '../../core/message.ts'
import { parsedUrl } from '../../core/url.ts'
import { base64Of } from '../media-data.ts'
import { safeText } from '../safe-text.ts'

/** Where the bytes of a file are. */
export type Place = { readonly base64: string } | { readonly url: URL }

/** Packages take base64 and URLs; a `data:` URL is base64 for them. */
export function placeOf({ data = '', mediaType }: Pick<MediaPart, 'data' | 'mediaType'>): Place {
  const base64 = base64Of(data)
  if (base64 !== undefined) return { base64 }
  const url = parsedUrl(data)
  if (url !== undefined) return { url }
  throw new RondoError(
    'ModelBadRequest',
    `A file of type ${safeText(mediaType, 60)} has data that is no URL and no base64: ${safeText(data, 60)}`,
  )
}
