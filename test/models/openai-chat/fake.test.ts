import { afterEach, describe, expect, test } from 'vitest'
import type { Answer } from '../../../src/testing/fake/reply.ts'
import { ask, chunksOf, closeServers, deltasOf, head, start, streamed } from './fake-client.ts'

afterEach(closeServers)

const twoCalls: Answer = {
  calls: [
    { name: 'a', input: { x: 1 }, id: 'c1' },
    { name: 'b', rawInput: '{}', id: 'c2' },
  ],
}
const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}

describe('what it answers', () => {
  test('a stream is what OpenAI sends: role, pieces, finish reason, usage when asked for, [DONE]', async () => {
    const { url } = await start([{ reasoning: 'hm', text: ['so ', 'be it'] }])
    const { status, contentType, text } = await ask(url, streamed)
    const choice = (delta: object, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    })
    const events = [
      choice({ role: 'assistant', content: '', refusal: null }),
      choice({ reasoning_content: 'hm' }),
      choice({ content: 'so ' }),
      choice({ content: 'be it' }),
      choice({}, 'stop'),
      { ...head, choices: [], usage },
    ]
    expect([status, contentType]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(text).toBe([...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'].join(''))
  })

  test('without a stream it is one object', async () => {
    const { url } = await start([
      {
        ...twoCalls,
        reasoning: ['h', 'm'],
        usage: { inputTokens: 7, cachedInputTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1, costUsd: 0.5 },
      },
    ])
    const { contentType, text } = await ask(url, {})
    expect([contentType, JSON.parse(text)]).toEqual([
      'application/json',
      {
        ...head,
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              refusal: null,
              reasoning_content: 'hm',
              tool_calls: [
                { id: 'c1', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
                { id: 'c2', type: 'function', function: { name: 'b', arguments: '{}' } },
              ],
            },
            logprobs: null,
            finish_reason: 'tool_calls',
          },
        ],
        usage: {
          prompt_tokens: 7,
          completion_tokens: 5,
          total_tokens: 12,
          prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
          completion_tokens_details: { reasoning_tokens: 1 },
          cost: 0.5,
        },
      },
    ])
  })

  test('calls: a begin and the pieces of the arguments; ids that are new where none is given', async () => {
    const answer: Answer = {
      calls: [
        { name: 'a', input: { x: 1 } },
        { name: 'b', id: 'mine', rawInput: '{"' },
      ],
    }
    expect((await deltasOf(answer, { argumentsPiece: 4 })).flatMap((delta) => delta['tool_calls'])).toEqual([
      { index: 0, id: 'call_00001', type: 'function', function: { name: 'a', arguments: '' } },
      { index: 0, function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'mine', type: 'function', function: { name: 'b', arguments: '' } },
      { index: 1, function: { arguments: '{"' } },
    ])
  })

  test('pieces in any order, a refusal, another finish reason or none', async () => {
    const pieces = [
      { call: 0, name: 'a', id: 'x' },
      { refusal: 'no' },
      { call: 1, name: 'b', id: 'y' },
      { call: 0, arguments: '{}' },
      { text: 't' },
    ]
    const chunks = await chunksOf({ pieces, finish: 'weird' })
    expect(chunks.slice(1, -2).map(({ choices: [choice] }) => Object.keys(choice?.delta ?? {})[0])).toEqual([
      'tool_calls',
      'refusal',
      'tool_calls',
      'tool_calls',
      'content',
    ])
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('weird')
    expect(
      (await chunksOf({ text: 'x', finish: null }, {}, { stream: true })).map(({ choices: [choice] }) => choice?.finish_reason),
    ).toEqual([null, null])
  })

  test('a garbled stream: arguments of a call that never began', async () => {
    expect(await deltasOf({ pieces: [{ call: 9, arguments: '{' }] })).toEqual([
      { tool_calls: [{ index: 9, function: { arguments: '{' } }] },
    ])
  })

  test('any bytes under any status; a function sees the request', async () => {
    const { url, requests, assertDone } = await start([
      { status: 503, body: '<p>busy</p>', contentType: 'text/html', headers: { 'retry-after': '1' } },
      (request) => ({ status: 200, body: { echo: request.path } }),
    ])
    expect(await ask(url, {})).toMatchObject({ status: 503, contentType: 'text/html', text: '<p>busy</p>' })
    expect(() => assertDone()).toThrow('the script has 2 replies, and only 1 were asked for')
    expect((await ask(url, {})).text).toBe('{"echo":"/v1/chat/completions"}')
    expect(requests.map(({ ended }) => ended)).toEqual(['whole', 'whole'])
    assertDone()
  })
})

describe('how it breaks off', () => {
  test('an error in the stream, with an event of its own if so', async () => {
    const { url } = await start([
      { text: ['a', 'b'], breaks: { after: 1, with: 'error', error: { error: { message: 'x' } } } },
      { text: ['a', 'b'], breaks: { after: 0, with: 'error', error: { message: 'x' }, event: 'error' } },
    ])
    expect((await ask(url, { stream: true })).text).toMatch(/"content":"a".*\n\ndata: \{"error":\{"message":"x"\}\}\n\n$/)
    expect((await ask(url, { stream: true })).text).toMatch(/"role":"assistant"[^\n]*\n\nevent: error\ndata: \{"message":"x"\}\n\n$/)
  })

  test('a clean end, a lost connection, silence until the client leaves', async () => {
    const broken = (how: 'end' | 'reset' | 'hang'): Answer => ({ text: ['a', 'b', 'c'], breaks: { after: 2, with: how } })
    const { url, requests } = await start([broken('end'), broken('reset'), broken('hang')])
    const [end, reset] = [await ask(url, { stream: true }), await ask(url, { stream: true })]
    expect([end.ended, reset.ended]).toEqual(['whole', 'lost'])
    expect(end.text).toMatch(/"content":"b".*\n\n$/)
    expect(reset.text).toBe(end.text)
    expect((await ask(url, { stream: true }, 3)).text).toBe(end.text)
    await expect.poll(() => requests.map(({ ended }) => ended)).toEqual(['whole', 'aborted', 'aborted'])
  })

  test('the same without a stream', async () => {
    const broken = (how: 'end' | 'reset'): Answer => ({ text: 'abc', breaks: { after: 0, with: how } })
    const { url } = await start([broken('end'), broken('reset'), { breaks: { after: 0, with: 'error', error: { error: 'x' } } }])
    const { text } = await ask(url, {})
    expect(() => JSON.parse(text)).toThrow()
    await expect(ask(url, {})).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(await ask(url, {})).toMatchObject({ status: 200, text: '{"error":"x"}' })
  })

  test('close ends what hangs, also a reply that never begins', async () => {
    const { url, requests, close } = await start([{ delayMs: Number.POSITIVE_INFINITY }])
    const asked = ask(url, { stream: true })
    await expect.poll(() => requests.length).toBe(1)
    await close()
    await expect(asked).rejects.toThrow()
  })

  test('waits go through the clock of the test', async () => {
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    const { url } = await start([{ text: ['a', 'b'], delayMs: 70_000, gapMs: 5_000 }], { wait })
    await ask(url, { stream: true })
    expect(waits).toEqual([70_000, 5_000, 5_000])
  })
})
