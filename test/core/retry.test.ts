import { describe, expect, test } from 'vitest'
import { errorData } from '../../src/core/error.ts'
import { defaultRetry, type FailedAttempt, type RetryPolicy, retryAt } from '../../src/engine/retry.ts'

const now = 1_000_000
const attempt = (change: Partial<FailedAttempt> = {}): FailedAttempt => ({
  attempt: 1,
  firstAt: now,
  now,
  error: errorData('ModelServerError', 'broken'),
  shown: false,
  wrapUp: false,
  random: 1,
  ...change,
})
/** How long until the next attempt; `final` when there is none. */
function wait(change: Partial<FailedAttempt> = {}, policy: Partial<RetryPolicy> = {}): number | 'final' {
  const at = retryAt({ ...defaultRetry, ...policy }, attempt(change))
  return at === undefined ? 'final' : at - now
}
const limited = (retryAfterMs: number) => ({ error: errorData('ModelRateLimited', 'slow down', { retryAfterMs }) })

describe('C33 the defaults', () => {
  test('2 retries, 1 s base, 60 s cap, window 20 minutes, Retry-After up to 60 s, shown text retracted', () => {
    expect(defaultRetry).toEqual({
      maxRetries: 2,
      baseMs: 1_000,
      capMs: 60_000,
      windowMs: 1_200_000,
      maxRetryAfterMs: 60_000,
      afterOutput: 'retract',
    })
  })
})

describe('C33 how long', () => {
  test.each([
    [1, 0, 500],
    [1, 0.5, 750],
    [1, 1, 1_000],
    [2, 0, 1_000],
    [2, 1, 2_000],
    [3, 0.5, 3_000],
    [6, 1, 32_000],
    [7, 1, 60_000],
    [7, 0, 32_000],
    [8, 0, 60_000],
    [2_000, 0.3, 60_000],
  ])('attempt %i with chance %d waits %i ms: doubling from the base, half of it by chance, never over the cap', (n, random, ms) => {
    expect(wait({ attempt: n, random }, { maxRetries: 5_000 })).toBe(ms)
  })

  test('waits are whole milliseconds', () => {
    expect(wait({ random: 0.3333 })).toBe(667)
  })

  test('Retry-After wins over the backoff, longer or shorter; fractions are rounded up', () => {
    expect([wait(limited(30_000)), wait(limited(20)), wait(limited(0)), wait(limited(1.2))]).toEqual([30_000, 20, 0, 2])
  })

  test('a Retry-After over the ceiling is not waited for', () => {
    expect([wait(limited(60_000)), wait(limited(60_001)), wait(limited(61_000), { maxRetryAfterMs: 90_000 })]).toEqual([
      60_000,
      'final',
      61_000,
    ])
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0.001])(
    'B105 a Retry-After of %d says nothing: the backoff holds',
    (ms) => {
      expect(wait(limited(ms))).toBe(1_000)
    },
  )

  test('B105 whatever it says, what comes out can be a timer', () => {
    for (const ms of [Number.NaN, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53]) {
      const at = retryAt(defaultRetry, attempt(limited(ms)))
      expect(at === undefined || (Number.isSafeInteger(at) && at >= now)).toBe(true)
    }
  })
})

describe('C33 how often', () => {
  test('maxRetries attempts after the first one', () => {
    expect([1, 2, 3].map((n) => wait({ attempt: n }))).toEqual([1_000, 2_000, 'final'])
    expect(wait({}, { maxRetries: 0 })).toBe('final')
  })

  test('an error that is not retryable is final, even with a Retry-After', () => {
    expect(wait({ error: errorData('ModelAuthError', 'who are you?') })).toBe('final')
    expect(wait({ error: errorData('ModelQuotaExceeded', 'no more', { retryAfterMs: 5 }) })).toBe('final')
    expect(wait({ error: errorData('ModelServerError', 'broken', { retryable: false }) })).toBe('final')
  })

  test('no attempt begins later than the window after the first one began', () => {
    expect(wait({ firstAt: now - 1_199_000 })).toBe(1_000)
    expect(wait({ firstAt: now - 1_199_001 })).toBe('final')
    expect(wait({ firstAt: now - 100 }, { windowMs: 1_000 })).toBe('final')
  })

  test('a wrap-up has two attempts, whatever the policy says', () => {
    expect([1, 2].map((n) => wait({ attempt: n, wrapUp: true }, { maxRetries: 9 }))).toEqual([1_000, 'final'])
  })

  test('after text was shown: retract tries again, fail does not', () => {
    expect([wait({ shown: true }), wait({ shown: true }, { afterOutput: 'fail' }), wait({}, { afterOutput: 'fail' })]).toEqual([
      1_000,
      'final',
      1_000,
    ])
  })
})
