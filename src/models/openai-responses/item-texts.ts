import type { Json } from '../../core/json.ts'
import type { OpenItem, TextSlot } from './open-item.ts'
import type { Parts } from './parts.ts'

export function keyOf(list: string, index: Json | undefined): string {
  return `${list} ${typeof index === 'number' ? index : 0}`
}

/** The texts of items, told as they come. */
export class ItemTexts {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A text of an item; the first one has the item's own part. */
  slot(item: OpenItem, kind: TextSlot['kind'], key: string): TextSlot {
    const known = item.texts.get(key)
    if (known !== undefined) return known
    const part = item.texts.size === 0 ? item.part : this.#parts.newPart()
    const slot: TextSlot = { kind, part, length: 0, last: '' }
    item.texts.set(key, slot)
    return slot
  }

  /**
   * Those of the texts of a list as the whole item tells them: by their numbers or, where its events had others, in their order (Bedrock
   * counts the texts of all items there).
   */
  slotsOf(item: OpenItem, kind: TextSlot['kind'], list: string, count: number): (place: number) => TextSlot {
    const keys = new Set(Array.from({ length: count }, (_, index) => keyOf(list, index)))
    const come = [...item.texts].filter(([key]) => key.startsWith(`${list} `))
    const isByNumber = come.length > count || come.every(([key]) => keys.has(key))
    if (isByNumber) return (place) => this.slot(item, kind, keyOf(list, place))
    return (place) => come[place]?.[1] ?? this.slot(item, kind, `${list} +${place}`)
  }

  say(slot: TextSlot, text: string): void {
    if (text === '') return
    slot.length += text.length
    slot.last = text
    this.#parts.text(slot.kind, slot.part, text)
  }

  /** What a whole text says beyond what was said: nothing, when it says something else. The item will tell. */
  sayRest(slot: TextSlot, whole: string): void {
    if (startsAsSaid(slot, whole)) this.say(slot, whole.slice(slot.length))
  }

  /** The text of the whole item, which counts: what is missing of it is said, and it replaces what was said otherwise. */
  settle(slot: TextSlot, whole: string): void {
    if (whole === '' || startsAsSaid(slot, whole)) return this.say(slot, whole.slice(slot.length))
    slot.length = whole.length
    slot.last = whole
    this.#parts.whole(slot.part, { type: slot.kind, text: whole })
  }
}

/** As far as the length and the end of what was said tell (it is not kept). */
function startsAsSaid({ length, last }: TextSlot, whole: string): boolean {
  return whole.length >= length && whole.startsWith(last, length - last.length)
}
