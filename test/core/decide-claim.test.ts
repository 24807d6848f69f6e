import { describe, expect, test } from 'vitest'
import {
  calls,
  claimed,
  control,
  failed,
  finished,
  finishes,
  nothing,
  open,
  plan,
  planOf,
  play,
  requested,
  responded,
  type Steps,
  started,
} from './support.ts'

const claim = (runId: string, cause: 'start' | 'resume' | 'next') =>
  ({
    kind: 'run.claimed',
    runId,
    data: { owner: 'o1', cause, engine: 'test' },
  }) as const

describe('machine 5.0: claims', () => {
  test('an empty session and one whose runs have finished want nothing', () => {
    expect(planOf(play())).toEqual(nothing)
    expect(planOf(play(open, responded(1, 'Done.'), finished()))).toEqual(nothing)
  })

  test('a requested run is claimed (start)', () => {
    expect(planOf(play(requested()))).toEqual(plan([claim('r1', 'start')]))
  })

  test('an active run of an older epoch is claimed again (resume), before anything else is decided', () => {
    expect(planOf(play(open, control('cancel')), {}, { epoch: 2 })).toEqual(plan([claim('r1', 'resume')]))
  })

  test('a run of this epoch is not claimed twice', () => {
    expect(planOf(play(requested(), claimed())).append.map(({ kind }) => kind)).toEqual(['model.started'])
  })

  test('a following run in the same activation is claimed with the same epoch (next)', () => {
    expect(planOf(play(open, requested('r2'), responded(1, 'Done.'), finished()))).toEqual(plan([claim('r2', 'next')]))
  })

  test('a waiting run met by a new driver is claimed as a start', () => {
    expect(planOf(play(open, requested('r2'), responded(1, 'Done.'), finished()), {}, { epoch: 2 })).toEqual(plan([claim('r2', 'start')]))
  })

  test('◆ a cancelled waiting run ends at once, out of order, while the active one goes on', () => {
    const state = play(open, requested('r2'), requested('r3'), control('cancel', 'r3', 'not needed'))
    const data = { status: 'aborted', reason: 'aborted', text: '', abortReason: 'not needed' } as const
    expect(planOf(state)).toEqual(plan([finishes(data, 'r3')]))
    const after = play(open, requested('r2'), requested('r3'), control('cancel', 'r3'), finished('r3', data))
    expect(planOf(after)).toEqual(plan([], ['model:1.1']))
  })

  test('a run cancelled before its claim ends without one', () => {
    expect(planOf(play(requested(), control('cancel')))).toEqual(plan([finishes({ status: 'aborted', reason: 'aborted', text: '' })]))
  })

  test('cancelling the active run is no business of rule 0: its own rule waits for its work', () => {
    expect(planOf(play(open, requested('r2'), control('cancel', 'r1')))).toEqual(plan([], [], 1_100))
  })

  test('a paused waiting run is claimed, and then nothing begins', () => {
    const state = play(requested(), control('pause'))
    expect(planOf(state)).toEqual(plan([claim('r1', 'start')]))
    expect(planOf(play(requested(), control('pause'), claimed()))).toEqual(nothing)
  })
})

describe('machine 5.1: a model call of an older epoch', () => {
  const error = (retryable: boolean) =>
    ({
      code: 'ModelUnknownError',
      category: 'model',
      message: 'The process that made this model call ended before the response was complete.',
      retryable,
    }) as const
  const resumed = (...steps: Steps) => play(...steps, { ...claimed(2, 'r1', 'resume'), at: 2_000 })

  test.each([
    ['its first attempt is tried again at once', 1, 'main', { retryAt: 2_000, retryInMs: 0 }],
    ['it counts as an attempt: the second of three is tried again', 2, 'main', { retryAt: 2_000, retryInMs: 0 }],
    ['the third of three is final', 3, 'main', {}],
    ['a wrap-up has two attempts', 1, 'wrap-up', { retryAt: 2_000, retryInMs: 0 }],
    ['the second attempt of a wrap-up is final', 2, 'wrap-up', {}],
  ] as const)('%s', (_rule, attempt, purpose, retry) => {
    const state = resumed(requested(), claimed(), started(1, { attempt, purpose }))
    const data = { n: 1, attempt, error: error('retryAt' in retry), cause: 'interrupted', ...retry } as const
    expect(planOf(state)).toEqual(plan([{ kind: 'model.failed', data }]))
  })

  test('with no retries configured the first is final', () => {
    const data = { n: 1, attempt: 1, error: error(false), cause: 'interrupted' } as const
    expect(planOf(resumed(open), { retries: 0 })).toEqual(plan([{ kind: 'model.failed', data }]))
  })

  test('under a cancel it is not tried again, and the run ends', () => {
    const state = resumed(open, control('cancel'))
    const data = { n: 1, attempt: 1, error: error(false), cause: 'cancelled' } as const
    expect(planOf(state)).toEqual(plan([{ kind: 'model.failed', data }]))
    const closed = play(open, control('cancel'), claimed(2), failed(1, { cause: 'cancelled' }))
    expect(planOf(closed)).toEqual(plan([finishes({ status: 'aborted', reason: 'aborted', text: '' })]))
  })
})

describe('machine 5.4 and 5.13: open and failed model calls', () => {
  test('5.4 an open model call is wanted', () => {
    expect(planOf(play(open))).toEqual(plan([], ['model:1.1']))
  })

  test('5.4 a pause does not stop the open call; abort and pause are tested before the next one', () => {
    expect(planOf(play(open, control('pause')))).toEqual(plan([], ['model:1.1']))
  })

  test('5.13 a retry waits for its time', () => {
    expect(planOf(play(open, failed(1, { retryAt: 5_000 })))).toEqual(plan([], [], 5_000))
  })

  test('5.13 a retry that is due starts as the next attempt of the same call', () => {
    const state = play(open, failed(1, { retryAt: 5_000 }))
    expect(planOf(state, {}, { now: 5_000 })).toEqual(plan([calls(1, 4, { attempt: 2 })]))
  })

  test('5.13 a paused run does not retry', () => {
    expect(planOf(play(open, failed(1, { retryAt: 5_000 }), control('pause')), {}, { now: 6_000 })).toEqual(nothing)
  })

  test('5.6 a final model failure fails the run', () => {
    const state = play(open, failed(1))
    const error = { code: 'ModelServerError', category: 'model', message: 'broken', retryable: true } as const
    expect(planOf(state)).toEqual(plan([finishes({ status: 'failed', reason: 'model_error', text: '', error })]))
  })

  test('5.6 the text that was kept is the text of the failed run', () => {
    expect(planOf(play(open, failed(1, { partial: 'So far' }))).append[0]?.data).toMatchObject({ status: 'failed', text: 'So far' })
  })
})
