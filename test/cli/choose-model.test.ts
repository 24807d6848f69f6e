import { expect, test } from 'vitest'
import { chooseModel, type ModelFlags } from '../../src/cli/choose-model.ts'
import { CannotRun } from '../../src/cli/terminal.ts'
import { textMessage } from '../../src/core/message.ts'
import { fakeOpenAI } from '../setup/fake-openai.ts'
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
  const { model, line } = await chooseModel(flags, fakeTerminal({ env }), fetch)
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
  ['http://0.0.0.0:11434', 'http://0.0.0.0:11434'],
])('OLLAMA_HOST %s is %s', async (host, url) => {
  const { asked, fetch } = network({ [`${url}/api/tags`]: tags })
  expect((await chosen({}, { OLLAMA_HOST: host }, fetch)).id).toBe('ollama:qwen3:8b')
  expect(asked).toEqual([`${url}/api/tags`])
})

test('an Ollama server elsewhere is not asked unbidden', async () => {
  const { asked, fetch } = network({})
  expect((await chosen({}, { OLLAMA_HOST: 'http://models.example:11434' }, fetch)).id).toBe('rondo:offline')
  expect(asked).toEqual([])
})

test('with neither it is the offline model, and the line says why', async () => {
  for (const answers of [{}, { 'http://127.0.0.1:11434/api/tags': { models: [] } }, { 'http://127.0.0.1:11434/api/tags': 'what' }])
    expect((await chosen({}, {}, network(answers).fetch)).line).toBe(
      'Model: offline (no language model; no OPENAI_API_KEY is set and no Ollama server answers: --model names one)',
    )
})

test('--model names one, and so does RONDO_MODEL', async () => {
  expect((await chosen({ model: 'offline' }, key)).line).toBe('Model: offline (no network and no language model)')
  expect((await chosen({ model: 'openai:gpt-4.1' }, key)).line).toBe('Model: openai:gpt-4.1')
  expect((await chosen({ model: 'ollama:qwen3:8b' })).id).toBe('ollama:qwen3:8b')
  expect((await chosen({}, { ...key, RONDO_MODEL: 'offline' })).line).toBe('Model: offline (no network and no language model)')
})

test('--base-url is any server; the usual model and a key that was given for another server do not go there', async () => {
  const line = 'Model: localhost:8080:qwen3 (http://localhost:8080/v1)'
  expect(await chosen({ model: 'qwen3', baseUrl: 'http://user:pw@localhost:8080/v1?key=k' }, key)).toEqual({
    id: 'localhost:8080:qwen3',
    line,
  })
  expect(await refusal({ baseUrl: 'http://localhost:8080/v1' }, { ...key, RONDO_MODEL: 'openai:gpt-4.1' })).toMatch(/^--base-url needs/)
  for (const [model, env, sent] of [
    ['qwen3', key, undefined],
    ['qwen3', { ...key, RONDO_API_KEY: 'own' }, 'Bearer own'],
    ['openai:gpt-4.1', key, 'Bearer k'],
  ] as const) {
    await using server = await fakeOpenAI(['ok'])
    const { model: made } = await chooseModel({ model, baseUrl: server.url }, fakeTerminal({ env }), nothing.fetch)
    const request = {
      instructions: '',
      messages: [textMessage('user', 'hi')],
      tools: [],
      toolChoice: 'auto',
      settings: {},
      purpose: 'main',
    } as const
    await made.stream(request, () => {}, { signal: new AbortController().signal, sessionId: 's' })
    expect(server.requests[0]?.headers.authorization).toBe(sent)
  }
})

test('what can not be had is said with what to do', async () => {
  expect(await refusal({ model: 'openai:gpt-4.1' })).toMatch(/^openai: needs a key\. Set OPENAI_API_KEY/)
  expect(await refusal({ model: 'claude' })).toMatch(/^There is no provider 'claude' .*--base-url URL\.$/)
  expect(await refusal({ model: 'ollama:' })).toMatch(/^--model ollama: needs the name of a model/)
  expect(await refusal({ baseUrl: 'http://localhost:8080/v1' })).toMatch(/^--base-url needs the name of a model/)
  expect(await refusal({ model: 'x', baseUrl: 'localhost:8080' })).toMatch(/^baseURL must be a URL that begins with http/)
  expect(await refusal({}, { OLLAMA_HOST: 'http://' })).toMatch(/^OLLAMA_HOST is no address/)
})
