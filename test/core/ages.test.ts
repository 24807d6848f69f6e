import { describe, expect, test } from 'vitest'
import {
  began,
  called,
  calls,
  claimed,
  control,
  failed,
  open,
  plan,
  planOf,
  play,
  prepared,
  requested,
  responded,
  settledOk,
  started,
} from './support.ts'

/** The clock has jumped: by it, everything is far too old or not yet written. */
const nows = [0, 9_000_000]

/** Entries are as old as this says, by their seq. */
const ages = (bySeq: { readonly [seq: number]: number }) => ({ age: (seq: number) => bySeq[seq] ?? Number.NaN })

describe.each(nows)('decision 0008: what the driver knows of ages counts, not that it is %i now', (now) => {
  test('the time limit of a call', () => {
    const state = play(called('slow'), prepared('m1.0'), began('m1.0'))
    expect(planOf(state, {}, { now, ...ages({ 6: 100 }) })).toEqual(plan([], ['tool:m1.0.1'], now + 400))
    expect(planOf(state, {}, { now, ...ages({ 6: 500 }) }).append).toMatchObject([{ kind: 'call.settled' }])
  })

  test('the grace of a call and of a model call after a cancel', () => {
    const call = play(called('slow'), prepared('m1.0'), began('m1.0'), control('cancel'))
    expect(planOf(call, {}, { now, ...ages({ 7: 10 }) })).toEqual(plan([], [], now + 30))
    expect(planOf(call, {}, { now, ...ages({ 7: 40 }) }).append).toMatchObject([{ kind: 'call.settled' }])
    const model = play(open, control('cancel'))
    expect(planOf(model, {}, { now, ...ages({ 4: 99 }) })).toEqual(plan([], [], now + 1))
    expect(planOf(model, {}, { now, ...ages({ 4: 100 }) }).append).toMatchObject([{ kind: 'model.failed' }])
  })

  test('the time limit of the run, and its grace', () => {
    const change = { limits: { maxDurationMs: 1_000 } }
    const state = play(open)
    expect(planOf(state, change, { now, ...ages({ 3: 300 }) })).toEqual(plan([], ['model:1.1'], now + 700))
    expect(planOf(state, change, { now, ...ages({ 3: 1_060 }) })).toEqual(plan([], [], now + 40))
    expect(planOf(state, change, { now, ...ages({ 3: 1_100 }) }).append).toMatchObject([{ kind: 'model.failed' }])
  })

  test('what opened the working time anew: the claim, after a crash', () => {
    const state = play(called('look'), prepared('m1.0'), began('m1.0'), claimed(2, 'r1', 'resume'), began('m1.0', 2))
    expect(planOf(state, { limits: { maxDurationMs: 1_000 } }, { now, ...ages({ 7: 200 }) })).toEqual(plan([], ['tool:m1.0.2'], now + 800))
  })

  test('the wait for a retry', () => {
    const state = play(open, failed(1, { retryAt: 5_000, retryInMs: 4_000 }))
    expect(planOf(state, {}, { now, ...ages({ 4: 1_500 }) })).toEqual(plan([], [], now + 2_500))
    expect(planOf(state, {}, { now, ...ages({ 4: 4_000 }) })).toEqual(plan([calls(1, 4, { attempt: 2 })]))
  })

  test('what has an absolute expiry keeps it: an approval', () => {
    const state = play(called('look'), prepared('m1.0', { approval: { expiresAt: 5_000 } }))
    const { append, wakeAt } = planOf(state, {}, { now, ...ages({}) })
    expect([append.length, wakeAt]).toEqual(now < 5_000 ? [0, 5_000] : [1, undefined])
  })
})

describe('decision 0008: the wait for a retry', () => {
  test("is counted from the failure by the clock that made it: the store's may be another", () => {
    const state = play(open, { ...failed(1, { retryAt: 9_000, retryInMs: 4_000 }), at: 2_000 })
    expect(planOf(state, {}, { now: 8_000 })).toEqual(plan([], [], 9_000))
    expect(planOf(state, {}, { now: 9_000 })).toEqual(plan([calls(1, 4, { attempt: 2 })]))
  })

  test('of a journal that does not say how long it is ends when that says', () => {
    const state = play(open, { ...failed(1, { retryAt: 9_000 }), at: 2_000 })
    expect(planOf(state, {}, { now: 8_000 })).toEqual(plan([], [], 9_000))
  })

  test('C33 its window begins anew after a crash: while nobody was there nothing was tried', () => {
    const state = play(
      open,
      { ...claimed(2, 'r1', 'resume'), at: 90_000 },
      failed(1, { cause: 'interrupted', retryAt: 90_000, retryInMs: 0 }),
      started(1, { attempt: 2 }),
    )
    expect(state.live.model).toMatchObject({ attempt: 2, firstAt: 90_000, firstSeq: 5 })
  })
})

describe('decision 0008: working time between two entries', () => {
  const step = (at: number, durationMs?: number) =>
    play(
      called('look'),
      prepared('m1.0'),
      { ...began('m1.0'), at: 2_000 },
      { ...settledOk('m1.0', 1, durationMs === undefined ? {} : { durationMs }), at },
    ).live.run?.activeMs

  test.each([
    ['is what the times say', 2_500, 480, 500],
    ['is what the times say, when nothing else is known', 3_602_000, undefined, 3_600_000],
    ['is no longer than what ran took, and a second: the clock has jumped forth', 3_602_000, 480, 1_480],
    ['is no shorter than what ran took: it has jumped back', 2_000, 480, 480],
  ])('%s', (_rule, at, durationMs, due) => {
    expect(step(at, durationMs)).toBe(due)
  })

  test('of calls that ran together is no longer than all of them, one after the other, and no shorter than the longest', () => {
    const two = (at: number) =>
      play(
        called('look', 'look'),
        prepared('m1.0'),
        prepared('m1.1'),
        began('m1.0'),
        began('m1.1'),
        settledOk('m1.0', 1, { durationMs: 400 }),
        {
          ...settledOk('m1.1', 1, { durationMs: 300 }),
          at,
        },
      ).live.run?.activeMs
    expect([two(1_000), two(1_450), two(9_000_000)]).toEqual([400, 450, 1_700])
  })

  test('one that did not say how long it took: what the times say', () => {
    const state = play(called('look', 'look'), prepared('m1.0'), prepared('m1.1'), began('m1.0'), began('m1.1'), settledOk('m1.0'), {
      ...settledOk('m1.1', 1, { durationMs: 300 }),
      at: 50_000,
    })
    expect(state.live.run?.activeMs).toBe(49_000)
  })

  test('each interval counts for itself', () => {
    const state = play(open, { ...responded(1, { calls: ['look'] }), at: 1_200 }, prepared('m1.0'), began('m1.0'), {
      ...settledOk('m1.0', 1, { durationMs: 300 }),
      at: 9_000_000,
    })
    expect(state.live.run?.activeMs).toBe(200 + 1_300)
  })
})

describe('decision 0010: verdicts and setups are waited for within the time limit', () => {
  const limits = { maxDurationMs: 1_000 }
  const waited = (ms: number, key: string) => ({ waited: (asked: string) => (asked === key ? ms : 0) })
  const worked = play(open, { ...responded(1, { calls: ['look', 'look'] }), at: 1_300 })

  test('what is worked counts, and how long they are waited for', () => {
    expect(planOf(worked, { limits })).toEqual(plan([], ['prepare:1'], 2_000))
    expect(planOf(worked, { limits }, waited(200, 'prepare:1'))).toEqual(plan([], ['prepare:1'], 1_800))
  })

  test('when it is over nothing of the batch runs, and the limit is why', () => {
    const { append, want } = planOf(worked, { limits }, waited(700, 'prepare:1'))
    expect([append.map(({ data }) => Reflect.get(data, 'limit')), want]).toEqual([['timeout', 'timeout'], []])
  })

  test('a setup: the limit, as any other is met', () => {
    const change = (onLimit: 'error' | 'incomplete' | 'summarize') => ({ hasSetup: true, limits: { ...limits, onLimit } })
    const state = play(requested(), claimed())
    const key = 'setup:1.1:main:r1'
    expect(planOf(state, change('error'), waited(999, key))).toEqual(plan([], [key], 1_001))
    for (const [onLimit, status] of [
      ['error', 'failed'],
      ['incomplete', 'incomplete'],
    ] as const)
      expect(planOf(state, change(onLimit), waited(1_000, key)).append).toMatchObject([{ data: { status, reason: 'timeout' } }])
    // The wrap-up asks anew, and has the grace.
    expect(planOf(state, change('summarize'), waited(1_000, key))).toEqual(plan([], ['setup:1.1:wrap-up:r1'], 1_100))
  })

  test('the setup of a wrap-up: what is left, at least the grace; then there is none', () => {
    const state = play(open, { ...responded(1, { calls: ['look'] }), at: 1_300 }, prepared('m1.0'), began('m1.0'), settledOk('m1.0'))
    const change = { hasSetup: true, limits: { ...limits, maxIterations: 1 } }
    const key = 'setup:2.1:wrap-up:r1'
    expect(planOf(state, change)).toEqual(plan([], [key], 2_000))
    expect(planOf(state, { ...change, limits: { ...change.limits, maxDurationMs: 301 } })).toEqual(plan([], [key], 1_400))
    const { append } = planOf(state, change, waited(700, key))
    expect(append).toMatchObject([{ data: { status: 'incomplete', reason: 'max_iterations', text: expect.stringContaining('1') } }])
  })

  test('without a time limit there is none', () => {
    expect(planOf(worked, {}, waited(9_000_000, 'prepare:1'))).toEqual(plan([], ['prepare:1']))
    expect(planOf(play(requested(), claimed()), { hasSetup: true }, waited(9_000_000, 'setup:1.1:main:r1'))).toEqual(
      plan([], ['setup:1.1:main:r1']),
    )
  })
})
