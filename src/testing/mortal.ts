import type { Entry } from '../core/entry.ts'
import type { BlobStore, Store } from '../core/store.ts'
import type { Clock, World } from '../engine/ports.ts'

/** Where a process may die: asked at every place, in order. */
export interface Fate {
  /** Whether it dies here. */
  strikes(place: string): boolean
}

/**
 * A process that dies where its fate says. From then on nothing that goes through its ports is done, and nothing that it waits for comes:
 * to itself it is as if the world stood still, to everybody else it is gone.
 */
export class Mortal {
  readonly world: World
  readonly store: Store
  readonly #fate: Fate
  readonly #timers = new Set<() => void>()
  readonly #watches = new Set<() => void>()
  #dead = false
  /** Operations of the store that are under way, and who waits for them all. */
  #asked = 0
  #onAnswered: (() => void)[] = []

  constructor(fate: Fate, world: World, store: Store) {
    this.#fate = fate
    this.world = { ...world, clock: this.#clockOf(world.clock) }
    this.store = this.#storeOf(store)
  }

  get dead(): boolean {
    return this.#dead
  }

  /** Whether it is dead, or dies here. */
  ends(place: string): boolean {
    if (this.#dead) return true
    if (!this.#fate.strikes(place)) return false
    this.#dead = true
    for (const stop of [...this.#timers, ...this.#watches]) stop()
    return true
  }

  /** What goes through a port: it may die before that is done, or after, before the answer. What is synchronous stays so. */
  through(what: string, work: () => unknown): unknown {
    if (this.ends(`before ${what}`)) return never()
    const place = `after ${what}`
    let answer: unknown
    try {
      answer = work()
    } catch (error) {
      if (this.ends(place)) return never()
      throw error
    }
    if (isThenable(answer)) return this.answered(place, answer)
    return this.ends(place) ? never() : answer
  }

  /** An answer from outside: it may die in the moment in which it comes. */
  async answered<T>(place: string, answer: PromiseLike<T>): Promise<T> {
    try {
      const value = await answer
      return this.ends(place) ? await never() : value
    } catch (error) {
      if (this.ends(place)) await never()
      throw error
    }
  }

  /** Resolves when nothing is asked of the store any more, and what follows from its answers has happened: until then no time may pass. */
  async quiet(): Promise<void> {
    while (this.#asked > 0) {
      await new Promise<void>((resolve) => this.#onAnswered.push(resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async #asking<T>(answer: Promise<T>): Promise<T> {
    this.#asked++
    try {
      return await answer
    } finally {
      this.#asked--
      if (this.#asked === 0) for (const resolve of this.#onAnswered.splice(0)) resolve()
    }
  }

  #clockOf(clock: Clock): Clock {
    return {
      wall: () => clock.wall(),
      monotonic: () => clock.monotonic(),
      timer: (ms, callback) => {
        if (this.#dead) return () => {}
        const stop = () => {
          this.#timers.delete(stop)
          cancel()
        }
        const cancel = clock.timer(ms, () => {
          this.#timers.delete(stop)
          if (this.ends('before a timer')) return
          callback()
          this.ends('after a timer')
        })
        this.#timers.add(stop)
        return stop
      },
    }
  }

  #storeOf(inner: Store): Store {
    const ask = <T>(what: string, work: () => Promise<T>) => this.through(what, () => this.#asking(work())) as Promise<T>
    const blobs: BlobStore = {
      put: (bytes) => ask('blobs.put', () => inner.blobs.put(bytes)),
      get: (ref) => ask('blobs.get', () => inner.blobs.get(ref)),
    }
    return {
      blobs,
      append: (session, entries, options) =>
        ask(`append of ${entries.map(({ kind }) => kind).join(', ')}`, () => inner.append(session, entries, options)),
      load: (session, afterSeq) => this.#load(inner.load(session, afterSeq)),
      acquire: (session, options) => ask('acquire', () => inner.acquire(session, options)),
      renew: (session, options) => ask('renew', () => inner.renew(session, options)),
      release: (session, options) => ask('release', () => inner.release(session, options)),
      list: (query) => ask('list', () => inner.list(query)),
      delete: (session) => ask('delete', () => inner.delete(session)),
      watch: (session, afterSeq, onChange) => this.#watch(inner, session, afterSeq, onChange),
      close: () => inner.close(),
    }
  }

  async *#load(entries: AsyncIterable<Entry>): AsyncGenerator<Entry, void, undefined> {
    if (this.ends('before load')) await never()
    const iterator = entries[Symbol.asyncIterator]()
    try {
      for (let step = await this.#asking(iterator.next()); step.done !== true; step = await this.#asking(iterator.next())) yield step.value
    } finally {
      await iterator.return?.()
    }
    if (this.ends('after load')) await never()
  }

  #watch(inner: Store, session: string, afterSeq: number, onChange: (seq?: number) => void): () => void {
    if (this.#dead) return () => {}
    const end = inner.watch(session, afterSeq, (seq) => {
      if (!this.#dead) onChange(seq)
    })
    const stop = () => {
      this.#watches.delete(stop)
      end()
    }
    this.#watches.add(stop)
    return stop
  }
}

export function never(): Promise<never> {
  return new Promise(() => {})
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
