import { describe, expect, test } from 'vitest'
import type { Message, Part, ToolCallPart } from '../../../src/core/message.ts'
import { OllamaApi } from '../../../src/models/ollama/api.ts'
import { bodyOf, end, line, read, request, scope } from './support.ts'

const user = (...parts: (Part | string)[]): Message => ({
  role: 'user',
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
})

function call(index: number, more: Partial<ToolCallPart> = {}): ToolCallPart {
  const settlement = { outcome: 'ok', output: 'sunny' } as const
  return { type: 'tool-call', callId: `m3.${index}`, toolName: 'weather', input: { city: 'Bern' }, settlement, ...more }
}

const assistant = (...parts: Part[]): Message => ({ id: 'm3', role: 'assistant', parts })
const messagesOf = (messages: readonly Message[], model?: string) => bodyOf({ messages }, model === undefined ? {} : { model })['messages']
const asked = (id: string, name = 'weather') => ({ id, function: { name, arguments: { city: 'Bern' } } })

describe('messages', () => {
  test('texts are one text, images stand beside it as bare base64', () => {
    const images: Part[] = [
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'file', mediaType: 'IMAGE/PNG', data: 'data:image/png;base64,BBBB' },
    ]
    expect(messagesOf([user('look', ...images, 'well')])).toEqual([{ role: 'user', content: 'look\n\nwell', images: ['AAAA', 'BBBB'] }])
  })

  const unseen: readonly Part[] = [
    { type: 'file', mediaType: 'application/pdf', data: 'AAAA', name: 'a.pdf' },
    { type: 'image', mediaType: 'image/png', data: 'https://a.test/b.png' },
    { type: 'image', mediaType: 'image/svg+xml', data: 'AAAA' },
  ]
  const told = [
    "(Here was a file of type application/pdf named a.pdf, which can't be shown to you.)",
    "(Here was a file of type image/png, which can't be shown to you.)",
    "(Here was a file of type image/svg+xml, which can't be shown to you.)",
  ]
  test('what can not be sent is told in words, also in results: no session is refused for it', () => {
    expect(messagesOf([user('look', ...unseen)])).toEqual([{ role: 'user', content: ['look', ...told].join('\n\n') }])
    expect(messagesOf([user('go'), assistant(call(0, { content: unseen }))])).toMatchObject([
      {},
      {},
      { role: 'tool' },
      { role: 'user', content: ['From the result of weather:', ...told].join('\n\n') },
    ])
  })

  test('calls have objects as arguments; each result follows with the name of its tool, in call order', () => {
    expect(
      messagesOf([
        user('go'),
        assistant({ type: 'text', text: 'I look.' }, call(0, { providerCallId: 'call_x' }), call(1, { toolName: 'b' })),
      ]),
    ).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'I look.', tool_calls: [asked('call_m3_0'), asked('call_m3_1', 'b')] },
      { role: 'tool', tool_name: 'weather', tool_call_id: 'call_m3_0', content: 'sunny' },
      { role: 'tool', tool_name: 'b', tool_call_id: 'call_m3_1', content: 'sunny' },
    ])
  })

  test('B030 arguments that could not be used are an empty object', () => {
    const odd = call(0, { input: {}, rawInput: '[1', inputError: 'cut' })
    expect(messagesOf([user('go'), assistant(odd)])).toMatchObject([{}, { tool_calls: [{ function: { arguments: {} } }] }, {}])
  })

  test('B016 B026 ids and names of others are legal', () => {
    const [, model, result] = messagesOf([user('go'), assistant(call(0, { providerCallId: 'a|b', toolName: '3 d/é' }))]) as [
      unknown,
      { tool_calls: [{ id: string; function: { name: string } }] },
      { tool_name: string },
    ]
    expect(model.tool_calls[0].id).toBe('call_m3_0')
    expect(model.tool_calls[0].function.name).toMatch(/^[\w-]{1,64}$/)
    expect(result.tool_name).toBe(model.tool_calls[0].function.name)
  })

  test('thinking goes back to the model that thought, and to no other', () => {
    const made = read(
      line({ thinking: 'hm' }),
      line({ tool_calls: [{ function: { name: 'weather', arguments: { city: 'Bern' } } }] }),
      end(),
    ).message
    const settled = {
      ...made,
      parts: made.parts.map((part) =>
        part.type === 'tool-call' ? { ...part, settlement: { outcome: 'ok', output: 'x' } as const } : part,
      ),
    }
    expect(messagesOf([user('go'), settled])).toMatchObject([{}, { role: 'assistant', content: '', thinking: 'hm', tool_calls: [{}] }, {}])
    expect(JSON.stringify(messagesOf([user('go'), settled], 'llama3'))).not.toContain('thinking')
    expect(made.parts[0]).toMatchObject({ providerData: { [scope]: true } })
  })

  test('B190 B048 what is blank is left out, but an empty result stays', () => {
    const empty = call(0, { settlement: { outcome: 'ok', output: '' } })
    expect(messagesOf([user('', 'x'), user(' \n'), assistant({ type: 'text', text: '' }), assistant(empty)])).toMatchObject([
      { content: 'x' },
      { role: 'assistant', content: '' },
      { role: 'tool', content: '' },
    ])
  })

  test('images of results are shown by the user behind all results', () => {
    const content: Part[] = [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }]
    expect(messagesOf([user('go'), assistant(call(0, { content }), call(1))])).toMatchObject([
      {},
      {},
      { role: 'tool' },
      { role: 'tool' },
      { role: 'user', content: 'From the result of weather:', images: ['AAAA'] },
    ])
  })

  test('B196 lone surrogates never leave', () => {
    expect(JSON.stringify(messagesOf([user('a\ud83db')]))).not.toMatch(/\\ud[89a-f]/i)
  })

  test('the same history gives the same bytes, and a longer one begins with them', () => {
    const api = new OllamaApi('qwen3', 'http://127.0.0.1', {})
    const bytes = (messages: Message[]) => Buffer.concat(api.body({ ...request, messages, instructions: 'Be brief.' }, 's')).toString()
    const history = [user('go'), assistant(call(0))]
    const first = bytes(history)
    expect(bytes(history)).toBe(first)
    expect(bytes([...history, user('more')]).startsWith(first.split('],"stream"')[0] ?? '-')).toBe(true)
  })
})

describe('what of a request is no message', () => {
  const tool = (name: string, inputJsonSchema: object) => ({ name, description: 'd', inputJsonSchema }) as never
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const

  test('instructions, settings and options', () => {
    const settings = {
      temperature: 0.5,
      topP: 0.9,
      seed: 7,
      stop: ['END'],
      maxOutputTokens: 99,
      reasoning: 'high',
      providerOptions: { ollama: { options: { min_p: 0.1 }, truncate: false, model: 'other' } },
    } as const
    expect(
      bodyOf(
        { instructions: 'Be brief.', settings, tools: [tool('a', schema)] },
        { contextTokens: 32_768, keepAlive: '10m', stream: false },
      ),
    ).toEqual({
      model: 'qwen3',
      messages: [{ role: 'system', content: 'Be brief.' }],
      stream: false,
      tools: [{ type: 'function', function: { name: 'a', description: 'd', parameters: schema } }],
      think: true,
      keep_alive: '10m',
      options: { num_ctx: 32_768, num_predict: 99, temperature: 0.5, top_p: 0.9, seed: 7, stop: ['END'], min_p: 0.1 },
      truncate: false,
    })
  })

  test.each([
    ['qwen3', 'none', false],
    ['qwen3', 'low', true],
    ['gpt-oss:20b', 'low', 'low'],
    ['gpt-oss', 'none', 'low'],
    ['hf.co/unsloth/gpt-oss-20b', 'high', 'high'],
    ['my-gpt-ossified', 'high', true],
  ] as const)('%s told to think %s', (model, reasoning, think) => {
    expect(bodyOf({ settings: { reasoning } }, { model })['think']).toBe(think)
  })

  test('without a choice of tools in the API none leaves them out, and a schema is the format', () => {
    expect(bodyOf({ tools: [tool('a', schema)], toolChoice: 'none' })).not.toHaveProperty('tools')
    expect(bodyOf({ outputSchema: schema })).toMatchObject({ format: schema })
  })

  test('B183 tools have the words that the server reads; what it does not know is said in words', () => {
    const odd = {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 1 }, b: { $ref: '#/$defs/x' } },
      $defs: { x: { type: 'string' } },
    }
    const { tools } = bodyOf({ tools: [tool('a', odd)] }) as {
      tools: [{ function: { parameters: { properties: Record<string, object> } } }]
    }
    expect(tools[0].function.parameters.properties).toMatchObject({
      a: { type: 'integer', description: expect.stringContaining('1') },
      b: { type: 'string' },
    })
    expect(JSON.stringify(tools)).not.toMatch(/"minimum"|"\$ref"/)
  })
})
