import type { Lease, Store } from '../index.ts'

/**
 * The store; closing it first gives back the leases that were taken through it. A run's end is told before the engine has given its lease back,
 * and a command ends then: the next one on the same session would wait until the lease has run out.
 */
export function givenBack(store: Store): Store {
  const held = new Map<string, number>()
  const underWay = new Set<Promise<unknown>>()
  let closing = false
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work)
    const done = () => underWay.delete(work)
    work.then(done, done)
    return work
  }
  const take = async (...[sessionId, options]: Parameters<Store['acquire']>): Promise<Lease | undefined> => {
    const taken = await store.acquire(sessionId, options)
    if (taken !== undefined) held.set(sessionId, taken.epoch)
    return taken
  }
  const giveBack = async (...[sessionId, options]: Parameters<Store['release']>): Promise<boolean> => {
    const released = await store.release(sessionId, options)
    if (released && held.get(sessionId) === options.epoch) held.delete(sessionId)
    return released
  }
  return {
    append: (...given) => store.append(...given),
    load: (...given) => store.load(...given),
    acquire: async (...given) => (closing ? undefined : tracked(take(...given))),
    renew: (...given) => store.renew(...given),
    release: (...given) => tracked(giveBack(...given)),
    watch: (...given) => store.watch(...given),
    list: (...given) => store.list(...given),
    delete: (sessionId) => store.delete(sessionId),
    blobs: store.blobs,
    async close() {
      closing = true
      // A lease that is on its way is given back as well; one that the engine is giving back, with what it knows of the session, is left to it.
      await Promise.allSettled([...underWay])
      const releases = [...held].map(([sessionId, epoch]) => store.release(sessionId, { epoch, expectedSeq: 0 }))
      // What can't be given back runs out by itself.
      await Promise.allSettled(releases)
      await store.close()
    },
  }
}
