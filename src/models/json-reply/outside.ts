import type { Parts } from './parts.ts'

/** A line that opens or closes a fence has no more characters. */
const maxFence = 40

/**
 * The text round the objects of a reply. Blanks and fences wait until it is known what comes behind them: those before an object belong to
 * it, those before text are text. An object begins its line; behind the first one only more objects may follow, else the rest is text.
 */
export class Outside {
  readonly #parts: Parts
  /** Blanks and fences that wait. */
  held = ''
  /** The line has nothing but blanks so far. */
  #atLineStart = true
  /** A fence that has begun, with what follows it on its line. */
  #fence: string | undefined
  #hasObject = false
  /** Text came behind an object: nothing but text comes any more. */
  #isOver = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Behind an object that was a reply; or one that was none, and is text. */
  begin(wasReply: boolean): void {
    this.held = ''
    this.#fence = undefined
    this.#atLineStart = wasReply
    if (!wasReply) this.#isOver = this.#hasObject
    else {
      this.#hasObject = true
      this.#parts.separate()
    }
  }

  /** Reads on; the place where an object begins, or -1. */
  read(text: string, from: number): number {
    let at = from
    while (at < text.length) {
      if (this.#isOver) {
        this.#parts.text(text.slice(at))
        return -1
      }
      if (this.#fence !== undefined) {
        at = this.#readFence(text, at, this.#fence)
        continue
      }
      const char = text.charAt(at)
      if (char === '\n') {
        this.#atLineStart = true
        this.held += char
      } else if (/\s/.test(char) || this.#isBetween(char)) this.held += char
      else if (char === '{' && this.#atLineStart) return at
      else if (char === '`' && this.#atLineStart) {
        this.#fence = ''
        continue
      } else {
        at = this.#readLine(text, at)
        continue
      }
      at++
    }
    return -1
  }

  /** Nothing more comes: what waits for an object waits in vain. */
  end(): void {
    const rest = this.held + (this.#fence ?? '')
    this.held = ''
    this.#fence = undefined
    if (this.#says(rest)) this.#parts.text(rest)
  }

  #readFence(text: string, from: number, begun: string): number {
    let line = begun
    let at = from
    while (at < text.length && text.charAt(at) !== '\n' && text.charAt(at) !== '{' && line.length <= maxFence) line += text.charAt(at++)
    if (at === text.length && line.length <= maxFence) {
      this.#fence = line
      return at
    }
    this.#fence = undefined
    this.held += line
    if (/^```\s*\w*\s*$/.test(line)) return at
    this.#atLineStart = false
    this.#tellHeld()
    return at
  }

  /** Text to the end of its line. */
  #readLine(text: string, from: number): number {
    const end = text.indexOf('\n', from)
    this.#tellHeld()
    if (this.#isOver) return from
    const line = text.slice(from, end < 0 ? text.length : end)
    // Blanks at the end of a line may be those before an object.
    const told = line.trimEnd()
    this.#parts.text(told)
    this.held = line.slice(told.length)
    this.#atLineStart = false
    return from + line.length
  }

  /** What stands between objects, round them as a list, or behind them as one brace too many. */
  #isBetween(char: string): boolean {
    return this.#hasObject ? /[,\]}]/.test(char) : char === '[' && this.#atLineStart
  }

  #tellHeld(): void {
    const held = this.held
    this.held = ''
    // Blanks between two texts are told too; behind an object a line break stands for them.
    if (this.#says(held) || (this.#parts.hasText && !this.#hasObject)) this.#parts.text(held)
    if (this.#hasObject) this.#isOver = true
  }

  #says(text: string): boolean {
    return this.#hasObject ? /[^\s,`\]}]/.test(text) : text.trim() !== ''
  }
}
