import { describe, expect, test } from 'vitest'
import { agentIn, asks, collect, end, gate, journal, lines, otherProcess, plainTool, scriptedLab } from '../acceptance/kit.ts'

describe('a message in the middle of a run', () => {
  test('enters before the next model call, after the results of the step it met', async () => {
    const hold = gate<string>()
    const place = scriptedLab([asks('hold'), 'ok'])
    const run = agentIn(place, { tools: [plainTool('hold', () => hold.promise)] }).stream('Hi', { session: 's' })
    const events = collect(run)
    await place.clock.advance(1)
    await run.send('Be quick.')
    hold.resolve('held')
    const result = await place.clock.until(run.result)
    expect(lines(place.model.requests[1]?.messages ?? [])).toEqual(['user: Hi', 'assistant: hold{}→ok:held', 'user: Be quick.'])
    expect(lines(result.messages)).toEqual(['user: Hi', 'assistant: hold{}→ok:held', 'user: Be quick.', 'assistant: ok'])
    expect((await events).filter((event) => event.type === 'message.added').length).toBe(2)
    expect((await journal(place.store, 's')).slice(6, 9)).toEqual(['call.started m1.0', 'message steer', 'call.settled m1.0 ok'])
  })

  test('is read back in the order of the conversation while the step is open', async () => {
    const place = scriptedLab([asks('hold'), 'ok'])
    const agent = agentIn(place, { tools: [plainTool('hold', () => new Promise(() => {}))] })
    const run = agent.stream('Hi', { session: 's' })
    await place.clock.advance(1)
    await run.send('Be quick.')
    expect(lines(await collect(agent.session('s').messages()))).toEqual(['user: Hi', 'assistant: hold{}→open:', 'user: Be quick.'])
    await run.abort()
    await place.clock.until(run.result)
  })

  test('while the model speaks: the answer stands, and is followed by another one that has seen it', async () => {
    const place = scriptedLab([{ text: 'One.', delayMs: 1_000 }, 'Two.'])
    const run = agentIn(place).stream('Hi')
    const promise = run.result
    await place.clock.advance(500)
    await run.send('And?')
    const result = await place.clock.until(promise)
    expect([result.text, lines(result.messages)]).toEqual(['Two.', ['user: Hi', 'assistant: One.', 'user: And?', 'assistant: Two.']])
  })

  test('at the instant of the end: whoever wins, it is answered, in this run or in the next one', async () => {
    for (let ticks = 0; ticks < 60; ticks++) {
      const place = scriptedLab(['One.', 'Two.'])
      const agent = agentIn(place)
      const run = agent.stream('Hi', { session: 's' })
      const result = run.result
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      await run.send('And?')
      await place.clock.until(result)
      await place.clock.advance(10)
      const messages = lines(await collect(agent.session('s').messages()))
      const together = ['user: Hi', 'user: And?', 'assistant: One.']
      expect([together, ['user: Hi', 'assistant: One.', 'user: And?', 'assistant: Two.']], `after ${ticks} ticks`).toContainEqual(messages)
      expect(await agent.session('s').status()).toBe('completed')
    }
  })

  test('after the end it starts the next run, which says whom it follows', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    const agent = agentIn(place)
    const run = agent.stream('Hi', { session: 's' })
    const first = await place.clock.until(run.result)
    await run.send('And?')
    await place.clock.advance(10)
    const requested = (await collect(place.store.load('s'))).flatMap((entry) =>
      entry.kind === 'run.requested' ? [entry.data.inherits] : [],
    )
    expect([requested, await agent.session('s').status(), place.model.requests.length]).toEqual([[undefined, first.runId], 'completed', 2])
  })
})

describe('pause and resume', () => {
  test('what runs is awaited, nothing begins; resume goes on where it stopped', async () => {
    const hold = gate<string>()
    const place = scriptedLab([asks('hold'), 'ok'])
    const agent = agentIn(place, { tools: [plainTool('hold', () => hold.promise)] })
    const run = agent.stream('Hi', { session: 's' })
    const result = run.result
    await place.clock.advance(1)
    await run.pause()
    hold.resolve('held')
    await place.clock.advance(60_000)
    expect([place.model.requests.length, await agent.session('s').status()]).toEqual([1, 'paused'])
    await run.resume()
    expect([end(await place.clock.until(result)), place.model.requests.length]).toEqual(['completed completed', 2])
  })

  test('a paused run() parks; agent.resume in another process lifts the pause', async () => {
    const place = scriptedLab([asks('hold'), 'ok'])
    const tools = [plainTool('hold', () => new Promise((resolve) => place.clock.timer(100, () => resolve('held'))))]
    const agent = agentIn(place, { tools })
    const promise = agent.run('Hi', { session: 's' })
    await place.clock.advance(1)
    await agent.session('s').pause()
    expect(end(await place.clock.until(promise))).toBe('parked paused')
    const fresh = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    expect(end(await place.clock.until(fresh.resume('s').result))).toBe('completed completed')
    expect((await journal(place.store, 's')).filter((entry) => entry.startsWith('control'))).toEqual(['control pause', 'control resume'])
  })
})

describe('a time slice', () => {
  test('that is over parks the run before anything new begins; each activation gets further, to the same end', async () => {
    const steps = 5
    const place = scriptedLab([...Array.from({ length: steps }, () => asks('step')), 'ok'])
    let count = 0
    const step = plainTool('step', () => new Promise((resolve) => place.clock.timer(60, () => resolve(++count))))
    const agent = agentIn(place, { tools: [step], limits: { timeSliceMs: 100 } })
    let result = await place.clock.until(agent.run('Hi', { session: 's' }))
    const parks: string[] = []
    while (result.status === 'parked') {
      parks.push(result.reason)
      result = await place.clock.until(
        agentIn({ ...place, store: otherProcess(place.store) }, { tools: [step], limits: { timeSliceMs: 100 } }).resume('s').result,
      )
    }
    expect([end(result), result.calls.map((call) => call.output), new Set(parks)]).toEqual([
      'completed completed',
      [1, 2, 3, 4, 5],
      new Set(['time_slice']),
    ])
    expect(parks.length).toBeGreaterThanOrEqual(2)
  })

  test('however short lets each activation make progress', async () => {
    const place = scriptedLab([asks('step'), asks('step'), 'ok'])
    const agent = agentIn(place, { tools: [plainTool('step', () => 1)], limits: { timeSliceMs: Number.MIN_VALUE } })
    let result = await place.clock.until(agent.run('Hi', { session: 's' }))
    for (let turn = 0; turn < 50 && result.status === 'parked'; turn++) {
      await place.clock.advance(1)
      result = await place.clock.until(agent.resume('s').result)
    }
    expect(end(result)).toBe('completed completed')
  })
})
