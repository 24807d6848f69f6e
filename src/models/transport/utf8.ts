// Stateless, so all share it: a decoder with `stream: true` is three times as slow on Node, and one per response is garbage.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Text from UTF-8 bytes that come in pieces, cut anywhere (B078). A byte order mark at the start is dropped; bytes that are no UTF-8 become U+FFFD. */
export class Utf8Pieces {
  /** At most three bytes: the beginning of a character. */
  #begun: Uint8Array | undefined
  #atStart = true

  push(piece: Uint8Array): string {
    const bytes = this.#begun === undefined ? piece : joined(this.#begun, piece)
    const whole = wholeLength(bytes)
    // Copied, because the caller may use its buffer again.
    this.#begun = whole === bytes.length ? undefined : bytes.slice(whole)
    return this.#text(decoder.decode(whole === bytes.length ? bytes : bytes.subarray(0, whole)))
  }

  /** What is left when no more comes: a cut character as U+FFFD, or nothing. */
  end(): string {
    const begun = this.#begun
    this.#begun = undefined
    return begun === undefined ? '' : this.#text(decoder.decode(begun))
  }

  #text(text: string): string {
    if (!this.#atStart || text === '') return text
    this.#atStart = false
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length)
  bytes.set(a)
  bytes.set(b, a.length)
  return bytes
}

/** How many bytes there are before a character that has begun and not ended. A cut right before a lead byte never changes what is decoded. */
function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0
    if (byte < 0x80) return length
    if (byte < 0xc0) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needed > back ? length - back : length
  }
  return length
}
