import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Assembler } from '../../../src/core/assemble.ts'
import type { Message, Part } from '../../../src/core/message.ts'
import type { ModelRequest } from '../../../src/core/model.ts'
import { Agent, type Tool, tool } from '../../../src/index.ts'
import { Conversation } from '../../../src/models/http/conversation.ts'
import { ChatDecoder } from '../../../src/models/openai-chat/decode.ts'
import { chatWriting } from '../../../src/models/openai-chat/encode.ts'
import { type ChatQuirks, dialectAt, openaiChat, openaiCompatible } from '../../../src/models/openai-chat/index.ts'
import { ChatFrames } from '../../../src/models/openai-chat/request.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import { listed } from './support.ts'

const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({}), execute: () => '' })

const scope = 'acme/chat/m'

function written(messages: readonly Message[], quirks: ChatQuirks = {}): unknown {
  return listed(new Conversation(chatWriting('m', dialectAt('acme', { baseURL: 'http://api.test/v1', quirks }))).encode(messages))
}

function called(...before: Part[]): Message {
  const settlement = { outcome: 'ok', output: 'sunny' } as const
  const call: Part = { type: 'tool-call', callId: 'm1.0', toolName: 't', providerCallId: 'c', input: {}, settlement }
  return { id: 'm1', role: 'assistant', parts: [...before, call] }
}

/** What the adapter makes of these events, as a message. */
function read(...events: readonly object[]): Message {
  const assembler = new Assembler({ n: 1 })
  const decoder = new ChatDecoder({ provider: 'acme' }, (delta) => void assembler.push(delta), scope)
  for (const event of events) decoder.push(JSON.stringify(event))
  decoder.end()
  return assembler.finish()
}

const delta = (said: object, finish: string | null = null) => ({ choices: [{ index: 0, delta: said, finish_reason: finish }] })
const end = delta({}, 'stop')
const call = { index: 0, id: 'c', function: { name: 't', arguments: '{}' } }

function settled(message: Message): Message {
  const settlement = { outcome: 'ok', output: 'sunny' } as const
  return { ...message, parts: message.parts.map((part) => (part.type === 'tool-call' ? { ...part, settlement } : part)) }
}

describe('reasoning goes back as it came', () => {
  test('in the field in which it came', () => {
    for (const field of ['reasoning_content', 'reasoning']) {
      const message = read(delta({ [field]: 'hm, ' }), delta({ [field]: 'yes' }), delta({ content: 'I look.', tool_calls: [call] }), end)
      expect(written([settled(message)])).toMatchObject([{ content: 'I look.', [field]: 'hm, yes', tool_calls: [{}] }, { role: 'tool' }])
    }
  })

  test('as details, whose pieces are put together, and then not in the field as well', () => {
    const piece = (text: string) => ({ reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, format: 'f', index: 0 }] })
    const encrypted = { type: 'reasoning.encrypted', data: 'AB==', id: 'rs_1', format: 'f', index: 0 }
    const signed = { type: 'reasoning.text', signature: 'sig', format: 'f', index: 0 }
    const message = read(
      delta(piece('hm, ')),
      delta(piece('yes')),
      delta({ reasoning_details: [signed] }),
      delta({ reasoning_details: [encrypted] }),
      delta({ tool_calls: [call] }),
      end,
    )
    expect(message.parts[0]).toMatchObject({ type: 'reasoning', text: 'hm, yes' })
    const [asked] = written([settled(message)]) as [object]
    expect(asked).toMatchObject({
      reasoning_details: [{ type: 'reasoning.text', text: 'hm, yes', format: 'f', index: 0, signature: 'sig' }, encrypted],
    })
    expect(asked).not.toHaveProperty('reasoning')
  })

  test('as parts of the content', () => {
    const message = read(
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
      delta({ content: 'Yes.' }),
      end,
    )
    expect(written([message])).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'Yes.' },
        ],
      },
    ])
  })

  test('what a message and its calls have besides goes back with them', () => {
    const extra = { google: { thought_signature: 'AB==' } }
    const parts = [call, { ...call, index: 1, id: 'd', extra_content: extra }]
    const message = read(delta({ extra_content: extra, tool_calls: parts }), end)
    const [asked] = written([settled(message)]) as [{ tool_calls: object[] }]
    expect(asked).toMatchObject({ extra_content: extra, tool_calls: [{ id: 'c' }, { id: 'd', extra_content: extra }] })
    expect(asked.tool_calls[0]).not.toHaveProperty('extra_content')
  })

  test('B016 to nobody else: not to another server, nor to another model', () => {
    const reasoning = (of: string): Part => ({ type: 'reasoning', text: 'hm', providerData: { [of]: { field: 'reasoning_content' } } })
    for (const other of ['acme/chat/n', 'acme/responses/m', 'other/chat/m'])
      expect(written([called(reasoning(other))])).toMatchObject([{ content: null, tool_calls: [{}] }, {}])
    const [asked] = written([called(reasoning('acme/chat/n'))]) as [object]
    expect(asked).not.toHaveProperty('reasoning_content')
  })

  test('not where the server wants none', () => {
    const model = openaiCompatible({ name: 'perplexity' })('m')
    expect(model.provider).toBe('perplexity')
    const assembler = new Assembler({ n: 1 })
    const decoder = new ChatDecoder({ provider: 'acme' }, (one) => void assembler.push(one))
    for (const event of [delta({ reasoning: 'hm' }), end]) decoder.push(JSON.stringify(event))
    decoder.end()
    expect(assembler.finish().parts).toEqual([{ type: 'reasoning', text: 'hm' }])
  })

  test('a server that wants to see it in every message of the assistant gets it, be it empty', () => {
    const quirks = { reasoningNeeded: 'reasoning_content' } as const
    expect(written([called()], quirks)).toMatchObject([{ reasoning_content: '', tool_calls: [{}] }, {}])
    const own: Part = { type: 'reasoning', text: 'hm', providerData: { [scope]: { field: 'reasoning_content' } } }
    expect(written([called(own)], quirks)).toMatchObject([{ reasoning_content: 'hm', tool_calls: [{}] }, {}])
    expect(written([{ role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }] }], quirks)).toEqual([
      { role: 'assistant', content: 'Yes.', reasoning_content: '' },
    ])
    for (const name of ['deepseek', 'moonshot']) expect(dialectAt(name, {})).toMatchObject(quirks)
  })
})

describe('strict templates', () => {
  const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })

  test('what the user says in several messages is one, and behind the result of a tool somebody answers first', () => {
    const text = (said: string) => ({ type: 'text', text: said })
    expect(written([user('a'), user('b'), called(), user('c')], { rolesAlternate: true })).toMatchObject([
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant' },
      { role: 'tool' },
      { role: 'assistant', content: 'OK.' },
      { role: 'user', content: [text('c')] },
    ])
  })

  test('the user begins, stands between two answers and has the last word, whatever history was imported', async () => {
    const said = (role: 'user' | 'assistant', text: string): Message => ({ role, parts: [{ type: 'text', text }] })
    const [question, answer, again] = [said('user', 'q'), said('assistant', 'a'), said('assistant', 'b')]
    const [settledCall] = [called()]
    for (const [input, roles] of [
      [[answer, question], 'u a u'],
      [[question, answer, again, question], 'u a u a u'],
      [[question, answer], 'u a u'],
      [[settledCall, question], 'u a t a u'],
      [[question, settledCall], 'u a t'],
    ] as const) {
      await using server = await fakeOpenAIChat(['one', 'two'], { rules: { mistral: true } })
      const agent = new Agent({ model: openaiCompatible({ baseURL: server.url, name: 'mistral' })('m') })
      await agent.run(input, { session: 's' })
      await agent.run('more', { session: 's' })
      expect(server.violations).toEqual([])
      const [first, second] = server.requests.map(({ bytes }) => Buffer.from(bytes).toString('utf8').split('],"stream"', 1)[0] ?? '')
      expect(
        JSON.parse(`${first}]}`)
          .messages.map(({ role }: { role: string }) => role[0])
          .join(' '),
      ).toBe(roles)
      expect(second?.startsWith(first ?? '-')).toBe(true)
    }
  })

  test('what a server does not show is told in words', () => {
    const media: readonly Part[] = [
      { type: 'file', mediaType: 'IMAGE/PNG', data: 'AAAA' },
      { type: 'image', mediaType: 'image/tiff', data: 'AAAA' },
      { type: 'file', mediaType: 'audio/wav', data: 'AAAA' },
      { type: 'file', mediaType: 'video/mp4', data: 'AAAA' },
      { type: 'file', mediaType: 'application/pdf', data: 'AAAA' },
      { type: 'file', mediaType: 'application/pdf', data: 'https://a.test/a.pdf' },
      { type: 'file', mediaType: 'text/csv', data: 'AAAA' },
    ]
    const shown = (shows?: ChatQuirks['shows']) => {
      const messages = written([{ role: 'user', parts: media }], shows === undefined ? {} : { shows }) as {
        content: string | { type: string }[]
      }[]
      return messages.map(({ content }) => (typeof content === 'string' ? 'words' : content.map(({ type }) => type).join(' ')))
    }
    expect(shown()).toEqual(['image_url image_url input_audio video_url file file file'])
    expect(shown(['image', 'audio', 'pdf'])).toEqual(['image_url text input_audio text file text text'])
    expect(shown(['video', 'file'])).toEqual(['text text text video_url file file file'])
    expect(shown(['image'])).toEqual(['image_url text text text text text text'])
    expect(shown([])).toEqual(['words'])
  })

  test('files go as the server takes them', async () => {
    const pdf = { type: 'file', mediaType: 'application/pdf', data: 'BBBB', name: 'a.pdf' } as const
    const remote: Part = { type: 'file', mediaType: 'application/pdf', data: 'https://example.com/b.pdf' }
    const sent = (quirks: ChatQuirks) => written([{ role: 'user', parts: [pdf, remote] }], quirks)
    const content = (parts: object[]) => [{ role: 'user', content: parts }]
    expect(sent({ filesAs: 'document_url' })).toEqual(
      content([
        { type: 'document_url', document_url: 'data:application/pdf;base64,BBBB', document_name: 'a.pdf' },
        { type: 'document_url', document_url: 'https://example.com/b.pdf', document_name: 'file.pdf' },
      ]),
    )
    expect(sent({ filesAs: 'file_url' })).toEqual(
      content([
        { type: 'file_url', file_url: { url: 'BBBB' }, file_name: 'a.pdf' },
        { type: 'file_url', file_url: { url: 'https://example.com/b.pdf' }, file_name: 'file.pdf' },
      ]),
    )
    await using server = await fakeOpenAIChat(['read'], { rules: { mistral: true } })
    await new Agent({ model: openaiCompatible({ baseURL: server.url, name: 'mistral' })('m') }).run([{ type: 'text', text: 'Read.' }, pdf])
    expect(server.violations).toEqual([])
  })

  test('a custom tool is declared by the provider’s, run by the tool of that name, and its call goes back as it came', async () => {
    const call = { id: 'call_a', type: 'custom', custom: { name: 'calc', input: '4 + 4' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const body = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    await using server = await fakeOpenAIChat([{ status: 200, body }, 'It is 8.'])
    const declared = { provider: 'openai', providerTool: { type: 'custom', custom: { name: 'calc' } } }
    const calc = tool({
      name: 'calc',
      description: '',
      inputSchema: z.object({ input: z.string() }),
      execute: ({ input }) => `${input} is 8`,
    })
    const agent = new Agent({ model: openaiChat('gpt-5', { baseURL: server.url, apiKey: 'k' }), tools: [declared, calc] })
    const { text, calls } = await agent.run('Add.')
    expect([text, calls.map((one) => one.outcome)]).toEqual(['It is 8.', ['ok']])
    expect(server.violations).toEqual([])
    const sent = JSON.parse(Buffer.from(server.requests[1]?.bytes ?? []).toString())
    expect(sent.tools).toEqual([declared.providerTool])
    expect(sent.messages.slice(1)).toEqual([message, { role: 'tool', tool_call_id: 'call_a', content: '4 + 4 is 8' }])
  })

  test('B016 ids of nine letters and digits', () => {
    const [asked, answer] = written([called()], { callIds: 'nine' }) as [{ tool_calls: [{ id: string }] }, { tool_call_id: string }]
    expect(asked.tool_calls[0].id).toBe('R00001000')
    expect(answer.tool_call_id).toBe('R00001000')
  })

  test('B016 ids of at most forty characters, where OpenAI is or may be behind', () => {
    const own = `chatcmpl-tool-${'0'.repeat(32)}`
    const history = [called()].map(({ parts, ...rest }) => ({ ...rest, parts: parts.map((part) => ({ ...part, providerCallId: own })) }))
    for (const name of ['openai', 'azure', 'openrouter', 'vercel']) {
      const { ids } = dialectAt(name, { baseURL: 'http://api.test/v1' })
      expect([ids.accepts(own), ids.accepts('toolu_01AbCd')]).toEqual([false, true])
    }
    for (const [callIds, id] of [['forty', 'call_m1_0'] as const, ['any', own] as const])
      expect(written(history, { callIds })).toMatchObject([{ tool_calls: [{ id }] }, { tool_call_id: id }])
  })
})

describe('B194 what servers call things', () => {
  const request: ModelRequest = {
    instructions: '',
    messages: [],
    tools: [],
    toolChoice: 'auto',
    settings: { maxOutputTokens: 9, seed: 7, reasoning: 'low' },
    purpose: 'main',
  }
  const tailOf = (name: string, quirks: ChatQuirks = {}, more: Partial<ModelRequest> = {}) => {
    const frames = new ChatFrames('m', dialectAt(name, { baseURL: 'http://api.test/v1', quirks }), { stream: true, strictTools: false })
    return JSON.parse(`{"messages":[${new TextDecoder().decode(frames.of({ ...request, ...more }).tail)}`) as object
  }

  test('by the name of the server', () => {
    const usage = { stream_options: { include_usage: true } }
    expect(tailOf('acme')).toEqual({ messages: [], stream: true, ...usage, max_tokens: 9, seed: 7, reasoning_effort: 'low' })
    expect(tailOf('azure')).toMatchObject({ max_completion_tokens: 9 })
    expect(tailOf('openrouter')).toMatchObject({ reasoning: { effort: 'low' } })
    expect(tailOf('deepseek')).toMatchObject({ thinking: { type: 'enabled' } })
    expect(tailOf('alibaba')).toMatchObject({ enable_thinking: true })
    expect(tailOf('mistral')).toEqual({ messages: [], stream: true, max_tokens: 9, random_seed: 7, reasoning_effort: 'high' })
    expect(tailOf('mistral', {}, { settings: { reasoning: 'none' } })).toMatchObject({ reasoning_effort: 'none' })
  })

  test('that nothing may be called is told by a choice, or by no tools where no choice is read', () => {
    const none = { tools: [look], toolChoice: 'none' } as const
    expect(tailOf('acme', {}, none)).toMatchObject({ tools: [{}], tool_choice: 'none' })
    const always = { providerOptions: { acme: { tool_choice: 'required' } } }
    expect(tailOf('acme', {}, { ...none, settings: always })).toMatchObject({ tools: [{}], tool_choice: 'none' })
    expect(tailOf('acme', {}, { ...none, toolChoice: 'auto', settings: always })).toMatchObject({ tool_choice: 'required' })
    for (const tail of [tailOf('zai', {}, none), tailOf('acme', { noneAs: 'no-tools' }, none)])
      for (const field of ['tools', 'tool_choice']) expect(tail).not.toHaveProperty(field)
    expect(tailOf('zai', {}, { tools: [look] })).toMatchObject({ tools: [{}] })
  })

  test('and over that as the user says', () => {
    expect(tailOf('mistral', { seedField: 'seed', streamUsage: true })).toMatchObject({ seed: 7, stream_options: { include_usage: true } })
    expect(tailOf('acme', { maxTokensField: 'max_completion_tokens', reasoningAs: 'unsaid' })).not.toHaveProperty('reasoning_effort')
    expect(tailOf('zai', {}, { settings: { reasoning: 'none' } })).toMatchObject({ thinking: { type: 'disabled' } })
  })

  test('a choice of one tool, where a server knows words only: that one tool, which has to be called', () => {
    const tools = ['a', 'b'].map((name): Tool => tool({ name, description: name, inputSchema: z.object({}), execute: () => '' }))
    const names = (name: string, toolChoice: ModelRequest['toolChoice']) => {
      const { tools: sent, tool_choice: choice } = tailOf(name, {}, { tools, toolChoice }) as {
        tools: readonly { function: { name: string } }[]
        tool_choice?: unknown
      }
      return [sent.map((one) => one.function.name), choice]
    }
    expect(names('acme', { tool: 'b' })).toEqual([['a', 'b'], { type: 'function', function: { name: 'b' } }])
    for (const name of ['lmstudio', 'llamacpp']) {
      expect(names(name, { tool: 'b' })).toEqual([['b'], 'required'])
      expect([names(name, 'auto'), names(name, 'required')]).toEqual([
        [['a', 'b'], undefined],
        [['a', 'b'], 'required'],
      ])
    }
  })

  test('a choice of a custom tool is of that kind, or that one tool', () => {
    const providerTool = { type: 'custom', custom: { name: 'look' } }
    const sent = (provider: string) =>
      tailOf(provider, {}, { tools: [{ provider, providerTool }, look], toolChoice: { tool: 'look' }, settings: {} })
    expect(sent('acme')).toMatchObject({ tools: [providerTool], tool_choice: providerTool })
    expect(sent('lmstudio')).toMatchObject({ tools: [providerTool], tool_choice: 'required' })
  })

  test('a schema of the output is told in words where it would be refused or not heeded, unless the user says otherwise', () => {
    const kind = (name: string) => openaiCompatible({ name, apiKey: 'k' })('m').capabilities.structuredOutput
    expect(['deepseek', 'groq', 'zai', 'alibaba'].map(kind)).toEqual(['prompt', 'prompt', 'prompt', 'prompt'])
    expect(['openai', 'openrouter', 'moonshot', 'mistral', 'vllm'].map(kind)).toEqual(['native', 'native', 'native', 'native', 'native'])
    const capabilities = { structuredOutput: 'native' } as const
    expect(openaiCompatible({ name: 'groq', capabilities })('openai/gpt-oss-120b').capabilities.structuredOutput).toBe('native')
  })
})

describe('where a server is, and its key', () => {
  test('a known name says where; an unknown one is an error', () => {
    expect(dialectAt('groq', {})).toMatchObject({
      provider: 'groq',
      baseURL: 'https://api.groq.com/openai/v1',
      apiKeyVariable: 'GROQ_API_KEY',
    })
    expect(() => openaiCompatible({ name: 'nobody' })).toThrow("where 'nobody' is, is not known")
    expect(() => openaiCompatible({ name: 'azure' })).toThrow('baseURL is missing')
  })

  test('the key of the environment is sent to the hosts of its server and nowhere else, whatever the name', () => {
    const variable = (name: string, baseURL: string) => dialectAt(name, { baseURL }).apiKeyVariable
    expect(variable('mine', 'https://res.openai.azure.com/openai/v1')).toBe('AZURE_OPENAI_API_KEY')
    expect(variable('openai', 'https://api.groq.com/openai/v1')).toBe('GROQ_API_KEY')
    for (const place of ['http://127.0.0.1:1/v1', 'https://api.groq.com.evil.test/v1', 'https://evilapi.groq.com/v1'])
      expect(variable('groq', place)).toBeUndefined()
    expect(variable('azure', 'https://evil-openai.azure.com.test/v1')).toBeUndefined()
  })
})

test('sources, once each, and images that the model made', () => {
  const cited = {
    annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test/', title: 'A', start_index: 0, end_index: 3 } }],
  }
  const message = read(
    { ...delta({ content: 'Yes.' }), citations: ['https://b.test/'], search_results: [{ url: 'https://b.test/', title: 'B' }] },
    delta({ ...cited, images: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } }] }),
    delta(cited, 'stop'),
  )
  expect(message.parts).toEqual([
    { type: 'source', url: 'https://b.test/', title: 'B' },
    { type: 'text', text: 'Yes.' },
    { type: 'image', mediaType: 'image/webp', data: 'AAAA' },
    { type: 'source', url: 'https://a.test/', title: 'A' },
  ])
})

test('a message that follows its deltas does not tell details and images twice, and what it has besides a call is kept', () => {
  const details = [{ type: 'reasoning.text', text: 'hm', index: 0 }]
  const images = [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } }]
  const extra = { google: { thought_signature: 'AB==' } }
  const again = { content: 'Yes.', reasoning_details: details, images, tool_calls: [{ ...call, extra_content: extra }] }
  const whole = { choices: [{ index: 0, message: again, finish_reason: 'tool_calls' }] }
  const once = read(delta({ reasoning_details: details, images }), delta({ content: 'Yes.' }), whole)
  expect(once.parts.filter(({ type }) => type === 'image')).toHaveLength(1)
  expect(written([settled(once)])).toMatchObject([{ reasoning_details: details, tool_calls: [{ extra_content: extra }] }, {}])
  // What the deltas have not told is taken.
  const late = read(delta({ content: 'Yes.' }), whole)
  expect(late.parts.filter(({ type }) => type === 'image')).toHaveLength(1)
  expect(written([settled(late)])).toMatchObject([{ reasoning_details: details }, {}])
})

test('an empty delta beside a whole message is not the answer', () => {
  const choice = {
    index: 0,
    delta: { role: 'assistant', content: '' },
    message: { role: 'assistant', content: 'Yes.' },
    finish_reason: 'stop',
  }
  expect(read({ choices: [choice] }).parts).toEqual([{ type: 'text', text: 'Yes.' }])
})
