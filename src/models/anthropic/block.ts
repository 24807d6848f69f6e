import type { Json, JsonObject } from '../../core/json.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'
import { isServerUse } from './server-tools.ts'

/** A block of content as far as it has come. */
export interface Block {
  readonly kind: 'text' | 'reasoning' | 'call' | 'server-call' | 'item'
  readonly part: number
  /** What it began with; of an item and a server call all that has come. */
  item: JsonObject
  /** Whether anything of it was said: text, arguments. */
  begun: boolean
  /** The arguments of a call that the provider runs, in pieces. */
  input: string
  signature: string
  readonly citations: Json[]
}

const kinds: { readonly [type: string]: Block['kind'] } = { text: 'text', thinking: 'reasoning', tool_use: 'call' }

export function blockOf(part: number, start: Wire): Block {
  const type = textOrNothing(start['type'])
  const kind = (Object.hasOwn(kinds, type) ? kinds[type] : undefined) ?? (isServerUse(type) ? 'server-call' : 'item')
  const citations = Array.isArray(start['citations']) ? [...(start['citations'] as Json[])] : []
  return { kind, part, item: asJson(start), begun: false, input: '', signature: textOrNothing(start['signature']), citations }
}

/** The block that a delta without one belongs to. */
export function impliedStart(delta: Wire): Wire | undefined {
  if (delta['type'] === 'text_delta') return { type: 'text', text: '' }
  return delta['type'] === 'thinking_delta' ? { type: 'thinking', thinking: '' } : undefined
}

/** More of a block that nobody here knows: texts are added, all else replaces what was there. */
export function grow(block: Block, delta: Wire): void {
  for (const [name, value] of Object.entries(delta)) {
    const before = Object.hasOwn(block.item, name) ? block.item[name] : undefined
    if (name === 'type') continue
    if (name === 'partial_json') block.input += textOrNothing(value)
    // A computed key stays plain data, whatever it is called.
    else block.item = { ...block.item, [name]: typeof value === 'string' && typeof before === 'string' ? before + value : (value as Json) }
  }
}

/** A block whose arguments came in pieces, as it is when it comes at once. Arguments that can't be read are none. */
export function whole({ item, input }: Block): JsonObject {
  return input === '' ? item : { ...item, input: parsedInput(input) }
}

function parsedInput(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isWire(value) ? asJson(value) : {}
  } catch {
    return {}
  }
}

/** It was parsed from JSON, so it is JSON. */
function asJson(value: Wire): JsonObject {
  return value as JsonObject
}
