import { Agent, memory, type Store, tool } from 'rondo'
import { scripted } from 'rondo/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { testWorld } from '../setup/checks.ts'

const ask = tool({ name: 'ask', description: 'd', inputSchema: z.object({}), needsApproval: true, execute: () => 'asked' })
const look = tool({ name: 'look', description: 'd', effect: 'read', inputSchema: z.object({}), execute: () => 'seen' })
const call = (...names: string[]) => ({ calls: names.map((name) => ({ name, input: {} })) })

test('promise 9 limits of a run outlive its park: a resume cannot reset them', async () => {
  const world = testWorld()
  const agent = new Agent({ model: scripted([call('ask'), 'more']), tools: [ask], world })
  const limits = { maxIterations: 1, onLimit: 'incomplete' } as const
  const parked = await world.clock.until(agent.run('x', { session: 's', limits }))
  expect(parked.status).toBe('parked')
  const run = agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] })
  const result = await world.clock.until(run.result)
  expect([result.status, result.reason, result.iterations]).toEqual(['incomplete', 'max_iterations', 1])
})

test('a parked result holds what its siblings have done', async () => {
  const world = testWorld()
  const parked = await world.clock.until(new Agent({ model: scripted([call('ask', 'look')]), tools: [ask, look], world }).run('x'))
  expect(parked.calls.map(({ toolName, outcome }) => [toolName, outcome])).toEqual([['look', 'ok']])
})

test('resume of a run that is live here does not change what it was begun with', async () => {
  const world = testWorld()
  const agent = new Agent({ model: scripted([call('ask')]), tools: [ask], world })
  const model = scripted([call('ask'), 'the run’s own model'])
  const run = agent.stream('x', { session: 's', model })
  const end = run.result
  await world.clock.advance(10)
  const other = agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] })
  const [first, second] = await world.clock.until(Promise.all([end, other.result]))
  expect([first.text, second.text]).toEqual(['the run’s own model', 'the run’s own model'])
})

test('promise 15 a reader who steered and leaves does not cancel a run that somebody holds', async () => {
  const world = testWorld()
  const model = scripted([{ delayMs: 100, text: 'Hello', ...call('look') }, 'done'])
  const agent = new Agent({ model, tools: [look], world })
  const held = agent.run('x', { session: 's' })
  await world.clock.advance(10)
  const steered = agent.stream('y', { session: 's', onBusy: 'steer' })
  const reading = (async () => {
    for await (const event of steered) if (event.type === 'text.delta') break
  })()
  const result = await world.clock.until(held)
  await reading
  expect(result.status).toBe('completed')
})

test('attach to a run that does not exist says so', async () => {
  const world = testWorld()
  const agent = new Agent({ model: scripted(['a']), world })
  await world.clock.until(agent.run('x', { session: 's' }))
  await expect(agent.attach('s', { runId: 'nobody' }).result).rejects.toMatchObject({ code: 'RunInvalidState' })
})

test('promise 4 a result that the store cannot keep is no failure: an unsafe tool does not run again for it', async () => {
  const inner = memory()
  const blobs = { ...inner.blobs, put: () => Promise.reject(new Error('disk full')), get: inner.blobs.get.bind(inner.blobs) }
  const store = new Proxy(inner, { get: (target, key) => (key === 'blobs' ? blobs : bound(target, key)) })
  let ran = 0
  const dump = tool({
    name: 'dump',
    description: 'd',
    inputSchema: z.object({}),
    execute: () => {
      ran++
      return 'x'.repeat(5_000_000)
    },
  })
  const errors: unknown[] = []
  const onObserverError = (error: unknown) => errors.push(error)
  const world = testWorld()
  const agent = new Agent({ model: scripted([call('dump'), 'done']), tools: [dump], store, world, onObserverError })
  const result = await world.clock.until(agent.run('x'))
  expect([ran, result.calls[0]?.outcome, errors.length]).toEqual([1, 'ok', 1])
})

function bound(store: Store, key: string | symbol): unknown {
  const value: unknown = Reflect.get(store, key)
  return typeof value === 'function' ? value.bind(store) : value
}
