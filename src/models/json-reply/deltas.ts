import type { ModelDelta } from '../../core/model.ts'
import type { Parts } from './parts.ts'

type Data = Extract<ModelDelta, { readonly type: 'data' }>

/** What the model below says: its text goes to who reads it, everything else is passed on. */
export class Deltas {
  readonly #parts: Parts
  readonly #reader: { push(text: string): void }
  /** How much of the text of each part has come. */
  readonly #come = new Map<number, number>()
  /** Data that came before anything else of its part: the next delta tells whether it is that of a text. */
  #early: Data | undefined

  constructor(parts: Parts, reader: { push(text: string): void }) {
    this.#parts = parts
    this.#reader = reader
  }

  push(delta: ModelDelta): void {
    const text = textOf(delta)
    const early = this.#early
    if (early !== undefined && (text === undefined || delta.part !== early.part)) this.end()
    if (text !== undefined) this.#read(delta, text)
    else if (delta.type !== 'data') this.#parts.other(delta)
    else if (this.#come.has(delta.part)) this.#parts.textData(delta.providerData)
    else this.#early = delta
    this.#parts.flush()
  }

  /** Nothing more comes. */
  end(): void {
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) this.#parts.other(early)
  }

  #read(delta: ModelDelta, text: string): void {
    const come = this.#come.get(delta.part) ?? 0
    const isWhole = delta.type === 'part'
    this.#come.set(delta.part, isWhole ? text.length : come + text.length)
    this.#reader.push(isWhole ? text.slice(come) : text)
    if (this.#early !== undefined) this.#parts.textData(this.#early.providerData)
    this.#early = undefined
    if (isWhole && delta.value.providerData !== undefined) this.#parts.textData(delta.value.providerData)
  }
}

/** The text of a delta, when there is one; a whole text part with nothing in it carries something else. */
function textOf(delta: ModelDelta): string | undefined {
  if (delta.type === 'text') return delta.text
  return delta.type === 'part' && delta.value.type === 'text' && delta.value.text !== '' ? delta.value.text : undefined
}
