import { opaqueIn, reasoningFieldOf } from './chat-completions.ts'
import { type AnyJson, known, type Opaque } from './reading.ts'
import { type Item, inputOf, mediaOf, type ReadRequest, requestOf, resultText, type Said } from './request.ts'

/** A request of the Chat Completions API. */
export function readChatRequest({ messages, tools }: AnyJson): ReadRequest {
  const names = (tools ?? []).map((tool: AnyJson) => tool.function?.name ?? tool.type)
  return requestOf(messages.map(said), { tools: names })
}

function said(message: AnyJson): Said {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', items: contentOf(message.content) }
    case 'tool':
    case 'function':
      return { role: 'user', items: [resultOf(message)] }
    case 'assistant':
      return { role: 'assistant', items: assistantItems(message) }
    default:
      return { role: 'user', items: contentOf(message.content) }
  }
}

function assistantItems(message: AnyJson): Item[] {
  const { content, refusal, tool_calls: calls, reasoning_details: details } = message
  return [
    { type: 'reasoning', text: reasoningOf(message), ...known<{ field?: string }>({ field: reasoningFieldOf(message) }) },
    ...signatureOf(message),
    ...detailItems(details ?? []),
    ...contentOf(content),
    { type: 'text', text: refusal ?? '' },
    ...(calls ?? []).flatMap(callItems),
  ]
}

/** OpenRouter's: what is not text goes back as it came. Details that follow each other may be pieces of one, and have its id. */
function detailItems(details: readonly AnyJson[]): Item[] {
  const all = details.flatMap(opaqueIn)
  const ids = all.filter(({ kind }) => kind === 'item-id')
  const isMore = (one: Opaque) => ids.indexOf(one) > 0 && ids[ids.indexOf(one) - 1]?.value === one.value
  return all.filter((one) => !isMore(one)).map((one) => ({ type: 'opaque', ...one }))
}

/** Where there are details, they hold the text of the reasoning too. */
function reasoningOf({ reasoning_content: content, reasoning, reasoning_details: details }: AnyJson): string {
  return content || reasoning || (details ?? []).map(({ text, summary }: AnyJson) => text ?? summary ?? '').join('')
}

function callItems({ id, function: call, custom, extra_content: extra }: AnyJson): Item[] {
  if (custom !== undefined) return [{ type: 'call', name: custom.name, id, native: 'custom', input: { input: custom.input } }]
  return [{ type: 'call', name: call.name, id, input: inputOf(call.arguments) }, ...signatureOf({ extra_content: extra })]
}

function signatureOf({ extra_content: extra }: AnyJson): Item[] {
  const signature = extra?.google?.thought_signature
  return signature ? [{ type: 'opaque', kind: 'signature', value: signature }] : []
}

function resultOf({ tool_call_id: id, content }: AnyJson): Item {
  const items = contentOf(content)
  return {
    type: 'result',
    ...(id === undefined ? {} : { id }),
    text: items.map((item) => (item.type === 'text' ? item.text : '')).join('') || (typeof content === 'object' ? '' : resultText(content)),
    media: items.filter((item) => item.type === 'media'),
    failed: false,
  }
}

function contentOf(content: AnyJson): Item[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.flatMap((part: AnyJson): Item[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'thinking':
        return part.thinking.map(({ text }: AnyJson) => ({ type: 'reasoning', text }))
      case 'image_url':
        return [mediaOf('image', part.image_url.url ?? part.image_url)]
      case 'input_audio':
        return [{ type: 'media', kind: 'file', mediaType: `audio/${part.input_audio.format}`, data: part.input_audio.data }]
      case 'file':
        return part.file.file_data ? [mediaOf('file', part.file.file_data)] : [{ type: 'item', value: part }]
      case 'document_url':
        return [mediaOf('file', part.document_url)]
      case 'file_url':
      case 'video_url':
        return [mediaOf('file', part[part.type].url)]
      default:
        return [{ type: 'item', value: part }]
    }
  })
}
