/**
 * Base64 text and `data:` URLs up to this many characters stay where they are; longer ones are kept as blobs, so that a journal, which is
 * read and kept as a whole, holds what was said and not what was shown.
 */
const maxInlineChars = 8 * 1024

/** What of a media part's data belongs into a blob: bytes, and long texts that hold bytes. `undefined`: it stays as it is (a URL, say). */
export function blobBytes(data: Uint8Array | string): Uint8Array | undefined {
  if (typeof data !== 'string') return data
  if (data.length <= maxInlineChars) return undefined
  if (!/^[a-z][a-z0-9+.-]*:/i.test(data)) return decoded(data)
  return /^data:/i.test(data) ? ofDataUrl(data) : undefined
}

/** The media type that a `data:` URL names. */
export function dataUrlType(data: Uint8Array | string): string | undefined {
  return typeof data === 'string' ? /^data:([^;,]{1,200})[;,]/i.exec(data)?.[1] : undefined
}

/** RFC 2397: `data:[<media type>][;base64],<data>`. */
function ofDataUrl(url: string): Uint8Array | undefined {
  const comma = url.indexOf(',')
  if (comma < 0) return undefined
  const parameters = url.slice(0, comma).split(';').slice(1)
  const content = url.slice(comma + 1)
  return parameters.some((parameter) => parameter.toLowerCase() === 'base64') ? decoded(content) : percentDecoded(content)
}

/** What a `data:` URL holds as it is: `%` and two hexadecimal digits are a byte, what looks like it and is none stays (WHATWG URL, percent-decode). */
export function percentDecoded(text: string): Uint8Array {
  const units = new TextEncoder().encode(text)
  const bytes = new Uint8Array(units.length)
  let length = 0
  for (let at = 0; at < units.length; at++) {
    const digits = units[at] === percent ? String.fromCharCode(...units.subarray(at + 1, at + 3)) : ''
    const isByte = /^[\da-f]{2}$/i.test(digits)
    bytes[length++] = isByte ? Number.parseInt(digits, 16) : (units[at] ?? 0)
    if (isByte) at += 2
  }
  return bytes.slice(0, length)
}

const percent = 0x25

function decoded(base64: string): Uint8Array | undefined {
  try {
    const units = atob(base64)
    const bytes = new Uint8Array(units.length)
    for (let i = 0; i < units.length; i++) bytes[i] = units.charCodeAt(i)
    return bytes
  } catch {
    return undefined
  }
}

/** As many bytes as one call of `String.fromCharCode` surely takes; a multiple of 3, so that the pieces join to one text. */
const chunkBytes = 24 * 1024

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += chunkBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + chunkBytes)))
  return text
}
