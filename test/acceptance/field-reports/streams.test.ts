import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type Model, type ModelDelta, noUsage, tool } from '../../../src/index.ts'
import type { Script } from '../../../src/testing/index.ts'
import { agentIn, asks, collect, end, lab, lines, noInput, plainTool, scriptedLab, story, strays } from '../kit.ts'

const capabilities = { structuredOutput: 'native', parallelCalls: true, imagesInResults: true, reasoning: true } as const

/** A model that gives these pieces, a macrotask apart if asked, until it is stopped. */
function pouring(pieces: Iterable<ModelDelta>, stopped: { count: number; signal?: AbortSignal }): Model {
  return {
    provider: 'pouring',
    id: 'pouring',
    capabilities,
    stream: async (_request, sink, { signal }) => {
      stopped.signal = signal
      for (const piece of pieces) {
        stopped.count++
        sink(piece)
      }
      return { finishReason: 'stop', usage: noUsage }
    },
  }
}

function* endless(first: ModelDelta | undefined, piece: ModelDelta): Generator<ModelDelta> {
  if (first !== undefined) yield first
  for (;;) yield piece
}

describe('readers', () => {
  test('B133 nothing is left that would keep the process: every timer is gone when a run has ended', async () => {
    const place = scriptedLab([asks('act'), 'ok'])
    const act = tool({ name: 'act', description: 'Acts', inputSchema: noInput, timeoutMs: 90_000, execute: () => 'done' })
    const agent = agentIn(place, {
      tools: [act],
      settings: { timeoutMs: 90_000 },
      limits: { maxDurationMs: 600_000, timeSliceMs: 600_000 },
    })
    const { signal } = new AbortController()
    const run = agent.stream('Hi', { parkAfterMs: 90_000, signal })
    expect(end(await place.clock.until(run.result))).toBe('completed completed')
    await place.clock.advance(0)
    expect([place.clock.pending, place.clock.monotonic(), getEventListeners(signal, 'abort')]).toEqual([0, 0, []])
  })

  test.each<[string, Script, Parameters<typeof agentIn>[1]]>([
    ['failed', [{ fail: { code: 'ModelAuthError' } }], {}],
    ['parked', [asks('ask')], { tools: [tool({ name: 'ask', description: 'Asks', inputSchema: noInput })] }],
    ['incomplete', [{ text: 'one', finish: 'length' }], {}],
    ['aborted', [{ hang: true }], {}],
    ['aborted', [asks('stuck')], { tools: [plainTool('stuck', () => new Promise(() => {}))] }],
  ])('B133 nothing is left after a run that is %s', async (status, script, options) => {
    const place = scriptedLab(script)
    const { signal } = new AbortController()
    const run = agentIn(place, { ...options, settings: { timeoutMs: 90_000 } }).stream('Hi', { parkAfterMs: 0, signal })
    if (status === 'aborted') {
      await place.clock.advance(10)
      await run.abort()
    }
    expect((await place.clock.until(run.result)).status).toBe(status)
    await place.clock.advance(0)
    expect([place.clock.pending, getEventListeners(signal, 'abort')]).toEqual([0, []])
  })

  test('B139 50,000 pieces for a reader that does not read yet: adjacent ones become one, and nothing is lost', async () => {
    const place = lab()
    const piece = { type: 'text', part: 0, text: 'abc ' } as const
    const model = pouring(
      Array.from({ length: 50_000 }, () => piece),
      { count: 0 },
    )
    const run = agentIn({ ...place, model }).stream('Hi')
    const result = await place.clock.until(run.result)
    const deltas = (await collect(run)).flatMap((event) => (event.type === 'text.delta' ? [event.text] : []))
    expect([deltas.length, deltas.join('') === result.text, result.text.length]).toEqual([1, true, 200_000])
  })

  test('B139 many facts for a reader that does not read: what left the buffer is read again from the journal, whole and in order', async () => {
    const names = Array.from({ length: 100 }, () => 'act')
    const place = scriptedLab([...Array.from({ length: 80 }, () => asks(...names)), 'ok'])
    const agent = agentIn(place, {
      tools: [plainTool('act', () => 1, 'read')],
      maxParallel: 100,
      limits: { maxIterations: 100 },
      policies: { noProgress: false },
    })
    const run = agent.stream('Hi', { session: 's' })
    await place.clock.until(run.result)
    const events = await collect(run)
    const settled = events.flatMap((event) => (event.type === 'call.settled' ? [event.callId] : []))
    const kept = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'call.settled' ? [entry.data.callId] : []))
    expect([events.length > 10_000, settled.length]).toEqual([true, 8_000])
    expect(settled).toEqual(kept)
    expect([story(events)[0], story(events).at(-1)]).toEqual(['run.started', 'run.finished'])
  })

  test('B141 a stream that nobody reads runs to its end, fails without a stray rejection, and holds no lock', async () => {
    const place = scriptedLab([{ fail: { code: 'ModelAuthError', message: 'no key' } }, 'fine'])
    const agent = agentIn(place)
    const seen = await strays(async () => {
      agent.stream('Hi', { session: 's' })
      await place.clock.advance(10)
      expect(await agent.session('s').status()).toBe('failed')
      agent.stream('', { session: 's' })
      await place.clock.advance(10)
    })
    expect(seen).toEqual([])
    expect((await place.clock.until(agent.run('Again', { session: 's' }))).text).toBe('fine')
  })
})

describe('B140 B172 a response that does not end', () => {
  const text = 'The same sentence again. '.repeat(4_000)

  test.each<[string, Iterable<ModelDelta>, RegExp]>([
    [
      'B140 arguments',
      endless({ type: 'call', part: 0, toolName: 'act' }, { type: 'call-input', part: 0, text }),
      /over the limit of 4194304 \(maxInputChars\)/,
    ],
    ['B172 text', endless(undefined, { type: 'text', part: 0, text }), /over the limit of 33554432 \(maxChars\)/],
    ['B172 reasoning', endless(undefined, { type: 'reasoning', part: 0, text }), /over the limit of 33554432 \(maxChars\)/],
    [
      'B140 calls',
      (function* () {
        for (let part = 0; ; part++) yield { type: 'call', part, toolName: 'act' } as const
      })(),
      /over the limit of 1024 \(maxCalls\)/,
    ],
    [
      'B140 parts',
      (function* () {
        for (let part = 0; ; part++) yield { type: 'text', part, text: 'x' } as const
      })(),
      /over the limit of 10000 \(maxParts\)/,
    ],
  ])(
    '%s without end is stopped at a limit that has a name, is not asked for again, and the connection is told',
    async (_name, pieces, why) => {
      const place = lab()
      const stopped: { count: number; signal?: AbortSignal } = { count: 0 }
      const agent = agentIn({ ...place, model: pouring(pieces, stopped) })
      const result = await place.clock.until(agent.run('Hi', { throwOnError: false }))
      expect([end(result), result.calls]).toEqual(['failed model_error', []])
      expect(result.status === 'failed' && result.error).toMatchObject({ code: 'ModelServerError', retryable: false })
      expect(result.status === 'failed' && result.error.message).toMatch(why)
      expect(stopped.signal?.aborted).toBe(true)
    },
  )

  test('B172 what was stopped at the limit does not fill the next request: its head and tail stay', async () => {
    const place = scriptedLab(['Go on.'])
    const model = pouring(endless(undefined, { type: 'text', part: 0, text }), { count: 0 })
    const result = await agentIn({ ...place, model }).run('Hi', { session: 's', throwOnError: false })
    expect([result.text.length < 60_000, result.text.startsWith('The same sentence again. '), /bytes left out/.test(result.text)]).toEqual([
      true,
      true,
      true,
    ])
    await agentIn(place).run('Again', { session: 's' })
    expect(lines(place.model.requests[0]?.messages ?? [])[1]).toBe(`assistant: ${result.text}`)
  })

  test('B172 data that keeps flowing does not outlive the time limit of the call, nor that of the run', async () => {
    for (const [options, how] of [
      [{ settings: { timeoutMs: 5_000, maxRetries: 0 } }, 'failed model_error'],
      [{ limits: { maxDurationMs: 5_000, onLimit: 'incomplete' as const } }, 'incomplete timeout'],
    ] as const) {
      const place = lab()
      const model: Model = {
        provider: 'drip',
        id: 'drip',
        capabilities,
        stream: (_request, sink, { signal }) =>
          new Promise((_resolve, reject) => {
            const drip = (): void => {
              if (signal.aborted) return reject(signal.reason)
              sink({ type: 'text', part: 0, text: 'drip ' })
              place.clock.timer(100, drip)
            }
            drip()
          }),
      }
      const result = await place.clock.until(agentIn({ ...place, model }, options).run('Hi', { throwOnError: false }))
      expect([end(result), place.clock.monotonic() <= 6_100]).toEqual([how, true])
    }
  })
})
