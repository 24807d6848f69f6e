import { isJsonObject, type Json } from '../../core/json.ts'
import { wellFormed } from '../../core/text.ts'
import type { AssistantItem } from '../history/turns.ts'
import { isWire, type Wire } from '../wire.ts'

/**
 * What is kept of reasoning, so that it goes back as it came: the name of its field, details that are sent in its place (OpenRouter), or what
 * a message has besides (`extra_content`, Google).
 */
export interface ReasoningData {
  readonly field?: string
  readonly details?: readonly Json[]
  readonly extra?: Json
}

/** `reasoning_details` as they come in pieces (OpenRouter): texts of one detail go on with each other, all else of it is told once. */
export class ReasoningDetails {
  readonly #details: { [key: string]: Json }[] = []

  take(details: readonly Wire[]): void {
    for (const detail of details) {
      const known = this.#known(detail)
      if (known === undefined) this.#details.push(copied(detail))
      else goOn(known, detail)
    }
  }

  get all(): readonly Json[] {
    return this.#details
  }

  /** Pieces of one detail follow each other and have the same place and kind. What has no place is a detail of its own, but for more text. */
  #known({ index, type }: Wire): { [key: string]: Json } | undefined {
    const last = this.#details.at(-1)
    return last !== undefined && last['type'] === type && last['index'] === index && type !== 'reasoning.encrypted' ? last : undefined
  }
}

const texts = ['text', 'summary']

function goOn(known: { [key: string]: Json }, more: Wire): void {
  for (const [name, value] of Object.entries(copied(more))) {
    const before = Object.hasOwn(known, name) ? known[name] : undefined
    if (texts.includes(name) && typeof before === 'string' && typeof value === 'string') known[name] = before + value
    else if (value !== null || before === undefined) known[name] = value
  }
}

/** It was parsed from JSON, so it is JSON; keys are defined, for one may be `__proto__` (B197). */
function copied(detail: Wire): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(detail)) as { [key: string]: Json }
}

/**
 * Of a message that goes back: the fields that hold its reasoning, each with a comma before it.
 *
 * @param needed A field that the server wants to see, be it empty (DeepSeek, Moonshot).
 */
export function reasoningFields(items: readonly AssistantItem[], needed?: string): string {
  const texts = new Map<string, string>(needed === undefined ? [] : [[needed, '']])
  const details: Json[] = []
  const extras: Json[] = []
  for (const item of items) {
    if (item.type !== 'reasoning' || !isJsonObject(item.data)) continue
    const { field, details: own, extra } = item.data
    if (extra !== undefined) extras.push(extra)
    if (Array.isArray(own)) details.push(...own)
    else if (typeof field === 'string' && field !== thinking) texts.set(field, (texts.get(field) ?? '') + item.text)
  }
  // Details say what the texts say, and more.
  if (details.length > 0) texts.clear()
  const said: [string, Json][] = [...texts, ...(details.length === 0 ? [] : [['reasoning_details', details] as [string, Json]])]
  return [...said, ...extras.slice(0, 1).map((extra): [string, Json] => ['extra_content', extra])]
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')
}

/** Reasoning that came as parts of the content (Mistral). */
export const thinking = 'thinking'

/** The content of a message that has such parts; `undefined` for one that has none. */
export function contentWithThinking(items: readonly AssistantItem[]): Json | undefined {
  const isThinking = (item: AssistantItem) => item.type === 'reasoning' && isWire(item.data) && item.data['field'] === thinking
  if (!items.some(isThinking)) return undefined
  return items.flatMap((item): readonly Json[] => {
    if (item.type === 'text') return item.text === '' ? [] : [{ type: 'text', text: item.text }]
    return item.type === 'reasoning' && isThinking(item)
      ? [{ type: thinking, thinking: [{ type: 'text', text: wellFormed(item.text) }] }]
      : []
  })
}
