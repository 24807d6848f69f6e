import { parsedUrl } from '../../core/url.ts'
import { aborted, broken, redirected, timedOut, tooLarge } from './failure.ts'
import type { Place } from './place.ts'
import type { HttpHead, HttpReceiver, HttpRequest, Timeouts } from './transport.ts'

/** After `'complete'` the end of the body may come so long, so that the connection can serve the next request. Nobody waits for it. */
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
  /** Closes the connection; called when the exchange ends in another way than by the end of the body, or that end does not follow `'complete'`. */
  disconnect: () => void = () => {}
  /** From `'complete'` on the connection, should it still be open, is no reason for the process to stay. */
  letGo: () => void = () => {}

  readonly #request: HttpRequest
  readonly #receiver: HttpReceiver
  readonly #place: Place
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  /** A function and not this object: Node wraps an object in a function that V8 puts among the old, and with it all that hangs on a request. */
  readonly #abort: () => void
  /** Bytes of the body; `undefined` until the head has come. */
  #received: number | undefined
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
    if (this.done) return
    this.alive()
    this.#received = (this.#received ?? 0) + bytes.length
    if (this.#received > this.#request.maxBytes) return this.fail(tooLarge(this.#request.maxBytes, this.#place))
    try {
      if (this.#receiver.chunk(bytes) !== 'complete') return
    } catch (error) {
      return this.fail(error)
    }
    if (!this.#settle()) return
    this.#linger()
    this.#resolve()
  }

  /** The body has ended as it should; or, after `'complete'`, in whatever way. */
  end(): void {
    if (this.#settle()) this.#resolve()
    else clearTimeout(this.#timer)
  }

  /** The connection broke. */
  broken(error: unknown): void {
    if (this.done) this.end()
    else this.fail(broken(error, this.#request, this.#place, this.#received))
  }

  /** Ends in any other way. */
  fail(error: unknown): void {
    if (!this.#settle()) return
    this.disconnect()
    this.#reject(error)
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

  /** The answer is whole: its connection is kept until the body ends, or closed when that takes too long. Neither holds the process. */
  #linger(): void {
    this.#timer = setTimeout(giveUp, lingerMs, this)
    if (typeof this.#timer === 'object') this.#timer.unref()
    this.letGo()
  }

  /** A limit is over, or goes on. */
  judge(): void {
    if (this.done) return
    const { timeouts } = this.#request
    const now = performance.now()
    const phaseLeft = this.#phaseAt + timeouts[this.#phase] - now
    const totalLeft = this.#startedAt + timeouts.totalMs - now
    if (phaseLeft <= 0) this.fail(timedOut(this.#phase, timeouts[this.#phase], this.#place))
    else if (totalLeft <= 0) this.fail(timedOut('totalMs', timeouts.totalMs, this.#place))
    else this.#arm(Math.min(phaseLeft, totalLeft, shortest(timeouts)))
  }
}

/**
 * The timer fired. Where this process was busy it is late, and what came meanwhile is not read yet, because the event loop looks at its timers
 * first. So a limit is judged after the loop has read: Node's does between its timers and its immediates; elsewhere another timer is the next best.
 */
function check(exchange: Exchange): void {
  if (typeof setImmediate === 'function') setImmediate(judge, exchange)
  else setTimeout(judge, 0, exchange)
}

function judge(exchange: Exchange): void {
  exchange.judge()
}

function giveUp(exchange: Exchange): void {
  exchange.disconnect()
}

function shortest({ connectMs, firstByteMs, idleMs, totalMs }: Timeouts): number {
  return Math.min(connectMs, firstByteMs, idleMs, totalMs)
}

function isRedirect({ status }: HttpHead): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

/** Scheme, host and port only: path and query of a location can hold secrets. */
function originOf(location: string | undefined, base: string): string | undefined {
  return location === undefined ? undefined : parsedUrl(location, base)?.origin
}
