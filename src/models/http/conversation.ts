import type { Message } from '../../core/message.ts'
import { Transcript } from '../../core/transcript.ts'

const encoder = new TextEncoder()
const nothing = new Uint8Array(0)

/** From this length on (UTF-16 units) a text is measured before room is made for it. */
const bigLength = 64 * 1024

export type Role = 'user' | 'assistant' | 'tool'

/** A message of an API's list, or a part of one, as JSON text. */
export interface Piece {
  readonly role: Role
  /** Pieces of one kind that follow each other are one message there, their bodies joined by commas. Default: a message of its own. */
  readonly joins?: string
  /** `{"role":"user","content":[` */
  readonly open: string
  /** Never empty. */
  readonly body: string
  /** `]}` */
  readonly close: string
  /** What stands in the place of the last bytes of the body (so many) when it is the end of all. */
  readonly whenLast?: { readonly drop: number; readonly put: string }
}

export interface Encoded {
  readonly pieces: readonly Piece[]
  /** The ids of its calls. */
  readonly ids: readonly string[]
}

/** How the messages of an API are written. All of it is pure: the same history gives the same bytes. */
export interface Writing {
  /** A message of ours; no pieces for one that says nothing there. `used` has the ids of the calls before it; `before` is the one before it. */
  readonly encode: (message: Message, used: ReadonlyMap<string, unknown>, before: Message | undefined) => Encoded
  /** What must stand between two messages (`undefined` = the beginning). Default nothing. */
  readonly between?: (before: Role | undefined, after: Role) => Piece | undefined
}

/** What must stand behind all messages, by the role that the last one has there: of this request only, and not kept. */
export type Ending = (last: Role, message: Message) => Piece | undefined

/** Where a message of ours ends, and what is open there. */
interface End {
  readonly at: number
  readonly close: string
  readonly joins: string | undefined
  readonly role: Role | undefined
  readonly whenLast: Piece['whenLast']
}

const begin: End = { at: 0, close: '', joins: undefined, role: undefined, whenLast: undefined }

/**
 * The messages of one session as bytes, which only grow: a request's body is a view on them, so that a step encodes and copies what is
 * new and nothing else, however long the session is. The last message stays open, for what comes next may belong to it.
 */
export class Conversation {
  readonly #writing: Writing
  readonly #messages: Message[] = []
  /** Of which story they are, where they are of one. */
  #story: object | undefined
  readonly #ends: End[] = []
  /** Each id that was sent, by the number of its message. */
  readonly #used = new Map<string, number>()
  #bytes = new Uint8Array(4096)
  #end: End = begin
  /** How many messages were asked for last. */
  #count = 0

  constructor(writing: Writing) {
    this.#writing = writing
  }

  /** Bytes held. */
  get size(): number {
    return this.#bytes.length
  }

  /** Whether there is a call among the messages that were encoded last. */
  get hasCalls(): boolean {
    for (const place of this.#used.values()) if (place < this.#count) return true
    return false
  }

  /**
   * The given messages as JSON with a comma before each, in pieces. The bytes are not changed by later calls.
   *
   * @param mark Put into the last object of the last message, unless that is the assistant's: `,"cache_control":{"type":"ephemeral"}`.
   * @param ending Asked once, with the last message.
   */
  encode(messages: Iterable<Message>, mark = '', ending?: Ending): readonly Uint8Array[] {
    const count = messages instanceof Transcript ? this.#encodeStory(messages) : this.#encodeAny(messages)
    this.#count = count
    const end = this.#ends[count - 1] ?? begin
    const last = this.#messages[count - 1]
    if (end.at === 0 || end.role === undefined || last === undefined) return []
    const behind = ending?.(end.role, last)
    if (behind !== undefined) return this.#ended(end, behind, mark)
    const { drop, put } = end.whenLast ?? { drop: 0, put: '' }
    const marked = mark !== '' && end.role !== 'assistant' && this.#bytes[end.at - 1] === closeBrace
    const view = this.#bytes.subarray(0, marked ? end.at - 1 : end.at - drop)
    const rest = marked ? `${mark}}${end.close}` : `${put}${end.close}`
    return rest === '' ? [view] : [view, encoder.encode(rest)]
  }

  /** With a piece behind all that is not kept. */
  #ended(end: End, { joins, open, body, close, role }: Piece, mark: string): readonly Uint8Array[] {
    const marked = mark !== '' && role !== 'assistant' && body.endsWith('}') ? `${body.slice(0, -1)}${mark}}` : body
    const goesOn = joins !== undefined && end.joins === joins
    const rest = goesOn ? `,${marked}${close}` : `${end.close},${open}${marked}${close}`
    return [this.#bytes.subarray(0, end.at), encoder.encode(rest)]
  }

  /** The last of the messages that were encoded last which `is` holds for, among the `looks` last ones. */
  recent(is: (message: Message) => boolean, looks: number): Message | undefined {
    for (let at = this.#count - 1; at >= 0 && at >= this.#count - looks; at--) {
      const message = this.#messages[at]
      if (message !== undefined && is(message)) return message
    }
    return undefined
  }

  /** Looks at what is new only. */
  #encodeStory(messages: Transcript): number {
    const { length, story } = messages
    const known = Math.min(length, this.#messages.length)
    const goesOn = this.#story === story && known > 0 && messages.at(known - 1) === this.#messages[known - 1]
    for (let place = goesOn ? known : 0; place < length; place++) this.#encodeAt(place, messages.at(place))
    this.#story = story
    return length
  }

  #encodeAny(messages: Iterable<Message>): number {
    this.#story = undefined
    let count = 0
    for (const message of messages) this.#encodeAt(count++, message)
    return count
  }

  #encodeAt(place: number, message: Message): void {
    if (this.#messages[place] === message) return
    if (place < this.#messages.length) this.#truncate(place)
    this.#append(message)
  }

  #append(message: Message): void {
    const { pieces, ids } = this.#writing.encode(message, this.#used, this.#messages.at(-1))
    for (const id of ids) this.#used.set(id, this.#messages.length)
    this.#messages.push(message)
    for (const piece of pieces) {
      const between = this.#writing.between?.(this.#end.role, piece.role)
      if (between !== undefined) this.#add(between)
      this.#add(piece)
    }
    this.#ends.push(this.#end)
  }

  #add({ role, joins, open, body, close, whenLast }: Piece): void {
    const before = this.#end
    const goesOn = joins !== undefined && before.joins === joins
    const at = this.#write(goesOn ? `,${body}` : `${before.close},${open}${body}`, before.at)
    this.#end = { at, close, joins, role, whenLast }
  }

  /** Says where it ends. */
  #write(json: string, at: number): number {
    if (json.length > bigLength) {
      const bytes = encoder.encode(json)
      this.#reserve(at, bytes.length)
      this.#bytes.set(bytes, at)
      return at + bytes.length
    }
    // A UTF-16 unit takes at most three bytes.
    this.#reserve(at, json.length * 3)
    return at + encoder.encodeInto(json, this.#bytes.subarray(at)).written
  }

  #reserve(at: number, more: number): void {
    const needed = at + more
    if (needed > this.#bytes.length) this.#move(at, Math.max(needed, this.#bytes.length * 2))
  }

  #move(length: number, size: number): void {
    const bytes = new Uint8Array(size)
    bytes.set(this.#bytes.subarray(0, length))
    this.#bytes = bytes
  }

  /** Another history from here on. A request that is under way still reads the old bytes: they stay as they are. */
  #truncate(count: number): void {
    this.#messages.length = count
    this.#ends.length = count
    for (const [id, index] of this.#used) if (index >= count) this.#used.delete(id)
    this.#end = this.#ends[count - 1] ?? begin
    this.#move(this.#end.at, this.#bytes.length)
  }
}

/** The same as one list, for a body: what stands before it ends with a message, or with `[`. */
export function listOf(messages: readonly Uint8Array[], headHasMessage: boolean): readonly Uint8Array[] {
  const [first = nothing, ...rest] = messages
  // Each message has a comma before it; the first of all must not.
  return headHasMessage || first.length === 0 ? messages : [first.subarray(1), ...rest]
}

const closeBrace = 0x7d
