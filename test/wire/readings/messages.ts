import type { FinishReason } from '../../../src/core/model.ts'
import { readBody } from './body.ts'
import { broken, errorInside, noAnswerIn, statusError } from './errors.ts'
import {
  type Answer,
  type AnyJson,
  argumentsOf,
  type Draft,
  known,
  type Opaque,
  orderedDraft,
  type Reading,
  type ReadUsage,
  type Recorded,
} from './reading.ts'

const finishes: { readonly [reason: string]: FinishReason } = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
  pause_turn: 'pause-turn',
  // It waits for its content to come back (`pause_after_compaction`).
  compaction: 'pause-turn',
}

/** A message of Anthropic's API: the object, or its events up to the first `message_stop`. */
export function readMessages(recorded: Recorded): Reading {
  if (recorded.status >= 300) return { error: statusError(recorded) }
  const message: AnyJson = { content: [], usage: {} }
  let ended = false
  for (const { data } of readBody(recorded.body).events) {
    if (data.type === 'error' || data.error) return { error: errorInside(data) }
    if (data.type === 'message') return { answer: answerOf(data) }
    const isOther = data.type === 'message_start' && message.content.length > 0 && data.message?.id !== message.id
    if (isOther) return { error: broken }
    addEvent(message, data)
    ended = data.type === 'message_stop'
    if (ended) break
  }
  return ended ? { answer: answerOf(message) } : { error: noAnswerIn(recorded.body) }
}

function addEvent(message: AnyJson, event: AnyJson): void {
  switch (event.type) {
    case 'message_start':
      Object.assign(message, structuredClone(event.message))
      return
    case 'message_delta':
      for (const [name, value] of Object.entries(event.delta)) message[name] = value
      // A later number replaces an earlier one.
      for (const [name, value] of Object.entries(event.usage ?? {})) if (value !== null) message.usage[name] = value
      return
    case 'content_block_start':
      message.content[event.index] = structuredClone(event.content_block)
      return
    case 'content_block_delta':
      addDelta(message.content[event.index], event.delta)
  }
}

function addDelta(block: AnyJson, delta: AnyJson): void {
  if (delta.type === 'input_json_delta') block.json = (block.json ?? '') + delta.partial_json
  if (delta.type === 'citations_delta') block.citations = [...(block.citations ?? []), delta.citation]
  for (const field of ['text', 'thinking', 'signature', 'content'])
    if (typeof delta[field] === 'string') block[field] = (block[field] ?? '') + delta[field]
}

function answerOf({ content, stop_reason: reason, usage }: AnyJson): Answer {
  const found = orderedDraft()
  for (const block of content ?? []) addBlock(found, block)
  return { ...found, rawFinish: [reason], finish: finishes[reason] ?? 'other', usage: usageOf(usage ?? {}) }
}

function addBlock(found: Draft, block: AnyJson): void {
  switch (block.type) {
    case 'text':
      found.text += block.text
      break
    case 'thinking':
      found.reasoning.push(block.thinking)
      break
    case 'redacted_thinking':
      found.opaque.push({ kind: 'redacted', value: block.data })
      break
    case 'tool_use':
      found.calls.push({ name: block.name, id: block.id, input: block.json ? argumentsOf(block.json) : block.input })
      break
    case 'server_tool_use':
    case 'mcp_tool_use':
      found.serverCalls.push({ name: block.name, item: block })
  }
  addOrder(found, block)
  addOpaque(found, block)
}

function addOrder({ order }: Draft, { json: written, ...block }: AnyJson): void {
  if (block.type === 'text') order?.push({ type: 'text', text: block.text })
  else if (block.type === 'tool_use') order?.push({ type: 'call' })
  else if (block.type !== 'thinking' && block.type !== 'redacted_thinking')
    order?.push({ type: 'item', value: written ? { ...block, input: argumentsOf(written) } : block })
}

/** Signatures, and what stands encrypted in results and citations of server tools. */
function addOpaque(found: Draft, block: AnyJson): void {
  if (block.signature) found.opaque.push({ kind: 'signature', value: block.signature })
  if (block.caller?.tool_id) found.opaque.push({ kind: 'mark', value: block.caller.tool_id })
  const pieces = [...(Array.isArray(block.content) ? block.content : []), ...(block.citations ?? [])]
  for (const piece of pieces) found.opaque.push(...opaqueIn(piece))
}

/** What is encrypted; of a citation without it, the words that it cites. */
export function opaqueIn({ encrypted_content: content, encrypted_index: index, cited_text: cited }: AnyJson): Opaque[] {
  const value = content ?? index
  if (value) return [{ kind: 'encrypted', value }]
  return cited ? [{ kind: 'mark', value: cited }] : []
}

function usageOf(usage: AnyJson): ReadUsage {
  const { input_tokens: fresh, cache_read_input_tokens: cached, cache_creation_input_tokens: cacheWrite } = usage
  return known<ReadUsage>({
    input: typeof fresh === 'number' ? fresh + (cached ?? 0) + (cacheWrite ?? 0) : undefined,
    cached,
    cacheWrite,
    longCacheWrite: usage.cache_creation?.ephemeral_1h_input_tokens || undefined,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens,
  })
}
