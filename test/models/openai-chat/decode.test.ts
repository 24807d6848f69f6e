import { describe, expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import type { ModelDelta, ModelFinish } from '../../../src/core/model.ts'
import { ChatDecoder } from '../../../src/models/openai-chat/decode.ts'

type Event = object | string

function decode(events: readonly Event[], rest?: string) {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const decoder = new ChatDecoder('test', (delta) => {
    deltas.push(delta)
    assembler.push(delta)
  })
  // Each as a piece of the body of its own.
  for (const event of events) {
    decoder.push(typeof event === 'string' ? event : JSON.stringify(event))
    decoder.flush()
  }
  if (rest !== undefined) decoder.pushRest(rest)
  const finish: ModelFinish = decoder.end()
  return { parts: assembler.finish().parts, finish, deltas }
}

function chunk(delta: object, more: object = {}): Event {
  return { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null, ...more }] }
}

function calls(...entries: object[]): Event {
  return chunk({ tool_calls: entries })
}

const end = (reason: string) => chunk({}, { finish_reason: reason })
const stop = end('stop')

/** Name and arguments of each call. */
function called(events: readonly Event[]): unknown {
  return decode([...events, end('tool_calls')]).parts.map((part) =>
    part.type === 'tool-call' ? [part.toolName, part.rawInput ?? part.input, part.providerCallId] : part,
  )
}

describe('text', () => {
  test('pieces of text join, whatever stands around them', () => {
    const { parts, finish } = decode([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      stop,
      '[DONE]',
    ])
    expect(parts).toEqual([{ type: 'text', text: 'Hello' }])
    expect(finish).toMatchObject({ finishReason: 'stop', rawFinishReason: 'stop' })
  })

  test('events that differ in their text only are read by a template, and all others as what they are', () => {
    const texts = [
      'a',
      'b',
      'content',
      'id',
      'c',
      'x"y',
      'back\\slash',
      'line\nbreak',
      'ü😀',
      '',
      'choices',
      'z',
      '§probe§',
      'null',
      'd',
      '}',
      ',"content":"',
      'e',
    ]
    const { parts } = decode([...texts.map((text) => chunk({ content: text })), stop])
    expect(parts).toEqual([{ type: 'text', text: texts.join('') }])
  })

  test('text and reasoning that take turns keep their kinds, also with a template', () => {
    const kinds = [0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1]
    const { parts } = decode([...kinds.map((kind, i) => chunk(kind === 0 ? { content: `t${i}` } : { reasoning_content: `r${i}` })), stop])
    expect(parts).toEqual([
      { type: 'text', text: 't0t1t2' },
      { type: 'reasoning', text: 'r3r4r5' },
      { type: 'text', text: 't6t7' },
      { type: 'reasoning', text: 'r8' },
      { type: 'text', text: 't9' },
      { type: 'reasoning', text: 'r10r11' },
    ])
  })

  test('reasoning comes under several names, and under two at once only once', () => {
    for (const field of ['reasoning', 'reasoning_content', 'reasoning_text'])
      expect(decode([chunk({ [field]: 'hm' }), stop]).parts).toEqual([{ type: 'reasoning', text: 'hm' }])
    expect(decode([chunk({ reasoning: 'hm', reasoning_content: 'hm' }), stop]).parts).toEqual([{ type: 'reasoning', text: 'hm' }])
  })

  test('content may be a list of parts', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'so' }] },
      { type: 'text', text: 'yes' },
    ]
    expect(decode([chunk({ content }), stop]).parts).toEqual([
      { type: 'reasoning', text: 'so' },
      { type: 'text', text: 'yes' },
    ])
  })

  test('a refusal is shown and is the reason', () => {
    const { parts, finish } = decode([chunk({ refusal: 'I ' }), chunk({ refusal: 'will not' }), stop])
    expect([parts, finish.finishReason]).toEqual([[{ type: 'text', text: 'I will not' }], 'refusal'])
  })

  test('B037 markup of a call in the text stays text', () => {
    const markup = '<tool_call>{"name":"ls","arguments":{}}</tool_call>'
    expect(decode([chunk({ content: markup }), stop]).parts).toEqual([{ type: 'text', text: markup }])
  })

  test('of several choices the first one is read', () => {
    const event = {
      choices: [
        { index: 1, delta: { content: 'other' } },
        { index: 0, delta: { content: 'mine' } },
      ],
    }
    expect(decode([event, stop]).parts).toEqual([{ type: 'text', text: 'mine' }])
  })
})

describe('calls', () => {
  test('parallel calls whose pieces take turns', () => {
    expect(
      called([
        calls({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
        calls({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{"y"' } }),
        calls({ index: 0, function: { arguments: '{"x":1}' } }, { index: 1, function: { arguments: ':2}' } }),
      ]),
    ).toEqual([
      ['f', { x: 1 }, 'a'],
      ['g', { y: 2 }, 'b'],
    ])
  })

  test('B018 without an index a new id opens a call, and a piece without id goes on with the last one', () => {
    expect(
      called([
        calls({ id: 'a', function: { name: 'f', arguments: '{"x' } }),
        calls({ function: { arguments: '":1}' } }),
        calls({ id: 'b', function: { name: 'f', arguments: '{}' } }),
      ]),
    ).toEqual([
      ['f', { x: 1 }, 'a'],
      ['f', {}, 'b'],
    ])
  })

  test('without index and id, a name begins a call when the one before is complete', () => {
    expect(
      called([calls({ function: { name: 'f', arguments: '{"x":1}' } }), calls({ function: { name: 'f', arguments: '{"x":2}' } })]),
    ).toEqual([
      ['f', { x: 1 }, undefined],
      ['f', { x: 2 }, undefined],
    ])
  })

  test('B020 a new id, or a name after complete arguments, on a used index begins another call', () => {
    const whole = (id: string | undefined, name: string, input: string) =>
      calls({ index: 0, ...(id === undefined ? {} : { id }), function: { name, arguments: input } })
    expect(called([whole('a', 'f', '{"x":1}'), whole('b', 'f', '{"x":2}')])).toEqual([
      ['f', { x: 1 }, 'a'],
      ['f', { x: 2 }, 'b'],
    ])
    expect(called([whole(undefined, 'f', '{"x":1}'), whole(undefined, 'g', '{"x":2}')])).toEqual([
      ['f', { x: 1 }, undefined],
      ['g', { x: 2 }, undefined],
    ])
    expect(called([whole('a', 'f', ''), whole('b', 'f', '')])).toEqual([
      ['f', {}, 'a'],
      ['f', {}, 'b'],
    ])
  })

  test('a server that repeats the name, or makes up an id, with every piece still means one call', () => {
    const piece = (id: string | undefined, input: string) =>
      calls({ index: 0, ...(id === undefined ? {} : { id }), function: { name: 'f', arguments: input } })
    expect(called([piece('a', '{"x'), piece('b', '":1'), piece('c', '}')])).toEqual([['f', { x: 1 }, 'a']])
    expect(called([piece('a', '{"x'), piece('a', '":1}'), piece('a', '')])).toEqual([['f', { x: 1 }, 'a']])
    expect(called([piece(undefined, '{"x'), piece(undefined, '":1}')])).toEqual([['f', { x: 1 }, undefined]])
  })

  test('a call that the last event tells once more, whole, is still one', () => {
    const whole = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }
    const begin = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } })
    expect(called([begin, calls({ index: 0, function: { arguments: '{"x":1}' } }), calls(whole)])).toEqual([['f', { x: 1 }, 'a']])
  })

  test('a new id with every piece, the first one empty, is one call', () => {
    const piece = (id: string, input: string) => calls({ index: 0, id, function: { name: 'f', arguments: input } })
    expect(called([piece('a', ''), piece('b', '{"x":'), piece('c', '1}')])).toEqual([['f', { x: 1 }, 'a']])
  })

  test('B021 pieces under an index that nobody opened belong to the one open call', () => {
    expect(
      called([
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
        calls({ index: 1, function: { arguments: '{"x"' } }),
        calls({ index: 2, function: { arguments: ':1}' } }),
      ]),
    ).toEqual([['f', { x: 1 }, 'a']])
  })

  test('B021 with several open calls such a piece is an error', () => {
    expect(() =>
      called([
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }),
        calls({ index: 1, id: 'b', function: { name: 'g', arguments: '{' } }),
        calls({ index: 5, function: { arguments: '}' } }),
      ]),
    ).toThrow('a piece of arguments belongs to none of its 2 tool calls')
  })

  test('B015 an id that is empty or another call has is no id', () => {
    const entry = (index: number, id: string) => ({ index, id, function: { name: 'f', arguments: `{"i":${index}}` } })
    expect(called([calls(entry(0, 'same'), entry(1, 'same'), entry(2, ''))])).toEqual([
      ['f', { i: 0 }, 'same'],
      ['f', { i: 1 }, undefined],
      ['f', { i: 2 }, undefined],
    ])
  })

  test('B030 arguments as an object, and as a text that was encoded twice', () => {
    expect(called([calls({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })])).toEqual([['f', { x: 1 }, 'a']])
    const twice = JSON.stringify(JSON.stringify({ x: 1 }))
    expect(called([calls({ index: 0, id: 'a', function: { name: 'f', arguments: twice } })])).toEqual([['f', { x: 1 }, 'a']])
  })

  test('a call of the old form', () => {
    expect(
      decode([
        chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
        end('function_call'),
      ]),
    ).toMatchObject({
      parts: [{ toolName: 'f', input: { x: 1 } }],
      finish: { finishReason: 'tool-calls' },
    })
  })

  test('a call without a name is an error', () => {
    expect(() => called([calls({ index: 0, id: 'a', function: { arguments: '{}' } })])).toThrow('a tool call has no name')
  })

  test('B201 100,000 pieces of arguments are one linear pass', () => {
    const text = JSON.stringify({ text: 'x'.repeat(200_000) })
    const pieces = Array.from({ length: 100_000 }, (_, i) => calls({ index: 0, function: { arguments: text.slice(i * 2, i * 2 + 2) } }))
    const rest = calls({ index: 0, function: { arguments: text.slice(200_000) } })
    const events = [calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }), ...pieces, rest]
    expect(called(events)).toEqual([['f', JSON.parse(text), 'a']])
    // Also from servers that repeat the name, or count on: a look at all there is with each piece would take minutes.
    const named = Array.from({ length: 100_000 }, (_, i) =>
      calls({ index: 0, function: { name: 'f', arguments: text.slice(i * 2, i * 2 + 2) } }),
    )
    const drifting = Array.from({ length: 100_000 }, (_, i) =>
      calls({ index: i + 1, function: { arguments: text.slice(i * 2, i * 2 + 2) } }),
    )
    expect(called([...named, rest])).toEqual([['f', JSON.parse(text), undefined]])
    expect(called([calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }), ...drifting, rest])).toEqual([
      ['f', JSON.parse(text), 'a'],
    ])
  })
})

describe('the end', () => {
  test.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['tool_calls', 'tool-calls'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['error', 'error'],
    ['some_new_reason', 'other'],
    ['MALFORMED_FUNCTION_CALL', 'other'],
    ['constructor', 'other'],
  ])('B054 %s means %s', (raw, unified) => {
    expect(decode([chunk({ content: 'x' }), end(raw)]).finish).toMatchObject({ finishReason: unified, rawFinishReason: raw })
  })

  test('a server that says [DONE] and no reason has stopped', () => {
    expect(decode([chunk({ content: 'x' }), '[DONE]']).finish).toEqual({ finishReason: 'stop', usage: expect.anything() })
    expect(decode([calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }), '[DONE]']).finish.finishReason).toBe(
      'tool-calls',
    )
  })

  test('B085 a body without an event is an error that may be tried again', () => {
    expect(() => decode([])).toThrow(expect.objectContaining({ code: 'ModelServerError', retryable: true }))
  })

  test('B088 a clean end without a last event is no success, and says when it was in the middle of a call', () => {
    expect(() => decode([chunk({ content: 'half' })])).toThrow('ended cleanly but without its last event: it is not complete')
    expect(() => decode([calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } })])).toThrow(
      'in the middle of the arguments of a tool call',
    )
  })

  test('B095 a last event without a blank line counts when it is whole', () => {
    expect(decode([chunk({ content: 'x' })], JSON.stringify(stop)).finish.finishReason).toBe('stop')
    expect(() => decode([chunk({ content: 'x' })], '{"choices":[{"delta":{},"finish_r')).toThrow('not complete')
  })

  test('B084 B107 an error in the stream is classified by what is inside it', () => {
    const bad = { error: { message: 'bad field', type: 'invalid_request_error', code: 400 } }
    const quota = { error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' } }
    expect(() => decode([bad])).toThrow(expect.objectContaining({ code: 'ModelBadRequest', retryable: false }))
    expect(() => decode([chunk({ content: 'x' }), quota])).toThrow(
      expect.objectContaining({ code: 'ModelQuotaExceeded', retryable: false }),
    )
    const inChoice = { choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 502, message: 'upstream' } }] }
    expect(() => decode([inChoice])).toThrow(expect.objectContaining({ code: 'ModelServerError' }))
  })

  test('B084 an error that stands in no field of its own, and an answer without a choice, are no empty success', () => {
    expect(() => decode([{ object: 'error', message: 'bad', code: 400 }, '[DONE]'])).toThrow(
      expect.objectContaining({ code: 'ModelBadRequest' }),
    )
    expect(() => decode([{ detail: 'no such model' }, '[DONE]'])).toThrow(expect.objectContaining({ category: 'model' }))
    expect(() => decode([{ choices: [] }, '[DONE]'])).toThrow('answered with nothing')
    expect(decode([{ error: '', choices: [{ delta: { content: 'x' } }] }, stop]).parts).toEqual([{ type: 'text', text: 'x' }])
  })

  test('what is quoted of a response is masked', () => {
    expect(() => decode(['Bearer sk-abcdef123456 \u001b[31m'])).toThrow(/is not JSON: (?!.*abcdef)/)
  })

  test('an event that is not JSON is an error with a piece of it', () => {
    expect(() => decode(['{"choices"'])).toThrow('an event is not JSON: {"choices"')
    expect(() => decode(['42'])).toThrow('an event is no JSON object')
  })
})

describe('usage', () => {
  const usage = (more: object) => ({ choices: [], usage: more })

  test('B098 it is read wherever it comes, also after the finish reason and without choices', () => {
    const preamble = { choices: [], prompt_filter_results: [] }
    const { finish } = decode([preamble, chunk({ content: 'x' }), stop, usage({ prompt_tokens: 9, completion_tokens: 3 }), { id: 'c' }])
    expect(finish.usage).toMatchObject({ inputTokens: 9, outputTokens: 3, complete: true })
  })

  test('B099 a later number replaces an earlier one, field by field', () => {
    const first = usage({ prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } })
    expect(decode([first, usage({ completion_tokens: 16 }), stop]).finish.usage).toMatchObject({
      inputTokens: 9,
      cachedInputTokens: 4,
      outputTokens: 16,
    })
  })

  test('B101 what was not told is unknown, and what is no number was not told', () => {
    expect(decode([stop]).finish.usage).toMatchObject({ inputTokens: 0, complete: false })
    expect(decode([usage({ prompt_tokens: 5, completion_tokens: null, total_tokens: 900 }), stop]).finish.usage).toMatchObject({
      inputTokens: 5,
      outputTokens: 0,
      complete: false,
    })
    expect(decode([usage({ prompt_tokens: Number.NaN, completion_tokens: -1 }), stop]).finish.usage.complete).toBe(false)
  })

  test('B101 reasoning that a server counts beside the completion is output too', () => {
    const xai = usage({
      prompt_tokens: 291,
      completion_tokens: 26,
      total_tokens: 513,
      completion_tokens_details: { reasoning_tokens: 196 },
    })
    expect(decode([xai, stop]).finish.usage).toMatchObject({ outputTokens: 222, reasoningTokens: 196 })
  })

  test('cached, cache-write and reasoning tokens under the names of several servers, and the cost', () => {
    const openai = usage({
      prompt_tokens: 9,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 2 },
    })
    expect(decode([openai, stop]).finish.usage).toMatchObject({ cachedInputTokens: 3, reasoningTokens: 2 })
    expect(
      decode([usage({ prompt_tokens: 9, completion_tokens: 5, prompt_cache_hit_tokens: 7 }), stop]).finish.usage.cachedInputTokens,
    ).toBe(7)
    expect(decode([{ choices: [], x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } }, stop]).finish.usage).toMatchObject({
      inputTokens: 1,
      outputTokens: 2,
    })
    expect(decode([usage({ prompt_tokens: 9, completion_tokens: 5, cost: 0.25 }), stop]).finish.usage.costUsd).toBe(0.25)
  })
})
