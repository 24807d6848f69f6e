import { describe, expect, test } from 'vitest'
import { end, line, lines, type Read, read, readBody, scope } from './support.ts'

const call = (name: string, args: unknown, more: object = {}) => line({ tool_calls: [{ function: { name, arguments: args }, ...more }] })
const calls = ({ parts }: Read) =>
  parts.flatMap((part) => (part.type === 'tool-call' ? [[part.toolName, part.input, part.providerCallId]] : []))

describe('lines', () => {
  test('text, and thinking that goes back to this model', () => {
    const { parts, finish } = read(
      line({ thinking: 'hm, ' }),
      line({ thinking: 'yes' }),
      line({ content: 'Hel' }),
      line({ content: 'lo' }),
      line({ content: ' "you"\n' }),
      end(),
    )
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm, yes', providerData: { [scope]: true } },
      { type: 'text', text: 'Hello "you"\n' },
    ])
    expect(finish).toEqual({
      finishReason: 'stop',
      rawFinishReason: 'stop',
      usage: { inputTokens: 9, outputTokens: 3, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, complete: true },
    })
  })

  test('thinking, text and calls in one line, and text behind a call', () => {
    const { parts } = read(
      line({ thinking: 'hm', content: 'I look.', tool_calls: [{ function: { name: 'a', arguments: {} } }] }),
      line({ content: 'So.' }),
      end(),
    )
    expect(
      parts.map((part) => (part.type === 'tool-call' ? part.toolName : part.type === 'source' ? '' : 'text' in part && part.text)),
    ).toEqual(['hm', 'I look.', 'a', 'So.'])
  })

  test('B030 arguments as an object or as its text; with an id or without', () => {
    const made = read(call('a', { x: [1] }, { id: 'call_1' }), call('b', '{"y":2}'), call('c', undefined), call('d', null), end())
    expect(calls(made)).toEqual([
      ['a', { x: [1] }, 'call_1'],
      ['b', { y: 2 }, undefined],
      ['c', {}, undefined],
      ['d', {}, undefined],
    ])
    expect(made.finish.finishReason).toBe('tool-calls')
  })

  test('B197 __proto__ in arguments is a key as any other', () => {
    const body = '{"message":{"tool_calls":[{"function":{"name":"a","arguments":{"__proto__":{"admin":true}}}}]},"done":true}\n'
    expect(JSON.stringify(calls(readBody([body]))[0]?.[1])).toBe('{"__proto__":{"admin":true}}')
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  test('a call without a name is garbled; what nests without end too', () => {
    expect(() => read(line({ tool_calls: [{ function: { arguments: {} } }] }))).toThrow('a tool call has no name')
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect(() => readBody([`{"message":{"tool_calls":[{"function":{"name":"a","arguments":{"x":${deep}}}}]},"done":true}\n`])).toThrow(
      'nests deeper',
    )
  })

  test('the other API of the server has its text in another place', () => {
    expect(
      read({ response: 'Hel', done: false }, { response: 'lo', thinking: '', done: false }, { response: '', done: true }).parts,
    ).toEqual([{ type: 'text', text: 'Hello' }])
  })

  test('one line for all, whatever its content type', () => {
    const whole = line({ content: 'Hello', thinking: 'hm' }, { done: true, done_reason: 'length', eval_count: 1 })
    for (const type of ['application/json; charset=utf-8', 'application/x-ndjson', ''])
      expect(readBody([JSON.stringify(whole)], type)).toMatchObject({
        parts: [{ text: 'hm' }, { text: 'Hello' }],
        finish: { finishReason: 'length' },
      })
  })

  test('what follows the end is not read', () => {
    expect(read(line({ content: 'x' }), end(), line({ content: 'y' })).parts).toEqual([{ type: 'text', text: 'x' }])
  })

  test('the same, wherever the body is cut', () => {
    const values = [
      line({ thinking: 'hm' }),
      line({ content: 'Grüße ' }),
      line({ content: '😀 "x"\n' }),
      line({ content: 'y' }),
      call('a', { b: 1 }),
      end(),
    ]
    for (const newline of ['\n', '\r\n']) {
      const wanted = readBody([lines(values, newline)])
      const bytes = new TextEncoder().encode(lines(values, newline))
      for (let at = 1; at < bytes.length; at += 3) {
        const { message, finish } = readBody([bytes.subarray(0, at), bytes.subarray(at)])
        expect([message, finish]).toEqual([wanted.message, wanted.finish])
      }
    }
  })

  test('B201 100,000 lines are one linear pass', () => {
    const text = 'ab'.repeat(100_000)
    const values = Array.from({ length: 100_000 }, (_, i) => line({ content: text.slice(i * 2, i * 2 + 2) }))
    expect(read(...values, end()).parts).toEqual([{ type: 'text', text }])
  })
})

describe('the end', () => {
  test.each([
    ['stop', 'stop'],
    [undefined, 'stop'],
    ['length', 'length'],
    ['load', 'other'],
    ['unload', 'other'],
    ['anything', 'other'],
  ] as const)('%s is %s: what is not known is no success', (done_reason, wanted) => {
    expect(read(line({ content: 'x' }), end({ done_reason })).finish.finishReason).toBe(wanted)
  })

  test('B054 of a response whose runner failed nothing is used: it broke off, and may be tried again', () => {
    expect(() => read(line({ content: 'x' }), end({ done_reason: 'error' }))).toThrow(
      expect.objectContaining({ code: 'ModelServerError', retryable: true, message: expect.stringContaining('broke off its response') }),
    )
  })

  test('a count that is not told is unknown, not zero', () => {
    expect(read(line({ content: 'x' }), end({ prompt_eval_count: undefined })).finish.usage).toMatchObject({
      inputTokens: 0,
      outputTokens: 3,
      complete: false,
    })
    expect(read(line({ content: 'x' }), end({ prompt_eval_count: undefined, eval_count: undefined })).finish.usage).toMatchObject({
      complete: false,
    })
  })

  test('B097 an error behind good lines is that error; a line that is no JSON is one with its text', () => {
    expect(() => read(line({ content: 'x' }), { error: 'an error was encountered while running the model: unexpected EOF' })).toThrow(
      expect.objectContaining({ code: 'ModelServerError', retryable: true, message: expect.stringContaining('unexpected EOF') }),
    )
    expect(() => readBody([lines([line({ content: 'x' })]), 'upstream connect error\n'])).toThrow(
      expect.objectContaining({ code: 'ModelServerError', message: expect.stringContaining('upstream connect error') }),
    )
    expect(() => readBody([lines([line({ content: 'x' })]), `${'z'.repeat(100_000)}\n`])).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,1500}$/) }),
    )
  })

  test('B097 words that a gateway puts at the end without a line end are the error', () => {
    expect(() => readBody([lines([line({ content: 'x' })]), 'upstream request timeout'])).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^Model(?:ServerError|Timeout)$/),
        message: expect.stringContaining('upstream request timeout'),
      }),
    )
  })

  test.each(['{"hello":"world"}', '[]', 'null', '{"choices":[]}\n'])(
    'B089 %j is no answer of this API: it is quoted, and not asked again',
    (body) => {
      for (const type of ['application/json', 'application/x-ndjson', ''])
        expect(() => readBody([body], type)).toThrow(
          expect.objectContaining({
            code: 'ModelUnknownError',
            retryable: false,
            message: `What ollama sent is no answer of the Ollama API: ${body.trim()}. Check the base URL.`,
          }),
        )
    },
  )

  test('B088 lines without the last one, or with half of it, are not complete', () => {
    expect(() => read(line({ content: 'x' }))).toThrow('ended cleanly but without its last line')
    expect(() => readBody([lines([line({ content: 'x' }), end()]).slice(0, -20)])).toThrow('without its last line')
    expect(readBody([lines([line({ content: 'x' }), end()]).slice(0, -1)]).parts).toEqual([{ type: 'text', text: 'x' }])
  })
})
