import { isJsonObject, type Json } from '../../core/json.ts'
import {
  type MediaPart,
  type Message,
  type Part,
  type ProviderData,
  resultText,
  type TextPart,
  type ToolCallPart,
} from '../../core/message.ts'
import { mergedData } from '../../core/slot.ts'
import { wellFormed } from '../../core/text.ts'
import { unreadable } from './open-call.ts'

/** How a reply looks: `list`: calls stand in `tool_calls` always, as where a schema holds the model to one form. */
export interface ReplyForm {
  readonly calls: 'one-or-list' | 'list'
  /** Under which the model's thoughts are marked as ours. */
  readonly scope: string
}

/**
 * A message as a model without tools has seen it: what it said and called as the one JSON object of its reply, and a message of the user with
 * the results behind it. What the model below has of its own (reasoning, opaque data, calls that its provider ran) stays as it is.
 */
export function renderMessage(message: Message, form: ReplyForm): readonly Message[] {
  if (message.role !== 'assistant') return [message]
  const calls = message.parts.filter(isOurCall)
  const reply = replyText(message, calls, form)
  if (reply === '') return [message]
  const first = message.parts.findIndex((part) => isOurs(part, form))
  const own = message.parts.filter((part) => isOurs(part, form))
  const data = dataOf(own, form)
  const text: TextPart = data === undefined ? { type: 'text', text: reply } : { type: 'text', text: reply, providerData: data }
  const parts = message.parts.flatMap((part, index): readonly Part[] => (index === first ? [text] : isOurs(part, form) ? [] : [part]))
  const rendered = { ...message, parts }
  return calls.length === 0 ? [rendered] : [rendered, { role: 'user', parts: resultParts(calls) }]
}

function isOurCall(part: Part): part is ToolCallPart {
  return part.type === 'tool-call' && part.providerExecuted !== true
}

/** What a reply was read into. A text with nothing in it carries something of the provider. */
function isOurs(part: Part, form: ReplyForm): boolean {
  return isOurCall(part) || (part.type === 'text' && part.text.trim() !== '') || isThought(part, form)
}

function isThought(part: Part, { scope }: ReplyForm): part is TextPart {
  return part.type === 'reasoning' && part.providerData !== undefined && Object.hasOwn(part.providerData, scope)
}

function dataOf(parts: readonly Part[], { scope }: ReplyForm): ProviderData | undefined {
  let merged: ProviderData = {}
  for (const { providerData } of parts) if (providerData !== undefined) merged = mergedData(merged, providerData)
  const others = Object.entries(merged).filter(([key]) => key !== scope)
  return others.length === 0 ? undefined : Object.fromEntries(others)
}

/** `{"thought":…,"response":…,"tool_call":…}`, each only where it was said. A reply that could not be read goes back as it came. */
function replyText({ parts }: Message, calls: readonly ToolCallPart[], form: ReplyForm): string {
  const broken = calls.find(({ toolName, rawInput }) => toolName === unreadable && rawInput !== undefined)
  if (broken !== undefined && calls.length === 1) return broken.rawInput ?? ''
  const fields: string[] = []
  const thought = joined(parts.filter((part) => isThought(part, form)))
  const said = joined(parts.filter(({ type }) => type === 'text'))
  if (thought !== '') fields.push(`"thought":${JSON.stringify(thought)}`)
  if (said.trim() !== '') fields.push(`"response":${JSON.stringify(said)}`)
  const [first] = calls
  if (first !== undefined && calls.length === 1 && form.calls === 'one-or-list') fields.push(`"tool_call":${callJson(first)}`)
  else if (first !== undefined) fields.push(`"tool_calls":[${calls.map(callJson).join(',')}]`)
  return fields.length === 0 ? '' : `{${fields.join(',')}}`
}

function joined(parts: readonly Part[]): string {
  let text = ''
  for (const part of parts) if ('text' in part) text += part.text
  return wellFormed(text)
}

/** The id stands at the end: what the model itself has written stands before it. */
function callJson({ callId, toolName, input }: ToolCallPart): string {
  return `{"name":${JSON.stringify(wellFormed(toolName))},"input":${JSON.stringify(input)},"id":${JSON.stringify(callId)}}`
}

/** JSON, so that no result can pass for another one; what it shows besides stands behind it. */
function resultParts(calls: readonly ToolCallPart[]): readonly Part[] {
  const results = calls.map((call) => ({ id: call.callId, name: wellFormed(call.toolName), ...outcomeOf(call) }))
  const text: TextPart = { type: 'text', text: JSON.stringify({ tool_results: results }) }
  return [text, ...calls.flatMap(({ content, toolName }) => mediaOf(content, toolName))]
}

function outcomeOf(call: ToolCallPart): { readonly result: Json } | { readonly error: string } {
  const { settlement, content, ranWith } = call
  if (settlement !== undefined && settlement.outcome !== 'ok') return { error: wellFormed(call.inputError ?? resultText(call)) }
  const isPlain =
    settlement !== undefined &&
    content === undefined &&
    ranWith === undefined &&
    (isJsonObject(settlement.output) || Array.isArray(settlement.output))
  return { result: isPlain ? settlement.output : wellFormed(resultText(call)) }
}

function mediaOf(content: ToolCallPart['content'], toolName: string): readonly Part[] {
  if (content === undefined || typeof content === 'string') return []
  const media = content.filter((part): part is MediaPart => part.type === 'image' || part.type === 'file')
  return media.length === 0 ? [] : [{ type: 'text', text: `From the result of ${wellFormed(toolName)}:` }, ...media]
}
