import { readBody } from './body.ts'
import { errorInside, noAnswerIn, statusError } from './errors.ts'
import {
  type Answer,
  type AnyJson,
  argumentsOf,
  type Draft,
  known,
  orderedDraft,
  type Reading,
  type ReadUsage,
  type Recorded,
} from './reading.ts'

/** Calls that are ours to run, and no functions. */
const nativeCalls = new Set([
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
  'custom_tool_call',
  // It asks whether a tool of an MCP server may run.
  'mcp_approval_request',
])

/** Calls that the provider has run. */
const serverCalls = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'tool_search_call',
  'program',
  // Of xAI.
  'x_search_call',
])

const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** A response of the Responses API: the object, or the one in its last event, which tells everything once more. */
export function readResponses(recorded: Recorded): Reading {
  if (recorded.status >= 300) return { error: statusError(recorded) }
  const { events } = readBody(recorded.body)
  const items: AnyJson[] = []
  for (const { data } of events) {
    if (data.type === 'error') return { error: errorInside(data) }
    if (data.type === 'response.output_item.done') items[data.output_index] = data.item
    const response = terminal.has(data.type) ? data.response : data
    if (response.error && response.object === undefined) return { error: errorInside(response.error) }
    if (response.object !== 'response') continue
    if (response.error) return { error: errorInside(response.error) }
    return answerOf(response, items)
  }
  return { error: noAnswerIn(recorded.body) }
}

/** Some servers leave the output of the last event empty: then the items that came before it are all there is. */
function answerOf(response: AnyJson, items: readonly AnyJson[]): Reading {
  const found = orderedDraft()
  const output: AnyJson[] = response.output?.length > 0 ? response.output : items.filter(Boolean)
  // mistral.rs tells the reasoning beside the items.
  if (typeof response.reasoning === 'string') found.reasoning.push(response.reasoning)
  for (const [place, item] of output.entries()) addItem(found, renamed(item, items[place]) ? { ...item, id: undefined } : item)
  const refused = output.some((item) => item.content?.some?.((part: AnyJson) => part.type === 'refusal'))
  const reason: string | undefined = response.incomplete_details?.reason
  const rawFinish = reason === undefined ? [response.status] : [response.status, reason, `${response.status}:${reason}`]
  const answer: Answer = {
    ...found,
    rawFinish,
    finish: finishOf(response.status, reason, refused),
    usage: usageOf(response.usage ?? {}),
  }
  // A response that goes on in the background is none yet.
  return response.status === 'completed' || response.status === 'incomplete'
    ? { answer }
    : { answer, either: ['ModelServerError', 'ModelBadRequest'] }
}

/** A shell in a container of the provider; xAI tells its searches of X as custom calls. */
function isServers({ type, environment, call_id: id }: AnyJson): boolean {
  if (type === 'shell_call') return environment?.type === 'container_reference'
  return type === 'custom_tool_call' && /^xs_call/.test(id ?? '')
}

/** Ours to run. */
function isCall(item: AnyJson): boolean {
  if (item.type === 'tool_search_call') return item.execution === 'client'
  return item.type === 'function_call' || (nativeCalls.has(item.type) && !isServers(item))
}

/** Copilot makes up ids anew in each event: such a one names nothing. */
function renamed(item: AnyJson, before: AnyJson): boolean {
  return before?.type === item.type && before?.id !== item.id
}

function finishOf(status: string, reason: string | undefined, refused: boolean): Answer['finish'] {
  if (reason === 'max_output_tokens' || reason === 'max_tokens' || reason === 'length') return 'length'
  if (reason === 'content_filter') return 'content-filter'
  if (refused) return 'refusal'
  return status === 'completed' ? 'stop' : 'other'
}

function addItem(found: Draft, item: AnyJson): void {
  if (item.type === 'message') for (const part of item.content ?? []) found.text += part.text ?? part.refusal ?? ''
  else if (item.type === 'reasoning')
    for (const part of [...(item.summary ?? []), ...(item.content ?? [])]) found.reasoning.push(part.text ?? '')
  else if (item.type === 'function_call') found.calls.push({ name: item.name, id: item.call_id, input: argumentsOf(item.arguments) })
  else if (isCall(item))
    found.calls.push({
      ...(item.name === undefined ? {} : { name: item.name }),
      id: item.call_id ?? item.id,
      native: item.type,
      input: item.input ?? item.operation ?? item.action ?? item.arguments ?? {},
    })
  else if (serverCalls.has(item.type) || isServers(item)) found.serverCalls.push({ name: item.name ?? item.type, item })
  addOrder(found, item)
  if (item.type === 'image_generation_call' && item.result) found.media.push({ data: item.result })
  const isEmptyMessage = item.type === 'message' && (item.content ?? []).every((part: AnyJson) => !(part.text ?? part.refusal)?.trim())
  if (item.id && !isEmptyMessage) found.opaque.push({ kind: 'item-id', value: item.id })
  if (item.encrypted_content) found.opaque.push({ kind: 'encrypted', value: item.encrypted_content })
  for (const value of marksOf(item)) found.opaque.push({ kind: 'mark', value })
  if (item.fingerprint) found.opaque.push({ kind: 'signature', value: item.fingerprint })
}

function addOrder({ order }: Draft, item: AnyJson): void {
  if (item.type === 'message')
    order?.push({ type: 'text', text: (item.content ?? []).map((part: AnyJson) => part.text ?? part.refusal ?? '').join('') })
  else if (isCall(item)) order?.push({ type: 'call' })
  else if (item.type !== 'reasoning') {
    const { id: _, ...value } = item
    order?.push({ type: 'item', value })
  }
}

/** The phase of a message, whose call a call is. A namespace of the name of the tool says nothing: clients put it there by themselves. */
export function marksOf({ phase, name, namespace, caller }: AnyJson): string[] {
  return [phase, namespace === name ? undefined : namespace, caller?.caller_id].filter(Boolean)
}

function usageOf(usage: AnyJson): ReadUsage {
  return known<ReadUsage>({
    input: usage.input_tokens,
    cached: usage.input_tokens_details?.cached_tokens,
    cacheWrite: usage.input_tokens_details?.cache_write_tokens,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens,
  })
}
