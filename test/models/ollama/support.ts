import { Assembler } from '../../../src/core/assemble.ts'
import type { Message, Part } from '../../../src/core/message.ts'
import type { ModelDelta, ModelFinish, ModelRequest } from '../../../src/core/model.ts'
import type { ApiAnswerer } from '../../../src/models/http/decoder.ts'
import { ApiResponse } from '../../../src/models/http/response.ts'
import { OllamaApi } from '../../../src/models/ollama/api.ts'
import type { OllamaOptions } from '../../../src/models/ollama/index.ts'

export const request: ModelRequest = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' }

export interface Read {
  readonly message: Message
  readonly parts: readonly Part[]
  readonly finish: ModelFinish
  readonly deltas: readonly ModelDelta[]
}

/** Takes a body that comes in these pieces as the adapter does. */
export function readBody(pieces: readonly (string | Uint8Array)[], type = 'application/x-ndjson'): Read {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const api = new OllamaApi('qwen3', 'http://127.0.0.1', {})
  const from: ApiAnswerer = { provider: api.provider, answerOf: api.answerOf, json: api.json }
  const sink = (delta: ModelDelta) => {
    deltas.push(delta)
    assembler.push(delta)
  }
  const response = new ApiResponse(from, api.decoder(from, sink))
  response.head({ status: 200, header: (name) => (name === 'content-type' ? type : undefined) })
  for (const piece of pieces) if (response.chunk(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece) === 'complete') break
  const finish = response.finish()
  const message = assembler.finish()
  return { message, parts: message.parts, finish, deltas }
}

export const lines = (values: readonly object[], newline = '\n') => values.map((value) => JSON.stringify(value) + newline).join('')

let time = 0

/** A line with this message; the time is its own, as it is there. */
export function line(message: object, more: object = {}): object {
  time += 9_973
  const created_at = `2026-08-07T06:08:14.${String(time % 1_000_000)}Z`
  return { model: 'qwen3', created_at, message: { role: 'assistant', content: '', ...message }, done: false, ...more }
}

export const end = (more: object = {}) => line({}, { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 3, ...more })

export function read(...values: readonly object[]): Read {
  return readBody([lines(values)])
}

/** The body of a request, as JSON. */
export function bodyOf(
  more: Partial<ModelRequest>,
  { model = 'qwen3', ...options }: OllamaOptions & { readonly model?: string } = {},
): { readonly [field: string]: unknown } {
  const api = new OllamaApi(model, 'http://127.0.0.1', options)
  return JSON.parse(Buffer.concat(api.body({ ...request, ...more }, 's')).toString())
}

export const scope = 'ollama/chat/qwen3'
