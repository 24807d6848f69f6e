import type { Json, JsonObject } from '../../core/json.ts'
import { textOrNothing } from '../wire.ts'

/** One text of an item, as far as it was told. */
export interface TextSlot {
  readonly kind: 'text' | 'reasoning'
  readonly part: number
  /** How much was told, and its last piece: what a whole text is compared with. */
  length: number
  last: string
}

/** An item of the response as far as it has come. */
export interface OpenItem {
  readonly type: string
  /** The one that it began with; '' where that was none. */
  readonly firstId: string
  readonly ids: Set<string>
  /** The number of its first part, which nothing else has. */
  readonly part: number
  /** By what the text is and which: `content 0`. */
  readonly texts: Map<string, TextSlot>
  /** Of a call that runs here. */
  call: OpenCall | undefined
  /** It has come whole. */
  done: boolean
  /** What was kept of it. */
  data: Json | undefined
  readonly annotations: Json[]
  readonly after: string | undefined
}

export interface OpenCall {
  /** The name was told, and the call with it. */
  told: boolean
  text: string
}

/**
 * The items of a response, whoever names them how: by their place in the output, by their id, by both, or by neither. Some servers give
 * every item the same place, others make up another id with each event.
 */
export class OpenItems {
  readonly #all: OpenItem[] = []
  readonly #byId = new Map<string, OpenItem>()
  /** The last one of each place. */
  readonly #byPlace = new Map<number, OpenItem>()

  /** In the order in which they began. */
  get all(): readonly OpenItem[] {
    return this.#all
  }

  /** The one that an event about a piece of an item of this type is about. */
  find(event: JsonObject, type: string): OpenItem | undefined {
    const { output_index: place } = event
    const id = textOrNothing(event['item_id'])
    const named = this.#byId.get(id)
    if (named?.type === type) return named
    const placed = typeof place === 'number' ? this.#byPlace.get(place) : undefined
    if (placed?.type === type && (id === '' || !placed.done)) return this.#named(placed, id)
    if (id !== '' || typeof place === 'number') return undefined
    const last = this.#all.at(-1)
    return last?.type === type && !last.done ? last : undefined
  }

  /** The one that a whole item tells: of the same id, else one in its place, or the last one, that is open and has no id of its own. */
  findWhole(item: JsonObject, place: Json | undefined, mayBeRenamed: boolean): OpenItem | undefined {
    const id = textOrNothing(item['id'])
    const type = textOrNothing(item['type'])
    const named = this.#byId.get(id)
    if (named?.type === type) return named
    const near = typeof place === 'number' ? this.#byPlace.get(place) : this.#all.at(-1)
    if (near?.type !== type || near.done) return undefined
    return mayBeRenamed || near.ids.size === 0 ? this.#named(near, id) : undefined
  }

  add(item: OpenItem, id: string, place: Json | undefined): OpenItem {
    this.#all.push(item)
    if (typeof place === 'number') this.#byPlace.set(place, item)
    return this.#named(item, id)
  }

  /** Which ones the last snapshot tells once more, in its order; `undefined` for one that had not come. */
  restated(output: readonly JsonObject[]): readonly (OpenItem | undefined)[] {
    const free = new Set(this.#all)
    const take = (item: OpenItem | undefined, type: string) => (item?.type === type && free.delete(item) ? item : undefined)
    const types = output.map((item) => textOrNothing(item['type']))
    const byId = output.map((item, at) => take(this.#byId.get(textOrNothing(item['id'])), types[at] ?? ''))
    const byPlace = types.map((type, at) => byId[at] ?? take(this.#byPlace.get(at), type))
    const left = new Map<string, OpenItem[]>()
    for (const item of [...free].reverse()) {
      const items = left.get(item.type)
      if (items === undefined) left.set(item.type, [item])
      else items.push(item)
    }
    return types.map((type, at) => byPlace[at] ?? left.get(type)?.pop())
  }

  #named(item: OpenItem, id: string): OpenItem {
    if (id !== '') {
      item.ids.add(id)
      this.#byId.set(id, item)
    }
    return item
  }
}

export function afterOf({ after }: OpenItem): { readonly after?: string } {
  return after === undefined ? {} : { after }
}
