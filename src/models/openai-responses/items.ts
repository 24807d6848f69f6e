import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../core/json.ts'
import type { ToolCallPart } from '../../core/message.ts'
import type { JoinedDeltas } from '../joined-deltas.ts'
import { tooMany } from '../unusable.ts'
import { textOrNothing } from '../wire.ts'
import { type ClientCall, clientCall } from './client-calls.ts'
import type { ItemData } from './data.ts'
import type { TextEvent } from './event.ts'
import { ItemCalls } from './item-calls.ts'
import { ItemTexts, keyOf } from './item-texts.ts'
import { type ItemText, sourceOf, textsOf } from './message-item.ts'
import { afterOf, type OpenItem, OpenItems, type TextSlot } from './open-item.ts'
import { Parts } from './parts.ts'
import type { Reading } from './reading.ts'
import { isServerCall, serverCall } from './server-calls.ts'

/** So many items one response may hold: more is a model that runs on without end. */
const maxItems = 5_000

/** A text that goes on: of a call that runs here, or of an item. */
export interface Going {
  readonly item: OpenItem
  readonly slot?: TextSlot
}

/** Tells the items of a response as parts: their pieces as they come, and what is kept of them when they are whole. */
export class Items {
  readonly #reading: Reading
  readonly #parts: Parts
  readonly #texts: ItemTexts
  readonly #calls: ItemCalls
  readonly #open = new OpenItems()
  readonly #sources = new Set<string>()
  /** The id of the last reasoning item. */
  #reasoning: string | undefined
  refused = false

  constructor(deltas: JoinedDeltas, reading: Reading) {
    this.#reading = reading
    this.#parts = new Parts(deltas, reading.scope)
    this.#texts = new ItemTexts(this.#parts)
    this.#calls = new ItemCalls(this.#parts)
  }

  /** How many calls run here. */
  get calls(): number {
    return this.#calls.count
  }

  /** Whether a call has begun and is not whole. */
  get hasOpenCall(): boolean {
    const last = this.#open.all.at(-1)
    return last?.call !== undefined && !last.done
  }

  /** An item begins: the order of the items is that of these events. */
  begin(item: JsonObject, place: Json | undefined): void {
    const open = this.#open.findWhole(item, place, false) ?? this.#add(item, place)
    const { type } = item
    const call = type === 'function_call' || type === 'custom_tool_call' ? this.#callOf(item) : undefined
    if (call !== undefined && call.toolName !== '') this.#calls.tell(open, call)
  }

  /** A piece of a text, or all of it. Says what further pieces of the same text are of, when it was one. */
  take(event: TextEvent, about: JsonObject, text: string): Going | undefined {
    const item = this.#open.find(about, event.item) ?? this.#add({ type: event.item, id: about['item_id'] }, about['output_index'])
    if (event.kind === 'call-input') {
      // What the server runs is told when it has run; a whole text comes once more with its item.
      if (item.call === undefined || event.whole) return undefined
      this.#calls.input(item, text)
      return { item }
    }
    const index = event.index === undefined ? undefined : about[event.index]
    if (event.list === 'refusal') this.refused = true
    const slot = this.#texts.slot(item, event.kind, keyOf(event.list === 'refusal' ? 'content' : event.list, index))
    if (event.whole) this.#texts.sayRest(slot, text)
    else this.#texts.say(slot, text)
    return event.whole ? undefined : { item, slot }
  }

  /** More of a text. */
  goOn({ item, slot }: Going, text: string): void {
    if (slot === undefined) this.#calls.input(item, text)
    else this.#texts.say(slot, text)
  }

  annotate(event: JsonObject): void {
    const { annotation } = event
    if (isJsonObject(annotation)) this.#open.find(event, 'message')?.annotations.push(annotation)
  }

  /** An item is whole. */
  complete(item: JsonObject, place: Json | undefined): void {
    this.#complete(this.#open.findWhole(item, place, true) ?? this.#add(item, place), item)
  }

  /** All items once more: what had come stands, what had not is added. */
  restate(output: readonly JsonObject[]): void {
    const known = this.#open.restated(output)
    for (const [place, item] of output.entries()) this.#complete(known[place] ?? this.#add(item, undefined), item)
    // What the last snapshot does not repeat has come all the same.
    for (const open of this.#open.all) {
      if (open.done) continue
      if (open.type === 'message') this.#complete(open, {})
      else this.#calls.end(open)
    }
  }

  /** Reasoning that is no item of its own. */
  thought(text: string): void {
    if (this.#reasoning !== undefined) return
    const open = this.#add({ type: 'thought' }, undefined)
    this.#texts.say(this.#texts.slot(open, 'reasoning', keyOf('content', 0)), text)
  }

  /** Keeps which response it is, on the first part. */
  keepResponse(response: string): void {
    if (this.#parts.first !== undefined) this.#parts.keep(this.#parts.first, { response })
  }

  #add(item: JsonObject, place: Json | undefined): OpenItem {
    if (this.#open.all.length >= maxItems) throw tooMany(maxItems, 'items')
    const type = textOrNothing(item['type'])
    const id = textOrNothing(item['id'])
    const after = this.#reasoning
    if (type === 'reasoning') this.#reasoning = id
    const open: OpenItem = {
      type,
      firstId: id,
      ids: new Set(),
      part: this.#parts.newPart(),
      texts: new Map(),
      call: this.#callOf(item) === undefined ? undefined : { told: false, text: '' },
      done: false,
      data: undefined,
      annotations: [],
      after,
    }
    return this.#open.add(open, id, place)
  }

  #complete(open: OpenItem, item: JsonObject): void {
    const wasDone = open.done
    open.done = true
    const call = this.#callOf(item)
    if (call !== undefined) return wasDone ? undefined : this.#calls.complete(open, call, item)
    switch (open.type) {
      case 'message':
        return this.#message(open, item, wasDone)
      case 'reasoning':
        return this.#reasoned(open, item)
      case 'image_generation_call':
        return wasDone ? undefined : this.#picture(open, item)
      default:
        if (!this.#isNew(open, item)) return
        if (isServerCall(item)) this.#serverCall(open, item)
        else this.#parts.keep(open.part, { item, ...afterOf(open) })
    }
  }

  #message(open: OpenItem, { id, phase, status, content }: JsonObject, wasDone: boolean): void {
    const message = {
      ...(typeof id === 'string' ? { id } : {}),
      ...(phase === undefined || phase === null ? {} : { phase }),
      ...(status === undefined || status === 'completed' ? {} : { status }),
    }
    const texts = textsOf(content)
    const told = new Map<TextSlot, ItemText>()
    const slotOf = this.#texts.slotsOf(open, 'text', 'content', texts.length)
    for (const [place, text] of texts.entries()) {
      const slot = slotOf(place)
      told.set(slot, text)
      if (text.isRefusal && text.text !== '') this.refused = true
      this.#texts.settle(slot, text.text)
    }
    if (wasDone) return
    // What was streamed and is not told once more is of the message all the same.
    for (const slot of open.texts.values()) {
      const { part, length } = slot
      const data = { message, ...marksOf(told.get(slot)), ...afterOf(open) }
      // One that says nothing may be what reasoning is followed by, and is a text all the same.
      if (length === 0) this.#parts.whole(part, { type: 'text', text: '' }, data)
      else this.#parts.keep(part, data)
    }
    for (const annotation of [...texts.flatMap((text) => text.annotations), ...open.annotations]) this.#source(annotation)
  }

  #reasoned(open: OpenItem, item: JsonObject): void {
    for (const list of ['summary', 'content'] as const) {
      const texts = textsOf(item[list])
      const slotOf = this.#texts.slotsOf(open, 'reasoning', list, texts.length)
      for (const [place, { text }] of texts.entries()) if (text !== '') this.#texts.settle(slotOf(place), text)
    }
    const { firstId } = open
    const renamed = textOrNothing(item['id']) === firstId ? {} : { firstId }
    if (this.#isNew(open, item)) this.#parts.keep(open.part, { item, ...renamed, ...afterOf(open) })
  }

  /** Whether this is another item than was kept: encrypted content differs between an item's own event and the last snapshot, which counts. */
  #isNew(open: OpenItem, item: JsonObject): boolean {
    if (open.data !== undefined && jsonEqual(open.data, item)) return false
    open.data = item
    return true
  }

  /** A call and its picture; the item is kept with the picture, which is most of it. */
  #picture(open: OpenItem, item: JsonObject): void {
    const { result, ...kept } = item
    if (typeof result !== 'string' || result === '') return this.#serverCall(open, item)
    this.#parts.whole(open.part, callOf(item))
    const mediaType = `image/${textOrNothing(kept['output_format']) || 'png'}`
    this.#parts.whole(this.#parts.newPart(), { type: 'image', mediaType, data: result }, { item: kept, ...afterOf(open) })
  }

  #serverCall(open: OpenItem, item: JsonObject): void {
    this.#parts.whole(open.part, callOf(item), { item, ...afterOf(open) })
  }

  #source(annotation: Json): void {
    const source = sourceOf(annotation)
    if (source === undefined || this.#sources.has(source.url)) return
    this.#sources.add(source.url)
    this.#parts.whole(this.#parts.newPart(), source)
  }

  /** The call that an item is, if it is one that runs here. */
  #callOf(item: JsonObject): ClientCall | undefined {
    const call = clientCall(item)
    const { customTools } = this.#reading
    if (call === undefined || item['type'] !== 'custom_tool_call' || customTools === undefined) return call
    return call.toolName === '' || customTools.has(call.toolName) ? call : undefined
  }
}

function callOf(item: JsonObject): ToolCallPart {
  return { type: 'tool-call', callId: '', ...serverCall(item), providerExecuted: true }
}

function marksOf(told: ItemText | undefined): ItemData {
  if (told === undefined) return {}
  const { isRefusal, annotations } = told
  return { ...(isRefusal ? { refusal: true } : {}), ...(annotations.length > 0 ? { annotations } : {}) }
}
