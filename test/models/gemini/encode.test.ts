import { describe, expect, test } from 'vitest'
import type { Message, Part, ToolCallPart } from '../../../src/core/message.ts'
import { GeminiApi } from '../../../src/models/gemini/api.ts'
import { bodyOf, contentsOf, event, read, request, scope, stop } from './support.ts'

const user = (...parts: (Part | string)[]): Message => ({
  role: 'user',
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
})

function call(index: number, more: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    callId: `m3.${index}`,
    toolName: 'weather',
    input: { city: 'Bern' },
    settlement: { outcome: 'ok', output: 'sunny' },
    ...more,
  }
}

const assistant = (...parts: Part[]): Message => ({ id: 'm3', role: 'assistant', parts })
const standIn = 'skip_thought_signature_validator'
const asked = { functionCall: { name: 'weather', args: { city: 'Bern' } } }
const answered = { functionResponse: { name: 'weather', response: { output: 'sunny' } } }

/** Settles the calls of an answer that was read. */
function settled(message: Message): Message {
  const settlement = { outcome: 'ok', output: 'sunny' } as const
  return {
    ...message,
    parts: message.parts.map((part) => (part.type === 'tool-call' && part.providerExecuted !== true ? { ...part, settlement } : part)),
  }
}

describe('what the user says', () => {
  test('texts, bytes, data: URLs and files by their address', () => {
    const parts: Part[] = [
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'file', mediaType: 'application/pdf', data: 'data:application/pdf;name=x;base64,BBBB' },
      { type: 'file', mediaType: 'text/plain', data: 'data:text/plain,a%20b' },
      { type: 'file', mediaType: 'video/mp4', data: 'https://www.youtube.com/watch?v=1' },
      { type: 'file', mediaType: 'audio/wav', data: 'gs://bucket/a.wav' },
    ]
    expect(contentsOf([user('look', ...parts)])).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'look' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { inlineData: { mimeType: 'application/pdf', data: 'BBBB' } },
          { inlineData: { mimeType: 'text/plain', data: 'YSBi' } },
          { fileData: { mimeType: 'video/mp4', fileUri: 'https://www.youtube.com/watch?v=1' } },
          { fileData: { mimeType: 'audio/wav', fileUri: 'gs://bucket/a.wav' } },
        ],
      },
    ])
  })

  test('B190 what is blank is left out, and a message that is blank with it', () => {
    expect(contentsOf([user('', ' \n', 'x'), user(' '), assistant({ type: 'text', text: '\n' })])).toEqual([
      { role: 'user', parts: [{ text: 'x' }] },
    ])
  })

  test('a conversation begins with the user', () => {
    expect(contentsOf([assistant({ type: 'text', text: 'Hi' })])).toEqual([
      { role: 'user', parts: [{ text: '(The conversation goes on.)' }] },
      { role: 'model', parts: [{ text: 'Hi' }] },
    ])
  })

  test('B196 lone surrogates never leave', () => {
    const text = JSON.stringify(contentsOf([user('a\ud83db'), assistant(call(0, { settlement: { outcome: 'ok', output: 'x\ud83d' } }))]))
    expect(text).not.toMatch(/\\ud[89a-f]/i)
  })
})

describe('calls and results', () => {
  test('B013 B193 all results of a turn are one content, in call order, with nothing else in it', () => {
    const failed = call(1, {
      settlement: { outcome: 'error', error: { code: 'ToolExecutionError', category: 'tool', message: 'No.', retryable: false } },
    })
    expect(contentsOf([user('go'), assistant(call(0), failed, call(2)), user('and now?')], 'gemini-2.5-flash')).toEqual([
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [asked, asked, asked] },
      { role: 'user', parts: [answered, { functionResponse: { name: 'weather', response: { error: 'No.' } } }, answered] },
      { role: 'user', parts: [{ text: 'and now?' }] },
    ])
  })

  test('answers that follow each other are one content: a call may follow the user only', () => {
    expect(contentsOf([user('go'), assistant({ type: 'text', text: 'I look.' }), assistant(call(0))], 'gemini-2.5-flash')).toMatchObject([
      {},
      { role: 'model', parts: [{ text: 'I look.' }, asked] },
      { role: 'user', parts: [answered] },
    ])
  })

  test('B016 an id goes back to the API that gave it, and nowhere else', () => {
    const own = call(0, { providerCallId: 'fc1', providerData: { [scope]: { id: 'fc1', thoughtSignature: 'c2ln' } } })
    const foreign = call(1, { providerCallId: 'toolu_01', providerData: { 'anthropic/messages/claude': { x: 1 } } })
    const [, model, results] = contentsOf([user('go'), assistant(own, foreign)]) as { parts: object[] }[]
    expect(model?.parts).toEqual([{ functionCall: { id: 'fc1', ...asked.functionCall }, thoughtSignature: 'c2ln' }, asked])
    expect(results?.parts).toEqual([{ functionResponse: { id: 'fc1', ...answered.functionResponse } }, answered])
  })

  test('B026 a name that the API would not take back is another, the same each time', () => {
    const [, model, results] = contentsOf([user('go'), assistant(call(0, { toolName: '3 d' }))]) as {
      parts: Record<string, { name: string }>[]
    }[]
    const name = model?.parts[0]?.['functionCall']?.name
    expect(name).toMatch(/^[a-zA-Z_][\w.-]{0,63}$/)
    expect(results?.parts[0]?.['functionResponse']?.name).toBe(name)
  })

  test('B048 an empty result is an empty text', () => {
    expect(contentsOf([user('go'), assistant(call(0, { settlement: { outcome: 'ok', output: '' } }))])).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { output: '' } } }] },
    ])
  })

  test('images of results stand in them where the model takes that, else the user shows them behind all results', () => {
    const content: Part[] = [
      { type: 'text', text: 'a map' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'image', mediaType: 'image/png', data: 'https://a.test/b.png' },
    ]
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    const file = { fileData: { mimeType: 'image/png', fileUri: 'https://a.test/b.png' } }
    const said = { text: 'From the result of weather:' }
    expect(contentsOf([user('go'), assistant(call(0, { content }), call(1))])).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { output: 'a map' }, parts: [image] } }, answered] },
      { role: 'user', parts: [said, file] },
    ])
    expect(contentsOf([user('go'), assistant(call(0, { content }), call(1))], 'gemini-2.5-pro')).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { output: 'a map' } } }, answered] },
      { role: 'user', parts: [said, image, file] },
    ])
  })
})

test('what a result can not hold is shown by the user: it takes images and documents of few kinds', () => {
  const file = (mediaType: string): Part => ({ type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, data: 'AAAA' })
  const taken = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain']
  const others = ['image/heic', 'audio/wav', 'video/mp4', 'text/csv']
  const [, , results, shown] = contentsOf([user('go'), assistant(call(0, { content: [...taken, ...others].map(file) }))]) as {
    parts: { functionResponse: { parts: { inlineData: { mimeType: string } }[] }; inlineData?: { mimeType: string } }[]
  }[]
  expect(results?.parts[0]?.functionResponse.parts.map(({ inlineData }) => inlineData.mimeType)).toEqual(taken)
  expect(shown?.parts.flatMap(({ inlineData }) => inlineData?.mimeType ?? [])).toEqual(others)
})

test('media is of a type that the API knows, or told in words', () => {
  const parts: Part[] = [
    { type: 'image', mediaType: 'image/jpg', data: 'AAAA' },
    { type: 'file', mediaType: 'application/json', data: 'AAAA' },
    { type: 'image', mediaType: 'image/svg+xml', data: 'AAAA' },
    { type: 'file', mediaType: 'application/octet-stream', data: 'https://www.youtube.com/watch?v=1' },
    { type: 'image', mediaType: 'image/gif', data: 'AAAA' },
    { type: 'file', mediaType: 'application/zip', data: 'AAAA' },
  ]
  const told = (type: string) => ({ text: `(Here was a file of type ${type}, which can't be shown to you.)` })
  expect(contentsOf([user(...parts)])).toEqual([
    {
      role: 'user',
      parts: [
        { inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } },
        { inlineData: { mimeType: 'text/plain', data: 'AAAA' } },
        { inlineData: { mimeType: 'text/plain', data: 'AAAA' } },
        { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } },
        told('image/gif'),
        told('application/zip'),
      ],
    },
  ])
  const [, answer] = contentsOf([user('go'), assistant(...parts.slice(0, 1), ...parts.slice(4))]) as unknown[]
  expect(answer).toEqual({
    role: 'model',
    parts: [{ inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } }, told('image/gif'), told('application/zip')],
  })
})

describe('B066 signatures', () => {
  test('a history of another provider gets the documented stand-in on the first call of each step, and nowhere else', () => {
    const history = [user('go'), assistant(call(0), call(1)), assistant(call(0))]
    const parts = (contentsOf(history) as { role: string; parts: { thoughtSignature?: string }[] }[]).filter(({ role }) => role === 'model')
    expect(parts.map(({ parts }) => parts.map(({ thoughtSignature }) => thoughtSignature))).toEqual([[standIn, undefined], [standIn]])
    expect(JSON.stringify(contentsOf(history, 'gemini-2.5-flash'))).not.toContain('thoughtSignature')
  })

  test('the newest model behind an alias asks for them too', () => {
    expect(JSON.stringify(contentsOf([user('go'), assistant(call(0))], 'gemini-flash-latest'))).toContain(standIn)
  })

  test('a signature stays on the part that it came with: never on a sibling, never invented beside a real one', () => {
    const made = read(
      event([{ functionCall: { name: 'weather', args: { city: 'Bern' } }, thoughtSignature: 'Zmlyc3Q=' }, asked]),
      event([{ text: '', thoughtSignature: 'ZW5k' }]),
      stop,
    )
    const [, model] = contentsOf([user('go'), settled(made.message)]) as { parts: object[] }[]
    expect(model?.parts).toEqual([{ ...asked, thoughtSignature: 'Zmlyc3Q=' }, asked, { text: '', thoughtSignature: 'ZW5k' }])
  })

  test('opaque data goes to the model that gave it; thoughts of others are not sent as text', () => {
    const made = read(
      event([{ text: 'hm', thought: true, thoughtSignature: 'aG0=' }]),
      event([{ text: 'yes', thoughtSignature: 'eWVz' }]),
      stop,
    )
    expect(contentsOf([user('go'), made.message])).toMatchObject([
      {},
      {
        parts: [
          { text: 'hm', thought: true, thoughtSignature: 'aG0=' },
          { text: 'yes', thoughtSignature: 'eWVz' },
        ],
      },
    ])
    expect(contentsOf([user('go'), made.message], 'gemini-3-pro')).toEqual([
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [{ text: 'yes' }] },
    ])
  })
})

test('what the provider ran goes back as it came, in its place, and to this model only', () => {
  const code = { executableCode: { language: 'PYTHON', code: 'print(1.50)', id: 'x' }, thoughtSignature: 'c2ln' }
  const output = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1', id: 'x' } }
  const odd = { hologram: { z: 1, a: [1e21, 0.1] } }
  const made = read(event([code, output, { text: 'One.' }, odd]), stop)
  const parts = JSON.stringify([code, output, { text: 'One.' }, odd])
  expect(JSON.stringify(contentsOf([user('go'), made.message]))).toContain(`"parts":${parts}`)
  expect(contentsOf([user('go'), made.message], 'gemini-2.5-pro')).toMatchObject([{}, { parts: [{ text: 'One.' }] }])
})

test('the same history gives the same bytes, and a longer one begins with them', () => {
  const api = new GeminiApi('gemini-3-flash', 'http://127.0.0.1', {})
  const bytes = (messages: Message[]) => Buffer.concat(api.body({ ...request, messages }, 's')).toString()
  const history = [user('go'), assistant(call(0))]
  const first = bytes(history)
  expect(bytes(history)).toBe(first)
  expect(bytes([...history, assistant({ type: 'text', text: 'Done.' })]).startsWith(first.slice(0, -2))).toBe(true)
})

describe('what of a request is no message', () => {
  const tool = (name: string, inputJsonSchema: object) => ({ name, description: 'd', inputJsonSchema }) as never
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const

  test('nothing is said that was not asked for', () => {
    expect(bodyOf({ messages: [user('x')] })).toEqual({ contents: [{ role: 'user', parts: [{ text: 'x' }] }] })
  })

  test('instructions, settings, tools and the choice of them', () => {
    const settings = {
      temperature: 0.5,
      topP: 0.9,
      seed: 7,
      stop: ['END'],
      maxOutputTokens: 99,
      reasoning: 'low',
      providerOptions: { gemini: { safetySettings: [], contents: [], generationConfig: { topK: 3 } }, vertex: { labels: {} } },
    } as const
    expect(
      bodyOf({
        instructions: 'Be brief.',
        settings,
        tools: [tool('a', schema), tool('b', { type: 'object', properties: {} })],
        toolChoice: 'required',
      }),
    ).toEqual({
      contents: [],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        {
          functionDeclarations: [
            { name: 'a', description: 'd', parametersJsonSchema: schema },
            { name: 'b', description: 'd' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: {
        maxOutputTokens: 99,
        temperature: 0.5,
        topP: 0.9,
        seed: 7,
        stopSequences: ['END'],
        thinkingConfig: { thinkingLevel: 'low', includeThoughts: true },
        topK: 3,
      },
      safetySettings: [],
    })
    expect(bodyOf({ tools: [tool('a', schema)], toolChoice: 'none' })).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
    })
  })

  test('what the user says of calling goes beside the choice, and not in its place', () => {
    const toolConfig = { functionCallingConfig: { streamFunctionCallArguments: true }, retrievalConfig: { languageCode: 'de' } }
    const settings = { providerOptions: { gemini: { toolConfig } } }
    expect(bodyOf({ settings, tools: [tool('a', schema)], toolChoice: { tool: 'a' } })['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'], streamFunctionCallArguments: true },
      retrievalConfig: { languageCode: 'de' },
    })
    expect(bodyOf({ settings, tools: [tool('a', schema)] })['toolConfig']).toEqual(toolConfig)
    const always = { providerOptions: { gemini: { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } } } } }
    expect(bodyOf({ settings: always, tools: [tool('a', schema)], toolChoice: 'none' })['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'NONE' },
    })
  })

  test.each(['gemini-3-flash', 'models/gemini-3-flash', 'publishers/google/models/gemini-3-flash'])('%s is a name of a model', (name) => {
    expect(new URL(new GeminiApi(name, 'http://127.0.0.1/v1', {}).url).pathname).toBe('/v1/models/gemini-3-flash:streamGenerateContent')
  })

  test.each([
    ['gemini-3-flash-preview', 'none', { thinkingLevel: 'minimal' }],
    ['gemini-3.1-flash-lite', 'none', { thinkingLevel: 'minimal' }],
    ['gemini-3.5-flash', 'none', { thinkingLevel: 'minimal' }],
    ['gemini-3.7-flash', 'none', { thinkingLevel: 'low' }],
    ['gemini-3.8-flash', 'medium', { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3.1-pro-preview', 'medium', { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3.1-pro-preview', 'none', { thinkingLevel: 'low' }],
    ['gemini-flash-latest', 'none', { thinkingLevel: 'low' }],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', 'high', { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.0-flash', 'none', undefined],
  ] as const)('%s told to think %s', (model, reasoning, wanted) => {
    const { generationConfig } = bodyOf({ settings: { reasoning } }, { model })
    expect(generationConfig).toEqual(wanted === undefined ? undefined : { thinkingConfig: wanted })
  })

  test('B183 types in lists, null among values, const and tuples: nothing that the API does not know', () => {
    const odd = {
      type: 'object',
      properties: {
        a: { type: ['array', 'null'], items: {} },
        b: { enum: ['x', null] },
        c: { const: 5 },
        d: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      },
      patternProperties: { '^x': {} },
    }
    const { tools } = bodyOf({ tools: [tool('a', odd)] }) as { tools: [{ functionDeclarations: [{ parametersJsonSchema: object }] }] }
    const text = JSON.stringify(tools[0].functionDeclarations[0].parametersJsonSchema)
    expect(text).not.toMatch(/"const"|patternProperties"\s*:/)
    expect(text).toContain('prefixItems')
  })

  test('B186 older models take tools or a schema of the output: together they are an error, never dropped in silence', () => {
    const both = { tools: [tool('a', schema)], outputSchema: schema }
    expect(() => bodyOf(both, { model: 'gemini-2.5-flash' })).toThrow(expect.objectContaining({ code: 'ConfigInvalid' }))
    expect(bodyOf({ ...both, toolChoice: 'none' }, { model: 'gemini-2.5-flash' })).toMatchObject({
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
    })
    expect(bodyOf({ ...both, toolChoice: 'none' }, { model: 'gemini-2.5-flash' })).not.toHaveProperty('tools')
    expect(bodyOf(both)).toMatchObject({ tools: [{}], generationConfig: { responseMimeType: 'application/json' } })
  })

  test('where nothing may be called, tools of the provider are left out: the choice is of functions only', () => {
    const search = { provider: 'gemini', providerTool: { googleSearch: {} } } as never
    expect(bodyOf({ tools: [tool('a', schema), search], toolChoice: 'none' })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'a' }] }],
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
    })
    expect(bodyOf({ tools: [search], toolChoice: 'none' })).not.toHaveProperty('tools')
  })

  test('tools of the provider stand beside functions, and the API is asked to tell of them where it knows that', () => {
    const search = { provider: 'gemini', providerTool: { googleSearch: {} } } as never
    expect(bodyOf({ tools: [search] })).toEqual({ contents: [], tools: [{ googleSearch: {} }] })
    expect(bodyOf({ tools: [search, tool('a', schema)] })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'a' }] }, { googleSearch: {} }],
      toolConfig: { includeServerSideToolInvocations: true },
    })
    expect(bodyOf({ tools: [search, tool('a', schema)] }, { model: 'gemini-2.5-pro' })).not.toHaveProperty('toolConfig')
    expect(() => bodyOf({ tools: [search] }, { vertex: { project: 'p' } })).toThrow("can't be run by 'vertex'")
  })
})
