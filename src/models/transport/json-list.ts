import { RondoError } from '../../core/error.ts'
import { JsonEnd } from '../json-end.ts'
import { Utf8Pieces } from './utf8.ts'

const defaultMaxChars = 16_777_216

/** Decodes a body that is one JSON array, of which each element is an event (Gemini without `alt=sse`). The elements are not parsed. */
export class JsonListDecoder {
  readonly #onElement: (json: string) => void
  readonly #maxChars: number
  readonly #utf8 = new Utf8Pieces()
  #begun = false
  #ended = false
  #element = ''
  #end = new JsonEnd()

  /** `onElement` is called during `push`, once for each object. What it throws goes through `push`. */
  constructor(onElement: (json: string) => void, maxChars = defaultMaxChars) {
    this.#onElement = onElement
    this.#maxChars = maxChars
  }

  push(bytes: Uint8Array): void {
    let text = this.#utf8.push(bytes)
    while (text !== '' && !this.#ended) text = this.#element === '' ? this.#between(text) : this.#more(text)
  }

  /** The body has ended. Returns the beginning of an element whose end did not come, '' where the list lacks its own, else `undefined`. */
  end(): string | undefined {
    return this.#ended ? undefined : this.#element
  }

  /** Up to the next element. */
  #between(text: string): string {
    const at = text.search(/[^\s,]/)
    if (at === -1) return ''
    const unit = text[at]
    if (!this.#begun && unit === '[') {
      this.#begun = true
      return text.slice(at + 1)
    }
    if (this.#begun && unit === ']') {
      this.#ended = true
      return ''
    }
    if (!this.#begun || unit !== '{')
      throw new RondoError('ModelServerError', 'The response is garbled: it is a list of JSON objects with something else in it.')
    return this.#more(text.slice(at))
  }

  #more(text: string): string {
    const used = this.#end.push(text)
    this.#element += text.slice(0, used)
    if (this.#element.length > this.#maxChars) {
      const limit = this.#maxChars.toLocaleString('en-US')
      throw new RondoError('ModelServerError', `One element of the answer is longer than ${limit} characters.`)
    }
    if (!this.#end.isComplete) return ''
    const element = this.#element
    this.#element = ''
    this.#end = new JsonEnd()
    this.#onElement(element)
    return text.slice(used)
  }
}
