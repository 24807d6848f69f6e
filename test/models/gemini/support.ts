import { Assembler } from '../../../src/core/assemble.ts'
import type { Message, Part } from '../../../src/core/message.ts'
import type { ModelDelta, ModelFinish, ModelRequest } from '../../../src/core/model.ts'
import { GeminiApi } from '../../../src/models/gemini/api.ts'
import type { GeminiOptions } from '../../../src/models/gemini/index.ts'
import type { ApiAnswerer } from '../../../src/models/http/decoder.ts'
import { ApiResponse } from '../../../src/models/http/response.ts'

export const request: ModelRequest = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' }

export interface Read {
  readonly message: Message
  readonly parts: readonly Part[]
  readonly finish: ModelFinish
  readonly deltas: readonly ModelDelta[]
}

/** Takes a body that comes in these pieces as the adapter does. */
export function readBody(pieces: readonly (string | Uint8Array)[], type = 'text/event-stream', model = 'gemini-3-flash'): Read {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const api = new GeminiApi(model, 'http://127.0.0.1', {})
  const from: ApiAnswerer = { provider: api.provider, answerOf: api.answerOf, json: api.json }
  const sink = (delta: ModelDelta) => {
    deltas.push(delta)
    assembler.push(delta)
  }
  const response = new ApiResponse(from, api.decoder(from, sink, request))
  response.head({ status: 200, header: (name) => (name === 'content-type' ? type : undefined) })
  for (const piece of pieces) response.chunk(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
  const finish = response.finish()
  const message = assembler.finish()
  return { message, parts: message.parts, finish, deltas }
}

export const sse = (events: readonly object[], newline = '\r\n') =>
  events.map((event) => `data: ${JSON.stringify(event)}${newline}${newline}`).join('')

/** An event with these parts. */
export function event(parts: readonly object[] | undefined, more: object = {}, besides: object = {}): object {
  const content = parts === undefined ? {} : { content: { role: 'model', parts } }
  return { candidates: [{ ...content, index: 0, ...more }], ...besides }
}

export const stop = event([{ text: '' }], { finishReason: 'STOP' }, { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 } })

/** What comes of these events, and of the same as a list and cut anywhere: it must be one. */
export function read(...events: readonly object[]): Read {
  return readBody([sse(events)])
}

/** The body of a request, as JSON. */
export function bodyOf(
  more: Partial<ModelRequest>,
  { model = 'gemini-3-flash', ...options }: GeminiOptions & { readonly model?: string } = {},
): { readonly [field: string]: unknown } {
  const api = new GeminiApi(model, 'http://127.0.0.1', options)
  return JSON.parse(Buffer.concat(api.body({ ...request, ...more }, 's')).toString())
}

/** The contents of a request with these messages. */
export function contentsOf(messages: readonly Message[], model?: string): unknown {
  return bodyOf({ messages }, model === undefined ? {} : { model })['contents']
}

export const scope = 'gemini/generate-content/gemini-3-flash'
