/** Finds the end of a JSON object, array or text that comes in pieces, each read once. */
export class JsonEnd {
  isComplete = false
  #depth = 0
  #inText = false
  #escaped = false

  /** Reads on; the place behind it, or the end of the text as long as it is not complete. */
  push(text: string, from = 0): number {
    let at = from
    while (at < text.length && !this.isComplete) this.#unit(text.charCodeAt(at++))
    return at
  }

  #unit(unit: number): void {
    if (this.#escaped) this.#escaped = false
    else if (unit === backslash && this.#inText) this.#escaped = true
    else if (unit === quote) {
      this.#inText = !this.#inText
      this.isComplete = !this.#inText && this.#depth === 0
    } else if (this.#inText) return
    else if (unit === openBrace || unit === openBracket) this.#depth++
    else if (unit === closeBrace || unit === closeBracket) this.isComplete = --this.#depth === 0
  }
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
