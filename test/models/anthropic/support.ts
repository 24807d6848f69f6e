import { Assembler } from '../../../src/core/assemble.ts'
import type { Message } from '../../../src/core/message.ts'
import type { ModelDelta, ModelFinish } from '../../../src/core/model.ts'
import { MessagesDecoder } from '../../../src/models/anthropic/decode.ts'
import { messagesWriting } from '../../../src/models/anthropic/encode.ts'
import { Conversation } from '../../../src/models/http/conversation.ts'
import type { ApiAnswerer } from '../../../src/models/http/decoder.ts'
import { ApiResponse } from '../../../src/models/http/response.ts'

export const scope = 'acme/messages/m'

/** Takes a response as an adapter of this API does. */
export function messagesResponse(more: Partial<ApiAnswerer>, sink: (delta: ModelDelta) => void): ApiResponse {
  const from: ApiAnswerer = { provider: 'acme', answerOf: 'a Messages API', tellsOverflow: true, ...more }
  return new ApiResponse(from, new MessagesDecoder(from, scope, sink))
}

export interface Read {
  readonly message: Message
  readonly finish: ModelFinish
  readonly deltas: readonly ModelDelta[]
}

/** What the adapter makes of a body that comes in pieces of so many bytes. */
export function read(body: string | Uint8Array, type = 'text/event-stream', size = 1_000_000, more: Partial<ApiAnswerer> = {}): Read {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const response = messagesResponse(more, (delta) => {
    deltas.push(delta)
    assembler.push(delta)
  })
  response.head({ status: 200, header: (name) => (name === 'content-type' ? type : undefined) })
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  for (let at = 0; at < bytes.length; at += size) if (response.chunk(bytes.subarray(at, at + size)) === 'complete') break
  const finish = response.finish()
  return { message: assembler.finish(), finish, deltas }
}

/** Events as the API names them. */
export function stream(...events: readonly { readonly type: string; readonly [key: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

export const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 9, output_tokens: 1 },
  },
}
export const stop = { type: 'message_stop' }

export function ended(reason: string, usage: object = { output_tokens: 16 }) {
  return { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage }
}

export function opened(index: number, block: object) {
  return { type: 'content_block_start', index, content_block: block }
}

export function piece(index: number, delta: object) {
  return { type: 'content_block_delta', index, delta }
}

export function closed(index: number) {
  return { type: 'content_block_stop', index }
}

export const text = (index: number, ...texts: readonly string[]) => [
  opened(index, { type: 'text', text: '' }),
  ...texts.map((one) => piece(index, { type: 'text_delta', text: one })),
  closed(index),
]

export const call = (index: number, id: string, name: string, ...inputs: readonly string[]) => [
  opened(index, { type: 'tool_use', id, name, input: {} }),
  ...inputs.map((one) => piece(index, { type: 'input_json_delta', partial_json: one })),
  closed(index),
]

/** The messages of a request. */
export function written(messages: readonly Message[], { prefill = false, mark = '' } = {}): unknown[] {
  const bytes = new Conversation(messagesWriting(scope, prefill)).encode(messages, mark)
  return JSON.parse(`[${Buffer.concat(bytes).toString().slice(1)}]`)
}

export function user(...texts: readonly string[]): Message {
  return { role: 'user', parts: texts.map((one) => ({ type: 'text', text: one })) }
}
