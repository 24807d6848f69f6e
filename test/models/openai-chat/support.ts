import type { ModelDelta } from '../../../src/core/model.ts'
import type { ApiAnswerer } from '../../../src/models/http/decoder.ts'
import { ApiResponse } from '../../../src/models/http/response.ts'
import { ChatDecoder } from '../../../src/models/openai-chat/decode.ts'
import { chatWriting } from '../../../src/models/openai-chat/encode.ts'
import { dialectAt } from '../../../src/models/openai-chat/index.ts'

/** Takes a response as an adapter of this API does. */
export function chatResponse(more: Partial<ApiAnswerer>, sink: (delta: ModelDelta) => void): ApiResponse {
  const from: ApiAnswerer = { provider: 'acme', answerOf: 'a Chat Completions API', ...more }
  return new ApiResponse(from, new ChatDecoder(from, sink))
}

/** How messages are written for a server of which nothing is known. */
export const plainWriting = chatWriting('m', dialectAt('acme', { baseURL: 'http://api.test/v1' }))

/** Bytes of messages, each with a comma before it, as what they are. */
export function listed(pieces: readonly Uint8Array[]): unknown {
  return JSON.parse(`[${Buffer.concat(pieces).toString().slice(1)}]`)
}
