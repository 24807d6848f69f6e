import type { Message, Part } from './message.ts'
import type { ModelDelta } from './model.ts'

/** Deltas that assemble to this message: what a scripted model plays back. Calls come as they stream, unless there is more to say of them. */
export function toDeltas(message: Message): ModelDelta[] {
  return message.parts.flatMap(partDeltas)
}

function partDeltas(value: Part, part: number): ModelDelta[] {
  const data: ModelDelta[] = value.providerData === undefined ? [] : [{ type: 'data', part, providerData: value.providerData }]
  if (value.type === 'text' || value.type === 'reasoning') return [{ type: value.type, part, text: value.text }, ...data]
  if (value.type !== 'tool-call') return [{ type: 'part', part, value }]
  const { type, callId, toolName, providerCallId, input, providerData, ...more } = value
  if (Object.keys(more).length > 0) return [{ type: 'part', part, value }]
  const call: ModelDelta = { type: 'call', part, toolName, ...(providerCallId === undefined ? {} : { providerCallId }) }
  return [call, { type: 'call-input', part, text: JSON.stringify(input) }, ...data]
}
