import { describe, expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import { GeminiApi } from '../../../src/models/gemini/api.ts'
import { bodyOf, event, type Read, read, readBody, request, scope, sse, stop } from './support.ts'

const call = (name: string, args: object, more: object = {}) => ({ functionCall: { name, args, ...more } })
const signed = { thoughtSignature: 'c2ln' }

/** The input of the first call. */
const input = ({ parts }: Read) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.input] : []))[0]

function partial(...pieces: object[]): Read {
  const events = pieces.map((piece) => event([{ functionCall: { partialArgs: [piece], willContinue: true } }]))
  return read(event([{ functionCall: { name: 'f', willContinue: true } }]), ...events, event([{ functionCall: {} }]), stop)
}

describe('parts', () => {
  test('text in pieces is one part; thoughts are reasoning that goes back to this model', () => {
    const { parts, finish } = read(
      event([{ text: 'hm, ', thought: true }]),
      event([{ text: 'yes', thought: true }]),
      event([{ text: 'Hel' }]),
      event([{ text: 'lo' }]),
      stop,
    )
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm, yes', providerData: { [scope]: {} } },
      { type: 'text', text: 'Hello' },
    ])
    expect(finish).toMatchObject({ finishReason: 'stop', rawFinishReason: 'STOP', usage: { inputTokens: 9, outputTokens: 3 } })
  })

  test('what is signed is a part of its own, be its text empty, and what follows another', () => {
    const { parts } = read(
      event([{ text: 'a' }]),
      event([{ text: 'b', ...signed }]),
      event([{ text: 'c' }]),
      event([{ text: '', ...signed }]),
      stop,
    )
    const data = { providerData: { [scope]: signed } }
    expect(parts).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', ...data },
      { type: 'text', text: 'c' },
      { type: 'text', text: '', ...data },
    ])
  })

  test('calls keep their ids and signatures; several in one event and over events', () => {
    const { parts, finish } = read(
      event([{ ...call('a', { x: 1 }, { id: 'fc1' }), ...signed }, call('b', {})]),
      event([call('c', { y: [] })]),
      stop,
    )
    expect(parts).toMatchObject([
      { toolName: 'a', providerCallId: 'fc1', input: { x: 1 }, providerData: { [scope]: { ...signed, id: 'fc1' } } },
      { toolName: 'b', input: {} },
      { toolName: 'c', input: { y: [] } },
    ])
    expect(parts[1]).not.toHaveProperty('providerCallId')
    expect(finish.finishReason).toBe('tool-calls')
  })

  test('an image is an image, any other bytes are a file', () => {
    const { parts } = read(
      event([{ inlineData: { mimeType: 'image/png', data: 'AAAA' }, ...signed }]),
      event([{ inlineData: { mimeType: 'audio/pcm', data: 'BBBB' } }]),
      event([{ inlineData: { data: 'CCCC' } }]),
      stop,
    )
    expect(parts).toEqual([
      { type: 'image', mediaType: 'image/png', data: 'AAAA', providerData: { [scope]: signed } },
      { type: 'file', mediaType: 'audio/pcm', data: 'BBBB' },
      { type: 'file', mediaType: 'application/octet-stream', data: 'CCCC' },
    ])
  })

  test('what the provider runs itself is a call that it has settled; both stay whole in their places', () => {
    const code = { executableCode: { language: 'PYTHON', code: 'print(1)' }, ...signed }
    const output = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } }
    const { parts } = read(event([code]), event([output]), event([{ text: 'One.' }]), stop)
    expect(parts).toMatchObject([
      {
        type: 'tool-call',
        toolName: 'code_execution',
        providerExecuted: true,
        input: { code: 'print(1)' },
        settlement: { outcome: 'ok', output: { outcome: 'OUTCOME_OK', output: '1\n' } },
        providerData: { [scope]: { part: code } },
      },
      { type: 'text', text: '', providerData: { [scope]: { part: output } } },
      { type: 'text', text: 'One.' },
    ])
  })

  test.each(['OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED'])('code that the provider ran in vain has failed (%s)', (outcome) => {
    const { parts } = read(event([{ executableCode: { code: 'x' } }, { codeExecutionResult: { outcome, output: 'NameError: x\n' } }]), stop)
    expect(parts[0]).toMatchObject({
      settlement: { outcome: 'error', error: { code: 'ToolExecutionError', message: "The provider's tool failed: NameError: x" } },
    })
  })

  test('an image that is thought is a sketch: it is not shown as an answer, and goes back as it came', () => {
    const sketch = { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thought: true }
    const { parts } = read(event([sketch, { inlineData: { mimeType: 'image/png', data: 'BBBB' }, ...signed }]), stop)
    expect(parts).toEqual([
      { type: 'reasoning', text: '', providerData: { [scope]: { part: sketch } } },
      { type: 'image', mediaType: 'image/png', data: 'BBBB', providerData: { [scope]: signed } },
    ])
  })

  test('of several candidates the first is the answer, however they come', () => {
    const one = (index: number, text: string, more: object = {}) => ({ content: { parts: [{ text }] }, index, ...more })
    const said = read(
      { candidates: [one(1, 'b'), one(0, 'a')] },
      { candidates: [one(0, 'c')] },
      { candidates: [one(0, 'e')] },
      { candidates: [one(1, 'f')] },
      { candidates: [one(0, 'd', { finishReason: 'STOP' })] },
      { candidates: [one(1, 'd', { finishReason: 'MAX_TOKENS' })] },
    )
    expect([said.parts, said.finish.rawFinishReason]).toEqual([[{ type: 'text', text: 'aced' }], 'STOP'])
  })

  test('a call without a name is garbled, not passed over', () => {
    for (const functionCall of [{ args: { x: 1 } }, { partialArgs: [{ jsonPath: '$.x', numberValue: 1 }] }])
      expect(() => read(event([{ functionCall }]), stop)).toThrow(
        expect.objectContaining({ code: 'ModelServerError', message: expect.stringContaining('a tool call has no name') }),
      )
  })

  test('results of the provider find their calls by id, whatever their order', () => {
    const ask = (id: string) => ({ toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id, args: { queries: [id] } } })
    const answer = (id: string) => ({ toolResponse: { toolType: 'GOOGLE_SEARCH_WEB', id, response: { found: id } } })
    const { parts } = read(event([ask('a'), ask('b')]), event([answer('b'), answer('a')]), stop)
    const settled = parts.flatMap((part) => (part.type === 'tool-call' ? [[part.toolName, part.settlement]] : []))
    expect(settled).toEqual([
      ['google_search_web', { outcome: 'ok', output: { response: { found: 'a' } } }],
      ['google_search_web', { outcome: 'ok', output: { response: { found: 'b' } } }],
    ])
  })

  test('a part that nobody knows shows nothing and goes back as it came; a result without a call too', () => {
    const odd = { hologram: { shape: [1, 2] }, ...signed }
    const { parts } = read(event([odd, { codeExecutionResult: { outcome: 'OUTCOME_OK' } }, { text: 'x' }]), stop)
    expect(parts).toMatchObject([{ type: 'text', text: '', providerData: { [scope]: { part: odd } } }, { text: '' }, { text: 'x' }])
  })

  test('sources are told once each, wherever they stand', () => {
    const groundingChunks = [
      { web: { uri: 'https://a.test', title: 'A' } },
      { web: {} },
      { maps: { uri: 'https://maps.test/1', title: 'Bern' } },
      { retrievedContext: { uri: 'gs://files/x.pdf', title: 'x' } },
    ]
    const groundingMetadata = { groundingChunks }
    const urlContextMetadata = { urlMetadata: [{ retrievedUrl: 'https://b.test' }, { retrievedUrl: 'https://a.test' }] }
    const citationMetadata = { citationSources: [{ uri: 'https://c.test' }, {}] }
    const { parts } = read(
      event([{ text: 'x' }], { groundingMetadata, citationMetadata }),
      event([{ text: 'y' }], { urlContextMetadata }),
      stop,
    )
    expect(parts.filter(({ type }) => type === 'source')).toEqual([
      { type: 'source', url: 'https://a.test', title: 'A' },
      { type: 'source', url: 'https://maps.test/1', title: 'Bern' },
      { type: 'source', url: 'gs://files/x.pdf', title: 'x' },
      { type: 'source', url: 'https://c.test' },
      { type: 'source', url: 'https://b.test' },
    ])
  })

  test('B026 a tool that is called otherwise there is found under our name', () => {
    const name = '3d_view'
    const tool = { name, description: 'x', inputJsonSchema: { type: 'object', properties: {} } } as never
    const declared = bodyOf({ tools: [tool], toolChoice: { tool: name } }) as { tools: [{ functionDeclarations: [{ name: string }] }] }
    const theirs = declared.tools[0].functionDeclarations[0].name
    expect(theirs).toMatch(/^_3d_view_\w{7}$/)
    expect(declared).toMatchObject({ toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [theirs] } } })
    const assembler = new Assembler({ n: 1 })
    const api = new GeminiApi('gemini-3-flash', 'http://127.0.0.1', {})
    const decoder = api.decoder({ provider: 'g', answerOf: 'x' }, (delta) => void assembler.push(delta), { ...request, tools: [tool] })
    decoder.push(JSON.stringify(event([call(theirs, {})], { finishReason: 'STOP' })))
    decoder.end()
    expect(assembler.finish().parts).toMatchObject([{ toolName: name }])
  })
})

describe('arguments in pieces', () => {
  test('each goes to its place; texts of one place go on with each other', () => {
    const made = partial(
      { jsonPath: '$.recipe.steps[0].text', stringValue: 'Bo', willContinue: true },
      { jsonPath: '$.recipe.steps[0].text', stringValue: 'il' },
      { jsonPath: '$.recipe.steps[1].text', stringValue: 'Eat' },
      { jsonPath: "$.recipe['a b']", numberValue: 2.5 },
      { jsonPath: '$["c\\"d"]', boolValue: false },
      { jsonPath: '$.none', nullValue: 'NULL_VALUE' },
    )
    expect(input(made)).toEqual({ recipe: { steps: [{ text: 'Boil' }, { text: 'Eat' }], 'a b': 2.5 }, 'c"d': false, none: null })
  })

  test('a piece without a value ends a place and changes nothing', () => {
    expect(input(partial({ jsonPath: '$.a', stringValue: 'x', willContinue: true }, { jsonPath: '$.a' }, { jsonPath: '$.b' }))).toEqual({
      a: 'x',
      b: null,
    })
  })

  test.each([
    ['B031', 'MAX_TOKENS'],
    ['B032', 'STOP'],
  ])('%s a call that has not ended when the response does (%s) is cut: nobody can run what there is of it', (_id, finishReason) => {
    const begin = event([{ functionCall: { name: 'rm', willContinue: true } }])
    const half = event([
      { functionCall: { partialArgs: [{ jsonPath: '$.path', stringValue: '/tm', willContinue: true }], willContinue: true } },
    ])
    for (const events of [[begin], [begin, half]]) {
      const [cut] = read(event([call('ls', {})]), ...events, event(undefined, { finishReason })).parts.slice(1)
      expect(cut).toMatchObject({ toolName: 'rm', input: {}, inputError: expect.stringContaining('the text ends early') })
    }
  })

  test('a signature that comes with the end of a call is that of the call', () => {
    const { parts } = read(
      event([{ functionCall: { name: 'f', id: 'fc1', willContinue: true } }]),
      event([{ functionCall: {}, ...signed }]),
      stop,
    )
    expect(parts).toMatchObject([{ toolName: 'f', input: {}, providerData: { [scope]: { id: 'fc1', ...signed } } }])
  })

  test('B197 __proto__ and constructor are keys as any other', () => {
    const made = partial(
      { jsonPath: '$.__proto__.admin', boolValue: true },
      { jsonPath: '$.constructor.prototype.x', numberValue: 1 },
      { jsonPath: "$['__proto__'].more", numberValue: 2 },
    )
    expect(JSON.stringify(input(made))).toBe('{"__proto__":{"admin":true,"more":2},"constructor":{"prototype":{"x":1}}}')
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  test('a place that is none, or that no arguments have, is a typed error: nothing is put elsewhere', () => {
    for (const jsonPath of ['$.a[99999999999]', '$.a[-1]', '$..a', '$.a[', "$['a", '$.a[*]', `$${'.a'.repeat(300)}`])
      expect(() => partial({ jsonPath, stringValue: 'x' }), jsonPath).toThrow(
        expect.objectContaining({ code: 'ModelServerError', message: expect.stringContaining('a place that is none') }),
      )
  })

  test('a place far down a list costs no room', () => {
    expect(input(partial({ jsonPath: '$.a[99999]', stringValue: 'x' }))).toEqual({ a: ['x'] })
  })

  test('calls that follow each other, one of them whole in between', () => {
    const { parts } = read(
      event([{ functionCall: { name: 'a', willContinue: true } }]),
      event([{ functionCall: { partialArgs: [{ jsonPath: '$.x', numberValue: 1 }], willContinue: true } }]),
      event([call('b', { y: 2 })]),
      event([{ functionCall: { name: 'c', args: { k: 0 }, willContinue: true } }]),
      event([{ functionCall: { partialArgs: [{ jsonPath: '$.z', numberValue: 3 }] } }]),
      event([{ functionCall: {} }]),
      stop,
    )
    expect(parts.map((part) => part.type === 'tool-call' && [part.toolName, part.input])).toEqual([
      ['a', { x: 1 }],
      ['b', { y: 2 }],
      ['c', { k: 0, z: 3 }],
    ])
  })

  test('B201 100,000 pieces are one linear pass: a look at all there is with each piece would take minutes', () => {
    const piece = event([{ functionCall: { partialArgs: [{ jsonPath: '$.text', stringValue: 'ab' }], willContinue: true } }])
    const begin = sse([event([{ functionCall: { name: 'f', willContinue: true } }])])
    const made = readBody([begin, sse([piece]).repeat(100_000), sse([stop])])
    expect(input(made)).toEqual({ text: 'ab'.repeat(100_000) })
  })
})

describe('the end', () => {
  test.each([
    ['STOP', 'stop'],
    [1, 'stop'],
    ['MAX_TOKENS', 'length'],
    [2, 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['BLOCKLIST', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['SPII', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['MODEL_ARMOR', 'content-filter'],
    ['LANGUAGE', 'other'],
    ['OTHER', 'other'],
    ['FINISH_REASON_UNSPECIFIED', 'other'],
    ['NO_IMAGE', 'other'],
    ['ANYTHING_NEW', 'other'],
    ['constructor', 'other'],
  ] as const)('B054 %s is %s: what is not known is no success', (finishReason, wanted) => {
    const { finish } = read(event([{ text: 'x' }]), event(undefined, { finishReason }))
    expect([finish.finishReason, finish.rawFinishReason]).toEqual([wanted, String(finishReason)])
  })

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE', 'TOO_MANY_TOOL_CALLS'])(
    'B054 %s: nothing of it is used, and another attempt may do better',
    (finishReason) => {
      expect(() => read(event([call('pay', { cents: 1 })]), event([], { finishReason }))).toThrow(
        expect.objectContaining({ code: 'ModelServerError', retryable: true, message: expect.stringContaining(finishReason) }),
      )
    },
  )

  test('B057 a prompt that is blocked is no answer and no error: a content filter, in a stream and at once', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY', safetyRatings: [] }, usageMetadata: { promptTokenCount: 7 } }
    for (const made of [
      read(blocked),
      readBody([JSON.stringify(blocked)], 'application/json'),
      readBody([JSON.stringify([blocked])], 'application/json'),
    ])
      expect([made.parts, made.finish]).toMatchObject([
        [],
        { finishReason: 'content-filter', rawFinishReason: 'SAFETY', usage: { inputTokens: 7, outputTokens: 0, complete: true } },
      ])
  })

  test('calls decide, not the reason', () => {
    expect(read(event([call('a', {})], { finishReason: 'STOP' })).finish.finishReason).toBe('tool-calls')
    expect(read(event([call('a', {})], { finishReason: 'MAX_TOKENS' })).finish.finishReason).toBe('length')
  })

  test('B088 a stream without its last event is not complete, and nothing but blanks is nothing', () => {
    expect(() => read(event([{ text: 'x' }]))).toThrow('ended cleanly but without its last event')
    expect(() => readBody(['\r\n\r\n'])).toThrow(/nothing/)
  })

  test('counts without an answer are no answer that came to its end, in a stream and at once: another attempt may do better', () => {
    const bare = { usageMetadata: { promptTokenCount: 3 }, modelVersion: 'gemini-3-flash', responseId: 'r' }
    for (const made of [() => read(bare), () => readBody([JSON.stringify(bare)], 'application/json')])
      expect(made).toThrow(expect.objectContaining({ code: 'ModelServerError', retryable: true }))
  })

  test('B088 a stream that is cut in its middle is not complete, though each event tells a reason for the end', () => {
    const body = sse([event([{ text: 'x' }], { finishReason: 'STOP' }), event([{ text: 'y' }], { finishReason: 'STOP' })])
    expect(() => readBody([body.slice(0, -20)])).toThrow('ended in the middle of an event')
    expect(readBody([body, 'data: [DONE]\n\n']).parts).toEqual([{ type: 'text', text: 'xy' }])
    expect(readBody([body, 'data: [DONE]']).parts).toEqual([{ type: 'text', text: 'xy' }])
  })

  test('an error in the stream is that error, whatever came before; also without data: in front', () => {
    const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
    const overloaded = expect.objectContaining({
      code: 'ModelServerError',
      retryable: true,
      message: expect.stringContaining('overloaded'),
    })
    expect(() => read(event([{ text: 'x' }]), error)).toThrow(overloaded)
    expect(() => readBody([sse([event([{ text: 'x' }])]), JSON.stringify(error, undefined, 2)])).toThrow(overloaded)
    expect(() => readBody([`[${JSON.stringify(event([{ text: 'x' }]))},${JSON.stringify(error)}]`], 'application/json')).toThrow(overloaded)
  })

  test('B119 an input that is too long is that, whatever the status says', () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    for (const code of [400, 500])
      expect(() => read({ error: { code, message, status: 'INTERNAL' } })).toThrow(
        expect.objectContaining({ code: 'ModelContextOverflow', message: expect.stringMatching(/1200000 tokens, limit 1048576/) }),
      )
  })
})

describe('B101 usage', () => {
  const usage = (more: object) => read(event([{ text: 'x' }], { finishReason: 'STOP' }, { usageMetadata: more })).finish.usage

  test('thoughts are counted beside the answer, and what the provider has read for its tools beside the prompt', () => {
    const told = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 40,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 20,
    }
    expect(usage(told)).toEqual({
      inputTokens: 140,
      cachedInputTokens: 60,
      cacheWriteTokens: 0,
      outputTokens: 25,
      reasoningTokens: 20,
      complete: true,
    })
  })

  test('without a count of the prompt it is unknown, not zero', () => {
    expect(usage({ trafficType: 'ON_DEMAND' })).toMatchObject({ inputTokens: 0, complete: false })
    expect(usage({ candidatesTokenCount: 18, thoughtsTokenCount: 58 })).toMatchObject({
      outputTokens: 76,
      reasoningTokens: 58,
      complete: false,
    })
    expect(usage({ promptTokenCount: Number.NaN })).toMatchObject({ complete: false })
  })

  test('the later number stands in the place of the earlier one, also of events that were taken without being parsed', () => {
    const counted = (n: number, last = false) =>
      event(
        [{ text: `t${n}` }],
        last ? { finishReason: 'STOP' } : {},
        last ? {} : { usageMetadata: { promptTokenCount: 8, candidatesTokenCount: n } },
      )
    const { parts, finish } = read(counted(1), counted(2), counted(30), counted(400), counted(0, true))
    expect(parts).toEqual([{ type: 'text', text: 't1t2t30t400t0' }])
    expect(finish.usage).toMatchObject({ inputTokens: 8, outputTokens: 400, complete: true })
    const early = read(counted(1), counted(2), event([], { finishReason: 'STOP' }), counted(3), counted(4), counted(500))
    expect(early.finish.usage).toMatchObject({ outputTokens: 500 })
  })
})

describe('one answer in any form is one message', () => {
  const events = [
    event([{ text: 'hm', thought: true }], {}, { usageMetadata: { promptTokenCount: 3, totalTokenCount: 4 } }),
    event([{ text: 'Grüße ' }], {}, { usageMetadata: { promptTokenCount: 3, totalTokenCount: 14 } }),
    event([{ text: '😀 "x"\n' }], {}, { usageMetadata: { promptTokenCount: 3, totalTokenCount: 124 } }),
    event([{ text: 'end' }], {}, { usageMetadata: { promptTokenCount: 3, totalTokenCount: 125 } }),
    event([{ ...call('a', { b: [1, { c: null }] }, { id: 'fc1' }), ...signed }]),
    stop,
  ]
  const wanted = read(...events)

  test('as events whose lines end in any way, cut anywhere', () => {
    for (const newline of ['\n', '\r\n', '\r']) {
      const bytes = new TextEncoder().encode(sse(events, newline))
      for (let at = 1; at < bytes.length; at += 7) {
        const { message, finish } = readBody([bytes.subarray(0, at), bytes.subarray(at)])
        expect([message, finish]).toEqual([wanted.message, wanted.finish])
      }
    }
  })

  test('as a JSON list, cut anywhere', () => {
    const bytes = new TextEncoder().encode(JSON.stringify(events, undefined, 1))
    for (let at = 1; at < bytes.length; at += 7) {
      const { message, finish } = readBody([bytes.subarray(0, at), bytes.subarray(at)], 'application/json')
      expect([message, finish]).toEqual([wanted.message, wanted.finish])
    }
  })

  test('at once', () => {
    const parts = events.flatMap((one) => (one as { candidates: [{ content: { parts: object[] } }] }).candidates[0].content.parts)
    const [thought, , , , asked] = parts
    const all = [thought, { text: 'Grüße 😀 "x"\nend' }, asked].filter((part) => part !== undefined)
    const { message, finish } = readBody(
      [JSON.stringify({ ...event(all), ...stop, candidates: [{ content: { parts: all }, finishReason: 'STOP' }] })],
      'application/json',
    )
    expect([message, finish]).toEqual([wanted.message, wanted.finish])
  })

  test('what is no answer of this API says so', () => {
    expect(() => readBody(['{"choices":[]}'], 'application/json')).toThrow(expect.objectContaining({ code: 'ModelUnknownError' }))
  })
})

describe('limits', () => {
  test('what nests without end is a typed error', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    for (const part of [`{"functionCall":{"name":"a","args":{"x":${deep}}}}`, `{"executableCode":{"x":${deep}}}`, `{"odd":${deep}}`])
      expect(() => readBody([`data: {"candidates":[{"content":{"parts":[${part}]},"finishReason":"STOP"}]}\n\n`])).toThrow(
        expect.objectContaining({ code: 'ModelServerError', message: expect.stringContaining('nests deeper') }),
      )
  })
})
