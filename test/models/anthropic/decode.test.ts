import { describe, expect, test } from 'vitest'
import { RondoError } from '../../../src/core/error.ts'
import type { ModelDelta } from '../../../src/core/model.ts'
import { call, closed, ended, messagesResponse, opened, piece, read, scope, start, stop, stream, text } from './support.ts'

const data = (notes: object) => ({ providerData: { [scope]: notes } })

function failure(body: string, type?: string): RondoError {
  try {
    read(body, type)
  } catch (error) {
    if (RondoError.is(error)) return error
    throw error
  }
  throw new Error('it was taken')
}

/** A message that came at once, with these blocks. */
function whole(content: readonly object[], reason = 'end_turn', more: object = {}): string {
  const usage = { input_tokens: 9, output_tokens: 16 }
  return JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: reason, usage, ...more })
}

/** What a stream and the message that it builds both give. */
function both(events: readonly { readonly type: string }[], content: readonly object[], reason = 'end_turn') {
  const streamed = read(stream(start, ...events, ended(reason), stop))
  const atOnce = read(whole(content, reason), 'application/json')
  expect(streamed.message).toEqual(atOnce.message)
  expect(streamed.finish).toEqual(atOnce.finish)
  for (const size of [1, 5, 64]) {
    const cut = read(stream(start, ...events, ended(reason), stop), 'text/event-stream', size)
    expect([cut.message, cut.finish]).toEqual([streamed.message, streamed.finish])
  }
  return streamed
}

describe('text, thinking and calls', () => {
  test('each block is a part, in order, whole or in pieces', () => {
    const { message, finish } = both(
      [
        opened(0, { type: 'thinking', thinking: '', signature: '' }),
        piece(0, { type: 'thinking_delta', thinking: 'Let me ' }),
        piece(0, { type: 'thinking_delta', thinking: 'see.' }),
        piece(0, { type: 'signature_delta', signature: 'c2ln' }),
        closed(0),
        ...text(1, 'I look', ' it up.'),
        ...call(2, 'toolu_1', 'look', '', '{"q":', '"ä"}'),
      ],
      [
        { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' },
        { type: 'text', text: 'I look it up.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { q: 'ä' } },
      ],
      'tool_use',
    )
    expect(message.parts).toEqual([
      { type: 'reasoning', text: 'Let me see.', ...data({ signature: 'c2ln' }) },
      { type: 'text', text: 'I look it up.' },
      { type: 'tool-call', callId: 'm1.0', providerCallId: 'toolu_1', toolName: 'look', input: { q: 'ä' } },
    ])
    expect(finish).toEqual({
      finishReason: 'tool-calls',
      rawFinishReason: 'tool_use',
      usage: { inputTokens: 9, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 16, reasoningTokens: 0, complete: true },
    })
  })

  test('B070 thinking that is redacted, or whose text is left out, keeps what it is known by; without a signature there is nothing to keep', () => {
    const { message } = both(
      [
        opened(0, { type: 'redacted_thinking', data: 'ENC' }),
        closed(0),
        opened(1, { type: 'thinking', thinking: '', signature: '' }),
        piece(1, { type: 'signature_delta', signature: 'AB' }),
        piece(1, { type: 'signature_delta', signature: 'CD' }),
        closed(1),
        opened(2, { type: 'thinking', thinking: '', signature: '' }),
        piece(2, { type: 'thinking_delta', thinking: 'unsigned' }),
        piece(2, { type: 'signature_delta', signature: '' }),
        closed(2),
        ...text(3, 'x'),
      ],
      [
        { type: 'redacted_thinking', data: 'ENC' },
        { type: 'thinking', thinking: '', signature: 'ABCD' },
        { type: 'thinking', thinking: 'unsigned', signature: '' },
        { type: 'text', text: 'x' },
      ],
    )
    expect(message.parts).toEqual([
      { type: 'reasoning', text: '', ...data({ item: { type: 'redacted_thinking', data: 'ENC' } }) },
      { type: 'reasoning', text: '', ...data({ signature: 'ABCD' }) },
      { type: 'reasoning', text: 'unsigned' },
      { type: 'text', text: 'x' },
    ])
  })

  test('arguments that never came are none, those that came with the beginning are taken, and what is no JSON is seen to be unusable', () => {
    const { message } = read(
      stream(
        start,
        ...call(0, 'a', 'one'),
        opened(1, { type: 'tool_use', id: 'b', name: 'two', input: { x: 1 }, caller: { type: 'direct' } }),
        closed(1),
        ...call(2, 'c', 'three', '{"text":"half'),
        ended('max_tokens'),
        stop,
      ),
    )
    expect(message.parts).toMatchObject([{ input: {} }, { input: { x: 1 } }, { input: {}, rawInput: '{"text":"half' }])
    expect(message.parts.map((part) => 'providerData' in part)).toEqual([false, false, false])
  })

  test('blocks whose pieces interleave stay apart; a block that was never opened is told by its pieces', () => {
    const { message } = read(
      stream(
        start,
        opened(0, { type: 'text', text: '' }),
        opened(1, { type: 'tool_use', id: 'a', name: 'one', input: {} }),
        piece(1, { type: 'input_json_delta', partial_json: '{"a"' }),
        piece(0, { type: 'text_delta', text: 'x' }),
        piece(1, { type: 'input_json_delta', partial_json: ':1}' }),
        piece(0, { type: 'text_delta', text: 'y' }),
        closed(1),
        closed(0),
        piece(7, { type: 'text_delta', text: 'z' }),
        ended('tool_use'),
        stop,
      ),
    )
    expect(message.parts).toMatchObject([
      { type: 'text', text: 'xy' },
      { toolName: 'one', input: { a: 1 } },
      { type: 'text', text: 'z' },
    ])
  })

  test('a message may begin with blocks, and end without a further event', () => {
    const content = [
      { type: 'tool_use', id: 'a', name: 'roll', input: { n: 2 }, caller: { type: 'code_execution_20250825', tool_id: 'srv_1' } },
    ]
    const container = { id: 'container_1', expires_at: '2030-01-01T00:00:00Z' }
    const first = { type: 'message_start', message: { ...start.message, content, stop_reason: 'tool_use', container } }
    const { message, finish } = read(stream(first, stop))
    expect(message.parts).toMatchObject([{ toolName: 'roll', input: { n: 2 }, ...data({ caller: content[0]?.caller, container }) }])
    expect(finish).toMatchObject({ finishReason: 'tool-calls', usage: { inputTokens: 9 } })
  })

  test('a start that comes twice changes nothing; one of another message in the middle breaks the answer off, and no half call runs', () => {
    const cut = [
      opened(0, { type: 'tool_use', id: 'a', name: 'pay', input: {} }),
      piece(0, { type: 'input_json_delta', partial_json: '{"x' }),
    ]
    const other = { ...start, message: { ...start.message, id: 'msg_2' } }
    expect(read(stream(start, start, ...text(0, 'a'), start, ...text(1, 'b'), ended('end_turn'), stop)).message.parts).toMatchObject([
      { text: 'a' },
      { text: 'b' },
    ])
    expect(read(stream(start, other, ...text(0, 'a'), ended('end_turn'), stop)).message.parts).toMatchObject([{ text: 'a' }])
    const late = read(stream(...text(0, 'a'), start, ...text(1, 'b'), ended('end_turn'), stop))
    expect(late.message.parts).toMatchObject([{ text: 'a' }, { text: 'b' }])
    expect(late.finish.usage).toEqual(read(stream(start, ...text(0, 'a'), ended('end_turn'), stop)).finish.usage)
    expect(() => read(stream(...text(0, 'a'), start, other, ended('end_turn'), stop))).toThrow('another message begins')
    expect(() => read(stream(start, ...cut, other, ...text(0, 'b'), ended('end_turn'), stop))).toThrow(
      expect.objectContaining({ code: 'ModelServerError', retryable: true, message: expect.stringContaining('another message begins') }),
    )
  })

  test('pings, events without data, unknown events and what follows the end change nothing', () => {
    const events = stream(
      start,
      { type: 'ping' },
      ...text(0, 'a'),
      { type: 'something_new', x: 1 },
      ended('end_turn'),
      stop,
      ...text(1, 'b'),
    )
    const { message } = read(`event: ping\ndata:\n\n: a comment\n\n${events}event: data\ndata: [DONE]\n\n`)
    expect(message.parts).toEqual([{ type: 'text', text: 'a' }])
  })
})

describe('what the provider runs', () => {
  const use = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'news' } }
  const found = { type: 'web_search_result', url: 'https://a.test/1', title: 'One', encrypted_content: 'SECRET', page_age: null }
  const result = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [found] }
  const citation = { type: 'web_search_result_location', url: 'https://a.test/1', title: 'One', cited_text: 'so', encrypted_index: 'IDX' }
  const again = { ...citation, cited_text: 'and so' }
  const page = { type: 'char_location', document_index: 0, document_title: 'Doc', cited_text: 'x', start_char_index: 0, end_char_index: 1 }

  test('a call, its result, and what was cited: shown, and kept as they came', () => {
    const { message } = both(
      [
        opened(0, { ...use, input: {} }),
        piece(0, { type: 'input_json_delta', partial_json: '{"query":' }),
        piece(0, { type: 'input_json_delta', partial_json: '"news"}' }),
        closed(0),
        opened(1, result),
        closed(1),
        opened(2, { type: 'text', text: '', citations: [] }),
        piece(2, { type: 'citations_delta', citation }),
        piece(2, { type: 'text_delta', text: 'It is so.' }),
        piece(2, { type: 'citations_delta', citation: again }),
        piece(2, { type: 'citations_delta', citation: page }),
        closed(2),
      ],
      [use, result, { type: 'text', text: 'It is so.', citations: [citation, again, page] }],
    )
    const output = [{ type: 'web_search_result', url: 'https://a.test/1', title: 'One', page_age: null }]
    expect(message.parts).toEqual([
      {
        type: 'tool-call',
        callId: 'm1.0',
        providerCallId: 'srv_1',
        toolName: 'web_search',
        input: { query: 'news' },
        providerExecuted: true,
        settlement: { outcome: 'ok', output },
        ...data({ item: use }),
      },
      { type: 'text', text: '', ...data({ item: result }) },
      { type: 'text', text: 'It is so.', ...data({ citations: [citation, again, page] }) },
      { type: 'source', url: 'https://a.test/1', title: 'One' },
    ])
  })

  test.each([
    [{ ...result, content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } }, 'max_uses_exceeded'],
    [{ type: 'mcp_tool_result', tool_use_id: 'srv_1', is_error: true, content: [{ type: 'text', text: 'no such repo' }] }, 'no such repo'],
  ])('a call that failed has settled so (%#)', (failed, why) => {
    const { message } = read(whole([use, failed]), 'application/json')
    expect(message.parts[0]).toMatchObject({
      settlement: { outcome: 'error', error: { code: 'ToolExecutionError', message: expect.stringContaining(why) } },
    })
  })

  test('a result in base64 is not told twice', () => {
    const fetched = {
      type: 'web_fetch_result',
      url: 'u',
      content: { type: 'document', source: { type: 'base64', media_type: 'x/y', data: 'AAAA' } },
    }
    const { message } = read(whole([use, { type: 'web_fetch_tool_result', tool_use_id: 'srv_1', content: fetched }]), 'application/json')
    const source = { type: 'base64', media_type: 'x/y' }
    expect(message.parts[0]).toMatchObject({ settlement: { output: { ...fetched, content: { type: 'document', source } } } })
    expect(JSON.stringify(message).split('AAAA')).toHaveLength(2)
  })

  test('B055 an answer that pauses says so where the next request looks, and its open call is nobody’s to run', () => {
    const { message, finish } = both(
      [...text(0, 'I search.'), opened(1, use), closed(1)],
      [{ type: 'text', text: 'I search.' }, use],
      'pause_turn',
    )
    expect(finish.finishReason).toBe('pause-turn')
    expect(message.parts[1]).toMatchObject({ providerExecuted: true, ...data({ item: use, paused: true }) })
    expect(message.parts[1]).not.toHaveProperty('settlement')
  })

  test('blocks that nobody here knows stay in their place, whatever their pieces are called', () => {
    const fallback = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }
    const unknown = { type: 'hologram', depth: 3, notes: 'ab', __proto__: null }
    const { message } = both(
      [
        opened(0, { type: 'compaction', content: null }),
        piece(0, { type: 'compaction_delta', content: 'sum ' }),
        piece(0, { type: 'compaction_delta', content: 'up' }),
        closed(0),
        opened(1, fallback),
        closed(1),
        opened(2, { type: 'hologram', depth: 3, notes: 'a' }),
        piece(2, { type: 'hologram_delta', notes: 'b' }),
        closed(2),
        ...text(3, 'x'),
      ],
      [{ type: 'compaction', content: 'sum up' }, fallback, unknown, { type: 'text', text: 'x' }],
    )
    expect(message.parts).toEqual([
      { type: 'text', text: '', ...data({ item: { type: 'compaction', content: 'sum up' } }) },
      { type: 'text', text: '', ...data({ item: fallback }) },
      { type: 'text', text: '', ...data({ item: { type: 'hologram', depth: 3, notes: 'ab' } }) },
      { type: 'text', text: 'x' },
    ])
  })
})

describe('the end', () => {
  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool-calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'pause-turn'],
    ['compaction', 'pause-turn'],
    ['refusal', 'refusal'],
    ['something_new', 'other'],
  ])('B054 B057 %s is %s', (reason, finishReason) => {
    const { finish } = both(text(0, 'x'), [{ type: 'text', text: 'x' }], reason)
    expect([finish.finishReason, finish.rawFinishReason]).toEqual([finishReason, reason])
  })

  test.each(['error', 'abort'])('B054 of an answer that ends with "%s" nothing is used: it broke off, and may be tried again', (reason) => {
    const error = failure(stream(start, ...text(0, 'x'), ended(reason, { output_tokens: 1 }), stop))
    expect(error).toMatchObject({ code: 'ModelServerError', retryable: true })
    expect(error.message).toContain(`broke off its response (finish reason "${reason}")`)
  })

  test('B057 a refusal without a word is one', () => {
    const refused = {
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } },
      usage: { output_tokens: 5 },
    }
    expect(read(stream(start, refused, stop))).toMatchObject({ message: { parts: [] }, finish: { finishReason: 'refusal' } })
  })

  test('B120 a window that is full before the first word is an overflow', () => {
    const error = failure(stream(start, ended('model_context_window_exceeded', { output_tokens: 0 }), stop))
    expect(error.code).toBe('ModelContextOverflow')
  })

  test('what tools of the provider took may be over the window: that is no overflow', () => {
    const { finish } = read(
      stream(start, ...text(0, 'x'), ended('end_turn', { input_tokens: 401_468, output_tokens: 1 }), stop),
      undefined,
      1_000,
      {
        contextWindow: 200_000,
      },
    )
    expect(finish.usage.inputTokens).toBe(401_468)
  })

  test('B099 later numbers replace earlier ones, field by field, and cached ones are part of the input', () => {
    const first = {
      type: 'message_start',
      message: {
        ...start.message,
        usage: { input_tokens: 9, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: 1, server_tool_use: null },
      },
    }
    const last = {
      input_tokens: 9,
      cache_read_input_tokens: 100,
      output_tokens: 16,
      output_tokens_details: { thinking_tokens: 7 },
      cost: 0.5,
    }
    expect(read(stream(first, ...text(0, 'x'), ended('end_turn', last), stop)).finish.usage).toEqual({
      inputTokens: 129,
      cachedInputTokens: 100,
      cacheWriteTokens: 20,
      outputTokens: 16,
      reasoningTokens: 7,
      costUsd: 0.5,
      complete: true,
    })
  })

  test('what was written to the cache is told by how long it is kept, when not as a sum', () => {
    const cache_creation = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 }
    const { finish } = read(stream(start, ...text(0, 'x'), ended('end_turn', { cache_creation, output_tokens: 2 }), stop))
    expect(finish.usage).toMatchObject({ inputTokens: 16, cacheWriteTokens: 7, longCacheWriteTokens: 4 })
  })

  test('what nobody told is not zero', () => {
    const bare = { type: 'message_start', message: { ...start.message, usage: undefined } }
    expect(read(stream(bare, ...text(0, 'x'), ended('end_turn', {}), stop)).finish.usage.complete).toBe(false)
  })

  test('the last event may be missing once the reason was told (B095), and may lack its end', () => {
    const body = stream(start, ...text(0, 'x'), ended('end_turn'))
    for (const end of [body, body.trimEnd(), `${body}data: [DONE]\n\n`]) expect(read(end).finish.finishReason).toBe('stop')
  })

  test.each([
    ['nothing', '', /nothing/],
    ['a beginning', stream(start), /without its last event/],
    ['text', stream(start, ...text(0, 'half')), /without its last event/],
    ['half of a call', stream(start, ...call(0, 'a', 'pay', '{"cents":').slice(0, -1)), /arguments of a tool call/],
  ])('B085 B088 a stream that ends after %s is no answer', (_what, body, message) => {
    expect(failure(body)).toMatchObject({ code: 'ModelServerError', retryable: true, message: expect.stringMatching(message) })
  })
})

describe('errors in an answer', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

  test.each([
    [overloaded, 'ModelServerError', true],
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }, 'ModelRateLimited', true],
    [
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 5 tokens > 4 maximum' } },
      'ModelContextOverflow',
      false,
    ],
    [{ type: 'error', error: { type: 'invalid_request_error', message: 'bad' } }, 'ModelBadRequest', false],
    [{ type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }, 'ModelAuthError', false],
    [{ type: 'error', error: { type: 'billing_error', message: 'no money' } }, 'ModelQuotaExceeded', false],
    [{ type: 'error', error: { type: 'timeout_error', message: 'late' } }, 'ModelTimeout', true],
  ])('B084 B107 %j', (error, code, retryable) => {
    for (const body of [stream(error), stream(start, ...text(0, 'x'), error)]) expect(failure(body)).toMatchObject({ code, retryable })
    expect(failure(JSON.stringify(error), 'application/json')).toMatchObject({ code, retryable })
  })

  test('what came before it was said', () => {
    const said: ModelDelta[] = []
    const response = messagesResponse({}, (delta) => void said.push(delta))
    response.head({ status: 200, header: () => 'text/event-stream' })
    const bytes = new TextEncoder().encode(stream(start, ...text(0, 'before'), overloaded))
    expect(() => response.chunk(bytes)).toThrow(expect.objectContaining({ code: 'ModelServerError', retryable: true }))
    expect(said).toEqual([{ type: 'text', part: 0, text: 'before' }])
  })

  test('an event that is no JSON, or belongs to nothing, is garbled', () => {
    for (const body of [
      'event: content_block_delta\ndata: {"type":\n\n',
      stream(start, piece(3, { type: 'input_json_delta', partial_json: '{' })),
      stream(start, opened(0, { type: 'tool_use', id: 'a', input: {} })),
      'data: []\n\n',
    ])
      expect(failure(body)).toMatchObject({ code: 'ModelServerError', message: expect.stringContaining('garbled') })
  })

  test('a body that is no message is no answer of this API', () => {
    expect(failure('{"choices":[]}', 'application/json')).toMatchObject({
      code: 'ModelUnknownError',
      message: expect.stringContaining('Messages API'),
    })
  })
})
