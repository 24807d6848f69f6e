import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Around, chooseModel, type ModelFlags } from '../../src/cli/choose-model.ts'
import { type ConfigFlags, configured } from '../../src/cli/config/configured.ts'
import { providers } from '../../src/cli/providers/table.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { CannotRun } from '../../src/cli/terminal.ts'
import { servers } from '../../src/models/openai-chat/servers.ts'
import { lookupModel } from '../../src/models/registry/index.ts'
import { fakeAnthropic, fakeGemini, fakeOllama, fakeOpenAIChat, fakeResponses } from '../../src/testing/index.ts'
import { fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'

type Env = { readonly [name: string]: string }

const bare: Around = { fetch: () => Promise.reject(new TypeError('fetch failed')), packageVersion: () => undefined }

async function chosen(flags: ModelFlags, env: Env = {}, around: Around = bare, cwd = '/work') {
  const { model, line, knownAs } = await chooseModel(flags, fakeTerminal({ env, cwd }), around)
  return { id: `${model.provider}:${model.id}`, line, knownAs, contextWindow: model.capabilities.contextWindow }
}

async function refusal(flags: ModelFlags, env: Env = {}, around: Around = bare): Promise<string> {
  return chosen(flags, env, around).then(
    ({ line }) => expect.fail(`it chose ${line}`),
    (error: unknown) => {
      if (error instanceof CannotRun) return error.message
      throw error
    },
  )
}

const remote = providers.filter(({ keys }) => keys.length > 0)

/** All that a provider may want. */
const more: Env = { GOOGLE_CLOUD_PROJECT: 'p', AZURE_OPENAI_BASE_URL: 'https://r.openai.azure.com/openai/v1' }

describe('the table', () => {
  test('has every server that the library knows by name, with the same key', () => {
    const named = new Map(providers.flatMap((provider) => [provider.name, ...provider.aliases].map((name) => [name, provider])))
    for (const { name, keyVariable, baseURL } of servers) {
      expect(named.get(name)?.keys[0], name).toBe(keyVariable)
      if (keyVariable === undefined) expect(named.get(name)?.local, name).toBe(baseURL)
    }
  })

  test('no name means two, and the usual models are known', () => {
    const names = providers.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    for (const { data, usual } of providers) if (usual !== undefined) expect(lookupModel(`${data}:${usual}`)?.origin, usual).toBe('data')
  })

  test('is what the manual tells', () => {
    const manual = readFileSync(new URL('../../docs/command.md', import.meta.url), 'utf8')
    for (const { name, keys, place, needs } of providers) {
      const row = manual.split('\n').find((line) => line.startsWith(`| \`${name}:`)) ?? expect.fail(`no row for ${name}`)
      for (const said of [...keys, ...(place === undefined ? [] : [place]), ...needs.map(([variable]) => variable)])
        expect(row).toContain(`\`${said}\``)
    }
  })
})

describe('a provider', () => {
  test.each(remote.map((provider) => [provider.name, provider] as const))(
    '%s: with any of its keys; without, what to set',
    async (name, provider) => {
      const model = `${name}:some-model`
      for (const key of provider.keys) expect((await chosen({ model }, { ...more, [key]: 'k' })).knownAs).toMatch(/some-model$/)
      for (const alias of provider.aliases)
        expect((await chosen({ model: `${alias}:m` }, { ...more, [provider.keys[0]!]: 'k' })).id).toMatch(/:m$/)
      expect(await refusal({ model }, more)).toMatch(`${name}: needs a key. Set ${provider.keys[0]}`)
    },
  )

  test.each(providers.flatMap(({ name, local }) => (local === undefined ? [] : [name])))(
    '%s: without a key, on this machine',
    async (name) => {
      expect((await chosen({ model: `${name}:m` })).id).toBe(`${name}:m`)
    },
  )

  test.each(providers.flatMap(({ name, local }) => (local === undefined ? [] : [name])))(
    '%s: elsewhere by --base-url, with the key for that alone',
    async (name) => {
      await using server = await fakeOpenAIChat(['There.'], { apiKey: 'r' })
      const env = { OPENAI_API_KEY: 'o', RONDO_API_KEY: 'r', RONDO_HOME: newFolder() }
      const terminal = fakeTerminal({ columns: 80, cwd: newFolder(), env })
      expect(await runCommand(['hello'], { model: `${name}:qwen3:8b`, baseUrl: server.url }, terminal)).toBe(0)
      expect(JSON.parse(Buffer.from(server.requests[0]!.bytes).toString()).model).toBe('qwen3:8b')
      expect(server.violations).toEqual([])
    },
  )

  test('what is needed besides a key is named', async () => {
    expect(await refusal({ model: 'vertex:gemini-2.5-flash' })).toMatch(
      /^vertex: needs a key\. Set GOOGLE_OAUTH_ACCESS_TOKEN=\$\(gcloud auth print-access-token\) and GOOGLE_CLOUD_PROJECT /,
    )
    expect(await refusal({ model: 'azure:d' }, { AZURE_OPENAI_API_KEY: 'k' })).toMatch(
      /^azure: needs more than a key\. Set AZURE_OPENAI_BASE_URL \(https:/,
    )
    expect(await refusal({ model: 'groq' }, { GROQ_API_KEY: 'k' })).toBe(
      '--model groq: needs the name of a model, as groq:openai/gpt-oss-120b',
    )
  })

  test('Google Cloud has Gemini and Claude, each by its own API', async () => {
    const env = { ...more, GOOGLE_OAUTH_ACCESS_TOKEN: 't' }
    const structured = async (model: string) =>
      (await chooseModel({ model }, fakeTerminal({ env }), bare)).model.capabilities.structuredOutput
    expect([await structured('vertex:gemini-2.5-flash'), await structured('vertex:claude-3-5-haiku@20241022')]).toEqual([
      'native',
      'prompt',
    ])
  })

  test('moved by its variable, a model is known by the host', async () => {
    for (const [name, place] of [
      ['anthropic', 'ANTHROPIC_BASE_URL'],
      ['gemini', 'GEMINI_BASE_URL'],
      ['openai-chat', 'OPENAI_BASE_URL'],
    ] as const) {
      const { keys } = providers.find((one) => one.name === name)!
      const { knownAs, line } = await chosen({ model: `${name}:m` }, { [keys[0]!]: 'k', [place]: 'http://ann:secret@gw.example/v1' })
      expect(knownAs).toBe('gw.example:m')
      expect(line).toContain(`(at http://gw.example/v1 by ${place})`)
    }
  })

  test('that nobody knows: the nearest name, and all of them, in lines of a screen', async () => {
    const said = await refusal({ model: 'antropic:claude-sonnet-4-5' })
    expect(said).toMatch(/^There is no provider 'antropic' .*\nDid you mean anthropic\?\n/)
    for (const { name } of providers) expect(said).toContain(name)
    expect(Math.max(...said.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(await refusal({ model: 'qqqqqqqqqq:x' })).not.toContain('Did you mean')
    const narrow = await chooseModel({ model: 'q:x' }, fakeTerminal({ columns: 30 }), bare).catch((error: Error) => error.message)
    const names = String(narrow)
      .split('\n')
      .filter((line) => line.startsWith('  '))
    expect(Math.max(...names.map((line) => line.length))).toBeLessThanOrEqual(30)
    expect(
      names
        .join(' ')
        .split(/[\s,.]+/)
        .filter(Boolean),
    ).toEqual([...providers.map(({ name }) => name), 'offline'])
  })
})

test('where no model is named: OpenAI, Anthropic, Gemini, by their own keys', async () => {
  const env = { GEMINI_API_KEY: 'g', ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }
  const { OPENAI_API_KEY: _, ...two } = env
  const { ANTHROPIC_API_KEY: __, ...one } = two
  expect((await chosen({}, env)).id).toBe('openai:gpt-5-mini')
  expect((await chosen({}, two)).line).toBe('Model: anthropic:claude-sonnet-4-5 (ANTHROPIC_API_KEY is set; --model chooses another)')
  expect((await chosen({}, one)).id).toBe('gemini:gemini-2.5-flash')
  // A key that opens other doors of Google too does not choose.
  expect((await chosen({}, { GOOGLE_API_KEY: 'g', GROQ_API_KEY: 'k' })).id).toBe('rondo:offline')
  expect((await chosen({ model: 'gemini' }, { GOOGLE_API_KEY: 'g' })).id).toBe('gemini:gemini-2.5-flash')
})

test('room for the context of an Ollama model: what is known of it, else what Ollama is told, else enough to work in', async () => {
  const models = { 'ollama:qwen3': { contextWindow: 8_192 } }
  const room = async (env: Env, own?: ModelFlags['models']) =>
    (await chosen({ model: 'ollama:qwen3', ...(own === undefined ? {} : { models: own }) }, env)).contextWindow
  expect([await room({}), await room({ OLLAMA_CONTEXT_LENGTH: '65536' }), await room({ OLLAMA_CONTEXT_LENGTH: '65536' }, models)]).toEqual([
    32_768, 65_536, 8_192,
  ])
  expect(await refusal({ model: 'ollama:qwen3' }, { OLLAMA_CONTEXT_LENGTH: 'much' })).toMatch(/^OLLAMA_CONTEXT_LENGTH must be/)
})

test('a GGUF file: the package, then the file, then a model of its name', async () => {
  const folder = newFolder({ 'tiny.gguf': 'GGUF' })
  const there: Around = { ...bare, packageVersion: (name) => (name === 'node-llama-cpp' ? '3.21.1' : undefined) }
  expect(await refusal({ model: 'llama-cpp:tiny.gguf' })).toBe(
    'llama-cpp: needs the package node-llama-cpp. Install it: npm install node-llama-cpp@3',
  )
  expect(await refusal({ model: 'llama-cpp:none.gguf' }, {}, there)).toMatch(/^llama-cpp: there is no file \/work\/none\.gguf\./)
  expect(await chosen({ model: 'llama-cpp:tiny.gguf' }, {}, there, folder)).toMatchObject({
    id: 'llama-cpp:tiny.gguf',
    line: 'Model: llama-cpp:tiny.gguf (in this process)',
  })
})

const lookAndTell = [{ calls: [{ name: 'read_file', input: { path: 'tides.csv' } }] }, 'High at noon.']

test.each([
  ['anthropic:claude-sonnet-4-5', 'ANTHROPIC', fakeAnthropic],
  ['openai:gpt-5-mini', 'OPENAI', fakeResponses],
  ['openai-chat:gpt-4.1', 'OPENAI', fakeOpenAIChat],
  ['gemini:gemini-2.5-flash', 'GEMINI', fakeGemini],
] as const)('a run with a tool over HTTP: --model %s', async (model, prefix, fake) => {
  await using server = await fake([...lookAndTell, ...lookAndTell], { apiKey: 'k-secret' })
  const cwd = newFolder()
  writeFileSync(join(cwd, 'tides.csv'), 'hour,metres\n12,4.1\n')
  for (const isByFlag of [false, true]) {
    const env = { RONDO_HOME: newFolder(), [`${prefix}_API_KEY`]: 'k-secret', ...(isByFlag ? {} : { [`${prefix}_BASE_URL`]: server.url }) }
    const terminal = fakeTerminal({ columns: 80, cwd, env })
    expect(await runCommand(['when is high tide?'], { model, ...(isByFlag ? { baseUrl: server.url } : {}) }, terminal)).toBe(0)
    expect(terminal.out).toBe('High at noon.\n')
    expect(terminal.screen).not.toContain('k-secret')
  }
  expect(server.violations).toEqual([])
  expect(server.requests.length).toBe(4)
  expect(Buffer.from(server.requests[1]!.bytes).toString()).toContain('12,4.1')
})

test('a run with a tool at an Ollama server: OLLAMA_HOST says where, and --base-url', async () => {
  await using server = await fakeOllama([...lookAndTell, ...lookAndTell])
  const cwd = newFolder({ 'tides.csv': 'hour,metres\n12,4.1\n' })
  for (const isByFlag of [false, true]) {
    const env = { RONDO_HOME: newFolder(), ...(isByFlag ? {} : { OLLAMA_HOST: server.url }) }
    const terminal = fakeTerminal({ columns: 80, cwd, env })
    const flags = { model: 'ollama:qwen3:8b', ...(isByFlag ? { baseUrl: server.url } : {}) }
    expect(await runCommand(['when is high tide?'], flags, terminal)).toBe(0)
    expect(terminal.out).toBe('High at noon.\n')
  }
  const sent = server.requests.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()))
  expect(sent.map(({ model, options }) => [model, options.num_ctx])).toEqual(Array.from({ length: 4 }, () => ['qwen3:8b', 32_768]))
  expect(server.violations).toEqual([])
})

test("a project's file names models of the provider that its user has anyway, by whichever name, and no file to open", () => {
  const modelOf = (model: string, own: object, env: Env = {}) => {
    const cwd = newFolder({ 'rondo.config.json': JSON.stringify({ model }) })
    const file = join(newFolder({ 'own.json': JSON.stringify(own) }), 'own.json')
    return configured<ConfigFlags>({}, cwd, fakeTerminal({ cwd, env: { ...env, RONDO_CONFIG: file } })).flags.model
  }
  const anthropic = { ANTHROPIC_API_KEY: 'a', GROQ_API_KEY: 'k' }
  expect(modelOf('anthropic:m', {}, anthropic)).toBe('anthropic:m')
  expect(modelOf('google:m', { model: 'gemini:n' })).toBe('google:m')
  expect(modelOf('groq:m', { model: 'groq:n' })).toBe('groq:m')
  for (const model of ['groq:m', 'openai:m', 'vllm:m', 'deepseek-chat', 'llama-cpp:./m.gguf'])
    expect(modelOf(model, {}, anthropic), model).toBeUndefined()
  expect(modelOf('llama-cpp:./m.gguf', { model: 'llama-cpp:/own.gguf' })).toBe('llama-cpp:/own.gguf')
})
