import { describe, expect, test } from 'vitest'
import type { ChatRules } from '../../../src/testing/fake/chat/chat-rules.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import { checkBody } from '../../../src/testing/fake/chat/rules.ts'
import { checkRequest } from '../../../src/testing/fake/request.ts'
import { describeWire, exchangesIn, misfits } from '../../setup/wire.ts'
import { call, calls, request, result, rules, talk, tool, user } from './bad-requests.ts'

const bytesOf = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
const broken = (body: unknown, options: ChatRules = {}) => checkRequest(bytesOf(body), (whole) => checkBody(whole, options)).violations
describe('a good request breaks no rule', () => {
  const strict = { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'], additionalProperties: false }
  test.each([
    ['a short one', request({})],
    ['calls and their results, in any order', talk(user, calls(call('c1'), call('c2')), result('c2'), result('c1'), user)],
    ['the same id in another turn', talk(user, calls(call('c1')), result('c1'), calls(call('c1')), result('c1'))],
    [
      'all kinds of content',
      talk(
        { role: 'developer', content: [{ type: 'text', text: 'x' }] },
        { role: 'system', content: 'y', name: 'n' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'https://a.test/b.png' } },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'f.pdf' } },
          ],
        },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
        { role: 'assistant', content: null, refusal: 'no' },
      ),
    ],
    [
      'options',
      request({
        tools: [tool('a-b_C9'), tool('s', strict, { strict: true, description: 'd' }), { type: 'function', function: { name: 'bare' } }],
        tool_choice: { type: 'function', function: { name: 's' } },
        parallel_tool_calls: false,
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0,
        stop: ['a', 'b'],
        seed: -1,
        max_completion_tokens: 5,
        top_p: null,
        response_format: { type: 'json_schema', json_schema: { name: 'out', schema: strict, strict: true } },
      }),
    ],
  ])('%s', (_title, body) => {
    expect(broken(body)).toEqual([])
  })
})

describe('appendix B: each rule is enforced', () => {
  for (const [title, body, rule, words, options] of rules)
    test(title, () => {
      const found = broken(body, options)
      expect(found).toContainEqual(expect.objectContaining({ rule, message: expect.stringContaining(words) }))
    })

  test('bytes that are no UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"model":"m","messages":[{"role":"user","content":"'),
      Buffer.from([0xf0, 0x9f]),
      Buffer.from('"}]}'),
    ])
    expect(checkRequest(bytes, () => []).violations.map(({ rule }) => rule)).toEqual(['json'])
  })

  test('what a strict server wants is good there', () => {
    const reasoned = { ...calls(call('abcdef123')), reasoning_content: 'hm' }
    expect(broken(talk(user, reasoned, result('abcdef123')), { deepseek: true })).toEqual([])
    const turns = talk(
      { role: 'system', content: 's' },
      user,
      calls(call('abcdef123'), call('abcdef124')),
      result('abcdef123'),
      result('abcdef124'),
    )
    expect(broken(turns, { mistral: true })).toEqual([])
    expect(
      broken(request({ enable_thinking: true, messages: [{ ...user, mood: 1 }] }), {
        extraFields: ['enable_thinking'],
        extraMessageFields: ['mood'],
      }),
    ).toEqual([])
  })
})

test('B034 arguments that are no JSON are refused as llama.cpp does it, with 500', async () => {
  await using server = await fakeOpenAIChat([])
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":' } }
  const body = talk(user, { role: 'assistant', content: null, tool_calls: [call] }, result('c1'))
  const bad = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: bytesOf(body),
    headers: { 'content-type': 'application/json' },
  })
  expect([bad.status, await bad.json()]).toEqual([
    500,
    { error: { code: 500, message: expect.stringMatching(/^Failed to parse tool call arguments as JSON/), type: 'server_error' } },
  ])
})

test('a bad request is answered with 400 in the words of the real server, is kept, and uses up no reply', async () => {
  const server = await fakeOpenAIChat(['hello'])
  const post = (body: unknown, headers: object = {}) =>
    fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: bytesOf(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  const bad = await post(talk(user, result('c1')))
  expect([bad.status, await bad.json()]).toEqual([
    400,
    {
      error: {
        message: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        type: 'invalid_request_error',
        param: 'messages[1].role',
        code: null,
      },
    },
  ])
  expect(server.violations.map(({ rule }) => rule)).toEqual(['pairing'])
  expect(() => server.assertDone()).toThrow(/broke rules of the API:\npairing: Invalid parameter/)
  expect((await post(request({}))).status).toBe(200)
  const beyond = await post(request({}))
  expect([beyond.status, JSON.stringify(await beyond.json())]).toEqual([
    400,
    expect.stringContaining('The script has 1 replies and was asked for reply 2.'),
  ])
  expect((await post(request({}), { 'content-type': 'text/plain' })).status).toBe(400)
  expect((await fetch(`${server.url}/models`)).status).toBe(404)
  expect(server.requests.map((one) => one.violations.map(({ rule }) => rule))).toEqual([
    ['pairing'],
    [],
    ['script'],
    ['content-type'],
    ['url'],
  ])
  expect(server.requests[1]?.body).toEqual(request({}))
  await server.close()
})

test('another key is answered with 401', async () => {
  const server = await fakeOpenAIChat(['hello'], { apiKey: 'right' })
  const post = (key: string) =>
    fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: bytesOf(request({})),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    })
  expect([(await post('wrong')).status, (await post('right')).status]).toEqual([401, 200])
  await server.close()
})

describeWire('what real servers took, the rules take', (folder) => {
  const taken = exchangesIn(folder, { api: 'chat-completions', status: (status) => status === 200 }).filter(({ meta }) => meta.request)

  test('OpenAI: all rules, save that it still takes deprecated fields and a name on results', () => {
    const legacy = /^(?:functions|function_call|messages\[\d+\]\.name)$/
    const left = taken.filter(({ meta }) => meta.provider === 'openai').flatMap((one) => broken(one.request()))
    const told = left.filter(({ param }) => !legacy.test(param ?? ''))
    expect(misfits('things that OpenAI took and the rules refuse', told)).toEqual([])
  })

  test('Mistral: turns and ids, save ids that were scrubbed', () => {
    const requests = taken.filter(({ meta }) => meta.provider === 'mistral').map((one) => one.request())
    const left = requests.flatMap((one) => broken(one, { mistral: true })).filter(({ rule }) => rule === 'mistral' || rule === 'ids')
    const told = left.filter(({ message }) => !message.includes('REDACTED'))
    expect(misfits('turns and ids that Mistral took and the rules refuse', told)).toEqual([])
  })

  test('all others: calls, results and arguments', () => {
    const left = taken.flatMap((one) => broken(one.request(), { maxIdLength: 64 }).map((found) => ({ ...found, name: one.name })))
    const told = left.filter(({ rule }) => /^(?:pairing|ids|arguments|unicode|schema)$/.test(rule))
    // Mistral takes an empty list of calls.
    const others = told.filter(({ message }) => !message.startsWith('[] is too short'))
    expect(misfits('calls and results that other servers took and the rules refuse', others)).toEqual([])
  })
})

test('a server that has told reasoning takes it back in that field, from then on and in no other', async () => {
  await using server = await fakeOpenAIChat([{ reasoning: 'hm', text: 'a' }, 'b'], { quirks: { reasoningField: 'reasoning' } })
  const status = async (stream: boolean, said: object = {}) => {
    const { messages } = talk(user, { role: 'assistant', content: 'a', ...said }, user)
    const body = bytesOf(request({ messages, stream }))
    const response = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    await response.text()
    return response.status
  }
  expect(await status(true, { reasoning: 'hm' })).toBe(400)
  expect(await status(true)).toBe(200)
  expect(await status(true, { reasoning_content: 'hm' })).toBe(400)
  expect(await status(false, { reasoning: 'hm' })).toBe(200)
})
