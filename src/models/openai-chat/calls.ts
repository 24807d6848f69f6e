import type { RondoError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import { inputText } from '../input-text.ts'
import type { JoinedDeltas } from '../joined-deltas.ts'
import { JsonEnd } from '../json-end.ts'
import { garbled } from '../unusable.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'
import {
  type CallPiece,
  customInput,
  hasEnded,
  isMoreName,
  isNothing,
  isRestated,
  type OpenCall,
  pieceOf,
  restOf,
  startsAnother,
} from './open-call.ts'

/**
 * Tool calls as servers stream them: whole or in pieces, with an index or without, with an id on the first piece, on every one or on none.
 * Decides which call a piece belongs to, and says so as deltas.
 */
export class ChatCalls {
  readonly #deltas: JoinedDeltas
  readonly #newPart: () => number
  readonly #keeps: string | undefined
  readonly #calls: OpenCall[] = []
  /** The last one of each index. */
  readonly #byIndex = new Map<number, OpenCall>()
  /** The last one of each id. */
  readonly #byId = new Map<string, OpenCall>()
  /** All whose arguments are not complete, and some of which that was not looked at. */
  readonly #unended = new Set<OpenCall>()
  #last: OpenCall | undefined
  /** The one that was not told yet. */
  #untold: OpenCall | undefined

  /** @param keeps Under which key it is kept what a call has besides (`extra_content`, Google); `undefined` where it does not go back. */
  constructor(deltas: JoinedDeltas, newPart: () => number, keeps?: string) {
    this.#deltas = deltas
    this.#newPart = newPart
    this.#keeps = keeps
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
   * One entry of `tool_calls` in a stream: a call, or a piece of one. Says which call it goes on with, when it is nothing but more of its
   * arguments: pieces that look the same then do so too.
   */
  take(entry: Wire): OpenCall | undefined {
    const piece = pieceOf(entry)
    const known = this.#find(piece)
    if (known === undefined) {
      this.#begin(entry, piece)
      return undefined
    }
    if (isMoreName(known, piece)) known.name += piece.name
    if (known.custom !== undefined) {
      known.custom += textOrNothing(piece.input)
      return undefined
    }
    this.#keepExtra(known, entry)
    // Of no call, and so no sign of how this server goes on with one.
    if (piece.index === undefined && isNothing(piece)) return undefined
    if (isRestated(known, piece)) return undefined
    if (piece.name === '') known.continued = true
    this.#add(known, piece)
    return piece.name === '' && typeof piece.input === 'string' && known.told && known.index === piece.index ? known : undefined
  }

  /** The calls of a message that came at once: each is a call of its own. */
  takeWhole(entries: readonly Wire[]): void {
    for (const entry of entries) this.#begin(entry)
  }

  /** The calls of a message that its pieces have told already, in its last event: what is known must not run twice. */
  restate(entries: readonly Wire[]): void {
    const before = this.#calls.slice()
    for (const [place, entry] of entries.entries()) {
      const piece = pieceOf(entry)
      const known = this.#restated(before[place], piece)
      if (known === undefined) this.#begin(entry, piece)
      else this.#complete(known, piece)
    }
  }

  /** What has not been told yet goes out: nothing more comes. */
  end(): void {
    this.#tellRest()
    for (const call of this.#calls) if (call.custom !== undefined) this.goOn(call, JSON.stringify({ [customInput]: call.custom }))
  }

  #tellRest(): void {
    if (this.#untold !== undefined) this.#tell(this.#untold)
  }

  #begin(entry: Wire, piece: CallPiece = pieceOf(entry)): void {
    if (isNothing(piece)) return
    const call = this.#open(piece)
    if (piece.custom) {
      call.custom = textOrNothing(piece.input)
      return this.#keep(call, { custom: true })
    }
    this.#keepExtra(call, entry)
    this.#add(call, piece)
  }

  #keepExtra(call: OpenCall, { extra_content: extra }: Wire): void {
    if (isWire(extra)) this.#keep(call, { extra: extra as JsonObject })
  }

  #keep({ part }: OpenCall, data: JsonObject): void {
    if (this.#keeps !== undefined) this.#deltas.other({ type: 'data', part, providerData: { [this.#keeps]: data } })
  }

  #find(piece: CallPiece): OpenCall | undefined {
    const { index, id, name } = piece
    // B018: without an index a new id opens a call, and what has none goes on with the last one.
    const known = index === undefined ? this.#named(id) : this.#byIndex.get(index)
    if (known !== undefined) return isRestated(known, piece) || isMoreName(known, piece) || !startsAnother(known, piece) ? known : undefined
    if (name !== '' || this.#calls.length === 0 || isNothing(piece)) return undefined
    // An id may come before its name.
    if (id !== '' && piece.input === '' && !this.#byId.has(id)) return undefined
    if (index === undefined) return this.#last
    return id === '' ? this.#onlyOne() : (this.#byId.get(id) ?? this.#onlyOne())
  }

  #named(id: string): OpenCall | undefined {
    return id === '' ? this.#last : this.#byId.get(id)
  }

  /** B021: a piece under an index that nobody opened belongs to the open call, if there is but one. */
  #onlyOne(): OpenCall {
    let only: OpenCall | undefined
    for (const call of this.#unended) {
      if (hasEnded(call)) this.#unended.delete(call)
      else if (only === undefined) only = call
      else throw this.#ownerless()
    }
    if (only === undefined) throw this.#ownerless()
    return only
  }

  #ownerless(): RondoError {
    return garbled(`a piece of arguments belongs to none of its ${this.#calls.length} tool calls`)
  }

  /** Which call a whole one tells once more: of the same id, else the one in its place. Some servers make up other ids when they tell all. */
  #restated(inPlace: OpenCall | undefined, piece: CallPiece): OpenCall | undefined {
    const named = piece.id === '' ? undefined : this.#byId.get(piece.id)
    if (inPlace === undefined || (piece.id !== '' && piece.id === inPlace.id)) return inPlace ?? named
    if (named !== undefined) return named
    const isNamed = piece.name === inPlace.name || inPlace.name === ''
    return isNamed && (piece.id === '' || inPlace.id === '' || restOf(inPlace, piece) !== undefined) ? inPlace : undefined
  }

  /** What was said stands; what had not come yet is added. */
  #complete(call: OpenCall, piece: CallPiece): void {
    if (!call.told && call.name === '') call.name = piece.name
    if (call.custom !== undefined) {
      const whole = textOrNothing(piece.input)
      if (whole.startsWith(call.custom)) call.custom = whole
      return
    }
    const rest = hasEnded(call) ? '' : restOf(call, piece)
    if (rest !== undefined && rest !== '') this.#add(call, { ...piece, input: rest })
  }

  #open({ index, id, name, bare }: CallPiece): OpenCall {
    // An id without a name has its name in the next piece; what has neither is nothing.
    if (name === '' && id === '') throw garbled('a tool call has no name')
    this.#tellRest()
    const call: OpenCall = {
      part: this.#newPart(),
      index,
      id,
      ownId: id !== '' && !this.#byId.has(id),
      name,
      told: false,
      bare,
      text: '',
      canonical: undefined,
      end: new JsonEnd(),
      unread: '',
      whole: false,
      continued: false,
      custom: undefined,
    }
    this.#calls.push(call)
    this.#unended.add(call)
    if (id !== '') this.#byId.set(id, call)
    if (index !== undefined) this.#byIndex.set(index, call)
    this.#last = call
    this.#untold = call
    return call
  }

  #tell(call: OpenCall): void {
    if (call.name === '') throw garbled('a tool call has no name')
    this.#untold = undefined
    call.told = true
    const { part, id, name } = call
    this.#deltas.other(call.ownId ? { type: 'call', part, providerCallId: id, toolName: name } : { type: 'call', part, toolName: name })
  }

  #add(call: OpenCall, { input, bare }: CallPiece): void {
    this.#last = call
    call.bare &&= bare
    if (input === '') return
    if (!call.told) this.#tell(call)
    if (typeof input === 'string') return this.goOn(call, input)
    // B030: some servers send the value itself.
    if (call.text !== '') throw garbled(`the arguments of a tool call came twice`)
    call.whole = true
    call.text = inputText(input)
    this.#deltas.text('call-input', call.part, call.text)
  }
}
