// The packed package in runtimes that are not Node: an agent with a tool over the transport that is made of `fetch`.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeOpenAIChat } from '../../src/testing/fake/chat/index.ts'
import { fakeServer } from '../setup/http-server.ts'
import { install, packInto } from '../setup/packed.ts'

const runtimes = [
  { name: 'bun', start: ['bun'], lost: 'ECONNRESET', refused: 'ECONNREFUSED', hidden: '' },
  {
    name: 'deno',
    // With no right but that to the server.
    start: ['deno', 'run', '--no-prompt', '--allow-net=127.0.0.1'],
    lost: 'error reading a body from connection',
    refused: 'Connection refused',
    hidden: ' The environment is hidden from this program: Requires env access to "OPENAI_API_KEY", run again with the --allow-env flag.',
  },
]

const programs = fileURLToPath(new URL('../../.cache/nodes/node_modules/.bin', import.meta.url))
const temporary = mkdtempSync(join(tmpdir(), 'rondo-runtimes-'))
const app = join(temporary, 'app')

const present = runtimes.filter(({ name }) => {
  const there = existsSync(join(programs, name))
  if (!there) console.log(`not checked: ${name} is not in .cache/nodes (npm run nodes puts it there)`)
  return there
})

beforeAll(() => {
  if (present.length === 0) return
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n')
  install(join(temporary, packInto(temporary)), app)
  copyFileSync(new URL('fixtures/agent.ts', import.meta.url), join(app, 'agent.ts'))
}, 180_000)

afterAll(() => rmSync(temporary, { recursive: true, force: true }))

/** Runs a program to its end while this process serves. */
function output([program = '', ...before]: readonly string[], ...args: string[]): Promise<string> {
  const { OPENAI_API_KEY: _none, ...env } = process.env
  const child = spawn(join(programs, program), [...before, ...args], { cwd: app, env: { ...env, NO_COLOR: '1' }, timeout: 60_000 })
  let said = ''
  let complained = ''
  child.stdout.on('data', (bytes) => (said += bytes))
  child.stderr.on('data', (bytes) => (complained += bytes))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) =>
      code === 0 ? resolve(said) : reject(new Error(`${program} ended with ${signal ?? code}\n${said}\n${complained}`)),
    )
  })
}

if (present.length === 0) test.skip('neither bun nor deno is at hand', () => undefined)

describe.each(present)('$name', { timeout: 90_000 }, ({ start, lost, refused, hidden }) => {
  test('an agent calls its tool, streams, is aborted, and says what went wrong', async () => {
    const nowhere = await fakeServer({})
    await nowhere[Symbol.asyncDispose]()
    await using server = await fakeOpenAIChat([
      { calls: [{ name: 'get_weather', input: { city: 'Paris' } }] },
      { text: ['It is 21 °C ', 'in Paris 😀.'], gapMs: 20 },
      'It is 25 °C in Rome.',
      { text: ['Once', ' upon'], breaks: { after: 1, with: 'hang' } },
      { status: 401, body: { error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' } } },
      { text: ['half', ' of it'], breaks: { after: 1, with: 'reset' } },
      { text: ['half', ' of it'], breaks: { after: 1, with: 'hang' } },
    ])
    const host = new URL(server.url).host
    expect(JSON.parse(await output(start, 'agent.ts', server.url, nowhere.url))).toEqual({
      streamed: {
        status: 'completed',
        text: 'It is 21 °C in Paris 😀.',
        pieces: ['It is 21 °C ', 'in Paris 😀.'],
        asked: [{ city: 'Paris' }],
        inputTokens: 20,
      },
      atOnce: { status: 'completed', text: 'It is 25 °C in Rome.' },
      aborted: { status: 'aborted', pieces: ['Once'] },
      refused: `ModelAuthError: ${host} does not accept the key (HTTP 401; request req_5): Incorrect API key provided. Check the API key.`,
      cut: expect.stringMatching(`^ModelServerError: The answer of ${host} is incomplete: it broke off after \\d+ bytes \\(${lost}\\)\\.$`),
      silent: `ModelTimeout: ${host} sent nothing for 1,500 ms in the middle of its answer. The limit is timeouts.idleMs: raise it if the server needs longer.`,
      nobody: expect.stringMatching(
        `^ModelServerError: Nothing answers at 127\\.0\\.0\\.1:${nowhere.port} \\(.*${refused}.*\\)\\. Is the server running\\?$`,
      ),
      keyless: `ModelAuthError: No API key for openai: set OPENAI_API_KEY, or pass apiKey.${hidden}`,
      fetched: 8,
    })
    expect([server.violations, server.requests.map(({ ended }) => ended)]).toEqual([
      [],
      ['whole', 'whole', 'whole', 'aborted', 'whole', 'aborted', 'aborted'],
    ])
  })
})
