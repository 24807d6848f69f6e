import { describe, expect, test } from 'vitest'
import { memory, type RunEvent, tool } from '../../src/index.ts'
import {
  agentIn,
  asks,
  collect,
  end,
  gate,
  journal,
  lines,
  noInput,
  otherProcess,
  plainTool,
  refusal,
  scriptedLab,
} from '../acceptance/kit.ts'
import { appendsThrough } from '../engine/kit.ts'

const steer = { session: 's', onBusy: 'steer' } as const

/** A run of another caller that is in the middle of a tool; appends that hold a message go through `pass`. */
async function busy() {
  const place = scriptedLab([asks('hold'), 'One.', 'Two.'])
  const inner = memory({ clock: () => place.clock.wall() })
  const said = { before: async () => {} }
  const store = appendsThrough(inner, async (entries, write) => {
    if (entries.some((entry) => entry.kind === 'message')) await said.before()
    return write()
  })
  const hold = gate<string>()
  const agent = agentIn({ ...place, store }, { tools: [plainTool('hold', () => hold.promise, 'read')] })
  const first = agent.run('First', { session: 's', runId: 'one' })
  await place.clock.advance(1)
  const finish = async () => {
    hold.resolve('held')
    return end(await place.clock.until(first))
  }
  return { place, inner, store, agent, said, finish }
}

const abort = (controller: AbortController) => controller.abort(new Error('enough'))

/** What the model was told after the tool. */
const asked = (place: Awaited<ReturnType<typeof busy>>['place']) => lines(place.model.requests[1]?.messages ?? []).slice(2)

describe('the signal of a call that steers belongs to the call', () => {
  test('aborted before: the message is not said, the call rejects, and the run goes on', async () => {
    const { place, store, agent, finish } = await busy()
    const before = await journal(store, 's')
    const error = await refusal(agent.run('Mine.', { ...steer, signal: AbortSignal.abort(new Error('enough')) }))
    expect([error.code, error.message]).toEqual(['RunAborted', 'The message was withdrawn before it was recorded: enough'])
    expect(await journal(store, 's')).toEqual(before)
    expect([await finish(), asked(place)]).toEqual(['completed completed', []])
  })

  test('aborted while it waits for its turn to be written, or after it lost a race: the same', async () => {
    for (const race of [false, true]) {
      const { place, inner, store, agent, said, finish } = await busy()
      const [writing, go] = [gate(), gate()]
      said.before = async () => {
        said.before = async () => {}
        writing.resolve()
        await go.promise
        if (!race) return
        const seq = (await collect(inner.load('s'))).length
        await inner.append('s', [{ v: 1, id: 'n', seq: seq + 1, kind: 'custom', data: { type: 'note' } }], { expectedSeq: seq })
      }
      const controller = new AbortController()
      const run = () => refusal(agent.run('Mine.', { ...steer, signal: controller.signal }))
      // What is being written now is this message, which loses its race, or somebody else's.
      const raced = race ? run() : undefined
      const other = race ? undefined : agent.session('s').send('Theirs.')
      await writing.promise
      const mine = raced ?? run()
      for (let tick = 0; tick < 20; tick++) await Promise.resolve()
      abort(controller)
      go.resolve()
      expect((await place.clock.until(mine)).code).toBe('RunAborted')
      await other
      expect((await collect(store.load('s'))).some((entry) => JSON.stringify(entry).includes('Mine.'))).toBe(false)
      expect([await finish(), asked(place)]).toEqual(['completed completed', race ? [] : ['user: Theirs.']])
    }
  })

  test('aborted once it is recorded: the run is somebody else’s and goes on to its end, for this call too', async () => {
    const { place, store, agent, finish } = await busy()
    const controller = new AbortController()
    const mine = agent.run('Mine.', { ...steer, signal: controller.signal })
    await place.clock.advance(1)
    abort(controller)
    await place.clock.advance(1)
    expect((await journal(store, 's')).filter((line) => line.startsWith('control'))).toEqual([])
    expect([await finish(), end(await mine), asked(place)]).toEqual(['completed completed', 'completed completed', ['user: Mine.']])
  })

  test('aborted in the moment it is being recorded: never a cancel', async () => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const { store, agent, finish } = await busy()
      const controller = new AbortController()
      const mine = agent.run('Mine.', { ...steer, signal: controller.signal }).then(end, (error) => error.code)
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      abort(controller)
      expect(await finish(), `after ${ticks} ticks`).toBe('completed completed')
      expect(['completed completed', 'RunAborted']).toContain(await mine)
      expect((await journal(store, 's')).some((line) => line.startsWith('control'))).toBe(false)
    }
  })

  test('a run that has parked: withdrawn before, no cancel after', async () => {
    const place = scriptedLab([asks('ask'), 'Done.'])
    const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'asked' })
    const agent = agentIn(place, { tools: [ask], onPending: 'hold' })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const before = await journal(place.store, 's')
    expect((await refusal(agent.run('Mine.', { ...steer, signal: AbortSignal.abort() }))).code).toBe('RunAborted')
    expect(await journal(place.store, 's')).toEqual(before)
    const controller = new AbortController()
    const run = agent.stream('Mine.', { ...steer, signal: controller.signal })
    const { result } = run
    await place.clock.advance(1)
    abort(controller)
    await place.clock.advance(1)
    await run.decide({ callId: 'm1.0', decision: 'approve' })
    expect(end(await place.clock.until(result))).toBe('completed completed')
  })

  test('with nothing to steer the call begins a run of its own, which its signal cancels', async () => {
    const place = scriptedLab([{ text: 'One.', delayMs: 1_000 }])
    const agent = agentIn(place)
    await place.clock.until(agentIn({ ...place, model: scriptedLab(['Zero.']).model }).run('Hi', { session: 's' }))
    const controller = new AbortController()
    const mine = agent.run('Mine.', { ...steer, signal: controller.signal, throwOnError: false })
    await place.clock.advance(10)
    abort(controller)
    expect(end(await place.clock.until(mine))).toBe('aborted aborted')
  })
})

describe('a call that steers leaves the run of another caller alone', () => {
  test.each([0, 1])('when its handle is disposed of, after %i ms', async (ms) => {
    const { place, agent, finish } = await busy()
    {
      await using run = agent.stream('Mine.', steer)
      if (ms > 0) await place.clock.advance(ms)
      expect(run.sessionId).toBe('s')
    }
    await place.clock.advance(10)
    expect([await finish(), asked(place)]).toEqual(['completed completed', ['user: Mine.']])
  })

  test.each(['this process', 'another process'])(
    'when its reader leaves, though it has parked and the call drives it: in %s',
    async (where) => {
      const place = scriptedLab([asks('ask'), { text: 'Done.', delayMs: 1_000 }])
      const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'asked' })
      await place.clock.until(agentIn(place, { tools: [ask] }).run('Hi', { session: 's' }))
      const store = where === 'this process' ? place.store : otherProcess(place.store)
      const agent = agentIn({ ...place, store }, { tools: [ask] })
      for await (const event of agent.stream('Never mind.', steer)) if (event.type === 'model.started') break
      await place.clock.advance(10_000)
      expect(await agent.session('s').status()).toBe('completed')
    },
  )

  test('promise 15 but a run that was begun here is cancelled when everybody has left, whoever was the last', async () => {
    const place = scriptedLab(['One.', 'Two.'].map((text) => ({ text, delayMs: 1_000 })))
    const agent = agentIn(place)
    const read = async (run: AsyncIterable<RunEvent>, type: string) => {
      for await (const event of run) if (event.type === type) break
    }
    const first = read(agent.stream('First', { session: 's' }), 'text.delta')
    await place.clock.advance(500)
    const second = read(agent.stream('Mine.', steer), 'iteration.started')
    await place.clock.advance(10_000)
    await Promise.all([first, second])
    expect([await agent.session('s').status(), place.model.requests.length]).toEqual(['aborted', 2])
  })

  test('but abort() is said to the run itself', async () => {
    const { place, agent, finish } = await busy()
    const run = agent.stream('Mine.', steer)
    await place.clock.advance(1)
    await run.abort('enough')
    expect(await finish().catch((error) => error.code)).toBe('RunAborted')
  })
})
