import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type Message, tool } from '../../../src/index.ts'
import { type OllamaOptions, ollama } from '../../../src/models/ollama/index.ts'
import { type FakeOllamaOptions, fakeOllama } from '../../../src/testing/fake/ollama/index.ts'
import type { OllamaQuirks } from '../../../src/testing/fake/ollama/quirks.ts'
import type { FakeScript } from '../../../src/testing/fake/server.ts'
import { fakeServer } from '../../setup/http-server.ts'

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

interface Setting extends OllamaOptions {
  readonly server?: FakeOllamaOptions
  readonly input?: string | Message[]
}

async function played(script: FakeScript<OllamaQuirks>, { server: rules, input = 'go', ...options }: Setting = {}) {
  await using server = await fakeOllama(script, rules)
  const model = ollama('qwen3', { baseURL: server.url, ...options })
  const agent = new Agent({ model, tools: [note], policies: { retry: { baseMs: 1, capMs: 1 } } })
  const result = await agent.run(input as string, { throwOnError: false })
  return { result, requests: server.requests, violations: server.violations }
}

describe('an agent with tools', () => {
  test.each([true, false])('calls at once and one after the other (stream: %s)', async (stream) => {
    const script = [{ reasoning: 'hm', text: 'I look.', calls: [call('a'), call('b')] }, { calls: [call('c')] }, 'done']
    const { result, requests, violations } = await played(script, { stream })
    expect([violations, ran, result.status, result.text]).toEqual([[], ['a', 'b', 'c'], 'completed', 'done'])
    expect(requests.map(({ path, headers }) => [path, headers.authorization])).toEqual(Array(3).fill(['/api/chat', undefined]))
  })

  test('B030 arguments as text, without ids', async () => {
    await played([{ calls: [call('Grüße 😀'), call('b')] }, 'done'], {
      server: { quirks: { arguments: 'text', ids: false, callsTogether: true } },
    })
    expect(ran).toEqual(['Grüße 😀', 'b'])
  })

  test('consecutive requests of a session begin with the same bytes', async () => {
    const { requests } = await played([{ calls: [call('ä'), call('b')] }, { calls: [call('😀')] }, 'done'])
    const [first = '', second = '', third = ''] = requests.map(({ bytes }) => Buffer.from(bytes).toString().split('],"stream"')[0] ?? '')
    expect([second.startsWith(first), third.startsWith(second), first.length > 20]).toEqual([true, true, true])
  })

  test('a schema of the output is the format', async () => {
    await using server = await fakeOllama([{ calls: [call('a')] }, 'noted', '{"n":1}'])
    const result = await new Agent({
      model: ollama('qwen3', { baseURL: server.url }),
      tools: [note],
      output: z.object({ n: z.number() }),
    }).run('hi')
    expect([result.output, server.violations, Object(server.requests[2]?.body).format]).toMatchObject([{ n: 1 }, [], { type: 'object' }])
  })

  test('a conversation of another provider goes on: odd ids and names, images in results, reasoning of others', async () => {
    const settlement = { outcome: 'ok', output: 'x' } as const
    const content = [{ type: 'image', mediaType: 'image/png', data: 'AAAA' } as const]
    const input: Message[] = [
      { role: 'assistant', parts: [{ type: 'text', text: 'Welcome.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'hm', providerData: { 'anthropic/messages/claude': { signature: 's' } } },
          { type: 'tool-call', callId: 'm1.0', providerCallId: 'toolu_1|x', toolName: '3 d', input: {}, settlement },
          { type: 'tool-call', callId: 'm1.1', toolName: 'note', input: { text: 'a' }, settlement, content },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'and now?' }] },
    ]
    const { result, violations } = await played([{ calls: [call('c')] }, 'fine'], { input })
    expect([violations, result.status]).toEqual([[], 'completed'])
  })

  test('a turn that was aborted in its middle can be gone on with; the abort frees the connection', async () => {
    await using server = await fakeOllama([{ reasoning: 'hm', text: ['a', 'b'], breaks: { after: 2, with: 'hang' } }, 'fine'])
    const agent = new Agent({ model: ollama('qwen3', { baseURL: server.url }) })
    const run = agent.stream('x', { session: 's' })
    for await (const event of run) if (event.type === 'text.delta') await run.abort('enough')
    expect((await run.result).status).toBe('aborted')
    await expect.poll(() => server.requests[0]?.ended).toBe('aborted')
    expect((await agent.run('go on', { session: 's' })).text).toBe('fine')
    expect(server.violations).toEqual([])
  })
})

describe('errors', () => {
  test.each([
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools', { code: 'ModelBadRequest', retryable: false }],
    [400, '"llama3" does not support thinking', { code: 'ModelBadRequest', retryable: false }],
    [404, "model 'nonexistent' not found", { code: 'ModelBadRequest', retryable: false }],
    [401, 'unauthorized', { code: 'ModelAuthError', retryable: false }],
    [503, 'server busy, please try again. maximum pending requests exceeded', { code: 'ModelServerError', retryable: true }],
    [500, 'model runner has unexpectedly stopped', { code: 'ModelServerError', retryable: true }],
    [
      400,
      'prompt too long; exceeded max context length by 204 tokens',
      { code: 'ModelContextOverflow', retryable: false, message: expect.stringContaining('204 tokens too many') },
    ],
  ])('B119 %s %s', async (status, error, wanted) => {
    const { result } = await played([
      { status, body: { error } },
      { status, body: { error } },
      { status, body: { error } },
      { status, body: { error } },
      { status, body: { error } },
    ])
    expect(result).toMatchObject({ status: 'failed', error: wanted })
  })

  test('B112 a server that has cut the only question away is asked again, bounded; the error has its text and says what to look at', async () => {
    const lost = { status: 500, body: { error: 'no user query found in messages' } }
    const { result, requests } = await played([lost, lost, lost, lost, lost, lost, lost, lost])
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'ModelContextOverflow', message: expect.stringMatching(/no user query found in messages.*context size/) },
    })
    expect([requests.length > 1, requests.length < 8]).toEqual([true, true])
  })

  test('B097 an error behind good lines is tried again, and what came before is not used', async () => {
    const broken = {
      calls: [call('a')],
      breaks: { after: 1, with: 'error', error: { error: 'an error was encountered while running the model' } },
    } as const
    const { result } = await played([broken, 'fine'])
    expect([result.text, ran]).toEqual(['fine', []])
  })

  test('a page is no answer', async () => {
    await using server = await fakeServer({ headers: { 'content-type': 'text/html' }, body: '<html><title>Sign in</title></html>' })
    const result = await new Agent({ model: ollama('m', { baseURL: server.url }) }).run('x', { throwOnError: false })
    expect(result).toMatchObject({ error: { code: 'ModelUnknownError', message: expect.stringContaining('Sign in') } })
  })
})

describe('options', () => {
  const variables = ['OLLAMA_HOST', 'OLLAMA_API_KEY'] as const
  const before = variables.map((name) => [name, process.env[name]] as const)
  afterEach(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })

  test('OLLAMA_HOST says where the server is; a key that is given is sent, one of the environment to ollama.com only', async () => {
    await using server = await fakeOllama(['1', '2'])
    process.env['OLLAMA_HOST'] = server.url.replace('http://', '')
    process.env['OLLAMA_API_KEY'] = 'environment'
    await new Agent({ model: ollama('qwen3') }).run('x')
    await new Agent({ model: ollama('qwen3', { apiKey: 'given' }) }).run('x')
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer given'])
    const sent: unknown[] = []
    const fetch = (_url: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get('authorization'))
      return Promise.resolve(new Response('{"error":"x"}', { status: 400 }))
    }
    await new Agent({ model: ollama('gpt-oss:120b', { baseURL: 'https://ollama.com', fetch: fetch as typeof globalThis.fetch }) }).run(
      'x',
      { throwOnError: false },
    )
    expect(sent).toEqual(['Bearer environment'])
    delete process.env['OLLAMA_API_KEY']
    const failed = await new Agent({
      model: ollama('gpt-oss:120b', { baseURL: 'https://ollama.com', fetch: fetch as typeof globalThis.fetch }),
    }).run('x', { throwOnError: false })
    expect(failed).toMatchObject({ error: { code: 'ModelAuthError', message: expect.stringContaining('OLLAMA_API_KEY') } })
    process.env['OLLAMA_HOST'] = 'ftp://x'
    expect(() => ollama('qwen3')).toThrow(
      expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringContaining('OLLAMA_HOST') }),
    )
  })

  test('the size of the context is asked for, and is the window of the model', () => {
    const model = (options: OllamaOptions) => ollama('m', { baseURL: 'http://127.0.0.1:1', ...options }).capabilities.contextWindow
    expect([model({ contextTokens: 8_192 }), model({ contextTokens: 8_192, capabilities: { contextWindow: 1 } }), model({})]).toEqual([
      8_192,
      1,
      undefined,
    ])
  })

  test.each<[unknown, unknown, string]>([
    ['', {}, 'the name of the model is missing'],
    ['m', { contextTokens: 0 }, 'contextTokens must be a positive whole number of tokens, not 0'],
    ['m', { keepAlive: true }, "keepAlive must be a time, as '10m', or seconds"],
    ['m', { num_ctx: 5 }, "unknown option 'num_ctx'"],
    ['m', { baseURL: 'localhost:11434' }, 'baseURL must be a URL'],
  ])('%j %j: ConfigInvalid', (model, options, message) => {
    expect(() => Reflect.apply(ollama, undefined, [model, options])).toThrow(
      expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringContaining(message) }),
    )
  })
})
