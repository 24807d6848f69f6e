import { overdue } from '../core/decide-stop.ts'
import type { EntryBody } from '../core/entry.ts'
import { type ErrorData, errorData, messageOf, RondoError } from '../core/error.ts'
import type { OpenModelCall, SessionState } from '../core/state.ts'
import { type Activation, driverFacts } from './activation.ts'
import { retryAt } from './retry.ts'

export interface Failed {
  readonly error: ErrorData
  readonly text: string
  readonly random: number
  readonly durationMs: number
}

/** What a failure means is decided when it is staged: after a cancel or at a limit it is no failure of the model. */
export function failedBody(a: Activation, state: SessionState, open: OpenModelCall, failed: Failed): EntryBody {
  const run = state.live.run
  const { error, text, random, durationMs } = failed
  const ids = { n: open.n, attempt: open.attempt, durationMs }
  const partial = text === '' ? {} : { partial: text }
  if (run?.cancelledAt !== undefined) {
    const cancelled = errorData('RunAborted', 'The run was cancelled during this model call.')
    return { kind: 'model.failed', data: { ...ids, error: cancelled, cause: 'cancelled', ...partial } }
  }
  const ports = a.portsOf(state)
  const now = a.world.clock.wall()
  if (run !== undefined && overdue(state, run, ports.config, now, driverFacts(a, ports, state)) !== undefined) {
    const over = errorData('RunTimeout', 'The time limit of the run was reached during this model call.')
    return { kind: 'model.failed', data: { ...ids, error: over, cause: 'limit', ...partial } }
  }
  const again = retryAt(ports.retry, {
    attempt: open.attempt,
    firstAt: now - a.ages.of(open.firstSeq, open.firstAt),
    now,
    error,
    shown: text !== '',
    wrapUp: open.purpose === 'wrap-up',
    random,
  })
  const data = again === undefined ? { ...ids, error, ...partial } : { ...ids, error, retryAt: again, retryInMs: again - now }
  return { kind: 'model.failed', data }
}

export function mediaError(error: unknown): ErrorData {
  if (RondoError.is(error)) return error.toData()
  return errorData('SessionReadFailed', `Media of the session could not be read: ${messageOf(error)}`)
}

/** Adapters classify their errors; what comes unclassified is not tried again, for nobody knows what it was. */
export function modelError(error: unknown): ErrorData {
  if (RondoError.is(error)) return error.toData()
  return errorData('ModelUnknownError', messageOf(error), { retryable: false })
}
