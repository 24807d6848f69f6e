/** Where a model that marks its reasoning in the text begins: with the opening tag, or already inside (its template has written the tag). */
export type ThinkStart = 'tagged' | 'inside'

const open = '<think>'
const close = '</think>'
/** Blanks that may stand before the opening tag. */
const maxBlank = 1_000

/**
 * Takes reasoning out of text that comes in pieces: `<think>…</think>` at the start of a message, and nowhere else (B075). A tag that is cut
 * between two pieces is waited for; text that only looks like one is passed on. What never closes stays reasoning, but of a message that was
 * taken to start inside and has no closing tag the text is the answer: it is told as text too, at the end, or it would be lost.
 */
export class ThinkSplitter {
  readonly #sink: (type: 'text' | 'reasoning', text: string) => void
  readonly #start: ThinkStart
  #place: 'start' | 'inside' | 'behind' | 'text'
  /** The beginning of a tag, perhaps. */
  #held = ''
  /** What was told of a message that starts inside. */
  #inside = ''

  constructor(start: ThinkStart, sink: (type: 'text' | 'reasoning', text: string) => void) {
    this.#start = start
    this.#sink = sink
    this.#place = start === 'inside' ? 'inside' : 'start'
  }

  push(text: string): void {
    if (this.#place === 'text') return this.#tell('text', text)
    let rest = this.#held + text
    this.#held = ''
    if (this.#place === 'start') {
      const begin = rest.trimStart()
      if (!begin.startsWith(open)) return open.startsWith(begin) && rest.length < maxBlank ? this.#hold(rest) : this.#pass(rest)
      this.#place = 'inside'
      rest = begin.slice(open.length)
    }
    if (this.#place === 'inside') {
      const end = rest.indexOf(close)
      if (end < 0) return this.#goOn(rest)
      this.#tell('reasoning', rest.slice(0, end))
      this.#inside = ''
      this.#place = 'behind'
      rest = rest.slice(end + close.length)
    }
    // The empty lines behind the tag belong to it.
    rest = rest.trimStart()
    if (rest !== '') this.#pass(rest)
  }

  /** Nothing more comes. */
  end(): void {
    const held = this.#held
    this.#held = ''
    if (this.#place === 'start') this.#tell('text', held)
    else if (this.#place === 'inside') {
      this.#tell('reasoning', held)
      if (this.#start === 'inside') this.#tell('text', this.#inside + held)
    }
  }

  #hold(text: string): void {
    this.#held = text
  }

  #pass(text: string): void {
    this.#place = 'text'
    this.#tell('text', text)
  }

  #goOn(text: string): void {
    const kept = beginningOf(close, text)
    const whole = text.slice(0, text.length - kept)
    this.#held = text.slice(text.length - kept)
    if (this.#start === 'inside') this.#inside += whole
    this.#tell('reasoning', whole)
  }

  #tell(type: 'text' | 'reasoning', text: string): void {
    if (text !== '') this.#sink(type, text)
  }
}

/** How many characters at the end of a text may be the beginning of a tag. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) if (text.endsWith(tag.slice(0, length))) return length
  return 0
}
