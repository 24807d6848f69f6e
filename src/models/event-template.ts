/**
 * Most events of a stream differ from the one before in one text only. A template is such an event cut at that text: when the next event
 * begins and ends as it does, what stands between is the text, and nothing else needs to be parsed. That holds because what is, between its
 * quotes, one JSON text by itself ends where the template says, so the two events parse to the same but for it.
 *
 * With `varies` events may differ elsewhere too, where two of them that say nothing but their text have shown that they do: in a number, in
 * a text of letters and digits (padding), in the digits of another (times); never in a name, nor in what is escaped. Blanks between the last
 * brackets mean nothing anywhere.
 */
export class EventTemplate<K> {
  /** What kind of text the events hold that fit; `undefined` = none fits. */
  kind: K | undefined = undefined
  /** The last event that fitted, as it came: its numbers are its own. `undefined` = none since the last that was learnt. */
  last: string | undefined = undefined
  readonly #varies: boolean
  #name: string | undefined
  /** The event that was learnt last, its texts and numbers on the odd places; and on which of these others differ. */
  #tokens: readonly string[] = []
  #varying: ReadonlySet<number> = new Set()
  /** By itself, and as a stream has it, by how its lines end. */
  #alone = noShape
  #lines = noShape
  #linesCRLF = noShape
  /** Servers that add something random to each event fit no template: after a few tries it is not looked for any more. */
  #triesLeft = 8
  #hits = 0
  /** Where the event ended that fitted last. */
  #end = 0

  constructor({ varies = false }: { readonly varies?: boolean } = {}) {
    this.#varies = varies
  }

  /**
   * The events that fit, one behind the other, out of a piece of an event stream, as `event: …` where they are named, `data: …` and a blank
   * line each: their text together, and where the first other one begins.
   */
  run(piece: string, from: number): { readonly end: number; readonly text: string } {
    let end = from
    let text = ''
    const shape = piece.charCodeAt(piece.indexOf('\n', from) - 1) === carriageReturn ? this.#linesCRLF : this.#lines
    let last = from
    while (shape !== noShape && standsAt(piece, shape.begin, end)) {
      const more = this.#textOf(shape, piece, end + shape.begin.length)
      if (more === undefined) break
      text += more
      last = end
      end = this.#end
      this.#hits++
    }
    if (end > from) this.last = piece.slice(last + shape.head, end)
    return { end, text }
  }

  /** The text of an event that fits, or `undefined`. `name`: the event's own, where the stream names its events. */
  match(data: string, name?: string): string | undefined {
    const shape = this.#alone
    if (shape === noShape || name !== this.#name || !standsAt(data, shape.begin, 0)) return undefined
    const text = this.#textOf(shape, data, shape.begin.length)
    if (text === undefined || this.#end !== data.length) return undefined
    this.#hits++
    this.last = data
    return text
  }

  /** Takes an event that held nothing but `text`; `textIn` says which text a parsed event of its kind holds. Whether it is a template now. */
  learn(data: string, kind: K, text: string, textIn: (event: unknown) => unknown, name?: string): boolean {
    if (this.#triesLeft <= 0) return false
    const literal = JSON.stringify(text)
    for (let at = data.indexOf(literal), looks = 0; at >= 0 && looks < 4; at = data.indexOf(literal, at + 1), looks++) {
      const prefix = data.slice(0, at + 1)
      const suffix = data.slice(at + literal.length - 1)
      // The same text may stand elsewhere in the event too, be it as a name: a probe shows whether this is the one.
      if (textIn(parsed(`${prefix}${probe}${suffix}`)) !== probe) continue
      return this.#take(`${prefix}${place}${suffix}`, kind, name)
    }
    this.#triesLeft--
    return false
  }

  #take(event: string, kind: K, name: string | undefined): boolean {
    const tokens = this.#varies ? event.split(textOrNumber) : [event]
    const isKnown = this.#varies && kind === this.kind && name === this.#name
    const varying = isKnown ? differing(this.#tokens, tokens, this.#varying) : undefined
    if (varying === undefined && this.#alone !== noShape && this.#hits === 0 && --this.#triesLeft <= 0) return false
    this.kind = kind
    this.#name = name
    this.#tokens = tokens
    this.#varying = varying ?? new Set()
    this.#hits = 0
    this.last = undefined
    const [before, behind] = cut(tokens, this.#varying)
    this.#alone = shapeOf(before, behind, '', '')
    this.#lines = shapeOf(before, behind, name === undefined ? 'data: ' : `event: ${name}\ndata: `, '\n\n')
    this.#linesCRLF = shapeOf(before, behind, name === undefined ? 'data: ' : `event: ${name}\r\ndata: `, '\r\n\r\n')
    return true
  }

  /** The text of an event whose beginning, up to what varies first, ends at `from`. */
  #textOf({ before, behind, tail, closers }: Shape, data: string, from: number): string | undefined {
    const at = before === undefined ? from : before(data, from)
    const close = at < 0 ? -1 : textEnd(data, at)
    if (close < 0) return undefined
    let end = behind(data, close)
    if (end < 0 && closers > 0) {
      end = closed(data, close, closers)
      end = end >= 0 && standsAt(data, tail, end) ? end + tail.length : -1
    }
    this.#end = end
    return end < 0 ? undefined : unquoted(data.slice(at, close))
  }
}

/** Literals, and what stands between each two of them. */
interface Pattern {
  readonly literals: readonly string[]
  /** As regular expressions. */
  readonly holes: readonly string[]
}

/** Says where what it stands for ends; -1 when it does not stand at `at`. */
type Matcher = (text: string, at: number) => number

interface Shape {
  readonly begin: string
  /** How much of `begin` is no data. */
  readonly head: number
  /** From the first number or word on up to the text, when there is one. */
  readonly before: Matcher | undefined
  readonly behind: Matcher
  readonly tail: string
  /** How many brackets stand behind the text, when nothing else does. */
  readonly closers: number
}

const noShape: Shape = { begin: '', head: 0, before: undefined, behind: () => -1, tail: '', closers: 0 }

function shapeOf(before: Pattern, behind: Pattern, head: string, tail: string): Shape {
  const [begin = ''] = before.literals
  const [close = ''] = behind.literals
  const last = behind.literals.length - 1
  return {
    begin: head + begin,
    head: head.length,
    before: before.holes.length === 0 ? undefined : matcherOf({ ...before, literals: ['', ...before.literals.slice(1)] }),
    behind: matcherOf({ ...behind, literals: behind.literals.map((literal, index) => (index === last ? literal + tail : literal)) }),
    tail,
    closers: last === 0 && /^"[} ]+$/.test(close) ? close.replaceAll(/[" ]/g, '').length : 0,
  }
}

/** As a regular expression what has holes is compared in one go. */
function matcherOf({ literals, holes }: Pattern): Matcher {
  const [whole = ''] = literals
  if (holes.length === 0) return (text, at) => (standsAt(text, whole, at) ? at + whole.length : -1)
  const source = literals.map((literal, index) => `${escaped(literal)}${holes[index] ?? ''}`)
  const pattern = new RegExp(source.join(''), 'y')
  return (text, at) => {
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex : -1
  }
}

/** What may stand in the place of a text or a number, as a regular expression; `undefined` for what never differs: names, what is escaped. */
function holeOf(tokens: readonly string[], index: number): string | undefined {
  const token = tokens[index] ?? ''
  if (wholeNumber.test(token)) return `${token.startsWith('-') ? '-' : ''}(?:0|[1-9][0-9]*)`
  if (!token.startsWith('"') || unlike.test(token) || /^\s*:/.test(tokens[index + 1] ?? '')) return undefined
  return /^"[0-9A-Za-z]*"$/.test(token) ? '"[0-9A-Za-z]*"' : escaped(token).replaceAll(/[0-9]+/g, '[0-9]+')
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** What stands before the text of an event and behind it, with holes for what varies. */
function cut(tokens: readonly string[], varying: ReadonlySet<number>): readonly [Pattern, Pattern] {
  const sides = [{ literals: [''], holes: [] as string[] }]
  for (const [index, token] of tokens.entries()) {
    const side = sides[sides.length - 1]
    if (side === undefined) continue
    const hole = varying.has(index) ? holeOf(tokens, index) : undefined
    const [literal = '', behind] = token.split(place)
    if (hole !== undefined) {
      side.holes.push(hole)
      side.literals.push('')
    } else side.literals.push(`${side.literals.pop() ?? ''}${literal}`)
    if (behind !== undefined) sides.push({ literals: [behind], holes: [] })
  }
  const [before = noPattern, behind = noPattern] = sides
  return [before, behind]
}

const noPattern: Pattern = { literals: [''], holes: [] }

const maxVarying = 8

/** The places where two events differ, besides the known ones; `undefined` where these are not like each other. */
function differing(known: readonly string[], tokens: readonly string[], varying: ReadonlySet<number>): ReadonlySet<number> | undefined {
  if (known.length !== tokens.length) return undefined
  const all = new Set(varying)
  for (const [index, token] of tokens.entries()) {
    if (known[index] === token) continue
    const hole = index % 2 === 0 ? undefined : holeOf(tokens, index)
    if (hole === undefined || hole !== holeOf(known, index) || all.add(index).size > maxVarying) return undefined
  }
  return all
}

const textOrNumber = /("[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*)/s

const wholeNumber = /^-?(?:0|[1-9][0-9]*)$/

/** Stands for the text of an event. No JSON has it. */
const place = '\u0000'

const carriageReturn = 13
const space = 32
const quote = 34
const closeBrace = 125

/** What `startsWith` says, but that compares unit by unit, and this at once: most of the time of a stream was spent there. */
function standsAt(text: string, literal: string, at: number): boolean {
  return text.slice(at, at + literal.length) === literal
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

/** Where the brackets end that stand at `at` behind a quote, with blanks anywhere between them; -1 when there are not so many. */
function closed(data: string, at: number, closers: number): number {
  if (data.charCodeAt(at) !== quote) return -1
  let left = closers
  for (let end = at + 1; ; end++) {
    const unit = data.charCodeAt(end)
    if (unit === closeBrace) left--
    else if (unit !== space) return left === 0 ? end : -1
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

/** What is escaped, and the place of the text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: `place` is one that no JSON has
const unlike = /[\\\u0000]/

const probe = '\u00a7probe\u00a7'

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that JSON does not allow in a text
const special = /[\\\u0000-\u001f]/
