import { RondoError } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { JoinedDeltas } from '../joined-deltas.ts'
import { isWire, textOrNothing, type Wire } from './wire.ts'

export interface OpenCall {
  readonly part: number
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  /** The arguments so far. */
  text: string
  /** Whether they are complete, as far as it has read them. */
  readonly end: JsonEnd
  unread: string
  /** Its arguments came at once, as a value. */
  whole: boolean
  /** A piece without a name has gone on with it: this server does not repeat names. */
  continued: boolean
}

interface CallPiece {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/**
 * Tool calls as servers stream them: whole or in pieces, with an index or without, with an id on the first piece, on every one or on none.
 * Decides which call a piece belongs to, and says so as deltas.
 */
export class ChatCalls {
  readonly #deltas: JoinedDeltas
  readonly #newPart: () => number
  readonly #calls: OpenCall[] = []
  /** The last one of each index. */
  readonly #byIndex = new Map<number, OpenCall>()
  readonly #ids = new Set<string>()
  #last: OpenCall | undefined

  constructor(deltas: JoinedDeltas, newPart: () => number) {
    this.#deltas = deltas
    this.#newPart = newPart
  }

  get count(): number {
    return this.#calls.length
  }

  /** Whether the arguments of the last call look cut off. */
  get isOpen(): boolean {
    return this.#last !== undefined && !hasEnded(this.#last)
  }

  /** Whether what comes next of this call still goes on with it. */
  isLast(call: OpenCall): boolean {
    return call === this.#last
  }

  /** More arguments of the last call. */
  goOn(call: OpenCall, text: string): void {
    call.text += text
    call.unread += text
    this.#deltas.text('call-input', call.part, text)
  }

  /**
   * One entry of `tool_calls`. Of a whole message each is a call of its own; in a stream it may be a piece. Says which call it goes on
   * with, when it is nothing but more of its arguments: pieces that look the same then do so too.
   */
  take(entry: Wire, isWhole: boolean): OpenCall | undefined {
    const f = entry['function']
    const body: Wire = isWire(f) ? f : entry
    const index = typeof entry['index'] === 'number' ? entry['index'] : undefined
    const id = textOrNothing(entry['id'])
    const name = textOrNothing(body['name'])
    const piece = { id, name, input: body['arguments'] ?? '' }
    const known = isWhole ? undefined : this.#find(index, piece)
    if (known !== undefined && isRestated(known, piece)) return undefined
    if (known !== undefined && piece.name === '') known.continued = true
    this.#add(known ?? this.#open(index, piece), piece.input)
    const plain = known !== undefined && piece.name === '' && typeof piece.input === 'string'
    return plain && known.index === index ? known : undefined
  }

  #find(index: number | undefined, piece: CallPiece): OpenCall | undefined {
    // B018: without an index a new id opens a call, and what has none goes on with the last one.
    const known = index === undefined ? this.#named(piece.id) : this.#byIndex.get(index)
    if (known !== undefined) return isRestated(known, piece) || !startsAnother(known, piece) ? known : undefined
    if (piece.name !== '' || this.#calls.length === 0) return undefined
    if (index === undefined) return this.#last
    return piece.id === '' ? this.#onlyOne() : (this.#named(piece.id) ?? this.#onlyOne())
  }

  #named(id: string): OpenCall | undefined {
    return id === '' ? this.#last : this.#calls.findLast((call) => call.id === id)
  }

  /** B021: a piece under an index that nobody opened belongs to the open call, if there is but one. */
  #onlyOne(): OpenCall {
    const open = this.#calls.filter((call) => !hasEnded(call))
    const [only] = open
    if (open.length === 1 && only !== undefined) return only
    throw garbled(`a piece of arguments belongs to none of its ${this.#calls.length} tool calls`)
  }

  #open(index: number | undefined, { id, name }: CallPiece): OpenCall {
    if (name === '') throw garbled('a tool call has no name')
    const part = this.#newPart()
    // B015: an id that is empty, or another call's, is no id.
    const own = id !== '' && !this.#ids.has(id)
    this.#ids.add(id)
    const call: OpenCall = { part, index, id, name, text: '', end: new JsonEnd(), unread: '', whole: false, continued: false }
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    this.#last = call
    this.#deltas.other(own ? { type: 'call', part, providerCallId: id, toolName: name } : { type: 'call', part, toolName: name })
    return call
  }

  #add(call: OpenCall, input: unknown): void {
    this.#last = call
    if (input === '') return
    if (typeof input === 'string') return this.goOn(call, input)
    // B030: some servers send the value itself. It was parsed from JSON, so it is JSON.
    if (call.whole || call.text !== '') throw garbled(`the arguments of '${call.name}' came twice`)
    call.whole = true
    this.#deltas.text('call-input', call.part, JSON.stringify(input as Json))
  }
}

/** The whole call once more, in a last event: it must not run twice. */
function isRestated(known: OpenCall, { id, name, input }: CallPiece): boolean {
  return id !== '' && id === known.id && name === known.name && hasEnded(known) && input === known.text
}

/**
 * B020: whether a piece that could belong to a known call begins another one. Some servers count every call as 0 or give all the same id;
 * others repeat the name, or make up a new id, with every piece: as long as the arguments are not complete those go on with the call.
 */
function startsAnother(known: OpenCall, { id, name, input }: CallPiece): boolean {
  if (name === '') return false
  const ended = hasEnded(known)
  if (id !== '' && id === known.id) return ended && input !== ''
  if (name !== known.name || ended || known.continued) return true
  return id !== '' && known.text === '' && !isFragment(input)
}

/** Read when it is asked for, which is seldom. */
function hasEnded(call: OpenCall): boolean {
  if (call.whole) return true
  call.end.push(call.unread)
  call.unread = ''
  return call.end.isComplete
}

/** Something that is not complete by itself. */
function isFragment(input: unknown): boolean {
  if (typeof input !== 'string' || input === '') return false
  const end = new JsonEnd()
  end.push(input)
  return !end.isComplete
}

/** Finds the end of a JSON object, array or text that comes in pieces, each read once. */
class JsonEnd {
  isComplete = false
  #depth = 0
  #inText = false
  #escaped = false

  push(text: string): void {
    for (let i = 0; i < text.length && !this.isComplete; i++) this.#unit(text.charCodeAt(i))
  }

  #unit(unit: number): void {
    if (this.#escaped) this.#escaped = false
    else if (unit === backslash && this.#inText) this.#escaped = true
    else if (unit === quote) {
      this.#inText = !this.#inText
      this.isComplete = !this.#inText && this.#depth === 0
    } else if (this.#inText) return
    else if (unit === openBrace || unit === openBracket) this.#depth++
    else if (unit === closeBrace || unit === closeBracket) this.isComplete = --this.#depth === 0
  }
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function garbled(what: string): RondoError {
  return new RondoError('ModelServerError', `The model's response is garbled: ${what}.`)
}
