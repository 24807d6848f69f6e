import type { OwnTime } from './own-time.ts'

export interface BreakerOptions {
  /** It opens after this many failures in a row. Default 5. */
  failures?: number
  /** How long it stays open (ms). Default 30,000. */
  openMs?: number
}

export const defaultOpenMs = 30_000

/** What a request says of the model's health: `up`, it was answered, be it with a refusal; `down`; or `nothing`, as when it was aborted. */
export type Health = 'up' | 'down' | 'nothing'

/** Let in by a breaker. */
export interface Admission {
  readonly probe: boolean
}

/**
 * A circuit breaker: closed until so many requests in a row find the model down, then open for a time, in which none is let in, then half
 * open: one request is let in, and what becomes of it closes or opens it again.
 */
export class Breaker {
  readonly #time: OwnTime
  readonly #failures: number
  readonly #openMs: number
  #inARow = 0
  /** Own time; `undefined` while it is closed. */
  #openUntil: number | undefined
  #probe: Admission | undefined
  #probeUntil = 0

  constructor(time: OwnTime, { failures = 5, openMs = defaultOpenMs }: BreakerOptions) {
    this.#time = time
    this.#failures = failures
    this.#openMs = openMs
  }

  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#openUntil === undefined) return 'closed'
    return this.#openUntil > this.#time.now() ? 'open' : 'half-open'
  }

  get inARow(): number {
    return this.#inARow
  }

  /** Lets a request in, or says in how many ms to come again. */
  admit(): Admission | number {
    if (this.#openUntil === undefined) return { probe: false }
    const now = this.#time.now()
    if (this.#openUntil > now) return this.#openUntil - now
    // A probe that never ends must not keep it shut for ever.
    if (this.#probe !== undefined && this.#probeUntil > now) return Math.min(1_000, this.#probeUntil - now)
    this.#probe = { probe: true }
    this.#probeUntil = now + this.#openMs
    return this.#probe
  }

  /** Each admission ends here once. Returns whether the breaker has opened by it. */
  ended(admission: Admission, health: Health): boolean {
    const isProbe = admission === this.#probe
    if (isProbe) this.#probe = undefined
    // Requests that began before it opened say nothing of how the model is now.
    if ((this.#openUntil !== undefined && !isProbe) || health === 'nothing') return false
    if (health === 'up') {
      this.#inARow = 0
      this.#openUntil = undefined
      return false
    }
    this.#inARow++
    if (!isProbe && this.#inARow < this.#failures) return false
    this.#openUntil = this.#time.now() + this.#openMs
    return true
  }
}
