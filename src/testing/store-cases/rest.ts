import { type Cases, entries, eventually, head, ids, same } from './kit.ts'

const sha256OfAbc = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const watchCases: Cases = {
  'watch: tells of an append, and of nothing after its end': async ({ store }) => {
    let calls = 0
    const stop = store.watch('s', 0, () => calls++)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await eventually('a call for the first append', () => calls > 0)
    const before = calls
    await store.append('s', entries(1, 1), { expectedSeq: 1 })
    await eventually('a call for the second append', () => calls > before)
    stop()
    stop()
    const last = calls
    await store.append('s', entries(2, 1), { expectedSeq: 2 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    same(calls, last, 'calls after the end')
  },
  'watch: tells of entries that are there already': async ({ store }) => {
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    let calls = 0
    const stop = store.watch('s', 1, () => calls++)
    await eventually('a call', () => calls > 0)
    stop()
  },
  'watch: an end at once is an end': async ({ store }) => {
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    let calls = 0
    store.watch('s', 0, () => calls++)()
    await new Promise((resolve) => setTimeout(resolve, 20))
    same(calls, 0, 'calls after the end')
  },
  'watch: each watcher is told, and one that stops leaves the others': async ({ store }) => {
    const calls = { first: 0, second: 0 }
    const stopFirst = store.watch('s', 0, () => calls.first++)
    const stopSecond = store.watch('s', 0, () => calls.second++)
    stopFirst()
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await eventually('a call', () => calls.second > 0)
    same(calls.first, 0, 'calls of the one that stopped')
    stopSecond()
  },
}

export const blobCases: Cases = {
  'blobs: the ref is the hash, the same bytes have the same ref': async ({ store }) => {
    same(await store.blobs.put(bytes('abc')), sha256OfAbc, 'the ref')
    same(await store.blobs.put(bytes('abc')), sha256OfAbc, 'the ref of the same again')
    same((await store.blobs.put(bytes(''))) === sha256OfAbc, false, 'other bytes have the same')
  },
  'blobs: get gives the bytes, undefined for what is unknown': async ({ store }) => {
    const all = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256)
    const ref = await store.blobs.put(all)
    const found = await store.blobs.get(ref)
    same(found === undefined ? undefined : Array.from(found), Array.from(all), 'the bytes')
    same((await store.blobs.get(await store.blobs.put(new Uint8Array())))?.length, 0, 'the length of an empty blob')
    same(await store.blobs.get(sha256OfAbc), undefined, 'of an unknown ref')
    same(await store.blobs.get('no ref at all'), undefined, 'of something else')
  },
  'blobs: later changes of the bytes, put or got, do not reach the store': async ({ store }) => {
    const given = bytes('abc')
    const put = store.blobs.put(given)
    await put
    given[0] = 0
    const got = await store.blobs.get(sha256OfAbc)
    got?.fill(0)
    same(Array.from((await store.blobs.get(sha256OfAbc)) ?? []), [97, 98, 99], 'the bytes')
  },
}

export const closeCases: Cases = {
  'close: may be called twice': async ({ store }) => {
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await store.close()
    await store.close()
  },
}

export const durableCases: Cases = {
  'durable: entries, heads and times outlive the store object': async ({ store, reopen }) => {
    await store.append('s', entries(0, 3), { expectedSeq: 0, head: head('paused', { wakeAt: 7, title: 'T' }) })
    const before = await store.list()
    await store.close()
    const again = await reopen()
    same(await ids(again, 's'), ['e1', 'e2', 'e3'], 'the journal')
    same(await again.list(), before, 'the list')
    await again.append('s', entries(3, 1), { expectedSeq: 3 })
    same(await ids(again, 's', 3), ['e4'], 'what is appended now')
  },
  'durable: leases and epochs outlive the store object': async ({ store, reopen }) => {
    const epoch = (await store.acquire('s', { owner: 'a', ttlMs: 1000 }))?.epoch ?? 0
    await store.close()
    const again = await reopen()
    same(await again.acquire('s', { owner: 'b', ttlMs: 1000 }), undefined, 'the lease holds')
    same(await again.renew('s', { epoch, ttlMs: 1000 }), true, 'its owner renews it')
  },
  'durable: the epochs of deleted sessions are not given again': async ({ store, reopen }) => {
    const epoch = (await store.acquire('s', { owner: 'a', ttlMs: 1000 }))?.epoch ?? 0
    await store.delete('s')
    await store.close()
    same(((await (await reopen()).acquire('s', { owner: 'b', ttlMs: 1000 }))?.epoch ?? 0) > epoch, true, 'a higher epoch')
  },
  'durable: blobs outlive the store object': async ({ store, reopen }) => {
    await store.blobs.put(bytes('abc'))
    await store.close()
    same(Array.from((await (await reopen()).blobs.get(sha256OfAbc)) ?? []), [97, 98, 99], 'the bytes')
  },
  'durable: close waits for appends under way': async ({ store, reopen }) => {
    const appends = [store.append('s', entries(0, 1), { expectedSeq: 0 }), store.append('s', entries(1, 1), { expectedSeq: 1 })]
    await store.close()
    await Promise.all(appends)
    same(await ids(await reopen(), 's'), ['e1', 'e2'], 'the journal')
  },
}
