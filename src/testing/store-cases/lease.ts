import type { NewEntry } from '../../core/entry.ts'
import type { Store } from '../../core/store.ts'
import { type Cases, entries, entry, fails, head, ids, listed, same, start } from './kit.ts'

async function epochOf(store: Store, owner: string, ttlMs = 1000): Promise<number> {
  return (await store.acquire('s', { owner, ttlMs }))?.epoch ?? -1
}

export const leaseCases: Cases = {
  'lease: works before the first append, which then needs its epoch': async ({ store }) => {
    const epoch = await epochOf(store, 'a')
    same(epoch > 0, true, 'the epoch is a positive number')
    same(await listed(store), [], 'a lease alone makes no session')
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch })
    same(await ids(store, 's'), ['e1'], 'the journal')
  },
  'lease: every acquire raises the epoch': async ({ store }) => {
    const first = await epochOf(store, 'a')
    const again = await epochOf(store, 'a')
    await store.release('s', { epoch: again, expectedSeq: 0 })
    const after = await epochOf(store, 'b')
    same(again > first && after > again, true, `rising epochs (${first}, ${again}, ${after})`)
  },
  "lease: another owner gets none while it holds, by the store's clock": async ({ store, clock }) => {
    await epochOf(store, 'a', 1000)
    clock.now = start + 999
    same(await store.acquire('s', { owner: 'b', ttlMs: 1000 }), undefined, 'just before its end')
    clock.now = start + 1000
    same((await epochOf(store, 'b')) > 0, true, 'at its end it is free')
  },
  'lease: of two owners that race exactly one gets it': async ({ store }) => {
    const leases = await Promise.all(['a', 'b', 'c'].map((owner) => store.acquire('s', { owner, ttlMs: 1000 })))
    same(leases.filter((lease) => lease !== undefined).length, 1, 'the number of winners')
  },
  'lease: an append under an older epoch fails although its place is right': async ({ store, clock }) => {
    const old = await epochOf(store, 'a')
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch: old })
    clock.now += 1000
    const epoch = await epochOf(store, 'b')
    await fails('SessionLeaseLost', store.append('s', entries(1, 1), { expectedSeq: 1, epoch: old, head: head('failed') }))
    await fails('SessionLeaseLost', store.append('s', entries(0, 1), { expectedSeq: 0, epoch: old }))
    same(await ids(store, 's'), ['e1'], 'the journal')
    await store.append('s', entries(1, 1), { expectedSeq: 1, epoch })
  },
  'lease: an append under an epoch that was never given fails': async ({ store }) => {
    await fails('SessionLeaseLost', store.append('s', entries(0, 1), { expectedSeq: 0, epoch: 1 }))
    const epoch = await epochOf(store, 'a')
    await fails('SessionLeaseLost', store.append('s', entries(0, 1), { expectedSeq: 0, epoch: epoch + 1 }))
    same(await listed(store), [], 'the sessions')
  },
  'lease: an input needs no epoch, also while a driver holds the session': async ({ store }) => {
    const epoch = await epochOf(store, 'a')
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await fails('SessionConcurrentWrite', store.append('s', entries(0, 1, 'driver'), { expectedSeq: 0, epoch }))
    await store.append('s', entries(1, 1, 'driver'), { expectedSeq: 1, epoch })
    same(await ids(store, 's'), ['e1', 'driver2'], 'the journal')
  },
  'lease: renew extends it': async ({ store, clock }) => {
    const epoch = await epochOf(store, 'a', 1000)
    clock.now = start + 900
    same(await store.renew('s', { epoch, ttlMs: 1000 }), true, 'the renewal')
    clock.now = start + 1899
    same(await store.acquire('s', { owner: 'b', ttlMs: 1000 }), undefined, 'it holds')
    clock.now = start + 1900
    same((await epochOf(store, 'b')) > epoch, true, 'until its new end')
  },
  'lease: renew is false for one that was lost or given back': async ({ store, clock }) => {
    same(await store.renew('s', { epoch: 1, ttlMs: 1000 }), false, 'of an unknown session')
    const old = await epochOf(store, 'a')
    clock.now += 1000
    const epoch = await epochOf(store, 'b')
    same(await store.renew('s', { epoch: old, ttlMs: 1000 }), false, 'after another took it')
    await store.release('s', { epoch, expectedSeq: 0 })
    same(await store.renew('s', { epoch, ttlMs: 1000 }), false, 'after it was given back')
  },
  'lease: release gives it back at once and stores the head': async ({ store }) => {
    const epoch = await epochOf(store, 'a', 1_000_000)
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch, head: head('model_running') })
    same(await store.release('s', { epoch, expectedSeq: 1, head: head('completed') }), true, 'the release')
    same((await store.list())[0]?.head, head('completed'), 'the head')
    same((await epochOf(store, 'b')) > epoch, true, 'another owner gets it')
  },
  'lease: release without a head keeps the one that is there': async ({ store }) => {
    const epoch = await epochOf(store, 'a')
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch, head: head('paused', { title: 'T' }) })
    same(await store.release('s', { epoch, expectedSeq: 1 }), true, 'the release')
    same((await store.list())[0]?.head, head('paused', { title: 'T' }), 'the head')
  },
  'lease: release changes nothing when the journal has grown': async ({ store }) => {
    const epoch = await epochOf(store, 'a')
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch, head: head('paused') })
    await store.append('s', entries(1, 1, 'input'), { expectedSeq: 1, head: head('paused', { wakeAt: 0 }) })
    same(await store.release('s', { epoch, expectedSeq: 1, head: head('paused') }), false, 'the release')
    same((await store.list())[0]?.head, head('paused', { wakeAt: 0 }), 'the head')
    same(await store.acquire('s', { owner: 'b', ttlMs: 1000 }), undefined, 'the lease holds')
    same(await store.release('s', { epoch, expectedSeq: 2 }), true, 'at the right place')
  },
  'lease: release without a head does not look at the seq': async ({ store }) => {
    const epoch = await epochOf(store, 'a', 1_000_000)
    await store.append('s', entries(0, 2), { expectedSeq: 0, epoch })
    same(await store.release('s', { epoch, expectedSeq: 0 }), true, 'the release')
    same((await epochOf(store, 'b')) > epoch, true, 'another owner gets it')
  },
  'lease: release is false for one that was lost': async ({ store, clock }) => {
    const old = await epochOf(store, 'a')
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch: old, head: head('preparing') })
    clock.now += 1000
    await epochOf(store, 'b')
    same(await store.release('s', { epoch: old, expectedSeq: 1, head: head('failed') }), false, 'the release')
    same((await store.list())[0]?.head, head('preparing'), 'the head')
    same(await store.acquire('s', { owner: 'c', ttlMs: 1000 }), undefined, "the other's lease holds")
  },
  'lease: its epoch is above those of a journal that was driven elsewhere and copied here': async ({ store }) => {
    const driven = [7, 9, 8].map((epoch, i): NewEntry => ({ ...entry(i + 1), epoch }))
    await store.append('s', driven.slice(0, 2), { expectedSeq: 0 })
    await store.append('s', driven.slice(2), { expectedSeq: 2 })
    const epoch = await epochOf(store, 'a')
    same(epoch > 9, true, `the epoch (${epoch})`)
    await store.append('s', [{ ...entry(4), epoch }], { expectedSeq: 3, epoch })
    same((await epochOf(store, 'a')) > epoch, true, 'the next one')
  },
  'lease: an old epoch does not fit a session that was deleted and made again': async ({ store }) => {
    const old = await epochOf(store, 'a')
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch: old })
    await store.delete('s')
    await fails('SessionLeaseLost', store.append('s', entries(0, 1), { expectedSeq: 0, epoch: old }))
    same((await epochOf(store, 'b')) > old, true, 'the new epoch is above it')
    await fails('SessionLeaseLost', store.append('s', entries(0, 1), { expectedSeq: 0, epoch: old }))
  },
}
