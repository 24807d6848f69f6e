import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, fallback, type ProviderTool, type RunEvent, tool } from '../../src/index.ts'
import { anthropic } from '../../src/models/anthropic/index.ts'
import { openai } from '../../src/models/openai/index.ts'
import { fakeAnthropic } from '../../src/testing/fake/messages/index.ts'
import { fakeResponses } from '../../src/testing/fake/responses/index.ts'
import { scripted } from '../../src/testing/index.ts'
import { agentIn, collect, end, lab, noInput, plainTool, refusal } from '../acceptance/kit.ts'

const openaiSearch: ProviderTool = { provider: 'openai', providerTool: { type: 'web_search' } }
const anthropicSearch: ProviderTool = { provider: 'anthropic', providerTool: { type: 'web_search_20250305', name: 'web_search' } }

const searched = {
  type: 'part',
  part: 0,
  value: {
    type: 'tool-call',
    callId: '',
    toolName: 'web_search',
    input: { query: 'x' },
    providerExecuted: true,
    settlement: { outcome: 'ok', output: { found: 1 } },
  },
} as const

/** Calls our own tool besides. */
const both = {
  deltas: [searched, { type: 'call', part: 1, toolName: 'look' }, { type: 'call-input', part: 1, text: '{}' }],
} as const
const said = { deltas: [searched, { type: 'text', part: 1, text: 'Done.' }] } as const

const look = plainTool('look', () => 'a door')

/** Which calls were told of, in order. */
function calls(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'call.announced' || event.type === 'call.started' || event.type === 'call.settled' || event.type === 'approval.requested'
      ? [`${event.type} ${event.toolName}`]
      : [],
  )
}

describe('a tool that the provider runs', () => {
  test('F-64 its calls are told as settled, run and asked about by nobody, and count for no limit', async () => {
    const place = lab()
    const model = scripted([both, said], { provider: 'openai', clock: place.clock })
    const agent = agentIn(place, {
      model,
      tools: [look, openaiSearch],
      limits: { maxToolCalls: 1, maxCallsPerTool: 1 },
      policies: { approvals: { rules: [{ tool: 'web_search', action: 'ask' }] } },
    })
    const run = agent.stream('Hi', { session: 's' })
    const events = collect(run)
    const result = await place.clock.until(run.result)
    expect([end(result), result.text]).toEqual(['completed completed', 'Done.'])
    expect(calls(await events)).toEqual([
      'call.announced web_search',
      'call.settled web_search',
      'call.announced look',
      'call.started look',
      'call.settled look',
      'call.announced web_search',
      'call.settled web_search',
    ])
    expect(result.calls.map(({ toolName, outcome, dynamic }) => [toolName, outcome, dynamic])).toEqual([
      ['web_search', 'ok', true],
      ['look', 'ok', false],
      ['web_search', 'ok', true],
    ])
    expect(model.requests[0]?.tools).toEqual([look, openaiSearch])
    // The same list each time: adapters know by it that nothing has changed.
    expect(model.requests[1]?.tools).toBe(model.requests[0]?.tools)
    const entries = await collect(place.store.load('s'))
    expect(entries.flatMap((entry) => (entry.kind === 'model.started' ? [entry.data.setup?.tools] : []))).toEqual([
      ['look', 'openai:web_search'],
      undefined,
    ])
  })

  test('later changes of it have no effect', async () => {
    const model = scripted(['Done.'])
    const providerTool = { type: 'web_search' }
    const agent = new Agent({ model, tools: [{ provider: 'openai', providerTool }] })
    providerTool.type = 'code_interpreter'
    await agent.run('Hi')
    expect(model.requests[0]?.tools).toEqual([openaiSearch])
  })

  test('allowedTools names it with its provider; without that it is left out', async () => {
    const model = scripted(['a', 'b', 'c'])
    const agent = new Agent({ model, tools: [look, openaiSearch] })
    await agent.run('Hi', { allowedTools: ['look'] })
    await agent.run('Hi', { allowedTools: ['openai:web_search'] })
    await agent.run('Hi', { toolChoice: 'required', allowedTools: ['openai:web_search'] })
    expect(model.requests.map(({ tools }) => tools)).toEqual([[look], [openaiSearch], [openaiSearch]])
    expect((await refusal(agent.run('Hi', { toolChoice: { tool: 'openai:web_search' } }))).message).toContain('there is no such tool')
  })

  test('a run that was given one goes on with it only', async () => {
    const place = lab()
    const model = scripted([{ calls: [{ name: 'look', input: {} }] }, 'Done.'], { clock: place.clock })
    const asking = tool({ name: 'look', description: 'look', inputSchema: noInput, needsApproval: true, execute: () => 'a door' })
    const agent = agentIn(place, { model, tools: [asking] })
    await place.clock.until(agent.run('Hi', { session: 's', runId: 'r', extraTools: [openaiSearch] }))
    const later = agentIn(place, { model, tools: [asking] })
    const decisions = [{ callId: 'm1.0', decision: 'approve' }] as const
    expect((await refusal(later.resume('s', { decisions }).result)).message).toContain("the tool 'openai:web_search'")
    const result = await place.clock.until(later.resume('s', { decisions, extraTools: [openaiSearch] }).result)
    expect(end(result)).toBe('completed completed')
    expect(model.requests[1]?.tools).toEqual([asking, openaiSearch])
  })

  test.each<[string, object, string]>([
    ['no provider', { providerTool: { type: 'x' } }, "tools[0].provider must be the name of a provider, as 'openai'"],
    ['a blank provider', { provider: '', providerTool: { type: 'x' } }, "tools[0].provider must be the name of a provider, as 'openai'"],
    ['no object', { provider: 'openai', providerTool: 'web_search' }, 'tools[0].providerTool must be the tool as its API takes it'],
    ['an empty object', { provider: 'openai', providerTool: {} }, 'tools[0].providerTool must be the tool as its API takes it'],
    ['no JSON', { provider: 'openai', providerTool: { type: () => 1 } }, 'tools[0].providerTool must be the tool as its API takes it'],
    ['more', { provider: 'openai', providerTool: { type: 'x' }, name: 'x' }, "'tools[0].name'"],
  ])('%s is refused', (_what, wrong, why) => {
    expect(() => new Agent({ model: scripted([]), tools: [wrong as ProviderTool] })).toThrow(why)
  })

  test('one of a provider that nobody here has is an error that says so', async () => {
    await using server = await fakeResponses([])
    const model = openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key' })
    const error = await refusal(new Agent({ model, tools: [anthropicSearch] }).run('Hi'))
    expect([error.code, error.message]).toEqual([
      'ConfigInvalid',
      expect.stringContaining("A tool of the provider 'anthropic' can't be run by 'openai'"),
    ])
    expect(server.requests).toEqual([])
  })
})

const note = tool({
  name: 'note',
  description: 'Notes a text.',
  effect: 'read',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => `noted ${text}`,
})

const fromOpenai = {
  status: 200,
  body: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'doors' } },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'A door.', annotations: [] }],
      },
    ],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  },
}

const found = { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'e' }
const fromAnthropic = {
  status: 200,
  body: {
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'doors' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] },
      { type: 'text', text: 'A door.' },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  },
}

const toolsOf = ({ body }: { readonly body: unknown }) => (body as { tools: readonly Record<string, unknown>[] }).tools

describe('over HTTP', () => {
  test('the Responses API is told of it, its calls are in the result, and they go back', async () => {
    await using server = await fakeResponses([fromOpenai, 'And more.'])
    const agent = new Agent({ model: openai('gpt-5-fake', { baseURL: server.url, apiKey: 'key' }), tools: [note, openaiSearch] })
    const first = await agent.run('Search', { session: 's' })
    const second = await agent.run('More?', { session: 's' })
    expect([first.text, second.text, server.violations]).toEqual(['A door.', 'And more.', []])
    expect(first.calls).toMatchObject([{ toolName: 'web_search', input: { query: 'doors' }, outcome: 'ok' }])
    expect(server.requests.map((request) => toolsOf(request).map(({ type }) => type))).toEqual([
      ['function', 'web_search'],
      ['function', 'web_search'],
    ])
    expect(JSON.stringify(server.requests[1]?.body)).toContain('"web_search_call"')
  })

  test('the Messages API is told of it, its calls are in the result, and they go back', async () => {
    await using server = await fakeAnthropic([fromAnthropic, 'And more.'])
    const model = anthropic('claude-sonnet-4-5', { baseURL: server.url, apiKey: 'k' })
    const agent = new Agent({ model, tools: [note, anthropicSearch] })
    const first = await agent.run('Search', { session: 's' })
    const second = await agent.run('More?', { session: 's' })
    expect([first.text, second.text, server.violations]).toEqual(['A door.', 'And more.', []])
    expect(first.calls).toMatchObject([{ toolName: 'web_search', input: { query: 'doors' }, outcome: 'ok' }])
    expect(server.requests.map((request) => toolsOf(request).map(({ name }) => name))).toEqual([
      ['note', 'web_search'],
      ['note', 'web_search'],
    ])
    expect(JSON.stringify(server.requests[1]?.body)).toContain('"server_tool_use"')
  })

  test('each model of a fallback is told of those of its provider', async () => {
    await using first = await fakeResponses([{ status: 500, body: {} }, fromOpenai])
    await using second = await fakeAnthropic([fromAnthropic])
    const model = fallback(
      [openai('gpt-5-fake', { baseURL: first.url, apiKey: 'key' }), anthropic('claude-sonnet-4-5', { baseURL: second.url, apiKey: 'k' })],
      { cooldownMs: 0 },
    )
    const agent = new Agent({ model, tools: [note, openaiSearch, anthropicSearch] })
    await agent.run('Search', { session: 's' })
    await agent.run('Search', { session: 's' })
    expect(first.requests.map((request) => toolsOf(request).map(({ type }) => type))).toEqual([
      ['function', 'web_search'],
      ['function', 'web_search'],
    ])
    expect(second.requests.map((request) => toolsOf(request).map(({ name }) => name))).toEqual([['note', 'web_search']])
    expect([...first.violations, ...second.violations]).toEqual([])
  })

  test("a session goes on with another provider's model, without the tools of the agent's", async () => {
    await using first = await fakeAnthropic([fromAnthropic])
    await using second = await fakeResponses(['Go on.'])
    const agent = new Agent({
      model: anthropic('claude-sonnet-4-5', { baseURL: first.url, apiKey: 'k' }),
      tools: [note, anthropicSearch],
    })
    await agent.run('Search', { session: 's' })
    const result = await agent.run('More?', { session: 's', model: openai('gpt-5-fake', { baseURL: second.url, apiKey: 'key' }) })
    expect([result.text, second.violations]).toEqual(['Go on.', []])
    expect(toolsOf(second.requests[0] ?? { body: { tools: [] } }).map(({ name }) => name)).toEqual(['note'])
  })
})
