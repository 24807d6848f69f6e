import { describe, expect, test } from 'vitest'
import {
  began,
  called,
  claimed,
  control,
  decided,
  nothing,
  plan,
  planOf,
  play,
  prepared,
  settledBad,
  settledOk,
  settles,
  starts,
} from './support.ts'

const unknownEffect =
  'It is unknown whether this call took effect: it began, and its outcome was lost. Do not repeat it without checking; ask the user if you cannot check.'
const resume = claimed(2, 'r1', 'resume')

describe('machine 5.3: running calls', () => {
  test('a running call is wanted under its attempt, until its own time limit', () => {
    expect(planOf(play(called('look'), prepared('m1.0'), began('m1.0')))).toEqual(plan([], ['tool:m1.0.1']))
    expect(planOf(play(called('slow'), prepared('m1.0'), began('m1.0')))).toEqual(plan([], ['tool:m1.0.1'], 1_500))
  })

  test('C31 over its own time limit it settles as timeout at once', () => {
    const state = play(called('slow'), prepared('m1.0'), began('m1.0'))
    expect(planOf(state, {}, { now: 1_499 })).toEqual(plan([], ['tool:m1.0.1'], 1_500))
    const text = 'The call was stopped after its time limit of 500 ms.'
    expect(planOf(state, {}, { now: 1_500 })).toEqual(plan([settles('m1.0', 'timeout', 'ToolTimeout', text)]))
  })

  test('C31 the text for an unsafe tool says that its effect is unknown', () => {
    const state = play(called('send'), prepared('m1.0', { effect: 'unsafe' }), began('m1.0'))
    const text =
      'The call did not finish within its time limit and may still be running: it is unknown whether it took effect. Do not repeat it without checking.'
    expect(planOf(state, {}, { now: 1_500 })).toEqual(plan([settles('m1.0', 'timeout', 'ToolTimeout', text)]))
  })

  test('the time of a second attempt begins with it', () => {
    const state = play(called('slow'), prepared('m1.0'), began('m1.0'), resume, { ...began('m1.0', 2), at: 5_000 })
    expect(planOf(state)).toEqual(plan([], ['tool:m1.0.2'], 5_500))
  })

  test('pause lets a running call run', () => {
    expect(planOf(play(called('look'), prepared('m1.0'), began('m1.0'), control('pause')))).toEqual(plan([], ['tool:m1.0.1']))
  })
})

describe('machine 4: orphans', () => {
  const orphan = (toolName: string, effect: 'read' | 'idempotent' | 'unsafe', attempt = 1) =>
    play(called(toolName), prepared('m1.0', { effect }), began('m1.0', attempt), resume)
  const thirdTime = settles(
    'm1.0',
    'error',
    'ToolExecutionError',
    'The process ended three times while this call ran; it is not tried again.',
  )
  const unknown = settles('m1.0', 'unknown', 'ToolOutcomeUnknown', unknownEffect)

  test.each([
    ['read: the next attempt', orphan('look', 'read'), plan([starts('m1.0', 2)])],
    ['read: the third attempt', orphan('look', 'read', 2), plan([starts('m1.0', 3)])],
    ['read: at most three', orphan('look', 'read', 3), plan([thirdTime])],
    ['idempotent: the next attempt', orphan('put', 'idempotent'), plan([starts('m1.0', 2)])],
    ['idempotent: at most three', orphan('put', 'idempotent', 3), plan([thirdTime])],
    ['unsafe: its outcome is unknown', orphan('save', 'unsafe'), plan([unknown])],
    ['unsafe with reconcile: asked', orphan('pay', 'unsafe'), plan([], ['reconcile:m1.0'], 61_000)],
    ['the effect class is that of the entry: a tool that is safe today does not run again', orphan('look', 'unsafe'), plan([unknown])],
    ['the effect class is that of the entry: a tool that is unsafe today does', orphan('save', 'read'), plan([starts('m1.0', 2)])],
    ['a tool that is gone today: the entry says what to do', orphan('gone', 'read'), plan([starts('m1.0', 2)])],
  ])('%s', (_rule, state, expected) => {
    expect(planOf(state)).toEqual(expected)
  })

  test('C7 under toolFailureMode fail what the machine settles as failed ends the run too', () => {
    const mode = { toolFailureMode: 'fail' } as const
    const ends = (settled: ReturnType<typeof settles>) => plan([{ ...settled, data: { ...settled.data, end: 'fail' } } as typeof settled])
    expect(planOf(orphan('save', 'unsafe'), mode)).toEqual(ends(unknown))
    expect(planOf(orphan('look', 'read', 3), mode)).toEqual(ends(thirdTime))
    const late = play(called('slow'), prepared('m1.0'), began('m1.0'))
    const text = 'The call was stopped after its time limit of 500 ms.'
    expect(planOf(late, mode, { now: 1_500 })).toEqual(ends(settles('m1.0', 'timeout', 'ToolTimeout', text)))
  })

  test.each([
    ['read', 'look', 'read', nothing],
    ['reconcile', 'pay', 'unsafe', nothing],
    ['unsafe settles all the same', 'save', 'unsafe', plan([unknown])],
  ] as const)('◆ a restart or a reconcile is a start, never under a pause: %s', (_name, toolName, effect, expected) => {
    const state = play(called(toolName), prepared('m1.0', { effect }), began('m1.0'), control('pause'), resume)
    expect(planOf(state)).toEqual(expected)
  })

  test('nor when the time slice is over', () => {
    expect(planOf(orphan('look', 'read'), {}, { holdStarts: true })).toEqual(nothing)
    expect(planOf(orphan('pay', 'unsafe'), {}, { holdStarts: true })).toEqual(nothing)
    const asked = { holdStarts: true, isRunning: (key: string) => key === 'reconcile:m1.0' }
    expect(planOf(orphan('pay', 'unsafe'), {}, asked)).toEqual(plan([], ['reconcile:m1.0'], 61_000))
  })

  test('an orphan whose time was over is restarted, not timed out: nobody was there to stop it', () => {
    expect(planOf(orphan('slow', 'read'), {}, { now: 99_000 })).toEqual(plan([starts('m1.0', 2)]))
  })

  test.each([
    ['one slot', { maxParallel: 1 }, 'look'],
    ['an exclusive tool', {}, 'solo'],
  ] as const)('a ready call before it that waits for %s does not hold it up', (_name, change, toolName) => {
    const state = play(
      called(toolName, 'look'),
      prepared('m1.0', { approval: {} }),
      prepared('m1.1'),
      began('m1.1'),
      decided('e5', 'allow'),
      resume,
    )
    expect(planOf(state, change)).toEqual(plan([starts('m1.1', 2)]))
  })

  test('an approval is not asked again for the second attempt', () => {
    const state = play(called('look'), prepared('m1.0', { approval: {} }), decided('e5', 'allow'), began('m1.0'), resume)
    expect(planOf(state)).toEqual(plan([starts('m1.0', 2, { approval: 'e6' })]))
  })
})

describe('machine 4: guard ◆', () => {
  const input = { to: 'a', amount: 5 }
  const guardText =
    'Not run: the same call was made before and it is unknown whether it took effect. Check first, or ask the user; it does not run again without an approval.'
  const guarded = (callId: string) => settles(callId, 'skipped', 'ToolOutcomeUnknown', guardText)
  const twice = (second: readonly [string, object], outcome: 'unknown' | 'timeout' | 'cancelled' | 'error' = 'unknown') => [
    ...called(['save', input], [second[0], second[1] as typeof input]),
    prepared('m1.0', { effect: 'unsafe' }),
    prepared('m1.1', { effect: 'unsafe' }),
    began('m1.0'),
    settledBad('m1.0', outcome),
  ]

  test.each(['unknown', 'timeout', 'cancelled'] as const)(
    'a started unsafe call that settled %s guards: the same is not admitted in its own batch',
    (outcome) => {
      expect(planOf(play(twice(['save', input], outcome)), { maxParallel: 1 })).toEqual(plan([guarded('m1.1')]))
    },
  )

  test('the end of one and the start of the same are never decided in one go', () => {
    const two = (...more: ReturnType<typeof began>[]) => {
      const [first, second] = [prepared('m1.0', { effect: 'unsafe' }), prepared('m1.1', { effect: 'unsafe' })]
      return play(called(['send', { to: 'a' }], ['send', { to: 'a' }]), first, second, began('m1.0'), ...more)
    }
    const late = planOf(two(), { maxParallel: 1 }, { now: 1_500 })
    expect(late.append).toMatchObject([{ kind: 'call.settled', data: { callId: 'm1.0', settlement: { outcome: 'timeout' } } }])
    expect(late.append).toHaveLength(1)
    expect(planOf(two(resume)).append).toEqual([settles('m1.0', 'unknown', 'ToolOutcomeUnknown', unknownEffect)])
  })

  test('a call that failed by its own word does not guard', () => {
    expect(planOf(play(twice(['save', input], 'error')))).toEqual(plan([starts('m1.1')]))
  })

  test('the order of keys does not matter', () => {
    expect(planOf(play(twice(['save', { amount: 5, to: 'a' }])))).toEqual(plan([guarded('m1.1')]))
  })

  test.each([
    ['other arguments', ['save', { to: 'b', amount: 5 }]],
    ['another tool', ['send', input]],
  ] as const)('%s: not the same call', (_name, second) => {
    expect(planOf(play(twice(second)))).toEqual(plan([starts('m1.1')]))
  })

  describe('a tool that can reconcile is asked what became of the call before', () => {
    const paidTwice = [
      ...called(['pay', input], ['pay', input]),
      prepared('m1.0', { effect: 'unsafe' }),
      prepared('m1.1', { effect: 'unsafe' }),
      began('m1.0'),
      settledBad('m1.0', 'timeout'),
    ]
    const guards = (...more: ReturnType<typeof began>[]) =>
      play(paidTwice, ...more).live.guard.map(({ callId, attempt }) => [callId, attempt])
    const waitedFor = (ms: number) => ({ waited: (key: string) => (key === 'reconcile:m1.1' ? ms : 0) })

    test('for a minute at most, as it has no time limit of its own, and not while the run is paused', () => {
      const state = play(paidTwice)
      expect(planOf(state)).toEqual(plan([], ['reconcile:m1.1'], 61_000))
      expect(planOf(state, {}, waitedFor(59_999))).toEqual(plan([], ['reconcile:m1.1'], 1_001))
      expect(planOf(state, {}, waitedFor(60_000))).toEqual(plan([guarded('m1.1')]))
      expect(planOf(play(paidTwice, control('pause')))).toEqual(nothing)
    })

    test('what it is being asked already is awaited, though nothing may begin; its time limit holds all the same', () => {
      const paused = play(paidTwice, control('pause'))
      const isRunning = (key: string) => key === 'reconcile:m1.1'
      expect(planOf(paused, {}, { isRunning })).toEqual(plan([], ['reconcile:m1.1'], 61_000))
      expect(planOf(play(paidTwice), {}, { holdStarts: true, isRunning })).toEqual(plan([], ['reconcile:m1.1'], 61_000))
      expect(planOf(paused, {}, { isRunning, ...waitedFor(60_000) })).toEqual(plan([guarded('m1.1')]))
    })

    test('nor does a sibling whose verdict is missing once more take the question back', () => {
      const state = play(
        called(['pay', input], ['pay', input], ['look', {}]),
        prepared('m1.0', { effect: 'unsafe' }),
        prepared('m1.1', { effect: 'unsafe' }),
        prepared('m1.2', { approval: {} }),
        began('m1.0'),
        settledBad('m1.0', 'timeout'),
        decided('e7', 'allow', { arguments: { at: 'home' } }),
      )
      const isRunning = (key: string) => key === 'reconcile:m1.1'
      expect(planOf(state, {}, { isRunning }).want).toEqual(['reconcile:m1.1', 'prepare:1'])
      expect(planOf(state).want).toEqual(['prepare:1'])
    })

    test('C32 it keeps its slot meanwhile, for it may start at once', () => {
      const state = play(
        called(['pay', input], ['pay', input], ['look', {}]),
        prepared('m1.0', { effect: 'unsafe' }),
        prepared('m1.1', { effect: 'unsafe' }),
        prepared('m1.2'),
        began('m1.0'),
        settledBad('m1.0', 'timeout'),
      )
      expect(planOf(state, { maxParallel: 1 }).append).toEqual([])
      expect(planOf(state, { maxParallel: 2 }).append).toEqual([starts('m1.2')])
    })

    test('it starts when that never took effect; then nothing guards the next one any more', () => {
      expect(guards()).toEqual([['m1.0', 1]])
      expect(guards(began('m1.1'))).toEqual([])
    })

    test('what was found is its result, and guards nothing any more; what stays unknown guards on', () => {
      expect(guards(settledOk('m1.1', 'paid', { by: 'reconcile' }))).toEqual([])
      expect(guards(settledBad('m1.1', 'skipped', { by: 'reconcile' }))).toEqual([['m1.0', 1]])
    })

    test('◆ what was found of a call that a human had approved, and that ran, says nothing about the one before', () => {
      const approved = play(
        called(['pay', input], ['pay', input]),
        prepared('m1.0', { effect: 'unsafe' }),
        prepared('m1.1', { effect: 'unsafe', approval: {} }),
        began('m1.0'),
        settledBad('m1.0', 'unknown'),
        decided('e6', 'allow'),
        began('m1.1'),
        resume,
        settledOk('m1.1', 'paid', { by: 'reconcile' }),
      )
      expect(approved.live.guard.map(({ callId }) => callId)).toEqual(['m1.0'])
    })
  })

  test('an approval lets the same call start', () => {
    const state = play(
      called(['save', input], ['save', input]),
      prepared('m1.0', { effect: 'unsafe' }),
      prepared('m1.1', { effect: 'unsafe', approval: {} }),
      began('m1.0'),
      settledBad('m1.0', 'unknown'),
      decided('e6', 'allow'),
    )
    expect(planOf(state)).toEqual(plan([starts('m1.1', 1, { approval: 'e9' })]))
  })

  test('it compares what really runs: arguments that an approval changed', () => {
    const steps = [
      ...called(['save', { to: 'x' }], ['save', input]),
      prepared('m1.0', { effect: 'unsafe', arguments: input }),
      prepared('m1.1', { effect: 'unsafe' }),
      began('m1.0'),
      settledBad('m1.0', 'unknown'),
    ]
    expect(planOf(play(steps))).toEqual(plan([guarded('m1.1')]))
  })

  test('a call that never started guards nothing; nor does one that is no unsafe one', () => {
    const never = play(called(['save', input]), prepared('m1.0', { effect: 'unsafe' }), settledBad('m1.0', 'cancelled'))
    const read = play(called(['look', input]), prepared('m1.0'), began('m1.0'), settledBad('m1.0', 'unknown'))
    expect([never.live.guard, read.live.guard]).toEqual([[], []])
  })
})
