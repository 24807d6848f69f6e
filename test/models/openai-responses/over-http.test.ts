import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../src/core/json.ts'
import { Agent, type Message, memory, tool } from '../../../src/index.ts'
import { type OpenAIOptions, openai } from '../../../src/models/openai/index.ts'
import { fakeResponses, type ResponsesOptions } from '../../../src/testing/fake/responses/index.ts'
import type { ResponsesQuirks } from '../../../src/testing/fake/responses/quirks.ts'
import type { FakeRequest, FakeScript } from '../../../src/testing/fake/server.ts'
import { functionCall, message, reasoning, response } from './support.ts'

interface Setting {
  readonly server?: ResponsesOptions
  readonly options?: OpenAIOptions
  readonly input?: string | Message[]
}

const policies = { retry: { baseMs: 1, capMs: 1 } } as const

/** Runs a task against a server with these replies; the tool notes what it was called with. */
async function played(script: FakeScript<ResponsesQuirks>, { server: how, options, input = 'go' }: Setting = {}) {
  await using server = await fakeResponses(script, how)
  const ran: unknown[] = []
  const note = noteTool(ran)
  const model = openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key', ...options })
  const result = await new Agent({ model, tools: [note], policies }).run(input as string, { throwOnError: false })
  return { result, ran, requests: server.requests, violations: server.violations }
}

function noteTool(ran: unknown[]) {
  return tool({
    name: 'note',
    description: 'Notes a text.',
    effect: 'read',
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => {
      ran.push(text)
      return `noted ${text}`
    },
  })
}

const call = (text: string) => ({ name: 'note', input: { text } })
const raw = (output: readonly object[]) => ({ status: 200, body: response(output) })

/** The items of a request. */
function inputOf(request: FakeRequest | undefined): readonly Record<string, unknown>[] {
  if (request === undefined) throw new Error('there was no such request')
  return (request.body as { input: readonly Record<string, unknown>[] }).input
}

describe('a run with tools', () => {
  test.each([true, false])('reasoning goes back encrypted, with its call, and nothing is refused (streamed: %s)', async (stream) => {
    const replies = [{ reasoning: 'hm', calls: [call('a'), call('b')] }, { reasoning: 'well', text: 'So.', calls: [call('c')] }, 'done']
    const { ran, result, requests, violations } = await played(replies, { options: { stream } })
    expect([ran, result.text, violations]).toEqual([['a', 'b', 'c'], 'done', []])
    expect(inputOf(requests[2]).map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'reasoning',
      'message',
      'function_call',
      'function_call_output',
    ])
    // What was sent before is sent again byte for byte.
    const [first, second] = requests.slice(1).map(({ bytes }) => Buffer.from(bytes).toString())
    const begin = first?.slice(0, first.lastIndexOf('],"stream"'))
    expect(second?.startsWith(begin ?? 'nothing')).toBe(true)
  })

  test.each(['encrypted', 'content', 'stored'] as const)('whatever the server gives of its reasoning (%s)', async (reasoning) => {
    const { result, violations } = await played([{ reasoning: 'hm', calls: [call('a')] }, 'done'], { server: { quirks: { reasoning } } })
    expect([result.text, violations]).toEqual(['done', []])
  })

  test('B067 a turn that the user has aborted behind its reasoning can be gone on with', async () => {
    await using server = await fakeResponses([{ reasoning: 'hm', text: 'half', breaks: { after: 1, with: 'hang' } }, 'done'])
    const agent = new Agent({ model: openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key' }), store: memory() })
    const run = agent.stream('go', { session: 's' })
    for await (const event of run) if (event.type === 'reasoning.delta') await run.abort()
    await run.result
    expect((await agent.run('and now?', { session: 's' })).text).toBe('done')
    expect(server.violations).toEqual([])
  })
})

describe('calls that a limit cut', () => {
  test.each(['max_output_tokens', 'completed'])('B031 B032 arguments that end early are not run (%s)', async (finish) => {
    const { ran, result, requests } = await played([{ calls: [{ name: 'note', rawInput: '{"text":"half' }], finish }, 'sorry'])
    expect([ran, result.calls.map(({ outcome }) => outcome)]).toEqual([[], [finish === 'completed' ? 'invalid' : 'truncated']])
    expect(JSON.stringify(requests[1]?.body)).toMatch(/cut|limit/)
  })
})

test('B063 reasoning alone is no answer', async () => {
  const { result } = await played([{ reasoning: 'hm' }, { reasoning: 'hm' }, { reasoning: 'hm' }])
  expect([result.status, result.reason, result.text]).toEqual(['incomplete', 'empty_response', ''])
})

test('B057 a filter that left nothing is told as such, and not asked again', async () => {
  const { result, requests } = await played([{ text: [], finish: 'content_filter' }])
  expect([result.reason, requests.length]).toEqual(['content_blocked', 1])
})

test('B048 a tool that gives nothing is answered', async () => {
  await using server = await fakeResponses([{ calls: [{ name: 'quiet' }] }, 'done'])
  const quiet = tool({ name: 'quiet', description: 'Says nothing.', effect: 'read', inputSchema: z.object({}), execute: () => '' })
  await new Agent({ model: openai('m', { baseURL: server.url, apiKey: 'key' }), tools: [quiet] }).run('go')
  expect(server.violations).toEqual([])
  expect(inputOf(server.requests[1]).at(-1)).toMatchObject({ type: 'function_call_output', output: '' })
})

test.each([
  ['json', true],
  ['sse', false],
] as const)('B090 a server that answers in the other form (%s) is understood', async (form, stream) => {
  const { ran, result } = await played([{ calls: [call('a')] }, 'done'], { options: { stream }, server: { quirks: { form } } })
  expect([ran, result.status, result.text]).toEqual([['a'], 'completed', 'done'])
})

test('B084 B085 B088 B089 what is no whole answer is none', async () => {
  const page = await played([{ status: 200, contentType: 'text/html', body: '<html><title>Sign in</title></html>' }])
  expect(page.result).toMatchObject({ error: { code: 'ModelUnknownError', message: expect.stringContaining('Sign in') } })
  const refused = await played([{ status: 200, body: { error: { message: 'bad field', type: 'invalid_request_error', code: 400 } } }])
  expect([refused.result.status, refused.requests.length]).toEqual(['failed', 1])
  const empty = await played([{ status: 200, contentType: 'text/event-stream', body: '' }, 'fine'])
  expect([empty.result.text, empty.requests.length]).toEqual(['fine', 2])
  const cut = await played([{ calls: [call('x')], breaks: { after: 2, with: 'end' } }, 'fine'])
  expect([cut.result.text, cut.ran]).toEqual(['fine', []])
})

describe('tools of the provider that run here', () => {
  const play = async (item: object, declared: Json, mine: ReturnType<typeof tool>) => {
    await using server = await fakeResponses([raw([reasoning(), item]), 'done'])
    const model = openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key' })
    const settings = { providerOptions: { openai: { tools: [declared] } } }
    const result = await new Agent({ model, tools: [mine], settings }).run('go')
    const broken = server.violations.filter(({ rule }) => rule !== 'stored')
    expect([result.text, broken]).toEqual(['done', []])
    return inputOf(server.requests[1]).slice(-2)
  }

  test('a custom tool is given its text', async () => {
    const seen: string[] = []
    const note = tool({
      name: 'note',
      description: 'Notes.',
      effect: 'read',
      inputSchema: z.object({ input: z.string() }),
      execute: ({ input }) => {
        seen.push(input)
        return 'noted'
      },
    })
    const item = { id: 'ctc_1', type: 'custom_tool_call', status: 'completed', call_id: 'call_1', name: 'note', input: 'a "b"' }
    expect(await play(item, { type: 'custom', name: 'note' }, note)).toEqual([
      item,
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'noted' },
    ])
    expect(seen).toEqual(['a "b"'])
  })

  test('a patch is applied by the tool apply_patch', async () => {
    const patch = tool({
      name: 'apply_patch',
      description: 'Applies a patch.',
      effect: 'idempotent',
      inputSchema: z.object({ type: z.string(), path: z.string(), diff: z.string().optional() }),
      execute: ({ path }) => `changed ${path}`,
    })
    const item = {
      id: 'apc_1',
      type: 'apply_patch_call',
      status: 'completed',
      call_id: 'call_1',
      operation: { type: 'update_file', path: 'a.txt', diff: '+b' },
    }
    expect(await play(item, { type: 'apply_patch' }, patch)).toEqual([
      item,
      { type: 'apply_patch_call_output', call_id: 'call_1', status: 'completed', output: 'changed a.txt' },
    ])
  })

  test('an MCP call waits for the yes of the tool mcp_approval_request; without that tool the answer is no', async () => {
    const item = { id: 'mcpr_1', type: 'mcp_approval_request', server_label: 'zip', name: 'make', arguments: '{"url":"u"}' }
    const yes = tool({
      name: 'mcp_approval_request',
      description: 'Says yes.',
      effect: 'read',
      inputSchema: z.object({ name: z.string() }),
      execute: ({ name }) => name === 'make',
    })
    const server = { type: 'mcp', server_label: 'zip', server_url: 'https://zip.test' }
    expect(await play(item, server, yes)).toEqual([item, { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }])
    expect(await play(item, server, { ...yes, name: 'other' })).toMatchObject([item, { approve: false, reason: expect.any(String) }])
  })
})

describe('previousResponse', () => {
  /** Of each request: what it goes on from, and the kinds of its items. */
  const told = (requests: readonly FakeRequest[]) =>
    requests.map((request) => {
      const { previous_response_id: from, store } = request.body as Record<string, unknown>
      return [typeof from, store, inputOf(request).map(({ type, role }) => type ?? role)]
    })

  test('only what is new is sent', async () => {
    await using server = await fakeResponses([{ reasoning: 'hm', calls: [call('a')] }, 'done', 'again'])
    const model = openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key', previousResponse: true })
    const agent = new Agent({ model, tools: [noteTool([])], store: memory() })
    await agent.run('go', { session: 's' })
    expect((await agent.run('more', { session: 's' })).text).toBe('again')
    expect(server.violations).toEqual([])
    expect(told(server.requests)).toEqual([
      ['undefined', true, ['user']],
      ['string', true, ['function_call_output']],
      ['string', true, ['user']],
    ])
  })

  test('another process, and a history that was revised, send all of it', async () => {
    const store = memory()
    await using server = await fakeResponses(['one', 'two', 'three'])
    const agent = () => new Agent({ model: openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key', previousResponse: true }), store })
    await agent().run('go', { session: 's' })
    await agent().run('more', { session: 's' })
    await agent().run('other', { session: 't' })
    expect(server.violations).toEqual([])
    expect(told(server.requests).map(([from, , kinds]) => [from, kinds])).toEqual([
      ['undefined', ['user']],
      ['undefined', ['user', 'message', 'user']],
      ['undefined', ['user']],
    ])
  })

  test('B067 and from one that keeps nothing at all: all is sent, with its reasoning', async () => {
    const replies = [{ reasoning: 'hm', calls: [call('a')] }, { reasoning: 'so', text: 'done' }, 'again']
    await using server = await fakeResponses(replies, { rules: { keepsNothing: true } })
    const model = openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key', previousResponse: true })
    const agent = new Agent({ model, tools: [noteTool([])], store: memory(), policies })
    await agent.run('go', { session: 's' })
    expect((await agent.run('more', { session: 's' })).text).toBe('again')
    expect(new Set(server.violations.map(({ rule }) => rule))).toEqual(new Set(['previous']))
    expect(told(server.requests).at(-1)).toEqual([
      'undefined',
      true,
      ['user', 'reasoning', 'function_call', 'function_call_output', 'reasoning', 'message', 'user'],
    ])
  })

  test('a response that the server has lost: all is sent at once, and the run goes on', async () => {
    await using server = await fakeResponses([{ calls: [call('a')] }, 'done'], { rules: { kept: [] } })
    const model = openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key', previousResponse: true })
    const result = await new Agent({ model, tools: [noteTool([])], policies }).run('go')
    expect(result.text).toBe('done')
    expect(told(server.requests).map(([from, , kinds]) => [from, kinds])).toEqual([
      ['undefined', ['user']],
      ['string', ['function_call_output']],
      ['undefined', ['user', 'function_call', 'function_call_output']],
    ])
    expect(server.violations.map(({ code }) => code)).toEqual(['previous_response_not_found'])
  })
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
  const { result, violations } = await played(['fine'], { input })
  expect([violations, result.status]).toEqual([[], 'completed'])
})

test('a call that comes at once and a message behind it: the run goes on with the call', async () => {
  const { ran, result } = await played([raw([functionCall({ name: 'note', arguments: '{"text":"a"}' }), message('Done so.')]), 'done'])
  expect([ran, result.text]).toEqual([['a'], 'done'])
})
