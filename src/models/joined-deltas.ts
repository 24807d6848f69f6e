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
    this.#sink({ type: this.#type, part: this.#part, text })
  }
}
