import type { ErrorData } from '../core/error.ts'

/** When a failed model call is tried again (checklist C33). */
export interface RetryPolicy {
  /** Attempts after the first one. */
  readonly maxRetries: number
  readonly baseMs: number
  readonly capMs: number
  /** No new attempt begins later than this after the first one began. Does not cut a running one. */
  readonly windowMs: number
  /** A longer `Retry-After` is not waited for. */
  readonly maxRetryAfterMs: number
  /** Whether a call may be tried again when some of its text has been shown: the text is retracted then. */
  readonly afterOutput: 'retract' | 'fail'
}

export const defaultRetry: RetryPolicy = {
  maxRetries: 2,
  baseMs: 1_000,
  capMs: 60_000,
  windowMs: 20 * 60_000,
  maxRetryAfterMs: 60_000,
  afterOutput: 'retract',
}

export interface FailedAttempt {
  readonly attempt: number
  /** ms since 1970. */
  readonly firstAt: number
  readonly now: number
  readonly error: ErrorData
  readonly shown: boolean
  /** A wrap-up has two attempts, whatever the policy says. */
  readonly wrapUp: boolean
  readonly random: number
}

/** When to try again (ms since 1970), or `undefined` when the failure is final. `Retry-After` wins over the backoff. */
export function retryAt(policy: RetryPolicy, failed: FailedAttempt): number | undefined {
  const { attempt, firstAt, now, error, shown, wrapUp, random } = failed
  if (!error.retryable || attempt > policy.maxRetries || (wrapUp && attempt >= 2)) return undefined
  if (shown && policy.afterOutput === 'fail') return undefined
  const wait = waitMs(policy, attempt, error.retryAfterMs, random)
  if (wait === undefined || now + wait - firstAt > policy.windowMs) return undefined
  return now + wait
}

function waitMs(policy: RetryPolicy, attempt: number, retryAfterMs: number | undefined, random: number): number | undefined {
  // A value that is no usable number says nothing: it must not become a timer that fires at once.
  if (retryAfterMs !== undefined && Number.isFinite(retryAfterMs) && retryAfterMs >= 0)
    return retryAfterMs > policy.maxRetryAfterMs ? undefined : Math.ceil(retryAfterMs)
  const backoff = policy.baseMs * 2 ** (attempt - 1) * (0.5 + random / 2)
  return Math.round(Math.min(policy.capMs, backoff))
}
