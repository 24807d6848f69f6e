import { Agent, memory, type Store, tool } from 'rondo'
import { flakyStore, scripted } from 'rondo/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { alwaysSuspend, testWorld } from '../setup/checks.ts'

function place() {
  const world = testWorld()
  return { world, store: memory({ clock: () => world.clock.wall() }) }
}

const act = tool({ name: 'act', description: 'Acts.', effect: 'read', inputSchema: z.object({}), execute: () => 1 })
const ask = tool({ name: 'ask', description: 'Asks.', inputSchema: z.object({}), needsApproval: true, execute: () => 1 })

test('promise 12: a run whose time slice is over is due at once, so that a sweep goes on with it', async () => {
  const { world, store } = place()
  const slow = scripted([{ calls: [{ name: 'act', input: {} }], delayMs: 500 }, 'Done.'], { clock: world.clock })
  const agent = new Agent({ model: slow, tools: [act], world, store, limits: { timeSliceMs: 100 } })
  const result = await world.clock.until(agent.run('Go', { session: 's' }))
  // In always-suspend mode the end of a slice is a reload like any other: the run is never parked for it.
  if (alwaysSuspend) return expect(result).toMatchObject({ status: 'completed' })
  expect(result).toMatchObject({ status: 'parked', reason: 'time_slice' })
  expect(await store.list({ dueBefore: world.clock.wall() })).toMatchObject([
    { sessionId: 's', head: { wakeAt: 0, status: 'tool_running' } },
  ])
  expect(await world.clock.until(agent.resume('s').result)).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(await store.list({ dueBefore: world.clock.wall() })).toEqual([])
})

test('a session that waits for a human is not due, also after somebody looked at it in vain', async () => {
  const { world, store } = place()
  const model = scripted([{ calls: [{ name: 'ask', input: {} }] }, 'Done.'])
  const agent = new Agent({ model, tools: [ask], world, store })
  expect(await world.clock.until(agent.run('Go', { session: 's' }))).toMatchObject({ status: 'parked', reason: 'awaiting_approval' })
  expect(await store.list({ dueBefore: world.clock.wall() })).toEqual([])
  const before = await store.list()
  expect(await world.clock.until(agent.resume('s').result)).toMatchObject({ status: 'parked', reason: 'awaiting_approval' })
  expect(await store.list({ dueBefore: world.clock.wall() })).toEqual([])
  expect(await store.list()).toEqual(before)
})

/** A store whose next `load` can be made to take a while. */
function slowLoads(inner: Store): { readonly store: Store; slow: boolean } {
  const same = flakyStore(inner, () => 'ok')
  async function* load(sessionId: string, afterSeq?: number) {
    const wait = place.slow
    place.slow = false
    for await (const entry of same.load(sessionId, afterSeq)) {
      if (wait) for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
      yield entry
    }
  }
  const get = (target: Store, key: string | symbol): unknown => {
    const value: unknown = key === 'load' ? load : Reflect.get(target, key)
    return typeof value === 'function' ? value.bind(target) : value
  }
  const place = { slow: false, store: new Proxy(same, { get }) }
  return place
}

test('a look at a session while a run of it begins does not disturb what the run has folded', async () => {
  const { world, store } = place()
  const reply = () => ({ calls: [{ name: 'act', input: {} }] })
  const slow = slowLoads(store)
  const agent = new Agent({ model: scripted([reply(), 'One.', reply(), reply(), 'Three.']), tools: [act], world, store: slow.store })
  const other = new Agent({ model: scripted([reply(), reply(), 'Two.']), tools: [act], world, store })
  await world.clock.until(agent.run('1', { session: 's' }))
  await world.clock.until(other.run('2', { session: 's' }))
  slow.slow = true
  const status = agent.session('s').status()
  const run = agent.run('3', { session: 's' })
  await status
  expect(await world.clock.until(run)).toMatchObject({ status: 'completed', text: 'Three.' })
  const roles: string[] = []
  for await (const { role } of agent.session('s').messages()) roles.push(role)
  expect(roles).toEqual([
    ...['user', 'assistant', 'assistant'],
    ...['user', 'assistant', 'assistant', 'assistant'],
    ...['user', 'assistant', 'assistant', 'assistant'],
  ])
})
