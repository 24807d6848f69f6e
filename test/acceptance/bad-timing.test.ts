import { describe, expect, test } from 'vitest'
import { memory } from '../../src/index.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, gate, journal, lines, otherProcess, plainTool, refusal, scriptedLab } from './kit.ts'

/** A run that is in the middle of a tool. */
async function busy(onBusy?: 'reject' | 'queue' | 'steer' | 'interrupt') {
  const place = scriptedLab([asks('hold'), 'One.', 'Two.'])
  const hold = gate<string>()
  const agent = agentIn(place, { tools: [plainTool('hold', () => hold.promise, 'read')], ...(onBusy === undefined ? {} : { onBusy }) })
  const first = agent.stream('First', { session: 's', runId: 'one' })
  const result = first.result
  await place.clock.advance(1)
  return { place, hold, agent, first, result }
}

describe('a second run on a session that has one', () => {
  test('reject, the default: it says what can be done, and the first goes on untouched', async () => {
    const { place, hold, agent, result } = await busy()
    const before = await journal(place.store, 's')
    const error = await refusal(agent.run('Second', { session: 's' }))
    expect([error.code, error.message]).toEqual([
      'RunInvalidState',
      "Session 's' has an unfinished run. Wait for it, resume it with agent.resume('s'), or say what shall happen with onBusy: 'queue', 'steer' or 'interrupt'.",
    ])
    expect(await journal(place.store, 's')).toEqual(before)
    hold.resolve('held')
    expect((await place.clock.until(result)).text).toBe('One.')
  })

  test('queue: it begins when the first has ended, and each has its own result', async () => {
    const { place, hold, agent, result } = await busy('queue')
    const second = agent.run('Second', { session: 's' })
    await place.clock.advance(1)
    hold.resolve('held')
    const both = await place.clock.until(Promise.all([result, second]))
    expect(both.map((one) => [one.text, lines(one.messages)[0]])).toEqual([
      ['One.', 'user: First'],
      ['Two.', 'user: Second'],
    ])
  })

  test('steer: its input reaches the first before the next model call; both see the same end', async () => {
    const { place, hold, agent, result } = await busy('steer')
    const second = agent.run('Second', { session: 's' })
    await place.clock.advance(1)
    hold.resolve('held')
    const both = await place.clock.until(Promise.all([result, second]))
    expect(both.map((one) => [one.runId, one.text])).toEqual([
      ['one', 'One.'],
      ['one', 'One.'],
    ])
    expect(lines(place.model.requests[1]?.messages ?? [])).toEqual(['user: First', 'assistant: hold{}→ok:held', 'user: Second'])
  })

  test('interrupt: the first is aborted, its call answered, and the second goes on from there', async () => {
    const { place, agent, result } = await busy('interrupt')
    const second = agent.run('Second', { session: 's' })
    const both = await place.clock.until(Promise.all([result, second]))
    expect(both.map(end)).toEqual(['aborted aborted', 'completed completed'])
    expect(lines(place.model.requests[1]?.messages ?? [])).toEqual([
      'user: First',
      'assistant: hold{}→cancelled:Cancelled before it was complete.',
      'user: Second',
    ])
  })

  test('interrupt twice at once: the two that came later both run, one after the other', async () => {
    const { place, agent, result } = await busy('interrupt')
    const more = [agent.run('Second', { session: 's', throwOnError: false }), agent.run('Third', { session: 's', throwOnError: false })]
    const all = await place.clock.until(Promise.all([result, ...more]))
    expect(end(all[0])).toBe('aborted aborted')
    expect(all.slice(1).map((one) => one.status)).toContain('completed')
    expect(await agent.session('s').status()).toBe('completed')
  })

  test('queue: a run that waits can be aborted before it begins', async () => {
    const { place, hold, agent, result } = await busy('queue')
    const second = agent.stream('Second', { session: 's' })
    const secondResult = second.result
    await place.clock.advance(1)
    await second.abort('changed my mind')
    expect(end(await place.clock.until(secondResult))).toBe('aborted aborted')
    hold.resolve('held')
    expect((await place.clock.until(result)).text).toBe('One.')
    expect(place.model.requests.length).toBe(2)
  })

  test.each(['one', 'two'])('a run id that the session has had (%s) is refused, whichever run it was', async (runId) => {
    const place = scriptedLab(['1', '2', '3'])
    const agent = agentIn(place)
    await place.clock.until(agent.run('Hi', { session: 's', runId: 'one' }))
    await place.clock.until(agent.run('Hi', { session: 's', runId: 'two' }))
    const before = await journal(place.store, 's')
    const error = await refusal(place.clock.until(agent.run('Hi', { session: 's', runId })))
    expect([error.code, error.message]).toEqual([
      'RunInvalidState',
      `A run with the id '${runId}' exists in this session; give each run its own id.`,
    ])
    expect(await journal(place.store, 's')).toEqual(before)
    expect((await place.clock.until(agent.run('Hi', { session: 's' }))).text).toBe('3')
  })
})

describe('abort at odd moments', () => {
  test.each([
    ['a new session', undefined],
    ['a session that exists', 's'],
  ])('before the run has begun, on %s: nothing is asked, nothing is lost', async (_name, session) => {
    const place = scriptedLab(['One.', 'Two.', 'Three.'])
    const agent = agentIn(place)
    await place.clock.until(agent.run('Hi', { session: 's' }))
    // Bytes are stored first: the run is not recorded yet when it is aborted.
    const run = agent.stream([{ type: 'image', data: new Uint8Array(8) }], session === undefined ? {} : { session })
    const result = run.result
    await run.abort('at once')
    expect(end(await place.clock.until(result))).toBe('aborted aborted')
    expect(place.model.requests.length).toBe(1)
    expect((await place.clock.until(agent.run('Go on', { session: 's' }))).text).toBe('Two.')
  })

  test('what is said to a run at once is not lost: send, pause and resume before it is recorded', async () => {
    const place = scriptedLab(['One.'])
    const run = agentIn(place).stream([{ type: 'image', data: new Uint8Array(8) }])
    const result = run.result
    await Promise.all([run.pause(), run.send('And this.')])
    await place.clock.advance(10)
    expect(place.model.requests.length).toBe(0)
    await run.resume()
    await place.clock.until(result)
    expect(lines(place.model.requests[0]?.messages ?? [])).toEqual(['user: <image>', 'user: And this.'])
  })

  test('a signal that is aborted already: the run is recorded as aborted, with its reason, and no model is asked', async () => {
    const place = scriptedLab(['One.'])
    const agent = agentIn(place)
    const result = await place.clock.until(
      agent.run('Hi', { session: 's', signal: AbortSignal.abort(new Error('too late')), throwOnError: false }),
    )
    expect([end(result), result.status === 'aborted' && result.abortReason, place.model.requests.length]).toEqual([
      'aborted aborted',
      'too late',
      0,
    ])
    expect(await journal(place.store, 's')).toEqual(['session', 'run.requested', 'control cancel', 'run.finished aborted aborted'])
    expect((await place.clock.until(agent.run('Again', { session: 's' }))).text).toBe('One.')
  })

  test('a run that can not begin: abort does nothing, every other word rejects with why', async () => {
    const place = scriptedLab([])
    const run = agentIn(place).stream('')
    await run.abort()
    for (const error of [await refusal(run.send('x')), await refusal(run.pause()), await refusal(run.result)])
      expect(error.code).toBe('ContextInvalidInput')
    await run[Symbol.asyncDispose]()
  })

  test('a message through the handle of a run that ended goes to the run that the session has now, and disturbs it not', async () => {
    const place = scriptedLab(['One.', asks('hold'), 'Two.'])
    const hold = gate<string>()
    const agent = agentIn(place, { tools: [plainTool('hold', () => hold.promise)] })
    const old = agent.stream('Hi', { session: 's' })
    await place.clock.until(old.result)
    const second = agent.run('Go on', { session: 's' })
    await place.clock.advance(1)
    await old.send('One more thing.')
    await place.clock.advance(1)
    hold.resolve('held')
    const result = await place.clock.until(second)
    expect([end(result), lines(result.messages).at(-2)]).toEqual(['completed completed', 'user: One more thing.'])
    expect((await journal(place.store, 's')).filter((entry) => entry === 'run.claimed').length).toBe(2)
  })

  test('looking at a session many times keeps nothing open', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    const agent = agentIn(place)
    await place.clock.until(agent.run('Hi', { session: 's' }))
    for (let look = 0; look < 3; look++) await agent.session('s').status()
    expect(place.clock.pending).toBe(0)
    expect((await place.clock.until(agent.run('Go on', { session: 's' }))).text).toBe('Two.')
  })
})

describe('clocks that jump', () => {
  const hour = 3_600_000
  test.each([
    ['forwards', hour],
    ['backwards', -hour],
  ])('%s by an hour in the middle of a step: the run ends as ever, and time in the journal never goes back', async (_name, jump) => {
    const place = scriptedLab([asks('hold'), asks('hold'), 'Done.'])
    const agent = agentIn(place, {
      tools: [
        plainTool('hold', () => {
          place.clock.jump(jump)
          return 'held'
        }),
      ],
      policies: { noProgress: false },
    })
    const result = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([end(result), result.calls.every((call) => call.durationMs >= 0)]).toEqual(['completed completed', true])
    const times = (await collect(place.store.load('s'))).map((entry) => entry.at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  test('backwards while a retry waits: nothing is lost; the run waits or parks, and ends', async () => {
    const place = scriptedLab([{ fail: { code: 'ModelServerError' } }, 'Done.'])
    const agent = agentIn(place)
    const promise = agent.run('Hi', { session: 's' })
    await place.clock.advance(1)
    place.clock.jump(-hour)
    const first = await place.clock.until(promise)
    expect(['completed completed', 'parked retry_later']).toContain(end(first))
    if (first.status === 'parked') {
      place.clock.jump(hour)
      expect(end(await place.clock.until(agent.resume('s').result))).toBe('completed completed')
    }
  })

  test('forwards while a retry waits: it comes at once, once', async () => {
    const place = scriptedLab([{ fail: { code: 'ModelServerError' } }, 'Done.'])
    const promise = agentIn(place).run('Hi')
    await place.clock.advance(1)
    place.clock.jump(hour)
    expect([end(await place.clock.until(promise)), place.model.requests.length]).toEqual(['completed completed', 2])
  })

  test('an agent without a store lives wholly in its world: the time of entries is that of the world', async () => {
    const place = scriptedLab(['Done.'])
    const { store: _, ...rest } = place
    const agent = agentIn({ ...rest, store: undefined as never })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    expect((await collect(agent.store.load('s'))).map((entry) => entry.at)).toEqual(Array.from({ length: 6 }, () => place.clock.wall()))
  })
})

describe('many at once', () => {
  test('one agent on 200 sessions: each has its own conversation, and nothing is mixed', async () => {
    const place = scriptedLab([])
    const echo = plainTool('echo', () => 'x', 'read')
    const model = {
      ...place.model,
      stream: async (...[request, sink]: Parameters<typeof place.model.stream>) => {
        const messages = lines(request.messages)
        if (messages.length === 1) sink({ type: 'call', part: 0, toolName: 'echo' })
        else sink({ type: 'text', part: 0, text: `You said ${messages[0]}` })
        return {
          finishReason: messages.length === 1 ? ('tool-calls' as const) : ('stop' as const),
          usage: place.model.requests[0] as never,
        }
      },
    }
    const agent = agentIn({ ...place, model }, { tools: [echo] })
    const runs = Array.from({ length: 200 }, (_, index) => agent.run(`${index}`, { session: `s${index}` }))
    const results = await place.clock.until(Promise.all(runs))
    expect(results.map((result) => result.text)).toEqual(Array.from({ length: 200 }, (_, index) => `You said user: ${index}`))
    await place.clock.advance(0)
    expect(place.clock.pending).toBe(0)
  })

  test('more sessions than the store keeps: the ones in use stay, each run ends', async () => {
    const place = scriptedLab(Array.from({ length: 40 }, () => 'Done.'))
    const store = memory({ maxSessions: 5, clock: () => place.clock.wall(), onWarning: () => {} })
    const agent = agentIn({ ...place, store: otherProcess(store) })
    const results = await place.clock.until(
      Promise.all(Array.from({ length: 40 }, (_, index) => agent.run('Hi', { session: `s${index}` }))),
    )
    expect(new Set(results.map(end))).toEqual(new Set(['completed completed']))
  })
})

describe('a session that is taken away', () => {
  test('while nobody drives it: its name can be used again', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    const agent = agentIn(place)
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await place.store.delete('s')
    const result = await place.clock.until(agent.run('Hi again', { session: 's' }))
    expect([result.text, lines(place.model.requests[1]?.messages ?? [])]).toEqual(['Two.', ['user: Hi again']])
    expect((await journal(place.store, 's'))[0]).toBe('session')
  })

  test.each([
    ['deleted', false],
    ['deleted, and its name taken by another', true],
  ])('while a tool runs, %s: the run ends with a word for it, and does not spin', async (_name, taken) => {
    const { place, hold, result } = await busy()
    await place.store.delete('s')
    if (taken) await place.store.acquire('s', { owner: 'somebody else', ttlMs: 1 })
    hold.resolve('held')
    const ended = await place.clock.until(result)
    expect(ended.status === 'failed' && [ended.reason, ended.resumable, ended.error.code]).toEqual(['lease_lost', true, 'SessionLeaseLost'])
    expect(await journal(place.store, 's')).toEqual([])
  })

  test('by a store that is full, before the driver came: an end that says so', async () => {
    const place = scriptedLab(['One.'])
    // The session leaves between the request and the driver's look at it.
    const store = flakyStore(place.store, (operation) => {
      if (operation === 'acquire') void place.store.delete('s')
      return 'ok'
    })
    const result = await place.clock.until(agentIn({ ...place, store }).run('Hi', { session: 's', throwOnError: false }))
    expect(result.status === 'failed' && [result.reason, result.error.code, result.error.message]).toEqual([
      'session_error',
      'SessionReadFailed',
      expect.stringContaining("The journal of session 's' ends before entry 2, which was read before"),
    ])
  })
})
