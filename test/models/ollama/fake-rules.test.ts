import { describe, expect, test } from 'vitest'
import { fakeOllama } from '../../../src/testing/fake/ollama/index.ts'
import type { OllamaQuirks, OllamaRules } from '../../../src/testing/fake/ollama/quirks.ts'
import { checkBody } from '../../../src/testing/fake/ollama/rules.ts'
import { checkRequest } from '../../../src/testing/fake/request.ts'
import { areOwn, describeWire, exchangesIn, misfits } from '../../setup/wire.ts'

const broken = (body: unknown, options: OllamaRules = {}) =>
  checkRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), (whole) => checkBody(whole, options)).violations

const user = { role: 'user', content: 'go' }
const request = (more: object) => ({ model: 'm', messages: [user], ...more })
const talk = (...messages: object[]) => ({ model: 'm', messages })
const call = (name = 'look', more: object = {}, id = 'c1') => ({ id, function: { name, arguments: {}, ...more } })
const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: '', tool_calls })
const result = (tool_name = 'look', tool_call_id = 'c1') => ({ role: 'tool', content: 'x', tool_name, tool_call_id })
const tool = (name: string, parameters: unknown = { type: 'object', properties: {} }, more: object = {}) => ({
  type: 'function',
  function: { name, description: 'd', parameters, ...more },
})

const rules: readonly (readonly [title: string, body: unknown, rule: string, words: string])[] = [
  ['bytes that are no JSON', '{', 'json', 'parse'],
  ['a lone surrogate', '{"model":"m","messages":[{"role":"user","content":"\\ud83d"}]}', 'unicode', 'no low surrogate'],
  ['no model', { messages: [user] }, 'model', 'model is required'],
  ['an unknown field', request({ tool_choice: 'auto' }), 'field', 'unknown field "tool_choice"'],
  [
    'a field of another type',
    request({ stream: 'yes' }),
    'type',
    'cannot unmarshal string into Go struct field ChatRequest.stream of type bool',
  ],
  ['a time that is none', request({ keep_alive: 'long' }), 'type', 'keep_alive'],
  ['an unknown role', talk({ role: 'developer', content: 'x' }), 'role', 'invalid role: "developer"'],
  [
    'content in parts',
    talk({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
    'type',
    'cannot unmarshal array into Go struct field ChatRequest.messages[0].content of type string',
  ],
  ['content that is null', talk({ role: 'user', content: null }), 'type', 'cannot unmarshal null'],
  ['an unknown field of a message', talk({ ...user, name: 'x' }), 'field', 'unknown field "name"'],
  ['thinking of the user', talk({ ...user, thinking: 'x' }), 'field', 'of a message of role "user"'],
  ['an image that is no base64', talk({ ...user, images: ['data:image/png;base64,AA=='] }), 'images', 'illegal base64 data'],
  [
    'B030 arguments as a text',
    talk(user, calls(call('look', { arguments: '{}' })), result()),
    'type',
    'of type api.ToolCallFunctionArguments',
  ],
  ['a call without a name', talk(user, calls(call('')), result('')), 'tool-name', 'invalid tool name'],
  ['a call of no function', talk(user, calls({ id: 'x', name: 'look' })), 'type', 'api.ToolCall'],
  ['a call without its result', talk(user, calls(call()), user), 'pairing', '1 tool calls have no tool message'],
  ['a call at the end', talk(user, calls(call())), 'pairing', 'before the end'],
  ['a result without a call', talk(user, result()), 'pairing', 'without a tool call'],
  [
    'results in another order',
    talk(user, calls(call('a', {}, '1'), call('b', {}, '2')), result('b', '2'), result('a', '1')),
    'pairing',
    'where that of "a" is due',
  ],
  ['a result of another id', talk(user, calls(call()), result('look', 'c2')), 'ids', 'another tool call'],
  [
    'a way to think that is none',
    request({ think: 'max' }),
    'think',
    'invalid think value: "max" (must be "high", "medium", "low", true, or false)',
  ],
  ['an unknown option', request({ options: { max_tokens: 5 } }), 'option', 'invalid option provided: "max_tokens"'],
  ['an option of another type', request({ options: { num_ctx: '8k' } }), 'option', 'option "num_ctx" must be'],
  ['a tool of no kind', request({ tools: [{ name: 'a' }] }), 'type', 'api.Tool'],
  ['an unknown field of a tool', request({ tools: [tool('a', undefined, { strict: true })] }), 'field', 'unknown field "strict"'],
  ['B026 a name with a space', request({ tools: [tool('Google Search')] }), 'tool-name', 'invalid tool name'],
  ['B026 two tools of one name', request({ tools: [tool('a'), tool('a')] }), 'tool-name', 'duplicate tool name'],
  ['parameters that are none', request({ tools: [tool('a', 'x')] }), 'type', 'api.ToolFunctionParameters'],
  [
    'B183 a word that the model is not shown',
    request({ tools: [tool('a', { type: 'object', properties: { a: { type: 'array', items: { minimum: 1 } } } })] }),
    'schema',
    '"minimum"',
  ],
]

describe('each rule is enforced', () => {
  for (const [title, body, rule, words] of rules)
    test(title, () => {
      expect(broken(body)).toContainEqual(expect.objectContaining({ rule, message: expect.stringContaining(words) }))
    })
})

test('a good request breaks no rule', () => {
  const whole = {
    ...talk(
      { role: 'system', content: 's' },
      { ...user, images: ['AA=='] },
      { ...calls(call(), call('b', {}, 'c2')), thinking: 'hm' },
      result(),
      result('b', 'c2'),
      { role: 'assistant', content: 'x' },
      user,
    ),
    tools: [tool('a-b_C9', { type: 'object', properties: { x: { type: ['string', 'null'], enum: ['a'] } }, required: ['x'] })],
    stream: false,
    think: 'high',
    keep_alive: '-1m',
    format: { type: 'object' },
    options: { num_ctx: 8_192, temperature: 0, stop: ['END'], seed: -1, mine: 1 },
    own: 1,
  }
  expect(broken(whole, { extraFields: ['own'], extraOptions: ['mine'] })).toEqual([])
})

test('a bad request is refused as the real server does, is kept, and uses up no reply', async () => {
  await using server = await fakeOllama(['hello'], { apiKey: 'right' })
  const post = (body: unknown, key = 'right', path = '/api/chat') =>
    fetch(server.url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    })
  const bad = await post(talk(user, result()))
  expect([bad.status, await bad.json()]).toEqual([400, { error: 'messages[1] is a tool message without a tool call' }])
  expect([(await post(request({}), 'wrong')).status, (await post(request({}), 'right', '/v1/chat/completions')).status]).toEqual([401, 404])
  expect(server.violations.map(({ rule }) => rule)).toEqual(['pairing', 'key', 'url'])
  const good = await post(request({ stream: false }))
  expect(await good.json()).toMatchObject({
    model: 'm',
    message: { role: 'assistant', content: 'hello' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 10,
    eval_count: 5,
  })
})

describe('how it answers', () => {
  async function linesOf(
    quirks: OllamaQuirks = {},
  ): Promise<readonly { message: Record<string, unknown>; done: boolean; [field: string]: unknown }[]> {
    const calls = [
      { name: 'a', input: { x: 1 }, id: 'c1' },
      { name: 'b', input: {}, id: 'c2' },
    ]
    await using server = await fakeOllama([{ reasoning: 'hm', text: ['Hel', 'lo'], calls }], { quirks })
    const response = await fetch(`${server.url}/api/chat`, {
      method: 'POST',
      body: JSON.stringify(request({})),
      headers: { 'content-type': 'application/json' },
    })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    return (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  test('a line for each piece, the last one with done', async () => {
    const lines = await linesOf()
    expect(lines.map(({ message: { role, ...said } }) => said)).toEqual([
      { content: '', thinking: 'hm' },
      { content: 'Hel' },
      { content: 'lo' },
      { content: '', tool_calls: [{ id: 'c1', function: { index: 0, name: 'a', arguments: { x: 1 } } }] },
      { content: '', tool_calls: [{ id: 'c2', function: { index: 1, name: 'b', arguments: {} } }] },
      { content: '' },
    ])
    expect(lines.map(({ done }) => done)).toEqual([false, false, false, false, false, true])
    expect(new Set(lines.map(({ created_at }) => created_at)).size).toBe(lines.length)
  })

  test('quirks: no ids, arguments as text, all calls together, a prompt that is known, no reason', async () => {
    const lines = await linesOf({ ids: false, arguments: 'text', callsTogether: true, promptKnown: true, noReason: true })
    expect(lines.at(-2)?.message['tool_calls']).toEqual([
      { function: { index: 0, name: 'a', arguments: '{"x":1}' } },
      { function: { index: 1, name: 'b', arguments: '{}' } },
    ])
    expect(Object.keys(lines.at(-1) ?? {})).not.toContain('prompt_eval_count')
    expect(Object.keys(lines.at(-1) ?? {})).not.toContain('done_reason')
  })
})

describeWire('what real servers took, the rules take', (folder) => {
  const taken = exchangesIn(folder, { api: 'ollama-chat', status: (status) => status === 200 }).filter(({ meta }) => meta.request)

  test('all rules, save words of schemas that the server drops in silence and null for what was not given', () => {
    const left = taken.flatMap((one) => broken(one.request()).map((found) => ({ ...found, name: one.name })))
    const told = left.filter(({ rule, message }) => rule !== 'schema' && !message.includes('unmarshal null'))
    expect(misfits('things that Ollama took and the rules refuse', told)).toEqual([])
    expect(taken.length > 0 || !areOwn()).toBe(true)
  })
})
