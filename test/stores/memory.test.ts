import { describe, expect, test } from 'vitest'
import { RondoError } from '../../src/core/error.ts'
import { memory } from '../../src/stores/memory.ts'
import { entries, fails, ids, listed } from '../../src/testing/store-cases/kit.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'

describe('memory keeps the Store contract', () => {
  for (const { name, run } of storeConformance({ open: async (clock) => memory({ clock }) })) test(name, run)
})

describe('memory', () => {
  test('beyond maxSessions the least recently used sessions leave, with one warning in total', async () => {
    const warnings: string[] = []
    const store = memory({ maxSessions: 3, onWarning: (message) => warnings.push(message) })
    for (const name of ['a', 'b', 'c']) await store.append(name, entries(0, 1), { expectedSeq: 0 })
    await ids(store, 'a')
    expect(warnings).toEqual([])
    await store.append('d', entries(0, 1), { expectedSeq: 0 })
    expect((await listed(store)).sort()).toEqual(['a', 'c', 'd'])
    await store.append('e', entries(0, 1), { expectedSeq: 0 })
    expect((await listed(store)).sort()).toEqual(['a', 'd', 'e'])
    expect(warnings).toEqual([expect.stringContaining('keeps 3 sessions')])
  })

  test('a session under a live lease does not leave, however old', async () => {
    const clock = { now: 1000 }
    const store = memory({ maxSessions: 2, clock: () => clock.now, onWarning: () => {} })
    const { epoch } = (await store.acquire('driven', { owner: 'a', ttlMs: 100 })) ?? { epoch: 0 }
    await store.append('driven', entries(0, 1), { expectedSeq: 0, epoch })
    for (let i = 0; i < 50; i++) await store.append(`s${i}`, entries(0, 1), { expectedSeq: 0 })
    expect((await listed(store)).sort()).toEqual(['driven', 's49'])
    clock.now += 100
    for (let i = 50; i < 60; i++) await store.append(`s${i}`, entries(0, 1), { expectedSeq: 0 })
    expect((await listed(store)).sort()).toEqual(['s58', 's59'])
  })

  test('more leased sessions than maxSessions are all kept, and leave once their leases end', async () => {
    const clock = { now: 1000 }
    const store = memory({ maxSessions: 5, clock: () => clock.now, onWarning: () => {} })
    for (let i = 0; i < 40; i++) {
      await store.acquire(`s${i}`, { owner: 'a', ttlMs: 100 })
      await store.append(`s${i}`, entries(0, 1), { expectedSeq: 0 })
    }
    expect(await listed(store)).toHaveLength(40)
    clock.now += 100
    for (let i = 40; i < 50; i++) await store.append(`s${i}`, entries(0, 1), { expectedSeq: 0 })
    expect(await listed(store)).toHaveLength(5)
  })

  test('an old epoch does not fit a session that left and came back', async () => {
    const clock = { now: 1000 }
    const store = memory({ maxSessions: 1, clock: () => clock.now, onWarning: () => {} })
    const { epoch } = (await store.acquire('s', { owner: 'a', ttlMs: 10 })) ?? { epoch: 0 }
    clock.now += 10
    await store.append('other', entries(0, 1), { expectedSeq: 0 })
    await store.acquire('s', { owner: 'b', ttlMs: 10 })
    await fails('SessionLeaseLost', store.append('s', entries(0, 1), { expectedSeq: 0, epoch }))
  })

  test('blobs beyond maxBlobBytes leave, oldest first; one larger than that is refused', async () => {
    const store = memory({ maxBlobBytes: 100 })
    const put = (fill: number, size: number): Promise<string> => store.blobs.put(new Uint8Array(size).fill(fill))
    const [a, b] = [await put(1, 40), await put(2, 40)]
    await put(1, 40)
    const c = await put(3, 40)
    expect(await store.blobs.get(b)).toBeUndefined()
    expect(await store.blobs.get(a)).toHaveLength(40)
    expect(await store.blobs.get(c)).toHaveLength(40)
    await fails('SessionWriteFailed', put(4, 101))
    expect(await store.blobs.get(c)).toHaveLength(40)
  })

  test('append resolves without a timer or I/O', async () => {
    let turn = 0
    setImmediate(() => turn++)
    setTimeout(() => turn++, 0)
    const store = memory()
    for (let i = 0; i < 100; i++) await store.append('s', entries(i, 1), { expectedSeq: i })
    expect(turn).toBe(0)
  })

  test('a limit that is no positive whole number is ConfigInvalid', () => {
    for (const maxSessions of [0, -1, 1.5, Number.NaN]) expect(() => memory({ maxSessions })).toThrow(RondoError)
    expect(() => memory({ maxBlobBytes: 0 })).toThrow(/maxBlobBytes/)
  })
})
