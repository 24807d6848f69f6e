/**
 * Most events of a stream differ from the one before in one text only. A template is such an event cut at that text: when the next event
 * begins and ends as it does, what stands between is the text, and nothing else needs to be parsed. That holds because what is, between its
 * quotes, one JSON text by itself ends where the template says, so the two events parse to the same but for it.
 *
 * With `numbersDiffer` events may differ in runs of digits too, where two of them have shown that they do: in a count, in a time.
 */
export class EventTemplate<K> {
  /** What kind of text the events hold that fit; `undefined` = none fits yet. */
  kind: K | undefined = undefined
  /** The last event that fitted, as it came: its numbers are its own. `undefined` = none did since the last that was learnt. */
  last: string | undefined = undefined
  readonly #numbersDiffer: boolean
  /** What all events have before their text, and behind it; between two pieces stands a number. */
  #before: readonly string[] = []
  #behind: readonly string[] = []
  /** The same with what an event stream has around it, by how its lines end. */
  #lineBegin = ''
  #behindLF: Pattern = nothing
  #behindCRLF: Pattern = nothing
  /** Servers that add something random to each event fit no template: after a few tries it is not looked for any more. */
  #triesLeft = 8
  #hits = 0

  constructor({ numbersDiffer = false }: { readonly numbersDiffer?: boolean } = {}) {
    this.#numbersDiffer = numbersDiffer
  }

  /**
   * The events that fit, one behind the other, out of a piece of an event stream, as `data: …` and a blank line each: their text together,
   * and where the first other one begins.
   */
  run(piece: string, from: number): { readonly end: number; readonly text: string } {
    const before = this.#before
    const begin = this.#lineBegin
    let end = from
    let text = ''
    if (begin === '' || !standsAt(piece, begin, from)) return { end, text }
    const behind = piece.charCodeAt(piece.indexOf('\n', from) - 1) === carriageReturn ? this.#behindCRLF : this.#behindLF
    let last = from
    do {
      const at = endOf(before, piece, end + begin.length)
      const close = at < 0 ? -1 : textEnd(piece, at)
      const stop = close < 0 ? -1 : behind(piece, close)
      const plain = stop < 0 ? undefined : unquoted(piece.slice(at, close))
      if (plain === undefined) break
      text += plain
      last = end
      end = stop
      this.#hits++
    } while (standsAt(piece, begin, end))
    if (end > from) this.last = piece.slice(last + dataField.length, end)
    return { end, text }
  }

  /** The text of an event that fits, or `undefined`. */
  match(data: string): string | undefined {
    const at = this.#before.length === 0 ? -1 : endOfAll(this.#before, data, 0)
    const close = at < 0 ? -1 : textEnd(data, at)
    if (close < 0 || endOfAll(this.#behind, data, close) !== data.length) return undefined
    const plain = unquoted(data.slice(at, close))
    if (plain === undefined) return undefined
    this.#hits++
    this.last = data
    return plain
  }

  /** Takes an event that held nothing but `text`; `textIn` says which text a parsed event of its kind holds. Whether it is a template now. */
  learn(data: string, kind: K, text: string, textIn: (event: unknown) => unknown): boolean {
    if (this.#before.length > 0 && this.#hits === 0) this.#triesLeft--
    if (this.#triesLeft <= 0) return false
    const literal = JSON.stringify(text)
    for (let at = data.indexOf(literal), looks = 0; at >= 0 && looks < 4; at = data.indexOf(literal, at + 1), looks++) {
      const prefix = data.slice(0, at + 1)
      const suffix = data.slice(at + literal.length - 1)
      // The same text may stand elsewhere in the event too, be it as a name: a probe shows whether this is the one.
      if (textIn(parsed(`${prefix}${probe}${suffix}`)) !== probe) continue
      this.#take(kind, prefix, suffix)
      return true
    }
    return false
  }

  #take(kind: K, prefix: string, suffix: string): void {
    const isKnown = this.#numbersDiffer && kind === this.kind
    this.#before = meet(isKnown ? this.#before : [], prefix)
    this.#behind = meet(isKnown ? this.#behind : [], suffix)
    this.kind = kind
    this.#lineBegin = `${dataField}${this.#before[0]}`
    this.#behindLF = patternOf(this.#behind, '\n\n')
    this.#behindCRLF = patternOf(this.#behind, '\r\n\r\n')
    this.#hits = 0
    this.last = undefined
  }
}

/** What `text` has in common with what is known of others like it, with holes where their numbers differ; all of it where it is not like them. */
function meet(known: readonly string[], text: string): readonly string[] {
  if (known.length === 0) return [text]
  // A hole stands for any number: one that is in no text of its own.
  const others = known.join(hole).split(runs)
  const ours = text.split(runs)
  const isLike = others.length === ours.length && others.every((one, i) => i % 2 === 1 || one === ours[i])
  if (!isLike) return [text]
  const met: string[] = ['']
  for (const [i, piece] of ours.entries()) {
    if (i % 2 === 1 && piece !== others[i]) met.push('')
    else met[met.length - 1] += piece
  }
  return met
}

/** Digits, or a hole in their place: what JSON has nowhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: for that
const runs = /(\d+|\u0000)/
const hole = '\u0000'

const dataField = 'data: '
const carriageReturn = 13

/** What `startsWith` says, but that compares unit by unit, and this at once: most of the time of a stream was spent there. */
function standsAt(text: string, literal: string, at: number): boolean {
  return text.slice(at, at + literal.length) === literal
}

/** Says where what it stands for ends; -1 when it does not stand at `at`. */
type Pattern = (text: string, at: number) => number
const nothing: Pattern = () => -1

/** Pieces with a number between each two, and what follows them. As a regular expression they are compared in one go. */
function patternOf(pieces: readonly string[], end: string): Pattern {
  const [first = ''] = pieces
  if (pieces.length === 1) {
    const whole = first + end
    return (text, at) => (standsAt(text, whole, at) ? at + whole.length : -1)
  }
  const all = [...pieces, end].map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const pattern = new RegExp(`${all.slice(0, -1).join('\\d+')}${all.at(-1)}`, 'y')
  return (text, at) => {
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex : -1
  }
}

/** Where the pieces end that stand at `at` with a number between each two; -1 when they don't. */
function endOfAll(pieces: readonly string[], text: string, at: number): number {
  const first = pieces[0] ?? ''
  return standsAt(text, first, at) ? endOf(pieces, text, at + first.length) : -1
}

/** The same from behind the first one on. */
function endOf(pieces: readonly string[], text: string, from: number): number {
  let end = from
  for (let i = 1; i < pieces.length; i++) {
    const piece = pieces[i] ?? ''
    const at = digitsEnd(text, end)
    if (at === end || !standsAt(text, piece, at)) return -1
    end = at + piece.length
  }
  return end
}

/** Where a JSON text ends that has begun before `at`; -1 when it does not. */
function textEnd(data: string, at: number): number {
  let end = data.indexOf('"', at)
  while (end > at && isEscaped(data, end)) end = data.indexOf('"', end + 1)
  return end
}

function isEscaped(data: string, at: number): boolean {
  let backslashes = 0
  while (data.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++
  return backslashes % 2 === 1
}

function digitsEnd(data: string, at: number): number {
  let end = at
  while (isDigit(data.charCodeAt(end))) end++
  return end
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
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

const probe = '\u00a7probe\u00a7'

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that JSON does not allow in a text
const special = /["\\\u0000-\u001f]/
