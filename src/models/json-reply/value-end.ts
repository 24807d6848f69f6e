/** Finds the end of a JSON value that comes in pieces, each read once: of an object, array or text where it closes, of others at the first character that is not theirs. */
export class ValueEnd {
  #kind: 'none' | 'nested' | 'scalar' = 'none'
  #depth = 0
  #inText = false
  #escaped = false
  isOver = false

  /** Reads on; the place behind the value, or the end of the text. */
  push(text: string, from: number): number {
    let at = from
    if (this.#kind === 'none' && at < text.length) this.#kind = /["[{]/.test(text.charAt(at)) ? 'nested' : 'scalar'
    if (this.#kind === 'scalar') {
      while (at < text.length && isScalar(text.charCodeAt(at))) at++
      this.isOver = at < text.length
      return at
    }
    while (at < text.length && !this.isOver) this.#unit(text.charCodeAt(at++))
    return at
  }

  #unit(unit: number): void {
    if (this.#escaped) this.#escaped = false
    else if (unit === backslash && this.#inText) this.#escaped = true
    else if (unit === quote) {
      this.#inText = !this.#inText
      this.isOver = !this.#inText && this.#depth === 0
    } else if (this.#inText) return
    else if (unit === openBrace || unit === openBracket) this.#depth++
    else if (unit === closeBrace || unit === closeBracket) this.isOver = --this.#depth === 0
  }
}

/** What numbers, `true`, `false` and `null` are made of. */
export function isScalar(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x2b ||
    unit === 0x2d ||
    unit === 0x2e
  )
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
