import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Assembler } from '../../src/core/assemble.ts'
import { RondoError } from '../../src/core/error.ts'
import type { Json } from '../../src/core/json.ts'
import { isBlank, type Message, type Part, type ToolCallPart } from '../../src/core/message.ts'
import type { ModelDelta } from '../../src/core/model.ts'
import { toDeltas } from '../../src/core/to-deltas.ts'

function assemble(...deltas: ModelDelta[]): Message {
  const assembler = new Assembler({ n: 3 })
  for (const delta of deltas) assembler.push(delta)
  return assembler.finish()
}

function callWith(text: string): ToolCallPart {
  const message = assemble({ type: 'call', part: 0, toolName: 'look', providerCallId: 'p1' }, { type: 'call-input', part: 0, text })
  const part = message.parts[0]
  if (part?.type !== 'tool-call') throw new Error('no call')
  return part
}

function thrownBy(action: () => unknown): RondoError {
  try {
    action()
  } catch (error) {
    if (RondoError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const answer = (...parts: Part[]): Message => ({ id: 'm3', role: 'assistant', parts })

describe('parts', () => {
  test('parts stand in the order of their numbers, with gaps and interleaved, and calls are numbered in that order', () => {
    const message = assemble(
      { type: 'call', part: 9, toolName: 'late', providerCallId: 'same' },
      { type: 'text', part: 2, text: 'Hel' },
      { type: 'call-input', part: 9, text: '{"b"' },
      { type: 'reasoning', part: 0, text: 'hm' },
      { type: 'call', part: 5, toolName: 'early', providerCallId: 'same' },
      { type: 'text', part: 2, text: 'lo' },
      { type: 'call-input', part: 9, text: ':1}' },
      { type: 'reasoning', part: 0, text: 'm' },
    )
    expect(message).toStrictEqual(
      answer(
        { type: 'reasoning', text: 'hmm' },
        { type: 'text', text: 'Hello' },
        { type: 'tool-call', callId: 'm3.0', providerCallId: 'same', toolName: 'early', input: {} },
        { type: 'tool-call', callId: 'm3.1', providerCallId: 'same', toolName: 'late', input: { b: 1 } },
      ),
    )
  })

  test('B200 arguments that come as a value are copied: an adapter may use its object again', () => {
    const input = { n: 1 }
    const message = assemble({ type: 'part', part: 0, value: { type: 'tool-call', callId: '', toolName: 'look', input } })
    input.n = 2
    expect(message.parts).toMatchObject([{ input: { n: 1 } }])
  })

  test('half a surrogate pair in a text is replaced, a pair in two pieces is not', () => {
    const assembler = new Assembler({ n: 1 })
    for (const text of ['a\ud83d', '\ude00b\ud83d']) assembler.push({ type: 'text', part: 0, text })
    expect(assembler.finish().parts).toStrictEqual([{ type: 'text', text: 'a😀b\ufffd' }])
    expect(assembler.text()).toBe('a😀b\ufffd')
  })

  test('an empty text opens nothing, and its part may still become a call', () => {
    const assembler = new Assembler({ n: 1 })
    expect(assembler.push({ type: 'text', part: 0, text: '' })).toBeUndefined()
    expect(assembler.finish().parts).toStrictEqual([])
    assembler.push({ type: 'call', part: 0, toolName: 'look' })
    expect(assembler.finish().parts).toStrictEqual([{ type: 'tool-call', callId: 'm1.0', toolName: 'look', input: {} }])
  })

  test('push says what to show, in one reused object', () => {
    const assembler = new Assembler({ n: 1 })
    const show = (delta: ModelDelta) => {
      const piece = assembler.push(delta)
      return piece && { ...piece }
    }
    expect([
      show({ type: 'text', part: 4, text: 'a' }),
      show({ type: 'text', part: 4, text: 'b' }),
      show({ type: 'call', part: 5, toolName: 'look' }),
      show({ type: 'call-input', part: 5, text: '{' }),
      show({ type: 'call-input', part: 5, text: '}' }),
      show({ type: 'data', part: 4, providerData: { x: 1 } }),
      show({ type: 'part', part: 4, value: { type: 'text', text: 'abc' } }),
      show({ type: 'part', part: 4, value: { type: 'text', text: 'abc' } }),
      show({ type: 'part', part: 6, value: { type: 'reasoning', text: 'whole' } }),
    ]).toStrictEqual([
      { type: 'text', part: 4, opened: true, text: 'a', callId: '', toolName: '' },
      { type: 'text', part: 4, opened: false, text: 'b', callId: '', toolName: '' },
      undefined,
      { type: 'call-input', part: 5, opened: true, text: '{', callId: 'm1.0', toolName: 'look' },
      { type: 'call-input', part: 5, opened: false, text: '}', callId: 'm1.0', toolName: 'look' },
      undefined,
      { type: 'text', part: 4, opened: false, text: 'c', callId: '', toolName: '' },
      undefined,
      { type: 'reasoning', part: 6, opened: true, text: 'whole', callId: '', toolName: '' },
    ])
    expect(assembler.push({ type: 'text', part: 4, text: 'x' })).toBe(assembler.push({ type: 'text', part: 4, text: 'y' }))
    expect(assembler.text()).toBe('abcxy')
  })

  test('a whole part replaces what came before; a whole call gets our id and keeps the outcome that the provider gave it', () => {
    const settlement = { outcome: 'ok', output: [1] } as const
    expect(
      assemble(
        { type: 'text', part: 0, text: 'draft' },
        { type: 'part', part: 0, value: { type: 'text', text: 'final' } },
        { type: 'part', part: 1, value: { type: 'image', mediaType: 'image/png', data: 'AAAA' } },
        { type: 'call', part: 2, toolName: 'search', providerCallId: 'p' },
        { type: 'call-input', part: 2, text: '{"q":' },
        {
          type: 'part',
          part: 2,
          value: { type: 'tool-call', callId: 'x', toolName: 'search', input: { q: 'a' }, providerExecuted: true, settlement },
        },
        { type: 'part', part: 3, value: { type: 'tool-call', callId: 'x', toolName: 'look', input: '{"a":1}' } },
      ),
    ).toStrictEqual(
      answer(
        { type: 'text', text: 'final' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        {
          type: 'tool-call',
          callId: 'm3.0',
          providerCallId: 'p',
          toolName: 'search',
          input: { q: 'a' },
          providerExecuted: true,
          settlement,
        },
        { type: 'tool-call', callId: 'm3.1', toolName: 'look', input: { a: 1 } },
      ),
    )
  })

  test('B197 provider data is merged by scope, also before its part has text, and `__proto__` stays plain data', () => {
    const hostile = JSON.parse('{"s":{"b":2,"__proto__":{"admin":true}},"__proto__":{"admin":true}}')
    const message = assemble(
      { type: 'data', part: 0, providerData: { s: { a: 1, b: 1 }, t: 'x' } },
      { type: 'data', part: 0, providerData: hostile },
      { type: 'text', part: 0, text: 'hi' },
      { type: 'data', part: 1, providerData: { s: 'encrypted' } },
    )
    expect(JSON.stringify(message.parts)).toBe(
      '[{"type":"text","text":"hi","providerData":{"s":{"a":1,"b":2,"__proto__":{"admin":true}},"t":"x","__proto__":{"admin":true}}},' +
        '{"type":"reasoning","text":"","providerData":{"s":"encrypted"}}]',
    )
    expect(Object.getPrototypeOf(message.parts[0]?.providerData)).toBe(Object.prototype)
    expect(Reflect.get({}, 'admin')).toBeUndefined()
  })

  test('B063 a message is blank without a call, media or text', () => {
    expect(isBlank(answer())).toBe(true)
    expect(isBlank(answer({ type: 'text', text: ' \n' }, { type: 'reasoning', text: 'long thoughts' }))).toBe(true)
    expect(isBlank(answer({ type: 'source', url: 'https://example.com' }))).toBe(true)
    expect(isBlank(answer({ type: 'text', text: 'x' }))).toBe(false)
    expect(isBlank(answer({ type: 'image', mediaType: 'image/png', data: '' }))).toBe(false)
    expect(isBlank(assemble({ type: 'call', part: 0, toolName: 'look' }))).toBe(false)
  })
})

describe('arguments', () => {
  test.each<[string, string, Json]>([
    ['an object', '{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    ['no text', '', {}],
    ['blank text', ' \n\t', {}],
    ['the last of two equal keys', '{"a":1,"a":2}', { a: 2 }],
    ['B030 an object encoded twice', '"{\\"a\\":1}"', { a: 1 }],
    ['half a surrogate pair', '{"a":"x\\ud800y"}', { a: 'x\ufffdy' }],
  ])('%s is usable', (_title, text, input) => {
    expect(callWith(text)).toStrictEqual({ type: 'tool-call', callId: 'm3.0', providerCallId: 'p1', toolName: 'look', input })
  })

  test('B197 `__proto__` and `constructor` in arguments are plain own data', () => {
    const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"s":"\\ud800"}'
    const { input } = callWith(text)
    expect(JSON.stringify(input)).toBe(text.replace('\\ud800', '\ufffd'))
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
    expect(Reflect.get({}, 'admin')).toBeUndefined()
  })

  test.each<[string, string, RegExp]>([
    ['B031 B032 a cut string', '{"path":"a","content":"half', /ends early, after 27 characters, so it looks cut off/],
    ['B033 missing brackets', '{"commands":["npm install","npm test"', /ends early/],
    ['a cut string that was encoded twice', '"{\\"a\\":1', /ends early/],
    ['a cut after a backslash', '{"a":"\\', /ends early/],
    ['too many brackets', '{"a":1}}', /not valid JSON. Send one JSON object/],
    ['prose', 'I will look', /not valid JSON/],
    ['an array', '[1]', /they are an array, not a JSON object/],
    ['null', 'null', /they are null/],
    ['a number', '12', /they are a number/],
    ['an object encoded three times', '"\\"{}\\""', /they are a string/],
    ['text in a string', '"look"', /a JSON string, not a JSON object/],
    ['a number that JSON text can say and JSON values cannot', '{"a":[1,{"b":1e999}]}', /the number at \$\.a\[1\]\.b is too large/],
    ['100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /nested deeper than 200 levels/],
    ['100,000 levels that never close', '{"a":'.repeat(100_000), /nested deeper than 200 levels/],
    ['100,000 levels inside a string', JSON.stringify('{"a":'.repeat(100_000)), /a JSON string/],
  ])('B034 %s: no arguments, the text is kept and the model is told why', (_title, text, why) => {
    const call = callWith(text)
    expect(call.input).toStrictEqual({})
    expect(call.inputError).toMatch(why)
    if (text.length < 1000) expect(call.rawInput).toBe(text)
    expect(call.rawInput?.length).toBeLessThanOrEqual(50 * 1024)
  })

  test('200 levels are fine, and brackets in strings do not count', () => {
    expect(callWith(`${'{"a":'.repeat(199)}{}${'}'.repeat(199)}`).inputError).toBeUndefined()
    expect(callWith(`${'{"a":'.repeat(200)}{}${'}'.repeat(200)}`).inputError).toMatch(/deeper/)
    expect(callWith(JSON.stringify({ a: '[{"'.repeat(300) })).inputError).toBeUndefined()
  })

  test('a huge unusable text is kept with its middle cut out', () => {
    const { rawInput } = callWith(`{"a":"${'x'.repeat(200_000)}`)
    expect(rawInput).toMatch(/^\{"a":"x+\n\[… 148,\d+ of 200,006 bytes left out …]\nx+$/)
  })

  test('a whole call whose arguments are no object of JSON is not usable', () => {
    const whole = (input: unknown) =>
      assemble({ type: 'part', part: 0, value: { type: 'tool-call', callId: '', toolName: 'look', input: input as Json } })
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    expect(whole([1]).parts[0]).toMatchObject({ input: {}, rawInput: '[1]', inputError: /an array/ })
    expect(whole(cycle).parts[0]).toMatchObject({ input: {}, rawInput: '{"self":"[circular]"}', inputError: /circular/ })
    expect(whole({ n: 1n }).parts[0]).toMatchObject({ input: {}, inputError: /\$\.n .*bigint/ })
  })
})

describe('limits and protocol', () => {
  const limits = { maxChars: 100, maxInputChars: 20, maxParts: 3, maxCalls: 2 }

  test('B140 endless arguments end with a typed error, bounded, and the call can never run', () => {
    const assembler = new Assembler({ n: 1, limits })
    assembler.push({ type: 'call', part: 0, toolName: 'look' })
    assembler.push({ type: 'call-input', part: 0, text: '{"a":"0123"}' })
    const error = thrownBy(() => assembler.push({ type: 'call-input', part: 0, text: ' '.repeat(9) }))
    expect(error.toData()).toStrictEqual({
      code: 'ModelServerError',
      category: 'model',
      message: "The model's response was stopped: it is over the limit of 20 (maxInputChars).",
      retryable: false,
    })
    expect(thrownBy(() => assembler.push({ type: 'call-input', part: 0, text: ' ' })).message).toBe(error.message)
    expect(assembler.finish().parts).toStrictEqual([
      {
        type: 'tool-call',
        callId: 'm1.0',
        toolName: 'look',
        input: {},
        rawInput: '{"a":"0123"}',
        inputError: 'The arguments of this call cannot be used: they are longer than 20 characters. Split the work into smaller calls.',
      },
    ])
  })

  test('B140 a whole call over the limit can never run either', () => {
    const assembler = new Assembler({ n: 1, limits })
    const value: ToolCallPart = { type: 'tool-call', callId: '', toolName: 'look', input: JSON.stringify({ a: 'x'.repeat(20) }) }
    expect(thrownBy(() => assembler.push({ type: 'part', part: 0, value })).message).toMatch(/maxInputChars/)
    expect(assembler.finish().parts[0]).toMatchObject({ input: {}, inputError: /longer/ })
  })

  test.each<[string, number, ModelDelta[]]>([
    ['maxChars', 100, Array.from({ length: 11 }, () => ({ type: 'text', part: 0, text: '0123456789' }))],
    ['maxChars', 100, Array.from({ length: 11 }, (_, i) => ({ type: 'reasoning', part: i % 2, text: '0123456789' }))],
    ['maxChars', 100, [{ type: 'part', part: 0, value: { type: 'image', mediaType: 'image/png', data: 'x'.repeat(101) } }]],
    ['maxParts', 3, Array.from({ length: 4 }, (_, part) => ({ type: 'text', part, text: '' }))],
    ['maxCalls', 2, Array.from({ length: 3 }, (_, part) => ({ type: 'call', part, toolName: 'look' }))],
  ])('B172 a response over %s ends with a typed error that says so', (limit, value, deltas) => {
    const assembler = new Assembler({ n: 1, limits })
    const last = deltas.pop()
    for (const delta of deltas) assembler.push(delta)
    const error = thrownBy(() => last && assembler.push(last))
    expect(error).toMatchObject({ code: 'ModelServerError', retryable: false })
    expect(error.message).toContain(`limit of ${value} (${limit})`)
    expect(assembler.text().length).toBeLessThanOrEqual(100)
  })

  test('replacing a part frees what it took of the limit', () => {
    const assembler = new Assembler({ n: 1, limits })
    for (let i = 0; i < 5; i++) assembler.push({ type: 'part', part: 0, value: { type: 'text', text: 'x'.repeat(90) } })
    expect(assembler.text()).toHaveLength(90)
  })

  test.each<[string, ModelDelta[]]>([
    ['arguments of a call that never began', [{ type: 'call-input', part: 0, text: '{}' }]],
    [
      'arguments for a text',
      [
        { type: 'text', part: 0, text: 'a' },
        { type: 'call-input', part: 0, text: '{}' },
      ],
    ],
    [
      'a call in a text',
      [
        { type: 'text', part: 0, text: 'a' },
        { type: 'call', part: 0, toolName: 'look' },
      ],
    ],
    [
      'text in a call',
      [
        { type: 'call', part: 0, toolName: 'look' },
        { type: 'text', part: 0, text: '' },
      ],
    ],
    [
      'reasoning in a text',
      [
        { type: 'text', part: 0, text: 'a' },
        { type: 'reasoning', part: 0, text: 'b' },
      ],
    ],
    [
      'a second name',
      [
        { type: 'call', part: 0, toolName: 'look' },
        { type: 'call', part: 0, toolName: 'jump' },
      ],
    ],
    ['a part without a number', [{ type: 'text', part: Number.NaN, text: 'a' }]],
    ['a negative part', [{ type: 'text', part: -1, text: 'a' }]],
  ])('a garbled stream is a retryable ModelServerError: %s', (_title, deltas) => {
    const assembler = new Assembler({ n: 1 })
    const last = deltas.pop()
    for (const delta of deltas) assembler.push(delta)
    expect(thrownBy(() => last && assembler.push(last))).toMatchObject({ code: 'ModelServerError', retryable: true })
  })

  test('B103 a call announced again with the same name stays one call, with its first id', () => {
    expect(
      assemble(
        { type: 'call', part: 0, toolName: 'look', providerCallId: 'one' },
        { type: 'call-input', part: 0, text: '{"a"' },
        { type: 'call', part: 0, toolName: 'look', providerCallId: 'two' },
        { type: 'call-input', part: 0, text: ':1}' },
      ).parts,
    ).toStrictEqual([{ type: 'tool-call', callId: 'm3.0', providerCallId: 'one', toolName: 'look', input: { a: 1 } }])
  })

  test('a million deltas are one linear pass', () => {
    const assembler = new Assembler({ n: 1 })
    assembler.push({ type: 'call', part: 1, toolName: 'write' })
    assembler.push({ type: 'call-input', part: 1, text: '{"text":"' })
    for (let i = 0; i < 500_000; i++) {
      assembler.push({ type: 'text', part: 0, text: 'word ' })
      assembler.push({ type: 'call-input', part: 1, text: 'abc ' })
    }
    assembler.push({ type: 'call-input', part: 1, text: '"}' })
    const [text, call] = assembler.finish().parts
    expect(text?.type === 'text' && text.text.length).toBe(2_500_000)
    expect(call?.type === 'tool-call' && call.inputError).toBeUndefined()
  })
})

describe('properties', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('a', ' ', '"', '\\', '{', '😀', '\ud83d', '\ude00', 'é'), fc.string()),
    maxLength: 12,
  })
  const input = fc.oneof(
    fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value)),
    fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value).slice(0, -2)),
    text,
  )
  const part: fc.Arbitrary<(part: number) => ModelDelta[]> = fc.oneof(
    fc.tuple(fc.constantFrom('text' as const, 'reasoning' as const), text).map(([type, value]) => (at: number): ModelDelta[] => [
      { type, part: at, text: value },
    ]),
    input.map((value) => (at: number): ModelDelta[] => [
      { type: 'call', part: at, toolName: 'look', providerCallId: 'same' },
      { type: 'call-input', part: at, text: value },
    ]),
  )
  const response = fc.array(part, { maxLength: 5 }).map((parts) => parts.map((make, i) => make(i * 2)))

  /** Splits the deltas of every part at the given places and interleaves the parts. */
  function cut(parts: ModelDelta[][], places: number[], order: number[]): ModelDelta[] {
    const queues = parts.map((deltas) =>
      deltas.flatMap((delta): ModelDelta[] => {
        if (!('text' in delta)) return [delta]
        const ends = [...places.map((place) => place % (delta.text.length + 1)), delta.text.length].sort((a, b) => a - b)
        return ends.map((end, i) => ({ ...delta, text: delta.text.slice(ends[i - 1] ?? 0, end) }))
      }),
    )
    const result: ModelDelta[] = []
    for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
      const open = queues.filter((queue) => queue.length > 0)
      const next = open[(order[turn % order.length] ?? 0) % open.length]?.shift()
      if (next !== undefined) result.push(next)
    }
    return result
  }

  test('a message that is cut anywhere, also inside a surrogate pair, and interleaved assembles the same', () => {
    const numbers = fc.array(fc.nat(60), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(response, numbers, numbers, (parts, places, order) => {
        expect(assemble(...cut(parts, places, order))).toStrictEqual(assemble(...parts.flat()))
      }),
      { numRuns: 500 },
    )
  })

  test('a message survives the journal and its own deltas', () => {
    fc.assert(
      fc.property(response, (parts) => {
        const message = assemble(...parts.flat())
        expect(JSON.parse(JSON.stringify(message))).toStrictEqual(message)
        expect(assemble(...toDeltas(message))).toStrictEqual(message)
      }),
      { numRuns: 300 },
    )
  })
})
