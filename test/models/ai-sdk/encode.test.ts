import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Message, Part, ToolCallPart } from '../../../src/core/message.ts'
import { tool } from '../../../src/index.ts'
import { fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import { finish, heard, mockModel, prompted, requestOf, text, type Version, versions } from './mock.ts'

const scope = 'test.chat/ai-sdk/model-1'
const png: Part = { type: 'image', mediaType: 'image/png', data: 'AAAA' }
const pdf: Part = { type: 'file', mediaType: 'application/pdf', data: 'data:application/pdf;base64,BBBB', name: 'r.pdf' }
const far: Part = { type: 'image', mediaType: 'image/png', data: 'https://example.com/a.png' }

function call(index: number, more: Partial<ToolCallPart> = {}): ToolCallPart {
  const own = { callId: `m3.${index}`, toolName: 'look', providerCallId: `c${index}`, input: { x: index } }
  return { type: 'tool-call', ...own, settlement: { outcome: 'ok', output: 'seen' }, ...more }
}
const said = (role: Message['role'], ...parts: Part[]): Message => ({ role, parts })
const words = (content: string): Part => ({ type: 'text', text: content })
const failed = (outcome: 'error' | 'denied', message: string) =>
  ({ outcome, error: { code: 'ToolExecutionError', category: 'tool', message, retryable: false } }) as const

/** What the result of one call becomes. */
async function outputOf(version: Version, more: Partial<ToolCallPart>, provider = 'anthropic.messages') {
  const prompt = await prompted(version, [said('user', words('go')), said('assistant', call(0, more))], { provider })
  return (prompt?.[2]?.content as { output: unknown }[] | undefined)?.[0]?.output
}

describe.each(versions)('a request of specification %s', (version) => {
  const data = (base64: string) => (version === 'v4' ? { type: 'data', data: base64 } : base64)
  const url = (href: string) => (version === 'v4' ? { type: 'url', url: new URL(href) } : new URL(href))

  test('instructions, what a user says and shows, a summary; what is blank is left out (B190)', async () => {
    const { model, asked } = mockModel(version, [[...text('ok'), finish(version)]])
    const messages = [
      said('summary', words('Before: x')),
      said('user', words('Look'), words(' \n'), png, pdf, far),
      said('user', words('')),
    ]
    await heard(model, {}, requestOf({ instructions: 'Be brief.', messages }))
    expect(asked[0]?.prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Before: x' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', mediaType: 'image/png', data: data('AAAA') },
          { type: 'file', mediaType: 'application/pdf', data: data('BBBB'), filename: 'r.pdf' },
          { type: 'file', mediaType: 'image/png', data: url('https://example.com/a.png') },
        ],
      },
    ])
  })

  test('B193 a turn with parallel calls: one message with the calls, one with all results in call order', async () => {
    const turn = said('assistant', words('Let me see.'), call(0), call(1, { settlement: failed('error', 'it broke') }))
    expect(await prompted(version, [said('user', words('go')), turn, said('user', words('and?'))])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool-call', toolCallId: 'c0', toolName: 'look', input: { x: 0 } },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { x: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c0', toolName: 'look', output: { type: 'text', value: 'seen' } },
          { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'error-text', value: 'it broke' } },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
    ])
  })

  test('results: a text, a value, an error, a refusal, nothing, what a tool shows instead, changed arguments', async () => {
    const ok = (output: unknown) => ({ settlement: { outcome: 'ok', output: output as string } }) as const
    expect(await outputOf(version, ok('text'))).toEqual({ type: 'text', value: 'text' })
    expect(await outputOf(version, ok({ n: 1, list: [null] }))).toEqual({ type: 'json', value: { n: 1, list: [null] } })
    expect(await outputOf(version, ok(''))).toEqual({ type: 'text', value: 'The tool returned nothing.' })
    expect(await outputOf(version, { ...ok({ n: 1 }), content: 'shown' })).toEqual({ type: 'text', value: 'shown' })
    expect(await outputOf(version, { settlement: failed('error', 'broke') })).toEqual({ type: 'error-text', value: 'broke' })
    expect(await outputOf(version, { settlement: failed('denied', 'no') })).toEqual(
      version === 'v2' ? { type: 'error-text', value: 'no' } : { type: 'execution-denied', reason: 'no' },
    )
    expect(await outputOf(version, { ...ok({ n: 1 }), ranWith: { x: 9 } })).toEqual({
      type: 'text',
      value: 'The arguments of this call were changed to {"x":9}.\n{"n":1}',
    })
  })

  test('images in a result, in the form of the version, where the provider takes them', async () => {
    const more = { content: [words('a picture'), png, pdf] }
    const wanted = {
      v2: [
        { type: 'text', text: 'a picture' },
        { type: 'media', mediaType: 'image/png', data: 'AAAA' },
        { type: 'media', mediaType: 'application/pdf', data: 'BBBB' },
      ],
      v3: [
        { type: 'text', text: 'a picture' },
        { type: 'image-data', mediaType: 'image/png', data: 'AAAA' },
        { type: 'file-data', mediaType: 'application/pdf', data: 'BBBB', filename: 'r.pdf' },
      ],
      v4: [
        { type: 'text', text: 'a picture' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
        { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'BBBB' }, filename: 'r.pdf' },
      ],
    }[version]
    for (const provider of [
      'anthropic.messages',
      'vertex.anthropic.messages',
      'google.generative-ai',
      'amazon-bedrock',
      'openai.responses',
    ])
      expect(await outputOf(version, more, provider)).toEqual({ type: 'content', value: wanted })
  })

  test('images in a result that the provider does not take are shown by the user, behind all results', async () => {
    const turn = said('assistant', call(0, { content: [words('a picture'), png] }), call(1))
    const prompt = await prompted(version, [said('user', words('go')), turn], { provider: 'openai.chat' })
    expect(prompt?.slice(2)).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c0', toolName: 'look', output: { type: 'text', value: 'a picture' } },
          { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'seen' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of look:' },
          { type: 'file', mediaType: 'image/png', data: data('AAAA') },
        ],
      },
    ])
  })

  test('what a response kept goes back on the same parts, byte for byte, and to the same scope only', async () => {
    const signature = { test: { signature: 'Sig+/==', n: [1, { a: null }] } }
    const parts = [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm', providerMetadata: signature },
      { type: 'reasoning-end', id: 'r' },
      { type: 'reasoning-start', id: 'q' },
      { type: 'reasoning-end', id: 'q', providerMetadata: { test: { redactedData: 'R' } } },
      ...text('Searching.'),
      {
        type: 'tool-call',
        toolCallId: 's',
        toolName: 'web_search',
        input: '{"q":1}',
        providerExecuted: true,
        providerMetadata: { test: { i: 's' } },
      },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [{ u: 1 }], providerMetadata: { test: { i: 'sr' } } },
      { type: 'tool-call', toolCallId: 'f', toolName: 'fetch', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'f', toolName: 'fetch', result: { errorCode: 'x' }, isError: true },
      { type: 'file', mediaType: 'image/png', data: version === 'v4' ? { type: 'data', data: 'CCCC' } : 'CCCC' },
      { type: 'source', sourceType: 'url', id: 'u', url: 'https://example.com' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{"x":1}', providerMetadata: { test: { thoughtSignature: 'T' } } },
      finish(version, 'tool-calls'),
    ]
    const { message } = await heard(mockModel(version, [parts]).model)
    // As the journal keeps it.
    const kept = JSON.parse(JSON.stringify(message)) as Message
    const settled = kept.parts.map((part) =>
      part.type === 'tool-call' && part.settlement === undefined
        ? { ...part, settlement: { outcome: 'ok', output: 'seen' } as const }
        : part,
    )
    const history = [said('user', words('go')), { ...kept, parts: settled }]
    const result = (id: string, output: string) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 'look',
      output: { type: 'text', value: output },
    })
    expect((await prompted(version, history))?.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: signature },
          { type: 'reasoning', text: '', providerOptions: { test: { redactedData: 'R' } } },
          { type: 'text', text: 'Searching.' },
          {
            type: 'tool-call',
            toolCallId: 's',
            toolName: 'web_search',
            input: { q: 1 },
            providerExecuted: true,
            providerOptions: { test: { i: 's' } },
          },
          {
            type: 'tool-result',
            toolCallId: 's',
            toolName: 'web_search',
            output: { type: 'json', value: [{ u: 1 }] },
            providerOptions: { test: { i: 'sr' } },
          },
          { type: 'tool-call', toolCallId: 'f', toolName: 'fetch', input: {}, providerExecuted: true },
          { type: 'tool-result', toolCallId: 'f', toolName: 'fetch', output: { type: 'error-json', value: { errorCode: 'x' } } },
          { type: 'file', mediaType: 'image/png', data: data('CCCC') },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { x: 1 }, providerOptions: { test: { thoughtSignature: 'T' } } },
        ],
      },
      { role: 'tool', content: [result('c', 'seen')] },
    ])
    // To another model: no thoughts, nothing that the provider ran, no files of the assistant, no options.
    expect((await prompted(version, history, { modelId: 'model-2' }))?.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Searching.' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { x: 1 } },
        ],
      },
      { role: 'tool', content: [result('c', 'seen')] },
    ])
  })

  test('models of one family are one scope: a snapshot of the same name gets it back', async () => {
    const settings = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5-20250929' }
    const parts = [
      { type: 'reasoning-start', id: 'r', providerMetadata: { anthropic: { redactedData: 'R' } } },
      ...text('Hi'),
      finish(version),
    ]
    const { message } = await heard(mockModel(version, [parts], settings).model)
    const prompt = await prompted(version, [said('user', words('go')), message], { ...settings, modelId: 'claude-sonnet-4-5' })
    expect(prompt?.[1]?.content).toMatchObject([
      { type: 'reasoning', providerOptions: { anthropic: { redactedData: 'R' } } },
      { text: 'Hi' },
    ])
  })

  test('B067 thoughts that nothing follows are left out, and a message of nothing else too', async () => {
    const thought: Part = { type: 'reasoning', text: 'hm', providerData: { [scope]: {} } }
    const history = [
      said('user', words('go')),
      said('assistant', words('Well'), thought),
      said('assistant', thought),
      said('user', words('?')),
    ]
    expect(await prompted(version, history)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Well' }] },
      { role: 'user', content: [{ type: 'text', text: '?' }] },
    ])
  })

  test('B014 B015 B016 ids are unique, and in a form that every API takes', async () => {
    const turn = (n: number, ids: readonly string[]): Message =>
      said('assistant', ...ids.map((providerCallId, index) => call(index, { callId: `m${n}.${index}`, providerCallId })))
    const turns = [
      turn(1, ['call_0']),
      turn(2, ['call_0']),
      turn(3, ['same', 'same']),
      turn(4, ['fc|x', 'y'.repeat(80)]),
      turn(5, ['y'.repeat(41)]),
    ]
    const idsOf = async (provider: string) => {
      const prompt = (await prompted(version, turns, { provider })) ?? []
      const ids = (role: string) =>
        prompt
          .filter((message) => message.role === role)
          .flatMap(({ content }) => (content as { toolCallId: string }[]).map((part) => part.toolCallId))
      expect(ids('tool')).toEqual(ids('assistant'))
      expect(new Set(ids('tool')).size).toBe(7)
      return ids('tool')
    }
    for (const provider of ['openai.chat', 'azure.chat', 'gateway', 'anthropic.messages'])
      expect((await idsOf(provider)).every((id) => /^[\w-]{1,40}$/.test(id))).toBe(true)
    // It may have kept the call, and knows it by its id only.
    expect((await idsOf('openai.responses')).at(-1)).toBe('y'.repeat(41))
    expect((await idsOf('openai.chat'))[0]).toBe('call_0')
    expect((await idsOf('mistral.chat')).every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true)
  })

  test('tools, the choice of one, settings, an output schema, options of providers, headers', async () => {
    const { model, asked } = mockModel(version, [[...text('ok'), finish(version)]], { provider: 'anthropic.messages' })
    const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({ x: z.number() }), execute: () => 'seen' })
    const bash = tool({ name: 'bash', description: 'Runs.', inputSchema: z.object({}), execute: () => 'ran' })
    const theirs = { id: 'anthropic.bash_20250124', name: 'bash', args: {} }
    const search = { id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 3 } }
    const tools = [look, bash, { provider: 'anthropic', providerTool: search }, { provider: 'anthropic.messages', providerTool: theirs }]
    const settings = {
      maxOutputTokens: 99,
      temperature: 0.5,
      topP: 0.9,
      seed: 7,
      stop: ['END'],
      providerOptions: { anthropic: { effort: 'low' } },
    }
    const outputSchema = { type: 'object', properties: {}, required: [], additionalProperties: false }
    const request = requestOf({ tools, toolChoice: { tool: 'look' }, settings, outputSchema })
    await heard(model, { headers: { 'x-own': 'yes' } }, request)
    const { prompt: _prompt, abortSignal, ...rest } = asked[0] ?? { abortSignal: undefined }
    expect(abortSignal).toBeInstanceOf(AbortSignal)
    expect(rest).toEqual({
      maxOutputTokens: 99,
      temperature: 0.5,
      topP: 0.9,
      seed: 7,
      stopSequences: ['END'],
      responseFormat: { type: 'json', schema: outputSchema },
      tools: [
        { type: 'function', name: 'look', description: 'Looks.', inputSchema: look.inputJsonSchema },
        // A tool of ours of the same name runs what the provider knows.
        { type: version === 'v2' ? 'provider-defined' : 'provider', ...search },
        { type: version === 'v2' ? 'provider-defined' : 'provider', ...theirs },
      ],
      toolChoice: { type: 'tool', toolName: 'look' },
      providerOptions: { anthropic: { effort: 'low' } },
      headers: { 'x-own': 'yes' },
    })
  })

  test('only what was set is sent (B194)', async () => {
    const { model, asked } = mockModel(version, [[...text('ok'), finish(version)]])
    await heard(model)
    expect(Object.keys(asked[0] ?? {}).sort()).toEqual(['abortSignal', 'prompt'])
  })

  test('settings.reasoning: known to specification 4; elsewhere it is told that it has no effect', async () => {
    const told: string[] = []
    const { model, asked } = mockModel(version, [[...text('ok'), finish(version)]])
    await heard(model, { onWarning: (message) => told.push(message) }, requestOf({ settings: { reasoning: 'low' } }))
    expect([asked[0]?.['reasoning'], told.length]).toEqual(version === 'v4' ? ['low', 0] : [undefined, 1])
  })

  test('a tool of another provider, and one without an id, is an error before anything is sent', async () => {
    const { model, asked } = mockModel(version, [], { provider: 'openai.responses' })
    const foreign = requestOf({ tools: [{ provider: 'anthropic', providerTool: { id: 'anthropic.x', name: 'x' } }] })
    await expect(heard(model, {}, foreign)).rejects.toMatchObject({
      code: 'ConfigInvalid',
      message: expect.stringContaining("'anthropic'"),
    })
    const formless = requestOf({ tools: [{ provider: 'openai', providerTool: { type: 'web_search' } }] })
    await expect(heard(model, {}, formless)).rejects.toMatchObject({
      code: 'ConfigInvalid',
      message: expect.stringContaining('an id and a name'),
    })
    expect(asked).toEqual([])
  })

  test('a package that changes its prompt changes no later request, nor the history; the same history gives the same', async () => {
    const { model, asked } = mockModel(
      version,
      Array.from({ length: 3 }, () => [...text('ok'), finish(version)]),
    )
    const messages = [
      said('user', words('go')),
      said('assistant', words('x'), call(0, { input: { deep: { list: [1] } } })),
      said('user', words('?')),
    ]
    const before = JSON.stringify(messages)
    const made = fromAiSdk(model)
    const ask = () => made.stream(requestOf({ messages }), () => {}, { signal: new AbortController().signal, sessionId: 's' })
    await ask()
    const first = JSON.stringify(asked[0]?.prompt)
    for (const message of asked[0]?.prompt ?? []) {
      const parts = message.content as { providerOptions?: object }[]
      for (const part of parts) part.providerOptions = { cache: {} }
      parts.pop()
    }
    await ask()
    expect(JSON.stringify(asked[1]?.prompt)).toBe(first)
    expect(JSON.stringify(messages)).toBe(before)
  })
})

test('B196 half a character is no text: what goes out is well-formed', async () => {
  const prompt = await prompted('v4', [said('user', words('a\ud83d')), said('assistant', words('b\ude00'))])
  expect(JSON.stringify(prompt)).not.toMatch(/\\ud[89a-f]/)
  expect(prompt?.[0]?.content).toEqual([{ type: 'text', text: 'a\ufffd' }])
})

test('what specification 4 alone has goes back there, and to the others not at all', async () => {
  const thoughtFile = { mediaType: 'image/png', data: 'AAAA' }
  const kept = said(
    'assistant',
    { type: 'text', text: '', providerData: { [scope]: { custom: 'test.compaction', metadata: { test: { i: 1 } } } } },
    { type: 'reasoning', text: '', providerData: { [scope]: { thoughtFile } } },
    words('Hi'),
  )
  const hi = { type: 'text', text: 'Hi' }
  expect((await prompted('v4', [kept]))?.[0]?.content).toEqual([
    { type: 'custom', kind: 'test.compaction', providerOptions: { test: { i: 1 } } },
    { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
    hi,
  ])
  expect((await prompted('v3', [kept]))?.[0]?.content).toEqual([hi])
})

test('a URL in a result: a URL, where the version has such; else the user shows it', async () => {
  const turn = [said('assistant', call(0, { content: [far] }))]
  const shown = async (version: Version) => (await prompted(version, turn, { provider: 'anthropic.messages' }))?.slice(1)
  expect(await shown('v3')).toMatchObject([
    { role: 'tool', content: [{ output: { value: [{ type: 'image-url', url: 'https://example.com/a.png' }] } }] },
  ])
  expect(await shown('v4')).toMatchObject([{ role: 'tool', content: [{ output: { value: [{ type: 'file', data: { type: 'url' } }] } }] }])
  expect(await shown('v2')).toMatchObject([
    { role: 'tool', content: [{ output: { type: 'text' } }] },
    { role: 'user', content: [{ type: 'text' }, { type: 'file', data: new URL('https://example.com/a.png') }] },
  ])
})

test('data of other forms: a data: URL of text is base64, what is nothing of all that is told in words', async () => {
  const file = (data: string): Part => ({ type: 'file', mediaType: 'text/plain', data })
  expect((await prompted('v3', [said('user', file('data:text/plain,Hello%20you'))]))?.[0]?.content).toMatchObject([
    { data: 'SGVsbG8geW91' },
  ])
  for (const nothing of ['https://', 'data:text/plain', ''])
    expect((await prompted('v3', [said('user', file(nothing))]))?.[0]?.content).toEqual([
      { type: 'text', text: "(Here was a file of type text/plain, which can't be shown to you.)" },
    ])
})
