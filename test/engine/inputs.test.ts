import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/index.ts'
import { flakyStore, type ScriptedModel, type StoreFault } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, gate, lines, otherProcess, plainTool } from '../acceptance/kit.ts'
import { engineLab } from './kit.ts'

/** A run in the middle of a tool; the next appends fail as told, and the next load takes until the test lets it. */
async function busy(...scripts: Parameters<typeof engineLab>) {
  const place = engineLab(...scripts)
  const faults: StoreFault[] = []
  const flaky = flakyStore(place.store, (operation) => (operation === 'append' ? (faults.shift() ?? 'ok') : 'ok'))
  const slow = { next: false, gate: gate() }
  async function* load(sessionId: string, afterSeq?: number) {
    const wait = slow.next
    slow.next = false
    if (wait) await slow.gate.promise
    yield* flaky.load(sessionId, afterSeq)
  }
  const get = (target: Store, key: string | symbol): unknown => {
    const value: unknown = key === 'load' ? load : Reflect.get(target, key)
    return typeof value === 'function' ? value.bind(target) : value
  }
  const hold = gate<string>()
  const agent = agentIn({ ...place, store: new Proxy(flaky, { get }) }, { tools: [plainTool('hold', () => hold.promise, 'read')] })
  const run = agent.stream('Hi', { session: 's' })
  const { result } = run
  await place.clock.advance(1)
  return { place, faults, slow, hold, agent, run, result }
}

/** How often a message stands in the journal. */
async function standing(store: Store, text: string): Promise<number> {
  return (await collect(store.load('s'))).filter((entry) => entry.kind === 'message' && JSON.stringify(entry).includes(text)).length
}

/** How often the model was shown the message in its last request. */
const mine = (model: ScriptedModel) => lines(model.requests.at(-1)?.messages ?? []).filter((line) => line === 'user: Mine.').length

describe('promise 1: an input whose append had no clear answer is written once', () => {
  test.each<[string, readonly StoreFault[]]>([
    ['written, then failed', ['fail-after']],
    ['written, then failed, and then somebody else wrote', ['fail-after', 'conflict']],
    ['not written twice, then written and failed', ['fail-before', 'fail-before', 'fail-after']],
  ])('straight into the store: %s', async (_name, some) => {
    const { place, faults, agent, run, result } = await busy([asks('hold'), 'Done.', 'More.'])
    await run.abort()
    await place.clock.until(result)
    await place.clock.until(agent.run('Again', { session: 's' }))
    faults.push(...some)
    const sent = agent.session('s').send('Mine.')
    await place.clock.until(sent)
    await place.clock.advance(1)
    const entries = await collect(place.store.load('s'))
    expect(entries.filter((entry) => entry.kind === 'run.requested' && JSON.stringify(entry).includes('Mine.')).length).toBe(1)
    expect([await agent.session('s').status(), mine(place.model)]).toEqual(['completed', 1])
  })

  const lost: [string, readonly StoreFault[]][] = [
    ['written, its answer lost', ['fail-after', 'fail-before', 'fail-before']],
    ['written at the last try', ['fail-before', 'fail-before', 'fail-after']],
    ['not written', ['fail-before', 'fail-before', 'fail-before']],
  ]

  test.each(lost)('through an activation that ends over it (%s): nobody drives when it is tried again', async (_name, some) => {
    const { place, faults, hold, run, result } = await busy([asks('hold'), asks('hold'), 'Done.'])
    faults.push(...some)
    const sent = run.send('Mine.')
    expect(end(await place.clock.until(result))).toBe('failed session_error')
    await place.clock.until(sent)
    hold.resolve('held')
    await place.clock.advance(100)
    expect([await standing(place.store, 'Mine.'), mine(place.model)]).toEqual([1, 1])
  })

  test.each(lost)('through an activation that ends over it (%s): the next one is there when it is tried again', async (_name, some) => {
    const { place, faults, slow, hold, agent, run, result } = await busy([asks('hold'), asks('hold'), 'Done.'])
    faults.push(...some)
    slow.next = true
    const sent = run.send('Mine.')
    expect(end(await place.clock.until(result))).toBe('failed session_error')
    const again = agent.resume('s', { parkAfterMs: 1_000 }).result
    await place.clock.advance(10)
    slow.gate.resolve()
    await place.clock.until(sent)
    hold.resolve('held')
    expect([end(await place.clock.until(again)), await standing(place.store, 'Mine.'), mine(place.model)]).toEqual([
      'completed completed',
      1,
      1,
    ])
  })

  test('another process has driven the run to its end meanwhile: the message is not said again in a run of its own', async () => {
    const { place, faults, slow, hold, run, result } = await busy([asks('hold'), asks('hold'), 'Done.', 'Too much.'])
    faults.push('fail-after', 'fail-before', 'fail-before')
    slow.next = true
    const sent = run.send('Mine.')
    await place.clock.until(result)
    hold.resolve('held')
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [plainTool('hold', () => 'held', 'read')] })
    await place.clock.until(other.resume('s').result)
    slow.gate.resolve()
    await place.clock.until(sent)
    await place.clock.advance(100)
    expect([await standing(place.store, 'Mine.'), await other.session('s').status(), mine(place.model)]).toEqual([1, 'completed', 1])
  })
})
