import { Agent, type Model, memory, noUsage, type RunEvent, type Store, type Tool, tool } from 'rondo'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appendsThrough } from '../engine/kit.ts'
import { testWorld } from '../setup/checks.ts'
import { all } from './reader-plays.ts'

const capabilities = { structuredOutput: 'prompt', parallelCalls: true, imagesInResults: false, reasoning: true } as const

/** Says these texts, a letter each `everyMs`, with a call of a tool after each but the last. */
function stage(texts: readonly string[], setting: { everyMs?: number; ringCapacity?: number; store?: (inner: Store) => Store } = {}) {
  const world = { ...testWorld(), ringCapacity: setting.ringCapacity ?? 10_000 }
  const sleep = (ms: number) => new Promise<void>((resolve) => world.clock.timer(ms, resolve))
  const { everyMs = 0 } = setting
  let asked = 0
  const model: Model = {
    provider: 'talker',
    id: 'test',
    capabilities,
    async stream(_request, sink) {
      const text = texts[asked++] ?? ''
      const isLast = asked >= texts.length
      for (const letter of text) {
        if (everyMs > 0) await sleep(everyMs)
        sink({ type: 'text', part: 0, text: letter })
      }
      if (!isLast) {
        sink({ type: 'call', part: 1, toolName: 'look' })
        sink({ type: 'call-input', part: 1, text: '{}' })
      }
      return { finishReason: isLast ? 'stop' : 'tool-calls', usage: noUsage }
    },
  }
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    inputSchema: z.object({}),
    execute: (_, call) => {
      call.progress('half')
      return 'seen'
    },
  })
  let loads = 0
  const inner = memory({ clock: () => world.clock.wall() })
  const { load } = inner
  const store = (setting.store ?? ((same) => same))(
    Object.assign(inner, {
      load: (...args: Parameters<Store['load']>) => {
        loads++
        return load.apply(inner, args)
      },
    }),
  )
  const policies = { noProgress: false, durability: setting.store === undefined ? 'strict' : 'best-effort' } as const
  const agent = new Agent<readonly Tool[], undefined, unknown>({ model, tools: [look], store, world, policies })
  return { world, agent, sleep, loads: () => loads }
}

const types = (events: readonly RunEvent[]) => events.map(({ type }) => type)

describe('decision 0013: readers of the text beside readers of the events', () => {
  test('promise 7: one that lags behind the ring over several calls loses none of it', async () => {
    const texts = ['aaaaaaaaaa', 'bbbbbbbbbbbbbbb', 'cccccccccccccccccccc', 'dddd']
    const { world, agent, sleep } = stage(texts, { everyMs: 10, ringCapacity: 1 })
    const run = agent.stream('Hi', { detach: true })
    let got = ''
    const reading = (async () => {
      let pieces = 0
      for await (const text of run.textStream) {
        got += text
        if (++pieces === 12) await sleep(100_000)
      }
    })()
    await world.clock.until(Promise.all([run.result, reading]))
    expect(got).toBe(texts.join(''))
  })

  test('one that comes when the run is over hides nothing of what the handle holds', async () => {
    const events = async (textFirst: boolean) => {
      let appends = 0
      const failing = (inner: Store) =>
        appendsThrough(inner, (_, write) => (++appends > 3 ? Promise.reject(new Error('The disk is gone.')) : write()))
      // The journal ends early, so that nothing can be read from there.
      const { world, agent } = stage(['abc', 'abc', 'abc'], { store: failing })
      const run = agent.stream('Hi')
      await world.clock.until(run.result)
      if (textFirst) expect((await all(run.textStream)).join('')).toBe('abcabcabc')
      return types(await all(run))
    }
    const without = await events(false)
    expect(without).toContain('call.progress')
    expect(await events(true)).toEqual(without)
  })

  test('one that comes in the middle: what was there before stays, progress too', async () => {
    const { world, agent } = stage(['ab', 'abcdef'], { everyMs: 100 })
    const run = agent.stream('Hi', { session: 's', runId: 'r', detach: true })
    await world.clock.advance(450)
    const text = all(run.textStream)
    await world.clock.until(run.result)
    const events = types(await all(run))
    expect(events).toEqual(expect.arrayContaining(['call.progress', 'run.finished']))
    expect(events.filter((type) => type !== 'call.progress' && !type.includes('delta'))).toEqual(
      types(await all(agent.attach('s', { runId: 'r' }))).filter((type) => !type.includes('delta')),
    )
    expect((await text).join('')).toBe('ababcdef')
  })

  test('where nothing was left out yet, nothing is read again', async () => {
    const { world, agent, loads } = stage(['abc', 'def'])
    const read = async (withText: boolean) => {
      const before = loads()
      const run = agent.stream('Hi', { session: `s${withText}`, runId: 'r' })
      const text = withText ? all(run.textStream) : undefined
      const events = all(run)
      await world.clock.until(Promise.all([run.result, text]))
      return { events: types(await events), loads: loads() - before }
    }
    expect((await read(true)).loads).toBe((await read(false)).loads)
  })

  test.each([true, false])('of a run that it only steers a handle tells what comes from then on (text first: %s)', async (textFirst) => {
    const { world, agent } = stage(['abc', 'abc', 'abc', 'abc', 'abc'], { everyMs: 10 })
    const first = agent.run('Hi', { session: 's', runId: 'r' })
    await world.clock.advance(45)
    const handle = agent.stream('And?', { session: 's', detach: true, onBusy: 'steer' })
    const text = textFirst ? all(handle.textStream) : undefined
    await world.clock.advance(1)
    const events = all(handle)
    await world.clock.until(Promise.all([first, text]))
    expect(types(await events)).not.toContain('run.started')
    expect(types(await events)).toEqual(expect.arrayContaining(['call.settled', 'run.finished']))
  })
})
