import type { Kind } from './kind.ts'

/** As browsers do (https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding). */
const prescanned = 1_024

/**
 * Bytes as text. A byte order mark decides, else the header, else what the document says of itself, else UTF-8 if it is that, else windows-1252,
 * which can be no failure. Bytes that the encoding does not know become U+FFFD.
 */
export function decodeText(bytes: Buffer, contentType: string | undefined, kind: Kind): string {
  const named = decoderOf(charsetOf(contentType)) ?? decoderOf(saidInside(bytes, kind))
  const marked = markOf(bytes)
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes)
  if (named !== undefined) return decodeBy(named, bytes)
  try {
    // A character that the limit of size has cut in two is not what makes it another encoding.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return decodeBy(new TextDecoder('windows-1252'), bytes)
  }
}

/** Many versions of Node read windows-1252, which the web also means by ISO-8859-1, as Latin-1 (nodejs/node#56542): quotes and dashes were lost. */
function decodeBy(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string {
  const text = decoder.decode(bytes)
  if (decoder.encoding !== 'windows-1252') return text
  return text.replace(/[\x80-\x9f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80] ?? control)
}

/** 0x80 to 0x9f; five mean nothing. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? '')?.[1]
}

/** `<meta charset>`, `<meta http-equiv content>` and `<?xml encoding?>`. What is read as ASCII is no UTF-16, whatever it says. */
function saidInside(bytes: Buffer, kind: Kind): string | undefined {
  const start = bytes.subarray(0, prescanned).toString('latin1')
  const xml = /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(start)?.[1]
  const meta = kind === 'html' ? /<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(start)?.[1] : undefined
  const said = meta ?? xml
  return said === undefined || /^utf-?16/i.test(said) ? undefined : said
}

function markOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

/** `undefined` for a name that nobody knows. */
function decoderOf(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label)
  } catch {
    return undefined
  }
}
