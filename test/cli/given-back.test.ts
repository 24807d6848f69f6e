import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenBack } from '../../src/cli/given-back.ts'
import type { Store } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { newFolder } from './folders.ts'

const mine = { owner: 'mine', ttlMs: 60_000 }
const other = { owner: 'other', ttlMs: 60_000 }

test('a lease that is held, or on its way, when the store is closed is free at once; one that was lost is left alone', async () => {
  const file = join(newFolder(), 'sessions.db')
  const [store, others] = [givenBack(sqlite(file)), sqlite(file)]
  await store.acquire('held', mine)
  const lost = await store.acquire('lost', { owner: 'mine', ttlMs: 0 })
  const taken = await others.acquire('lost', other)
  const coming = store.acquire('coming', mine)
  await store.close()
  expect([await coming, await others.acquire('held', other), await others.acquire('coming', other)]).toEqual([
    { epoch: 1 },
    { epoch: 2 },
    { epoch: 2 },
  ])
  expect([lost?.epoch, taken?.epoch, await others.renew('lost', { epoch: 2, ttlMs: 1 })]).toEqual([1, 2, true])
  await others.close()
})

test('a store that is being closed gives no lease', async () => {
  const store = givenBack(sqlite(join(newFolder(), 'sessions.db')))
  await store.list()
  const closed = store.close()
  expect(await store.acquire('late', mine)).toBe(undefined)
  await closed
})

test('a lease that the engine is giving back is left to it, with what it says of the session', async () => {
  const inner = sqlite(join(newFolder(), 'sessions.db'))
  const releases: unknown[] = []
  const told = new Proxy(inner, {
    get(target, key) {
      const value = Reflect.get(target, key)
      if (key !== 'release') return typeof value === 'function' ? value.bind(target) : value
      return async (...[sessionId, options]: Parameters<Store['release']>) => {
        releases.push(options)
        // Others come first where nobody waits for it.
        await new Promise((resolve) => setImmediate(resolve))
        return target.release(sessionId, options)
      }
    },
  })
  const store = givenBack(told)
  await store.acquire('parked', mine)
  const options = { epoch: 1, expectedSeq: 0, head: { status: 'awaiting_human', pending: 1 } } as const
  const released = store.release('parked', options)
  await store.close()
  expect([await released, releases]).toEqual([true, [options]])
})
