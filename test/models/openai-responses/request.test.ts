import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ModelRequest } from '../../../src/core/model.ts'
import { type ProviderTool, tool } from '../../../src/index.ts'
import { type OpenAIOptions, openai } from '../../../src/models/openai/index.ts'
import { message, response } from './support.ts'

interface Sent {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
}

/** What is sent for a request. */
async function sent(
  request: Partial<ModelRequest>,
  { model = 'gpt-5-mini', ...options }: OpenAIOptions & { model?: string } = {},
): Promise<Sent> {
  const seen: Sent[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers))
    const written = await new Response(init?.body).text()
    const body = JSON.parse(written)
    // A field that stands there twice would be gone.
    expect(JSON.stringify(body)).toBe(written)
    seen.push({ url: String(url), headers, body })
    return Response.json(response([message('ok')]))
  }
  const made = openai(model, { apiKey: 'key', fetch, ...options })
  const whole: ModelRequest = {
    instructions: '',
    messages: [hello],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    purpose: 'main',
    ...request,
  }
  await made.stream(whole, () => {}, { signal: new AbortController().signal, sessionId: 'session-1' })
  const [only] = seen
  if (only === undefined) throw new Error('nothing was sent')
  return only
}

const hello = { role: 'user', parts: [{ type: 'text', text: 'Hello' }] } as const
const note = tool({
  name: 'note',
  description: 'Notes.',
  effect: 'read',
  inputSchema: z.object({ input: z.string() }),
  execute: () => 'noted',
})
const noteJson = expect.objectContaining({ type: 'function', name: 'note', description: 'Notes.', strict: false })
const theirs = (providerTool: ProviderTool['providerTool'], provider = 'openai'): ProviderTool => ({ provider, providerTool })

describe('the body', () => {
  test('of a plain request: nothing that nobody asked for', async () => {
    expect((await sent({ instructions: 'Be brief.' })).body).toEqual({
      model: 'gpt-5-mini',
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_obfuscation: false },
      store: false,
      include: ['reasoning.encrypted_content'],
    })
    expect((await sent({}, { model: 'gpt-4.1', stream: false })).body).toEqual({
      model: 'gpt-4.1',
      input: [{ role: 'user', content: 'Hello' }],
      stream: false,
      store: false,
    })
  })

  test('what is said to this provider stands in the place of what is ours, and not beside it', async () => {
    const openai = { instructions: 'Theirs.', prompt_cache_key: 'own', previous_response_id: 'resp_9' }
    const request = { instructions: 'Ours.', settings: { providerOptions: { openai } } }
    expect((await sent(request, { promptCacheKey: 'session' })).body).toMatchObject(openai)
    expect((await sent({ settings: { providerOptions: { openai } } })).body).toMatchObject(openai)
  })

  test('B196 a key that is cut is well-formed', async () => {
    const { body } = await sent({}, { promptCacheKey: `x😀${'y'.repeat(63)}` })
    expect(body['prompt_cache_key']).toBe(`\ufffd${'y'.repeat(63)}`)
  })

  test('settings, and what is said to this provider over them', async () => {
    const settings = {
      maxOutputTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      reasoning: 'low',
      providerOptions: {
        openai: {
          reasoning: { summary: 'auto' },
          text: { verbosity: 'low' },
          include: ['web_search_call.action.sources'],
          truncation: 'auto',
          metadata: { a: 'b' },
          parallel_tool_calls: false,
          temperature: 1,
          input: 'not mine to say',
          model: 'nor this',
          stream: false,
        },
        xai: { search: true },
      },
    } as const
    const { body } = await sent({ settings, outputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } })
    expect(body).toMatchObject({
      model: 'gpt-5-mini',
      input: [{ content: 'Hello' }],
      stream: true,
      max_output_tokens: 9,
      temperature: 1,
      top_p: 0.9,
      reasoning: { effort: 'low', summary: 'auto' },
      text: {
        format: {
          type: 'json_schema',
          name: 'output',
          schema: { properties: { a: { type: 'string' } }, additionalProperties: false },
          strict: true,
        },
        verbosity: 'low',
      },
      include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
      truncation: 'auto',
      metadata: { a: 'b' },
      parallel_tool_calls: false,
    })
    expect(body).not.toHaveProperty('search')
  })

  test('options: summaries, cache keys, and whether the server keeps it', async () => {
    expect((await sent({}, { reasoningSummary: 'auto' })).body['reasoning']).toEqual({ summary: 'auto' })
    expect((await sent({}, { promptCacheKey: 'session' })).body['prompt_cache_key']).toBe('session-1')
    expect((await sent({}, { promptCacheKey: `${'x'.repeat(70)}y` })).body['prompt_cache_key']).toBe(`${'x'.repeat(63)}y`)
    const kept = (await sent({}, { store: true })).body
    expect(kept['store']).toBe(true)
    expect(kept).not.toHaveProperty('include')
  })

  test.each([
    ['o4-mini', true],
    ['gpt-5.6-sol', true],
    ['ft:gpt-4.1:acme', false],
    ['gpt-5-chat-latest', false],
    ['gpt-5.2-chat-latest', false],
    ['gpt-4o', false],
  ])('%s gives its reasoning encrypted: %s', async (model, gives) => {
    expect('include' in (await sent({}, { model })).body).toBe(gives)
    expect('include' in (await sent({}, { model, capabilities: { reasoning: !gives } })).body).toBe(!gives)
  })

  test('B196 no half characters', async () => {
    const broken = 'half \ud83d'
    const { body } = await sent({ instructions: broken, messages: [{ role: 'user', parts: [{ type: 'text', text: broken }] }] })
    expect([body['instructions'], body['input']]).toEqual(['half \ufffd', [{ role: 'user', content: 'half \ufffd' }]])
  })
})

describe('tools', () => {
  test('functions say that they are not strict, and a choice names one', async () => {
    const { body } = await sent({ tools: [note], toolChoice: { tool: 'note' } })
    expect(body).toMatchObject({ tools: [noteJson], tool_choice: { type: 'function', name: 'note' } })
    expect((await sent({ tools: [note], toolChoice: 'required' })).body).toMatchObject({ tool_choice: 'required' })
    expect((await sent({ toolChoice: 'none' })).body).not.toHaveProperty('tool_choice')
  })

  test('a tool of ours that runs the calls of one of the provider’s is declared by that alone', async () => {
    const custom = { type: 'custom', name: 'note', format: { type: 'text' } }
    const { body } = await sent({ tools: [note, theirs(custom), theirs({ type: 'web_search' })], toolChoice: { tool: 'note' } })
    expect(body).toMatchObject({ tools: [custom, { type: 'web_search' }], tool_choice: { type: 'custom', name: 'note' } })
    expect(body['tools']).toHaveLength(2)
  })

  test.each([
    ['local_shell', { type: 'local_shell' }, true],
    ['apply_patch', { type: 'apply_patch' }, true],
    ['shell', { type: 'shell' }, true],
    ['shell', { type: 'shell', environment: { type: 'container_auto' } }, false],
    ['computer', { type: 'computer_use_preview' }, true],
    ['tool_search', { type: 'tool_search', execution: 'client' }, true],
    ['tool_search', { type: 'tool_search' }, false],
    ['mcp_approval_request', { type: 'mcp', server_label: 'a', server_url: 'https://a.test' }, true],
  ])('%s runs the calls of %j: %s', async (name, declared, runs) => {
    const mine = { ...note, name }
    const { body } = await sent({ tools: [mine, theirs(declared)] })
    expect(body['tools']).toEqual(runs ? [declared] : [expect.objectContaining({ type: 'function', name }), declared])
  })

  test('tools of the provider may be named in providerOptions: they go beside the others', async () => {
    const custom = { type: 'custom', name: 'note' }
    const settings = { providerOptions: { openai: { tools: [{ type: 'web_search' }, custom] } } }
    expect((await sent({ tools: [note], settings, toolChoice: { tool: 'note' } })).body).toMatchObject({
      tools: [{ type: 'web_search' }, custom],
      tool_choice: custom,
    })
    expect((await sent({ tools: [{ ...note, name: 'other' }], settings })).body['tools']).toHaveLength(3)
  })

  test('B178 with strictTools arguments are held to their schema, in its strict form', async () => {
    const inputSchema = z.object({ a: z.string(), b: z.number().optional() })
    const optional = tool({ name: 'note', description: 'Notes.', effect: 'read', inputSchema, execute: () => '' })
    const [strict] = (await sent({ tools: [optional] }, { strictTools: true })).body['tools'] as readonly object[]
    expect(strict).toMatchObject({ strict: true, parameters: { required: ['a', 'b'], additionalProperties: false } })
    const [loose] = (await sent({ tools: [optional] })).body['tools'] as readonly object[]
    expect(loose).toMatchObject({ strict: false, parameters: { required: ['a'] } })
  })

  test('B202 more tools than the server takes are an error before anything is sent', async () => {
    const tools = Array.from({ length: 129 }, (_, n) => ({ ...note, name: `note_${n}` }))
    await expect(sent({ tools })).rejects.toMatchObject({ code: 'ConfigInvalid' })
  })

  test('a tool of another provider can not be run', async () => {
    await expect(sent({ tools: [theirs({ type: 'web_search' }, 'anthropic')] })).rejects.toThrow(
      expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringContaining("A tool of the provider 'anthropic'") }),
    )
  })
})

describe('where it goes', () => {
  test('to OpenAI with its key, and to who is named', async () => {
    expect(await sent({})).toMatchObject({ url: 'https://api.openai.com/v1/responses', headers: { authorization: 'Bearer key' } })
    expect(await sent({}, { name: 'xai' })).toMatchObject({ url: 'https://api.x.ai/v1/responses' })
    expect(await sent({}, { name: 'lmstudio' })).toMatchObject({ url: 'http://localhost:1234/v1/responses' })
  })

  test('Azure: the key in a header of its own, the version in the query', async () => {
    const baseURL = 'https://acme.openai.azure.com/openai/v1'
    const request = await sent({}, { baseURL, apiVersion: 'preview' })
    expect(request.url).toBe(`${baseURL}/responses?api-version=preview`)
    expect(request.headers['api-key']).toBe('key')
    expect(request.headers).not.toHaveProperty('authorization')
    expect(openai('m', { baseURL, apiKey: 'key' }).provider).toBe('azure')
  })

  test('the environment’s key is for its own host only', async () => {
    process.env['XAI_API_KEY'] = 'secret'
    try {
      const of = (options: OpenAIOptions) => sent({}, { ...options, apiKey: undefined }).then(({ headers }) => headers['authorization'])
      expect(await of({ name: 'xai' })).toBe('Bearer secret')
      expect(await of({ name: 'xai', baseURL: 'http://localhost:9/v1' })).toBeUndefined()
      await expect(of({})).rejects.toThrow('No API key for openai: set OPENAI_API_KEY')
      await expect(of({ baseURL: 'http://localhost:9/v1' })).rejects.toThrow('set OPENAI_API_KEY')
    } finally {
      delete process.env['XAI_API_KEY']
    }
  })

  test.each([
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.deepseek.com', 'deepseek'],
    ['https://bedrock-mantle.us-east-1.api.aws/v1', 'bedrock'],
    ['http://localhost:8080/v1', 'openai'],
  ])('%s is %s', (baseURL, provider) => expect(openai('m', { baseURL }).provider).toBe(provider))

  test('a server of which nothing is known is asked for nothing special', async () => {
    const { body } = await sent(
      { settings: { providerOptions: { acme: { top_k: 3 } } } },
      { name: 'acme', baseURL: 'http://localhost:9/v1' },
    )
    expect(body).toEqual({ model: 'gpt-5-mini', input: [{ role: 'user', content: 'Hello' }], stream: true, store: false, top_k: 3 })
  })
})

test.each<[object, string]>([
  [{ store: 'yes' }, 'store must be a boolean, not a string'],
  [{ previousResponse: 1 }, 'previousResponse must be a boolean, not 1'],
  [{ promptCacheKey: '' }, 'promptCacheKey must be a text that is not empty, not a string'],
  [{ reasoningSummary: 'long' }, "reasoningSummary must be 'auto', 'concise' or 'detailed', not a string"],
  [{ baseUrl: 'http://x' }, "unknown option 'baseUrl': did you mean 'baseURL'?"],
  [{ baseURL: 'localhost:8080' }, 'baseURL must be a URL'],
  [{ name: 'acme' }, "openai: baseURL is missing; where 'acme' is, is not known."],
])('%j: ConfigInvalid', (options, says) => {
  expect(() => Reflect.apply(openai, undefined, ['m', options])).toThrow(
    expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringContaining(says) }),
  )
})

test('the name of a model is needed', () => {
  expect(() => openai('')).toThrow('openai: the name of the model is missing')
})
