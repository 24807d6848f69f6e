/** Native and a few times faster than any scan of ours. */
const hasNativeCheck = typeof Reflect.get(String.prototype, 'isWellFormed') === 'function'
const loneSurrogate = /\p{Surrogate}/u
const loneSurrogates = /\p{Surrogate}/gu

// A guard, because `isWellFormed` is ES2024 and our `lib` is ES2023.
function canCheckItself(_text: string): _text is string & { isWellFormed(): boolean } {
  return hasNativeCheck
}

export function isWellFormed(text: string): boolean {
  return canCheckItself(text) ? text.isWellFormed() : !loneSurrogate.test(text)
}

/** The text with U+FFFD for each half of a surrogate pair that stands alone, as `String.prototype.toWellFormed` does. */
export function wellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(loneSurrogates, '\ufffd')
}

/** The start of a text of more than `max` UTF-16 code units. A surrogate pair is never split. */
export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, isPairAt(text, max - 1) ? max - 1 : max)}…`
}

export interface CutOptions {
  /** UTF-8 bytes of the result. Default 51,200. */
  readonly maxBytes?: number
  /** Lines of the result. Default 2,000. */
  readonly maxLines?: number
  /** Where the whole text can be found, on one line; the marker shows it if there is room. */
  readonly reference?: string
}

export type CutText =
  | { readonly cut: false; readonly text: string }
  /** `bytes` (UTF-8) and `lines` are those of the whole text. */
  | { readonly cut: true; readonly text: string; readonly bytes: number; readonly lines: number }

/**
 * The text, or its head and tail around a marker line that says how much is left out, within the limits. Cut between lines, unless
 * that would give up more than half of the room (one huge line). A surrogate pair is never split. Limits that hold no marker leave
 * the start alone.
 */
export function cutText(text: string, options?: CutOptions): CutText {
  const maxBytes = options?.maxBytes ?? 50 * 1024
  const maxLines = options?.maxLines ?? 2000
  // A code unit is at most 3 bytes of UTF-8: nearly every text is known to fit without being encoded.
  const lines = lineCount(text)
  if (lines <= maxLines && text.length * 3 <= maxBytes) return { cut: false, text }
  const bytes = utf8Bytes(text)
  if (lines <= maxLines && bytes <= maxBytes) return { cut: false, text }
  const reference = roomFor(bytes, options?.reference) <= maxBytes ? options?.reference : undefined
  const left = maxBytes - roomFor(bytes, reference)
  if (left < 0 || maxLines < 1) return { cut: true, text: text.slice(0, headEnd(text, maxBytes, maxLines)), bytes, lines }
  const headLines = Math.ceil((maxLines - 1) / 2)
  const head = text.slice(0, headEnd(text, Math.ceil(left / 2), headLines))
  const tail = text.slice(tailStart(text, Math.floor(left / 2), maxLines - 1 - headLines))
  const note = marker(bytes - utf8Bytes(head) - utf8Bytes(tail), bytes, reference)
  return { cut: true, text: [head, note, tail].filter((piece) => piece !== '').join('\n'), bytes, lines }
}

function marker(leftOut: number, bytes: number, reference: string | undefined): string {
  const more = reference === undefined ? '' : `; the whole text: ${reference}`
  return `[… ${grouped(leftOut)} of ${grouped(bytes)} bytes left out${more} …]`
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** The most bytes that the marker and its two line breaks can take: set aside before it is known how much is left out. */
function roomFor(bytes: number, reference: string | undefined): number {
  return utf8Bytes(marker(bytes, bytes, reference)) + 2
}

const encoder = new TextEncoder()
const chunkUnits = 16 * 1024

/** Bytes in UTF-8. Encoded chunk by chunk: no copy of a text of any size, and measured several times faster than a scan. */
function utf8Bytes(text: string): number {
  const buffer = new Uint8Array(Math.min(text.length, chunkUnits) * 3)
  let bytes = 0
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + chunkUnits, text.length)
    if (isPairAt(text, end - 1)) end--
    bytes += encoder.encodeInto(text.slice(start, end), buffer).written
    start = end
  }
  return bytes
}

/** Whether a text takes at most so many bytes of UTF-8. */
export function fitsBytes(text: string, maxBytes: number): boolean {
  // A code unit is 1 to 3 bytes: nearly every text is known to fit, or not to, without being encoded.
  return text.length * 3 <= maxBytes || (text.length <= maxBytes && utf8Bytes(text) <= maxBytes)
}

function lineCount(text: string): number {
  let breaks = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++
  return text === '' || text.endsWith('\n') ? breaks : breaks + 1
}

/** Where the first lines end that fit: at most `maxLines` of them and `maxBytes`, without the last line's break. */
function headEnd(text: string, maxBytes: number, maxLines: number): number {
  if (maxLines < 1) return 0
  let bytes = 0
  let lines = 0
  let boundary = 0
  for (let i = 0; i < text.length; ) {
    const units = isPairAt(text, i) ? 2 : 1
    if (text.charCodeAt(i) === 10) {
      if (bytes * 2 >= maxBytes) boundary = i
      if (++lines === maxLines) return i
    }
    bytes += bytesAt(text, i)
    if (bytes > maxBytes) return boundary > 0 ? boundary : i
    i += units
  }
  return text.length
}

/** Where the last lines begin that fit: at most `maxLines` of them and `maxBytes`. */
function tailStart(text: string, maxBytes: number, maxLines: number): number {
  if (maxLines < 1) return text.length
  let bytes = 0
  let lines = 0
  let boundary = text.length
  for (let i = text.length; i > 0; ) {
    const at = i >= 2 && isPairAt(text, i - 2) ? i - 2 : i - 1
    if (text.charCodeAt(at) === 10 && i < text.length) {
      if (bytes * 2 >= maxBytes) boundary = i
      if (++lines === maxLines) return i
    }
    bytes += bytesAt(text, at)
    if (bytes > maxBytes) return boundary < text.length ? boundary : i
    i = at
  }
  return 0
}

function isPairAt(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}

function bytesAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  return isPairAt(text, index) ? 4 : 3
}
