import type { Lease, Store } from '../index.ts'

/**
 * The store; closing it first gives back the leases that were taken through it. A run's end is told before the engine gives its lease back,
 * and a command ends then: the next one on the same session would wait until the lease has run out.
 */
export function givenBack(store: Store): Store {
  const held = new Map<string, number>()
  const asked = new Set<Promise<unknown>>()
  let closing = false
  const acquire = async (...[sessionId, options]: Parameters<Store['acquire']>): Promise<Lease | undefined> => {
    if (closing) return undefined
    const lease = store.acquire(sessionId, options)
    asked.add(lease)
    try {
      const taken = await lease
      if (taken !== undefined) held.set(sessionId, taken.epoch)
      return taken
    } finally {
      asked.delete(lease)
    }
  }
  return {
    append: (...given) => store.append(...given),
    load: (...given) => store.load(...given),
    acquire,
    renew: (...given) => store.renew(...given),
    async release(sessionId, options) {
      const released = await store.release(sessionId, options)
      if (released && held.get(sessionId) === options.epoch) held.delete(sessionId)
      return released
    },
    watch: (...given) => store.watch(...given),
    list: (...given) => store.list(...given),
    delete: (sessionId) => store.delete(sessionId),
    blobs: store.blobs,
    async close() {
      closing = true
      // One that is on its way is given back as well.
      await Promise.allSettled([...asked])
      const releases = [...held].map(([sessionId, epoch]) => store.release(sessionId, { epoch, expectedSeq: 0 }))
      // What can't be given back runs out by itself.
      await Promise.allSettled(releases)
      await store.close()
    },
  }
}
