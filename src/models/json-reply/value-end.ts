import { JsonEnd } from '../json-end.ts'

/** Finds the end of a JSON value that comes in pieces, each read once: of an object, array or text where it closes, of others at the first character that is not theirs. */
export class ValueEnd {
  /** `undefined` for a value that does not close. */
  #end: JsonEnd | undefined
  #isBegun = false
  isOver = false

  /** Reads on; the place behind the value, or the end of the text. */
  push(text: string, from: number): number {
    if (!this.#isBegun && from < text.length) {
      this.#isBegun = true
      if (/["[{]/.test(text.charAt(from))) this.#end = new JsonEnd()
    }
    if (this.#end !== undefined) {
      const at = this.#end.push(text, from)
      this.isOver = this.#end.isComplete
      return at
    }
    let at = from
    while (at < text.length && isScalar(text.charCodeAt(at))) at++
    this.isOver = at < text.length
    return at
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
