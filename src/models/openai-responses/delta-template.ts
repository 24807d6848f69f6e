import { isWire } from '../wire.ts'

/** What differs between two events of one text: the text, and what numbers or pads them. */
type Hole = 'text' | 'number' | 'padding'

interface Step {
  readonly hole: Hole
  /** What stands behind it, up to the next one. */
  readonly behind: string
}

/** Where an event that fits ends, and its text. */
interface Fit {
  readonly end: number
  readonly text: string
}

/**
 * Nearly all events of a stream are like the one before but for a piece of text, a sequence number and, perhaps, random padding. A template is
 * such an event cut at these: when the next one has the same between them, its text is the piece, and nothing else needs to be parsed. That
 * holds because each hole takes what is, by itself, one JSON number or the inside of one JSON text, so both events parse to the same but for it.
 */
export class DeltaTemplate {
  #name: string | undefined
  #begin = ''
  /** The same behind what an event stream has before its data. */
  #lineBegin = ''
  #steps: readonly Step[] = []
  /** Servers that add something of their own to each event fit no template: after a few tries none is looked for any more. */
  #triesLeft = 8
  #hits = 0

  /** Whether there is one. */
  get isSet(): boolean {
    return this.#steps.length > 0
  }

  clear(): void {
    this.#steps = []
  }

  /** Takes an event for a template, with the name that its stream gives it. `field` is where its text stands. Whether it is one now. */
  learn(data: string, name: string | undefined, field: string): boolean {
    if (this.isSet && this.#hits === 0) this.#triesLeft--
    this.clear()
    if (this.#triesLeft <= 0) return false
    const holes = holesIn(data, field)
    const [first] = holes
    if (first === undefined || !holes.some(({ hole }) => hole === 'text') || !isSound(data, holes)) return false
    this.#name = name
    this.#begin = data.slice(0, first.from)
    this.#lineBegin = `${name === undefined ? '' : `event: ${name}\n`}data: ${this.#begin}`
    this.#steps = holes.map(({ hole, to }, index) => ({ hole, behind: data.slice(to, holes[index + 1]?.from) }))
    this.#hits = 0
    return true
  }

  /** The text of an event that fits, or `undefined`. */
  match(data: string, name: string | undefined): string | undefined {
    if (!this.isSet || name !== this.#name || !data.startsWith(this.#begin)) return undefined
    const fit = this.#fit(data, this.#begin.length)
    if (fit === undefined || fit.end !== data.length) return undefined
    this.#hits++
    return fit.text
  }

  /** The events that fit, one behind the other, out of a piece of an event stream: their text together, and where the first other one begins. */
  run(piece: string, from: number): Fit {
    let end = from
    let text = ''
    while (this.isSet && piece.startsWith(this.#lineBegin, end)) {
      const fit = this.#fit(piece, end + this.#lineBegin.length)
      if (fit === undefined || !piece.startsWith('\n\n', fit.end)) break
      text += fit.text
      end = fit.end + 2
      this.#hits++
    }
    return { end, text }
  }

  #fit(data: string, from: number): Fit | undefined {
    let end = from
    let text = ''
    for (const { hole, behind } of this.#steps) {
      const at = end
      end = hole === 'text' ? textEnd(data, at) : hole === 'number' ? numberEnd(data, at) : paddingEnd(data, at)
      if (end < 0 || !data.startsWith(behind, end)) return undefined
      if (hole === 'text') {
        const plain = unquoted(data.slice(at, end))
        if (plain === undefined) return undefined
        text = plain
      }
      end += behind.length
    }
    return { end, text }
  }
}

interface FoundHole {
  readonly hole: Hole
  readonly field: string
  readonly from: number
  readonly to: number
}

function holesIn(data: string, field: string): readonly FoundHole[] {
  // In a text its quotes would be escaped: what looks like a key is one.
  const text = find(data, 'text', field, textEnd)
  const number = find(data, 'number', 'sequence_number', numberEnd)
  const padding = find(data, 'padding', 'obfuscation', paddingEnd)
  return [text, number, padding].filter((hole) => hole !== undefined).sort((a, b) => a.from - b.from)
}

function find(data: string, hole: Hole, field: string, endOf: (data: string, at: number) => number): FoundHole | undefined {
  const before = `"${field}":${hole === 'number' ? '' : '"'}`
  const at = data.indexOf(before)
  if (at < 0) return undefined
  const from = at + before.length
  const to = endOf(data, from)
  return to < 0 ? undefined : { hole, field, from, to }
}

/** Whether what the holes hold is what the event has in these fields: they may stand in an object inside it too. */
function isSound(data: string, holes: readonly FoundHole[]): boolean {
  let probed = ''
  let at = 0
  for (const { hole, from, to } of holes) {
    probed += data.slice(at, from) + (hole === 'number' ? probeNumber : probe)
    at = to
  }
  const event = parsed(probed + data.slice(at))
  return isWire(event) && holes.every(({ hole, field }) => event[field] === (hole === 'number' ? probeNumber : probe))
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

function numberEnd(data: string, at: number): number {
  let end = at
  while (isDigit(data.charCodeAt(end))) end++
  const isNumber = end === at + 1 || (end > at && data.charCodeAt(at) !== 0x30)
  return isNumber ? end : -1
}

function paddingEnd(data: string, at: number): number {
  let end = at
  while (isAlphanumeric(data.charCodeAt(end))) end++
  return data.charCodeAt(end) === 0x22 ? end : -1
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function isAlphanumeric(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
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
const probeNumber = 912_559

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that JSON does not allow in a text
const special = /[\\\u0000-\u001f]/
