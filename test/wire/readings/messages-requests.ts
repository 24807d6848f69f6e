import { opaqueIn } from './messages.ts'
import type { AnyJson } from './reading.ts'
import { type Item, type Media, type ReadRequest, requestOf } from './request.ts'

/** A request of Anthropic's Messages API. */
export function readMessagesRequest({ system, messages, tools }: AnyJson): ReadRequest {
  const instructions = typeof system === 'string' ? system : (system ?? []).map(({ text }: AnyJson) => text).join('\n\n')
  const said = messages.map(({ role, content }: AnyJson) => ({ role, items: itemsOf(content) }))
  return requestOf(said, { instructions, tools: (tools ?? []).map(({ name, type }: AnyJson) => name ?? type) })
}

function itemsOf(content: AnyJson): Item[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.flatMap(blockItems)
}

function blockItems(block: AnyJson): Item[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }, ...encryptedIn(block.citations)]
    case 'thinking':
      return [
        { type: 'reasoning', text: block.thinking },
        ...(block.signature ? [{ type: 'opaque', kind: 'signature', value: block.signature } as const] : []),
      ]
    case 'redacted_thinking':
      return [{ type: 'opaque', kind: 'redacted', value: block.data }]
    case 'tool_use':
      return [
        { type: 'call', name: block.name, id: block.id, input: block.input },
        ...(block.caller?.tool_id ? [{ type: 'opaque', kind: 'mark', value: block.caller.tool_id } as const] : []),
      ]
    case 'tool_result':
      return [resultOf(block)]
    case 'image':
    case 'document':
      if (block.source.type === 'file') return [itemOf(block)]
      return [mediaOf(block.type === 'image' ? 'image' : 'file', block.source)]
    default:
      return [itemOf(block), ...encryptedIn(block.content)]
  }
}

/** What of citations and of results is encrypted must come back as it was. */
function encryptedIn(pieces: AnyJson): Item[] {
  if (!Array.isArray(pieces)) return []
  return pieces.flatMap(opaqueIn).map((one) => ({ type: 'opaque', ...one }))
}

function resultOf({ tool_use_id: id, content, is_error: failed }: AnyJson): Item {
  const items = itemsOf(content ?? [])
  return {
    type: 'result',
    id,
    text: items.map((item) => (item.type === 'text' ? item.text : '')).join(''),
    media: items.filter((item) => item.type === 'media'),
    failed: failed === true,
  }
}

function mediaOf(kind: Media['kind'], { type, media_type: mediaType, data, url, content }: AnyJson): Media {
  return {
    type: 'media',
    kind,
    ...(mediaType === undefined ? {} : { mediaType }),
    data: data ?? url ?? JSON.stringify(content ?? type),
  }
}

/** Cache marks say nothing of the conversation. */
function itemOf({ cache_control: _, ...block }: AnyJson): Item {
  return { type: 'item', value: block }
}
