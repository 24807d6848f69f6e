import { afterEach, describe, expect, test } from 'vitest'
import { Agent } from '../../../src/index.ts'
import { type OpenAIChatOptions, openaiChat, openaiCompatible } from '../../../src/models/openai/index.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import { fakeServer } from '../../setup/http-server.ts'

describe('what can not work is said at once', () => {
  test('options', () => {
    expect(() => openaiChat('')).toThrow('the name of the model is missing')
    expect(() => openaiCompatible({ baseURL: 'localhost:8080' })).toThrow('baseURL must be a URL')
    expect(() => openaiChat('m', { timeouts: { idleMs: -1 } })).toThrow('timeouts.idleMs must be a positive number')
    const wrong: [object, string][] = [
      [{ baseUrl: 'http://x' }, "unknown option 'baseUrl': did you mean 'baseURL'?"],
      [{ api_key: 'x' }, "unknown option 'api_key': did you mean 'apiKey'?"],
      [{ stream: 'no' }, 'stream must be a boolean, not a string'],
      [{ maxResponseBytes: Number.NaN }, 'maxResponseBytes must be a positive number'],
      [{ capabilities: { vision: true } }, "unknown option 'capabilities.vision'"],
    ]
    for (const [options, message] of wrong) expect(() => openaiChat('m', options)).toThrow(message)
    expect(() => openaiChat('m', { api_key: 'x' } as object)).toThrow(/'apiKey'\?$/)
    expect(() => openaiChat('m', { stream: 'no' } as object)).toThrow(/a string\.$/)
  })

  test.each<[unknown, string]>([
    [null, 'the options must be an object, not null'],
    ['http://x/v1', 'the options must be an object, not a string'],
    [{ timeouts: 5000 }, 'timeouts must be an object of limits in ms, as { firstByteMs: 300_000 }, not 5000'],
    [{ timeouts: null }, 'timeouts must be an object of limits in ms, as { firstByteMs: 300_000 }, not null'],
    [{ timeouts: [5000] }, 'timeouts must be an object of limits in ms, as { firstByteMs: 300_000 }, not an array'],
    [{ headers: null }, 'headers must be an object of names and texts, not null'],
    [{ headers: new Headers({ a: 'b' }) }, 'headers must be an object of names and texts, not a Headers'],
    [{ headers: { 'x-tries': 5 } }, "the header 'x-tries' must be a text, not 5"],
    [{ apiKey: 5 }, 'apiKey must be a string or a function, not 5'],
    [{ fetch: {} }, 'fetch must be a function, not an object'],
    [{ maxResponseBytes: '1' }, 'maxResponseBytes must be a positive number of bytes, not a string'],
    [{ capabilities: 'all' }, 'capabilities must be an object, as { contextWindow: 128_000 }, not a string'],
    [{ capabilities: { contextWindow: '128k' } }, "capabilities.contextWindow must be a positive whole number of tokens, not '128k'"],
    [{ capabilities: { contextWindow: -1 } }, 'capabilities.contextWindow must be a positive whole number of tokens, not -1'],
    [{ capabilities: { structuredOutput: 'none' } }, "capabilities.structuredOutput must be 'native', 'tool' or 'prompt', not 'none'"],
    [{ capabilities: { reasoning: 'yes' } }, "capabilities.reasoning must be a boolean, not 'yes'"],
    [{ quirks: { filesAS: 'file_url' } }, "unknown option 'quirks.filesAS': did you mean 'filesAs'?"],
    [{ quirks: { shows: 'image' } }, "quirks.shows must be a list of 'image', 'audio', 'video', 'file', 'pdf', not 'image'"],
    [{ quirks: { shows: ['picture'] } }, "quirks.shows must be a list of 'image', 'audio', 'video', 'file', 'pdf'"],
    [{ quirks: { maxTokensField: 'max' } }, "quirks.maxTokensField must be 'max_completion_tokens' or 'max_tokens', not 'max'"],
    [
      { quirks: { rolesAlternate: 'yes', maxTools: 0 } },
      "quirks.rolesAlternate must be a boolean, not 'yes'; quirks.maxTools must be a whole number from 1 on, not 0",
    ],
  ])('%o: ConfigInvalid', (options, message) => {
    const refused = (maker: string) =>
      expect.objectContaining({ code: 'ConfigInvalid', message: `${maker}: ${message}${message.endsWith('?') ? '' : '.'}` })
    expect(() => Reflect.apply(openaiChat, undefined, ['m', options])).toThrow(refused('openaiChat'))
    const server = openaiCompatible({ baseURL: 'http://x/v1' })
    expect(() => Reflect.apply(server, undefined, ['m', options])).toThrow(refused('openaiCompatible'))
    if (typeof options !== 'object' || options === null) return
    const whole = { baseURL: 'http://x/v1', ...options }
    expect(() => Reflect.apply(openaiCompatible, undefined, [whole])).toThrow(refused('openaiCompatible'))
  })

  test('a limit in words, and a server that is none', () => {
    expect(() => Reflect.apply(openaiChat, undefined, ['m', { timeouts: { idleMs: '5' } }])).toThrow('timeouts.idleMs must be a positive')
    const server = "the options must be an object, as { baseURL: 'http://localhost:8080/v1' }, not"
    for (const [given, said] of [
      [['http://x/v1'], `${server} a string`],
      [[], `${server} undefined`],
      [[{ baseURL: 'http://x/v1', name: 5 }], 'name must be a text that is not empty, not 5'],
      [[{ baseURL: 'http://x/v1', name: ' ' }], 'name must be a text that is not empty, not a string'],
      [[{}], 'baseURL must be a URL'],
      [[{ baseURL: '' }], "as 'http://localhost:8080/v1', not an empty text."],
    ] as const) {
      const make = () => Reflect.apply(openaiCompatible, undefined, given)
      expect(make).toThrow(expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringContaining(said) }))
    }
  })
})

test('a header of the user stands in the place of ours, whatever its case', async () => {
  await using server = await fakeOpenAIChat(['ok'])
  const model = openaiCompatible({ baseURL: server.url, apiKey: 'secret\n', fetch, headers: { Authorization: 'Own key' } })('m')
  await new Agent({ model }).run('x')
  expect(server.requests[0]?.headers.authorization).toBe('Own key')
})

test('a request says which program sends it, or what the user says: servers behind a guard against robots refuse what has no name', async () => {
  await using server = await fakeOpenAIChat(['ok', 'ok'])
  for (const headers of [{}, { 'User-Agent': 'acme/1' }])
    await new Agent({ model: openaiCompatible({ baseURL: server.url, headers })('m') }).run('x')
  expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual(['rondo', 'acme/1'])
})

test.each([
  [5, 'a number'],
  [undefined, 'undefined'],
  [null, 'null'],
])('an apiKey function that returns %s: no key, and nothing is sent', async (key, kind) => {
  await using server = await fakeOpenAIChat([])
  for (const model of [
    Reflect.apply(openaiChat, undefined, ['m', { baseURL: server.url, apiKey: () => key }]),
    Reflect.apply(openaiCompatible, undefined, [{ baseURL: server.url, name: 'openai', apiKey: async () => key }])('m'),
  ])
    expect(await new Agent({ model }).run('x', { throwOnError: false })).toMatchObject({
      status: 'failed',
      error: {
        code: 'ModelAuthError',
        message: `The key for openai could not be had: apiKey must return it as a text, but returned ${kind}.`,
      },
    })
  expect(server.requests).toEqual([])
})

describe('with a header of the user that says who asks', () => {
  const before = process.env['OPENAI_API_KEY']
  afterEach(() => {
    if (before === undefined) delete process.env['OPENAI_API_KEY']
    else process.env['OPENAI_API_KEY'] = before
  })

  /** What of a request says who asks. */
  async function sent(options: OpenAIChatOptions, environment: string | undefined, credentials = '') {
    if (environment === undefined) delete process.env['OPENAI_API_KEY']
    else process.env['OPENAI_API_KEY'] = environment
    await using server = await fakeOpenAIChat(['ok'])
    const baseURL = server.url.replace('//', `//${credentials}`)
    await new Agent({ model: openaiChat('m', { baseURL, ...options }) }).run('x')
    const { authorization, 'api-key': apiKey } = server.requests[0]?.headers ?? {}
    return [authorization, apiKey]
  }

  test('no key is needed, and that of the environment is not for this server', async () => {
    for (const environment of [undefined, 'sk-environment']) {
      expect(await sent({ headers: { 'Api-Key': 'azure' } }, environment)).toEqual([undefined, 'azure'])
      expect(await sent({ headers: { Authorization: 'Basic x' } }, environment)).toEqual(['Basic x', undefined])
      expect(await sent({}, environment, 'ann:pw@')).toEqual([`Basic ${btoa('ann:pw')}`, undefined])
    }
  })

  test('a key that was given is sent all the same; another header changes nothing', async () => {
    expect(await sent({ apiKey: 'own', headers: { 'api-key': 'azure' } }, 'sk-environment')).toEqual(['Bearer own', 'azure'])
    expect(await sent({ headers: { 'x-team': 'a' } }, 'sk-environment')).toEqual(['Bearer sk-environment', undefined])
  })
})

test('what a model has of its own goes over that of its server, field by field', async () => {
  await using server = await fakeOpenAIChat(['ok'])
  await using silent = await fakeServer({ ends: 'hang' })
  const made = openaiCompatible({
    baseURL: server.url,
    headers: { 'X-Team': 'a', 'x-kind': 'server' },
    timeouts: { firstByteMs: 500 },
    capabilities: { contextWindow: 1_000, reasoning: false },
  })
  const model = made('m', { headers: { 'X-Kind': 'model' }, timeouts: { idleMs: 5_000 }, capabilities: { reasoning: true } })
  expect(model.capabilities).toMatchObject({ contextWindow: 1_000, reasoning: true, structuredOutput: 'native' })
  await new Agent({ model }).run('x')
  expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'a', 'x-kind': 'model' })
  const elsewhere = made('m', { baseURL: silent.url, timeouts: { idleMs: 5_000 } })
  const late = await new Agent({ model: elsewhere, settings: { maxRetries: 0 } }).run('x', { throwOnError: false })
  expect(late).toMatchObject({ error: { code: 'ModelTimeout', message: expect.stringContaining('timeouts.firstByteMs') } })
})
