import { wellFormed } from '../../core/text.ts'

const escapes: { readonly [letter: string]: string | undefined } = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
}

/**
 * Decodes a JSON string that comes in pieces, from behind its opening quote. Meant for text that people read: line breaks as they are and
 * escapes that JSON does not know are taken for what stands there. A half of a surrogate pair waits for the other one.
 */
export class JsonString {
  /** Text since it was taken last. */
  #text = ''
  #escape = ''
  #half = ''

  /** Reads on, up to the closing quote unless `quotesEnd` is false; the place behind what was read. */
  push(text: string, from: number, quotesEnd = true): { readonly at: number; readonly ended: boolean } {
    let at = from
    while (at < text.length) {
      if (this.#escape !== '') {
        this.#readEscape(text.charAt(at++))
        continue
      }
      let end = at
      while (end < text.length && text[end] !== '\\' && !(quotesEnd && text[end] === '"')) end++
      this.#append(text.slice(at, end))
      at = end + 1
      if (text[end] === '"') return { at, ended: true }
      if (text[end] === '\\') this.#escape = '\\'
    }
    return { at: Math.min(at, text.length), ended: false }
  }

  /** What has come since the last time; a half that waits only at the end. */
  take(isEnd: boolean): string {
    const text = isEnd ? this.#text + this.#escape + (this.#half === '' ? '' : '\ufffd') : this.#text
    this.#text = ''
    if (isEnd) {
      this.#half = ''
      this.#escape = ''
    }
    return text
  }

  #readEscape(char: string): void {
    this.#escape += char
    const begun = this.#escape
    const letter = begun.charAt(1)
    if (letter === 'u' && begun.length < 6) return
    this.#escape = ''
    if (letter !== 'u') this.#append(escapes[letter] ?? begun)
    else this.#append(/^\\u[\da-f]{4}$/i.test(begun) ? String.fromCharCode(Number.parseInt(begun.slice(2), 16)) : begun)
  }

  #append(more: string): void {
    if (more === '') return
    const whole = this.#half + more
    const last = whole.charCodeAt(whole.length - 1)
    this.#half = last >= 0xd800 && last < 0xdc00 ? whole.slice(-1) : ''
    this.#text += wellFormed(this.#half === '' ? whole : whole.slice(0, -1))
  }
}
