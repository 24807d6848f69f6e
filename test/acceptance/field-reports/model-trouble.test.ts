import { describe, expect, test } from 'vitest'
import type { Model, ModelFinish } from '../../../src/index.ts'
import type { Script } from '../../../src/testing/index.ts'
import { agentIn, asks, collect, end, gate, journal, lab, lines, plainTool, refusal, scriptedLab, story, strays } from '../kit.ts'

const usage = { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0, complete: true }
const capabilities = { structuredOutput: 'native', parallelCalls: true, imagesInResults: true, reasoning: true } as const

/** A model that does as it is told, contract or not. */
function rogue(stream: Model['stream']): Model {
  return { provider: 'rogue', id: 'rogue', capabilities, stream }
}

/** Its first attempt never ends. */
function stuckOnce(): Model {
  let calls = 0
  return rogue((_request, sink) => {
    const first = calls++ === 0
    sink({ type: 'text', part: 0, text: first ? 'Half an ans' : 'The answer.' })
    return first ? new Promise(() => {}) : Promise.resolve({ finishReason: 'stop', usage })
  })
}

describe('a failed attempt leaves nothing', () => {
  const begun = { type: 'call', part: 0, toolName: 'act' } as const
  const fail = { code: 'ModelServerError', message: 'overloaded' } as const
  const garbled = {
    deltas: [
      { type: 'text', part: 0, text: 'Half an ans' },
      { type: 'call-input', part: 0, text: '{}' },
    ] as const,
  }

  test('B005 calls of dead attempts are in no request, no message and no result, however often it is tried', async () => {
    let runs = 0
    const dead = { deltas: [begun, { type: 'call-input', part: 0, text: '{}' } as const], fail, failAfter: 2 }
    const place = scriptedLab([dead, dead, { calls: [{ name: 'act', input: {} }] }, 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('act', () => ++runs)] }).run('Hi', { session: 's' }))
    expect(lines(result.messages)).toEqual(['user: Hi', 'assistant: act{}→ok:1', 'assistant: ok'])
    expect(place.model.requests.map((request) => lines(request.messages))).toEqual([
      ['user: Hi'],
      ['user: Hi'],
      ['user: Hi'],
      ['user: Hi', 'assistant: act{}→ok:1'],
    ])
    expect((await journal(place.store, 's')).slice(2, 9)).toEqual([
      'run.claimed',
      'model.started 1.1',
      'model.failed 1.1 ModelServerError retry',
      'model.started 1.2',
      'model.failed 1.2 ModelServerError retry',
      'model.started 1.3',
      'model.responded 1.3 tool-calls',
    ])
  })

  test('B005 when every attempt has died, the next run asks without any of their calls, and no reader was told of one', async () => {
    const dead = { deltas: [begun, { type: 'call-input', part: 0, text: '{}' } as const], fail, failAfter: 2 }
    const place = scriptedLab([dead, dead, dead, 'fine'])
    const agent = agentIn(place, { tools: [plainTool('act', () => 1)] })
    const run = agent.stream('Hi', { session: 's' })
    const events = collect(run)
    expect(end(await place.clock.until(run.result))).toBe('failed model_error')
    expect(story(await events).filter((type) => type.startsWith('call.'))).toEqual([])
    await place.clock.until(agent.run('Again', { session: 's' }))
    expect(lines(place.model.requests[3]?.messages ?? [])).toEqual(['user: Hi', 'user: Again'])
  })

  test('B103 a call that a failed attempt began is not run with the next one, nor is its text or reasoning kept', async () => {
    let runs = 0
    const first = {
      deltas: [
        { type: 'reasoning', part: 0, text: 'hmm' },
        { type: 'text', part: 1, text: 'I will ' },
        { type: 'call', part: 2, toolName: 'act' },
        { type: 'call-input', part: 2, text: '{"a":' },
      ] as const,
      fail,
      failAfter: 4,
    }
    const place = scriptedLab([first, { text: 'Never mind.' }])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('act', () => ++runs)] }).run('Hi'))
    expect([lines(result.messages), result.calls, runs]).toEqual([['user: Hi', 'assistant: Never mind.'], [], 0])
  })

  test.each<[string, Script, Parameters<typeof agentIn>[1], string]>([
    ['after a failure of the provider', [{ text: 'Half an ans', fail, failAfter: 1 }, 'The answer.'], {}, 'm1'],
    ['after a stream that was garbled', [garbled, 'The answer.'], {}, 'm1'],
    ['after its time limit', [], { model: stuckOnce(), settings: { timeoutMs: 50 } }, 'm1'],
    [
      'in a wrap-up',
      [asks('act'), { text: 'Half an ans', fail, failAfter: 1 }, 'The answer.'],
      { tools: [plainTool('act', () => 1)], limits: { maxIterations: 1 } },
      'm2',
    ],
  ])(
    'B104 text that is asked for again is taken back for readers, and the result has the new text only: %s',
    async (_name, script, options, taken) => {
      const place = scriptedLab(script)
      const run = agentIn(place, options).stream('Hi')
      const events = collect(run)
      const texts = refusal(collect(run.textStream))
      const result = await place.clock.until(run.result)
      expect(result.text).toBe('The answer.')
      expect((await texts).code).toBe('OutputRetracted')
      const shown = (await events).flatMap((event) =>
        event.type === 'text.delta' ? [event.text] : event.type === 'model.retracted' ? [`- ${event.messageId}`] : [],
      )
      expect(shown).toEqual(['Half an ans', `- ${taken}`, 'The answer.'])
    },
  )

  test('B104 the whole story of an attempt that is taken back', async () => {
    const place = scriptedLab([{ text: 'Half an ans', fail, failAfter: 1 }, 'The answer.'])
    const run = agentIn(place).stream('Hi')
    const events = collect(run)
    await place.clock.until(run.result)
    expect(story(await events)).toEqual([
      'run.started',
      'message.added',
      'iteration.started',
      'model.started',
      'text.started',
      'text.finished',
      'model.failed',
      'model.retracted',
      'model.started',
      'text.started',
      'text.finished',
      'model.finished',
      'usage.updated',
      'iteration.finished',
      'run.finished',
    ])
  })

  test.each([
    ['final', 'incomplete max_tokens', ['one']],
    ['continue', 'completed completed', ['one', 'two']],
    ['error', 'incomplete max_tokens', ['one']],
  ] as const)(
    'B104 a text cut at the output limit (onTruncated: %s) stands once: history, result and stream agree',
    async (onTruncated, how, texts) => {
      const place = scriptedLab([{ text: 'one', finish: 'length' }, 'two'])
      const run = agentIn(place, { policies: { onTruncated } }).stream('Hi')
      const stream = collect(run.textStream)
      const result = await place.clock.until(run.result)
      expect([end(result), result.text, await stream]).toEqual([how, texts.at(-1), texts])
      expect(lines(result.messages)).toEqual(['user: Hi', ...texts.map((text) => `assistant: ${text}`)])
    },
  )
})

describe('a model that breaks its contract', () => {
  const throwing = (): never => {
    throw new Error('adapter bug')
  }

  test.each<[string, Model['stream'], string]>([
    ['throws at once', throwing, 'adapter bug'],
    ['rejects before its first piece', () => Promise.reject(new Error('adapter bug')), 'adapter bug'],
    ['rejects with nothing', () => Promise.reject(), 'undefined'],
    ['rejects with what has no text', () => Promise.reject(Object.create(null)), 'an error that cannot be shown'],
    ['returns no promise', () => Reflect.apply(() => undefined, undefined, []) as unknown as Promise<ModelFinish>, ''],
    ['resolves with nothing', () => Promise.resolve(undefined as unknown as ModelFinish), ''],
    [
      'gives a piece of an unknown type',
      async (_request, sink) => {
        sink({ type: 'noise' } as never)
        return { finishReason: 'stop', usage }
      },
      'unknown type',
    ],
    [
      'gives no piece at all but undefined',
      async (_request, sink) => {
        sink(undefined as never)
        return { finishReason: 'stop', usage }
      },
      '',
    ],
    [
      'gives a text that is none',
      async (_request, sink) => {
        sink({ type: 'text', part: 0, text: 7 } as never)
        return { finishReason: 'stop', usage }
      },
      '',
    ],
    [
      'gives a part that is none',
      async (_request, sink) => {
        sink({ type: 'part', part: 0, value: null } as never)
        return { finishReason: 'stop', usage }
      },
      '',
    ],
  ])('B129 %s: the run fails with a word, the stream ends, the session goes on', async (_name, stream, why) => {
    const place = lab()
    let calls = 0
    const model = rogue((request, sink, options) => {
      if (calls++ === 0) return stream(request, sink, options)
      sink({ type: 'text', part: 0, text: 'fine' })
      return Promise.resolve({ finishReason: 'stop', usage })
    })
    const agent = agentIn({ ...place, model }, { settings: { maxRetries: 0 } })
    const run = agent.stream('Hi', { session: 's' })
    const events = collect(run)
    const seen = await strays(async () => {
      const result = await place.clock.until(run.result)
      expect(end(result)).toBe('failed model_error')
      expect(result.status === 'failed' && [result.error.category, result.resumable]).toEqual(['model', false])
      expect(result.status === 'failed' && result.error.message).toContain(why)
    })
    expect(seen).toEqual([])
    expect(story(await events).at(-1)).toBe('run.finished')
    const next = await place.clock.until(agent.run('Again', { session: 's' }))
    expect(next.text).toBe('fine')
  })

  test.each<[string, unknown, string]>([
    ['no usage', { finishReason: 'stop' }, 'completed completed'],
    [
      'a usage that is no number',
      { finishReason: 'stop', usage: { ...usage, inputTokens: Number.NaN, outputTokens: '5' } },
      'completed completed',
    ],
    ['a negative usage', { finishReason: 'stop', usage: { ...usage, inputTokens: -5 } }, 'completed completed'],
    ['an unknown finish reason', { finishReason: 'end_turn', usage }, 'incomplete unexpected_stop_reason'],
    ['no finish reason', { usage }, 'incomplete unexpected_stop_reason'],
  ])('B129 a finish with %s is taken for what it is worth', async (_name, finish, how) => {
    const place = lab()
    const model = rogue((_request, sink) => {
      sink({ type: 'text', part: 0, text: 'fine' })
      return Promise.resolve(finish as ModelFinish)
    })
    const result = await place.clock.until(agentIn({ ...place, model }).run('Hi'))
    expect([end(result), result.text]).toEqual([how, 'fine'])
    const { inputTokens, outputTokens } = result.usage
    expect([inputTokens, outputTokens].every((count) => Number.isFinite(count) && count >= 0)).toBe(true)
  })

  test('B129 pieces after the end of an attempt are ignored', async () => {
    const place = lab()
    let late: (() => void) | undefined
    const model = rogue((_request, sink) => {
      sink({ type: 'text', part: 0, text: 'fine' })
      late = () => sink({ type: 'text', part: 0, text: ' and more' })
      return Promise.resolve({ finishReason: 'stop', usage })
    })
    const run = agentIn({ ...place, model }).stream('Hi')
    const events = collect(run)
    const result = await place.clock.until(run.result)
    expect(() => late?.()).not.toThrow()
    expect(result.text).toBe('fine')
    expect((await events).flatMap((event) => (event.type === 'text.delta' ? [event.text] : []))).toEqual(['fine'])
  })

  test.each(['resolve', 'reject'] as const)(
    'B130 abort while a model hangs and ignores its signal: the run ends by grace; it may %s later',
    async (how) => {
      const place = lab()
      const hang = gate<ModelFinish>()
      const model = rogue((_request, sink) => {
        sink({ type: 'text', part: 0, text: 'I was saying' })
        return hang.promise
      })
      const run = agentIn({ ...place, model }).stream('Hi', { session: 's' })
      const reader = run[Symbol.asyncIterator]()
      const events = (async () => {
        const all = []
        for (let next = await reader.next(); next.done !== true; next = await reader.next()) all.push(next.value)
        return all
      })()
      await place.clock.advance(10)
      await run.abort('enough')
      const seen = await strays(async () => {
        const result = await place.clock.until(run.result)
        expect([end(result), result.text, place.clock.monotonic()]).toEqual(['aborted aborted', 'I was saying', 1_010])
        if (how === 'resolve') hang.resolve({ finishReason: 'stop', usage })
        else hang.reject(new Error('late'))
      })
      expect([seen, story(await events).at(-1)]).toEqual([[], 'run.finished'])
      expect((await journal(place.store, 's')).slice(3)).toEqual([
        'model.started 1.1',
        'control cancel',
        'model.failed 1.1 RunAborted final keeps "I was saying"',
        'run.finished aborted aborted',
      ])
    },
  )

  test.each([
    ['its own time limit', { settings: { timeoutMs: 90, maxRetries: 1 } }, undefined, 'failed model_error', 'ModelTimeout', 2],
    ["a caller's AbortSignal.timeout()", {}, new DOMException('timed out', 'TimeoutError'), 'aborted aborted', 'timed out', 1],
    [
      "a caller's abort()",
      {},
      new DOMException('This operation was aborted', 'AbortError'),
      'aborted aborted',
      'This operation was aborted',
      1,
    ],
  ] as const)(
    'B132 %s is told from the others, though the runtime rejects with AbortError each time',
    async (_name, options, reason, how, word, asked) => {
      const place = lab()
      let calls = 0
      const model = rogue((_request, _sink, { signal }) => {
        calls++
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new DOMException('This operation was aborted', 'AbortError')), { once: true })
        })
      })
      const controller = new AbortController()
      const promise = agentIn({ ...place, model }, options).run('Hi', { signal: controller.signal, throwOnError: false })
      await place.clock.advance(10)
      if (reason !== undefined) controller.abort(reason)
      const result = await place.clock.until(promise)
      expect([end(result), calls]).toEqual([how, asked])
      expect(result.status === 'failed' ? result.error.code : result.status === 'aborted' && result.abortReason).toBe(word)
    },
  )
})
