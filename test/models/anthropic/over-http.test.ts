import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type Message, tool } from '../../../src/index.ts'
import { type AnthropicOptions, anthropic, anthropicVertex } from '../../../src/models/anthropic/index.ts'
import { fakeAnthropic, type MessagesFakeOptions } from '../../../src/testing/fake/messages/index.ts'
import { signatureOf } from '../../../src/testing/fake/messages/quirks.ts'
import { fakeServer } from '../../setup/http-server.ts'

type Script = Parameters<typeof fakeAnthropic>[0]

interface Setting {
  readonly server?: MessagesFakeOptions
  readonly options?: AnthropicOptions
  readonly input?: string | Message[]
  readonly settings?: { readonly reasoning?: 'low' }
}

/** Runs a task against a server with these replies; the tool notes what it was called with. */
async function played(script: Script, { server: of, options, input = 'go', settings = {} }: Setting = {}) {
  await using server = await fakeAnthropic(script, of)
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
  const model = anthropic('claude-sonnet-4-5', { baseURL: server.url, apiKey: 'k', ...options })
  const policies = { retry: { baseMs: 1, capMs: 1 } }
  const agent = new Agent({ model, tools: [note], policies, settings })
  const result = await agent.run(input as string, { throwOnError: false })
  return { result, ran, requests: server.requests, violations: server.violations }
}

const call = (text: string) => ({ name: 'note', input: { text } })
// biome-ignore lint/suspicious/noExplicitAny: a body of any shape
const bodies = (requests: readonly { readonly body: unknown }[]) => requests.map(({ body }) => body as any)

/** A message that comes at once, with these blocks. */
const message = (content: readonly object[], reason: string) => ({
  status: 200,
  body: { type: 'message', role: 'assistant', content, stop_reason: reason, usage: { input_tokens: 3, output_tokens: 2 } },
})

test('B070 thinking goes back signed, in its place, from turn to turn', async () => {
  const { result, ran, requests, violations } = await played(
    [
      { reasoning: ['Let me ', 'note.'], text: 'I note.', calls: [call('a'), call('b')] },
      { reasoning: 'Well.', calls: [call('c')] },
      'done',
    ],
    { settings: { reasoning: 'low' } },
  )
  expect([violations, result.status, result.text, ran]).toEqual([[], 'completed', 'done', ['a', 'b', 'c']])
  const [first, , last] = bodies(requests)
  expect(first.thinking).toEqual({ type: 'enabled', budget_tokens: 4_096 })
  expect(
    last.messages.map(({ role, content }: { role: string; content: { type: string }[] }) => [role, content.map(({ type }) => type)]),
  ).toEqual([
    ['user', ['text']],
    ['assistant', ['thinking', 'text', 'tool_use', 'tool_use']],
    ['user', ['tool_result', 'tool_result']],
    ['assistant', ['thinking', 'tool_use']],
    ['user', ['tool_result']],
  ])
  expect(last.messages[1].content[0]).toEqual({ type: 'thinking', thinking: 'Let me note.', signature: signatureOf('Let me note.') })
})

test.each(['omitted', 'unsigned', 'redacted'] as const)('B070 thinking that is %s breaks no session', async (thinking) => {
  const quirks = { thinking }
  const { result, violations } = await played(
    [
      { reasoning: 'Hm.', calls: [call('a')] },
      { reasoning: 'Hm.', text: 'done' },
    ],
    { server: { quirks } },
  )
  expect([violations, result.status, result.text]).toEqual([[], 'completed', 'done'])
})

describe('an answer that pauses', () => {
  const use = (n: number) => ({ type: 'server_tool_use', id: `srvtoolu_${n}`, name: 'web_search', input: { query: `${n}` } })
  const found = (n: number) => ({ type: 'web_search_tool_result', tool_use_id: `srvtoolu_${n}`, content: [] })
  const said = (text: string) => ({ type: 'text', text })
  const rules = { prefill: false }
  const pauses = Array.from({ length: 11 }, (_, n) => message([...(n === 0 ? [] : [found(n - 1)]), use(n)], 'pause_turn'))

  test('B055 goes back unchanged, with nothing behind it, and goes on', async () => {
    const script = [
      message([said('I search.'), use(1)], 'pause_turn'),
      message([found(1), use(2)], 'pause_turn'),
      message([found(2), said('Found.')], 'end_turn'),
    ]
    const { result, requests, violations } = await played(script, { server: { rules } })
    expect([violations, result.status, result.text]).toEqual([[], 'completed', 'Found.'])
    expect(bodies(requests).map(({ messages }) => messages.slice(1))).toEqual([
      [],
      [{ role: 'assistant', content: [said('I search.'), use(1)] }],
      [{ role: 'assistant', content: [said('I search.'), use(1), found(1), use(2)] }],
    ])
  })

  test('B056 is gone on with so many times, and then the run ends', async () => {
    const { result, requests, violations } = await played(pauses, { server: { rules } })
    expect([violations, requests.length, result.status, result.reason]).toEqual([[], 11, 'incomplete', 'unexpected_stop_reason'])
  })

  test('and a session whose run ended so takes more from its user', async () => {
    await using server = await fakeAnthropic([...pauses, 'hello'], { rules })
    const agent = new Agent({ model: anthropic('claude-sonnet-4-5', { baseURL: server.url, apiKey: 'k' }) })
    const first = await agent.run('search', { throwOnError: false })
    expect(first.reason).toBe('unexpected_stop_reason')
    expect((await agent.run('never mind', { session: first.sessionId })).text).toBe('hello')
    server.assertDone()
  })
})

test('B057 a refusal ends the run, once, with what was said', async () => {
  for (const stream of [true, false]) {
    const { result, requests } = await played([{ text: 'I can', finish: 'refusal' }], { options: { stream } })
    expect([requests.length, result.status, result.reason, result.text]).toEqual([1, 'incomplete', 'content_blocked', 'I can'])
  }
})

describe('calls that a limit cut', () => {
  test.each(['max_tokens', 'end_turn', 'tool_use'])(
    'B031 B032 arguments that end early are not run, whatever the reason (%s)',
    async (finish) => {
      const { ran, result, violations } = await played([{ calls: [{ name: 'note', rawInput: '{"text":"half' }], finish }, 'sorry'])
      expect([ran, violations, result.calls.map(({ outcome }) => outcome)]).toEqual([
        [],
        [],
        [finish === 'max_tokens' ? 'truncated' : 'invalid'],
      ])
    },
  )
})

test('B052 calls go on whatever the reason says', async () => {
  const { ran, result } = await played([{ calls: [call('a')], finish: 'end_turn' }, 'done'])
  expect([ran, result.status]).toEqual([['a'], 'completed'])
})

test('an answer that was cut is gone on with, and its blank end is not sent', async () => {
  for (const [model, prefill] of [
    ['claude-sonnet-4-5', true],
    ['claude-opus-4-6', false],
  ] as const) {
    await using server = await fakeAnthropic([{ text: 'one \n', finish: 'max_tokens' }, 'two'], { rules: { prefill } })
    const agent = new Agent({ model: anthropic(model, { baseURL: server.url, apiKey: 'k' }), policies: { onTruncated: 'continue' } })
    expect((await agent.run('count')).status).toBe('completed')
    server.assertDone()
  }
})

test.each([
  ['json', true],
  ['sse', false],
] as const)('B090 a server that answers in the other form (%s) is understood', async (form, stream) => {
  const { ran, result } = await played([{ calls: [call('a')] }, 'done'], { options: { stream }, server: { quirks: { form } } })
  expect([ran, result.status, result.text]).toEqual([['a'], 'completed', 'done'])
})

test('an error in the middle of an answer is tried again, and nothing of the first try stays', async () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const { result, requests } = await played([
    { text: ['half', 'way'], breaks: { after: 1, with: 'error', error, event: 'error' } },
    'whole',
  ])
  expect([result.status, result.text, requests.length]).toEqual(['completed', 'whole', 2])
})

test.each([
  [529, 'overloaded_error', { code: 'ModelServerError', retryable: true }],
  [429, 'rate_limit_error', { code: 'ModelRateLimited', retryable: true, retryAfterMs: 7_000 }],
  [401, 'authentication_error', { code: 'ModelAuthError', message: expect.stringContaining('Check the API key.') }],
  [403, 'permission_error', { code: 'ModelAuthError' }],
  [404, 'not_found_error', { code: 'ModelBadRequest', retryable: false }],
  [413, 'request_too_large', { code: 'ModelContextOverflow', retryable: false }],
  [400, 'invalid_request_error', { code: 'ModelBadRequest', retryable: false }],
  [402, 'billing_error', { code: 'ModelQuotaExceeded', retryable: false }],
])('B108 %i %s', async (status, type, error) => {
  const headers = status === 429 ? { 'retry-after': '7' } : {}
  await using server = await fakeAnthropic([
    { status, headers, body: { type: 'error', error: { type, message: 'so it is' }, request_id: 'r' } },
  ])
  const model = anthropic('claude-sonnet-4-5', { baseURL: server.url, apiKey: 'k' })
  const result = await new Agent({ model, settings: { maxRetries: 0 } }).run('x', { throwOnError: false })
  expect(result).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('so it is'), ...error } })
})

test('a key that is missing is said by its name, and one that is given goes where it belongs', async () => {
  const before = process.env['ANTHROPIC_API_KEY']
  delete process.env['ANTHROPIC_API_KEY']
  try {
    const result = await new Agent({ model: anthropic('m') }).run('x', { throwOnError: false })
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'ModelAuthError', message: expect.stringContaining('set ANTHROPIC_API_KEY') },
    })
  } finally {
    if (before !== undefined) process.env['ANTHROPIC_API_KEY'] = before
  }
  for (const auth of ['x-api-key', 'bearer'] as const) {
    const { result, violations } = await played(['ok'], { server: { apiKey: 'k' }, options: { auth } })
    expect([result.text, violations]).toEqual(['ok', []])
  }
})

test('on Google Cloud a run is as elsewhere', async () => {
  await using server = await fakeAnthropic([{ reasoning: 'Hm.', calls: [{ name: 'now', input: {} }] }, 'noon'], { apiKey: 'token' })
  const now = tool({ name: 'now', description: 'Tells the time.', effect: 'read', inputSchema: z.object({}), execute: () => '12:00' })
  const model = anthropicVertex('claude-sonnet-4-5@20250929', {
    project: 'p',
    location: 'global',
    apiKey: async () => 'token',
    baseURL: server.url,
  })
  expect((await new Agent({ model, tools: [now] }).run('what time is it?')).text).toBe('noon')
  expect(server.requests[0]?.path).toContain('/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict')
  server.assertDone()
})

test('consecutive requests of a session begin with the same bytes', async () => {
  const { requests } = await played([{ calls: [call('ä'), call('b')] }, { reasoning: 'x', calls: [call('😀')] }, 'done'])
  const texts = requests.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))
  // The last message may still go on.
  const prefix = (text: string) => text.slice(0, text.indexOf(']}],"max_tokens"'))
  expect(texts).toHaveLength(3)
  expect(texts.slice(1).every((text, n) => prefix(text).startsWith(prefix(texts[n] ?? '-')) && prefix(texts[n] ?? '').length > 50)).toBe(
    true,
  )
})

test('an abort frees the connection', async () => {
  await using server = await fakeAnthropic([{ text: ['a', 'b'], gapMs: 5, breaks: { after: 1, with: 'hang' } }])
  const run = new Agent({ model: anthropic('m', { baseURL: server.url, apiKey: 'k' }) }).stream('x')
  for await (const event of run) if (event.type === 'text.delta') await run.abort('enough')
  expect((await run.result).status).toBe('aborted')
  await expect.poll(() => server.requests[0]?.ended).toBe('aborted')
})

test('a refusal whose body breaks off is what its status says', async () => {
  await using server = await fakeServer({ headers: { 'retry-after': '7' }, body: '{"type":"error","err', ends: 'cut', status: 429 })
  const result = await new Agent({ model: anthropic('m', { baseURL: server.url, apiKey: 'k' }), settings: { maxRetries: 0 } }).run('x', {
    throwOnError: false,
  })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'ModelRateLimited', retryAfterMs: 7_000 } })
})

test('a history made elsewhere is taken: foreign thinking, ids, names, an image in a result, an answer at its end', async () => {
  const png = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const
  const input: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'go' }, png] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'theirs', providerData: { 'openai/responses/gpt-5': { item: { type: 'reasoning' } } } },
        { type: 'text', text: ' ' },
        ...['fc_1|a', 'fc_1|a'].map((providerCallId, index) => ({
          type: 'tool-call' as const,
          callId: `m1.${index}`,
          providerCallId,
          toolName: 'functions.look',
          input: {},
          settlement: { outcome: 'ok' as const, output: 'x' },
          content: [{ type: 'text' as const, text: 'see' }, png],
        })),
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'and?' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'so ' }] },
    { role: 'user', parts: [{ type: 'text', text: 'more \ud83d' }] },
  ]
  const { result, violations } = await played(['fine'], { input })
  expect([violations, result.status]).toEqual([[], 'completed'])
})
