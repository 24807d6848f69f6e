import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../src/core/json.ts'
import type { Message } from '../../../src/core/message.ts'
import type { ModelRequest, ModelSettings } from '../../../src/core/model.ts'
import { tool } from '../../../src/index.ts'
import { type AnthropicOptions, anthropic, anthropicVertex } from '../../../src/models/anthropic/index.ts'
import { scopeOf } from '../../../src/models/scope.ts'
import { ended, read, start, stop, stream, text, user } from './support.ts'

afterEach(() => void vi.unstubAllEnvs())

interface Sent {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  // biome-ignore lint/suspicious/noExplicitAny: a body of any shape
  readonly body: any
}

const plain: ModelRequest = { instructions: '', messages: [user('go')], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' }

/** What goes out for a request. */
async function sent(model: string, request: Partial<ModelRequest> = {}, options: AnthropicOptions = {}): Promise<Sent> {
  const calls: Sent[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const written = Buffer.from(init?.body as Uint8Array).toString()
    const told = JSON.parse(written)
    // A field that stands there twice would be gone.
    expect(JSON.stringify(told)).toBe(written)
    calls.push({ url: String(url), headers: Object.fromEntries(new Headers(init?.headers)), body: told })
    return new Response(stream(start, ...text(0, 'x'), ended('end_turn'), stop), { headers: { 'content-type': 'text/event-stream' } })
  }
  const made = anthropic(model, { apiKey: 'k', ...options, fetch })
  await made.stream({ ...plain, ...request }, () => {}, { signal: new AbortController().signal, sessionId: 's' })
  const [call] = calls
  if (call === undefined) throw new Error('nothing was sent')
  return call
}

const body = async (model: string, request?: Partial<ModelRequest>, options?: AnthropicOptions) =>
  (await sent(model, request, options)).body

const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({ q: z.string() }), execute: () => '' })
const settings = (own: ModelSettings): Partial<ModelRequest> => ({ settings: own })
const refusal = (what: RegExp) => expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringMatching(what) })

test('a request holds what it must, and nothing that nobody asked for', async () => {
  const { url, headers, body: whole } = await sent('claude-sonnet-4-5')
  expect(url).toBe('https://api.anthropic.com/v1/messages')
  expect(headers).toMatchObject({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' })
  expect(Object.keys(headers)).not.toContain('anthropic-beta')
  expect(whole).toEqual({
    model: 'claude-sonnet-4-5',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
    max_tokens: 64_000,
    stream: true,
  })
})

test('instructions, tools, settings and the user’s own fields', async () => {
  const request = {
    instructions: 'Be brief.',
    tools: [look, { provider: 'anthropic', providerTool: { type: 'web_search_20250305', name: 'web_search' } }],
    settings: {
      maxOutputTokens: 99,
      temperature: 0.5,
      stop: ['END'],
      providerOptions: { anthropic: { metadata: { user_id: 'u' }, messages: [], model: 'x' } },
    },
  }
  expect(await body('claude-sonnet-4-5', request)).toEqual({
    model: 'claude-sonnet-4-5',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
    system: [{ type: 'text', text: 'Be brief.' }],
    tools: [
      { name: 'look', description: 'Looks.', input_schema: expect.objectContaining({ type: 'object', required: ['q'] }) },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    max_tokens: 99,
    temperature: 0.5,
    stop_sequences: ['END'],
    metadata: { user_id: 'u' },
    stream: true,
  })
})

describe('how much may be written', () => {
  test.each([
    ['claude-3-opus-20240229', 4_096],
    ['claude-3-5-haiku-latest', 8_192],
    ['claude-3-7-sonnet-20250219', 32_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-haiku-4-5', 64_000],
    ['anthropic/claude-sonnet-4.6', 128_000],
    ['us.anthropic.claude-opus-4-6-v1:0', 128_000],
    ['claude-fable-5', 128_000],
    ['glm-4.6', 32_000],
  ])('%s: %i when nobody says', async (model, tokens) => expect((await body(model)).max_tokens).toBe(tokens))

  test('what the capabilities say goes over it, and what the settings say over both', async () => {
    const capabilities = { maxOutputTokens: 5_000 }
    expect((await body('glm-4.6', {}, { capabilities })).max_tokens).toBe(5_000)
    expect((await body('glm-4.6', settings({ maxOutputTokens: 7 }), { capabilities })).max_tokens).toBe(7)
  })

  test('without a stream it is no more than a connection can wait for, unless somebody says so', async () => {
    expect((await body('claude-sonnet-4-5', {}, { stream: false })).max_tokens).toBe(21_333)
    expect((await body('claude-sonnet-4-5', settings({ maxOutputTokens: 60_000 }), { stream: false })).max_tokens).toBe(60_000)
  })
})

describe('thinking', () => {
  const asked = async (model: string, own: ModelSettings, options?: AnthropicOptions) => {
    const { thinking, output_config: config } = await body(model, settings(own), options)
    return { thinking, config }
  }

  test.each([
    ['claude-sonnet-4-5', 'low', { type: 'enabled', budget_tokens: 4_096 }, undefined],
    ['claude-sonnet-4-5', 'high', { type: 'enabled', budget_tokens: 32_768 }, undefined],
    ['claude-opus-4-1', 'high', { type: 'enabled', budget_tokens: 24_000 }, undefined],
    ['glm-4.6', 'medium', { type: 'enabled', budget_tokens: 16_384 }, undefined],
    ['claude-opus-4-6', 'medium', { type: 'adaptive' }, { effort: 'medium' }],
    ['claude-opus-4-8', 'high', { type: 'adaptive' }, { effort: 'high' }],
    ['claude-opus-4-8', 'none', undefined, undefined],
    ['claude-sonnet-4-5', 'none', { type: 'disabled' }, undefined],
    ['claude-opus-5', 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    ['claude-3-5-haiku-latest', 'none', undefined, undefined],
  ] as const)('%s, %s', async (model, reasoning, thinking, config) => {
    expect(await asked(model, { reasoning })).toEqual({ thinking, config })
  })

  test('it is a part of what may be written', async () => {
    expect((await asked('claude-sonnet-4-5', { reasoning: 'high', maxOutputTokens: 4_000 })).thinking.budget_tokens).toBe(3_000)
    expect((await asked('claude-sonnet-4-5', { reasoning: 'high', maxOutputTokens: 1_100 })).thinking.budget_tokens).toBe(1_024)
    await expect(asked('claude-sonnet-4-5', { reasoning: 'high', maxOutputTokens: 1_000 })).rejects.toEqual(
      refusal(/maxOutputTokens \(1000\)/),
    )
  })

  test('what is shown of it may be said', async () => {
    const thinking = { type: 'adaptive', display: 'summarized' }
    expect((await asked('claude-opus-5', { reasoning: 'low' }, { thinkingText: 'summarized' })).thinking).toEqual(thinking)
    expect((await asked('claude-opus-5', {}, { thinkingText: 'summarized' })).thinking).toEqual(thinking)
    expect((await asked('claude-opus-4-6', {}, { thinkingText: 'summarized' })).thinking).toBeUndefined()
  })

  test('B073 what a model can not do is said, and nothing is changed in silence', async () => {
    const cases: [string, Partial<ModelRequest>, RegExp][] = [
      ['claude-3-5-haiku-latest', settings({ reasoning: 'low' }), /does not think/],
      ['claude-opus-5-5', settings({ reasoning: 'none' }), /always thinks/],
      ['claude-sonnet-4-5', settings({ reasoning: 'low', temperature: 0.2 }), /temperature/],
      ['claude-sonnet-4-5', settings({ topP: 0.2, temperature: 0.2 }), /not both/],
      ['claude-opus-4-7', settings({ temperature: 1 }), /temperature/],
      ['claude-opus-5', settings({ topP: 0.5 }), /topP/],
      ['claude-sonnet-4-5', settings({ seed: 1 }), /seed/],
      ['claude-opus-5-5', { tools: [look], toolChoice: 'required' }, /toolChoice/],
      ['claude-sonnet-4-5', { tools: [look], toolChoice: { tool: 'look' }, settings: { reasoning: 'low' } }, /while it thinks/],
      ['claude-sonnet-4-5', { tools: [{ provider: 'openai', providerTool: {} }] }, /can't be run by 'anthropic'/],
    ]
    for (const [model, request, what] of cases) await expect(body(model, request)).rejects.toEqual(refusal(what))
    expect(await body('claude-sonnet-4-5', settings({ reasoning: 'low', temperature: 1 }))).toMatchObject({ temperature: 1 })
  })

  test('B073 a history without thinking is sent as it is, and thinking stays asked for', async () => {
    const settlement = { outcome: 'ok', output: 'x' } as const
    const foreign: Message = { role: 'assistant', parts: [{ type: 'tool-call', callId: 'm1.0', toolName: 'look', input: {}, settlement }] }
    const { messages, thinking } = await body('claude-sonnet-4-5', { messages: [user('go'), foreign], ...settings({ reasoning: 'low' }) })
    expect([messages.length, thinking.type]).toEqual([3, 'enabled'])
  })

  test('where it is bound to what stood before, what no longer fits is dropped by the provider and kills no session', async () => {
    const own = await sent('claude-opus-5-5')
    expect(own.headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01')
    expect(own.body.thinking).toEqual({ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } })
    for (const other of [
      await sent('claude-opus-5-5', {}, { baseURL: 'https://proxy.test' }),
      await sent('claude-opus-5-5', {}, { changedHistory: 'refuse' }),
      await sent('claude-opus-5', {}, { changedHistory: 'drop-thinking' }),
    ])
      expect([other.headers['anthropic-beta'], other.body.thinking]).toEqual([undefined, undefined])
  })
})

describe('which call', () => {
  test.each([
    ['auto', undefined, undefined],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    ['none', false, { type: 'none' }],
    ['required', undefined, { type: 'any' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [{ tool: 'look' }, undefined, { type: 'tool', name: 'look' }],
  ] as const)('%j', async (toolChoice, parallelCalls, choice) => {
    expect((await body('claude-sonnet-4-5', { tools: [look], toolChoice }, { parallelCalls })).tool_choice).toEqual(choice)
  })

  test('a choice of the user for all requests does not allow calls where none may be made', async () => {
    const settings = { providerOptions: { anthropic: { tool_choice: { type: 'any' } } } }
    expect((await body('claude-sonnet-4-5', { tools: [look], settings })).tool_choice).toEqual({ type: 'any' })
    expect((await body('claude-sonnet-4-5', { tools: [look], toolChoice: 'none', settings })).tool_choice).toEqual({ type: 'none' })
  })

  test('without tools there is no choice', async () => {
    expect(await body('claude-sonnet-4-5', { toolChoice: 'none' })).not.toHaveProperty('tool_choice')
  })

  test('a history with calls needs a tool that is declared: where there is none any more, one that can not be called', async () => {
    const settlement = { outcome: 'ok', output: 'x' } as const
    const calls: Message = { role: 'assistant', parts: [{ type: 'tool-call', callId: 'm1.0', toolName: 'look', input: {}, settlement }] }
    const messages = [user('go'), calls, user('and?')]
    const without = await body('claude-sonnet-4-5', { messages })
    expect(without).toMatchObject({ tools: [{ name: 'no_tool', input_schema: { type: 'object' } }], tool_choice: { type: 'none' } })
    const own = { anthropic: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] } }
    const theirs = await body('claude-sonnet-4-5', { messages, settings: { providerOptions: own } })
    expect([theirs.tools, theirs.tool_choice]).toEqual([own.anthropic.tools, undefined])
    expect((await body('claude-sonnet-4-5', { messages, tools: [look], toolChoice: 'none' })).tools).toMatchObject([{ name: 'look' }])
    expect(await body('claude-sonnet-4-5')).not.toHaveProperty('tools')
  })

  test('B179 the root of a schema is a plain object, whatever the tool says, and nothing is lost', async () => {
    const fields = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })
    const union = { ...look, inputJsonSchema: { anyOf: [fields('a'), fields('b')] } }
    const [sentTool] = (await body('claude-sonnet-4-5', { tools: [union] })).tools
    expect(Object.keys(sentTool.input_schema.properties)).toEqual(['a', 'b'])
    expect(['anyOf', 'oneOf', 'allOf'].filter((keyword) => keyword in sentTool.input_schema)).toEqual([])
    const bare = { ...look, inputJsonSchema: {} }
    expect((await body('claude-sonnet-4-5', { tools: [bare] })).tools[0].input_schema.type).toBe('object')
  })
})

test('a schema for the answer is sent to models that take one, beside their effort', async () => {
  const outputSchema = { type: 'object', properties: {}, additionalProperties: false }
  const effort = { anthropic: { output_config: { effort: 'max' } } }
  expect((await body('claude-sonnet-4-5', { outputSchema })).output_config).toEqual({
    format: { type: 'json_schema', schema: outputSchema },
  })
  expect((await body('claude-opus-5', { outputSchema, settings: { reasoning: 'low', providerOptions: effort } })).output_config).toEqual({
    effort: 'max',
    format: { type: 'json_schema', schema: outputSchema },
  })
  const told = (model: string) => anthropic(model, { apiKey: 'k' }).capabilities.structuredOutput
  expect(['claude-sonnet-4-5', 'claude-opus-4-1', 'glm-4.6'].map(told)).toEqual(['native', 'prompt', 'prompt'])
})

test.each([
  ['comes back to itself', { type: 'object', properties: { next: { $ref: '#' } } }],
  ['has a record', { type: 'object', properties: { prices: { type: 'object', additionalProperties: { type: 'number' } } } }],
])('a schema for the answer that %s would be refused each time: it is told in words, behind the instructions', async (_, outputSchema) => {
  const sent = await body('claude-sonnet-4-5', { outputSchema, instructions: 'Be brief.' })
  expect(sent.output_config).toBeUndefined()
  expect(sent.system).toEqual([{ type: 'text', text: expect.stringMatching(/^Be brief\.\n\nYour final answer must be one JSON value/) }])
  expect(sent.system[0].text).toContain(JSON.stringify(outputSchema))
})

describe('an answer at the end of the history', () => {
  const answer: Message = { role: 'assistant', parts: [{ type: 'text', text: 'half ' }] }
  const last = async (model: string, own: ModelSettings = {}) =>
    (await body(model, { messages: [user('go'), answer], settings: own })).messages.at(-1)

  test('is gone on with where the model does so', async () => {
    expect(await last('claude-sonnet-4-5')).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'half' }] })
  })

  test.each([
    ['claude-opus-4-6', {}],
    ['claude-sonnet-4-5', { reasoning: 'low' }],
    ['glm-4.6', {}],
  ] as const)('%s %j: elsewhere the user asks for more', async (model, own) => {
    expect(await last(model, own)).toMatchObject({ role: 'user', content: [{ type: 'text' }] })
  })

  test('B055 is the last word when it paused', async () => {
    const scope = scopeOf('anthropic', 'messages', 'claude-opus-4-6')
    const item = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }
    const part = { type: 'tool-call', callId: 'm1.0', toolName: 'web_search', input: {}, providerExecuted: true } as const
    const paused: Message = { role: 'assistant', parts: [{ ...part, providerData: { [scope]: { item, paused: true } } }] }
    expect((await body('claude-opus-4-6', { messages: [user('go'), paused] })).messages.at(-1)).toEqual({
      role: 'assistant',
      content: [item],
    })
  })
})

describe('the cache', () => {
  const cached = { type: 'ephemeral' }

  test('marks the tools, the instructions and the conversation', async () => {
    const request = { instructions: 'Be brief.', tools: [look, { ...look, name: 'see' }] }
    const { tools, system, messages } = await body('claude-sonnet-4-5', request, { cache: true })
    expect(tools.map((one: object) => Reflect.get(one, 'cache_control'))).toEqual([undefined, cached])
    expect([system[0].cache_control, messages[0].content[0].cache_control]).toEqual([cached, cached])
  })

  test('for an hour, where that is asked for', async () => {
    const { messages } = await body('claude-sonnet-4-5', {}, { cache: { ttl: '1h' } })
    expect(messages[0].content[0].cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
  })

  test('never in more than four places', async () => {
    for (let own = 0; own <= 3; own++) {
      const theirs = Array.from({ length: own }, (_, n) => ({
        provider: 'anthropic',
        providerTool: { type: `x_${n}`, name: `x${n}`, cache_control: cached },
      }))
      const sentBody = await body('claude-sonnet-4-5', { instructions: 'x', tools: [...theirs, look] }, { cache: true })
      expect(JSON.stringify(sentBody).split('cache_control').length - 1).toBeLessThanOrEqual(4)
    }
  })
})

test('where programs of the provider ran is named again as long as it is there, beside what the user says of it', async () => {
  const container = async (expires: string, own?: Json) => {
    const scope = scopeOf('anthropic', 'messages', 'claude-sonnet-4-5')
    const notes = { container: { id: 'container_1', expires_at: expires } }
    const answer: Message = { role: 'assistant', parts: [{ type: 'text', text: 'x', providerData: { [scope]: notes } }] }
    const more = own === undefined ? {} : settings({ providerOptions: { anthropic: { container: own } } })
    return (await body('claude-sonnet-4-5', { messages: [user('go'), answer, user('and?')], ...more })).container
  }
  const [later, past] = ['2999-01-01T00:00:00Z', '2001-01-01T00:00:00Z']
  const skills = [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }]
  expect([await container(later), await container(past)]).toEqual(['container_1', undefined])
  expect(await container(later, { skills })).toEqual({ id: 'container_1', skills })
  expect(await container(past, { skills })).toEqual({ skills })
  expect(await container(later, { id: 'container_2', skills })).toEqual({ id: 'container_2', skills })
  expect(await container(later, 'container_3')).toBe('container_3')
})

describe('where it goes', () => {
  test.each([
    ['https://proxy.test', 'https://proxy.test/v1/messages'],
    ['https://proxy.test/anthropic/', 'https://proxy.test/anthropic/v1/messages'],
    ['https://proxy.test/v1', 'https://proxy.test/v1/messages'],
    ['https://proxy.test/api/v1/?x=1', 'https://proxy.test/api/v1/messages?x=1'],
  ])('%s', async (baseURL, url) => expect((await sent('m', {}, { baseURL })).url).toBe(url))

  test('another server has a name of its own, and no key of Anthropic’s', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'secret')
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token')
    const own = await sent('m', {}, { baseURL: 'https://other.test', name: 'other', apiKey: undefined })
    expect(JSON.stringify(own.headers)).not.toMatch(/secret|token/)
    const options = { providerOptions: { other: { top_k: 3 }, anthropic: { top_k: 4 } } }
    expect((await body('m', settings(options), { baseURL: 'https://other.test', name: 'other' })).top_k).toBe(3)
  })

  test.each<[key: string, token: string, options: AnthropicOptions, headers: object]>([
    ['secret', 'token', {}, { 'x-api-key': 'secret' }],
    ['', 'token', {}, { authorization: 'Bearer token' }],
    [' ', ' ', { apiKey: 'own' }, { 'x-api-key': 'own' }],
    ['', 'token', { apiKey: 'own' }, { 'x-api-key': 'own' }],
    ['secret', 'token', { auth: 'bearer' }, { authorization: 'Bearer token' }],
    ['secret', '', { auth: 'bearer' }, { authorization: 'Bearer secret' }],
    ['secret', 'token', { auth: 'x-api-key' }, { 'x-api-key': 'secret' }],
    ['', 'token', { headers: { 'x-api-key': 'theirs' } }, { 'x-api-key': 'theirs' }],
  ])('the key of the environment, or its token: %j %j %j', async (key, token, options, headers) => {
    vi.stubEnv('ANTHROPIC_API_KEY', key)
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', token)
    const { 'x-api-key': one, authorization: other } = (await sent('m', {}, { apiKey: undefined, ...options })).headers
    expect({ ...(one === undefined ? {} : { 'x-api-key': one }), ...(other === undefined ? {} : { authorization: other }) }).toEqual(
      headers,
    )
  })

  test('a token that is refused is named by its variable', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', '')
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token')
    const fetch = async () => Response.json({ type: 'error', error: { type: 'authentication_error', message: 'no' } }, { status: 401 })
    const asked = anthropic('m', { fetch }).stream(plain, () => {}, { signal: new AbortController().signal, sessionId: 's' })
    await expect(asked).rejects.toMatchObject({ code: 'ModelAuthError', message: expect.stringContaining('ANTHROPIC_AUTH_TOKEN') })
  })

  test('betas are named in one header, with those of the user’s own', async () => {
    const { headers } = await sent('claude-opus-5-5', {}, { betas: ['a', 'b'], headers: { 'Anthropic-Beta': 'b, c', 'x-own': '1' } })
    expect(headers['anthropic-beta']).toBe('b,c,a,thinking-binding-controls-2026-08-01')
    expect(headers['x-own']).toBe('1')
  })

  test('Google Cloud: the model in the path, the version in the body, a token', async () => {
    const calls: [string, Sent['headers'], Record<string, unknown>][] = []
    const fetch: typeof globalThis.fetch = async (url, init) => {
      calls.push([
        String(url),
        Object.fromEntries(new Headers(init?.headers)),
        JSON.parse(Buffer.from(init?.body as Uint8Array).toString()),
      ])
      return new Response(stream(start, ...text(0, 'x'), ended('end_turn'), stop), { headers: { 'content-type': 'text/event-stream' } })
    }
    const signal = new AbortController().signal
    for (const [location, streamed] of [
      ['us-east5', true],
      ['global', false],
      ['eu', true],
    ] as const) {
      const model = anthropicVertex('claude-sonnet-4-5@20250929', {
        project: 'p',
        location,
        apiKey: () => 'token',
        stream: streamed,
        fetch,
      })
      await model.stream(plain, () => {}, { signal, sessionId: 's' })
    }
    const path = '/v1/projects/p/locations'
    const name = 'publishers/anthropic/models/claude-sonnet-4-5@20250929'
    expect(calls.map(([url]) => url)).toEqual([
      `https://us-east5-aiplatform.googleapis.com${path}/us-east5/${name}:streamRawPredict`,
      `https://aiplatform.googleapis.com${path}/global/${name}:rawPredict`,
      `https://aiplatform.eu.rep.googleapis.com${path}/eu/${name}:streamRawPredict`,
    ])
    expect(calls[0]?.[1]['authorization']).toBe('Bearer token')
    expect(calls[0]?.[2]).toMatchObject({ anthropic_version: 'vertex-2023-10-16', max_tokens: 64_000 })
    expect(calls[0]?.[2]).not.toHaveProperty('model')
  })
})

describe('options that can not work', () => {
  test.each([
    [{ cache: 'yes' }, /cache must be true or/],
    [{ cache: { ttl: '2h' } }, /cache/],
    [{ betas: 'x' }, /betas/],
    [{ auth: 'basic' }, /auth/],
    [{ thinkingText: true }, /thinkingText/],
    [{ changedHistory: 'x' }, /changedHistory/],
    [{ baseURL: 'ftp://x' }, /baseURL/],
    [{ api_key: 'x' }, /apiKey/],
  ])('%j', (options, what) => {
    expect(() => anthropic('m', options as never)).toThrow(refusal(what))
  })

  test('a model and, on Google Cloud, a place and a token', () => {
    expect(() => anthropic('')).toThrow(refusal(/claude/))
    expect(() => anthropicVertex('m', { project: 'p' } as never)).toThrow(refusal(/location and apiKey/))
    expect(() => anthropicVertex('m', undefined as never)).toThrow(refusal(/project/))
  })

  test.each([
    [{ project: 'a/b', location: 'global' }, /anthropicVertex: project must be a name/],
    [{ project: '..', location: 'global' }, /project must be a name/],
    [{ project: 'p', location: 'x.evil.test/' }, /anthropicVertex: location must be a name/],
    [{ project: 'p', location: 'evil.test:80' }, /location must be a name/],
  ])('on Google Cloud, a place that would lead elsewhere: %j', (place, what) => {
    expect(() => anthropicVertex('m', { ...place, apiKey: 'k' })).toThrow(refusal(what))
  })
})

test('the answer of a model of a family is read by the others of it', () => {
  expect(scopeOf('anthropic', 'messages', 'claude-sonnet-4-5-20250929')).toBe(scopeOf('anthropic', 'messages', 'claude-sonnet-4-5'))
  expect(read(stream(start, ...text(0, 'x'), ended('end_turn'), stop)).message.parts).toHaveLength(1)
})
