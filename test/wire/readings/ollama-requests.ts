import type { AnyJson } from './reading.ts'
import { type Item, type Media, type ReadRequest, requestOf, resultText, type Said } from './request.ts'

/** A request of Ollama's own API: `/api/chat`, or `/api/generate` with a prompt. */
export function readOllamaRequest({ messages, prompt, system, images, tools }: AnyJson): ReadRequest {
  const said = messages === undefined ? [{ role: 'user' as const, items: [text(prompt), ...mediaOf(images)] }] : messages.map(saidIn)
  return requestOf(said, { instructions: system ?? '', tools: (tools ?? []).map((tool: AnyJson) => tool.function.name) })
}

function saidIn({ role, content, thinking, images, tool_calls: calls, tool_name: name, tool_call_id: id }: AnyJson): Said {
  if (role === 'tool') {
    const named = { ...(id ? { id } : {}), ...(name ? { name } : {}) }
    return { role: 'user', items: [{ type: 'result', ...named, text: resultText(content), media: mediaOf(images), failed: false }] }
  }
  const called = (calls ?? []).map((call: AnyJson): Item => {
    const own = call.id ? { id: call.id } : {}
    return { type: 'call', name: call.function.name, ...own, input: call.function.arguments ?? {} }
  })
  return { role, items: [{ type: 'reasoning', text: thinking ?? '' }, text(content), ...mediaOf(images), ...called] }
}

function text(content: AnyJson): Item {
  return { type: 'text', text: content ?? '' }
}

function mediaOf(images: AnyJson): Media[] {
  return (images ?? []).map((data: string) => ({ type: 'media', kind: 'image', data }))
}
