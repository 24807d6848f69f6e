import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent, type Message, RondoError, tool } from '../../../src/index.ts'
import { openaiChat, openaiCompatible } from '../../../src/models/openai/index.ts'
import { type ChatOptions, fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import type { ChatQuirks } from '../../../src/testing/fake/chat/quirks.ts'
import type { FakeScript } from '../../../src/testing/fake/server.ts'
import { fakeServer } from '../../setup/http-server.ts'

/** Runs a task against a server with these replies; the tool notes what it was called with. */
async function played(
  script: FakeScript<ChatQuirks>,
  setting: { server?: ChatOptions; stream?: boolean; input?: string | Message[] } = {},
) {
  await using server = await fakeOpenAIChat(script, setting.server)
  const ran: unknown[] = []
  const note = tool({
    name: 'note',
    description: 'Notes a text.',
    effect: 'read',
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => {
      ran.push(text)
      return `noted ${text}`
    },
  })
  const model = openaiCompatible({ baseURL: server.url, stream: setting.stream ?? true })('fake')
  const agent = new Agent({ model, tools: [note], policies: { retry: { baseMs: 1, capMs: 1 } } })
  const result = await agent.run((setting.input ?? 'go') as string, { throwOnError: false })
  return { result, ran, requests: server.requests, violations: server.violations }
}

const call = (text: string) => ({ name: 'note', input: { text } })

describe('calls that a limit cut', () => {
  test.each(['length', 'stop', 'tool_calls'])(
    'B031 B032 arguments that end early are not run, whatever the finish reason (%s) says',
    async (finish) => {
      const { ran, result, requests } = await played([{ calls: [{ name: 'note', rawInput: '{"text":"half' }], finish }, 'sorry'])
      expect([ran, result.calls.map(({ outcome }) => outcome)]).toEqual([[], [finish === 'length' ? 'truncated' : 'invalid']])
      expect(JSON.stringify(requests[1]?.body)).toMatch(/cut|limit/)
    },
  )

  test('B033 of a cut response nothing runs, and no bracket is added', async () => {
    const calls = [call('whole'), { name: 'note', rawInput: '{"text":"x"' }]
    const { ran, result } = await played([{ calls, finish: 'length' }, 'sorry'])
    expect([ran, result.calls.map(({ outcome }) => outcome)]).toEqual([[], ['truncated', 'truncated']])
  })
})

test('B052 calls go on whatever the finish reason says', async () => {
  const { ran, result } = await played([{ calls: [call('a')], finish: 'stop' }, 'done'])
  expect([ran, result.status, result.text]).toEqual([['a'], 'completed', 'done'])
})

test('B037 markup of a call, and a finish reason that promises one: the text is the answer', async () => {
  const { result, requests } = await played([{ text: '<tool_call>{"name":"note"}</tool_call>', finish: 'tool_calls' }])
  expect([result.status, result.text, requests.length]).toEqual(['completed', '<tool_call>{"name":"note"}</tool_call>', 1])
})

test('B063 reasoning alone is no answer', async () => {
  const { result } = await played([{ reasoning: 'hm' }, { reasoning: 'hm' }, { reasoning: 'hm' }])
  expect([result.status, result.reason, result.text]).toEqual(['incomplete', 'empty_response', ''])
})

test('B089 a page, or an error, with status 200 is no empty answer', async () => {
  const page = await played([{ status: 200, contentType: 'text/html', body: '<html><title>Sign in</title></html>' }])
  expect(page.result).toMatchObject({
    status: 'failed',
    error: { code: 'ModelUnknownError', retryable: false, message: expect.stringContaining('Sign in') },
  })
  const refused = { status: 200, body: { error: { message: 'bad field', type: 'invalid_request_error', code: 400 } } }
  expect((await played([refused])).result).toMatchObject({ status: 'failed', error: { code: 'ModelBadRequest' } })
})

test.each([
  ['json', true],
  ['sse', false],
] as const)('B090 a server that answers in the other form (%s) is understood', async (form, stream) => {
  const { ran, result } = await played([{ calls: [call('a')] }, 'done'], { stream, server: { quirks: { form } } })
  expect([ran, result.status, result.text]).toEqual([['a'], 'completed', 'done'])
})

test('B014 B015 B016 a history with ids that this server would refuse is sent with others', async () => {
  const settlement = { outcome: 'ok', output: 'x' } as const
  const turn = (n: number, ids: readonly string[]): Message => ({
    role: 'assistant',
    parts: ids.map((providerCallId, index) => ({
      type: 'tool-call',
      callId: `m${n}.${index}`,
      providerCallId,
      toolName: 'note',
      input: { text: 'a' },
      settlement,
    })),
  })
  const input: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'go' }] },
    turn(1, ['call_0']),
    turn(2, ['call_0']),
    turn(3, ['same', 'same']),
    turn(4, ['fc|with|bars', 'x'.repeat(80)]),
    { role: 'user', parts: [{ type: 'text', text: 'and now?' }] },
  ]
  const { result, violations } = await played(['fine'], { input, server: { rules: { uniqueIds: 'request' } } })
  expect([violations, result.status]).toEqual([[], 'completed'])
})

test('B026 a name that no server takes is refused before anything is sent', () => {
  for (const name of ['Google Search', 'x'.repeat(90), ''])
    expect(() => tool({ name, description: 'x', inputSchema: z.object({}), execute: () => '' })).toThrow(
      expect.objectContaining({ code: 'ConfigInvalid' }),
    )
})

test('a request holds what the settings say, and the key', async () => {
  await using server = await fakeOpenAIChat(['ok', 'ok'], { apiKey: 'secret' })
  const settings = {
    temperature: 0.5,
    topP: 0.9,
    seed: 7,
    stop: ['END'],
    maxOutputTokens: 99,
    reasoning: 'low',
    providerOptions: { openai: { user: 'u', messages: [] } },
  } as const
  const model = openaiChat('gpt-5-mini', { baseURL: server.url, apiKey: async () => 'secret', headers: { 'x-own': 'yes' } })
  await new Agent({ model, instructions: 'Be brief.', settings }).run('hi')
  expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'x-own': 'yes' })
  expect(server.requests[0]?.body).toEqual({
    model: 'gpt-5-mini',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    stream: true,
    stream_options: { include_usage: true, include_obfuscation: false },
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    stop: ['END'],
    max_completion_tokens: 99,
    reasoning_effort: 'low',
    user: 'u',
  })
})

test('tools and a forced choice', async () => {
  await using server = await fakeOpenAIChat([{ calls: [call('a')] }, 'done'])
  const note = tool({ name: 'note', description: 'Notes.', effect: 'read', inputSchema: z.object({ text: z.string() }), execute: () => '' })
  const model = openaiCompatible({ baseURL: server.url })('fake')
  await new Agent({ model, tools: [note], toolChoice: { tool: 'note' } }).run('hi')
  const [first, second] = server.requests.map(({ body }) => body as { tools: unknown; tool_choice?: unknown })
  expect(first?.tools).toMatchObject([
    { type: 'function', function: { name: 'note', description: 'Notes.', parameters: { type: 'object', required: ['text'] } } },
  ])
  expect([first?.tool_choice, second?.tool_choice]).toEqual([{ type: 'function', function: { name: 'note' } }, undefined])
  server.assertDone()
})

test('consecutive requests of a session begin with the same bytes', async () => {
  const { requests } = await played([{ calls: [call('ä'), call('b')] }, { calls: [call('😀')] }, 'done'])
  const texts = requests.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))
  const prefix = (text: string) => text.slice(0, text.indexOf('],"stream"'))
  expect(texts).toHaveLength(3)
  expect([prefix(texts[1] ?? '').startsWith(prefix(texts[0] ?? '-')), prefix(texts[2] ?? '').startsWith(prefix(texts[1] ?? '-'))]).toEqual([
    true,
    true,
  ])
})

describe('what can not work is said at once', () => {
  test('a missing key, a server that is not there', async () => {
    const before = process.env['OPENAI_API_KEY']
    delete process.env['OPENAI_API_KEY']
    try {
      const result = await new Agent({ model: openaiChat('m') }).run('x', { throwOnError: false })
      expect(result).toMatchObject({
        status: 'failed',
        error: { code: 'ModelAuthError', message: expect.stringContaining('set OPENAI_API_KEY') },
      })
    } finally {
      if (before !== undefined) process.env['OPENAI_API_KEY'] = before
    }
    const server = await fakeOpenAIChat([])
    await server.close()
    const model = openaiCompatible({ baseURL: server.url })('m')
    const request = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' } as const
    const error: unknown = await model
      .stream(request, () => {}, { signal: new AbortController().signal, sessionId: 's' })
      .catch((thrown: unknown) => thrown)
    expect([RondoError.is(error), error]).toEqual([true, expect.objectContaining({ code: 'ModelServerError', retryable: true })])
  })
})

test('a key that can not be had, or is refused, is said by its name', async () => {
  const apiKey = () => Promise.reject(new Error('the vault is closed'))
  const failed = await new Agent({ model: openaiChat('m', { apiKey }) }).run('x', { throwOnError: false })
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'ModelAuthError', message: expect.stringContaining('the vault is closed') },
  })
  await using server = await fakeOpenAIChat([], { apiKey: 'right' })
  const refused = async (given: { apiKey?: string }) => {
    const result = await new Agent({ model: openaiChat('m', { baseURL: server.url, ...given }) }).run('x', { throwOnError: false })
    return result.status === 'failed' ? result.error : result.status
  }
  const mended = (advice: string) => ({ code: 'ModelAuthError', message: expect.stringMatching(`provided\\. ${advice}\\.$`) })
  vi.stubEnv('OPENAI_API_KEY', 'wrong\n')
  expect(await refused({})).toMatchObject(mended('Check OPENAI_API_KEY'))
  expect(await refused({ apiKey: 'wrong' })).toMatchObject(mended('Check OPENAI_API_KEY')) // as the command gives it
  expect(await refused({ apiKey: 'another' })).toMatchObject(mended('Check the API key'))
  vi.unstubAllEnvs()
})

test('a key that is never told is not waited for when the request is no longer wanted', async () => {
  const request = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' } as const
  const asked = (apiKey: () => Promise<string>, signal: AbortSignal) =>
    openaiChat('m', { apiKey }).stream(request, () => {}, { signal, sessionId: 's' })
  const leaving = new AbortController()
  const waiting = asked(() => new Promise(() => {}), leaving.signal)
  leaving.abort('enough')
  await expect(waiting).rejects.toMatchObject({ code: 'RunAborted' })
  const unasked = () => Promise.reject(new Error('asked in vain'))
  await expect(asked(unasked, AbortSignal.abort())).rejects.toMatchObject({ code: 'RunAborted' })
})

test('an abort frees the connection', async () => {
  await using server = await fakeOpenAIChat([{ text: ['a', 'b'], gapMs: 5, breaks: { after: 1, with: 'hang' } }])
  const run = new Agent({ model: openaiCompatible({ baseURL: server.url })('m') }).stream('x')
  for await (const event of run) if (event.type === 'text.delta') await run.abort('enough')
  expect((await run.result).status).toBe('aborted')
  await expect.poll(() => server.requests[0]?.ended).toBe('aborted')
})

describe('a refusal whose body breaks off is what its status says', () => {
  const refused = { headers: { 'retry-after': '7' }, body: '{"error":{"mess', ends: 'cut' } as const

  test.each([
    [429, { code: 'ModelRateLimited', retryable: true, retryAfterMs: 7_000 }],
    [401, { code: 'ModelAuthError', retryable: false }],
    [503, { retryable: true, retryAfterMs: 7_000 }],
  ])('%s', async (status, error) => {
    await using server = await fakeServer({ ...refused, status })
    const model = openaiCompatible({ baseURL: server.url })('m')
    const result = await new Agent({ model, settings: { maxRetries: 0 } }).run('x', { throwOnError: false })
    expect(result).toMatchObject({ status: 'failed', error })
  })

  test('also when its body does not end in time', async () => {
    await using server = await fakeServer({ ...refused, status: 429, ends: 'hang' })
    const model = openaiCompatible({ baseURL: server.url, timeouts: { idleMs: 50 } })('m')
    const result = await new Agent({ model, settings: { maxRetries: 0 } }).run('x', { throwOnError: false })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'ModelRateLimited', retryAfterMs: 7_000 } })
  })
})

test('an error within an answer names the request by the id of its headers', async () => {
  const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'req_7' }
  const body = 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\ndata: {"error":{"message":"Overloaded","code":503}}\n\n'
  await using server = await fakeServer({ headers, body })
  const model = openaiCompatible({ baseURL: server.url })('m')
  const result = await new Agent({ model, settings: { maxRetries: 0 } }).run('x', { throwOnError: false })
  const message = expect.stringContaining('(in the response, status 503; request req_7): Overloaded.')
  expect(result).toMatchObject({ status: 'failed', error: { message } })
})
