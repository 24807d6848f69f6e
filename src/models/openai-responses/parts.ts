import type { Json } from '../../core/json.ts'
import type { Part } from '../../core/message.ts'
import type { JoinedDeltas } from '../joined-deltas.ts'
import type { ItemData } from './data.ts'

/** Tells the parts of a message, numbers them, and puts what is kept under its scope. */
export class Parts {
  readonly #deltas: JoinedDeltas
  readonly #scope: string
  #next = 0
  /** The first one that there is something of. */
  first: number | undefined

  constructor(deltas: JoinedDeltas, scope: string) {
    this.#deltas = deltas
    this.#scope = scope
  }

  newPart(): number {
    return this.#next++
  }

  text(type: 'text' | 'reasoning' | 'call-input', part: number, text: string): void {
    if (text === '') return
    this.first ??= part
    this.#deltas.text(type, part, text)
  }

  call(part: number, id: string, toolName: string): void {
    this.first ??= part
    this.#deltas.other({ type: 'call', part, ...(id === '' ? {} : { providerCallId: id }), toolName })
  }

  whole(part: number, value: Part, data?: ItemData): void {
    this.first ??= part
    const kept = data === undefined ? {} : { providerData: this.#data(data) }
    this.#deltas.other({ type: 'part', part, value: { ...value, ...kept } })
  }

  keep(part: number, data: ItemData): void {
    this.first ??= part
    this.#deltas.other({ type: 'data', part, providerData: this.#data(data) })
  }

  #data(data: ItemData): { readonly [scope: string]: Json } {
    return { [this.#scope]: { ...data } }
  }
}
