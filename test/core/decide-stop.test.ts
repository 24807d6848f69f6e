import { describe, expect, test } from 'vitest'
import {
  answered,
  began,
  called,
  calls,
  claimed,
  control,
  decided,
  deferred,
  failed,
  finishes,
  open,
  plan,
  planOf,
  play,
  prepared,
  requested,
  responded,
  settledOk,
  settles,
  started,
  starts,
  steer,
} from './support.ts'

const cancelled = 'Cancelled before it was complete.'
const notStarted = 'Cancelled before it began.'
const unknownEffect =
  'It is unknown whether this call took effect: it began, and its outcome was lost. Do not repeat it without checking; ask the user if you cannot check.'
const aborted = finishes({ status: 'aborted', reason: 'aborted', text: '' })

describe('machine 5.2: cancel', () => {
  test('with nothing open the run ends aborted, with the reason given', () => {
    expect(planOf(play(requested(), claimed(), control('cancel', 'r1', 'enough')))).toEqual(
      plan([finishes({ status: 'aborted', reason: 'aborted', text: '', abortReason: 'enough' })]),
    )
  })

  test('an open model call is no longer wanted and has until the end of grace', () => {
    const state = play(open, { ...control('cancel'), at: 2_000 })
    expect(planOf(state, {}, { now: 2_000 })).toEqual(plan([], [], 2_100))
    expect(planOf(state, {}, { now: 2_099 })).toEqual(plan([], [], 2_100))
  })

  test('at the end of grace the machine ends the model call itself', () => {
    const state = play(open, { ...control('cancel'), at: 2_000 })
    const error = {
      code: 'RunAborted',
      category: 'loop',
      message: 'The run was cancelled during this model call.',
      retryable: false,
    } as const
    expect(planOf(state, {}, { now: 2_100 })).toEqual(
      plan([{ kind: 'model.failed', data: { n: 1, attempt: 1, error, cause: 'cancelled' } }]),
    )
  })

  test('a model call that ended by the cancel is no failure: the run ends aborted, with the text that was shown', () => {
    const state = play(open, control('cancel'), failed(1, { cause: 'cancelled', partial: 'Half' }))
    expect(planOf(state)).toEqual(plan([finishes({ status: 'aborted', reason: 'aborted', text: 'Half' })]))
  })

  test('what has not started settles now, whatever it waits for; a running call has its grace, that of its tool', () => {
    const state = play(
      called('look', 'look', 'client', 'slow', 'look'),
      prepared('m1.0', { approval: {} }),
      prepared('m1.1'),
      prepared('m1.2', { executor: 'external' }),
      deferred('m1.2', { expiresAt: 9_000 }),
      prepared('m1.3'),
      began('m1.3'),
      { ...control('cancel'), at: 2_000 },
    )
    expect(planOf(state, {}, { now: 2_000 })).toEqual(
      plan(
        ['m1.0', 'm1.1', 'm1.2', 'm1.4'].map((id) => settles(id, 'cancelled', 'ToolCancelled', notStarted)),
        [],
        2_040,
      ),
    )
  })

  test('each running call settles at the end of its own grace: cancelled, or unknown when its effect is unsafe', () => {
    const state = play(
      called('slow', 'look', 'save'),
      prepared('m1.0'),
      prepared('m1.1'),
      prepared('m1.2', { effect: 'unsafe' }),
      began('m1.0'),
      began('m1.1'),
      began('m1.2'),
      { ...control('cancel'), at: 2_000 },
    )
    expect(planOf(state, {}, { now: 2_040 })).toEqual(plan([settles('m1.0', 'cancelled', 'ToolCancelled', cancelled)], [], 2_100))
    expect(planOf(state, {}, { now: 2_100 }).append.slice(1)).toEqual([
      settles('m1.1', 'cancelled', 'ToolCancelled', cancelled),
      settles('m1.2', 'unknown', 'ToolOutcomeUnknown', unknownEffect),
    ])
  })

  test('◆ an orphan settles at once, without grace: unknown when unsafe, else cancelled; nothing restarts', () => {
    const state = play(
      called('look', 'save', 'pay'),
      prepared('m1.0'),
      prepared('m1.1', { effect: 'unsafe' }),
      prepared('m1.2', { effect: 'unsafe' }),
      began('m1.0'),
      began('m1.1'),
      began('m1.2'),
      { ...control('cancel'), at: 2_000 },
      { ...claimed(2, 'r1', 'resume'), at: 2_000 },
    )
    expect(planOf(state)).toEqual(
      plan([
        settles('m1.0', 'cancelled', 'ToolCancelled', cancelled),
        settles('m1.1', 'unknown', 'ToolOutcomeUnknown', unknownEffect),
        settles('m1.2', 'unknown', 'ToolOutcomeUnknown', unknownEffect),
      ]),
    )
  })

  test('a denial that came before the cancel keeps its word', () => {
    const state = play(called('look'), prepared('m1.0', { approval: {} }), decided('e5', 'deny', { reason: 'no' }), control('cancel'))
    expect(planOf(state)).toEqual(plan([settles('m1.0', 'denied', 'ToolDenied', 'The user did not allow this call: no')]))
  })

  test('the last outcome is followed by the end of the run, though messages wait and the run is paused', () => {
    const state = play(called('look'), prepared('m1.0'), began('m1.0'), control('pause'), control('cancel'), steer('Hm'), settledOk('m1.0'))
    expect(planOf(state)).toEqual(plan([aborted]))
  })

  test('an answer from outside is taken under a cancel, and the run still ends aborted', () => {
    const state = play(
      called('client'),
      prepared('m1.0', { executor: 'external' }),
      deferred('m1.0'),
      control('cancel'),
      answered('m1.0', 1),
    )
    expect(planOf(state)).toEqual(plan([aborted]))
  })
})

describe('machine 5.2: the duration limit', () => {
  const limits = { maxDurationMs: 1_000 }
  const timeLimit = 'Cancelled: the time limit of the run was reached.'
  const timeout = (callId: string) => settles(callId, 'cancelled', 'ToolCancelled', timeLimit, { limit: 'timeout' })

  test('while something runs, the machine wakes when the limit is met', () => {
    expect(planOf(play(open), { limits }, { now: 1_400 })).toEqual(plan([], ['model:1.1'], 2_000))
  })

  test('an open model call is aborted at the limit, and ended by the machine at the end of grace counted from the limit', () => {
    expect(planOf(play(open), { limits }, { now: 2_030 })).toEqual(plan([], [], 2_100))
    const error = {
      code: 'RunTimeout',
      category: 'loop',
      message: 'The time limit of the run was reached during this model call.',
      retryable: false,
    } as const
    expect(planOf(play(open), { limits }, { now: 2_100 })).toEqual(
      plan([{ kind: 'model.failed', data: { n: 1, attempt: 1, error, cause: 'limit' } }]),
    )
  })

  test('a model call ended by the limit is no failure of the model: a wrap-up follows (C5)', () => {
    const state = play(open, { ...failed(1, { cause: 'limit' }), at: 2_000 })
    expect(planOf(state, { limits })).toEqual(plan([calls(2, 4, { purpose: 'wrap-up', reason: 'timeout' })]))
  })

  test('what has not started settles at the limit, what runs at the end of its grace, and the limit is the reason', () => {
    const state = play(called('look', 'slow', 'look'), prepared('m1.0', { approval: {} }), prepared('m1.1'), began('m1.1'))
    expect(planOf(state, { limits }, { now: 2_000 })).toEqual(plan([timeout('m1.0'), timeout('m1.2')], [], 2_040))
    expect(planOf(state, { limits }, { now: 2_040 }).append).toEqual([timeout('m1.0'), timeout('m1.1'), timeout('m1.2')])
  })

  test('a stop that came before the limit still ends the run', () => {
    const state = play(called('look', 'look'), prepared('m1.0', { approval: {} }), prepared('m1.1'), began('m1.1'), decided('e5', 'stop'), {
      ...settledOk('m1.1'),
      at: 3_000,
    })
    const text = 'The user did not allow this call. Do not try it again unless they ask for it.'
    expect(planOf(state, { limits })).toEqual(plan([settles('m1.0', 'denied', 'ToolDenied', text, { end: 'stop', limit: 'timeout' })]))
  })

  test('it holds for calls that still run after another limit was met', () => {
    const state = play(
      called('look', 'look'),
      prepared('m1.0'),
      prepared('m1.1'),
      began('m1.0'),
      settledOk('m1.1', 1, { limit: 'max_tool_calls' }),
    )
    expect(planOf(state, { limits }, { now: 1_500 })).toEqual(plan([], ['tool:m1.0.1'], 2_000))
    expect(planOf(state, { limits }, { now: 2_100 })).toEqual(plan([timeout('m1.0')]))
  })

  test('a wrap-up is exempt, its stray calls too', () => {
    const wrapping = play(open, { ...failed(1, { cause: 'limit' }), at: 2_000 }, started(2, { purpose: 'wrap-up', reason: 'timeout' }))
    expect(planOf(wrapping, { limits }, { now: 60_000 })).toEqual(plan([], ['model:2.1']))
    const stray = play(
      open,
      { ...failed(1, { cause: 'limit' }), at: 2_000 },
      started(2, { purpose: 'wrap-up', reason: 'timeout' }),
      responded(2, { text: 'Ended.', calls: ['look'] }),
    )
    const text = 'Tools cannot be called in this answer; the call was not run.'
    expect(planOf(stray, { limits }, { now: 60_000 })).toEqual(plan([settles('m2.0', 'skipped', 'ToolSkipped', text)]))
  })

  test('parked time does not count: an approval that took an hour leaves the limit where it was', () => {
    const state = play(
      open,
      { ...responded(1, { calls: ['look'] }), at: 1_300 },
      prepared('m1.0', { approval: {} }),
      { ...decided('e5', 'allow', {}), at: 3_600_000 },
      began('m1.0'),
    )
    expect(planOf(state, { limits }, { now: 3_600_000 })).toEqual(plan([], ['tool:m1.0.1'], 3_600_700))
  })

  test('time outside does not count either', () => {
    const state = play(called('client'), prepared('m1.0', { executor: 'external' }), { ...deferred('m1.0'), at: 1_200 })
    expect(planOf(state, { limits }, { now: 9_999 })).toEqual(plan([]))
  })

  test('calls that overlap count once', () => {
    const state = play(called('look', 'look'), prepared('m1.0'), prepared('m1.1'), began('m1.0'), began('m1.1'), {
      ...settledOk('m1.0'),
      at: 1_600,
    })
    expect(planOf(state, { limits })).toEqual(plan([], ['tool:m1.1.1'], 2_000))
  })

  test('a crash gap does not count: it ends at the claim and began with the last entry of a driver', () => {
    const state = play(
      called('look', 'look'),
      prepared('m1.0'),
      began('m1.0'),
      { ...prepared('m1.1'), at: 1_400 },
      { ...steer('Are you there?'), at: 50_000 },
      { ...claimed(2, 'r1', 'resume'), at: 90_000 },
    )
    expect(state.live.run).toMatchObject({ activeMs: 400, openSince: 90_000, open: 1 })
    expect(planOf(state, { limits })).toEqual(plan([starts('m1.0', 2)], [], 90_600))
  })
})
