import { isJsonObject, type JsonObject } from '../../core/json.ts'

/** A text that an event tells a piece of, or all of. */
export interface TextEvent {
  /** The type of its item. */
  readonly item: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call'
  readonly kind: 'text' | 'reasoning' | 'call-input'
  /** Where in the item it stands. */
  readonly list: 'content' | 'summary' | 'refusal' | ''
  /** Which field tells which of the list it is. */
  readonly index: 'content_index' | 'summary_index' | undefined
  /** The field of the event that holds the piece, or all of it. */
  readonly field: string
  readonly whole: boolean
}

const content = { list: 'content', index: 'content_index' } as const
const summary = { item: 'reasoning', kind: 'reasoning', list: 'summary', index: 'summary_index' } as const
const output = { item: 'message', kind: 'text', ...content } as const
const refusal = { item: 'message', kind: 'text', list: 'refusal', index: 'content_index' } as const
const thought = { item: 'reasoning', kind: 'reasoning', ...content } as const
const called = { item: 'function_call', kind: 'call-input', list: '', index: undefined } as const
const custom = { item: 'custom_tool_call', kind: 'call-input', list: '', index: undefined } as const

/** The second names are those of servers that were made after an older draft. */
const textEvents: { readonly [type: string]: TextEvent } = {
  'response.output_text.delta': { ...output, field: 'delta', whole: false },
  'response.output_text.done': { ...output, field: 'text', whole: true },
  'response.refusal.delta': { ...refusal, field: 'delta', whole: false },
  'response.refusal.done': { ...refusal, field: 'refusal', whole: true },
  'response.reasoning_text.delta': { ...thought, field: 'delta', whole: false },
  'response.reasoning_text.done': { ...thought, field: 'text', whole: true },
  'response.reasoning.delta': { ...thought, field: 'delta', whole: false },
  'response.reasoning.done': { ...thought, field: 'text', whole: true },
  'response.reasoning_summary_text.delta': { ...summary, field: 'delta', whole: false },
  'response.reasoning_summary_text.done': { ...summary, field: 'text', whole: true },
  'response.reasoning_summary.delta': { ...summary, field: 'delta', whole: false },
  'response.reasoning_summary.done': { ...summary, field: 'text', whole: true },
  'response.function_call_arguments.delta': { ...called, field: 'delta', whole: false },
  'response.function_call_arguments.done': { ...called, field: 'arguments', whole: true },
  'response.custom_tool_call_input.delta': { ...custom, field: 'delta', whole: false },
  'response.custom_tool_call_input.done': { ...custom, field: 'input', whole: true },
}

export function textEvent(type: string): TextEvent | undefined {
  return Object.hasOwn(textEvents, type) ? textEvents[type] : undefined
}

/** The error that an event or a body is, where it is no event of a response: under `error`, or the thing itself. */
export function errorIn(event: JsonObject): unknown {
  const { error, type, status, message, code, detail } = event
  if (type === 'error') return isJsonObject(error) ? error : event
  if (error) return event['output'] === undefined && !isJsonObject(event['response']) ? event : undefined
  if (type !== undefined || event['output'] !== undefined || event['response'] !== undefined) return undefined
  const coded = typeof message === 'string' && (code !== undefined || status !== undefined)
  return coded || detail !== undefined ? event : undefined
}

/** The response that an event tells as it stands, or a whole body is. */
export function isResponse(value: unknown): value is JsonObject {
  return isJsonObject(value) && (Array.isArray(value['output']) || value['object'] === 'response')
}

const endings: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.done'])
const failures: ReadonlySet<unknown> = new Set(['response.failed', 'response.cancelled', 'response.error'])

export function isEnding({ type }: JsonObject): boolean {
  return endings.has(type)
}

export function isFailure({ type }: JsonObject): boolean {
  return failures.has(type)
}
