import {
  type AppendOptions,
  type BlobStore,
  type Entry,
  type Head,
  type Lease,
  type NewEntry,
  RondoError,
  type SessionQuery,
  type SessionSummary,
  type Store,
} from 'rondo'
import type { Scene } from './scene.ts'

export interface Hooks {
  /** Around the n-th append of a driver. */
  onAppend(count: number, phase: 'before' | 'after'): void
}

/** What the appends of both processes have in common. */
export interface Writing {
  driverAppends: number
  /** The newest epoch of the session, by any process. */
  epoch: number
  foreign: number
  fatalLeft: number
}

/** One process's view of the shared store: it is slow, loses races and fails as the script says. Never so often that a retry can't win. */
export class SimStore implements Store {
  readonly blobs: BlobStore
  /** The next `acquire` takes the lease whoever holds it: as if its holder had slept. */
  stealNext = false
  readonly #inner: Store
  readonly #scene: Scene
  readonly #process: string
  readonly #writing: Writing
  readonly #hooks: Hooks
  #inARow = 0

  constructor(inner: Store, scene: Scene, process: string, writing: Writing, hooks: Hooks) {
    this.#inner = inner
    this.#scene = scene
    this.#process = process
    this.#writing = writing
    this.#hooks = hooks
    this.blobs = inner.blobs
  }

  async append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }> {
    const driver = options.epoch !== undefined
    const count = driver ? ++this.#writing.driverAppends : 0
    const { store } = this.#scene.script
    if (driver && count === store.fatalAt) this.#writing.fatalLeft = store.fatalSilence ? 1 : 3
    if (driver) this.#hooks.onAppend(count, 'before')
    await this.#latency()
    if (driver && this.#writing.fatalLeft > 0) {
      this.#writing.fatalLeft--
      if (this.#scene.script.agent.policies.durability === 'best-effort') this.#scene.detached = true
      this.#scene.count('race: the store fails for good')
      if (store.fatalAfterWrite) await this.#write(sessionId, entries, options)
      if (store.fatalSilence) return this.#never()
      throw new RondoError('SessionWriteFailed', 'sim store: the medium is gone')
    }
    const fault = this.#fault()
    if (fault === 'race') await this.#letIn(sessionId, options.expectedSeq)
    if (fault === 'before') {
      this.#scene.count('race: append failed before the write')
      throw new RondoError('SessionWriteFailed', 'sim store: failed before')
    }
    if (fault === 'after') {
      await this.#write(sessionId, entries, options)
      this.#scene.count('race: append failed after the write')
      throw new Error('sim store: failed after')
    }
    const written = await this.#write(sessionId, entries, options)
    if (driver) this.#hooks.onAppend(count, 'after')
    return written
  }

  async #write(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }> {
    try {
      const written = await this.#inner.append(sessionId, entries, options)
      this.#scene.noteWritten(entries)
      if (options.epoch !== undefined && options.epoch < this.#writing.epoch) this.#scene.staleWrites++
      this.#scene.length = Math.max(this.#scene.length, options.expectedSeq + entries.length)
      if (options.epoch !== undefined)
        for (const entry of entries)
          if (entry.kind === 'model.started') this.#scene.lastStarted.set(this.#process, { ...entry, at: 0 } as Entry)
      return written
    } catch (error) {
      const sort = options.epoch === undefined ? 'an input' : 'a driver'
      if (RondoError.is(error) && error.code === 'SessionConcurrentWrite') this.#scene.count(`race: ${sort} lost its race`)
      if (RondoError.is(error) && error.code === 'SessionLeaseLost') this.#scene.count('race: a stale epoch was refused')
      throw error
    }
  }

  #never(): Promise<never> {
    this.#scene.count('race: the store never answered')
    return new Promise(() => {})
  }

  async #latency(): Promise<void> {
    const { store } = this.#scene.script
    const { dice } = this.#scene
    if (store.latency === 'none') return
    if (store.latency === 'ms' && dice.chance(0.3)) await this.#scene.wait(dice.pick([1, 5, 20]))
    else for (let turns = dice.int(0, 4); turns > 0; turns--) await Promise.resolve()
  }

  #fault(): 'race' | 'before' | 'after' | undefined {
    const { dice, script } = this.#scene
    if (this.#scene.quiet || script.store.faults === 0 || this.#inARow >= 2 || !dice.chance(script.store.faults)) {
      this.#inARow = 0
      return undefined
    }
    this.#inARow++
    return dice.pick(['race', 'race', 'before', 'after'])
  }

  /** Somebody else writes first: a note that nobody reads. */
  async #letIn(sessionId: string, expectedSeq: number): Promise<void> {
    if (expectedSeq === 0) return
    const id = `foreign${this.#writing.foreign++}`
    const entry: NewEntry = { v: 1, id, seq: expectedSeq + 1, kind: 'custom', data: { type: 'noise' } }
    try {
      await this.#inner.append(sessionId, [entry], { expectedSeq })
      this.#scene.noteWritten([entry])
      this.#scene.length = Math.max(this.#scene.length, expectedSeq + 1)
    } catch {
      // Then somebody else was quicker still.
    }
  }

  async *load(sessionId: string, afterSeq?: number): AsyncGenerator<Entry, void, undefined> {
    if (!this.#scene.quiet && this.#scene.dice.chance(this.#scene.script.store.faults / 20)) {
      this.#scene.count('race: a load failed')
      throw new RondoError('SessionReadFailed', 'sim store: unreadable')
    }
    yield* this.#inner.load(sessionId, afterSeq)
  }

  async acquire(sessionId: string, options: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | undefined> {
    await this.#latency()
    if (this.stealNext) {
      this.stealNext = false
      if (await this.#inner.release(sessionId, { epoch: this.#writing.epoch, expectedSeq: 0 }))
        this.#scene.count('race: a lease was stolen')
    }
    const lease = await this.#inner.acquire(sessionId, options)
    if (lease !== undefined) this.#writing.epoch = lease.epoch
    else this.#scene.count('race: a session was busy')
    return lease
  }

  async renew(sessionId: string, options: { readonly epoch: number; readonly ttlMs: number }): Promise<boolean> {
    if (this.#scene.dice.chance(this.#scene.script.store.faults)) throw new Error('sim store: renew failed')
    return this.#inner.renew(sessionId, options)
  }

  async release(
    sessionId: string,
    options: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head },
  ): Promise<boolean> {
    await this.#latency()
    const fault = options.head === undefined ? undefined : this.#fault()
    if (fault === 'race') await this.#letIn(sessionId, options.expectedSeq)
    if (fault === 'before') throw new Error('sim store: release failed before')
    const released = await this.#inner.release(sessionId, options)
    if (fault === 'after') throw new Error('sim store: release failed after')
    if (!released && options.head !== undefined) this.#scene.count('race: a release met something new')
    return released
  }

  watch(sessionId: string, afterSeq: number, onChange: (seq?: number) => void): () => void {
    return this.#inner.watch(sessionId, afterSeq, onChange)
  }

  list(query?: SessionQuery): Promise<readonly SessionSummary[]> {
    return this.#inner.list(query)
  }

  delete(sessionId: string): Promise<void> {
    return this.#inner.delete(sessionId)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}
