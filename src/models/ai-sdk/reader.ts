import { RondoError } from '../../core/error.ts'
import { aborted } from '../transport/failure.ts'
import { isWire } from '../wire.ts'

/** Time limits of one call, in ms; `Infinity` = none. Each fires with a `ModelTimeout` that names it and its value. */
export interface PartTimeouts {
  /** From the start until the first part of the answer. Default 300,000. */
  readonly firstPartMs: number
  /** Between two parts. Providers that think may send nothing meanwhile, or nothing that their package passes on. Default 300,000. */
  readonly idleMs: number
}

export const defaultTimeouts: PartTimeouts = { firstPartMs: 300_000, idleMs: 300_000 }

/** How long a stream is read on that has told its last part, so that its connection can be used again (ms). */
const drainMs = 1_000

const maxTimerMs = 2_147_483_647

export interface Work {
  /** Names whom it waits for in errors. */
  readonly provider: string
  readonly timeouts: PartTimeouts
  readonly signal: AbortSignal
}

interface Reader {
  read(): PromiseLike<{ readonly done: boolean; readonly value?: unknown }>
  cancel(reason?: unknown): PromiseLike<unknown>
}

/**
 * A call of a package, which may hang and may be deaf to its signal: the promises settle all the same, at the abort, at a limit, at the first error. Then
 * the call is aborted, its stream cancelled and what still comes of it ignored; no timer or listener stays.
 */
export class Call {
  readonly #work: Work
  readonly #own = new AbortController()
  #reject: (error: unknown) => void = () => {}
  #over = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #limit: keyof PartTimeouts = 'firstPartMs'
  #since = 0
  #reader: Reader | undefined

  constructor(work: Work) {
    this.#work = work
  }

  /** What goes to the package. */
  get signal(): AbortSignal {
    return this.#own.signal
  }

  /** Something of the answer has come. */
  alive(): void {
    this.#since = performance.now()
    if (this.#limit === 'idleMs') return
    this.#limit = 'idleMs'
    this.#arm(this.#work.timeouts.idleMs)
  }

  /**
   * Runs `steps` to their end, or until the call is over for another reason. They wait with `until` for whatever comes of the package.
   */
  run<T>(steps: () => Promise<T>): Promise<T> {
    const { signal } = this.#work
    if (signal.aborted) return Promise.reject(aborted(signal.reason))
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => this.#stop(aborted(signal.reason))
      signal.addEventListener('abort', onAbort, { once: true })
      const settled = () => {
        this.#over = true
        clearTimeout(this.#timer)
        signal.removeEventListener('abort', onAbort)
      }
      const fail = (error: unknown) => {
        settled()
        this.#own.abort(error)
        if (this.#reader !== undefined) ignored(this.#reader.cancel(error))
        reject(error)
      }
      this.#reject = fail
      this.#since = performance.now()
      this.#arm(this.#work.timeouts.firstPartMs)
      steps().then(
        (value) => {
          if (this.#over) return
          settled()
          resolve(value)
        },
        (error: unknown) => this.#stop(error),
      )
    })
  }

  /** Reads a stream and hands on each part, until `take` says that it was the last one. */
  async read(stream: unknown, take: (part: unknown) => boolean): Promise<void> {
    const reader = readerOf(stream, this.#work.provider)
    if (this.#over) return ignored(reader.cancel())
    this.#reader = reader
    for (;;) {
      const { done, value } = await reader.read()
      if (this.#over || done) return
      if (take(value)) return drain(reader)
    }
  }

  #stop(error: unknown): void {
    if (!this.#over) this.#reject(error)
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => this.#expire(), Math.min(ms, maxTimerMs))
  }

  /** One timer for all parts: at its time it looks how long ago the last one was. */
  #expire(): void {
    const ms = this.#work.timeouts[this.#limit]
    const left = ms - (performance.now() - this.#since)
    // Timers may fire a little early.
    if (left > 1) return this.#arm(left)
    const what = this.#limit === 'firstPartMs' ? 'did not begin to answer within' : 'sent nothing in the middle of its answer for'
    this.#stop(
      new RondoError(
        'ModelTimeout',
        `${this.#work.provider} ${what} ${ms.toLocaleString('en-US')} ms. The limit is timeouts.${this.#limit}: raise it if the server needs longer.`,
      ),
    )
  }
}

function readerOf(stream: unknown, provider: string): Reader {
  if (hasReader(stream)) return stream.getReader()
  throw new RondoError('ModelUnknownError', `The package of ${provider} gave no stream: its doStream() must resolve with { stream }.`, {
    retryable: false,
  })
}

function hasReader(stream: unknown): stream is { getReader(): Reader } {
  return isWire(stream) && typeof stream['getReader'] === 'function'
}

/** A stream that is cancelled closes its connection; one that is read to its end gives it back. */
function drain(reader: Reader): void {
  const timer = setTimeout(() => ignored(reader.cancel()), drainMs)
  if (typeof timer === 'object') timer.unref()
  const next = (): void => {
    reader.read().then(
      ({ done }) => (done ? clearTimeout(timer) : next()),
      () => clearTimeout(timer),
    )
  }
  next()
}

function ignored(promise: PromiseLike<unknown>): void {
  promise.then(
    () => {},
    () => {},
  )
}
