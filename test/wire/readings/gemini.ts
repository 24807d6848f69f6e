import type { FinishReason } from '../../../src/core/model.ts'
import { readBody } from './body.ts'
import { broken, errorInside, noAnswerIn, statusError } from './errors.ts'
import { type AnyJson, type Draft, known, orderedDraft, type Reading, type ReadUsage, type Recorded } from './reading.ts'

/** `FinishReason` of the API's reference; its first two values also come as the numbers of the enum. */
const finishes: { readonly [reason: string]: FinishReason } = {
  STOP: 'stop',
  1: 'stop',
  MAX_TOKENS: 'length',
  2: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MISSING_THOUGHT_SIGNATURE: 'error',
  MALFORMED_RESPONSE: 'error',
}

/** The first candidate of a response, or of the pieces of a stream. */
export function readGemini(recorded: Recorded): Reading {
  if (recorded.status >= 300) return { error: statusError(recorded) }
  const found = orderedDraft()
  let reason: string | undefined
  let blocked: string | undefined
  let usage: AnyJson
  let begun = false
  for (const { data } of readBody(recorded.body).events) {
    if (data.error) return { error: errorInside(data) }
    begun ||= ['candidates', 'promptFeedback', 'usageMetadata'].some((name) => data[name] !== undefined)
    // Later numbers replace earlier ones, field by field.
    if (data.usageMetadata) usage = { ...usage, ...data.usageMetadata }
    blocked = data.promptFeedback?.blockReason ?? blocked
    const candidate = data.candidates?.[0]
    for (const part of candidate?.content?.parts ?? []) addPart(found, part)
    reason = candidate?.finishReason === undefined ? reason : String(candidate.finishReason)
  }
  if (reason === undefined && blocked === undefined) return { error: begun ? broken : noAnswerIn(recorded.body) }
  const finish = reason === undefined ? 'content-filter' : (finishes[reason] ?? 'other')
  const answer = { ...found, rawFinish: [reason ?? '', blocked ?? ''].filter(Boolean), finish, usage: usageOf(usage) }
  if (reason === undefined) return { answer, either: ['ModelContentBlocked'] }
  return finish === 'error' ? { answer, either: ['ModelServerError'] } : { answer }
}

function addPart(found: Draft, part: AnyJson): void {
  if (part.thoughtSignature) found.opaque.push({ kind: 'signature', value: part.thoughtSignature })
  if (typeof part.text === 'string') {
    if (part.thought) found.reasoning.push(part.text)
    else found.text += part.text
  }
  addOrder(found, part)
  if (part.functionCall) addCall(found, part.functionCall)
  if (part.inlineData) found.media.push({ mediaType: part.inlineData.mimeType, data: part.inlineData.data })
  if (part.executableCode) found.serverCalls.push({ name: 'code_execution', item: part.executableCode })
  if (part.toolCall) found.serverCalls.push({ name: part.toolCall.toolType, item: part.toolCall })
}

function addOrder({ order }: Draft, { text, thought, functionCall, inlineData, thoughtSignature: _, ...value }: AnyJson): void {
  if (typeof text === 'string' && !thought) order?.push({ type: 'text', text })
  else if (functionCall?.name) order?.push({ type: 'call' })
  else if (Object.keys(value).length > 0) order?.push({ type: 'item', value })
}

/** A call with a name is a new one; what has none goes on with the last one. */
function addCall(found: Draft, { name, id, args, partialArgs }: AnyJson): void {
  if (name) found.calls.push(known({ name, id, input: structuredClone(args ?? {}) }))
  for (const piece of partialArgs ?? []) addPiece(found.calls.at(-1)?.input, piece)
}

/** `{ jsonPath: '$.steps[0].text', stringValue: 'more' }`: texts are appended, all else is set. */
function addPiece(args: AnyJson, { jsonPath, ...piece }: AnyJson): void {
  const keys: (string | number)[] = [...jsonPath.matchAll(/\.(\w+)|\[(\d+)\]|\['([^']+)'\]/g)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted) : Number(index),
  )
  const value = piece.stringValue ?? piece.numberValue ?? piece.boolValue ?? null
  const last = keys.pop() ?? ''
  let at = args
  for (const [place, key] of keys.entries()) {
    at[key] ??= typeof (keys[place + 1] ?? last) === 'number' ? [] : {}
    at = at[key]
  }
  at[last] = typeof value === 'string' && typeof at[last] === 'string' ? at[last] + value : value
}

/** Thoughts and the prompts of tools are counted beside the others. Numbers that are zero are left out (proto3). */
function usageOf(usage: AnyJson): ReadUsage {
  if (usage === undefined) return {}
  const { promptTokenCount, toolUsePromptTokenCount = 0, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount } = usage
  return known<ReadUsage>({
    input: promptTokenCount === undefined ? undefined : promptTokenCount + toolUsePromptTokenCount,
    cached: cachedContentTokenCount,
    output: (candidatesTokenCount ?? 0) + (thoughtsTokenCount ?? 0),
    reasoning: thoughtsTokenCount,
  })
}
