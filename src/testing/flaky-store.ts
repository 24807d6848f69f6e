import type { Entry, NewEntry } from '../core/entry.ts'
import { RondoError, unreachable } from '../core/error.ts'
import type { AppendOptions, BlobStore, Head, Lease, SessionQuery, SessionSummary, Store } from '../core/store.ts'

/** `put` is that of `blobs`. */
export type StoreOperation = 'append' | 'load' | 'acquire' | 'renew' | 'release' | 'put'

/**
 * What happens to an operation:
 * - `ok`: it is done;
 * - `fail-before`: it fails and nothing was done;
 * - `fail-after`: it is done, and fails all the same (an ambiguous failure);
 * - `hang-before`, `hang-after`: it never answers, and was not or was done;
 * - `disk-full`: like `fail-before`, with the words of a full disk;
 * - `conflict`: a foreign input is appended first, so that an `append` loses the race and a `release` answers false. As `ok` elsewhere.
 */
export type StoreFault = 'ok' | 'fail-before' | 'fail-after' | 'hang-before' | 'hang-after' | 'disk-full' | 'conflict'

/** Asked once before each operation; `count` is 1 for the first operation of its sort on this store. */
export type FaultPlan = (operation: StoreOperation, count: number) => StoreFault

export interface FlakyStoreOptions {
  /** The entry that a `conflict` lets in, at `seq`. Default: a steering message of a user. */
  readonly foreignInput?: (seq: number, count: number) => NewEntry
}

/** A store for tests, in front of another one: its operations fail as the plan says. `list`, `watch`, `delete`, `close` and `blobs.get` never do. */
export function flakyStore(inner: Store, plan: FaultPlan, options: FlakyStoreOptions = {}): Store {
  return new FlakyStore(inner, plan, options.foreignInput ?? steering)
}

function steering(seq: number, count: number): NewEntry {
  const message = { role: 'user', parts: [{ type: 'text', text: `foreign input ${count}` }] } as const
  return { v: 1, id: `foreign-${count}`, seq, kind: 'message', data: { origin: 'steer', message } }
}

interface Operation<T> {
  readonly name: StoreOperation
  readonly work: () => Promise<T>
  /** Lets a foreign input in; absent where no race can be lost. */
  readonly race?: () => Promise<unknown>
}

class FlakyStore implements Store {
  readonly blobs: BlobStore
  readonly #inner: Store
  readonly #plan: FaultPlan
  readonly #foreignInput: (seq: number, count: number) => NewEntry
  readonly #counts = new Map<StoreOperation, number>()
  #foreignInputs = 0

  constructor(inner: Store, plan: FaultPlan, foreignInput: (seq: number, count: number) => NewEntry) {
    this.#inner = inner
    this.#plan = plan
    this.#foreignInput = foreignInput
    this.blobs = {
      put: (bytes) => this.#run({ name: 'put', work: () => inner.blobs.put(bytes) }),
      get: (ref) => inner.blobs.get(ref),
    }
  }

  append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }> {
    const work = (): Promise<{ readonly at: number }> => this.#inner.append(sessionId, entries, options)
    return this.#run({ name: 'append', work, race: () => this.#letIn(sessionId, options.expectedSeq) })
  }

  async *load(sessionId: string, afterSeq?: number): AsyncGenerator<Entry, void, undefined> {
    const fault = this.#next('load')
    if (fault === 'hang-before') await never()
    if (fault === 'fail-before' || fault === 'disk-full') throw failure('load', fault)
    yield* this.#inner.load(sessionId, afterSeq)
    if (fault === 'hang-after') await never()
    if (fault === 'fail-after') throw failure('load', fault)
  }

  acquire(sessionId: string, options: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | undefined> {
    return this.#run({ name: 'acquire', work: () => this.#inner.acquire(sessionId, options) })
  }

  renew(sessionId: string, options: { readonly epoch: number; readonly ttlMs: number }): Promise<boolean> {
    return this.#run({ name: 'renew', work: () => this.#inner.renew(sessionId, options) })
  }

  release(sessionId: string, options: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head }): Promise<boolean> {
    const work = (): Promise<boolean> => this.#inner.release(sessionId, options)
    return this.#run({ name: 'release', work, race: () => this.#letIn(sessionId, options.expectedSeq) })
  }

  watch(sessionId: string, afterSeq: number, onChange: () => void): () => void {
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

  async #run<T>({ name, work, race }: Operation<T>): Promise<T> {
    const fault = this.#next(name)
    switch (fault) {
      case 'conflict':
        await race?.()
        return work()
      case 'ok':
        return work()
      case 'fail-before':
      case 'disk-full':
        throw failure(name, fault)
      case 'fail-after':
        await work()
        throw failure(name, fault)
      case 'hang-before':
        return never()
      case 'hang-after':
        await work()
        return never()
      default:
        return unreachable(fault)
    }
  }

  #next(operation: StoreOperation): StoreFault {
    const count = (this.#counts.get(operation) ?? 0) + 1
    this.#counts.set(operation, count)
    return this.#plan(operation, count)
  }

  #letIn(sessionId: string, expectedSeq: number): Promise<unknown> {
    this.#foreignInputs++
    return this.#inner.append(sessionId, [this.#foreignInput(expectedSeq + 1, this.#foreignInputs)], { expectedSeq })
  }
}

function failure(operation: StoreOperation, fault: StoreFault): RondoError {
  const reason = fault === 'disk-full' ? 'the disk is full (ENOSPC)' : fault
  return new RondoError(operation === 'load' ? 'SessionReadFailed' : 'SessionWriteFailed', `flaky store: ${operation}: ${reason}`)
}

function never(): Promise<never> {
  return new Promise(() => {})
}
