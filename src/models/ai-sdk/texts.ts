import { isWire, textOrNothing, type Wire } from '../wire.ts'
import type { Out } from './out.ts'

type Kind = 'text' | 'reasoning'

interface OpenText {
  readonly kind: Kind
  /** Numbered when there is something of it. */
  part: number | undefined
  hasText: boolean
  metadata: unknown
}

/** Texts and reasoning that may go on, by their ids: pieces of several may interleave, and an id may come again for another. */
export class Texts {
  readonly #out: Out
  readonly #open = new Map<string, OpenText>()

  constructor(out: Out) {
    this.#out = out
  }

  start(kind: Kind, { id, providerMetadata }: Wire): void {
    this.#close(`${kind} ${String(id)}`)
    this.#keep(this.#begin(kind, id), providerMetadata)
  }

  more(kind: Kind, { id, delta, providerMetadata }: Wire): void {
    const open = this.#open.get(`${kind} ${String(id)}`) ?? this.#begin(kind, id)
    this.#keep(open, providerMetadata)
    const text = textOrNothing(delta)
    if (text === '') return
    open.part ??= this.#out.next()
    open.hasText = true
    this.#out.send({ type: kind, part: open.part, text })
  }

  end(kind: Kind, { id, providerMetadata }: Wire): void {
    const key = `${kind} ${String(id)}`
    const open = this.#open.get(key)
    if (open !== undefined) this.#keep(open, providerMetadata)
    this.#close(key)
  }

  closeAll(): void {
    for (const key of [...this.#open.keys()]) this.#close(key)
  }

  #begin(kind: Kind, id: unknown): OpenText {
    const open: OpenText = { kind, part: undefined, hasText: false, metadata: undefined }
    this.#open.set(`${kind} ${String(id)}`, open)
    return open
  }

  /** The last metadata of a part counts, as it does for the AI SDK itself. */
  #keep(open: OpenText, metadata: unknown): void {
    if (!isWire(metadata)) return
    open.part ??= this.#out.next()
    open.metadata = metadata
  }

  /** Reasoning is marked in any case: it goes back to whom it came from, and to nobody else. */
  #close(key: string): void {
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    const { kind, part, hasText, metadata } = open
    if (part === undefined || (metadata === undefined && kind === 'text')) return
    const providerData = this.#out.data({}, metadata)
    if (hasText) this.#out.send({ type: 'data', part, providerData })
    else this.#out.part({ type: kind, text: '', providerData }, part)
  }
}
