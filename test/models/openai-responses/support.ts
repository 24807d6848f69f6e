import { Assembler } from '../../../src/core/assemble.ts'
import type { Part } from '../../../src/core/message.ts'
import type { ModelDelta, ModelFinish } from '../../../src/core/model.ts'
import type { ApiAnswerer } from '../../../src/models/http/decoder.ts'
import { ApiResponse } from '../../../src/models/http/response.ts'
import { ResponsesDecoder } from '../../../src/models/openai-responses/decode.ts'
import type { Reading } from '../../../src/models/openai-responses/reading.ts'

export type Event = object | string

const from: ApiAnswerer = { provider: 'acme', answerOf: 'a Responses API' }
const reading: Reading = { scope: 's', keepsId: false }

export interface Decoded {
  readonly parts: readonly Part[]
  readonly finish: ModelFinish
  readonly deltas: readonly ModelDelta[]
}

/** Each event as a piece of the body of its own. */
export function decode(events: readonly Event[], more: Partial<Reading> = {}): Decoded {
  return read(more, (decoder) => {
    for (const event of events) {
      decoder.push(typeof event === 'string' ? event : JSON.stringify(event))
      decoder.flush()
    }
  })
}

/** A body that came at once. */
export function decodeWhole(body: object, more: Partial<Reading> = {}): Decoded {
  return read(more, (decoder) => {
    if (!decoder.whole(body)) throw new Error('it is no response')
  })
}

function read(more: Partial<Reading>, push: (decoder: ResponsesDecoder) => void): Decoded {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const decoder = new ResponsesDecoder(from, taker(assembler, deltas), { ...reading, ...more })
  push(decoder)
  const finish = decoder.end()
  return { parts: assembler.finish().parts, finish, deltas }
}

function taker(assembler: Assembler, deltas: ModelDelta[]): (delta: ModelDelta) => void {
  return (delta) => {
    deltas.push(delta)
    assembler.push(delta)
  }
}

/** Takes a response over the wire as the adapter does. */
export function responseTo(more: Partial<ApiAnswerer>, sink: (delta: ModelDelta) => void): ApiResponse {
  const answerer = { ...from, ...more }
  return new ApiResponse(answerer, new ResponsesDecoder(answerer, sink, reading))
}

export const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 5 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 140,
}

export function response(output: readonly object[], more: object = {}): object {
  return { id: 'resp_1', object: 'response', status: 'completed', error: null, incomplete_details: null, output, usage, ...more }
}

export function completed(output: readonly object[], more: object = {}): object {
  return { type: 'response.completed', sequence_number: 99, response: response(output, more) }
}

export function message(text: string, more: object = {}): object {
  return {
    id: 'msg_1',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
    ...more,
  }
}

export function reasoning(more: object = {}): object {
  return { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA', ...more }
}

export function functionCall(more: object = {}): object {
  return {
    id: 'fc_1',
    type: 'function_call',
    status: 'completed',
    call_id: 'call_1',
    name: 'weather',
    arguments: '{"city":"Bern"}',
    ...more,
  }
}

export const added = (item: object, place = 0): object => ({ type: 'response.output_item.added', output_index: place, item })
export const done = (item: object, place = 0): object => ({ type: 'response.output_item.done', output_index: place, item })

export function textDelta(delta: string, place = 0, id = 'msg_1'): object {
  return { type: 'response.output_text.delta', item_id: id, output_index: place, content_index: 0, delta, logprobs: [], sequence_number: 3 }
}

export function inputDelta(delta: string, place = 0, id = 'fc_1'): object {
  return { type: 'response.function_call_arguments.delta', item_id: id, output_index: place, delta, sequence_number: 4 }
}
