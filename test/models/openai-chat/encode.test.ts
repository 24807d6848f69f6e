import { expect, test } from 'vitest'
import type { Message, Part, ToolCallPart } from '../../../src/core/message.ts'
import type { Encoded } from '../../../src/models/http/conversation.ts'
import { plainWriting } from './support.ts'

const nothing = new Set<string>()

function encode(message: Message, used: ReadonlySet<string> = nothing): Encoded {
  return plainWriting.encode(message, new Map([...used].map((id) => [id, 0])), undefined)
}

function json(message: Message): string {
  return `[${encode(message)
    .pieces.map(({ open, body, close }) => open + body + close)
    .join(',')}]`
}

function encoded(message: Message, used: ReadonlySet<string> = nothing): unknown {
  const { pieces } = encode(message, used)
  return JSON.parse(`[${pieces.map(({ open, body, close }) => open + body + close).join(',')}]`)
}

function call(index: number, more: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    callId: `m3.${index}`,
    toolName: 'weather',
    providerCallId: `call_${index}`,
    input: { city: 'Bern' },
    settlement: { outcome: 'ok', output: 'sunny' },
    ...more,
  }
}

function assistant(...parts: Part[]): Message {
  return { id: 'm3', role: 'assistant', parts }
}

test('what a user says is a text, or parts when there is more than text', () => {
  expect(encoded({ role: 'user', parts: [{ type: 'text', text: 'hello' }] })).toEqual([{ role: 'user', content: 'hello' }])
  const image: Part = { type: 'image', mediaType: 'image/png', data: 'AAAA' }
  expect(encoded({ role: 'user', parts: [{ type: 'text', text: 'look' }, image] })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    },
  ])
})

test('images by URL, audio and files have their own parts', () => {
  const parts: Part[] = [
    { type: 'image', mediaType: 'image/jpeg', data: 'https://example.com/a.jpg' },
    { type: 'file', mediaType: 'audio/wav', data: 'AAAA' },
    { type: 'file', mediaType: 'application/pdf', data: 'BBBB', name: 'a.pdf' },
    // Without a name OpenAI refuses it.
    { type: 'file', mediaType: 'application/pdf', data: 'BBBB' },
    // Of OpenRouter and vLLM.
    { type: 'file', mediaType: 'video/mp4', data: 'CCCC' },
  ]
  expect(encoded({ role: 'user', parts })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'https://example.com/a.jpg' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB', filename: 'a.pdf' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB', filename: 'file.pdf' } },
        { type: 'video_url', video_url: { url: 'data:video/mp4;base64,CCCC' } },
      ],
    },
  ])
})

test('audio is bare base64, whatever it was given as; what the API can not take is told in words', () => {
  const audio = (data: string, mediaType = 'audio/mpeg') => encoded({ role: 'user', parts: [{ type: 'file', mediaType, data }] })
  for (const data of ['AAAA', 'data:audio/mpeg;base64,AAAA', 'data:audio/mpeg;codecs=mp3;base64,AAAA', 'data:audio/mpeg,%00%00%00'])
    expect(audio(data)).toEqual([{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }] }])
  expect(audio('https://example.com/a.mp3')).toEqual([
    { role: 'user', content: "(Here was a file of type audio/mpeg, which can't be shown to you.)" },
  ])
  expect(audio('https://example.com/a.ogg', 'audio/ogg')).toMatchObject([{ content: [{ type: 'file' }] }])
})

test('what is told in the place of media stands apart from what is said', () => {
  const said = (text: string): Part => ({ type: 'text', text })
  const empty: Part = { type: 'file', mediaType: 'text/csv', data: '', name: 'a.csv' }
  const told = "(Here was a file of type text/csv named a.csv, which can't be shown to you.)"
  expect(encoded({ role: 'user', parts: [said('a'), said('b'), empty, empty, said('c')] })).toEqual([
    { role: 'user', content: `ab\n\n${told}\n\n${told}\n\nc` },
  ])
})

test('a summary is said by the user', () => {
  expect(encoded({ role: 'summary', parts: [{ type: 'text', text: 'so far' }] })).toEqual([{ role: 'user', content: 'so far' }])
})

test('each call is followed by its answer, in call order, and nothing stands between', () => {
  const text: Part = { type: 'text', text: 'I look.' }
  const failed = call(1, {
    settlement: { outcome: 'denied', error: { code: 'ToolDenied', category: 'tool', message: 'No.', retryable: false } },
  })
  expect(encoded(assistant(text, call(0), failed))).toEqual([
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'call_0', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_0', content: 'sunny' },
    { role: 'tool', tool_call_id: 'call_1', content: 'No.' },
  ])
})

test('reasoning, sources and calls that the provider ran itself are not sent', () => {
  const parts: Part[] = [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'yes' },
    { type: 'source', url: 'https://example.com' },
    call(0, { providerExecuted: true }),
  ]
  expect(encoded(assistant(...parts))).toEqual([{ role: 'assistant', content: 'yes' }])
})

test('a message that says nothing there is left out', () => {
  expect(encoded(assistant({ type: 'reasoning', text: 'hm' }))).toEqual([])
  expect(encoded(assistant({ type: 'text', text: ' \n' }))).toEqual([])
  expect(encoded({ role: 'user', parts: [] })).toEqual([])
})

test('images of results are shown by the user after the answers', () => {
  const content: Part[] = [
    { type: 'text', text: 'a map' },
    { type: 'image', mediaType: 'image/png', data: 'AAAA' },
  ]
  const messages = encoded(assistant(call(0, { content }), call(1)))
  expect(messages).toMatchObject([
    { role: 'assistant', content: null },
    { role: 'tool', content: 'a map' },
    { role: 'tool', content: 'sunny' },
    { role: 'user', content: [{ text: 'From the result of weather:' }, { type: 'image_url' }] },
  ])
})

test('B014 an id that an earlier message has used is replaced, in the call and in its answer', () => {
  const [asked, answer] = encoded(assistant(call(0)), new Set(['call_0'])) as [{ tool_calls: { id: string }[] }, { tool_call_id: string }]
  expect(asked.tool_calls[0]?.id).toBe('call_m3_0')
  expect(answer.tool_call_id).toBe('call_m3_0')
})

test('B015 calls of one message that share an id, or have none, get ids of ours', () => {
  for (const ids of [
    ['x', 'x'],
    ['x', undefined],
    ['', 'y'],
  ] as const) {
    const calls = ids.map((id, index) => (id === undefined ? withoutId(call(index)) : call(index, { providerCallId: id })))
    expect(encode(assistant(...calls)).ids).toEqual(['call_m3_0', 'call_m3_1'])
  }
})

function withoutId({ providerCallId: _id, ...rest }: ToolCallPart): ToolCallPart {
  return rest
}

test('B016 an id that the server would not take is replaced', () => {
  for (const providerCallId of ['x'.repeat(65), 'call_x|fc_y', 'ünder'])
    expect(encode(assistant(call(0, { providerCallId }))).ids).toEqual(['call_m3_0'])
})

test('B030 arguments are encoded once, and those that could not be used are an object', () => {
  const odd = call(0, { input: {}, rawInput: '{"half', inputError: 'cut' })
  expect(encoded(assistant(odd))).toMatchObject([{ tool_calls: [{ function: { arguments: '{}' } }] }, {}])
})

test('B048 an empty result is an empty text', () => {
  expect(encoded(assistant(call(0, { settlement: { outcome: 'ok', output: '' } })))).toMatchObject([{}, { role: 'tool', content: '' }])
})

test('B196 lone surrogates never leave', () => {
  const half = '\ud83d'
  const said = json({ role: 'user', parts: [{ type: 'text', text: `a${half}b` }] })
  const result = json(assistant(call(0, { settlement: { outcome: 'ok', output: `x${half}` } })))
  for (const text of [said, result]) {
    expect(text).not.toMatch(/\\ud[89a-f]/i)
    expect(text).toContain('\ufffd')
  }
})
