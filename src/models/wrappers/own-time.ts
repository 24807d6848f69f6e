/** What a wrapper needs of a clock: a part of `World`'s `clock`. Times are ms. */
export interface WrapperClock {
  /** Measures; only differences count. */
  monotonic(): number
  /** Calls back once after `ms`; the returned function cancels. */
  timer(ms: number, callback: () => void): () => void
}

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1

export const processClock: WrapperClock = {
  monotonic: () => performance.now(),
  timer(ms, callback) {
    const handle = setTimeout(callback, Math.min(maxTimerMs, Math.max(0, Math.ceil(ms))))
    return () => clearTimeout(handle)
  },
}

/** Time that only goes on: where a clock jumps back, none has passed. So whatever waits until a moment comes to it, and never before it. */
export class OwnTime {
  readonly #clock: WrapperClock
  #last: number
  #passed = 0

  constructor(clock: WrapperClock) {
    this.#clock = clock
    this.#last = clock.monotonic()
  }

  /** ms since this was made. */
  now(): number {
    const read = this.#clock.monotonic()
    if (read > this.#last) this.#passed += read - this.#last
    this.#last = read
    return this.#passed
  }

  timer(ms: number, callback: () => void): () => void {
    return this.#clock.timer(Math.min(maxTimerMs, Math.max(0, ms)), callback)
  }
}
