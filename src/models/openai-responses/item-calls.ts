import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../core/json.ts'
import type { Part } from '../../core/message.ts'
import { garbled } from '../unusable.ts'
import { textOrNothing } from '../wire.ts'
import { type ClientCall, customInput, inputText } from './client-calls.ts'
import { afterOf, type OpenItem } from './open-item.ts'
import type { Parts } from './parts.ts'

/** More of the arguments that could not be used is kept for nobody. */
const maxRawChars = 50_000

/** The calls that run here, told as they come. */
export class ItemCalls {
  readonly #parts: Parts
  count = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Once its name is known. */
  tell(item: OpenItem, { id, toolName }: ClientCall): void {
    if (item.call === undefined || item.call.told) return
    if (toolName === '') throw garbled('a tool call has no name')
    const begun = item.call.text
    item.call = { told: true, text: '' }
    this.count++
    this.#parts.call(item.part, id, toolName)
    if (isCustom(item)) this.#parts.text('call-input', item.part, `{"${customInput}":"`)
    this.input(item, begun)
  }

  /** More of the arguments. What a custom tool is given is a text, and told as one in JSON. */
  input(item: OpenItem, text: string): void {
    if (item.call === undefined || text === '') return
    item.call.text += text
    if (item.call.told) this.#parts.text('call-input', item.part, isCustom(item) ? JSON.stringify(text).slice(1, -1) : text)
  }

  complete(open: OpenItem, call: ClientCall, item: JsonObject): void {
    open.call ??= { told: false, text: '' }
    this.tell(open, call)
    const said = open.call.text
    const whole = isCustom(open) ? textOrNothing(item['input']) : inputText(item)
    if (whole.startsWith(said)) this.input(open, whole.slice(said.length))
    if (isCustom(open)) this.#parts.text('call-input', open.part, '"}')
    else if (item['status'] === 'incomplete') this.#parts.whole(open.part, cutCall(call.toolName, whole))
    else if (!whole.startsWith(said)) this.#settle(open, call.toolName, jsonIn(whole), jsonIn(said))
    this.#parts.keep(open.part, { item: call.kept, ...afterOf(open) })
  }

  /** Nothing more comes of it, not even the whole item. */
  end(item: OpenItem): void {
    if (item.call === undefined) return
    if (!item.call.told) throw garbled('a tool call has no name')
    if (isCustom(item)) this.#parts.text('call-input', item.part, '"}')
  }

  /** What the whole item says counts, where it can be used and is something else than its pieces. */
  #settle({ part }: OpenItem, toolName: string, input: Json | undefined, said: Json | undefined): void {
    if (isJsonObject(input) && !jsonEqual(input, said)) this.#parts.whole(part, { type: 'tool-call', callId: '', toolName, input })
  }
}

function isCustom({ type }: OpenItem): boolean {
  return type === 'custom_tool_call'
}

/** Arguments that were cut may be JSON all the same, and say less than they would have. */
function cutCall(toolName: string, written: string): Part {
  const inputError =
    'The arguments of this call cannot be used: the response ended before they were complete. Send them again, in smaller pieces.'
  return { type: 'tool-call', callId: '', toolName, input: {}, rawInput: written.slice(0, maxRawChars), inputError }
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
