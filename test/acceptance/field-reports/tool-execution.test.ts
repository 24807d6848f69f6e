import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../../../src/index.ts'
import { agentIn, asks, end, gate, journal, lines, noInput, otherProcess, plainTool, scriptedLab, strays } from '../kit.ts'

describe('a tool that does not end', () => {
  test.each([
    ['never settles', () => {}],
    ['resolves long after', (late: ReturnType<typeof gate<string>>) => late.resolve('late')],
    ['rejects long after', (late: ReturnType<typeof gate<string>>) => late.reject(new Error('late'))],
  ])(
    'B006 a tool that ignores its abort and %s: an outcome at the end of grace, the run ends, the session goes on',
    async (_name, settle) => {
      const place = scriptedLab([asks('stuck'), 'Hello again.'])
      const late = gate<string>()
      const agent = agentIn(place, { tools: [plainTool('stuck', () => late.promise, 'read')] })
      const run = agent.stream('Hi', { session: 's' })
      const result = run.result
      await place.clock.advance(10)
      await run.abort('enough')
      const seen = await strays(async () => {
        const ended = await place.clock.until(result)
        expect([end(ended), ended.status === 'aborted' && ended.abortReason, place.clock.monotonic()]).toEqual([
          'aborted aborted',
          'enough',
          1_010,
        ])
        settle(late)
      })
      expect(seen).toEqual([])
      expect(await journal(place.store, 's')).toEqual([
        'session',
        'run.requested',
        'run.claimed',
        'model.started 1.1',
        'model.responded 1.1 tool-calls',
        'call.prepared m1.0',
        'call.started m1.0',
        'control cancel',
        'call.settled m1.0 cancelled',
        'run.finished aborted aborted',
      ])
      const next = await place.clock.until(agent.run('Still there?', { session: 's' }))
      expect(next.text).toBe('Hello again.')
      expect(lines(place.model.requests[1]?.messages ?? [])).toEqual([
        'user: Hi',
        'assistant: stuck{}→cancelled:Cancelled before it was complete.',
        'user: Still there?',
      ])
    },
  )

  test('B006 a tool that heeds its signal ends the run at once; an unsafe one that does not is unknown', async () => {
    const place = scriptedLab([asks('polite', 'rude')])
    const polite = tool({
      name: 'polite',
      description: 'Heeds its signal',
      inputSchema: noInput,
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    })
    const agent = agentIn(place, { tools: [polite, plainTool('rude', () => new Promise(() => {}))] })
    const run = agent.stream('Hi')
    const result = run.result
    await place.clock.advance(10)
    await run.abort()
    const ended = await place.clock.until(result)
    expect(ended.calls.map((call) => [call.toolName, call.outcome])).toEqual([
      ['polite', 'cancelled'],
      ['rude', 'unknown'],
    ])
  })

  test.each([
    ['resolves', (late: ReturnType<typeof gate<string>>) => late.resolve('wrote the file')],
    ['rejects', (late: ReturnType<typeof gate<string>>) => late.reject(new Error('no disk'))],
  ])('B042 a tool over its time: timeout at once, its signal fires, what it %s to later is a note and no result', async (_name, settle) => {
    const late = gate<string>()
    let signal: AbortSignal | undefined
    const slow = tool({
      name: 'slow',
      description: 'Slow',
      inputSchema: noInput,
      timeoutMs: 1_000,
      execute: (_input, call) => {
        signal = call.signal
        return late.promise
      },
    })
    const place = scriptedLab([asks('slow'), { text: 'It may still be running.', delayMs: 20_000 }])
    const agent = agentIn(place, { tools: [slow] })
    const promise = agent.run('Hi', { session: 's' })
    await place.clock.advance(999)
    expect(signal?.aborted).toBe(false)
    await place.clock.advance(1)
    expect([signal?.aborted, signal?.reason.code]).toEqual([true, 'ToolTimeout'])
    settle(late)
    const seen = await strays(() => place.clock.until(promise))
    expect(seen).toEqual([])
    expect((await journal(place.store, 's')).slice(5)).toEqual([
      'call.prepared m1.0',
      'call.started m1.0',
      'call.settled m1.0 timeout',
      'model.started 2.1',
      'custom late-outcome',
      'model.responded 2.1 stop',
      'run.finished completed completed',
    ])
    expect(lines((await promise).messages)[1]).toBe(
      'assistant: slow{}→timeout:The call did not finish within its time limit and may still be running: it is unknown whether it took effect. Do not repeat it without checking.',
    )
  })

  test('B042 a timed out unsafe call is not repeated, not even when the model asks for it again', async () => {
    let runs = 0
    const slow = tool({
      name: 'slow',
      description: 'Slow',
      inputSchema: z.object({ to: z.string() }),
      timeoutMs: 1_000,
      execute: ({ to }) => {
        runs++
        return to === 'a' ? new Promise(() => {}) : 'sent'
      },
    })
    const call = (to: string) => ({ name: 'slow', input: { to } })
    const place = scriptedLab([{ calls: [call('a')] }, { calls: [call('a'), call('b'), call('a')] }, 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [slow] }).run('Hi'))
    expect(result.calls.map((settled) => settled.outcome)).toEqual(['timeout', 'skipped', 'ok', 'skipped'])
    expect(runs).toBe(2)
  })
})

describe('a batch in which one fails', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('B broke')
      },
      'error:B broke',
    ],
    ['rejects', () => Promise.reject(new Error('B broke')), 'error:B broke'],
    [
      'throws a string',
      () => {
        throw 'B broke'
      },
      'error:B broke',
    ],
    [
      'throws nothing',
      () => {
        throw undefined
      },
      'error:undefined',
    ],
    [
      'throws what has no text',
      () => {
        throw Object.create(null)
      },
      'error:an error that cannot be shown',
    ],
  ] as [string, () => unknown, string][])(
    'B040 a sibling that %s settles alone; all results are there, in call order',
    async (_name, broken, line) => {
      const slow = gate<string>()
      const place = scriptedLab([asks('a', 'b', 'c'), 'ok'])
      const agent = agentIn(place, { tools: [plainTool('a', () => slow.promise), plainTool('b', broken), plainTool('c', () => 'C')] })
      const promise = agent.run('Hi', { session: 's' })
      await place.clock.advance(1)
      slow.resolve('A')
      const result = await place.clock.until(promise)
      expect(lines(result.messages)[1]).toBe(`assistant: a{}→ok:A b{}→${line} c{}→ok:C`)
      const settled = (await journal(place.store, 's')).filter((entry) => entry.startsWith('call.settled'))
      expect([settled.slice(0, 2).sort(), settled[2]]).toEqual([
        ['call.settled m1.1 error', 'call.settled m1.2 ok'],
        'call.settled m1.0 ok',
      ])
    },
  )

  test('B040 listeners and wording functions that throw change no outcome', async () => {
    const errors: unknown[] = []
    const place = scriptedLab([asks('a', 'b', 'missing'), 'ok'])
    const agent = agentIn(place, {
      tools: [plainTool('a', () => 'A'), plainTool('b', () => 'B')],
      onObserverError: (error) => errors.push(error),
      policies: {
        errorText: () => {
          throw new Error('wording bug')
        },
      },
    })
    agent.on('call.settled', () => {
      throw new Error('listener bug')
    })
    // biome-ignore lint/nursery/noMisusedPromises: a listener that returns a promise is what is tested.
    agent.on('call.started', () => Promise.reject(new Error('async listener bug')))
    const result = await place.clock.until(agent.run('Hi'))
    expect(result.calls.map((call) => call.outcome)).toEqual(['ok', 'ok', 'invalid'])
    expect(errors.map(String).sort()).toEqual([
      'Error: async listener bug',
      'Error: async listener bug',
      'Error: listener bug',
      'Error: listener bug',
      'Error: listener bug',
      'Error: wording bug',
    ])
  })

  test('B040 an approval check that throws or rejects denies its own call only', async () => {
    const checked = (name: string, needsApproval: () => boolean | Promise<boolean>) =>
      tool({ name, description: name, inputSchema: noInput, needsApproval, execute: () => name })
    const tools = [
      checked('throws', () => {
        throw new Error('policy bug')
      }),
      checked('rejects', () => Promise.reject(new Error('policy bug'))),
      checked('fine', () => false),
    ]
    const place = scriptedLab([asks('throws', 'rejects', 'fine'), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools }).run('Hi'))
    expect(result.calls.map((call) => call.outcome)).toEqual(['denied', 'denied', 'ok'])
  })

  test('B041 each result is kept when it comes: after a crash only the call that ran is lost', async () => {
    const place = scriptedLab([asks('a', 'b', 'c'), 'ok'])
    const count = { a: 0, b: 0, c: 0 }
    const tools = [
      plainTool('a', () => ++count.a),
      plainTool('b', () => ++count.b),
      plainTool('c', () => {
        count.c++
        return new Promise(() => {})
      }),
    ]
    const first = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    void first.stream('Hi', { session: 's' })
    await place.clock.advance(10)
    // The process is gone: nothing renews its lease any more, and the store's clock goes on.
    place.clock.jump(60_000)
    const second = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    const result = await place.clock.until(second.resume('s').result)
    expect(result.calls.map((call) => [call.toolName, call.outcome])).toEqual([
      ['a', 'ok'],
      ['b', 'ok'],
      ['c', 'unknown'],
    ])
    expect([count, end(result)]).toEqual([{ a: 1, b: 1, c: 1 }, 'completed completed'])
  })
})
