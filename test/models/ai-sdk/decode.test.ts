import { describe, expect, test } from 'vitest'
import { fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import { finish, heard, mockModel, read, requestOf, text, versions } from './mock.ts'

const scope = 'test.chat/ai-sdk/model-1'

describe.each(versions)('a response of specification %s', (version) => {
  const end = finish(version)
  const calls = finish(version, 'tool-calls')

  test('text, with how it ended, what it took and the id of the response', async () => {
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'resp_1', modelId: 'm', timestamp: new Date(0) },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Hel' },
      { type: 'text-delta', id: '0', delta: 'lo' },
      { type: 'text-end', id: '0' },
      end,
    ]
    const { deltas, finish: finished } = await read(version, parts)
    expect(deltas).toEqual([
      { type: 'text', part: 0, text: 'Hel' },
      { type: 'text', part: 0, text: 'lo' },
    ])
    expect(finished).toEqual({
      finishReason: 'stop',
      rawFinishReason: 'stop',
      usage: { inputTokens: 10, cachedInputTokens: 4, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 2, complete: true },
      requestId: 'resp_1',
    })
  })

  test('pieces of several parts interleave by id, text and reasoning of one id are two, and an id may come again', async () => {
    const { parts } = await read(version, [
      { type: 'reasoning-start', id: '1' },
      { type: 'text-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'hm' },
      { type: 'text-delta', id: '1', delta: 'A' },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '2', delta: 'B' },
      { type: 'text-delta', id: '1', delta: 'a' },
      { type: 'reasoning-delta', id: '1', delta: 'm' },
      { type: 'text-end', id: '1' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'C' },
      // Ends that never come, and a text that never began.
      { type: 'text-delta', id: 'x', delta: 'D' },
      end,
    ])
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hmm', providerData: { [scope]: {} } },
      { type: 'text', text: 'Aa' },
      { type: 'text', text: 'B' },
      { type: 'text', text: 'C' },
      { type: 'text', text: 'D' },
    ])
  })

  test('the last metadata of a part is kept with it, byte for byte; without text too', async () => {
    const signed = (signature: string) => ({ test: { signature, nested: { 'ü"': [1, null, { a: '\u2028' }] } } })
    const { parts } = await read(version, [
      { type: 'reasoning-start', id: 'r', providerMetadata: signed('first') },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: signed('Sig+/=') },
      { type: 'reasoning-end', id: 'r' },
      { type: 'reasoning-start', id: 'q', providerMetadata: { test: { redactedData: 'abc' } } },
      { type: 'reasoning-end', id: 'q' },
      { type: 'text-start', id: 't', providerMetadata: { test: { itemId: 'msg_1' } } },
      { type: 'text-delta', id: 't', delta: 'Hi' },
      { type: 'text-end', id: 't', providerMetadata: { test: { itemId: 'msg_1', phase: 'final' } } },
      { type: 'text-start', id: 'e' },
      { type: 'text-end', id: 'e', providerMetadata: { test: { thoughtSignature: 's' } } },
      // Nothing of it: no part.
      { type: 'text-start', id: 'n' },
      { type: 'text-end', id: 'n' },
      end,
    ])
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm', providerData: { [scope]: { metadata: signed('Sig+/=') } } },
      { type: 'reasoning', text: '', providerData: { [scope]: { metadata: { test: { redactedData: 'abc' } } } } },
      { type: 'text', text: 'Hi', providerData: { [scope]: { metadata: { test: { itemId: 'msg_1', phase: 'final' } } } } },
      { type: 'text', text: '', providerData: { [scope]: { metadata: { test: { thoughtSignature: 's' } } } } },
    ])
  })

  test('calls: in pieces, at once, several that interleave', async () => {
    const {
      deltas,
      parts,
      finish: finished,
    } = await read(version, [
      { type: 'tool-input-start', id: 'a', toolName: 'look' },
      { type: 'tool-input-delta', id: 'a', delta: '{"x"' },
      { type: 'tool-input-start', id: 'b', toolName: 'move', providerMetadata: { test: { early: true } } },
      { type: 'tool-input-delta', id: 'b', delta: '{}' },
      { type: 'tool-input-delta', id: 'a', delta: ':1}' },
      { type: 'tool-input-end', id: 'a' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"x":1}', providerMetadata: { test: { thoughtSignature: 'S' } } },
      { type: 'tool-input-end', id: 'b' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'move', input: '{}' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{"x":3}' },
      { type: 'tool-call', toolCallId: 'd', toolName: 'look', input: '' },
      calls,
    ])
    expect(deltas.filter(({ type }) => type !== 'data')).toEqual([
      { type: 'call', part: 0, providerCallId: 'a', toolName: 'look' },
      { type: 'call-input', part: 0, text: '{"x"' },
      { type: 'call', part: 1, providerCallId: 'b', toolName: 'move' },
      { type: 'call-input', part: 1, text: '{}' },
      { type: 'call-input', part: 0, text: ':1}' },
      { type: 'call', part: 2, providerCallId: 'c', toolName: 'look' },
      { type: 'call-input', part: 2, text: '{"x":3}' },
      { type: 'call', part: 3, providerCallId: 'd', toolName: 'look' },
      { type: 'call-input', part: 3, text: '' },
    ])
    expect(parts).toEqual([
      {
        type: 'tool-call',
        callId: 'm2.0',
        providerCallId: 'a',
        toolName: 'look',
        input: { x: 1 },
        providerData: { [scope]: { metadata: { test: { thoughtSignature: 'S' } } } },
      },
      {
        type: 'tool-call',
        callId: 'm2.1',
        providerCallId: 'b',
        toolName: 'move',
        input: {},
        providerData: { [scope]: { metadata: { test: { early: true } } } },
      },
      { type: 'tool-call', callId: 'm2.2', providerCallId: 'c', toolName: 'look', input: { x: 3 } },
      { type: 'tool-call', callId: 'm2.3', providerCallId: 'd', toolName: 'look', input: {} },
    ])
    expect(finished.finishReason).toBe('tool-calls')
  })

  test('the whole call counts, whatever its pieces were', async () => {
    const { parts } = await read(version, [
      { type: 'tool-input-start', id: 'a', toolName: 'look' },
      { type: 'tool-input-delta', id: 'a', delta: '{"x":' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"x":{"y":1}}' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: { given: 'as a value' } },
      calls,
    ])
    expect(parts).toMatchObject([{ input: { x: { y: 1 } } }, { input: { given: 'as a value' } }])
  })

  test('B015 two calls of one id, or of an empty one, are two; only the first one is named by it', async () => {
    const { parts } = await read(version, [
      { type: 'tool-call', toolCallId: 'same', toolName: 'look', input: '{"x":1}' },
      { type: 'tool-input-start', id: 'same', toolName: 'look' },
      { type: 'tool-input-delta', id: 'same', delta: '{"x":2}' },
      { type: 'tool-call', toolCallId: 'same', toolName: 'look', input: '{"x":2}' },
      { type: 'tool-call', toolCallId: 'same', toolName: 'look', input: '{"x":3}' },
      { type: 'tool-call', toolCallId: '', toolName: 'look', input: '{"x":4}' },
      calls,
    ])
    expect(parts).toEqual([
      { type: 'tool-call', callId: 'm2.0', providerCallId: 'same', toolName: 'look', input: { x: 1 } },
      { type: 'tool-call', callId: 'm2.1', toolName: 'look', input: { x: 2 } },
      { type: 'tool-call', callId: 'm2.2', toolName: 'look', input: { x: 3 } },
      { type: 'tool-call', callId: 'm2.3', toolName: 'look', input: { x: 4 } },
    ])
  })

  test('a call that the provider ran is kept with its result, and nobody runs it; the place of the result is kept too', async () => {
    const { parts } = await read(version, [
      { type: 'tool-input-start', id: 's', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-delta', id: 's', delta: '{"query":"x"}' },
      { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{"query":"x"}', providerExecuted: true },
      { type: 'tool-call', toolCallId: 'f', toolName: 'code', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: 'preview', preliminary: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [{ url: 'u' }], providerMetadata: { test: { k: 1 } } },
      { type: 'tool-result', toolCallId: 'f', toolName: 'code', result: { errorCode: 'unavailable' }, isError: true },
      { type: 'tool-result', toolCallId: 'before', toolName: 'code', result: 'late' },
      ...text('Found.'),
      end,
    ])
    expect(parts).toEqual([
      {
        type: 'tool-call',
        callId: 'm2.0',
        providerCallId: 's',
        toolName: 'web_search',
        input: { query: 'x' },
        providerExecuted: true,
        settlement: { outcome: 'ok', output: [{ url: 'u' }] },
        providerData: { [scope]: {} },
      },
      {
        type: 'tool-call',
        callId: 'm2.1',
        providerCallId: 'f',
        toolName: 'code',
        input: {},
        providerExecuted: true,
        settlement: {
          outcome: 'error',
          error: { code: 'ToolExecutionError', category: 'tool', message: '{"errorCode":"unavailable"}', retryable: false },
        },
        providerData: { [scope]: {} },
      },
      { type: 'text', text: '', providerData: { [scope]: { result: { id: 's', name: 'web_search' }, metadata: { test: { k: 1 } } } } },
      {
        type: 'text',
        text: '',
        providerData: { [scope]: { result: { id: 'f', name: 'code', output: { errorCode: 'unavailable' }, isError: true } } },
      },
      { type: 'text', text: '', providerData: { [scope]: { result: { id: 'before', name: 'code', output: 'late' } } } },
      { type: 'text', text: 'Found.' },
    ])
  })

  test('a call whose result came was run, also where the package did not say so', async () => {
    const { parts } = await read(version, [
      { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{}' },
      { type: 'tool-result', toolCallId: 'a', toolName: 'search', result: 'found' },
      end,
    ])
    expect(parts[0]).toMatchObject({ providerExecuted: true, settlement: { outcome: 'ok', output: 'found' } })
  })

  test('files, in the form of each version, and sources', async () => {
    const file = (data: unknown, url: unknown) =>
      version === 'v4' ? { type: url === undefined ? 'data' : 'url', data, url } : (url ?? data)
    const { parts } = await read(version, [
      { type: 'file', mediaType: 'image/png', data: file('AAAA', undefined), providerMetadata: { test: { s: 1 } } },
      { type: 'file', mediaType: 'audio/wav', data: file(new Uint8Array([0, 255, 16]), undefined) },
      { type: 'file', mediaType: 'image/png', data: file(undefined, new URL('https://example.com/a.png')) },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com', title: 'Example' },
      { type: 'source', sourceType: 'document', id: '2', mediaType: 'application/pdf', title: 'Report', filename: 'r.pdf' },
      end,
    ])
    expect(parts).toEqual([
      { type: 'image', mediaType: 'image/png', data: 'AAAA', providerData: { [scope]: { metadata: { test: { s: 1 } } } } },
      { type: 'file', mediaType: 'audio/wav', data: 'AP8Q', providerData: { [scope]: {} } },
      { type: 'image', mediaType: 'image/png', data: 'https://example.com/a.png', providerData: { [scope]: {} } },
      { type: 'source', url: 'https://example.com', title: 'Example' },
      {
        type: 'text',
        text: '',
        providerData: {
          [scope]: { source: { sourceType: 'document', id: '2', mediaType: 'application/pdf', title: 'Report', filename: 'r.pdf' } },
        },
      },
    ])
  })

  test('what nobody here knows is left out, and told once', async () => {
    const told: string[] = []
    const parts = [{ type: 'hologram' }, { type: 'raw', rawValue: {} }, ...text('ok'), { type: 'hologram' }, end]
    const { message } = await read(version, parts, { onWarning: (message) => told.push(message) })
    expect([message.parts, told]).toEqual([
      [{ type: 'text', text: 'ok' }],
      ['test.chat model-1: a part of type "hologram" was left out: it is not known here'],
    ])
  })

  test.each([
    ['a finish that never came', [...text('Hal')], /ended without its last part/],
    ['nothing at all', [{ type: 'stream-start', warnings: [] }], /answered with nothing/],
    [
      'a finish that tells no reason',
      [...text('Hal'), { ...finish(version, version === 'v2' ? 'unknown' : 'other', null), usage: undefined }],
      /without a finish reason/,
    ],
    ['an error as its reason', [...text('Hal'), finish(version, 'error')], /broke off its response \(finish reason "error"\)/],
    ['a call that only began', [{ type: 'tool-input-start', id: 'a', toolName: 'look' }, calls], /in the middle of a tool call/],
    ['a part that is none', [7], /garbled/],
    ['a call without a name', [{ type: 'tool-call', toolCallId: 'a', input: '{}' }], /garbled: a tool call has no name/],
  ])('is no response with %s: another attempt may do better', async (_, parts, message) => {
    await expect(read(version, parts)).rejects.toMatchObject({
      code: 'ModelServerError',
      retryable: true,
      message: expect.stringMatching(message),
    })
  })

  test('a call that the length cut is handed on as far as it came: nothing of it runs', async () => {
    const { parts, finish: finished } = await read(version, [
      { type: 'tool-input-start', id: 'a', toolName: 'look' },
      { type: 'tool-input-delta', id: 'a', delta: '{"x":"hal' },
      finish(version, 'length'),
    ])
    expect([finished.finishReason, parts]).toMatchObject(['length', [{ input: {}, inputError: expect.stringContaining('cut off') }]])
  })

  test('an approval that a provider asks for is refused in words: nobody could be asked', async () => {
    const parts = [
      { type: 'tool-call', toolCallId: 'a', toolName: 'mcp', input: '{}', providerExecuted: true },
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' },
      calls,
    ]
    await expect(read(version, parts)).rejects.toMatchObject({
      code: 'ModelBadRequest',
      message: expect.stringContaining('needs no approval'),
    })
  })

  test('warnings of a package are told, each once in the life of a model', async () => {
    const told: string[] = []
    const warnings =
      version === 'v2'
        ? [
            { type: 'unsupported-setting', setting: 'seed' },
            { type: 'unsupported-tool', tool: { name: 'look' }, details: 'no tools' },
            { type: 'other', message: 'Careful.' },
          ]
        : [
            { type: 'unsupported', feature: 'seed' },
            { type: 'compatibility', feature: 'strict', details: 'no strict' },
            { type: 'other', message: 'Careful.' },
          ]
    const answer = [{ type: 'stream-start', warnings }, ...text('ok'), end]
    const { model } = mockModel(version, [answer, answer])
    const made = fromAiSdk(model, { onWarning: (message) => told.push(message) })
    for (let n = 0; n < 2; n++) await made.stream(requestOf(), () => {}, { signal: new AbortController().signal, sessionId: 's' })
    expect(told).toEqual(
      version === 'v2'
        ? [
            'test.chat model-1: the setting "seed" is not supported and has no effect',
            'test.chat model-1: the tool "look" is not supported and was left out (no tools)',
            'test.chat model-1: Careful.',
          ]
        : [
            'test.chat model-1: "seed" is not supported and has no effect',
            'test.chat model-1: "strict" works in a compatibility mode (no strict)',
            'test.chat model-1: Careful.',
          ],
    )
  })

  test('stream: false asks for all at once; what is whole needs no reason', async () => {
    const result = {
      content: [
        { type: 'reasoning', text: 'hm', providerMetadata: { test: { signature: 's' } } },
        { type: 'text', text: 'Hi' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"x":1}' },
      ],
      finishReason: version === 'v2' ? 'unknown' : { unified: 'other', raw: undefined },
      usage: version === 'v2' ? { inputTokens: 10 } : (end as { usage: object }).usage,
      warnings: [],
      response: { id: 'resp_2', headers: { 'x-request-id': 'req_1' } },
    }
    const { model } = mockModel(version, [() => result])
    const { parts, finish: finished } = await heard(model, { stream: false })
    expect([parts, finished]).toMatchObject([
      [
        { type: 'reasoning', text: 'hm', providerData: { [scope]: { metadata: { test: { signature: 's' } } } } },
        { type: 'text', text: 'Hi' },
        { type: 'tool-call', toolName: 'look', input: { x: 1 } },
      ],
      { finishReason: 'tool-calls', requestId: 'req_1', usage: { inputTokens: 10 } },
    ])
    expect(finished).not.toHaveProperty('rawFinishReason')
  })
})

test.each([
  ['stop', 'end_turn', 'stop'],
  ['stop', 'pause_turn', 'pause-turn'],
  ['content-filter', 'refusal', 'refusal'],
  ['content-filter', 'SAFETY', 'content-filter'],
  ['length', 'max_tokens', 'length'],
  ['other', 'RECITATION_X', 'other'],
  ['a new word', 'x', 'other'],
] as const)('a finish that is %s, of the provider %s, is %s here, with the word of the provider', async (unified, raw, wanted) => {
  const { finish: finished } = await read('v4', [...text('x'), finish('v4', unified, raw)])
  expect([finished.finishReason, finished.rawFinishReason]).toEqual([wanted, raw])
})

test('specification 2 says `unknown` also of words that it does not know: a response that tells what it took has its end', async () => {
  expect((await read('v2', [...text('x'), finish('v2', 'unknown')])).finish).toMatchObject({
    finishReason: 'other',
    rawFinishReason: 'unknown',
  })
})

test('a prompt that Gemini refuses is refused, and not asked for again', async () => {
  const refused = { ...finish('v4', 'other', null), providerMetadata: { google: { promptFeedback: { blockReason: 'SAFETY' } } } }
  await expect(read('v4', [refused])).rejects.toMatchObject({
    code: 'ModelContentBlocked',
    retryable: false,
    message: expect.stringContaining('SAFETY'),
  })
})

test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'function_call_filter: MALFORMED_FUNCTION_CALL', 'abort'])(
  'B054 a generation that failed with %s is no response',
  async (raw) => {
    await expect(read('v4', [...text('x'), finish('v4', 'other', raw)])).rejects.toMatchObject({
      code: 'ModelServerError',
      retryable: true,
    })
  },
)

describe('usage', () => {
  const usageOf = async (usage: unknown, metadata?: unknown, finishReason: unknown = 'stop') =>
    (await read('v2', [...text('x'), { type: 'finish', finishReason, usage, providerMetadata: metadata }])).finish.usage

  test('what nobody told is unknown and not zero', async () => {
    const unknown = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0, complete: false }
    expect(await usageOf(undefined)).toEqual(unknown)
    expect(await usageOf({ inputTokens: undefined, outputTokens: undefined, totalTokens: undefined })).toEqual(unknown)
    expect(await usageOf({ inputTokens: { total: undefined }, outputTokens: { total: undefined } })).toEqual(unknown)
    expect(await usageOf({ inputTokens: 7, outputTokens: undefined })).toMatchObject({ inputTokens: 7, complete: false })
    expect(await usageOf({ inputTokens: Number.NaN, outputTokens: 3 })).toMatchObject({ outputTokens: 3, complete: false })
  })

  test('of kinds without a total the sum counts', async () => {
    const usage = { inputTokens: { noCache: 3, cacheRead: 4, cacheWrite: 5 }, outputTokens: { text: 1, reasoning: 2 } }
    expect(await usageOf(usage)).toEqual({
      inputTokens: 12,
      cachedInputTokens: 4,
      cacheWriteTokens: 5,
      outputTokens: 3,
      reasoningTokens: 2,
      complete: true,
    })
  })

  test('specification 2: Anthropic and Bedrock count the cache beside the input, Gemini reasoning beside the output', async () => {
    const flat = { inputTokens: 3, outputTokens: 5, totalTokens: 8, cachedInputTokens: 100 }
    expect(await usageOf(flat, { anthropic: { cacheCreationInputTokens: 20 } })).toMatchObject({ inputTokens: 123, cacheWriteTokens: 20 })
    expect(await usageOf(flat, { bedrock: { usage: { cacheWriteInputTokens: 7 } } })).toMatchObject({
      inputTokens: 110,
      cacheWriteTokens: 7,
    })
    const hour = { cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 } }
    const anthropic = { cacheCreationInputTokens: 20, usage: hour }
    expect(await usageOf(flat, { anthropic })).toMatchObject({ cacheWriteTokens: 20, longCacheWriteTokens: 15 })
    const nested = { inputTokens: { total: 30, cacheWrite: 20 }, outputTokens: { total: 1 } }
    expect(await usageOf({ ...nested, raw: hour })).toMatchObject({ cacheWriteTokens: 20, longCacheWriteTokens: 15 })
    const details = [
      { ttl: '5m', inputTokens: 5 },
      { ttl: '1h', inputTokens: 15 },
    ]
    expect(await usageOf({ ...nested, raw: { cacheDetails: details } })).toMatchObject({ longCacheWriteTokens: 15 })
    expect(await usageOf({ ...nested, raw: { cacheDetails: details.slice(0, 1) } })).not.toHaveProperty('longCacheWriteTokens')
    expect(await usageOf({ inputTokens: 3, outputTokens: 5, totalTokens: 18, reasoningTokens: 10 })).toMatchObject({ outputTokens: 15 })
    expect(await usageOf({ inputTokens: 3, outputTokens: 5, totalTokens: 8, reasoningTokens: 4 })).toMatchObject({ outputTokens: 5 })
  })

  test('B120 an input larger than the window was too long, whatever the server says', async () => {
    const parts = [...text('x'), finish('v4')]
    await expect(read('v4', parts, { capabilities: { contextWindow: 9 } })).rejects.toMatchObject({ code: 'ModelContextOverflow' })
  })

  test('B120 a window that is full before the first word is an overflow; what was said before it was full is an answer that was cut', async () => {
    for (const unified of ['length', 'other']) {
      const end = finish('v4', unified, 'model_context_window_exceeded')
      await expect(read('v4', [end])).rejects.toMatchObject({ code: 'ModelContextOverflow' })
      expect(await read('v4', [...text('x'), end])).toMatchObject({ parts: [{ text: 'x' }], finish: { finishReason: 'length' } })
    }
  })
})

test('specification 4: what only the provider knows, and files among the thoughts, are kept and show nothing', async () => {
  const { parts } = await read('v4', [
    { type: 'custom', kind: 'test.compaction', providerMetadata: { test: { item: 1 } } },
    { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
    ...text('Hi'),
    finish('v4'),
  ])
  expect(parts).toEqual([
    { type: 'text', text: '', providerData: { [scope]: { custom: 'test.compaction', metadata: { test: { item: 1 } } } } },
    { type: 'reasoning', text: '', providerData: { [scope]: { thoughtFile: { mediaType: 'image/png', data: 'AAAA' } } } },
    { type: 'text', text: 'Hi' },
  ])
})
