import { RondoError } from '../../core/error.ts'
import { Minute } from './minute.ts'
import type { OwnTime } from './own-time.ts'

export interface GateLimits {
  readonly requestsPerMinute: number
  readonly tokensPerMinute: number
  readonly concurrency: number
  readonly maxQueue: number
}

/** A request that wants to pass. */
export interface Wanting {
  /** Estimated. */
  readonly tokens: number
  /** No longer than this (ms). */
  readonly maxWaitMs: number
  readonly signal: AbortSignal
}

/** A request that has passed. */
export interface Passed {
  /** It is over, and used so many tokens, as far as is known. Does nothing the second time. */
  leave(tokens: number | undefined): void
}

interface Waiter extends Wanting {
  readonly enteredAt: number
  pass(passed: Passed): void
  refuse(error: unknown): void
}

/** A pause that a server asks for is waited out up to this (ms): the engine waits no longer either. */
const longestPauseMs = 60_000

/**
 * Lets requests pass one after the other, in the order in which they came, as soon as all limits allow the first one: so many at once, and
 * so many of them and of their tokens in any minute.
 */
export class Gate {
  readonly #name: string
  readonly #limits: GateLimits
  readonly #time: OwnTime
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>()
  readonly #requests = new Minute()
  readonly #tokens = new Minute()
  /** Estimated tokens of those that have passed and not left. */
  #tokensInside = 0
  #inside = 0
  #pausedUntil = 0
  #cancelTimer: (() => void) | undefined

  constructor(name: string, limits: GateLimits, time: OwnTime) {
    this.#name = name
    this.#limits = limits
    this.#time = time
  }

  get inside(): number {
    return this.#inside
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves when the request may go on. Rejects when it is aborted, when too many wait, and when it would wait too long. */
  enter(wanting: Wanting): Promise<Passed> {
    const { signal, maxWaitMs } = wanting
    if (signal.aborted) return Promise.reject(signal.reason)
    const now = this.#time.now()
    if (this.#waiting.size === 0 && this.#waitMs(wanting, now) === 0) return Promise.resolve(this.#letPass(wanting, now))
    if (this.#waiting.size >= this.#limits.maxQueue) return Promise.reject(this.#tooMany())
    return new Promise((resolve, reject) => {
      const cancelWait = Number.isFinite(maxWaitMs)
        ? this.#time.timer(maxWaitMs, () => this.#refuse(waiter, this.#tooLong(waiter)))
        : undefined
      const stop = () => this.#refuse(waiter, signal.reason)
      const end = () => {
        cancelWait?.()
        signal.removeEventListener('abort', stop)
      }
      const waiter: Waiter = {
        ...wanting,
        signal,
        enteredAt: now,
        pass(passed) {
          end()
          resolve(passed)
        },
        refuse(error) {
          end()
          reject(error)
        },
      }
      signal.addEventListener('abort', stop, { once: true })
      this.#waiting.add(waiter)
      this.#refuseHopeless(now)
      // Whose turn has just come passes now: it would wait for its timer anew with each that comes.
      this.#letNextPass()
    })
  }

  /** Nobody passes for so long: the server said so. */
  pause(ms: number): void {
    const now = this.#time.now()
    if (!Number.isFinite(ms) || now + ms <= this.#pausedUntil) return
    this.#pausedUntil = now + ms
    this.#refuseHopeless(now)
    this.#arm()
  }

  /** Refuses all that wait: none of them passes because another one has left the line. */
  refuseAll(error: () => unknown): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const waiter of waiting) waiter.refuse(error())
    this.#arm()
  }

  /** How long the first one has to wait yet (ms), as far as time is what it waits for; `Infinity` when another has to leave first. */
  #waitMs({ tokens }: Wanting, now: number): number {
    const { concurrency, requestsPerMinute, tokensPerMinute } = this.#limits
    if (this.#inside >= concurrency) return Number.POSITIVE_INFINITY
    const paused = Math.max(0, this.#pausedUntil - now)
    const requests = this.#requests.sum(now) < requestsPerMinute ? 0 : this.#requests.until(now, 1)
    const over = this.#tokens.sum(now) + this.#tokensInside + tokens - tokensPerMinute
    // One that is over the limit by itself passes alone, or it would never.
    const alone = this.#inside === 0 && this.#tokens.sum(now) === 0
    return Math.max(paused, requests, over <= 0 || alone ? 0 : this.#tokensLeaveIn(now, over))
  }

  #tokensLeaveIn(now: number, over: number): number {
    const wait = this.#tokens.until(now, over)
    if (Number.isFinite(wait) || this.#inside > 0) return wait
    return this.#tokens.until(now, this.#tokens.sum(now))
  }

  #letPass({ tokens }: Wanting, now: number): Passed {
    this.#inside++
    this.#tokensInside += tokens
    this.#requests.add(now, 1)
    let isInside = true
    return {
      leave: (used) => {
        if (!isInside) return
        isInside = false
        this.#inside--
        this.#tokensInside -= tokens
        this.#tokens.add(this.#time.now(), used ?? tokens)
        this.#letNextPass()
      },
    }
  }

  #letNextPass(): void {
    const now = this.#time.now()
    for (const waiter of this.#waiting) {
      if (this.#waitMs(waiter, now) > 0) break
      this.#waiting.delete(waiter)
      waiter.pass(this.#letPass(waiter, now))
    }
    this.#arm()
  }

  /** One timer, for the first that waits. Should it fire early, it is set again. */
  #arm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const [first] = this.#waiting
    if (first === undefined) return
    const wait = this.#waitMs(first, this.#time.now())
    if (Number.isFinite(wait)) this.#cancelTimer = this.#time.timer(Math.max(1, wait), () => this.#letNextPass())
  }

  #refuse(waiter: Waiter, error: unknown): void {
    if (!this.#waiting.delete(waiter)) return
    waiter.refuse(error)
    // Those behind it may want less.
    this.#letNextPass()
  }

  /** Who would wait in vain for the end of a pause is told at once, and when it ends. */
  #refuseHopeless(now: number): void {
    const pauseMs = this.#pausedUntil - now
    if (pauseMs <= 0) return
    for (const waiter of [...this.#waiting]) {
      const left = waiter.enteredAt + waiter.maxWaitMs - now
      if (pauseMs > Math.min(left, longestPauseMs)) this.#refuse(waiter, this.#paused(pauseMs))
    }
  }

  #tooMany(): RondoError {
    return new RondoError('ModelRateLimited', `${this.#name} was not asked: ${this.#waiting.size} requests wait for it already (maxQueue).`)
  }

  #tooLong({ maxWaitMs }: Waiter): RondoError {
    const others = `${this.#inside} being answered, ${this.#waiting.size} waiting`
    return new RondoError('ModelRateLimited', `${this.#name} was not asked: its turn had not come after ${maxWaitMs} ms (${others}).`)
  }

  #paused(ms: number): RondoError {
    const retryAfterMs = Math.ceil(ms)
    return new RondoError('ModelRateLimited', `${this.#name} was not asked: it limits the rate for ${retryAfterMs} ms more.`, {
      retryAfterMs,
    })
  }
}
