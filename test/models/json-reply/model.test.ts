import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Assembler } from '../../../src/core/assemble.ts'
import type { Message } from '../../../src/core/message.ts'
import type { Model, ModelDelta, ModelRequest } from '../../../src/core/model.ts'
import type { Json, Tool } from '../../../src/index.ts'
import { Agent, tool } from '../../../src/index.ts'
import { type JsonReplyOptions, jsonReply } from '../../../src/models/json-reply/index.ts'
import { type Script, scripted } from '../../../src/testing/index.ts'
import { shown } from './support.ts'

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  effect: 'read',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 20 }),
})
const clock = tool({ name: 'clock', description: '', effect: 'read', inputSchema: z.object({}), execute: () => 'noon' })

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })

const request: ModelRequest = {
  instructions: 'Be brief.',
  messages: [user('Hi.')],
  tools: [weather, clock] as readonly Tool[],
  toolChoice: 'auto',
  settings: {},
  purpose: 'main',
}

/** What a reply of the model below is read as, and what it was asked. */
async function ask(reply: Script[number], more: Partial<ModelRequest> = {}, options: JsonReplyOptions = {}) {
  const below = scripted([reply])
  const assembler = new Assembler({ n: 1 })
  const sink = (delta: ModelDelta) => void assembler.push(delta)
  const finish = await jsonReply(below, options).stream({ ...request, ...more }, sink, {
    signal: new AbortController().signal,
    sessionId: 's',
  })
  const [asked] = below.requests
  if (asked === undefined) throw new Error('the model was not asked')
  const { parts } = assembler.finish()
  return {
    finish,
    asked,
    parts,
    said: parts.map(shown),
    told: [...asked.messages].map(({ role, parts: [part] }) => [role, part && shown(part)]),
  }
}

const call = (id: string, more: object = {}) => ({
  type: 'tool-call' as const,
  callId: id,
  toolName: 'weather',
  input: { city: 'Oslo' },
  settlement: { outcome: 'ok' as const, output: { celsius: 3 } },
  ...more,
})

describe('F-14 what a model without tools is told', () => {
  test('the tools, their schemas and the form of a reply stand behind the instructions, and no tool is given to the model itself', async () => {
    const { asked } = await ask('Hi.')
    expect(asked.tools).toEqual([])
    expect(asked.toolChoice).toBe('none')
    expect(asked.outputSchema).toBeUndefined()
    expect(asked.instructions).toMatchInlineSnapshot(`
      "Be brief.

      # How to reply

      Reply with one JSON object and nothing else, no code fence around it. It is one of these.
      To call a tool:
      {"thought":"<your reasoning, short>","tool_call":{"name":"<tool>","input":{<arguments>}}}
      To call several tools at once:
      {"thought":"<your reasoning, short>","tool_calls":[{"name":"<tool>","input":{<arguments>}},{"name":"<tool>","input":{<arguments>}}]}
      To answer the user:
      {"thought":"<your reasoning, short>","response":"<your answer>"}
      The results of your calls come in the next message, by their ids. Never write results yourself, and do not answer before you have those that you need.

      # Tools

      ## weather
      The weather of a city.
      JSON Schema of its input: {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}

      ## clock
      JSON Schema of its input: {"type":"object","properties":{}}"
    `)
  })

  test.each<[choice: ModelRequest['toolChoice'], words: RegExp]>([
    ['none', /Now you must answer: do not call a tool\.$/],
    ['required', /Now you must call a tool: do not answer yet\.$/],
    [{ tool: 'clock' }, /Now you must call the tool clock: do not answer yet\.$/],
  ])('a choice of tools stands at the end, in words: %j', async (toolChoice, words) => {
    const { asked } = await ask('Hi.', { toolChoice })
    expect(asked.instructions).toMatch(words)
    const auto = (await ask('Hi.')).asked.instructions
    expect(asked.instructions.startsWith(auto)).toBe(true)
  })

  test('an output schema that comes with tools is told', async () => {
    const outputSchema: Json = { type: 'object', properties: { n: { type: 'number' } } }
    const { asked, said } = await ask('{"response":{"n":1}}', { outputSchema })
    expect(asked.instructions).toContain(JSON.stringify(outputSchema))
    expect(asked.outputSchema).toBeUndefined()
    expect(said).toEqual(['{"n":1}'])
  })

  test('thoughts are left out where they are not wanted', async () => {
    expect((await ask('Hi.', {}, { thoughts: false })).asked.instructions).not.toContain('thought')
  })

  test('tools that the provider runs itself are its own matter', async () => {
    const search = { provider: 'scripted', providerTool: { type: 'web_search' } }
    const { asked } = await ask('Hi.', { tools: [weather as Tool, search] })
    expect([asked.tools, asked.toolChoice]).toEqual([[search], 'auto'])
  })
})

describe('F-14 the history is the model’s own JSON, and results by the ids of their calls', () => {
  const told = async (message: Message, options?: JsonReplyOptions) =>
    (await ask('Hi.', { messages: [user('Hi.'), message] }, options)).told.slice(1)

  test('an answer', async () => {
    expect(await told({ role: 'assistant', parts: [{ type: 'text', text: 'It is "20".' }] })).toEqual([
      ['assistant', '{"response":"It is \\"20\\"."}'],
    ])
  })

  test('a call, and its result as a message of the user', async () => {
    expect(await told({ role: 'assistant', parts: [call('m2.0')] })).toEqual([
      ['assistant', '{"tool_call":{"name":"weather","input":{"city":"Oslo"},"id":"m2.0"}}'],
      ['user', '{"tool_results":[{"id":"m2.0","name":"weather","result":{"celsius":3}}]}'],
    ])
  })

  test('several calls with what was said, and their results in their order', async () => {
    const failed = {
      outcome: 'error' as const,
      error: { code: 'ToolExecutionError' as const, category: 'tool' as const, message: 'No such city.', retryable: false },
    }
    const text = { type: 'text' as const, text: 'Both.' }
    expect(
      await told({ role: 'assistant', parts: [text, call('m2.0', { content: 'cold\n"3"' }), call('m2.1', { settlement: failed })] }),
    ).toEqual([
      [
        'assistant',
        '{"response":"Both.","tool_calls":[{"name":"weather","input":{"city":"Oslo"},"id":"m2.0"},{"name":"weather","input":{"city":"Oslo"},"id":"m2.1"}]}',
      ],
      [
        'user',
        '{"tool_results":[{"id":"m2.0","name":"weather","result":"cold\\n\\"3\\""},{"id":"m2.1","name":"weather","error":"No such city."}]}',
      ],
    ])
  })

  test('a reply that could not be read goes back as it came, with what is wrong', async () => {
    const broken = '{"tool_call":{"name" "weather"}}'
    const { parts } = await ask(broken)
    const settled = parts.map((part) => ({
      ...part,
      settlement: {
        outcome: 'invalid' as const,
        error: { code: 'ToolNotFound' as const, category: 'tool' as const, message: 'There is no such tool.', retryable: false },
      },
    })) as Message['parts']
    const [said, results] = await told({ role: 'assistant', parts: settled })
    expect(said).toEqual(['assistant', '{"name" "weather"}}'])
    expect(results?.[1]).toContain('"error":"This call cannot be run: it is not valid JSON.')
  })

  test('a thought goes back in its place; reasoning of the model itself stays reasoning, with its data', async () => {
    const below: Script[number] = {
      deltas: [
        { type: 'reasoning', part: 0, text: 'own' },
        { type: 'data', part: 0, providerData: { 'scripted/x/y': { signature: 'abc' } } },
        { type: 'text', part: 1, text: '{"thought":"Look.","tool_call":{"name":"clock","input":{}}}' },
        { type: 'data', part: 1, providerData: { 'scripted/x/y': { id: 'msg_1' } } },
      ],
    }
    const { parts, said } = await ask(below)
    expect(said).toEqual(['?own', '?Look.', 'clock({})'])
    const messages = [user('Hi.'), { role: 'assistant' as const, parts }]
    const { asked } = await ask('Hi.', { messages })
    expect([...asked.messages][1]?.parts).toEqual([
      { type: 'reasoning', text: 'own', providerData: { 'scripted/x/y': { signature: 'abc' } } },
      {
        type: 'text',
        text: '{"thought":"Look.","tool_call":{"name":"clock","input":{},"id":"m1.0"}}',
        providerData: { 'scripted/x/y': { id: 'msg_1' } },
      },
    ])
  })

  test('data that comes before its text is that of the text; what has data only stays where it was', async () => {
    const below: Script[number] = {
      deltas: [
        { type: 'data', part: 0, providerData: { 'scripted/x/y': { encrypted: 'e' } } },
        { type: 'data', part: 1, providerData: { 'scripted/x/y': { signature: 'abc' } } },
        { type: 'text', part: 1, text: '{"response":"Hi."}' },
        { type: 'data', part: 2, providerData: { 'scripted/x/y': { item: 1 } } },
      ],
    }
    const { parts } = await ask(below)
    expect(parts).toEqual([
      { type: 'reasoning', text: '', providerData: { 'scripted/x/y': { encrypted: 'e' } } },
      { type: 'text', text: 'Hi.', providerData: { 'scripted/x/y': { signature: 'abc' } } },
      { type: 'reasoning', text: '', providerData: { 'scripted/x/y': { item: 1 } } },
    ])
  })

  test('images of a result stand behind the results', async () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AA==' }
    const messages = [
      user('Hi.'),
      { role: 'assistant' as const, parts: [call('m2.0', { content: [{ type: 'text', text: 'seen' }, image] })] },
    ]
    const { asked } = await ask('Hi.', { messages })
    expect([...asked.messages][2]?.parts).toEqual([
      { type: 'text', text: '{"tool_results":[{"id":"m2.0","name":"weather","result":"seen"}]}' },
      { type: 'text', text: 'From the result of weather:' },
      image,
    ])
  })

  test('the same messages are the same objects in each request, so that what was encoded is kept', async () => {
    const below = scripted(['a', 'b'])
    const model = jsonReply(below)
    const messages = [user('Hi.'), { role: 'assistant' as const, parts: [call('m2.0')] }]
    for (let n = 0; n < 2; n++)
      await model.stream({ ...request, messages }, () => {}, { signal: new AbortController().signal, sessionId: 's' })
    const [first, second] = below.requests.map(({ messages: sent }) => [...sent])
    expect(first).toHaveLength(3)
    for (const [index, message] of (first ?? []).entries()) expect(second?.[index]).toBe(message)
    expect(below.requests[0]?.instructions).toBe(below.requests[1]?.instructions)
  })
})

describe('where there is nothing to emulate', () => {
  test('a request without tools, now and before, is handed on as it is', async () => {
    const outputSchema: Json = { type: 'object', properties: { response: { type: 'string' } } }
    const { asked, said } = await ask('{"response":"a"}', { tools: [], outputSchema, purpose: 'output' })
    expect(asked.instructions).toBe('Be brief.')
    expect(asked.outputSchema).toBe(outputSchema)
    expect(said).toEqual(['{"response":"a"}'])
  })

  test('B189 an output behind calls stands for itself, also where it has a key as ours', async () => {
    const messages = [user('Hi.'), { role: 'assistant' as const, parts: [call('m2.0')] }]
    const { asked, said, told } = await ask('{"response":"a"}', { tools: [], messages, purpose: 'output' })
    expect(asked.instructions).toBe('Be brief.')
    expect(told[1]).toEqual(['assistant', '{"tool_call":{"name":"weather","input":{"city":"Oslo"},"id":"m2.0"}}'])
    expect(said).toEqual(['{"response":"a"}'])
  })

  test('a wrap-up behind calls is told how to answer', async () => {
    const messages = [user('Hi.'), { role: 'assistant' as const, parts: [call('m2.0')] }]
    const { asked, said } = await ask('{"response":"a"}', { tools: [], messages, purpose: 'wrap-up', toolChoice: 'none' })
    expect(asked.instructions).toContain('# How to reply')
    expect(asked.instructions).not.toContain('tool_call')
    expect(said).toEqual(['a'])
  })
})

describe('finish reasons', () => {
  const reply = '{"tool_call":{"name":"clock","input":{}}}'
  test('calls decide: a stop with calls is `tool-calls`; what else the model said stays', async () => {
    expect((await ask(reply)).finish.finishReason).toBe('tool-calls')
    expect((await ask('Hi.')).finish.finishReason).toBe('stop')
    expect((await ask({ text: reply, finish: 'length' })).finish.finishReason).toBe('length')
    expect((await ask({ text: reply, finish: 'other' })).finish.finishReason).toBe('other')
  })
})

describe('B075 reasoning between tags', () => {
  test('is taken out of the text before the reply is read, where that is asked for', async () => {
    const text = '<think>{"tool_call":{"name":"clock"}}</think>{"response":"Hi."}'
    expect((await ask({ text, chunk: 3 }, {}, { think: 'tagged' })).said).toEqual(['?{"tool_call":{"name":"clock"}}', 'Hi.'])
    expect((await ask(text.slice(7), {}, { think: 'inside' })).said).toEqual(['?{"tool_call":{"name":"clock"}}', 'Hi.'])
    expect((await ask({ text, chunk: 3 }, { tools: [] }, { think: 'tagged' })).said).toEqual([
      '?{"tool_call":{"name":"clock"}}',
      '{"response":"Hi."}',
    ])
    expect((await ask('<think>a</think>b')).said).toEqual(['<think>a</think>b'])
  })
})

describe('a model that can be held to a schema', () => {
  test('gets the form of a reply as one, with the schemas of the tools in it', async () => {
    const { asked, said } = await ask('{"thought":"","tool_calls":[{"name":"clock","input":{}}],"response":null}', {}, { constrain: true })
    expect(said).toEqual(['clock({})'])
    expect(asked.instructions).toContain('{"thought":"<your reasoning, short>","tool_calls":[{"name":"<tool>","input":{<arguments>}}]}')
    const one = (name: string, schema: Tool) => ({
      type: 'object',
      properties: { name: { const: name }, input: schema.inputJsonSchema },
      required: ['name', 'input'],
      additionalProperties: false,
    })
    expect(asked.outputSchema).toEqual({
      type: 'object',
      properties: {
        thought: { type: 'string' },
        tool_calls: { type: 'array', items: { anyOf: [one('weather', weather as Tool), one('clock', clock as Tool)] } },
        response: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['thought', 'tool_calls', 'response'],
      additionalProperties: false,
    })
  })

  test.each<[choice: ModelRequest['toolChoice'], keys: readonly string[]]>([
    ['none', ['thought', 'response']],
    ['required', ['thought', 'tool_calls']],
    [{ tool: 'clock' }, ['thought', 'tool_calls']],
  ])('a choice of tools leaves the others no place: %j', async (toolChoice, keys) => {
    const { asked } = await ask('{}', { toolChoice }, { constrain: true })
    expect((asked.outputSchema as { required: unknown }).required).toEqual(keys)
  })

  test('B180 what a schema defines and refers to is found in the whole', async () => {
    type Node = { children?: Node[] | undefined }
    const node: z.ZodType<Node> = z.lazy(() => z.object({ children: z.array(node).optional() }))
    const tree = tool({ name: 'tree', description: 'A tree.', inputSchema: z.object({ root: node }), execute: () => 1 })
    const self = {
      ...(tree as Tool),
      name: 'self',
      inputJsonSchema: { type: 'object', properties: { next: { $ref: '#' }, $ref: { type: 'string' } } },
    }
    const { asked } = await ask('{}', { tools: [tree as Tool, self] }, { constrain: true })
    const schema = asked.outputSchema as { $defs: Record<string, unknown> }
    const refs = JSON.stringify(schema).match(/"\$ref":"[^"]*"/g) ?? []
    expect(refs.length).toBeGreaterThan(2)
    for (const ref of refs) expect(Object.keys(schema.$defs)).toContain(/#\/\$defs\/([^"]*)"/.exec(ref)?.[1])
  })

  test('is refused of a model that can not', () => {
    const below = scripted([], { capabilities: { structuredOutput: 'prompt' } })
    expect(() => jsonReply(below, { constrain: true })).toThrow(/constrain needs a model with structured output of its own/)
  })
})

describe('options', () => {
  test('all that is wrong is said at once', () => {
    expect(() => jsonReply(scripted([]), { think: 'yes', thougths: true } as never)).toThrow(
      /jsonReply: unknown option 'thougths': did you mean 'thoughts'\?; think must be 'tagged' or 'inside'/,
    )
    expect(() => jsonReply({} as Model)).toThrow(/the first argument must be a model/)
    expect(() => jsonReply(scripted([]), null as never)).toThrow(/the options must be an object/)
  })
})

describe('a whole run', () => {
  const reply = (value: object) => JSON.stringify(value)

  test('calls, results and an answer', async () => {
    const below = scripted([
      reply({
        thought: 'Both.',
        tool_calls: [
          { name: 'weather', input: { city: 'Oslo' } },
          { name: 'clock', input: {} },
        ],
      }),
      reply({ response: 'It is 20 °C at noon.' }),
    ])
    const result = await new Agent({ model: jsonReply(below), tools: [weather, clock] }).run('Weather and time?')
    expect([result.status, result.text, result.iterations]).toEqual(['completed', 'It is 20 °C at noon.', 2])
    expect([...(below.requests[1]?.messages ?? [])].map(({ role, parts: [part] }) => [role, part && shown(part)])).toEqual([
      ['user', 'Weather and time?'],
      [
        'assistant',
        '{"thought":"Both.","tool_calls":[{"name":"weather","input":{"city":"Oslo"},"id":"m1.0"},{"name":"clock","input":{},"id":"m1.1"}]}',
      ],
      [
        'user',
        '{"tool_results":[{"id":"m1.0","name":"weather","result":{"city":"Oslo","celsius":20}},{"id":"m1.1","name":"clock","result":"noon"}]}',
      ],
    ])
    below.assertDone()
  })

  test('a call that can’t be read, an unknown tool and arguments that don’t fit are told, and the model goes on', async () => {
    const below = scripted([
      '{"tool_call":{"name":"weather","input":{"city":"Os"lo"}}}',
      '{"tool_call":{"input":{}}}',
      reply({ tool_call: { name: 'wether', input: {} } }),
      reply({ tool_call: { name: 'weather', input: { town: 'Oslo' } } }),
      'It is cold.',
    ])
    const result = await new Agent({ model: jsonReply(below), tools: [weather] }).run('Weather?')
    expect([result.status, result.text]).toEqual(['completed', 'It is cold.'])
    expect(result.calls.map(({ toolName, outcome }) => `${toolName} ${outcome}`)).toEqual([
      'weather invalid',
      'unreadable_call invalid',
      'wether invalid',
      'weather invalid',
    ])
    const errors = [...(below.requests[4]?.messages ?? [])].flatMap(({ role, parts: [part] }) =>
      role === 'user' && part?.type === 'text' && part.text.startsWith('{') ? [JSON.parse(part.text).tool_results[0].error] : [],
    )
    expect(errors).toEqual([
      expect.stringMatching(/not valid JSON/),
      expect.stringMatching(/it has no name/),
      expect.stringMatching(/There is no tool named 'wether'/),
      expect.stringMatching(/city/),
    ])
  })

  test('B031 a call of a response that was cut by its length is not run', async () => {
    const ran: string[] = []
    const write = tool({ name: 'write', description: '', inputSchema: z.object({}), execute: () => void ran.push('write') })
    const below = scripted([{ text: '{"tool_calls":[{"name":"write","input":{}},{"name":"wri', finish: 'length' }, 'Done.'])
    const result = await new Agent({ model: jsonReply(below), tools: [write], policies: { onTruncated: 'continue' } }).run('Write.')
    expect([result.text, ran, result.calls.map(({ outcome }) => outcome)]).toEqual(['Done.', [], ['truncated', 'truncated']])
  })
})
