import { dataUrlType, toBase64 } from '../core/media.ts'
import type { MediaPart } from '../core/message.ts'
import { wellFormed } from '../core/text.ts'
import { parsedUrl } from '../core/url.ts'
import { base64Of, isRemote, isText, typeOf } from './media-data.ts'

/**
 * An image or a file as APIs take it: its bytes as bare base64, or a URL, under the type that it is of. Drawings in SVG are files: no API takes them for
 * images. `undefined` for what can be shown nowhere: nothing at all, what is neither base64 nor a URL nor said to be a text, and files of this machine.
 */
export function plainMedia(part: MediaPart): MediaPart | undefined {
  const { data: given = '' } = part
  const data = isRemote(given) ? urlIn(given) : (base64In(given) ?? textIn(part))
  if (data === undefined) return undefined
  const mediaType = typeFor(part, data)
  return { ...part, type: mediaType.startsWith('image/') && mediaType !== 'image/svg+xml' ? 'image' : 'file', mediaType, data }
}

/** One letter is a drive of Windows. */
function urlIn(data: string): string | undefined {
  return /^(?:[a-z]|file|blob):/i.test(data) || parsedUrl(data) === undefined ? undefined : data
}

/** A text may have been given as it is. */
function textIn({ mediaType, data = '' }: MediaPart): string | undefined {
  if (!isText(typeOf(mediaType)) || data.trim() === '' || /^data:/i.test(data)) return undefined
  return toBase64(new TextEncoder().encode(wellFormed(data)))
}

/** Of the standard alphabet (RFC 4648, section 4), with its padding: servers refuse what decoders let pass. */
function base64In(data: string): string | undefined {
  if (/^data:[^,]*$/i.test(data)) return undefined
  const given = base64Of(data) ?? ''
  const isStandard = foreign(withoutPadding(given)) < 0
  // Most are: then it is not copied.
  if (isStandard && given !== '' && given.length % 4 === 0) return given
  const base64 = withoutPadding(isStandard ? given : given.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/'))
  const rest = base64.length % 4
  if (base64 === '' || rest === 1 || (!isStandard && foreign(base64) >= 0)) return undefined
  return rest === 0 ? base64 : base64 + '='.repeat(4 - rest)
}

function withoutPadding(base64: string): string {
  return base64.endsWith('=') ? base64.slice(0, base64.endsWith('==') ? -2 : -1) : base64
}

/** A search for one sign: a pattern for all of the text would fill the stack of the engine where that is long. */
function foreign(text: string): number {
  return text.search(/[^A-Za-z0-9+/]/)
}

/** Servers compare an image with the type that it is said to be of. What says nothing is what the bytes say, or a default. */
function typeFor({ type, mediaType, data = '' }: MediaPart, base64: string): string {
  const declared = [mediaType, dataUrlType(data) ?? ''].map(typeOf).find(saysSomething)
  const isFromBytes = type === 'image' || declared === undefined || declared.startsWith('image/')
  const found = isFromBytes ? signatures.find(([pattern]) => pattern.test(base64))?.[1] : undefined
  const told = found ?? declared ?? (type === 'image' ? 'image/png' : 'application/octet-stream')
  return told === 'image/jpg' ? 'image/jpeg' : told
}

function saysSomething(type: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream'
}

/** How files of these types begin, as base64. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD[dl]h/, 'image/gif'],
  [/^UklGR.{7}RUJQ/, 'image/webp'],
  [/^JVBERi0/, 'application/pdf'],
]
