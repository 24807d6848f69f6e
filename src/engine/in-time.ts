import { RondoError } from '../core/error.ts'
import type { Activation, Running } from './activation.ts'
import type { RunPorts } from './ports.ts'

interface Asking {
  readonly a: Activation
  readonly ports: RunPorts
  readonly running: Running
}

/**
 * What somebody who is asked before a call answers. Rejects when the answer does not come in time: nobody is told to stop, for the signal is the
 * batch's, but nobody waits any longer.
 */
export function inTime<T>({ a, ports, running }: Asking, who: string, answer: PromiseLike<T>): Promise<T> {
  const ms = ports.hookTimeoutMs
  if (ms === Number.POSITIVE_INFINITY) return Promise.resolve(answer)
  return new Promise((resolve, reject) => {
    const cancel = a.world.clock.timer(ms, () =>
      reject(new RondoError('HookFailed', `${who} has not answered within ${ms} ms (policies.hookTimeoutMs)`)),
    )
    // When the verdict is no longer wanted, a timer would only keep the process.
    const letBe = running.signal.onAbort(cancel)
    const done = (): void => {
      letBe()
      cancel()
    }
    Promise.resolve(answer).then(
      (value) => {
        done()
        resolve(value)
      },
      (error: unknown) => {
        done()
        reject(error)
      },
    )
  })
}
