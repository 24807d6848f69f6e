import { type ErrorCode, type ErrorData, messageOf, RondoError } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { clip } from '../../core/text.ts'
import { isNotFound } from '../not-found.ts'
import { nameOf } from './check-options.ts'

/** A model that was asked and did not answer. */
export interface Failure {
  readonly model: Model
  /** What it threw. */
  readonly thrown: unknown
  readonly error: ErrorData
}

export function failureOf(model: Model, thrown: unknown): Failure {
  const known = RondoError.is(thrown)
  // What comes unclassified is an adapter's mistake: to ask the same again is of no use.
  const error = known ? thrown : new RondoError('ModelUnknownError', messageOf(thrown), { retryable: false })
  return { model, thrown, error: error.toData() }
}

/**
 * What a failure says of the others: `down`, this model can't answer anybody now, another may; `this-request`, it can't answer this one,
 * another may; `larger`, one with a larger window may; `all`, the request itself is at fault, and another would refuse it too.
 */
export type Means = 'down' | 'this-request' | 'larger' | 'all'

const meanings: { readonly [code in ErrorCode]?: Means } = {
  ModelRateLimited: 'down',
  ModelServerError: 'down',
  ModelTimeout: 'down',
  ModelAuthError: 'down',
  ModelQuotaExceeded: 'down',
  ModelUnknownError: 'down',
  ModelContextOverflow: 'larger',
}

export function meaningOf({ thrown, error }: Failure): Means {
  if (isNotFound(thrown)) return 'down'
  // A request that alone is over a rate limit: the next one may be smaller.
  if (error.code === 'ModelRateLimited' && !error.retryable) return 'this-request'
  return meanings[error.code] ?? 'all'
}

/** Whether an attempt was given up, by the engine, through the fault of the model: it took too long, or what it sent was garbled. */
export function isModelsFault(reason: unknown): boolean {
  return RondoError.is(reason) && reason.category === 'model' && reason.retryable
}

const maxMessage = 400

/**
 * The one error for all that were asked. It may be tried again if one of them may, after the shortest wait that they name; one that names
 * none may be asked at once. A single failure is told as it is.
 */
export function allFailed(failures: readonly Failure[]): unknown {
  const [first, ...more] = failures
  if (first === undefined || more.length === 0) return first?.thrown
  const again = failures.filter(({ error }) => error.retryable)
  const { code } = again[0]?.error ?? failures[failures.length - 1]?.error ?? first.error
  const waits = again.map(({ error }) => error.retryAfterMs ?? Number.NaN)
  const retryAfterMs = Math.min(...waits)
  const told = failures.map(({ model, error }) => `${nameOf(model)}: ${clip(error.message, maxMessage)}`)
  return new RondoError(code, `None of the models answered. ${told.join(' | ')}`, {
    cause: new AggregateError(failures.map(({ thrown }) => thrown)),
    retryable: again.length > 0,
    ...(Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
  })
}

/**
 * A model that failed when some of its answer had been shown. Another must not go on with it: the engine takes back what was shown and asks
 * again, at once, and then it is another's turn.
 */
export function failedMidway({ model, thrown, error }: Failure): RondoError {
  const message = `${nameOf(model)} failed in the middle of its answer; another model is asked next. ${error.message}`
  return new RondoError(error.code, message, { cause: thrown, retryable: true, retryAfterMs: 0 })
}
