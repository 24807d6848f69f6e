import type { Model } from '../../src/core/model.ts'
import { anthropic } from '../../src/models/anthropic/index.ts'
import { gemini as geminiModel } from '../../src/models/gemini/index.ts'
import { ollama as ollamaModel } from '../../src/models/ollama/index.ts'
import { openaiCompatible } from '../../src/models/openai-chat/index.ts'
import { openai } from '../../src/models/openai-responses/index.ts'
import type { Timeouts } from '../../src/models/transport/transport.ts'
import type { WireApi } from '../setup/wire.ts'
import { call, closed, ended, opened, piece, start, stop, text } from './anthropic/support.ts'
import { added, completed, done, functionCall, inputDelta, message, reasoning, textDelta } from './openai-responses/support.ts'

/** A good answer of an API, event by event: a thought, a text of two pieces, one call of `pay` with `whole`. */
export interface GoodStream {
  readonly type: string
  readonly events: readonly object[]
  /** The bytes of events on the wire. */
  frames(events: readonly unknown[]): string
}

export const whole = { cents: 4200, to: 'ACME' }

const pieces = ['{"cents":42', '00,"to":"ACME"}'] as const

const chat = (delta: object, finish: string | null = null, more: object = {}) => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const chatCall = (fn: object, more: object = {}) => chat({ tool_calls: [{ index: 0, ...more, function: fn }] })

const pay = functionCall({ name: 'pay', arguments: pieces.join('') })

const thought = reasoning({ summary: [{ type: 'summary_text', text: 'Hm.' }] })

const gemini = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
})
const geminiEvents = [
  gemini([{ text: 'Hm.', thought: true }]),
  gemini([{ text: 'Grüße ' }]),
  gemini([{ text: '😀 dir' }]),
  gemini([{ functionCall: { name: 'pay', args: whole }, thoughtSignature: 'c2ln' }]),
  gemini([{ text: '' }], { finishReason: 'STOP' }),
]

const ollama = (said: object, more: object = { done: false }) => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...said },
  ...more,
})
const sse = (events: readonly unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const namedSse = (events: readonly unknown[]) =>
  events.map((event) => `event: ${typeOf(event)}\ndata: ${JSON.stringify(event)}\n\n`).join('')

function typeOf(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'type' in event ? event.type : 'none'
}

const events = 'text/event-stream'

/** What a test says of a model. */
export interface Reached {
  readonly baseURL: string
  readonly timeouts?: Partial<Timeouts>
  readonly maxResponseBytes?: number
}

/** The models of each API. */
export const modelsOf: { readonly [api in Exclude<WireApi, 'ollama-generate'>]: (reached: Reached) => Model } = {
  'chat-completions': (reached) => openaiCompatible({ ...reached, name: 'acme' })('m'),
  messages: (reached) => anthropic('m', { ...reached, apiKey: 'k' }),
  responses: (reached) => openai('m', { ...reached, apiKey: 'k' }),
  'gemini-generate-content': (reached) => geminiModel('m', { ...reached, apiKey: 'k' }),
  'ollama-chat': (reached) => ollamaModel('m', reached),
}

/** One for each API that there is an adapter for, and each form in which it streams. */
export const goodStreams: { readonly [api in Exclude<WireApi, 'ollama-generate'>]: { readonly [form: string]: GoodStream } } = {
  'chat-completions': {
    events: {
      type: events,
      events: [
        chat({ role: 'assistant', content: '' }),
        chat({ reasoning_content: 'Hm.' }),
        chat({ content: 'Grüße ' }),
        chat({ content: '😀 dir' }),
        chatCall({ name: 'pay', arguments: '' }, { id: 'call_1', type: 'function' }),
        ...pieces.map((one) => chatCall({ arguments: one })),
        chat({}, 'tool_calls', { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
      ],
      frames: (list) => `${sse(list)}data: [DONE]\n\n`,
    },
  },
  messages: {
    events: {
      type: events,
      events: [
        start,
        opened(0, { type: 'thinking', thinking: '', signature: '' }),
        piece(0, { type: 'thinking_delta', thinking: 'Hm.' }),
        piece(0, { type: 'signature_delta', signature: 'c2ln' }),
        closed(0),
        ...text(1, 'Grüße ', '😀 dir'),
        ...call(2, 'toolu_1', 'pay', ...pieces),
        ended('tool_use'),
        stop,
      ],
      frames: namedSse,
    },
  },
  responses: {
    events: {
      type: events,
      events: [
        { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
        added(reasoning()),
        done(thought),
        added(message('', { content: [] }), 1),
        textDelta('Grüße ', 1),
        textDelta('😀 dir', 1),
        done(message('Grüße 😀 dir'), 1),
        added({ ...pay, arguments: '' }, 2),
        ...pieces.map((one) => inputDelta(one, 2)),
        done(pay, 2),
        completed([thought, message('Grüße 😀 dir'), pay]),
      ],
      frames: namedSse,
    },
  },
  'gemini-generate-content': {
    events: { type: events, events: geminiEvents, frames: (list) => sse(list).replaceAll('\n', '\r\n') },
    list: {
      type: 'application/json',
      events: geminiEvents,
      frames: (list) => `[${list.map((event) => JSON.stringify(event, undefined, 1)).join(',\r\n')}]`,
    },
  },
  'ollama-chat': {
    lines: {
      type: 'application/x-ndjson',
      events: [
        ollama({ thinking: 'Hm.' }),
        ollama({ content: 'Grüße ' }),
        ollama({ content: '😀 dir' }),
        ollama({ tool_calls: [{ function: { name: 'pay', arguments: whole } }] }),
        ollama({}, { done: true, done_reason: 'stop', prompt_eval_count: 10, eval_count: 5 }),
      ],
      frames: (list) => list.map((event) => `${JSON.stringify(event)}\n`).join(''),
    },
  },
}
