import { callIdOf, messageIdOf } from './entry.ts'
import { RondoError } from './error.ts'
import type { Message, Part, ProviderData, TextPart } from './message.ts'
import type { ModelDelta } from './model.ts'
import { charsOf, mergedData, partOf, Slot } from './slot.ts'
import { wellFormed } from './text.ts'

/** What one response may hold. Characters are UTF-16 code units. */
export interface AssembleLimits {
  /** Text, reasoning, arguments and media data together. Default 33,554,432. */
  readonly maxChars: number
  /** The arguments of one call. Default 4,194,304. */
  readonly maxInputChars: number
  /** Default 10,000. */
  readonly maxParts: number
  /** Default 1,024. */
  readonly maxCalls: number
}

const defaultLimits: AssembleLimits = { maxChars: 32 * 1024 * 1024, maxInputChars: 4 * 1024 * 1024, maxParts: 10_000, maxCalls: 1024 }

/** What a delta added that can be shown. The assembler has one such object and fills it anew: read it before the next `push`. */
export interface Piece {
  readonly type: 'text' | 'reasoning' | 'call-input'
  /** The part's number, as the adapter gave it. */
  readonly part: number
  /** Whether this is the first piece of its part. */
  readonly opened: boolean
  readonly text: string
  /** Of a `call-input`, else ''. Provisional while calls of lower parts may still open; adapters open parts in order. */
  readonly callId: string
  readonly toolName: string
}

/**
 * Builds the message of one model attempt from its deltas; every attempt gets a new one, so that nothing of a failed attempt stays.
 *
 * Breaking the contract of `ModelDelta` (pieces of another kind for an open part, input for a call that has not begun, a second name)
 * throws `ModelServerError`: the stream is garbled and another attempt may do better. A response over a limit throws the same code,
 * not retryable: the model runs on without end and would do so again at full price. After a throw the assembler still says what it has.
 */
export class Assembler {
  readonly #n: number
  readonly #limits: AssembleLimits
  /** In the order of their parts, as are the calls. */
  readonly #slots: Slot[] = []
  readonly #piece: { -readonly [K in keyof Piece]: Piece[K] }
  #last: Slot | undefined
  readonly #calls: Slot[] = []
  #chars = 0

  /** `n` numbers the model call in the session: message `m<n>`, calls `m<n>.<index>`. */
  constructor(options: { readonly n: number; readonly limits?: Partial<AssembleLimits> }) {
    this.#n = options.n
    this.#limits = options.limits === undefined ? defaultLimits : { ...defaultLimits, ...options.limits }
    this.#piece = { type: 'text', part: 0, opened: false, text: '', callId: '', toolName: '' }
  }

  /** Adds a delta. Says what to show of it, if anything. */
  push(delta: ModelDelta): Piece | undefined {
    switch (delta.type) {
      case 'text':
      case 'reasoning':
        return this.#addText(this.#slot(delta.part), delta.type, delta.text)
      case 'call-input':
        return this.#addInput(this.#slot(delta.part), delta.text)
      case 'call':
        return this.#beginCall(this.#slot(delta.part), delta.toolName, delta.providerCallId)
      case 'part':
        return this.#setPart(this.#slot(delta.part), delta.value)
      case 'data':
        return this.#addData(this.#slot(delta.part), delta.providerData)
      default:
        throw garbled('a piece of an unknown type')
    }
  }

  /** The text so far, without reasoning. */
  text(): string {
    let text = ''
    for (const slot of this.#slots) if (slot.kind === 'text') text += slot.text
    return wellFormed(text)
  }

  /** What was shown so far, one piece for each part. */
  pieces(): readonly Piece[] {
    return this.#slots.flatMap(({ kind, opened, part, text, callId, toolName }): Piece[] => {
      if (!opened || (kind !== 'text' && kind !== 'reasoning' && kind !== 'tool-call')) return []
      return [{ type: kind === 'tool-call' ? 'call-input' : kind, part, opened: true, text, callId, toolName }]
    })
  }

  /** The message so far. Arguments are parsed here, once; a call whose arguments can't be used has `inputError`. */
  finish(): Message {
    const parts: Part[] = []
    for (const slot of this.#slots) {
      const part = partOf(slot, this.#limits.maxInputChars)
      if (part !== undefined) parts.push(part)
    }
    return { id: messageIdOf(this.#n), role: 'assistant', parts }
  }

  #slot(part: number): Slot {
    // Nearly every piece belongs to the same part as the one before.
    if (this.#last !== undefined && this.#last.part === part) return this.#last
    const place = placeOf(this.#slots, part)
    const known = this.#slots[place]
    this.#last = known?.part === part ? known : this.#newSlot(part, place)
    return this.#last
  }

  #newSlot(part: number, place: number): Slot {
    if (!Number.isSafeInteger(part) || part < 0) throw garbled(`a part is numbered ${part}`)
    if (this.#slots.length >= this.#limits.maxParts) throw overLimit('maxParts', this.#limits.maxParts)
    const slot = new Slot(part)
    insert(this.#slots, place, slot)
    return slot
  }

  /** An empty text opens nothing: its part may still become anything. */
  #become(slot: Slot, kind: Part['type']): void {
    if (slot.kind === kind) return
    const free = slot.kind === undefined || ((slot.kind === 'text' || slot.kind === 'reasoning') && slot.text === '')
    if (!free) throw garbled(`part ${slot.part} is ${slot.kind} and got a piece of ${kind}`)
    slot.kind = kind
  }

  #resize(slot: Slot, chars: number): void {
    const total = this.#chars + chars - slot.chars
    if (total > this.#limits.maxChars) throw overLimit('maxChars', this.#limits.maxChars)
    this.#chars = total
    slot.chars = chars
  }

  #show(slot: Slot, type: Piece['type'], text: string): Piece {
    const piece = this.#piece
    piece.type = type
    piece.part = slot.part
    piece.opened = !slot.opened
    piece.text = text
    piece.callId = slot.callId
    piece.toolName = slot.toolName
    slot.opened = true
    return piece
  }

  #addText(slot: Slot, kind: 'text' | 'reasoning', text: string): Piece | undefined {
    checkText(slot, text)
    this.#become(slot, kind)
    if (text === '') return undefined
    this.#resize(slot, slot.chars + text.length)
    // Appending makes ropes, measured at half the cost of an array and a join; `finish` flattens each once.
    slot.text += text
    return this.#show(slot, kind, text)
  }

  #addInput(slot: Slot, text: string): Piece | undefined {
    if (slot.kind !== 'tool-call') throw garbled(`part ${slot.part} got arguments before its call began`)
    if (slot.whole !== undefined) throw garbled(`part ${slot.part} got arguments after its call came whole`)
    checkText(slot, text)
    if (text === '') return undefined
    this.#limitInput(slot, slot.chars + text.length)
    slot.text += text
    return this.#show(slot, 'call-input', text)
  }

  /** The mark outlives the error, so that a caller who keeps what there is can't run the call with what fitted. */
  #limitInput(slot: Slot, chars: number): void {
    const wasOverlong = slot.overlong
    slot.overlong = true
    if (wasOverlong || chars > this.#limits.maxInputChars) throw overLimit('maxInputChars', this.#limits.maxInputChars)
    this.#resize(slot, chars)
    slot.overlong = false
  }

  #beginCall(slot: Slot, toolName: string, providerCallId: string | undefined): undefined {
    if (slot.kind !== 'tool-call') {
      if (this.#calls.length >= this.#limits.maxCalls) throw overLimit('maxCalls', this.#limits.maxCalls)
      this.#become(slot, 'tool-call')
      slot.toolName = toolName
      this.#numberCall(slot)
    }
    if (slot.toolName !== toolName) throw garbled(`the call of part ${slot.part} is named '${slot.toolName}' and '${toolName}'`)
    // Some gateways send another id with every piece: the first one stays.
    slot.providerCallId ??= providerCallId
    return undefined
  }

  #numberCall(slot: Slot): void {
    const place = placeOf(this.#calls, slot.part)
    insert(this.#calls, place, slot)
    for (let i = place; i < this.#calls.length; i++) {
      const call = this.#calls[i]
      if (call !== undefined) call.callId = callIdOf(this.#n, i)
    }
  }

  #setPart(slot: Slot, value: Part): Piece | undefined {
    if (value.type === 'text' || value.type === 'reasoning') return this.#setText(slot, value)
    const chars = charsOf(value)
    if (value.type === 'tool-call') {
      this.#beginCall(slot, value.toolName, value.providerCallId)
      this.#limitInput(slot, chars)
    } else {
      this.#become(slot, value.type)
      this.#resize(slot, chars)
    }
    slot.text = ''
    slot.whole = value
    this.#addData(slot, value.providerData)
    return undefined
  }

  /** What readers have seen already is not shown again; should the whole text differ from it, the settled message is what counts. */
  #setText(slot: Slot, value: TextPart): Piece | undefined {
    this.#become(slot, value.type)
    this.#resize(slot, value.text.length)
    const unseen = value.text.startsWith(slot.text) ? value.text.slice(slot.text.length) : ''
    slot.text = value.text
    this.#addData(slot, value.providerData)
    return unseen === '' ? undefined : this.#show(slot, value.type, unseen)
  }

  #addData(slot: Slot, data: ProviderData | undefined): undefined {
    if (data !== undefined) slot.providerData = mergedData(slot.providerData ?? {}, data)
    return undefined
  }
}

/** Where the first slot stands whose part is not before `part`. Adapters open parts in order: then it is the end. */
function placeOf(slots: readonly Slot[], part: number): number {
  let from = 0
  let to = slots.length
  if (!((slots[to - 1]?.part ?? -1) >= part)) return to
  while (from < to) {
    const middle = (from + to) >> 1
    if ((slots[middle]?.part ?? 0) < part) from = middle + 1
    else to = middle
  }
  return from
}

function insert(slots: Slot[], place: number, slot: Slot): void {
  if (place === slots.length) slots.push(slot)
  else slots.splice(place, 0, slot)
}

/** What is no text has no length either, and would pass every limit. */
function checkText(slot: Slot, text: unknown): void {
  if (typeof text !== 'string') throw garbled(`part ${slot.part} got a piece whose text is ${typeof text}`)
}

function garbled(what: string): RondoError {
  return new RondoError('ModelServerError', `The model's response is garbled: ${what}. If this repeats, its adapter is at fault.`)
}

function overLimit(limit: keyof AssembleLimits, value: number): RondoError {
  return new RondoError('ModelServerError', `The model's response was stopped: it is over the limit of ${value} (${limit}).`, {
    retryable: false,
  })
}
