import { expect, test } from 'vitest'
import { chooseModel, type ModelFlags } from '../../src/cli/choose-model.ts'
import { CannotRun } from '../../src/cli/terminal.ts'
import { textMessage } from '../../src/core/message.ts'
import { lookupModel, models } from '../../src/models/registry/index.ts'
import { fakeAnthropic, fakeOpenAIChat, fakeResponses } from '../../src/testing/index.ts'
import { fakeTerminal } from './fake-terminal.ts'

/** A fetch that knows what answers where, and is told what was asked. */
function network(answers: { readonly [url: string]: unknown }) {
  const asked: string[] = []
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    asked.push(String(url))
    const answer = answers[String(url)]
    if (answer === undefined) throw new TypeError('fetch failed')
    return new Response(JSON.stringify(answer))
  }
  return { asked, fetch: fetch as typeof globalThis.fetch }
}

const nothing = network({})

async function chosen(flags: ModelFlags, env: { readonly [name: string]: string } = {}, fetch = nothing.fetch) {
  const { model, line } = await chooseModel(flags, fakeTerminal({ env }), { fetch, packageVersion: () => undefined })
  return { id: `${model.provider}:${model.id}`, line }
}

async function refusal(flags: ModelFlags, env: { readonly [name: string]: string } = {}): Promise<string> {
  return chosen(flags, env).then(
    ({ line }) => expect.fail(`it chose ${line}`),
    (error: unknown) => {
      if (error instanceof CannotRun) return error.message
      throw error
    },
  )
}

const key = { OPENAI_API_KEY: 'k' }
const tags = { models: [{ name: 'nomic-embed-text:latest' }, { name: 'qwen3:8b' }, { name: 'llama3' }] }

test('a key in the environment chooses OpenAI, and nobody is asked', async () => {
  const { asked, fetch } = network({ 'http://127.0.0.1:11434/api/tags': tags })
  expect(await chosen({}, key, fetch)).toEqual({
    id: 'openai:gpt-5-mini',
    line: 'Model: openai:gpt-5-mini (OPENAI_API_KEY is set; --model chooses another)',
  })
  expect(asked).toEqual([])
})

test('without a key an Ollama server on this machine is taken, with the newest model that can chat', async () => {
  const { fetch } = network({ 'http://127.0.0.1:11434/api/tags': tags })
  expect(await chosen({}, {}, fetch)).toEqual({
    id: 'ollama:qwen3:8b',
    line: 'Model: ollama:qwen3:8b (an Ollama server answers at http://127.0.0.1:11434; --model chooses another)',
  })
})

test.each([
  ['127.0.0.1:9999', 'http://127.0.0.1:9999'],
  [':9999', 'http://127.0.0.1:9999'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['http://localhost:9999', 'http://localhost:9999'],
  ['http://0.0.0.0:11434', 'http://127.0.0.1:11434'],
  [' 127.0.0.1:9999 ', 'http://127.0.0.1:9999'],
  ['"127.0.0.1:9999"', 'http://127.0.0.1:9999'],
  ["'localhost' ", 'http://localhost:11434'],
  ['::1', 'http://[::1]:11434'],
  ['[::1]', 'http://[::1]:11434'],
  ['[::1]:9999', 'http://[::1]:9999'],
  ['::', 'http://[::1]:11434'],
  ['[::]:9999', 'http://[::1]:9999'],
  ['http://localhost', 'http://localhost:80'],
  ['HTTPS://localhost/', 'https://localhost:443'],
  ['http://ann:secret@localhost:9999/ollama/', 'http://localhost:9999/ollama'],
  ['127.0.0.1:99999', 'http://127.0.0.1:11434'],
  ['127.0.0.1:', 'http://127.0.0.1:11434'],
])('OLLAMA_HOST %s is %s', async (host, url) => {
  const { asked, fetch } = network({ [`${url}/api/tags`]: tags })
  expect((await chosen({}, { OLLAMA_HOST: host }, fetch)).id).toBe('ollama:qwen3:8b')
  expect(asked).toEqual([`${url}/api/tags`])
})

test('an Ollama server elsewhere is not asked unbidden, nor what is no address, and the line says so', async () => {
  const { asked, fetch } = network({})
  const said = []
  for (const host of ['http://models.example:11434', 'gpu', '10.0.0.7', 'ftp://localhost', 'local host', 'a:b:c', '[::1'])
    said.push((await chosen({}, { OLLAMA_HOST: host }, fetch)).line.replace(/^.* is set and (.*): --model names one\)$/, '$1'))
  const elsewhere = (url: string) => `the Ollama server at ${url} (OLLAMA_HOST) is not asked, for it is not on this machine`
  const unreadable = "OLLAMA_HOST can't be read as an address"
  expect(said).toEqual([
    ...['http://models.example:11434', 'http://gpu:11434', 'http://10.0.0.7:11434'].map(elsewhere),
    ...[unreadable, unreadable, unreadable, unreadable],
  ])
  expect(asked).toEqual([])
})

test.each([
  ['no Ollama server answers at http://127.0.0.1:11434', {}],
  ['no Ollama server answers at http://127.0.0.1:11434', { 'http://127.0.0.1:11434/api/tags': 'what' }],
  ['the Ollama server at http://127.0.0.1:11434 has no models', { 'http://127.0.0.1:11434/api/tags': { models: [] } }],
  [
    'the Ollama server at http://127.0.0.1:11434 has no model that can chat',
    { 'http://127.0.0.1:11434/api/tags': { models: [{ name: 'nomic-embed-text' }] } },
  ],
])('with neither it is the offline model, and the line says why: %s', async (why, answers) => {
  for (const env of [{}, { OPENAI_API_KEY: ' ', RONDO_MODEL: ' ' }])
    expect(await chosen({}, env, network(answers).fetch)).toEqual({
      id: 'rondo:offline',
      line: `Model: offline (no language model; no OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY is set and ${why}: --model names one)`,
    })
})

test('the line names the server that OPENAI_BASE_URL or OLLAMA_HOST says, without its secrets, and RONDO_MODEL', async () => {
  const elsewhere = { ...key, OPENAI_BASE_URL: 'http://ann:secret@gateway.example/v1?key=k' }
  expect((await chosen({}, elsewhere)).line).toBe(
    'Model: openai:gpt-5-mini (at http://gateway.example/v1 by OPENAI_BASE_URL; OPENAI_API_KEY is set; --model chooses another)',
  )
  expect((await chosen({ model: 'openai:gpt-4.1' }, elsewhere)).line).toBe(
    'Model: openai:gpt-4.1 (at http://gateway.example/v1 by OPENAI_BASE_URL)',
  )
  expect((await chosen({}, { ...elsewhere, RONDO_MODEL: ' openai: ' })).line).toBe(
    'Model: openai:gpt-5-mini (at http://gateway.example/v1 by OPENAI_BASE_URL; RONDO_MODEL names it)',
  )
  expect((await chosen({}, { ...key, OPENAI_BASE_URL: ' ', RONDO_MODEL: 'openai:gpt-4.1' })).line).toBe(
    'Model: openai:gpt-4.1 (RONDO_MODEL names it)',
  )
  expect((await chosen({}, { RONDO_MODEL: 'ollama:qwen3', OLLAMA_HOST: 'http://ann:secret@gpu:9999' })).line).toBe(
    'Model: ollama:qwen3 (http://gpu:9999; RONDO_MODEL names it)',
  )
})

test('--model names one, and so does RONDO_MODEL', async () => {
  expect((await chosen({ model: 'offline' }, key)).line).toBe('Model: offline (no network and no language model)')
  expect((await chosen({ model: 'openai:gpt-4.1' }, key)).line).toBe('Model: openai:gpt-4.1')
  expect((await chosen({ model: 'ollama:qwen3:8b' })).id).toBe('ollama:qwen3:8b')
  expect((await chosen({}, { ...key, RONDO_MODEL: 'offline' })).line).toBe(
    'Model: offline (no network and no language model; RONDO_MODEL names it)',
  )
})

test('--base-url is any server; the usual model and a key that was given for another server do not go there', async () => {
  const line = 'Model: localhost:8080:qwen3 (http://localhost:8080/v1)'
  expect(await chosen({ model: 'qwen3', baseUrl: 'http://user:pw@localhost:8080/v1?key=k' }, key)).toEqual({
    id: 'localhost:8080:qwen3',
    line,
  })
  expect(await refusal({ baseUrl: 'http://localhost:8080/v1' }, { ...key, RONDO_MODEL: 'openai:gpt-4.1' })).toMatch(/^--base-url needs/)
  for (const [model, env, sent, fake] of [
    ['qwen3', key, undefined, fakeOpenAIChat],
    ['groq:qwen3', { ...key, GROQ_API_KEY: 'groq' }, undefined, fakeOpenAIChat],
    ['qwen3', { ...key, RONDO_API_KEY: 'own' }, 'Bearer own', fakeOpenAIChat],
    ['openai-chat:gpt-4.1', key, 'Bearer k', fakeOpenAIChat],
    ['openai:gpt-4.1', key, 'Bearer k', fakeResponses],
    ['openai:gpt-4.1', { RONDO_API_KEY: 'own' }, 'Bearer own', fakeResponses],
    ['anthropic:claude-x', { ...key, RONDO_API_KEY: 'own' }, 'own', fakeAnthropic],
    ['anthropic:claude-x', { ...key, ANTHROPIC_API_KEY: 'a', RONDO_API_KEY: 'own' }, 'a', fakeAnthropic],
    ['anthropic:claude-x', { ...key, ANTHROPIC_AUTH_TOKEN: 't', RONDO_API_KEY: 'own' }, 'Bearer t', fakeAnthropic],
  ] as const) {
    await using server = await fake(['ok'])
    const { model: made } = await chooseModel({ model, baseUrl: server.url }, fakeTerminal({ env }), { fetch: nothing.fetch })
    const request = {
      instructions: '',
      messages: [textMessage('user', 'hi')],
      tools: [],
      toolChoice: 'auto',
      settings: {},
      purpose: 'main',
    } as const
    await made.stream(request, () => {}, { signal: new AbortController().signal, sessionId: 's' })
    const { authorization, 'x-api-key': own } = server.requests[0]?.headers ?? {}
    expect(authorization ?? own).toBe(sent)
  }
})

const own: ModelFlags['models'] = {
  'openai:gpt-5-mini': { aliases: ['quick', 'mine'], contextWindow: 1_234, prices: { input: 1, output: 2 } },
  'localhost:8080:qwen3': { contextWindow: 32_768, capabilities: { structuredOutput: 'prompt' } },
  'gateway.example:gpt-5-mini': { aliases: ['mine'] },
  'acme:large': { aliases: ['elsewhere'] },
}

async function known(flags: ModelFlags, env: { readonly [name: string]: string } = key) {
  const { model, knownAs, isPriced } = await chooseModel(flags, fakeTerminal({ env }), { fetch: nothing.fetch })
  const { contextWindow, structuredOutput } = model.capabilities
  return { knownAs, isPriced, contextWindow, structuredOutput }
}

test('a model has what is known of it: limits, capabilities, prices; yours go over the data', async () => {
  const data = lookupModel('openai:gpt-4.1')
  expect(await known({ model: 'openai:gpt-4.1-2025-04-14' })).toEqual({
    knownAs: 'openai:gpt-4.1-2025-04-14',
    isPriced: true,
    contextWindow: data?.contextWindow,
    structuredOutput: 'native',
  })
  expect(await known({ models: own })).toMatchObject({ contextWindow: 1_234, isPriced: true })
  expect(await known({ model: 'ollama:qwen3' })).toMatchObject({ contextWindow: 32_768, isPriced: false })
  expect(await known({ model: 'offline' })).toMatchObject({ isPriced: false })
})

test('at another address a model is known by the host, and not as that of OpenAI', async () => {
  expect(await known({}, { ...key, OPENAI_BASE_URL: 'http://gateway.example/v1' })).toMatchObject({
    knownAs: 'gateway.example:gpt-5-mini',
    isPriced: false,
    contextWindow: undefined,
  })
  expect(await known({}, { ...key, OPENAI_BASE_URL: 'https://api.openai.com/v1' })).toMatchObject({ isPriced: true })
  expect(await known({ model: 'qwen3', baseUrl: 'http://localhost:8080/v1', models: own })).toEqual({
    knownAs: 'localhost:8080:qwen3',
    isPriced: false,
    contextWindow: 32_768,
    structuredOutput: 'prompt',
  })
  const { id } = models().find(({ provider, prices }) => provider === 'groq' && prices !== undefined)!
  expect(await known({ model: id, baseUrl: 'https://api.groq.com/openai/v1' })).toMatchObject({ isPriced: true })
})

test('--model takes an alias of yours, and names those that it may mean', async () => {
  expect(await chosen({ model: 'quick', models: own }, key)).toEqual({
    id: 'openai:gpt-5-mini',
    line: 'Model: openai:gpt-5-mini (--model quick names it)',
  })
  expect((await chosen({ models: own }, { ...key, RONDO_MODEL: 'quick' })).line).toBe(
    'Model: openai:gpt-5-mini (RONDO_MODEL quick names it)',
  )
  expect(await refusal({ model: 'mine', models: own }, key)).toBe(
    'mine may be one of several models: openai:gpt-5-mini, gateway.example:gpt-5-mini. Say which.',
  )
  expect(await refusal({ model: 'elsewhere', models: own }, key)).toMatch(
    /^There is no provider 'acme' \(--model elsewhere is acme:large\)/,
  )
})

test('what can not be had is said with what to do', async () => {
  expect(await refusal({ model: 'openai:gpt-4.1' })).toMatch(/^openai: needs a key\. Set OPENAI_API_KEY/)
  expect(await refusal({ model: 'claude' })).toMatch(/^There is no provider 'claude' .*--base-url URL\.$/s)
  expect(await refusal({ model: 'ollama:' })).toMatch(/^--model ollama: needs the name of a model/)
  expect(await refusal({ baseUrl: 'http://localhost:8080/v1' })).toMatch(/^--base-url needs the name of a model/)
  expect(await refusal({ model: 'x', baseUrl: 'localhost:8080' })).toBe(
    '--base-url must be a URL that begins with http:// or https://, as http://localhost:8080/v1.',
  )
  expect(await refusal({ model: 'x', baseUrl: 'localhost:8080', namedBy: 'my.json' })).toMatch(/^baseUrl in my\.json must be a URL/)
  expect(await refusal({ model: 'openai:x' }, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'ann:secret@gw.example' })).toBe(
    'OPENAI_BASE_URL must be a URL that begins with http:// or https://.',
  )
  expect(await refusal({ model: ' ' })).toBe('--model needs the name of a model: PROVIDER:NAME, as openai:gpt-5-mini, or offline.')
  expect(await refusal({}, { RONDO_MODEL: 'claude' })).toMatch(/^There is no provider 'claude' \(RONDO_MODEL claude\)/)
  expect(await refusal({ model: 'openai:gpt-4.1' }, { OPENAI_API_KEY: ' ' })).toMatch(/^openai: needs a key\. Set OPENAI_API_KEY/)
  expect(await refusal({ model: 'ollama:qwen3' }, { OLLAMA_HOST: 'local host' })).toBe(
    "OLLAMA_HOST can't be read as an address. Say where the server is, as http://127.0.0.1:11434, or unset it.",
  )
})
