import { crc32 } from 'node:zlib'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic as anthropicV4 } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createAnthropic as anthropicV2 } from 'ai-sdk-v2-anthropic'
import { createAnthropic as anthropicV3 } from 'ai-sdk-v3-anthropic'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Message, textOf } from '../../../src/core/message.ts'
import { Agent, content, memory, tool } from '../../../src/index.ts'
import { fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import type { AiSdkLanguageModel } from '../../../src/models/ai-sdk/spec.ts'
import { openaiCompatible } from '../../../src/models/openai/index.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import { type Answer, fakeServer } from '../../setup/http-server.ts'
import { heard, requestOf } from './mock.ts'

// The real packages of other APIs, against servers that send what those APIs send: what must go back to them goes back as it came, through the journal.

const look = tool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) =>
    content([
      { type: 'text', text: `saw ${at}` },
      { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    ]),
})

type Event = { readonly type?: string; readonly [field: string]: unknown }

function sse(events: readonly Event[]): Answer {
  const body = events
    .map((event) => `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`)
    .join('')
  return { headers: { 'content-type': 'text/event-stream', 'request-id': 'req_7' }, body }
}

/** Two runs of one session on a server that gives these answers; the second one in an agent of its own, as after a restart. */
async function session(answers: readonly Answer[], modelAt: (url: string) => AiSdkLanguageModel, settings = {}) {
  await using server = await fakeServer(answers)
  const store = memory()
  const agent = () => new Agent({ model: fromAiSdk(modelAt(server.url)), instructions: 'Be brief.', tools: [look], store, settings })
  const first = await agent().run('go', { throwOnError: false })
  const second = await agent().run('and?', { session: first.sessionId, throwOnError: false })
  return { first, second, bodies: server.requests.map(({ body }) => JSON.parse(body.toString())), store, requests: server.requests }
}

const block = (index: number, value: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block: value },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const anthropicTurn = (stop: string, ...blocks: Event[][]) =>
  sse([
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude',
        content: [],
        usage: { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1 },
      },
    },
    ...blocks.flat(),
    { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ])
const anthropicText = (said: string) => block(0, { type: 'text', text: '' }, { type: 'text_delta', text: said })

describe.each([
  ['2', (url: string) => anthropicV2({ baseURL: `${url}/v1`, apiKey: 'key' })('claude-sonnet-4-5')],
  ['3', (url: string) => anthropicV3({ baseURL: `${url}/v1`, apiKey: 'key' })('claude-sonnet-4-5')],
  ['4', (url: string) => anthropicV4({ baseURL: `${url}/v1`, apiKey: 'key' })('claude-sonnet-4-5')],
] as const)('@ai-sdk/anthropic, specification %s', (_, modelAt) => {
  const thinking = [
    { type: 'thinking', thinking: 'Let me look.', signature: 'Sig+/nature==' },
    { type: 'redacted_thinking', data: 'Redacted+/data==' },
  ]
  const turn = anthropicTurn(
    'tool_use',
    block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Let me ' },
      { type: 'thinking_delta', thinking: 'look.' },
      { type: 'signature_delta', signature: 'Sig+/nature==' },
    ),
    block(1, thinking[1] ?? {}),
    block(
      2,
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
      { type: 'input_json_delta', partial_json: '{"at":' },
      { type: 'input_json_delta', partial_json: '"left"}' },
    ),
    block(3, { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} }, { type: 'input_json_delta', partial_json: '{"at":"right"}' }),
  )
  const settings = { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } }, maxOutputTokens: 2000 }

  test('B070 B193 thinking with its signature and redacted thinking go back as they came; all results in one message, images inside', async () => {
    const { first, second, bodies } = await session(
      [turn, anthropicTurn('end_turn', anthropicText('Done.')), anthropicTurn('end_turn', anthropicText('Yes.'))],
      modelAt,
      settings,
    )
    expect([first.text, second.text]).toEqual(['Done.', 'Yes.'])
    expect(first.usage).toMatchObject({ inputTokens: 246, cachedInputTokens: 200, cacheWriteTokens: 40, outputTokens: 18, complete: true })
    const result = (id: string, at: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [
        { type: 'text', text: `saw ${at}` },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      ],
    })
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          ...thinking,
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'left' } },
          { type: 'tool_use', id: 'toolu_2', name: 'look', input: { at: 'right' } },
        ],
      },
      { role: 'user', content: [result('toolu_1', 'left'), result('toolu_2', 'right')] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
    ]
    expect(bodies[0]).toMatchObject({ system: [{ type: 'text', text: 'Be brief.' }], thinking: { type: 'enabled', budget_tokens: 1024 } })
    expect(bodies[1].messages).toEqual(messages.slice(0, 3))
    expect(bodies[2].messages).toEqual(messages)
  })

  test('a search that the provider ran goes back with its result, in its place', async () => {
    const found = [
      { type: 'web_search_result', url: 'https://example.com', title: 'Example', encrypted_content: 'Enc+/==', page_age: null },
    ]
    const answer = anthropicTurn(
      'end_turn',
      block(
        0,
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{"query":"x"}' },
      ),
      block(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: found }),
      block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Found.' }),
    )
    await using server = await fakeServer([answer, anthropicTurn('end_turn', anthropicText('Yes.'))])
    const search = {
      provider: 'anthropic',
      providerTool: { id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 2 } },
    }
    const said = (words: string): Message => ({ role: 'user', parts: [{ type: 'text', text: words }] })
    const ask = (...messages: Message[]) => heard(modelAt(server.url), {}, requestOf({ tools: [search], messages }))
    const first = await ask(said('find x'))
    await ask(said('find x'), JSON.parse(JSON.stringify(first.message)), said('and?'))
    const bodies = server.requests.map(({ body }) => JSON.parse(body.toString()))
    expect(textOf(first.message)).toBe('Found.')
    expect(bodies[0].tools).toMatchObject([{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }])
    expect(bodies[1].messages[1].content).toMatchObject([
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: found.map(({ page_age: _page, ...rest }) => rest) },
      { type: 'text', text: 'Found.' },
    ])
  })

  test('an error in the stream is told by its kind', async () => {
    const broken = sse([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }])
    await using server = await fakeServer([broken, anthropicTurn('end_turn', anthropicText('Fine.'))])
    const result = await new Agent({ model: fromAiSdk(modelAt(server.url)), policies: { retry: { baseMs: 1, capMs: 1 } } }).run('go')
    expect([result.text, server.requests.length]).toEqual(['Fine.', 2])
  })

  test('B088 a stream that ends before its end is no answer', async () => {
    const whole = anthropicTurn('end_turn', anthropicText('Half of it'))
    const cut = { ...whole, body: String(whole.body).split('event: message_delta')[0] ?? '' }
    await using server = await fakeServer([cut, anthropicTurn('end_turn', anthropicText('Whole.'))])
    const result = await new Agent({ model: fromAiSdk(modelAt(server.url)), policies: { retry: { baseMs: 1, capMs: 1 } } }).run('go')
    expect([result.text, server.requests.length]).toEqual(['Whole.', 2])
  })

  test('the same session goes on with an adapter of ours, and back: thoughts stay with whom they are of', async () => {
    await using anthropic = await fakeServer([
      turn,
      anthropicTurn('end_turn', anthropicText('Done.')),
      anthropicTurn('end_turn', anthropicText('Back.')),
    ])
    await using openai = await fakeOpenAIChat(['Between.'])
    const agent = new Agent({ model: fromAiSdk(modelAt(anthropic.url)), tools: [look], settings })
    const first = await agent.run('go')
    const other = await agent.run('you?', {
      session: first.sessionId,
      model: openaiCompatible({ baseURL: openai.url })('other'),
      settings: {},
    })
    const back = await agent.run('and?', { session: first.sessionId })
    expect([other.text, back.text, openai.violations]).toEqual(['Between.', 'Back.', []])
    expect(JSON.stringify(openai.requests[0]?.body)).not.toMatch(/Sig|Redacted|Let me look/)
    const { messages } = JSON.parse(anthropic.requests[2]?.body.toString() ?? '')
    expect(messages[1].content.slice(0, 2)).toEqual(thinking)
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
  })
})

describe('@ai-sdk/google', () => {
  const modelAt = (url: string) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: 'key' })('gemini-3-pro-preview')
  const chunk = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4, thoughtsTokenCount: 6, totalTokenCount: 20 },
  })

  test('B013 B065 B066 thought signatures go back on the parts that had them, and on no others; all results in one content', async () => {
    const turn = sse([
      chunk([{ text: 'Hm.', thought: true }]),
      chunk([{ functionCall: { name: 'look', args: { at: 'left' } }, thoughtSignature: 'Sig+/A==' }]),
      chunk([{ functionCall: { name: 'look', args: { at: 'right' } } }], 'STOP'),
    ])
    const { first, second, bodies } = await session(
      [turn, sse([chunk([{ text: 'Done.', thoughtSignature: 'Sig+/B==' }], 'STOP')]), sse([chunk([{ text: 'Yes.' }], 'STOP')])],
      modelAt,
    )
    expect([first.text, second.text]).toEqual(['Done.', 'Yes.'])
    expect(first.usage).toMatchObject({ inputTokens: 20, outputTokens: 20, reasoningTokens: 12, complete: true })
    const [, model, results, done] = bodies[2].contents
    const calls = model.parts.filter((part: object) => 'functionCall' in part)
    expect(calls).toMatchObject([
      { functionCall: { args: { at: 'left' } }, thoughtSignature: 'Sig+/A==' },
      { functionCall: { args: { at: 'right' } } },
    ])
    expect(calls[1]).not.toHaveProperty('thoughtSignature')
    expect(results.parts.filter((part: object) => 'functionResponse' in part)).toHaveLength(2)
    expect(done.parts).toEqual([{ text: 'Done.', thoughtSignature: 'Sig+/B==' }])
  })

  test('B054 a malformed call is no answer', async () => {
    const malformed = sse([chunk([], 'MALFORMED_FUNCTION_CALL')])
    await using server = await fakeServer([malformed, sse([chunk([{ text: 'Fine.' }], 'STOP')])])
    const result = await new Agent({ model: fromAiSdk(modelAt(server.url)), policies: { retry: { baseMs: 1, capMs: 1 } } }).run('go')
    expect([result.text, server.requests.length]).toEqual(['Fine.', 2])
  })
})

describe('@ai-sdk/amazon-bedrock', () => {
  const modelAt = (url: string) =>
    createAmazonBedrock({ baseURL: url, region: 'us-east-1', apiKey: 'key' })('anthropic.claude-sonnet-4-5-v1:0')

  /** AWS event stream encoding: lengths, headers, payload, each half with its CRC-32. */
  function frame(type: string, payload: object, kind: 'event' | 'exception' = 'event'): Buffer {
    const header = (name: string, value: string) =>
      Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7, value.length >> 8, value.length & 255]),
        Buffer.from(value),
      ])
    const headers = Buffer.concat([
      header(`:${kind}-type`, type),
      header(':content-type', 'application/json'),
      header(':message-type', kind),
    ])
    const body = Buffer.from(JSON.stringify(payload))
    const prelude = Buffer.alloc(8)
    prelude.writeUInt32BE(16 + headers.length + body.length, 0)
    prelude.writeUInt32BE(headers.length, 4)
    const crc = (bytes: Buffer) => {
      const sum = Buffer.alloc(4)
      sum.writeUInt32BE(crc32(bytes))
      return sum
    }
    const head = Buffer.concat([prelude, crc(prelude), headers, body])
    return Buffer.concat([head, crc(head)])
  }
  const converse = (stopReason: string, ...events: readonly (readonly [string, object])[]): Answer => ({
    headers: { 'content-type': 'application/vnd.amazon.eventstream', 'x-amzn-requestid': 'aws-1' },
    body: Buffer.concat(
      [
        ['messageStart', { role: 'assistant' }] as const,
        ...events,
        ['messageStop', { stopReason }] as const,
        [
          'metadata',
          { usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12, cacheReadInputTokens: 2 }, metrics: { latencyMs: 1 } },
        ] as const,
      ].map(([type, payload]) => frame(type, payload)),
    ),
  })
  const delta = (contentBlockIndex: number, value: object) => ['contentBlockDelta', { contentBlockIndex, delta: value }] as const
  const stop = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }] as const

  test('reasoning with its signature, a call with an image in its result, and the text after it', async () => {
    const turn = converse(
      'tool_use',
      delta(0, { reasoningContent: { text: 'Hm.' } }),
      delta(0, { reasoningContent: { signature: 'Sig+/==' } }),
      stop(0),
      ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'tooluse_1', name: 'look' } } }],
      delta(1, { toolUse: { input: '{"at":"left"}' } }),
      stop(1),
    )
    const said = (words: string) => converse('end_turn', delta(0, { text: words }), stop(0))
    const { first, second, bodies } = await session([turn, said('Done.'), said('Yes.')], modelAt)
    expect([first.text, second.text]).toEqual(['Done.', 'Yes.'])
    expect(first.usage).toMatchObject({ outputTokens: 14, complete: true })
    expect(bodies[2].messages).toMatchObject([
      { role: 'user', content: [{ text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'Sig+/==' } } },
          { toolUse: { toolUseId: 'tooluse_1', name: 'look', input: { at: 'left' } } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            toolResult: {
              toolUseId: 'tooluse_1',
              content: [{ text: 'saw left' }, { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }],
            },
          },
        ],
      },
      { role: 'assistant', content: [{ text: 'Done.' }] },
      { role: 'user', content: [{ text: 'and?' }] },
    ])
  })

  test.each([
    ['throttlingException', 'Too many tokens, please wait before trying again.', { code: 'ModelRateLimited', retryable: true }],
    ['modelStreamErrorException', 'The model broke off.', { code: 'ModelServerError', retryable: true }],
    ['internalServerException', 'Sorry.', { code: 'ModelServerError', retryable: true }],
    ['serviceUnavailableException', 'Later.', { code: 'ModelServerError', retryable: true }],
    ['validationException', 'Input is too long for requested model.', { code: 'ModelContextOverflow', retryable: false }],
    ['validationException', 'The field is wrong.', { code: 'ModelBadRequest', retryable: false }],
  ])('B115 an exception in the stream is told by its kind: %s (%s)', async (type, message, wanted) => {
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
    const body = Buffer.concat([
      frame('messageStart', { role: 'assistant' }),
      frame(...delta(0, { text: 'Hal' })),
      frame(type, { message }, 'exception'),
    ])
    await using server = await fakeServer([{ headers, body }])
    await expect(heard(modelAt(server.url))).rejects.toMatchObject(wanted)
  })

  test.each([
    [429, 'ThrottlingException', 'Too many tokens, please wait before trying again.', { code: 'ModelRateLimited', retryable: true }],
    [424, 'ModelErrorException', 'The model failed.', { code: 'ModelServerError', retryable: true }],
    [503, 'ServiceUnavailableException', 'Later.', { code: 'ModelServerError', retryable: true }],
    [400, 'ValidationException', 'Input is too long for requested model.', { code: 'ModelContextOverflow', retryable: false }],
    [403, 'AccessDeniedException', 'You don’t have access to the model.', { code: 'ModelAuthError', retryable: false }],
  ])('B115 so is an answer of status %i (%s)', async (status, type, message, wanted) => {
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': type }
    await using server = await fakeServer([{ status, headers, body: JSON.stringify({ message }) }])
    await expect(heard(modelAt(server.url))).rejects.toMatchObject(wanted)
  })
})

describe('@ai-sdk/openai (responses)', () => {
  const modelAt = (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' })('gpt-5')
  const settings = { providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } } }
  const response = (...items: readonly (readonly Event[])[]) =>
    sse([
      {
        type: 'response.created',
        response: { id: 'resp_1', object: 'response', created_at: 1, status: 'in_progress', model: 'gpt-5', output: [] },
      },
      ...items.flat(),
      {
        type: 'response.completed',
        response: {
          id: 'resp_1',
          object: 'response',
          created_at: 1,
          status: 'completed',
          model: 'gpt-5',
          output: [],
          usage: { input_tokens: 5, output_tokens: 7, output_tokens_details: { reasoning_tokens: 3 } },
        },
      },
    ])
  const item = (output_index: number, added: object, done: object, ...between: object[]): Event[] => [
    { type: 'response.output_item.added', output_index, item: added },
    ...between.map((event) => ({ output_index, ...event })),
    { type: 'response.output_item.done', output_index, item: done },
  ]
  const message = (words: string) => {
    const done = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: words, annotations: [] }],
    }
    return item(0, { ...done, status: 'in_progress', content: [] }, done, {
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      content_index: 0,
      delta: words,
    })
  }

  test('encrypted reasoning goes back before the call that it was for, and results with images as the API has them', async () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"at":"left"}', status: 'completed' }
    const turn = response(
      item(0, { type: 'reasoning', id: 'rs_1', summary: [] }, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'Enc+/==' }),
      item(1, { ...call, arguments: '', status: 'in_progress' }, call, {
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        delta: '{"at":"left"}',
      }),
    )
    const { first, second, bodies } = await session([turn, response(message('Done.')), response(message('Yes.'))], modelAt, settings)
    expect([first.text, second.text]).toEqual(['Done.', 'Yes.'])
    expect(bodies[2].input.slice(2)).toMatchObject([
      { type: 'reasoning', encrypted_content: 'Enc+/==', summary: [] },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"left"}' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'saw left' }, { type: 'input_image' }] },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: [{ type: 'input_text', text: 'and?' }] },
    ])
  })
})
