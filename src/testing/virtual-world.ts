import type { Clock, World } from '../engine/ports.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

/** A clock that stands still until it is told to go on: hours pass in milliseconds, and always in the same way. */
export class VirtualClock implements Clock {
  #now: number
  #skew = 0
  #order = 0
  readonly #start: number
  readonly #timers = new Set<Timer>()

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start
    this.#start = start
  }

  wall(): number {
    return this.#now + this.#skew
  }

  monotonic(): number {
    return this.#now - this.#start
  }

  timer(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size
  }

  /** Makes the wall clock jump (ms, also backwards); the monotonic one goes on as it was. */
  jump(ms: number): void {
    this.#skew += ms
  }

  /** `ms` pass while nothing else happens, as when the process is busy or asleep: timers that fell due in it fire late. */
  block(ms: number): void {
    this.#now += ms
  }

  /** Lets `ms` pass: every timer due in it fires in order, and everything that follows from each happens before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await idle()
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) await this.#fire(next)
    this.#now = Math.max(this.#now, end)
  }

  /** Lets time pass until the promise settles. Throws when nothing is left that could settle it, or after `limitMs` (default 30 days). */
  async until<T>(promise: Promise<T>, limitMs = 30 * 24 * 3_600_000): Promise<T> {
    let settled = false
    const watch = () => {
      settled = true
    }
    promise.then(watch, watch)
    const end = this.#now + limitMs
    await idle()
    while (!settled) {
      const next = this.#next()
      if (next === undefined) throw new Error('nothing is left to wait for, and it has not settled: it hangs')
      if (next.at > end) throw new Error(`it has not settled within ${limitMs} ms of virtual time`)
      await this.#fire(next)
    }
    return promise
  }

  /** Lets the next timer fire, and everything that follows from it happen. False: none waits. */
  async step(): Promise<boolean> {
    const next = this.#next()
    if (next !== undefined) await this.#fire(next)
    return next !== undefined
  }

  #next(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers)
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    return first
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer)
    this.#now = Math.max(this.#now, timer.at)
    timer.callback()
    await idle()
  }
}

/** Every promise that can go on has gone on: microtasks run dry before the next immediate. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export interface VirtualWorld extends World {
  readonly clock: VirtualClock
}

/** Time, ids and chance of a simulated run: the same seed gives the same run to the last bit. */
export function virtualWorld(options?: { seed?: number; start?: number }): VirtualWorld {
  const random = seededRandom(options?.seed ?? 1)
  let ids = 0
  return { clock: new VirtualClock(options?.start), id: (kind) => `${kind}${ids++}`, random }
}

/** A small generator of pseudo-random numbers in [0, 1) (mulberry32): good enough to find cases, and repeatable. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
