import { expect, test } from 'vitest'
import { memory } from '../../src/stores/memory.ts'
import { type FaultPlan, flakyStore, type StoreFault } from '../../src/testing/flaky-store.ts'
import { entries, fails, ids, listed } from '../../src/testing/store-cases/kit.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'

const on =
  (operation: string, count: number, fault: StoreFault): FaultPlan =>
  (name, n) =>
    name === operation && n === count ? fault : 'ok'
const settles = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])

for (const { name, run } of storeConformance({ open: async (clock) => flakyStore(memory({ clock }), () => 'ok') })) {
  test(`with a plan of ok it is the store behind it: ${name}`, run)
}

test('fail-before and disk-full leave nothing, and the next operation goes through', async () => {
  for (const fault of ['fail-before', 'disk-full'] as const) {
    const store = flakyStore(memory(), on('append', 2, fault))
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await fails('SessionWriteFailed', store.append('s', entries(1, 1), { expectedSeq: 1 }))
    expect(await ids(store, 's')).toEqual(['e1'])
    await store.append('s', entries(1, 1), { expectedSeq: 1 })
    expect(await ids(store, 's')).toEqual(['e1', 'e2'])
  }
})

test('fail-after has written, so that the retry with the same ids succeeds', async () => {
  const store = flakyStore(memory(), on('append', 1, 'fail-after'))
  await fails('SessionWriteFailed', store.append('s', entries(0, 2), { expectedSeq: 0 }))
  await store.append('s', entries(0, 2), { expectedSeq: 0 })
  expect(await ids(store, 's')).toEqual(['e1', 'e2'])
})

test('a hanging append never answers; hang-after has written', async () => {
  const before = flakyStore(memory(), on('append', 1, 'hang-before'))
  expect(await settles(before.append('s', entries(0, 1), { expectedSeq: 0 }))).toBe(false)
  expect(await listed(before)).toEqual([])
  const after = flakyStore(memory(), on('append', 1, 'hang-after'))
  expect(await settles(after.append('s', entries(0, 1), { expectedSeq: 0 }))).toBe(false)
  expect(await ids(after, 's')).toEqual(['e1'])
})

test('conflict lets a foreign input in first: the append loses the race, a release answers false', async () => {
  const store = flakyStore(memory(), (operation, count) => (operation === 'release' || count === 2 ? 'conflict' : 'ok'))
  const { epoch } = (await store.acquire('s', { owner: 'a', ttlMs: 1000 })) ?? { epoch: 0 }
  await store.append('s', entries(0, 1), { expectedSeq: 0, epoch })
  await fails('SessionConcurrentWrite', store.append('s', entries(1, 1), { expectedSeq: 1, epoch }))
  expect(await ids(store, 's')).toEqual(['e1', 'foreign-1'])
  expect(await store.release('s', { epoch, expectedSeq: 2, head: { status: 'paused', pending: 0 } })).toBe(false)
  expect(await ids(store, 's')).toEqual(['e1', 'foreign-1', 'foreign-2'])
})

test('load fails before the first entry or after the last', async () => {
  const store = flakyStore(memory(), (operation, count) => (operation === 'load' ? (count === 1 ? 'fail-before' : 'fail-after') : 'ok'))
  await store.append('s', entries(0, 2), { expectedSeq: 0 })
  await fails('SessionReadFailed', ids(store, 's'))
  const seen: string[] = []
  const reading = async (): Promise<void> => {
    for await (const { id } of store.load('s')) seen.push(id)
  }
  await fails('SessionReadFailed', reading())
  expect(seen).toEqual(['e1', 'e2'])
})

test('acquire, renew, release and put fail by the plan too', async () => {
  const store = flakyStore(memory(), (operation, count) => (operation !== 'append' && count === 1 ? 'fail-before' : 'ok'))
  await fails('SessionWriteFailed', store.acquire('s', { owner: 'a', ttlMs: 1 }))
  await fails('SessionWriteFailed', store.renew('s', { epoch: 1, ttlMs: 1 }))
  await fails('SessionWriteFailed', store.release('s', { epoch: 1, expectedSeq: 0 }))
  await fails('SessionWriteFailed', store.blobs.put(new Uint8Array(1)))
  expect(await store.acquire('s', { owner: 'a', ttlMs: 1 })).toEqual({ epoch: 1 })
})
