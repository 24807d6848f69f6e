import type { FinishReason } from '../../../src/core/model.ts'
import { readBody } from './body.ts'
import { broken, errorInside, noAnswerIn, statusError } from './errors.ts'
import { type AnyJson, argumentsOf, type Draft, draft, known, type Opaque, type Reading, type ReadUsage, type Recorded } from './reading.ts'

/** The words of OpenAI's reference, and of those of Together, Mistral, Z.AI and of servers in front of Anthropic's models. */
const finishes: { readonly [reason: string]: FinishReason } = {
  stop: 'stop',
  eos: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  content_filter: 'content-filter',
  model_length: 'length',
  sensitive: 'content-filter',
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
}

/** Reasons that say that it broke off: of vLLM, DeepSeek and gateways. */
const failures = new Set(['error', 'abort', 'aborted', 'insufficient_system_resource', 'malformed_function_call'])

/** What Z.AI says in the place of an error, where it said nothing else. */
const windowExceeded = 'model_context_window_exceeded'

/** The first choice of a completion or of its chunks. */
export function readChat(recorded: Recorded): Reading {
  if (recorded.status >= 300) return { error: statusError(recorded) }
  const { events, done } = readBody(recorded.body)
  const found = draft()
  const calls: Piece[] = []
  const usage: AnyJson = {}
  let finish: string | undefined
  let refused = false
  let whole = false
  let message: AnyJson
  for (const { data } of events) {
    if (data.error) return { error: errorInside(data) }
    addUsage(usage, data.x_groq?.usage ?? data.usage)
    const choice = (data.choices ?? []).find((one: AnyJson) => (one.index ?? 0) === 0)
    if (choice === undefined) continue
    if (choice.error) return { error: errorInside(choice) }
    finish = choice.finish_reason || finish
    message = choice.message ?? message
    whole ||= choice.message !== undefined
    if (choice.delta !== undefined) addMessage(found, calls, choice.delta)
    refused ||= Boolean((choice.delta ?? choice.message)?.refusal)
  }
  // A message beside or after deltas tells them once more.
  if (found.text === '' && found.reasoning.join('') === '' && calls.length === 0) addMessage(found, calls, message ?? {})
  const reason = finish?.toLowerCase()
  if (reason === windowExceeded && found.text === '' && found.reasoning.join('') === '' && calls.length === 0)
    return { error: { code: 'ModelContextOverflow' } }
  if (reason === undefined && !done && !whole) return { error: noAnswerIn(recorded.body) }
  if (reason !== undefined && failures.has(reason)) return { error: broken }
  found.calls = calls.map(({ name, id, input, native }) =>
    known({ name, id, native, input: native === undefined ? argumentsOf(input) : { input } }),
  )
  return {
    answer: {
      ...found,
      rawFinish: finish === undefined ? [] : [finish],
      finish: refused ? 'refusal' : (finishes[reason ?? 'stop'] ?? 'other'),
      usage: usageOf(usage),
    },
  }
}

interface Piece {
  readonly id?: string
  readonly index?: number
  readonly name: string
  /** Of one that is no function. */
  readonly native?: string
  input: string
}

function addMessage(found: Draft, calls: Piece[], message: AnyJson): void {
  found.reasoning.push(message.reasoning_content || message.reasoning || '')
  const field = reasoningFieldOf(message)
  if (field !== undefined) found.reasoningField ??= field
  addContent(found, message.content)
  found.text += message.refusal ?? ''
  for (const call of [...(message.tool_calls ?? []), ...(message.function_call ? [message.function_call] : [])]) addCall(calls, call)
  addOpaque(found, message)
}

function addContent(found: Draft, content: AnyJson): void {
  if (typeof content === 'string') found.text += content
  else if (Array.isArray(content))
    for (const part of content) {
      found.text += part.text ?? ''
      for (const piece of part.thinking ?? []) found.reasoning.push(piece.text ?? '')
    }
  else if (content) found.text += JSON.stringify(content)
}

/** In the recordings a call begins where there is a name; all else goes on with the one of its index, or with the last one. */
function addCall(calls: Piece[], entry: AnyJson): void {
  const isCustom = entry.type === 'custom'
  const { name, arguments: given, input: custom } = (isCustom ? entry.custom : entry.function) ?? entry
  // A custom tool is given a text.
  const input = isCustom ? custom : given
  const text = typeof input === 'object' && input !== null ? JSON.stringify(input) : (input ?? '')
  const open = calls.find(({ index }) => index !== undefined && index === entry.index) ?? calls.at(-1)
  if (name)
    calls.push({ ...(entry.id ? { id: entry.id } : {}), index: entry.index, name, ...(isCustom ? { native: 'custom' } : {}), input: text })
  else if (open) open.input += text
}

/** Where there are details, they go back in the place of the text. */
export function reasoningFieldOf({ reasoning_content: content, reasoning, reasoning_details: details }: AnyJson): string | undefined {
  if (details?.length > 0) return 'reasoning_details'
  return content ? 'reasoning_content' : reasoning ? 'reasoning' : undefined
}

/** What of a detail nobody can read, in the order in which it stands there. */
export function opaqueIn(detail: AnyJson): Opaque[] {
  return Object.entries(detail).flatMap(([key, value]): Opaque[] => {
    const kind = key === 'id' ? 'item-id' : key === 'signature' ? 'signature' : key === 'data' ? 'encrypted' : undefined
    return kind === undefined || !value ? [] : [{ kind, value: String(value) }]
  })
}

/** OpenRouter's `reasoning_details`, and the thought signatures of Google's compatible API. */
function addOpaque({ opaque }: Draft, message: AnyJson): void {
  const holders = [message, ...(message.tool_calls ?? [])]
  for (const one of (message.reasoning_details ?? []).flatMap(opaqueIn)) {
    // Each piece of a detail has its id.
    const isMore = one.kind === 'item-id' && opaque.findLast(({ kind }) => kind === 'item-id')?.value === one.value
    if (!isMore) opaque.push(one)
  }
  for (const { extra_content: extra, thought_signature: bare } of holders) {
    const signature = extra?.google?.thought_signature ?? bare
    if (signature) opaque.push({ kind: 'signature', value: signature })
  }
}

/** A later number replaces an earlier one, field by field. */
function addUsage(usage: AnyJson, more: AnyJson): void {
  for (const [name, value] of Object.entries(more ?? {})) if (value !== null) usage[name] = value
}

function usageOf(usage: AnyJson): ReadUsage {
  const input = usage.prompt_tokens_details ?? {}
  const output = usage.completion_tokens_details ?? {}
  const reasoning: number | undefined = output.reasoning_tokens
  return known<ReadUsage>({
    input: usage.prompt_tokens,
    cached:
      input.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cache_read_input_tokens ??
      usage.cached_tokens ??
      usage.num_cached_tokens,
    cacheWrite: input.cache_write_tokens ?? usage.cache_creation_input_tokens,
    output: outputOf(usage, reasoning ?? 0),
    reasoning,
  })
}

/** Some servers count reasoning beside the completion: their total, or the numbers themselves, say so. */
function outputOf(
  { prompt_tokens: input, completion_tokens: output, total_tokens: total }: AnyJson,
  reasoning: number,
): number | undefined {
  const beside = typeof total === 'number' && (total === input + output + reasoning || reasoning > output)
  return beside && reasoning > 0 ? Math.max(output, total - input) : output
}
