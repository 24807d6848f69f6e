import { RondoError } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { ModelDelta } from '../../core/model.ts'
import { isWire, textOrNothing, type Wire } from './wire.ts'

interface OpenCall {
  readonly part: number
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  /** The arguments so far. */
  text: string
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
  readonly #sink: (delta: ModelDelta) => void
  readonly #newPart: () => number
  readonly #calls: OpenCall[] = []
  readonly #ids = new Set<string>()
  #last: OpenCall | undefined

  constructor(sink: (delta: ModelDelta) => void, newPart: () => number) {
    this.#sink = sink
    this.#newPart = newPart
  }

  get count(): number {
    return this.#calls.length
  }

  /** Whether the arguments of the last call look cut off. */
  get isOpen(): boolean {
    return this.#last !== undefined && !this.#last.whole && !isComplete(this.#last.text)
  }

  /** One entry of `tool_calls`. Of a whole message each is a call of its own; in a stream it may be a piece. */
  take(entry: Wire, isWhole: boolean): void {
    const f = entry['function']
    const body: Wire = isWire(f) ? f : entry
    const index = typeof entry['index'] === 'number' ? entry['index'] : undefined
    const id = textOrNothing(entry['id'])
    const name = textOrNothing(body['name'])
    const piece = { id, name, input: body['arguments'] ?? '' }
    const known = isWhole ? undefined : this.#find(index, piece)
    if (known !== undefined && piece.name === '') known.continued = true
    this.#add(known ?? this.#open(index, piece), piece.input)
  }

  #find(index: number | undefined, piece: CallPiece): OpenCall | undefined {
    // B018: without an index a new id opens a call, and what has none goes on with the last one.
    const known = index === undefined ? this.#named(piece.id) : this.#calls.findLast((call) => call.index === index)
    if (known !== undefined) return startsAnother(known, piece) ? undefined : known
    if (index === undefined || piece.name !== '') return undefined
    return piece.id === '' ? this.#onlyOne() : this.#named(piece.id)
  }

  #named(id: string): OpenCall | undefined {
    return id === '' ? this.#last : this.#calls.findLast((call) => call.id === id)
  }

  /** B021: a piece under an index that nobody opened belongs to the open call, if there is but one. */
  #onlyOne(): OpenCall {
    const open = this.#calls.filter((call) => !call.whole && !isComplete(call.text))
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
    const call: OpenCall = { part, index, id, name, text: '', whole: false, continued: false }
    this.#calls.push(call)
    this.#last = call
    this.#sink(own ? { type: 'call', part, providerCallId: id, toolName: name } : { type: 'call', part, toolName: name })
    return call
  }

  #add(call: OpenCall, input: unknown): void {
    this.#last = call
    if (input === '') return
    if (typeof input === 'string') {
      call.text += input
      this.#sink({ type: 'call-input', part: call.part, text: input })
      return
    }
    // B030: some servers send the value itself. It was parsed from JSON, so it is JSON.
    if (call.whole || call.text !== '') throw garbled(`the arguments of '${call.name}' came twice`)
    call.whole = true
    this.#sink({ type: 'call-input', part: call.part, text: JSON.stringify(input as Json) })
  }
}

/**
 * B020: whether a piece that could belong to a known call begins another one. Some servers count every call as 0 or give all the same id;
 * others repeat the name, or make up a new id, with every piece: as long as the arguments are not complete those go on with the call.
 */
function startsAnother(known: OpenCall, { id, name, input }: CallPiece): boolean {
  if (name === '') return false
  const ended = known.whole || isComplete(known.text)
  if (id !== '' && id === known.id) return ended && input !== ''
  if (name !== known.name) return true
  return ended || known.continued || (id !== '' && known.text === '')
}

/** Whether a text is a complete JSON value; none yet is not. */
function isComplete(text: string): boolean {
  const end = text.trimEnd().at(-1)
  if (end !== '}' && end !== '"' && end !== ']') return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function garbled(what: string): RondoError {
  return new RondoError('ModelServerError', `The model's response is garbled: ${what}.`)
}
