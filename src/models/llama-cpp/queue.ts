import { RondoError } from '../../core/error.ts'

/** So many requests may wait: more is a program that starts runs faster than they end. */
const maxWaiting = 10_000

interface Slot<T> {
  readonly value: T
  /** Whose it was last. */
  owner: string | undefined
  usedAt: number
}

interface Waiting<T> {
  readonly owner: string
  readonly resolve: (value: T) => void
}

/**
 * Hands out a few things that many want, one holder each, first come first served. Whoever had one before gets it again if it is free, for what it has
 * evaluated is still in it; else the one that was longest unused. Held only during one request, so nobody waits for himself.
 */
export class Queue<T> {
  readonly #slots: Slot<T>[]
  readonly #held = new Set<Slot<T>>()
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting<Slot<T>>>()
  #uses = 0

  constructor(values: readonly T[]) {
    this.#slots = values.map((value) => ({ value, owner: undefined, usedAt: 0 }))
  }

  /** Lets `use` work with one of them. Rejects with the reason of `signal` when that aborts before its turn. */
  async with<R>(owner: string, signal: AbortSignal, use: (value: T) => Promise<R>): Promise<R> {
    signal.throwIfAborted()
    const slot = this.#take(owner) ?? (await this.#wait(owner, signal))
    try {
      return await use(slot.value)
    } finally {
      this.#release(slot)
    }
  }

  #take(owner: string): Slot<T> | undefined {
    const free = this.#slots.filter((slot) => !this.#held.has(slot))
    const oldest = free.reduce<Slot<T> | undefined>(
      (best, slot) => (best === undefined || slot.usedAt < best.usedAt ? slot : best),
      undefined,
    )
    const slot = free.find((one) => one.owner === owner) ?? oldest
    if (slot !== undefined) this.#hold(slot, owner)
    return slot
  }

  #hold(slot: Slot<T>, owner: string): void {
    this.#held.add(slot)
    slot.owner = owner
    slot.usedAt = ++this.#uses
  }

  #wait(owner: string, signal: AbortSignal): Promise<Slot<T>> {
    if (this.#waiting.size >= maxWaiting)
      throw new RondoError(
        'ModelRateLimited',
        `More than ${maxWaiting.toLocaleString('en-US')} requests wait for the model in this process: start fewer runs at once.`,
      )
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(one)
        reject(signal.reason)
      }
      const one = {
        owner,
        resolve(slot: Slot<T>) {
          signal.removeEventListener('abort', leave)
          resolve(slot)
        },
      }
      this.#waiting.add(one)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #release(slot: Slot<T>): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#held.delete(slot)
      return
    }
    this.#waiting.delete(next)
    this.#hold(slot, next.owner)
    next.resolve(slot)
  }
}
