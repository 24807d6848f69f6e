import { isJsonObject } from '../../core/json.ts'
import type { Part, ProviderData } from '../../core/message.ts'
import type { ModelDelta } from '../../core/model.ts'
import { storableCopy } from '../../core/storable.ts'
import { isWire } from '../wire.ts'
import { type Saved, savedJson } from './saved.ts'

/** Where the parts of a response go, numbered as they begin. */
export class Out {
  readonly #scope: string
  readonly #sink: (delta: ModelDelta) => void
  #parts = 0

  constructor(scope: string, sink: (delta: ModelDelta) => void) {
    this.#scope = scope
    this.#sink = sink
  }

  /** How many there are. */
  get count(): number {
    return this.#parts
  }

  next(): number {
    return this.#parts++
  }

  send(delta: ModelDelta): void {
    this.#sink(delta)
  }

  /** A part at once. */
  part(value: Part, part = this.next()): void {
    this.#sink({ type: 'part', part, value })
  }

  /** What has no form of its own is kept in its place, as a part that shows nothing. */
  hidden(type: 'text' | 'reasoning', saved: Saved, metadata: unknown): void {
    this.part({ type, text: '', providerData: this.data(saved, metadata) })
  }

  /** What is kept with a part, with the `providerMetadata` that it came with. */
  data(saved: Saved, metadata: unknown): ProviderData {
    const json = isWire(metadata) ? storableCopy(metadata).json : undefined
    return { [this.#scope]: savedJson(isJsonObject(json) ? { ...saved, metadata: json } : saved) }
  }
}
