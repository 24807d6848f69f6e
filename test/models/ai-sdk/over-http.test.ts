import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible as compatibleV4 } from '@ai-sdk/openai-compatible'
import { createOpenAICompatible as compatibleV2 } from 'ai-sdk-v2-openai-compatible'
import { createOpenAICompatible as compatibleV3 } from 'ai-sdk-v3-openai-compatible'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, memory, type RunResult, type Tools, tool } from '../../../src/index.ts'
import { fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import type { AiSdkLanguageModel } from '../../../src/models/ai-sdk/spec.ts'
import { openaiCompatible } from '../../../src/models/openai/index.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import { chatWords } from '../../../src/testing/fake/chat/words.ts'
import { fakeAnthropic } from '../../../src/testing/fake/messages/index.ts'
import { fakeResponses } from '../../../src/testing/fake/responses/index.ts'
import { fromScripted } from '../../../src/testing/fake/scripted.ts'
import type { FakeScript } from '../../../src/testing/fake/server.ts'
import { type ScriptedCall, type ScriptedReply, scripted, seededRandom } from '../../../src/testing/index.ts'

// The real packages, against a server that holds every request to the rules of the API.

const named = { name: 'fake', apiKey: 'key', includeUsage: true, supportsStructuredOutputs: true } as const
const packages: readonly [name: string, model: (baseURL: string) => AiSdkLanguageModel][] = [
  ['@ai-sdk/openai-compatible, specification 2', (baseURL) => compatibleV2({ ...named, baseURL })('fake-model')],
  ['@ai-sdk/openai-compatible, specification 3', (baseURL) => compatibleV3({ ...named, baseURL })('fake-model')],
  ['@ai-sdk/openai-compatible, specification 4', (baseURL) => compatibleV4({ ...named, baseURL })('fake-model')],
  ['@ai-sdk/openai (chat), specification 4', (baseURL) => createOpenAI({ baseURL, apiKey: 'key' }).chat('gpt-4.1-mini')],
]

/** What packages send besides, and other servers take. */
const rules = { extraMessageFields: ['reasoning_content'] }

const note = tool({
  name: 'note',
  description: 'Notes a text.',
  effect: 'read',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ({ noted: text }),
})

const policies = { retry: { baseMs: 1, capMs: 2 } } as const
const call = (text: string, id?: string) => ({ name: 'note', input: { text }, ...(id === undefined ? {} : { id }) })

describe.each(packages)('%s', (_, modelAt) => {
  async function played(script: FakeScript, more: { tools?: Tools } = {}) {
    await using server = await fakeOpenAIChat(script, { rules })
    const agent = new Agent({ model: fromAiSdk(modelAt(server.url)), instructions: 'Be brief.', tools: more.tools ?? [note], policies })
    const result: RunResult = await agent.run('go', { throwOnError: false })
    expect(server.violations).toEqual([])
    return { result, requests: server.requests }
  }

  test('a run with parallel calls: what is asked, what comes, what it took', async () => {
    const { result, requests } = await played([
      {
        reasoning: 'hm',
        text: ['Let ', 'me see.'],
        calls: [call('a'), call('b')],
        usage: { inputTokens: 20, outputTokens: 7, cachedInputTokens: 4 },
      },
      { text: 'Done.', usage: { inputTokens: 30, outputTokens: 2 } },
    ])
    expect(result).toMatchObject({
      status: 'completed',
      text: 'Done.',
      usage: { inputTokens: 50, outputTokens: 9, cachedInputTokens: 4, complete: true },
      calls: [
        { input: { text: 'a' }, outcome: 'ok', output: { noted: 'a' } },
        { input: { text: 'b' }, outcome: 'ok', output: { noted: 'b' } },
      ],
    })
    const first = requests[0]?.body as { messages: unknown[]; tools: unknown[] }
    const second = requests[1]?.body as { messages: { role: string }[] }
    expect(first.messages).toMatchObject([{ role: 'system', content: 'Be brief.' }, { role: 'user' }])
    expect(first.tools).toMatchObject([
      { type: 'function', function: { name: 'note', parameters: { type: 'object', required: ['text'] } } },
    ])
    expect(second.messages.slice(0, 2)).toEqual(first.messages)
    expect(second.messages.slice(2)).toMatchObject([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ function: { arguments: '{"text":"a"}' } }, { function: { arguments: '{"text":"b"}' } }],
      },
      { role: 'tool', content: '{"noted":"a"}' },
      { role: 'tool', content: '{"noted":"b"}' },
    ])
  })

  test('an approval in another process: the run parks, and goes on from the journal', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ euros: z.number() }),
      needsApproval: true,
      execute: ({ euros }) => `paid ${euros}`,
    })
    await using server = await fakeOpenAIChat([{ calls: [{ name: 'pay', input: { euros: 5 } }] }, 'Paid.'], { rules })
    const store = memory()
    const agent = () => new Agent({ model: fromAiSdk(modelAt(server.url)), tools: [pay], store })
    const parked = await agent().run('pay 5')
    if (parked.status !== 'parked') throw new Error(`it is ${parked.status}`)
    const decisions = parked.pending.map(({ callId }) => ({ callId, decision: 'approve' as const, by: 'ann' }))
    const result = await agent().resume(parked.sessionId, { decisions }).result
    expect([result.status, result.text, server.violations]).toEqual(['completed', 'Paid.', []])
  })

  test('structured output: the schema is told to the API, in the form that it keeps to where that is possible', async () => {
    await using server = await fakeOpenAIChat([{ text: '{"city":"Oslo"}' }, { text: '{"city":"Oslo"}' }], { rules })
    const model = fromAiSdk(modelAt(server.url), { onWarning: () => {} })
    const output = z.object({ city: z.string() })
    expect((await new Agent({ model, output }).run('where?')).output).toEqual({ city: 'Oslo' })
    const schema = { properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
    expect(server.requests[0]?.body).toMatchObject({ response_format: { type: 'json_schema', json_schema: { schema } } })
    // B178: what no strict schema can say is not asked for strictly.
    const loose = z.object({ city: z.string(), zip: z.string().optional(), more: z.record(z.string(), z.number()).optional() })
    expect((await new Agent({ model, output: loose }).run('where?')).output).toEqual({ city: 'Oslo' })
    expect(server.requests[1]?.body).not.toMatchObject({ response_format: { json_schema: { strict: true } } })
    expect(server.violations).toEqual([])
  })

  test('errors of the server are what they are everywhere: by kind, tried again or not, with the wait that was asked for', async () => {
    const limited = { status: 429, body: { error: { message: 'Rate limit reached' } }, headers: { 'retry-after-ms': '1' } }
    const { result, requests } = await played([limited, 'Fine.'])
    expect([result.status, result.text, requests.length]).toEqual(['completed', 'Fine.', 2])
    const tooLong = {
      status: 400,
      body: { error: { message: "This model's maximum context length is 8 tokens. However, your messages resulted in 9 tokens." } },
    }
    const over = await played([tooLong, tooLong, tooLong, tooLong])
    expect(over.result).toMatchObject({ status: 'failed', error: { code: 'ModelContextOverflow' } })
    const refused = await played([{ status: 401, body: { error: { message: 'Incorrect API key provided' } } }])
    expect([refused.result, refused.requests.length]).toMatchObject([{ status: 'failed', error: { code: 'ModelAuthError' } }, 1])
  })

  test('B088 a stream that ends cleanly in the middle is no answer: it is asked for again, and nothing of it runs', async () => {
    const cut = { calls: [call('half')], breaks: { after: 2, with: 'end' } } as const
    const { result, requests } = await played([cut, 'Whole.'])
    expect([result.status, result.text, result.calls, requests.length]).toEqual(['completed', 'Whole.', [], 2])
  })

  test('an abort in the middle of a stream closes the connection', async () => {
    await using server = await fakeOpenAIChat([{ text: ['a', 'b'], afterDelta: (n) => (n < 1 ? undefined : new Promise(() => {})) }], {
      rules,
    })
    const run = new Agent({ model: fromAiSdk(modelAt(server.url)) }).stream('go')
    for await (const event of run) if (event.type === 'text.delta') void run.abort()
    expect((await run.result).status).toBe('aborted')
    await expect.poll(() => server.requests[0]?.ended).toBe('aborted')
  })

  test('a session that began here goes on with an adapter of ours, and back: every request is good', async () => {
    await using server = await fakeOpenAIChat(
      [{ reasoning: 'hm', calls: [call('a', 'x1'), call('b', 'x1')] }, 'One.', { calls: [call('c', 'x1')] }, 'Two.', 'Three.'],
      { rules },
    )
    const theirs = fromAiSdk(modelAt(server.url))
    const ours = openaiCompatible({ baseURL: server.url })('other')
    const agent = new Agent({ model: theirs, tools: [note] })
    const { sessionId } = await agent.run('go')
    const second = await agent.run('more', { session: sessionId, model: ours })
    const third = await agent.run('again', { session: sessionId })
    expect([second.text, third.text, server.violations]).toEqual(['Two.', 'Three.', []])
    const last = server.requests[4]?.body as { messages: { role: string }[] }
    expect(last.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  test('random scripts give the same as in process, and no request is ever refused', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const random = seededRandom(seed)
      const script: (ScriptedReply | string)[] = [
        ...Array.from({ length: Math.floor(random() * 4) }, () => randomReply(random)),
        'The end.',
      ]
      const tools = [note, breaks]
      const wanted = agreed(await new Agent({ model: scripted(script), tools, policies }).run('go', { throwOnError: false }))
      await using server = await fakeOpenAIChat(
        script.map((one) => fromScripted(one, chatWords)),
        { rules },
      )
      const result = await new Agent({ model: fromAiSdk(modelAt(server.url)), tools, policies }).run('go', { throwOnError: false })
      expect(server.violations, `seed ${seed}`).toEqual([])
      expect(agreed(result), `seed ${seed}`).toEqual(wanted)
    }
  })
})

const breaks = tool({
  name: 'breaks',
  description: 'Fails.',
  effect: 'read',
  inputSchema: z.object({}),
  execute: (): string => {
    throw new Error('it broke')
  },
})

const texts = ['Yes.', 'Grüße 😀 und "mehr"', 'two\nlines', 'a\\b', '{"json":true}']

function randomReply(random: () => number): ScriptedReply {
  const pick = <X>(list: readonly X[]): X => list[Math.floor(random() * list.length)] as X
  const randomCall = (): ScriptedCall =>
    pick([
      { name: 'note', input: { text: pick(texts) } },
      { name: 'note', input: { text: 5 } },
      { name: 'nobody', input: { x: 1 } },
      { name: 'breaks', input: {} },
    ])
  const calls = random() < 0.7 ? Array.from({ length: 1 + Math.floor(random() * 3) }, randomCall) : []
  const text = calls.length === 0 || random() < 0.4 ? { text: pick(texts), chunk: 1 + Math.floor(random() * 5) } : {}
  const reasoning = random() < 0.3 ? { reasoning: pick(texts) } : {}
  const finish = random() < 0.1 ? { finish: pick(['length', 'content-filter', 'stop'] as const) } : {}
  return { ...text, ...reasoning, ...(calls.length === 0 ? {} : { calls }), ...finish }
}

function agreed(result: RunResult): unknown {
  const calls = result.calls.map(({ toolName, input, outcome, ...rest }) => [
    toolName,
    input,
    outcome,
    'output' in rest ? rest.output : rest.error.code,
  ])
  return { status: result.status, reason: result.reason, text: result.text, iterations: result.iterations, calls }
}

test('@ai-sdk/openai (Responses), specification 4: tools, then an output that fits a schema', async () => {
  const calls = { reasoning: 'hm', calls: [call('a'), call('b')] }
  await using server = await fakeResponses([calls, 'Noted.', '{"count":2}'])
  const model = fromAiSdk(createOpenAI({ baseURL: server.url, apiKey: 'key' })('gpt-5-mini'))
  const agent = new Agent({ model, tools: [note], output: z.object({ count: z.number() }), policies })
  const result = await agent.run('go', { throwOnError: false })
  expect([server.violations, result.calls.map(({ outcome }) => outcome)]).toEqual([[], ['ok', 'ok']])
  expect(result).toMatchObject({ status: 'completed', output: { count: 2 }, usage: { inputTokens: 30, outputTokens: 15, complete: true } })
  server.assertDone()
})

test('@ai-sdk/anthropic, specification 4: an output and a wrap-up after calls are not refused for want of a tool', async () => {
  const script = [{ calls: [call('a')] }, 'Noted.', { calls: [call('b')] }, '{"count":2}', { calls: [call('c')] }, 'I stop here.']
  await using server = await fakeAnthropic(script, { rules: { prefill: false } })
  const model = fromAiSdk(createAnthropic({ baseURL: server.url, apiKey: 'key' })('claude-sonnet-4-5'))
  const answered = await new Agent({ model, tools: [note], output: z.object({ count: z.number() }), policies }).run('go', {
    throwOnError: false,
  })
  expect([server.violations, answered.status, answered.output]).toEqual([[], 'completed', { count: 2 }])
  expect(answered.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'skipped'])
  const limited = await new Agent({ model, tools: [note], policies, limits: { maxIterations: 1 } }).run('go', { throwOnError: false })
  expect([server.violations, limited.status, limited.text]).toEqual([[], 'incomplete', 'I stop here.'])
  server.assertDone()
})
