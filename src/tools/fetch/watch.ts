import { problem } from '../files/problem.ts'

/** The limits of time of one call, over all that it waits for. */
export interface Watch {
  /** Aborted by the caller or by a limit; the reason is the error. */
  readonly signal: AbortSignal
  /** Something has come. */
  alive(): void
  /** Nothing more will come; only the limit of the whole holds. */
  received(): void
  /** Waits for what can't be aborted itself. */
  during<T>(work: Promise<T>): Promise<T>
  /** Ends all timers. */
  end(): void
}

export function startWatch(signal: AbortSignal, { totalMs, idleMs }: { readonly totalMs: number; readonly idleMs: number }): Watch {
  signal.throwIfAborted()
  const controller = new AbortController()
  const stop = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const limit = (ms: number, what: string) =>
    setTimeout(() => controller.abort(problem(`${what} within ${ms.toLocaleString('en-US')} ms. Try again later, or use another URL.`)), ms)
  const total = limit(totalMs, 'The answer was not complete')
  const idle = limit(idleMs, 'Nothing came')
  const failed = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
  })
  failed.catch(() => {})
  return {
    signal: controller.signal,
    alive: () => void idle.refresh(),
    received: () => clearTimeout(idle),
    during: (work) => Promise.race([work, failed]),
    end() {
      clearTimeout(total)
      clearTimeout(idle)
      signal.removeEventListener('abort', stop)
    },
  }
}
