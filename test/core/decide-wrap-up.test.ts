import { describe, expect, test } from 'vitest'
import {
  calls,
  claimed,
  control,
  failed,
  finishes,
  nothing,
  plan,
  planOf,
  play,
  requested,
  responded,
  rounds,
  started,
  steer,
} from './support.ts'

const run = [requested(), claimed()]

describe('machine 5.12, S0-27: the wrap-up', () => {
  const limited = [...run, ...rounds(1), started(2, { purpose: 'wrap-up', reason: 'max_iterations' })]
  const change = { limits: { maxIterations: 1 } }
  const fallback = finishes({
    status: 'incomplete',
    reason: 'max_iterations',
    text: 'Stopped without a final answer: the limit of 1 iterations (limits.maxIterations) was reached.',
  })

  test('its text is the text of the run', () => {
    expect(planOf(play(limited, responded(2, 'Ended.')), change)).toEqual(
      plan([finishes({ status: 'incomplete', reason: 'max_iterations', text: 'Ended.' })]),
    )
  })

  test('its text ends the run though a message waits and the run is paused', () => {
    const state = play(
      run,
      rounds(1),
      started(2, { purpose: 'wrap-up', reason: 'max_iterations', through: 7 }),
      steer('Wait'),
      control('pause'),
      responded(2, 'Ended.'),
    )
    expect(planOf(state, change).append[0]?.data).toMatchObject({ status: 'incomplete', text: 'Ended.' })
  })

  test('a paused run does not begin one', () => {
    expect(planOf(play(run, rounds(1), control('pause')), change)).toEqual(nothing)
  })

  test.each([
    ['failed for good', [failed(2)]],
    ['was blank', [responded(2, ' ')]],
  ] as const)('one that %s is asked for once more, as a call of its own', (_how, steps) => {
    expect(planOf(play(limited, ...steps), change)).toEqual(plan([calls(3, 9, { purpose: 'wrap-up', reason: 'max_iterations' })]))
  })

  test('one that may be retried is the same call', () => {
    const retry = { attempt: 2, purpose: 'wrap-up', reason: 'max_iterations' } as const
    expect(planOf(play(limited, failed(2, { retryAt: 1_000 })), change)).toEqual(plan([calls(2, 9, retry)]))
    expect(planOf(play(limited, failed(2, { retryAt: 4_000 })), change)).toEqual(plan([], [], 4_000))
  })

  test.each([
    ['two calls', [failed(2), started(3, { purpose: 'wrap-up', reason: 'max_iterations' }), failed(3)]],
    [
      'two attempts',
      [failed(2, { retryAt: 1_000 }), started(2, { attempt: 2, purpose: 'wrap-up', reason: 'max_iterations' }), failed(2, { attempt: 2 })],
    ],
    [
      'a crash and a blank',
      [failed(2, { cause: 'interrupted' }), started(3, { purpose: 'wrap-up', reason: 'max_iterations' }), responded(3, '')],
    ],
  ] as const)('after %s a fixed text stands in', (_what, steps) => {
    expect(planOf(play(limited, ...steps), change)).toEqual(plan([fallback]))
  })

  test('a failed wrap-up fails no run', () => {
    expect(play(limited, failed(2)).live.run?.failure).toBeUndefined()
  })

  test('the limit that asked for it stays the reason though it lies elsewhere by now', () => {
    expect(planOf(play(limited, responded(2, 'Ended.')), { limits: { maxIterations: 99 } }).append[0]?.data).toMatchObject({
      reason: 'max_iterations',
    })
  })

  test('with a wrap-up hook to ask, setup is wanted with its purpose', () => {
    expect(planOf(play(run, rounds(1)), { ...change, hasSetup: true })).toEqual(plan([], ['setup:2.1:wrap-up:r1']))
  })

  test('when the time slice is over it waits for the next activation', () => {
    expect(planOf(play(run, rounds(1)), change, { holdStarts: true })).toEqual(nothing)
  })
})
