import { describe, expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import type { ModelDelta, ModelFinish } from '../../../src/core/model.ts'
import { ChatDecoder } from '../../../src/models/openai-chat/decode.ts'

type Event = object | string

function decode(events: readonly Event[], rest?: string) {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const decoder = new ChatDecoder({ provider: 'test' }, (delta) => {
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

/** A message in the place of a delta, as some servers tell all once more in their last event. */
function whole(message: object, reason = 'stop'): Event {
  return { object: 'chat.completion', choices: [{ index: 0, finish_reason: reason, message: { role: 'assistant', ...message } }] }
}

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

  test('B030 a call whose arguments are an object and which is told once more is one, in whatever form', () => {
    const told = (input: unknown) => calls({ index: 0, id: 'a', function: { name: 'f', arguments: input } })
    const forms = [{ x: 1 }, '{"x":1}', '{ "x": 1 }']
    for (const first of forms)
      for (const again of forms) expect(called([told(first), told(again), told(again)]), JSON.stringify([first, again])).toHaveLength(1)
    expect(called([told({ x: 1 }), told({ x: 2 })])).toEqual([
      ['f', { x: 1 }, 'a'],
      ['f', { x: 2 }, undefined],
    ])
  })

  test('a name may come in pieces, and after its id', () => {
    const named = (name: string, more: object = {}) => calls({ index: 0, function: { name, ...more } })
    const id = calls({ index: 0, id: 'a', type: 'function' })
    const rest = calls({ index: 0, function: { arguments: '{}' } })
    expect(called([named('get_'), named('weather'), rest])).toEqual([['get_weather', {}, undefined]])
    expect(
      called([
        id,
        named('get_', { arguments: '' }),
        named('weather', { arguments: '{' }),
        calls({ index: 0, function: { arguments: '}' } }),
      ]),
    ).toEqual([['get_weather', {}, 'a']])
    expect(called([id, named('f')])).toEqual([['f', {}, 'a']])
    expect(called([named('f'), rest, calls({ index: 1, id: 'b' }), calls({ index: 1, function: { name: 'g', arguments: '{}' } })])).toEqual(
      [
        ['f', {}, undefined],
        ['g', {}, 'b'],
      ],
    )
  })

  test('where a name may be of another call it is: arguments came, or every call is counted as 0 and has none', () => {
    const named = (name: string, input: string) => calls({ index: 0, function: { name, arguments: input } })
    expect(called([named('f', ''), named('g', '')])).toEqual([
      ['f', {}, undefined],
      ['g', {}, undefined],
    ])
    expect(called([named('f', '{}'), named('g', '{}')])).toEqual([
      ['f', {}, undefined],
      ['g', {}, undefined],
    ])
  })

  test('an id for which no name comes is an error', () => {
    expect(() => called([calls({ index: 0, id: 'a' })])).toThrow('a tool call has no name')
    expect(() => called([calls({ index: 0, id: 'a' }), calls({ index: 1, id: 'b', function: { name: 'f' } })])).toThrow(
      'a tool call has no name',
    )
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

  test('a server that fills every field of its types: an empty call is none, an empty reason is an end without one', () => {
    const empty = { function_call: { name: '', arguments: '' }, refusal: '', tool_calls: null }
    expect(decode([whole({ content: 'Hello', ...empty }, ''), '[DONE]'])).toMatchObject({
      parts: [{ type: 'text', text: 'Hello' }],
      finish: { finishReason: 'stop' },
    })
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' }, custom: { name: '', input: '' } }
    expect(decode([whole({ content: '', ...empty, tool_calls: [call] }, ''), '[DONE]'])).toMatchObject({
      parts: [{ toolName: 'f', input: { x: 1 } }],
      finish: { finishReason: 'tool-calls' },
    })
    expect(
      called([chunk({ content: 'Hi', ...empty }), chunk({ ...empty, tool_calls: [{ index: 0, ...call }] }), end('tool_calls')]),
    ).toEqual([{ type: 'text', text: 'Hi' }, ['f', { x: 1 }, 'a']])
    const piece = (text: string) => chunk({ ...empty, tool_calls: [{ index: 0, function: { name: 'f', arguments: text } }] })
    expect(called([piece('{"x"'), piece(':1}')])).toEqual([['f', { x: 1 }, undefined]])
    const blank = { index: 1, id: '', function: { name: '', arguments: '' } }
    expect(called([calls({ index: 0, ...call }), calls(blank)])).toEqual([['f', { x: 1 }, 'a']])
  })

  test('the input of a custom tool is a text, and told as its one argument', () => {
    const custom = (index: number, more: object) => ({ index, type: 'custom', ...more })
    const streamed = called([
      calls(custom(0, { id: 'a', custom: { name: 'calc', input: '' } })),
      calls(custom(0, { custom: { input: '4 "' } })),
      calls(custom(0, { custom: { input: '+ 4' } })),
      calls({ index: 1, id: 'b', function: { name: 'f', arguments: '{"x":1}' } }),
    ])
    const both = [
      ['calc', { input: '4 "+ 4' }, 'a'],
      ['f', { x: 1 }, 'b'],
    ]
    expect(streamed).toEqual(both)
    const nameLater = [{ id: 'a', custom: { name: '', input: '' } }, { custom: { name: 'calc' } }, { custom: { input: '4' } }]
    expect(called(nameLater.map((more) => calls(custom(0, more))))).toEqual([['calc', { input: '4' }, 'a']])
    const tool_calls = [
      { id: 'a', type: 'custom', custom: { name: 'calc', input: '4 "+ 4' } },
      { id: 'b', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
    ]
    expect(called([whole({ content: null, tool_calls }, 'tool_calls')])).toEqual(both)
    expect(called([calls(...tool_calls.map((call, index) => ({ index, ...call }))), whole({ content: null, tool_calls })])).toEqual(both)
    expect(called([calls(custom(0, { id: 'a', custom: { name: 'calc', input: '4 "' } })), whole({ tool_calls })])).toEqual(both)
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

describe('a message that follows its deltas tells them once more', () => {
  const entry = (id: string, name: string, input: unknown) => ({ id, type: 'function', function: { name, arguments: input } })
  const shown = (...events: Event[]) => decode([...events, '[DONE]']).parts

  test('text that was said is not said again, and what is missing of it follows', () => {
    const said = [chunk({ content: 'Hello ' }), chunk({ content: 'wor' })]
    for (const [message, text] of [
      [{ content: 'Hello wor' }, 'Hello wor'],
      [{ content: 'Hello world' }, 'Hello world'],
      [{ content: [{ type: 'text', text: 'Hello world' }] }, 'Hello world'],
      [{ content: 'Something else, and longer' }, 'Hello wor'],
      [{ content: 'Hello' }, 'Hello wor'],
      [{ content: null }, 'Hello wor'],
    ] as const)
      expect(shown(...said, whole(message))).toEqual([{ type: 'text', text }])
  })

  test('each kind for itself', () => {
    const message = whole({ reasoning_content: 'hm', content: 'yes' })
    const both = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'yes' },
    ]
    expect(shown(chunk({ role: 'assistant', content: '' }), message)).toEqual(both)
    expect(shown(chunk({ reasoning_content: 'hm' }), message)).toEqual(both)
    expect(shown(chunk({ reasoning_content: 'hm' }), chunk({ content: 'yes' }), message)).toEqual(both)
  })

  test('a call runs once: found by its id, or by its place when the server gives other ids or none', () => {
    const told = [calls({ index: 0, ...entry('a', 'f', '{"x":1}') }), calls({ index: 1, ...entry('b', 'f', '{"x":1}') })]
    for (const again of [
      [entry('a', 'f', '{"x":1}'), entry('b', 'f', '{"x":1}')],
      [entry('b', 'f', { x: 1 }), entry('a', 'f', { x: 1 })],
      [entry('c', 'f', '{ "x": 1 }'), entry('d', 'f', '{"x":1}')],
      [entry('', 'f', { x: 1 }), entry('', 'f', '{"x":1}')],
    ])
      expect(called([...told, whole({ tool_calls: again }, 'tool_calls')])).toEqual([
        ['f', { x: 1 }, 'a'],
        ['f', { x: 1 }, 'b'],
      ])
  })

  test('a call of the old form, too', () => {
    const call = { name: 'f', arguments: '{"x":1}' }
    expect(called([chunk({ function_call: call }), whole({ function_call: call }, 'function_call')])).toEqual([['f', { x: 1 }, undefined]])
  })

  test('a call that only began is completed, and one that is new is taken', () => {
    const began = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"x"' } }),
    ]
    const all = whole({ tool_calls: [entry('a', 'f', '{"x":1}'), entry('b', 'g', { y: 2 })] }, 'tool_calls')
    expect(called([...began, all])).toEqual([
      ['f', { x: 1 }, 'a'],
      ['g', { y: 2 }, 'b'],
    ])
    expect(called([calls({ index: 0, id: 'a', function: { name: 'f' } }), all])).toEqual([
      ['f', { x: 1 }, 'a'],
      ['g', { y: 2 }, 'b'],
    ])
    expect(
      called([chunk({ content: '' }), whole({ tool_calls: [entry('a', 'f', '{}'), entry('b', 'f', '{}')] }, 'tool_calls')]),
    ).toHaveLength(2)
  })

  test('without deltas it is what it says', () => {
    expect(shown(whole({ content: 'Hello' }))).toEqual([{ type: 'text', text: 'Hello' }])
    expect(called([whole({ tool_calls: [entry('', 'f', {}), entry('', 'f', {})] })])).toHaveLength(2)
  })
})

describe('the end', () => {
  test('what follows [DONE] is not read, be it like what came before or not', () => {
    const once = [chunk({ content: 'a' }), chunk({ content: 'b' }), chunk({ content: 'c' })]
    const { parts } = decode(
      [...once, stop, '[DONE]', ...once, calls({ index: 0, id: 'a', function: { name: 'f' } }), 'junk', { error: 'late' }],
      '{"error":"late"}',
    )
    expect(parts).toEqual([{ type: 'text', text: 'abc' }])
    expect(decode([...once, '[DONE]', ...once]).parts).toEqual([{ type: 'text', text: 'abc' }])
  })

  test.each([
    'error',
    'abort',
    'insufficient_system_resource',
    'MALFORMED_FUNCTION_CALL',
    'function_call_filter: MALFORMED_FUNCTION_CALL',
    'function_call_filter: UNEXPECTED_TOOL_CALL',
  ])('C9 C11 B054 of a response that ends with "%s" nothing is used: it broke off, and may be tried again', (reason) => {
    for (const delta of [{ content: 'x' }, { tool_calls: [{ index: 0, id: 'a', function: { name: 'pay', arguments: '{}' } }] }])
      expect(() => decode([chunk(delta), end(reason)])).toThrow(
        expect.objectContaining({
          code: 'ModelServerError',
          retryable: true,
          message: expect.stringContaining(`broke off its response (finish reason "${reason}")`),
        }),
      )
  })

  test('B120 a window that is full before the first word is an overflow; what was said before it was full is an answer that was cut', () => {
    const full = end('model_context_window_exceeded')
    expect(() => decode([chunk({ content: '' }), full])).toThrow(expect.objectContaining({ code: 'ModelContextOverflow' }))
    expect(decode([chunk({ content: 'x' }), full])).toMatchObject({ parts: [{ text: 'x' }], finish: { finishReason: 'length' } })
  })

  test('C9 a reason that nobody knows does not keep calls from running', () => {
    const { parts, finish } = decode([calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }), end('some_new_reason')])
    expect([parts.length, finish.finishReason]).toEqual([1, 'other'])
  })

  test.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['tool_calls', 'tool-calls'],
    ['length', 'length'],
    ['eos_token', 'stop'],
    ['content_filter', 'content-filter'],
    ['content_filter: PROHIBITED_CONTENT', 'content-filter'],
    ['SAFETY', 'content-filter'],
    ['MAX_TOKENS', 'length'],
    ['some_new_reason', 'other'],
    ['some_filter: NEW_REASON', 'other'],
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
    for (const error of ['', false, null, 0])
      for (const event of [{ error, choices: [{ delta: { content: 'x' } }] }, chunk({ content: 'x' }, { error })])
        expect(decode([event, stop]).parts).toEqual([{ type: 'text', text: 'x' }])
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

  test('B098 it may stand in the choice (Moonshot)', () => {
    const { finish } = decode([
      chunk({ content: 'x' }),
      chunk({}, { finish_reason: 'stop', usage: { prompt_tokens: 19, completion_tokens: 13 } }),
    ])
    expect(finish.usage).toMatchObject({ inputTokens: 19, outputTokens: 13, complete: true })
    const every = (n: number) => chunk({ content: 'x' }, { usage: { prompt_tokens: 19, completion_tokens: n } })
    expect(decode([every(1), every(2), every(3), every(4), stop]).finish.usage.outputTokens).toBe(4)
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
