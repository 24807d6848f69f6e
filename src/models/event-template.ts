/**
 * Most events of a stream differ from the one before in one text only. A template is such an event cut at that text: when the next event
 * begins and ends as it does, what stands between is the text, and nothing else needs to be parsed. That holds because what is, between its
 * quotes, one JSON text by itself ends where the template says, so the two events parse to the same but for it.
 */
export class EventTemplate<K> {
  /** What kind of text the events hold that fit; `undefined` = none fits yet. */
  kind: K | undefined = undefined
  #prefix = ''
  #suffix = ''
  #line = ''
  /** How many brackets stand behind the text, when nothing else does: blanks between them (padding of each event) then make no difference. */
  #closers = 0
  /** Servers that add something random to each event fit no template: after a few tries it is not looked for any more. */
  #triesLeft = 8
  #hits = 0

  /**
   * The events that fit, one behind the other, out of a piece of an event stream, as `event: …` where they are named, `data: …` and a blank
   * line each: their text together, and where the first other one begins.
   */
  run(piece: string, from: number): { readonly end: number; readonly text: string } {
    const begin = this.#line
    let end = from
    let text = ''
    while (begin !== '' && piece.startsWith(begin, end)) {
      const at = end + begin.length
      const feed = piece.indexOf('\n', at)
      const stop = feed < 0 || piece.charCodeAt(feed + 1) !== lineFeed ? -1 : this.#textEnd(piece, feed)
      const plain = stop > at ? unquoted(piece.slice(at, stop)) : undefined
      if (plain === undefined) break
      text += plain
      end = feed + 2
      this.#hits++
    }
    return { end, text }
  }

  /** Where the text ends in an event that ends at `end`; -1 when it ends in another way. */
  #textEnd(piece: string, end: number): number {
    const exact = end - this.#suffix.length
    if (piece.startsWith(this.#suffix, exact)) return exact
    if (this.#closers === 0) return -1
    let closers = 0
    for (let at = end - 1; at >= 0; at--) {
      const unit = piece.charCodeAt(at)
      if (unit === closeBrace) closers++
      else if (unit !== space) return unit === quote && closers === this.#closers ? at : -1
    }
    return -1
  }

  /** The text of an event that fits, or `undefined`. */
  match(data: string): string | undefined {
    const prefix = this.#prefix
    if (prefix === '' || !data.startsWith(prefix)) return undefined
    const stop = this.#textEnd(data, data.length)
    const plain = stop > prefix.length ? unquoted(data.slice(prefix.length, stop)) : undefined
    if (plain !== undefined) this.#hits++
    return plain
  }

  /**
   * Takes an event that held nothing but `text`; `textIn` says which text a parsed event of its kind holds. Whether it is a template now.
   *
   * @param name The event's own, where the stream names its events.
   */
  learn(data: string, kind: K, text: string, textIn: (event: unknown) => unknown, name?: string): boolean {
    if (this.#prefix !== '' && this.#hits === 0) this.#triesLeft--
    if (this.#triesLeft <= 0) return false
    const literal = JSON.stringify(text)
    for (let at = data.indexOf(literal), looks = 0; at >= 0 && looks < 4; at = data.indexOf(literal, at + 1), looks++) {
      const prefix = data.slice(0, at + 1)
      const suffix = data.slice(at + literal.length - 1)
      // The same text may stand elsewhere in the event too, be it as a name: a probe shows whether this is the one.
      if (textIn(parsed(`${prefix}${probe}${suffix}`)) !== probe) continue
      this.kind = kind
      this.#prefix = prefix
      this.#suffix = suffix
      this.#line = name === undefined ? `data: ${prefix}` : `event: ${name}\ndata: ${prefix}`
      this.#closers = /^"[} ]+$/.test(suffix) ? suffix.replaceAll(/[" ]/g, '').length : 0
      this.#hits = 0
      return true
    }
    return false
  }
}

/** What a text stands for between its quotes; `undefined` when it is not one JSON text by itself. */
function unquoted(text: string): string | undefined {
  if (!special.test(text)) return text
  const value = parsed(`"${text}"`)
  return typeof value === 'string' ? value : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const lineFeed = 10
const space = 32
const quote = 34
const closeBrace = 125

const probe = '\u00a7probe\u00a7'

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that JSON does not allow in a text
const special = /["\\\u0000-\u001f]/
