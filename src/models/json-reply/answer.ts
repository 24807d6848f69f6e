import { JsonString } from './json-string.ts'
import type { Parts } from './parts.ts'

/** What may stand behind the last quote of a reply, in characters. */
const maxEnd = 64

/**
 * An answer whose quotes were not escaped, `"He said "yes" to me"}`: all that comes is text of it, but what closes the reply at its end.
 */
export class SpiltAnswer {
  readonly #parts: Parts
  readonly #string = new JsonString()
  /** What may be the end of the reply. */
  #held = ''

  constructor(parts: Parts) {
    this.#parts = parts
  }

  push(text: string): void {
    this.#string.push(text, 0, false)
    const come = this.#held + this.#string.take(false)
    const quote = come.lastIndexOf('"')
    const isEnd = quote >= 0 && come.length - quote < maxEnd && /^"[\s}`]*$/.test(come.slice(quote))
    this.#held = isEnd ? come.slice(quote) : ''
    this.#parts.text(isEnd ? come.slice(0, quote) : come)
  }

  end(): void {
    const rest = this.#held + this.#string.take(true)
    if (!/^"[\s}`]*$/.test(rest)) this.#parts.text(rest)
  }
}

/** The answer in a reply that broke before it: its text, else all of the reply. */
export function answerIn(raw: string): string {
  const begin = /"response"\s*:\s*"/.exec(raw)
  if (begin === null) return raw
  const string = new JsonString()
  const rest = raw.slice(begin.index + begin[0].length)
  const closing = /"[\s}`]*$/.exec(rest.slice(-maxEnd))?.[0].length ?? 0
  string.push(rest.slice(0, rest.length - closing), 0, false)
  return string.take(true)
}
