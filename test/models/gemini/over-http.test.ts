import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type Message, tool } from '../../../src/index.ts'
import { type GeminiOptions, gemini } from '../../../src/models/gemini/index.ts'
import { type FakeGeminiOptions, fakeGemini } from '../../../src/testing/fake/gemini/index.ts'
import type { GeminiQuirks } from '../../../src/testing/fake/gemini/quirks.ts'
import type { FakeScript } from '../../../src/testing/fake/server.ts'
import { fakeServer } from '../../setup/http-server.ts'
import { newFolder, opened as openedFolder } from '../../stores/jsonl-kit.ts'
import { newFile, opened as openedFile } from '../../stores/sqlite-kit.ts'

const ran: unknown[] = []
afterEach(() => void ran.splice(0))

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

const call = (text: string) => ({ name: 'note', input: { text } })
const newest = 'gemini-3-flash-preview'

interface Setting extends GeminiOptions {
  readonly model?: string
  readonly server?: FakeGeminiOptions
  readonly input?: string | Message[]
}

async function played(script: FakeScript<GeminiQuirks>, { model = newest, server: rules, input = 'go', ...options }: Setting = {}) {
  await using server = await fakeGemini(script, rules)
  const agent = new Agent({
    model: gemini(model, { baseURL: server.url, apiKey: 'k', ...options }),
    tools: [note],
    policies: { retry: { baseMs: 1, capMs: 1 } },
  })
  const result = await agent.run(input as string, { throwOnError: false })
  return { result, requests: server.requests, violations: server.violations }
}

describe('an agent with tools', () => {
  test.each([true, false])('B013 B066 calls at once and one after the other: no request is refused (stream: %s)', async (stream) => {
    const script = [{ reasoning: 'hm', text: 'I look.', calls: [call('a'), call('b')] }, { calls: [call('c')] }, 'done']
    const { result, requests, violations } = await played(script, { stream })
    expect([violations, ran, result.status, result.text]).toEqual([[], ['a', 'b', 'c'], 'completed', 'done'])
    expect(requests.map(({ path }) => path)).toEqual(
      Array(3).fill(`/v1beta/models/${newest}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`),
    )
  })

  test('arguments in pieces', async () => {
    const quirks = { partialArgs: true, argumentsPiece: 2 }
    expect((await played([{ calls: [call('Grüße 😀'), call('b')] }, 'done'], { server: { quirks } })).violations).toEqual([])
    expect(ran).toEqual(['Grüße 😀', 'b'])
  })

  test('over Vertex AI: by project and location, with a token', async () => {
    const { requests, result, violations } = await played([{ calls: [call('a')] }, 'done'], { vertex: { project: 'p', location: 'eu' } })
    expect([violations, result.status]).toEqual([[], 'completed'])
    expect(requests[0]?.path).toBe(`/v1beta/projects/p/locations/eu/publishers/google/models/${newest}:streamGenerateContent?alt=sse`)
    expect([requests[0]?.headers.authorization, requests[0]?.headers['x-goog-api-key']]).toEqual(['Bearer k', undefined])
  })

  test('over Vertex AI: arguments in pieces are asked for beside a choice of tools', async () => {
    await using server = await fakeGemini([{ calls: [call('Grüße')] }, 'done'], { quirks: { partialArgs: true, argumentsPiece: 2 } })
    const model = gemini(newest, { baseURL: server.url, apiKey: 'k', vertex: { project: 'p' } })
    const toolConfig = { functionCallingConfig: { streamFunctionCallArguments: true } }
    const settings = { providerOptions: { vertex: { toolConfig } } }
    const result = await new Agent({ model, tools: [note], toolChoice: { tool: 'note' }, settings }).run('hi')
    expect([server.violations, ran, result.status]).toEqual([[], ['Grüße'], 'completed'])
    expect(Object(server.requests[0]?.body).toolConfig).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['note'], streamFunctionCallArguments: true },
    })
  })

  test('consecutive requests of a session begin with the same bytes', async () => {
    const { requests } = await played([{ calls: [call('ä'), call('b')] }, { calls: [call('😀')] }, 'done'])
    const [first = '', second = '', third = ''] = requests.map(({ bytes }) => Buffer.from(bytes).toString().split('],"tools"')[0] ?? '')
    expect([second.startsWith(first), third.startsWith(second), first.length > 20]).toEqual([true, true, true])
  })

  test('a forced choice, once', async () => {
    await using server = await fakeGemini([{ calls: [call('a')] }, 'done'])
    const model = gemini(newest, { baseURL: server.url, apiKey: 'k' })
    await new Agent({ model, tools: [note], toolChoice: { tool: 'note' } }).run('hi')
    expect(server.requests.map(({ body }) => Object(body).toolConfig)).toEqual([
      { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['note'] } },
      undefined,
    ])
    server.assertDone()
  })

  test.each(['gemini-2.5-flash', newest])('B186 with a schema of the output: %s', async (name) => {
    await using server = await fakeGemini([{ calls: [call('a')] }, 'noted', '{"n":1}'])
    const model = gemini(name, { baseURL: server.url, apiKey: 'k' })
    const result = await new Agent({ model, tools: [note], output: z.object({ n: z.number() }) }).run('hi')
    expect([result.output, server.violations]).toEqual([{ n: 1 }, []])
  })
})

test('B066 a conversation of another provider goes on: calls without signatures, images in results, odd names and ids', async () => {
  const settlement = { outcome: 'ok', output: 'x' } as const
  const input: Message[] = [
    { role: 'assistant', parts: [{ type: 'text', text: 'Welcome.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'hm', providerData: { 'anthropic/messages/claude': { signature: 's' } } },
        { type: 'tool-call', callId: 'm1.0', providerCallId: 'toolu_1|x', toolName: '3 d', input: {}, settlement },
        {
          type: 'tool-call',
          callId: 'm1.1',
          toolName: 'note',
          input: { text: 'a' },
          settlement,
          content: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
        },
      ],
    },
    { role: 'assistant', parts: [{ type: 'tool-call', callId: 'm2.0', toolName: 'note', input: { text: 'b' }, settlement }] },
    { role: 'user', parts: [{ type: 'text', text: 'and now?' }] },
  ]
  for (const model of ['gemini-2.5-flash', newest]) {
    const { result, violations } = await played([{ calls: [call('c')] }, 'fine'], { model, input })
    expect([violations, result.status]).toEqual([[], 'completed'])
  }
  const { violations } = await played(['fine'], { input: input.slice(0, -1) })
  expect(violations).toEqual([])
})

describe('B065 signatures survive a store', () => {
  const stores = {
    jsonl: () => {
      const folder = newFolder()
      return () => openedFolder(folder)
    },
    sqlite: () => {
      const file = newFile()
      return () => openedFile(file)
    },
  }

  test.each(Object.entries(stores))('%s', async (_name, place) => {
    const open = place()
    await using server = await fakeGemini(
      [{ reasoning: 'hm', text: 'I look.', calls: [call('a'), call('b')] }, { text: ['Do', 'ne.'] }, { calls: [call('c')] }, 'Bye.'],
      { quirks: { signatures: 'end' } },
    )
    const agent = (store: ReturnType<typeof open>) =>
      new Agent({ model: gemini(newest, { baseURL: server.url, apiKey: 'k' }), tools: [note], store })
    const first = open()
    await agent(first).run('A', { session: 's' })
    await first.close()
    await agent(open()).run('B', { session: 's' })
    // What was signed is what these servers have signed: a signature that is lost, changed or on another part is refused.
    expect(server.violations).toEqual([])
    const [, , third] = server.requests.map(({ bytes }) => Buffer.from(bytes).toString())
    expect(third?.match(/"thoughtSignature":"[^"]+"/g)).toHaveLength(2)
    server.assertDone()
  })
})

describe('how it ends', () => {
  test('B054 a call that could not be written is another attempt, bounded, and then a typed failure; nothing of it runs', async () => {
    const broken = { calls: [call('a')], finish: 'MALFORMED_FUNCTION_CALL' }
    const once = await played([broken, 'fine'])
    expect([once.result.status, once.result.text, ran]).toEqual(['completed', 'fine', []])
    const always = await played([broken, broken, broken, broken, broken])
    expect(always.result).toMatchObject({
      status: 'failed',
      error: { code: 'ModelServerError', message: expect.stringContaining('MALFORMED_FUNCTION_CALL') },
    })
    expect(ran).toEqual([])
  })

  test.each([true, false])('B057 what is blocked is asked for once (stream: %s)', async (stream) => {
    const blocked = { text: 'I can', finish: 'SAFETY' }
    const { result, requests } = await played([blocked], { stream })
    expect([result.reason, result.text, requests.length]).toEqual(['content_blocked', 'I can', 1])
    const prompt = { status: 200, body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 4 } } }
    const refused = await played([prompt], { stream })
    expect([refused.result.reason, refused.requests.length]).toEqual(['content_blocked', 1])
  })

  test('an abort frees the connection', async () => {
    await using server = await fakeGemini([{ text: ['a', 'b'], breaks: { after: 1, with: 'hang' } }])
    const run = new Agent({ model: gemini(newest, { baseURL: server.url, apiKey: 'k' }) }).stream('x')
    for await (const event of run) if (event.type === 'text.delta') await run.abort('enough')
    expect((await run.result).status).toBe('aborted')
    await expect.poll(() => server.requests[0]?.ended).toBe('aborted')
  })

  test('a turn that was aborted in its middle can be gone on with', async () => {
    await using server = await fakeGemini([{ reasoning: 'hm', text: ['a', 'b'], breaks: { after: 2, with: 'hang' } }, 'fine'])
    const agent = new Agent({ model: gemini(newest, { baseURL: server.url, apiKey: 'k' }) })
    const run = agent.stream('x', { session: 's' })
    for await (const event of run) if (event.type === 'text.delta') await run.abort('enough')
    await run.result
    expect((await agent.run('go on', { session: 's' })).text).toBe('fine')
    expect(server.violations).toEqual([])
  })
})

describe('errors', () => {
  const error = (code: number, status: string, message: string, details: object[] = []) => ({
    status: code,
    body: { error: { code, message, status, details } },
  })

  test.each([
    [error(400, 'INVALID_ARGUMENT', 'API key not valid.', [{ reason: 'API_KEY_INVALID' }]), { code: 'ModelAuthError', retryable: false }],
    [error(403, 'PERMISSION_DENIED', "Permission 'x' denied"), { code: 'ModelAuthError', retryable: false }],
    [error(404, 'NOT_FOUND', 'models/x is not found'), { code: 'ModelBadRequest', retryable: false }],
    [
      error(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded', [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }]),
      { code: 'ModelRateLimited', retryable: true, retryAfterMs: 34_400 },
    ],
    [error(503, 'UNAVAILABLE', 'The model is overloaded.'), { code: 'ModelServerError', retryable: true }],
    [error(504, 'DEADLINE_EXCEEDED', 'Deadline expired'), { code: 'ModelTimeout', retryable: true }],
    [
      error(500, 'INTERNAL', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
      { code: 'ModelContextOverflow', retryable: false },
    ],
  ])('B119 %j', async (refusal, wanted) => {
    await using server = await fakeGemini([refusal])
    const model = gemini(newest, { baseURL: server.url, apiKey: 'k' })
    const result = await new Agent({ model, settings: { maxRetries: 0 } }).run('x', { throwOnError: false })
    expect(result).toMatchObject({ status: 'failed', error: wanted })
  })

  test('a refusal of a request is a bad request, in the words of the server', async () => {
    await using server = await fakeGemini(['x'])
    const settings = { providerOptions: { gemini: { nonsense: 1 } }, maxRetries: 0 }
    const model = gemini(newest, { baseURL: server.url, apiKey: 'k' })
    const result = await new Agent({ model, settings }).run('x', { throwOnError: false })
    expect(result).toMatchObject({ error: { code: 'ModelBadRequest', message: expect.stringContaining('Unknown name "nonsense"') } })
  })

  test.each([',{"cand', ',', '\n', ''])('a JSON list that is cut is never a success: "%s" in the place of its end', async (rest) => {
    const element = '{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}'
    await using server = await fakeServer({ headers: { 'content-type': 'application/json' }, body: `[${element}${rest}` })
    const model = gemini(newest, { baseURL: server.url, apiKey: 'k' })
    const result = await new Agent({ model, settings: { maxRetries: 0 } }).run('x', { throwOnError: false })
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'ModelServerError', message: expect.stringContaining('not complete') },
    })
  })
})

describe('options', () => {
  const variables = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] as const
  const before = variables.map((name) => [name, process.env[name]] as const)
  afterEach(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })

  test('the key: given, GEMINI_API_KEY, else GOOGLE_API_KEY; a missing one is named', async () => {
    await using server = await fakeGemini(['1', '2', '3'])
    const run = (options: GeminiOptions = {}) =>
      new Agent({ model: gemini(newest, { baseURL: server.url, ...options }) }).run('x', { throwOnError: false })
    for (const name of variables) delete process.env[name]
    expect(await run()).toMatchObject({ error: { code: 'ModelAuthError', message: expect.stringContaining('set GEMINI_API_KEY') } })
    process.env['GOOGLE_API_KEY'] = 'google'
    await run()
    process.env['GEMINI_API_KEY'] = 'own'
    await run()
    await run({ apiKey: async () => 'given\n' })
    expect(server.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual(['google', 'own', 'given'])
  })

  test.each<[unknown, unknown, string]>([
    ['', {}, 'the name of the model is missing'],
    ['m', { api_key: 'x' }, "unknown option 'api_key': did you mean 'apiKey'?"],
    ['m', { baseURL: 'localhost' }, 'baseURL must be a URL'],
    ['m', { vertex: 'p' }, "vertex must be an object, as { project: 'my-project', location: 'europe-west4' }, not a string"],
    ['m', { apiKey: 'k', vertex: { project: 'a/b' } }, 'vertex.project must be a name'],
    ['m', { apiKey: 'k', vertex: { project: 'p', location: 'x.evil.test/' } }, 'vertex.location must be a name'],
    ['m', { vertex: { project: 'p' } }, 'Vertex AI needs an access token'],
  ])('%j %j: ConfigInvalid', (model, options, message) => {
    expect(() => Reflect.apply(gemini, undefined, [model, options])).toThrow(
      expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringContaining(message) }),
    )
  })

  test('where Vertex AI is, by location', async () => {
    const asked: string[] = []
    const fetch = (url: unknown) => {
      asked.push(new URL(String(url)).host)
      return Promise.resolve(new Response('{}', { status: 404 }))
    }
    for (const location of [undefined, 'global', 'europe-west4', 'us', 'eu']) {
      const model = gemini('models/gemini-3-flash', {
        apiKey: 'k',
        vertex: { project: 'p', location },
        fetch: fetch as typeof globalThis.fetch,
      })
      await new Agent({ model }).run('x', { throwOnError: false })
    }
    expect(asked).toEqual([
      'aiplatform.googleapis.com',
      'aiplatform.googleapis.com',
      'europe-west4-aiplatform.googleapis.com',
      'aiplatform.us.rep.googleapis.com',
      'aiplatform.eu.rep.googleapis.com',
    ])
  })
})
