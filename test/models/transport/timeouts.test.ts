import { expect, test } from 'vitest'
import { defaultTimeouts, timeoutsWith } from '../../../src/models/transport/transport.ts'

test('the default limits, and what a user changes', () => {
  expect(timeoutsWith()).toEqual({ connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000, totalMs: Number.POSITIVE_INFINITY })
  expect(timeoutsWith({ firstByteMs: 1_800_000, idleMs: Number.POSITIVE_INFINITY })).toEqual({
    ...defaultTimeouts,
    firstByteMs: 1_800_000,
    idleMs: Number.POSITIVE_INFINITY,
  })
})

test.each([0, -1, Number.NaN])('a limit of %s is refused', (idleMs) => {
  expect(() => timeoutsWith({ idleMs })).toThrow(
    expect.objectContaining({
      code: 'ConfigInvalid',
      message: `timeouts.idleMs must be a positive number of ms (Infinity = none), not ${idleMs}.`,
    }),
  )
})

test('a limit that does not exist is refused, with those that do', () => {
  const own: object = { idle: 5 }
  expect(() => timeoutsWith(own)).toThrow('timeouts: there is no limit "idle"; there are connectMs, firstByteMs, idleMs, totalMs.')
})
