import { aborted, broken, redirected, timedOut, tooLarge } from './failure.ts'
import type { Place } from './place.ts'
import type { HttpHead, HttpReceiver, HttpRequest, Timeouts } from './transport.ts'

/** After `'complete'` the end of the body is awaited so long, so that the connection can serve the next request. */
const lingerMs = 1_000
/** A timer of the runtimes that is longer fires at once. */
const longestTimerMs = 2 ** 31 - 1

/**
 * One request and its response, whatever carries them: time limits, abort, size, and exactly one settlement. A transport tells it what
 * happens and sets `disconnect`.
 */
export class Exchange {
  /** Settled: whatever still happens is of no interest. */
  done = false
  /** Closes the connection; called once, when the exchange ends in another way than by the end of the body. */
  disconnect: () => void = () => {}

  readonly #request: HttpRequest
  readonly #receiver: HttpReceiver
  readonly #place: Place
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  /** A function and not this object: Node wraps an object in a function that V8 puts among the old, and with it all that hangs on a request. */
  readonly #abort: () => void
  /** Bytes of the body; `undefined` until the head has come. */
  #received: number | undefined
  #complete = false
  /** What the server has to say of a refusal must be said within `idleMs`: a byte now and then does not prolong it. */
  #refused = false
  #phase: 'connectMs' | 'firstByteMs' | 'idleMs' = 'connectMs'
  readonly #startedAt = performance.now()
  #phaseAt = this.#startedAt
  /** Never longer than the shortest limit, so whatever phase begins meanwhile can't end before it fires: no phase needs a timer of its own. */
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(request: HttpRequest, receiver: HttpReceiver, place: Place, resolve: () => void, reject: (error: unknown) => void) {
    this.#request = request
    this.#receiver = receiver
    this.#place = place
    this.#resolve = resolve
    this.#reject = reject
    const abort = (): void => this.fail(aborted(request.signal.reason))
    this.#abort = abort
    if (request.signal.aborted) abort()
    else {
      request.signal.addEventListener('abort', abort)
      this.#arm(shortest(request.timeouts))
    }
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt
  }

  /** The connection stood already. */
  reused(): void {
    this.#phase = 'firstByteMs'
  }

  /** It did not hold, and another one is being made. */
  connecting(): void {
    this.#phase = 'connectMs'
    this.#phaseAt = performance.now()
  }

  /** The connection stands. */
  connected(): void {
    this.#phase = 'firstByteMs'
    this.#phaseAt = performance.now()
  }

  head(head: HttpHead): void {
    if (this.done) return
    this.#received = 0
    if (isRedirect(head)) return this.fail(redirected(head.status, originOf(head.header('location'), this.#request.url), this.#place))
    if (head.status >= 400) {
      this.alive()
      this.#refused = true
    }
    try {
      this.#receiver.head(head)
    } catch (error) {
      this.fail(error)
    }
  }

  /** Bytes have come, if not yet decompressed ones. */
  alive(): void {
    if (this.#refused) return
    this.#phase = 'idleMs'
    this.#phaseAt = performance.now()
  }

  chunk(bytes: Uint8Array): void {
    if (this.done || this.#complete) return
    this.alive()
    this.#received = (this.#received ?? 0) + bytes.length
    if (this.#received > this.#request.maxBytes) return this.fail(tooLarge(this.#request.maxBytes, this.#place))
    try {
      if (this.#receiver.chunk(bytes) !== 'complete') return
    } catch (error) {
      return this.fail(error)
    }
    this.#complete = true
    this.#arm(lingerMs)
  }

  /** The body has ended as it should. */
  end(): void {
    if (this.#settle()) this.#resolve()
  }

  /** The connection broke. */
  broken(error: unknown): void {
    if (!this.done) this.fail(broken(error, this.#request, this.#place, this.#received))
  }

  /** Ends in any other way; after `'complete'` that is no failure. */
  fail(error: unknown): void {
    if (!this.#settle()) return
    this.disconnect()
    if (this.#complete) this.#resolve()
    else this.#reject(error)
  }

  #settle(): boolean {
    if (this.done) return false
    this.done = true
    clearTimeout(this.#timer)
    this.#request.signal.removeEventListener('abort', this.#abort)
    return true
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    if (ms !== Number.POSITIVE_INFINITY) this.#timer = setTimeout(check, Math.min(ms, longestTimerMs), this)
  }

  /** The timer fired: a limit is over, or goes on. */
  check(): void {
    if (this.#complete) return this.fail(undefined)
    const { timeouts } = this.#request
    const now = performance.now()
    const phaseLeft = this.#phaseAt + timeouts[this.#phase] - now
    const totalLeft = this.#startedAt + timeouts.totalMs - now
    if (phaseLeft <= 0) this.fail(timedOut(this.#phase, timeouts[this.#phase], this.#place))
    else if (totalLeft <= 0) this.fail(timedOut('totalMs', timeouts.totalMs, this.#place))
    else this.#arm(Math.min(phaseLeft, totalLeft, shortest(timeouts)))
  }
}

function check(exchange: Exchange): void {
  exchange.check()
}

function shortest({ connectMs, firstByteMs, idleMs, totalMs }: Timeouts): number {
  return Math.min(connectMs, firstByteMs, idleMs, totalMs)
}

function isRedirect({ status }: HttpHead): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

/** Scheme, host and port only: path and query of a location can hold secrets. */
function originOf(location: string | undefined, base: string): string | undefined {
  return location !== undefined && URL.canParse(location, base) ? new URL(location, base).origin : undefined
}
