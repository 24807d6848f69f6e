import { expect, test } from 'vitest'
import { fakeAnthropic, type MessagesFakeOptions } from '../../../src/testing/fake/messages/index.ts'
import { signatureOf } from '../../../src/testing/fake/messages/quirks.ts'

// Each rule of the API that the server enforces, with the key words of the real refusal. A request that a test expects to pass shows that a
// rule does not refuse too much.

const said = (text: string) => ({ type: 'text', text })
const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const use = (id = 'toolu_1') => ({ type: 'tool_use', id, name: 'look', input: {} })
const result = (id = 'toolu_1', content: unknown = 'x') => ({ type: 'tool_result', tool_use_id: id, content })
const serverUse = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
const serverResult = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
const thought = (thinking: string, signature = signatureOf(thinking)) => ({ type: 'thinking', thinking, signature })
const tool = (more: object = {}) => ({ name: 'look', description: '', input_schema: { type: 'object' }, ...more })
const go = user(said('go'))

const plain = { model: 'm', max_tokens: 10, messages: [go], tools: [tool()] }
const talk = (...messages: object[]) => ({ messages: [go, ...messages] })

async function asked(body: object | string, options: MessagesFakeOptions = {}, headers: object = {}) {
  await using server = await fakeAnthropic(['ok'], options)
  const response = await fetch(`${server.url}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify({ ...plain, ...body }),
  })
  return { status: response.status, body: (await response.json()) as { type: string; error?: { type: string; message: string } }, server }
}

const broken: readonly (readonly [rule: string, body: object, words: RegExp, options?: MessagesFakeOptions])[] = [
  ['pairing', talk(assistant(use()), user(said('x'))), /`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1/],
  ['pairing', talk(assistant(use())), /ids were found without `tool_result`/],
  ['pairing', talk(assistant(use()), user(said('first'), result())), /ids were found without `tool_result`/],
  ['pairing', talk(assistant(use('a'), use('b')), user(result('a')), assistant(said('x')), user(result('b'))), /immediately after: b/],
  ['pairing', talk(assistant(said('x')), user(result())), /unexpected `tool_use_id` found in `tool_result` blocks: toolu_1/],
  ['pairing', talk(assistant(use()), user(result(), result())), /each tool_use must have a single result/],
  ['ids', talk(assistant(use(), use()), user(result())), /`tool_use` ids must be unique/],
  ['ids', talk(assistant(use()), user(result()), assistant(use()), user(result())), /`tool_use` ids must be unique/],
  ['ids', talk(assistant(use('a|b')), user(result('a|b'))), /String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'/],
  [
    'server-pairing',
    talk(assistant(serverUse), user(said('x'))),
    /tool use with id `srvtoolu_1` was found without a corresponding result block/,
  ],
  ['server-pairing', talk(assistant(serverResult), user(said('x'))), /unexpected `tool_use_id` found in `web_search_tool_result` blocks/],
  ['server-pairing', talk(assistant({ ...use(), caller: { type: 'x', tool_id: 's' } }), user(result())), /source tool `s` not found/],
  ['tools', { ...talk(assistant(use()), user(result())), tools: undefined }, /must define tools/],
  ['content', talk(assistant(use()), user({ ...result('toolu_1', ''), is_error: true })), /content cannot be empty if `is_error` is true/],
  ['blank', talk(assistant(said(' \n')), user(said('x'))), /text content blocks must contain non-whitespace text/],
  ['blank', { messages: [user(said(''))] }, /text content blocks must be non-empty/],
  ['blank', { system: [said(' ')] }, /non-whitespace/],
  ['trailing', talk(assistant(said('so '))), /final assistant content cannot end with trailing whitespace/],
  ['prefill', talk(assistant(said('so'))), /does not support assistant message prefill/, { rules: { prefill: false } }],
  ['signature', talk(assistant(thought('hm', ''), said('x')), user(said('y'))), /Invalid `signature` in `thinking` block/],
  ['signature', talk(assistant(thought('hm', signatureOf('other')), said('x')), user(said('y'))), /Invalid `signature`/],
  ['signature', talk(assistant(thought('hm', ''), said('x')), user(said('y'))), /Invalid `signature`/, { rules: { signatures: 'any' } }],
  [
    'schema',
    { tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] },
    /does not support oneOf, allOf, or anyOf at the top level/,
  ],
  ['schema', { tools: [tool({ input_schema: {} })] }, /Input should be 'object'/],
  ['tool-name', { tools: [tool({ name: 'a b' })] }, /should match pattern/],
  ['tool-name', { tools: [tool(), tool()] }, /Tool names must be unique/],
  ['tool-choice', { tools: undefined, tool_choice: { type: 'auto' } }, /tool_choice may only be specified while providing tools/],
  ['tool-choice', { tools: [tool()], tool_choice: { type: 'tool', name: 'x' } }, /'x' not found/],
  ['tool-choice', { tools: [tool()], tool_choice: { type: 'required' } }, /does not match any of the expected tags/],
  ['role', { messages: [assistant(said('x')), go] }, /first message must use the "user" role/],
  ['role', { messages: [{ role: 'system', content: 'x' }] }, /Input should be 'user' or 'assistant'/],
  ['messages', { messages: [] }, /at least one message is required/],
  ['content', { messages: [{ role: 'user', content: [] }] }, /non-empty content/],
  ['content', { messages: [user(thought('x'))] }, /Input tag 'thinking' found/],
  ['content', talk(assistant({ type: 'image', source: {} }), user(said('x'))), /Input tag 'image' found/],
  ['content', talk(assistant(use()), user(result('toolu_1', [thought('x')]))), /Input tag 'thinking' found/],
  ['arguments', talk(assistant({ ...use(), input: '{}' }), user(result())), /Input should be a valid dictionary/],
  ['media', { messages: [user({ type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: '' } })] }, /media_type/],
  ['media', { messages: [user({ type: 'document', source: { type: 'base64', media_type: 'text/csv', data: '' } })] }, /media_type/],
  ['field', { max_tokens: undefined }, /max_tokens: Field required/],
  ['field', { model: undefined }, /model: Field required/],
  ['field', { response_format: {} }, /response_format: Extra inputs are not permitted/],
  ['field', { messages: [user({ ...said('x'), extra: 1 })] }, /Extra inputs are not permitted/],
  ['type', { temperature: 1.5 }, /temperature: Input should be/],
  ['type', { max_tokens: 0 }, /max_tokens: Input should be/],
  ['thinking', { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 1_000 } }, /greater than or equal to 1024/],
  ['thinking', { max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 2_000 } }, /`max_tokens` must be greater than/],
  ['thinking', { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 }, temperature: 0.5 }, /may only be set to 1/],
  [
    'thinking',
    { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 }, tools: [tool()], tool_choice: { type: 'any' } },
    /Thinking may not be enabled when tool_choice forces tool use/,
  ],
  [
    'cache',
    { messages: [user(...Array.from({ length: 5 }, () => ({ ...said('x'), cache_control: { type: 'ephemeral' } })))] },
    /A maximum of 4 blocks/,
  ],
]

for (const [index, [rule, body, words, options]] of broken.entries())
  test(`${rule} ${index}`, async () => {
    const { status, body: refusal, server } = await asked(body, options)
    expect([status, refusal]).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: expect.stringMatching(words) } },
    ])
    expect(server.violations.map((one) => one.rule)).toContain(rule)
    expect(() => server.assertDone()).toThrow(words)
  })

test('text that is not well-formed is refused', async () => {
  const { status } = await asked('{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"\\ud83d"}]}')
  expect(status).toBe(400)
})

const good: readonly object[] = [
  {},
  { system: 'x', tools: [tool()], tool_choice: { type: 'none' }, temperature: 1, stop_sequences: ['x'], metadata: {} },
  talk(assistant(said('a'), use('a'), use('b')), user(result('a'), result('b', [said('x')]), said('and')), user(said('more'))),
  talk(assistant(thought('hm'), { type: 'redacted_thinking', data: 'redacted/data==' }, use()), user(result())),
  talk(assistant(serverUse)),
  talk(assistant(serverUse), assistant(serverResult, said('x')), user(said('y'))),
  talk(
    assistant(serverUse, { ...use(), caller: { type: 'code', tool_id: 'srvtoolu_1' } }),
    user(result()),
    assistant({ ...serverResult, type: 'code_execution_tool_result' }),
    user(said('x')),
  ),
  talk(assistant(said('so'))),
  {
    messages: [
      user(
        { type: 'image', source: { type: 'url', url: 'https://a.test/x.png' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
      ),
    ],
  },
]

test.each(good)('what is allowed passes (%#)', async (body) => {
  const { status, server } = await asked(body)
  expect([status, server.violations]).toEqual([200, []])
})

test('where, by whom and in which version', async () => {
  const options = { apiKey: 'k' }
  expect((await asked({}, options)).body).toMatchObject({ error: { type: 'authentication_error', message: 'invalid x-api-key' } })
  expect((await asked({}, options, { 'x-api-key': 'k' })).status).toBe(200)
  await using server = await fakeAnthropic([])
  const headers = { 'content-type': 'application/json' }
  const unversioned = await fetch(`${server.url}/messages`, { method: 'POST', headers, body: JSON.stringify(plain) })
  expect([unversioned.status, await unversioned.text()]).toEqual([400, expect.stringContaining('anthropic-version')])
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect([response.status, await response.json()]).toMatchObject([404, { error: { type: 'not_found_error' } }])
})
