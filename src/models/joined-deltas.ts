import type { ModelDelta } from '../core/model.ts'

type TextDelta = Extract<ModelDelta, { readonly type: 'text' | 'reasoning' | 'call-input' }>

/**
 * Passes deltas on; those that follow each other within one part go out as one. Servers send a word at a time, but hundreds of them in one
 * piece of the body: telling each of them costs more than reading it, and nobody sees a difference.
 */
export class JoinedDeltas {
  readonly #sink: (delta: ModelDelta) => void
  #type: TextDelta['type'] = 'text'
  #part = 0
  #text = ''
  /** How much went out of each kind, and its last piece: what a whole text is compared with. */
  readonly #said = { text: 0, reasoning: 0, 'call-input': 0 }
  readonly #lastSaid = { text: '', reasoning: '', 'call-input': '' }

  constructor(sink: (delta: ModelDelta) => void) {
    this.#sink = sink
  }

  text(type: TextDelta['type'], part: number, text: string): void {
    if (type !== this.#type || part !== this.#part) this.flush()
    this.#type = type
    this.#part = part
    this.#text += text
  }

  other(delta: Exclude<ModelDelta, TextDelta>): void {
    this.flush()
    this.#sink(delta)
  }

  /** At the end of each piece of the body: what is held goes out. */
  flush(): void {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    this.#said[this.#type] += text.length
    this.#lastSaid[this.#type] = text
    this.#sink({ type: this.#type, part: this.#part, text })
  }

  /**
   * What a whole text says beyond what was said of its kind: nothing, when it does not begin with that, as far as the length and the end of
   * what was said tell (it is not kept).
   */
  restOf(type: 'text' | 'reasoning', whole: string): string {
    this.flush()
    const length = this.#said[type]
    return whole.slice(0, length).endsWith(this.#lastSaid[type]) ? whole.slice(length) : ''
  }
}
