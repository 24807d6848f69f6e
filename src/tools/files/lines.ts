import type { OpenFile } from './root.ts'

/** As git does: a file is binary if its first bytes hold a NUL. */
const sniffedBytes = 8_000
const chunkBytes = 131_072
const newline = 0x0a

export async function isBinary(handle: OpenFile): Promise<boolean> {
  const buffer = Buffer.alloc(sniffedBytes)
  const { bytesRead } = await handle.read(buffer, 0, sniffedBytes, 0)
  return buffer.subarray(0, bytesRead).includes(0)
}

/** One line without its `\n`: its first bytes, and how many more it has. */
export interface Line {
  readonly number: number
  readonly bytes: Buffer
  readonly cutBytes: number
}

export interface Scan {
  /** Lines that ended within the scan. */
  readonly lines: number
  /** False if the file has more bytes than were looked at, or the reader stopped. */
  readonly complete: boolean
}

/** Reads a file piece by piece, so that its size costs no memory. `onChunk` says whether to go on. */
export async function scanChunks(
  handle: OpenFile,
  most: number,
  signal: AbortSignal,
  onChunk: (chunk: Buffer) => 'on' | 'stop',
): Promise<{ complete: boolean }> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let position = 0; ; ) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, Math.min(chunkBytes, most - position + 1), position)
    if (bytesRead === 0) return { complete: true }
    const inside = buffer.subarray(0, Math.min(bytesRead, most - position))
    if (onChunk(inside) === 'stop' || position + bytesRead > most) return { complete: false }
    position += bytesRead
  }
}

/**
 * Gives the lines `from` to `to` (1-based) and counts all. A `\n` at the end of the file begins no further line. Of a line at most
 * `keep` bytes are held.
 */
export async function scanLines(
  handle: OpenFile,
  { from, to, keep, most, signal }: { from: number; to: number; keep: number; most: number; signal: AbortSignal },
  onLine: (line: Line) => 'on' | 'enough',
): Promise<Scan> {
  let number = 1
  let held: Buffer[] = []
  let heldBytes = 0
  let lineBytes = 0
  let wanted = true
  const take = (piece: Buffer) => {
    lineBytes += piece.length
    if (!wanted || number < from || number > to || heldBytes >= keep) return
    const part = Buffer.from(piece.subarray(0, keep - heldBytes))
    held.push(part)
    heldBytes += part.length
  }
  const endLine = () => {
    if (wanted && number >= from && number <= to)
      wanted = onLine({ number, bytes: Buffer.concat(held), cutBytes: lineBytes - heldBytes }) === 'on'
    number++
    held = []
    heldBytes = 0
    lineBytes = 0
  }
  const { complete } = await scanChunks(handle, most, signal, (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, end))
      endLine()
      start = end + 1
    }
    take(chunk.subarray(start))
    return 'on'
  })
  if (lineBytes > 0) endLine()
  return { lines: number - 1, complete }
}

/** Bytes as text. Invalid UTF-8 becomes U+FFFD, and is said. A character that the end cuts in two is left out. */
export function decode(bytes: Buffer, end: 'whole' | 'cut'): { text: string; invalid: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: end === 'cut' }), invalid: false }
  } catch {
    return { text: new TextDecoder('utf-8').decode(bytes, { stream: end === 'cut' }), invalid: true }
  }
}

/** At most `most` characters, not half of a pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}
