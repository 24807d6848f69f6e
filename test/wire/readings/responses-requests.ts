import type { AnyJson } from './reading.ts'
import { type Item, inputOf, mediaOf, type ReadRequest, requestOf, resultText, type Said } from './request.ts'
import { marksOf } from './responses.ts'

const outputs = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
])
const nativeCalls = new Set(['custom_tool_call', 'local_shell_call', 'shell_call', 'apply_patch_call'])

/** A request of the Responses API. */
export function readResponsesRequest({ instructions, input, tools, previous_response_id: previous }: AnyJson): ReadRequest {
  const items: AnyJson[] = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  return requestOf(items.map(said), {
    instructions: instructions ?? '',
    tools: (tools ?? []).map(({ name, type }: AnyJson) => name ?? type),
    ...(previous ? { previous } : {}),
  })
}

function said(item: AnyJson): Said {
  if (item.role === 'system' || item.role === 'developer') return { role: 'system', items: contentOf(item.content) }
  if (item.role === 'user') return { role: 'user', items: contentOf(item.content) }
  if (item.role === 'assistant' || item.type === 'message')
    return { role: 'assistant', items: [...idOf(item), ...markItems(item), ...contentOf(item.content)] }
  if (outputs.has(item.type) || isSearchHere(item, 'tool_search_output')) return { role: 'user', items: [resultOf(item)] }
  return { role: 'assistant', items: [...idOf(item), ...markItems(item), ...assistantItems(item)] }
}

function idOf({ id }: AnyJson): Item[] {
  return id ? [{ type: 'opaque', kind: 'item-id', value: id }] : []
}

function markItems(item: AnyJson): Item[] {
  return marksOf(item).map((value) => ({ type: 'opaque', kind: 'mark', value }))
}

function assistantItems(item: AnyJson): Item[] {
  if (item.type === 'reasoning') {
    const text = [...(item.summary ?? []), ...(item.content ?? [])].map((part: AnyJson) => part.text).join('\n\n')
    return [{ type: 'reasoning', text }, ...encryptedIn(item)]
  }
  if (item.type === 'function_call') return [{ type: 'call', name: item.name, id: item.call_id, input: inputOf(item.arguments) }]
  if (nativeCalls.has(item.type) || isSearchHere(item, 'tool_search_call')) {
    const name = item.name === undefined ? {} : { name: item.name }
    return [
      {
        type: 'call',
        ...name,
        id: item.call_id,
        native: item.type,
        input: item.input ?? item.operation ?? item.action ?? inputOf(item.arguments),
      },
    ]
  }
  const { id: _, ...value } = item
  return [{ type: 'item', value }]
}

/** A search for tools that the client makes, and what it has found. */
function isSearchHere({ type, execution }: AnyJson, wanted: string): boolean {
  return type === wanted && execution === 'client'
}

function encryptedIn({ encrypted_content: value }: AnyJson): Item[] {
  return value ? [{ type: 'opaque', kind: 'encrypted', value }] : []
}

function resultOf({ type, call_id: id, output, tools, caller }: AnyJson): Item {
  const items = Array.isArray(output) ? contentOf(output) : []
  return {
    type: 'result',
    id,
    text: Array.isArray(output) ? items.map((item) => (item.type === 'text' ? item.text : '')).join('') : resultText(output ?? tools),
    media: items.filter((item) => item.type === 'media'),
    failed: false,
    ...(type === 'function_call_output' ? {} : { native: type }),
    ...(caller?.caller_id ? { caller: caller.caller_id } : {}),
  }
}

function contentOf(content: AnyJson): Item[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return (content ?? []).map((part: AnyJson): Item => {
    switch (part.type) {
      case 'input_text':
      case 'output_text':
        return { type: 'text', text: part.text }
      case 'refusal':
        return { type: 'text', text: part.refusal }
      case 'input_image':
        return part.image_url ? mediaOf('image', part.image_url) : { type: 'item', value: part }
      case 'input_file':
        return part.file_data || part.file_url ? mediaOf('file', part.file_data ?? part.file_url) : { type: 'item', value: part }
      default:
        return { type: 'item', value: part }
    }
  })
}
