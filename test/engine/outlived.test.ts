import { describe, expect, test } from 'vitest'
import { Agent, type Model, noUsage, type Run, type Store, type Tool } from '../../src/index.ts'
import { collect } from '../acceptance/kit.ts'
import { appendsThrough, engineLab } from './kit.ts'

/** A model that ignores its signal: its first call says `z` again and again, each later one `a`. */
function deaf(place: ReturnType<typeof engineLab>, count: number, everyMs: number): Model {
  const sleep = (ms: number) => new Promise<void>((resolve) => place.clock.timer(ms, resolve))
  let asked = 0
  return {
    provider: 'deaf',
    id: 'test',
    capabilities: { structuredOutput: 'prompt', parallelCalls: true, imagesInResults: false, reasoning: true },
    async stream(_request, sink) {
      const text = asked++ === 0 ? 'z' : 'a'
      for (let i = 0; i < count; i++) {
        await sleep(everyMs)
        sink({ type: 'text', part: 0, text })
      }
      return { finishReason: 'stop', usage: noUsage }
    },
  }
}

describe('machine 5 ◆: a model call that goes on after its end', () => {
  test('its text is kept when its grace is over before that can be written, and the next run hears nothing of it', async () => {
    const place = engineLab([])
    const sleep = (ms: number) => new Promise<void>((resolve) => place.clock.timer(ms, resolve))
    const store = appendsThrough(place.store, async (entries, write) => {
      if (entries.some(({ kind }) => kind === 'message')) await sleep(1_200)
      return write()
    })
    const agent = new Agent<readonly Tool[], undefined, unknown>({ model: deaf(place, 20, 300), store, world: place.world })
    const run = agent.stream('Hi', { session: 's', detach: true })
    await place.clock.advance(1_000)
    const next = agent.stream('Next', { session: 's', onBusy: 'queue', detach: true })
    const text = collect(next.textStream)
    await place.clock.advance(1)
    const aborted = run.abort()
    await place.clock.advance(500)
    agent
      .session('s')
      .send('more')
      .catch(() => {})
    const results = await place.clock.until(Promise.all([run.result, next.result, aborted]))
    expect(results[0]).toMatchObject({ status: 'aborted', text: expect.stringMatching(/^z+$/) })
    expect([results[1].text, (await text).join('')]).toEqual(['a'.repeat(20), 'a'.repeat(20)])
  })

  test('whoever resumes a run whose lease was lost hears nothing of the call that was under way', async () => {
    const place = engineLab([])
    const { renew } = place.store
    let refuse = false
    const store: Store = Object.assign(place.store, {
      renew: (...args: Parameters<Store['renew']>) => (refuse ? Promise.resolve(false) : renew.apply(place.store, args)),
    })
    const agent = new Agent<readonly Tool[], undefined, unknown>({ model: deaf(place, 40, 1_000), store, world: place.world })
    const run = agent.stream('Hi', { session: 's', detach: true })
    await place.clock.advance(3_000)
    let again: Run<readonly Tool[]> | undefined
    agent.on('run.parked', () => {
      refuse = false
      again ??= agent.resume('s')
    })
    refuse = true
    await place.clock.until(run.result)
    const text = again === undefined ? [] : collect(again.textStream)
    await place.clock.until(Promise.resolve(again?.result))
    expect((await text).join('')).toBe('a'.repeat(40))
  })
})
