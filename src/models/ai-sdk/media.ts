import { RondoError } from '../../core/error.ts'
import { toBase64 } from '../../core/media.ts'
import type { MediaPart } from '../../core/message.ts'
import { safeText } from '../safe-text.ts'

/** Where the bytes of a file are. */
export type Place = { readonly base64: string } | { readonly url: URL }

/** Packages take base64 and URLs; a `data:` URL is base64 for them. */
export function placeOf({ data = '', mediaType }: Pick<MediaPart, 'data' | 'mediaType'>): Place {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(data)) return { base64: data }
  if (/^data:/i.test(data)) return { base64: ofDataUrl(data) }
  if (URL.canParse(data)) return { url: new URL(data) }
  throw new RondoError(
    'ModelBadRequest',
    `A file of type ${safeText(mediaType, 60)} has data that is no URL and no base64: ${safeText(data, 60)}`,
  )
}

/** RFC 2397: `data:[<media type>][;base64],<data>`. */
function ofDataUrl(url: string): string {
  const comma = url.indexOf(',')
  const content = url.slice(comma + 1)
  if (/;base64$/i.test(url.slice(0, Math.max(comma, 0)))) return content
  try {
    return toBase64(new TextEncoder().encode(decodeURIComponent(content)))
  } catch {
    throw new RondoError('ModelBadRequest', `A data: URL can't be read: ${safeText(url, 60)}`)
  }
}
