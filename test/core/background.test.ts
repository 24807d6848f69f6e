import { describe, expect, test } from 'vitest'
import { accept } from '../../src/core/accept.ts'
import { applyTo } from '../../src/core/apply.ts'
import { placeholder } from '../../src/core/background.ts'
import type { EntryBody } from '../../src/core/entry.ts'
import { pendingCalls } from '../../src/core/outcome.ts'
import { emptyState } from '../../src/core/state.ts'
import { statusOf } from '../../src/core/status.ts'
import {
  answered,
  began,
  called,
  calls,
  claimed,
  control,
  deferred,
  journal,
  nothing,
  plan,
  planOf,
  play,
  prepared,
  requested,
  responded,
  type Step,
  settledBad,
  settledOk,
  started,
  starts,
  steer,
} from './support.ts'

/** The entry by which a call is left behind. */
const left = (callId: string): Step => ({
  kind: 'call.settled',
  data: { callId, settlement: placeholder(callId), by: 'machine', background: true },
})

const outcome = (callId: string, step: Step): Step => {
  if (step.kind !== 'call.settled') throw new Error('not a settlement')
  const { settlement, by, attempt, end, durationMs } = step.data
  const result = {
    settlement,
    by,
    ...(attempt === undefined ? {} : { attempt }),
    ...(end === 'fail' ? ({ end } as const) : {}),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
  return {
    kind: 'message',
    data: {
      origin: 'background',
      callId,
      hidden: true,
      message: { role: 'user', parts: [{ type: 'text', text: 'It is there.' }] },
      result,
    },
  }
}

/** One call goes on in the background, and the model has been asked again. */
const behind = (toolName: string, effect: 'read' | 'unsafe' = 'read') => [
  ...called(toolName),
  prepared('m1.0', { effect }),
  began('m1.0'),
  left('m1.0'),
]

const said = (bodies: readonly EntryBody[]): string[] =>
  bodies.map((body) => {
    if (body.kind !== 'message') return body.kind
    return `${body.kind} ${body.data.callId} ${body.data.result?.settlement.outcome}`
  })

describe('machine 2, call.settled.background: a call that the model does not wait for', () => {
  test('it starts, its message is answered at once, and the model is asked again while it runs', () => {
    const ready = play(called('behind'), prepared('m1.0'))
    expect(planOf(ready)).toEqual(plan([starts('m1.0')]))
    const running = play(called('behind'), prepared('m1.0'), began('m1.0'))
    expect(planOf(running)).toEqual(plan([left('m1.0') as EntryBody]))
    const state = play(behind('behind'))
    expect(state.live.turn).toBeUndefined()
    expect(planOf(state).append).toEqual([calls(2, state.live.seq)])
    expect(planOf(play(behind('behind'), started(2)))).toEqual(plan([], ['tool:m1.0.1', 'model:2.1']))
  })

  test('the message is one of the conversation, its call has a placeholder that says so', () => {
    const { sealed } = play(behind('behind'))
    expect(sealed.at(-1)?.message.parts[0]).toMatchObject({
      background: true,
      settlement: { outcome: 'ok', output: { status: 'running_in_background' } },
      content: expect.stringContaining('goes on in the background, as m1.0'),
    })
  })

  test('the run does not complete before the outcome is there; then the model is asked once more', () => {
    const answeredSteps = [...behind('behind'), started(2), responded(2, 'It is under way.')]
    expect(planOf(play(answeredSteps))).toEqual(plan([], ['tool:m1.0.1']))
    expect(statusOf(play(answeredSteps))).toBe('tool_running')
    const state = play(answeredSteps, outcome('m1.0', settledOk('m1.0')))
    expect(planOf(state)).toEqual(plan([calls(3, state.live.seq)]))
    expect(state.live.background).toEqual([])
  })

  test('a model that says nothing waits for it: it is asked again when the outcome is there, and not before', () => {
    const steps = [...behind('behind'), started(2), responded(2, '')]
    expect(planOf(play(steps))).toEqual(plan([], ['tool:m1.0.1']))
    const state = play(steps, outcome('m1.0', settledOk('m1.0')))
    expect(planOf(state).append).toEqual([calls(3, state.live.seq)])
  })

  test('nor is it asked whether it may complete (hooks, output)', () => {
    const state = play(behind('behind'), started(2), responded(2, 'It is under way.'))
    expect(planOf(state, { hasComplete: true })).toEqual(plan([], ['tool:m1.0.1']))
  })

  test('after a done tool the outcome is awaited, and asks for no other answer', () => {
    const both = [
      ...called('behind', 'look'),
      prepared('m1.0'),
      prepared('m1.1'),
      began('m1.0'),
      left('m1.0'),
      began('m1.1'),
      settledOk('m1.1', 'bye', { end: 'done' }),
    ]
    expect(planOf(play(both))).toEqual(plan([], ['tool:m1.0.1']))
    const ended = planOf(play(both, outcome('m1.0', settledOk('m1.0'))))
    expect(ended.append).toMatchObject([{ kind: 'run.finished', data: { status: 'completed', reason: 'done_tool', output: 'bye' } }])
    const asked = planOf(play(both, outcome('m1.0', settledOk('m1.0')), steer('And?')))
    expect(said(asked.append)).toEqual(['model.started'])
  })

  test('a run that ends otherwise ends it too: unknown when it may have had its effect, else cancelled', () => {
    const broken = (toolName: string, effect: 'read' | 'unsafe') =>
      planOf(play(behind(toolName, effect), started(2), { kind: 'model.failed', data: { n: 2, attempt: 1, error: { ...failure } } }))
    expect(said(broken('behind', 'read').append)).toEqual(['message m1.0 cancelled', 'run.finished'])
    expect(said(broken('job', 'unsafe').append)).toEqual(['message m1.0 unknown', 'run.finished'])
  })

  test('a cancel settles it by the end of its grace', () => {
    const steps = [...behind('job', 'unsafe'), started(2), responded(2, 'Under way.'), control('cancel')]
    expect(planOf(play(steps))).toEqual(plan([], [], 1_040))
    expect(said(planOf(play(steps), {}, { now: 1_040 }).append)).toEqual(['message m1.0 unknown'])
    const after = play(steps, outcome('m1.0', settledBad('m1.0', 'cancelled')))
    expect(said(planOf(after).append)).toEqual(['run.finished'])
  })

  test("the run's time limit ends it, then the limit is wrapped up", () => {
    const limits = { maxDurationMs: 300 }
    const steps = [...behind('behind'), started(2), responded(2, 'Under way.')]
    expect(said(planOf(play(steps), { limits }, { now: 1_400 }).append)).toEqual(['message m1.0 cancelled'])
    const after = play(steps, { ...outcome('m1.0', settledBad('m1.0', 'cancelled')), at: 1_400 })
    expect(planOf(after, { limits }).append).toMatchObject([{ kind: 'model.started', data: { purpose: 'wrap-up', reason: 'timeout' } }])
  })

  test('its own time limit settles it; unsafe: it guards (machine 4)', () => {
    const steps = [...behind('job', 'unsafe'), started(2)]
    expect(planOf(play(steps))).toEqual(plan([], ['tool:m1.0.1', 'model:2.1'], 1_500))
    expect(said(planOf(play(steps), {}, { now: 1_500 }).append)).toEqual(['message m1.0 timeout'])
    const again = play(
      steps,
      outcome('m1.0', settledBad('m1.0', 'timeout')),
      responded(2, { calls: ['job'] }),
      prepared('m2.0', { effect: 'unsafe' }),
    )
    expect(planOf(again).append).toMatchObject([{ data: { callId: 'm2.0', settlement: { outcome: 'skipped' } } }])
  })

  test('what a user says while it runs, or waits outside, is no answer to it (machine 4)', () => {
    const steps = [...behind('behind'), started(2), responded(2, 'Under way.'), deferred('m1.0', { why: 'suspended', attempt: 1 })]
    const state = play(steps, steer('How is it going?'))
    expect(state.live.background).toMatchObject([{ status: 'outside' }])
    expect(said(planOf(state).append)).toEqual(['model.started'])
  })

  test('a pause lets it run; its result waits with the run', () => {
    expect(planOf(play(behind('behind'), control('pause')))).toEqual(plan([], ['tool:m1.0.1']))
    expect(planOf(play(behind('behind'), control('pause'), outcome('m1.0', settledOk('m1.0'))))).toEqual(nothing)
  })
})

const failure = { code: 'ModelServerError', category: 'model', message: 'broken', retryable: false } as const

describe('machine 4: admission of background calls', () => {
  test('the same call does not run twice at once, also within one message', () => {
    const two = [...called(['behind', { a: 1 }], ['behind', { a: 1 }]), prepared('m1.0'), prepared('m1.1')]
    expect(planOf(play(two))).toEqual(plan([starts('m1.0')]))
    // The first is left behind before the second is looked at.
    expect(planOf(play(two, began('m1.0')))).toEqual(plan([left('m1.0') as EntryBody]))
    const skipped = planOf(play(two, began('m1.0'), left('m1.0'))).append
    expect(skipped).toMatchObject([{ data: { callId: 'm1.1', settlement: { outcome: 'skipped' } } }])
    expect(JSON.stringify(skipped)).toContain('the same call goes on in the background already, as m1.0')
  })

  test('with other arguments it does', () => {
    const two = [...called(['behind', { a: 1 }], ['behind', { a: 2 }]), prepared('m1.0'), prepared('m1.1'), began('m1.0'), left('m1.0')]
    expect(planOf(play(two)).append).toEqual([starts('m1.1')])
  })

  test('they take no slot of the others, and no more than maxParallel of them go on at once', () => {
    const steps = [
      ...called(['behind', { a: 1 }], ['behind', { a: 2 }], 'look'),
      prepared('m1.0'),
      prepared('m1.1'),
      prepared('m1.2'),
      began('m1.0'),
      left('m1.0'),
    ]
    const full = planOf(play(steps), { maxParallel: 1 }).append
    expect(full).toMatchObject([{ data: { callId: 'm1.1', settlement: { outcome: 'skipped' } } }, starts('m1.2')])
    expect(JSON.stringify(full)).toContain('1 calls go on in the background already')
  })

  test('an exclusive call waits until nothing runs there', () => {
    const steps = [...behind('behind'), started(2), responded(2, { calls: ['solo'] }), prepared('m2.0', { effect: 'unsafe' })]
    expect(planOf(play(steps))).toEqual(plan([], ['tool:m1.0.1']))
    expect(planOf(play(steps, outcome('m1.0', settledOk('m1.0')))).append).toEqual([starts('m2.0')])
  })
})

describe('machine 4: orphans in the background', () => {
  const orphan = (toolName: string, effect: 'read' | 'unsafe', attempt = 1) =>
    play(
      called(toolName),
      prepared('m1.0', { effect }),
      began('m1.0', attempt),
      left('m1.0'),
      started(2),
      responded(2, 'Under way.'),
      claimed(2, 'r1', 'resume'),
    )

  test('read and idempotent ones run again, at most three times; unsafe ones are unknown', () => {
    expect(planOf(orphan('behind', 'read')).append).toEqual([starts('m1.0', 2)])
    expect(said(planOf(orphan('behind', 'read', 3)).append)).toEqual(['message m1.0 error'])
    expect(said(planOf(orphan('job', 'unsafe')).append)).toEqual(['message m1.0 unknown'])
  })

  test('the same with somebody who is asked', () => {
    expect(planOf(orphan('job', 'unsafe'), { lostOutcome: 'ask' }).append).toMatchObject([
      { kind: 'call.deferred', data: { callId: 'm1.0', why: 'unresolved' } },
    ])
  })

  test('run again it is wanted again, under its attempt', () => {
    const state = play(behind('behind'), started(2), responded(2, 'Under way.'), claimed(2, 'r1', 'resume'), began('m1.0', 2))
    expect(planOf(state)).toEqual(plan([], ['tool:m1.0.2']))
  })
})

describe('background calls outside', () => {
  const outside = [
    ...called('behind'),
    prepared('m1.0', { executor: 'external' }),
    deferred('m1.0', { expiresAt: 5_000 }),
    left('m1.0'),
    started(2),
    responded(2, 'Under way.'),
  ]

  test('a client answers when it likes: until then they are pending, and the run waits for nothing else', () => {
    const state = play(outside)
    expect(planOf(state)).toEqual(plan([], [], 5_000))
    expect(statusOf(state)).toBe('awaiting_tool_results')
    expect(pendingCalls(state.live, { sessionId: 's', isDynamic: () => false })).toMatchObject([{ callId: 'm1.0', kind: 'result' }])
    expect(accept(state, answered('m1.0', 'done') as EntryBody, { onPending: 'reject', now: 2_000 })).toBeUndefined()
    expect(said(planOf(state, {}, { now: 5_000 }).append)).toEqual(['message m1.0 timeout'])
  })

  test('they are left behind as soon as they are handed out', () => {
    const handed = play(called('behind'), prepared('m1.0', { executor: 'external' }), deferred('m1.0'))
    expect(planOf(handed)).toEqual(plan([left('m1.0') as EntryBody]))
  })

  test('a second answer is refused, one while it runs here too', () => {
    const answeredOnce = play(outside, outcome('m1.0', answered('m1.0', 'done')))
    const again = accept(answeredOnce, answered('m1.0', 'done') as EntryBody, { onPending: 'answer', now: 2_000 })
    expect(again?.why).toBe('late')
    const runs = accept(play(behind('behind')), answered('m1.0', 'done') as EntryBody, { onPending: 'answer', now: 2_000 })
    expect(runs?.why).toBe('not_outside')
  })
})

describe("toolFailureMode 'fail' in the background (C7)", () => {
  test('a failure there ends the run whatever the model says meanwhile', () => {
    const mode = { toolFailureMode: 'fail' } as const
    const steps = [...behind('behind'), started(2)]
    const failed = outcome('m1.0', settledBad('m1.0', 'error', { end: 'fail' }))
    for (const end of [
      [failed, responded(2, 'Fine.')],
      [responded(2, 'Fine.'), failed],
    ]) {
      const { append } = planOf(play(steps, end), mode)
      expect(append).toMatchObject([
        { kind: 'run.finished', data: { status: 'failed', reason: 'tool_failure', error: { message: 'it was error' } } },
      ])
    }
  })

  test('but a run that is wrapping up ends for its limit', () => {
    const failed = outcome('m1.0', settledBad('m1.0', 'error', { end: 'fail' }))
    const steps = [...behind('behind'), started(2, { purpose: 'wrap-up', reason: 'max_iterations' }), failed, responded(2, 'So far.')]
    expect(planOf(play(steps)).append).toMatchObject([{ kind: 'run.finished', data: { status: 'incomplete', reason: 'max_iterations' } }])
  })

  test('what has not begun then never does, nor what the model asks for afterwards', () => {
    const mode = { toolFailureMode: 'fail' } as const
    const failed = outcome('m1.0', settledBad('m1.0', 'error', { end: 'fail' }))
    const skipped = (callId: string) => `call.settled ${callId} skipped`
    const settled = (bodies: readonly EntryBody[]) =>
      bodies.map(({ kind, data }) => (kind === 'call.settled' ? `${kind} ${data.callId} ${data.settlement.outcome}` : kind))
    const steps = [
      ...behind('behind'),
      started(2),
      responded(2, { calls: ['look', 'save', 'client', 'put'] }),
      prepared('m2.0'),
      prepared('m2.1', { effect: 'unsafe', approval: {} }),
      prepared('m2.2', { executor: 'external' }),
      began('m2.0'),
      failed,
    ]
    expect(settled(planOf(play(steps), mode).append)).toEqual([skipped('m2.1'), skipped('m2.2'), skipped('m2.3')])
    const asked = [...behind('behind'), started(2), failed, responded(2, { calls: ['save'] })]
    expect(settled(planOf(play(asked), mode).append)).toEqual([skipped('m2.0')])
  })

  test('also when calls are open then', () => {
    const failed = outcome('m1.0', settledBad('m1.0', 'error', { end: 'fail' }))
    const steps = [
      ...behind('behind'),
      started(2),
      responded(2, { calls: ['look'] }),
      prepared('m2.0'),
      began('m2.0'),
      failed,
      settledOk('m2.0'),
    ]
    expect(planOf(play(steps)).append).toMatchObject([{ kind: 'run.finished', data: { reason: 'tool_failure' } }])
  })
})

test('an outcome is added to those before, which are not copied: a step costs the same however many there are', () => {
  const state = emptyState()
  const steps = [
    ...called('behind', 'job'),
    prepared('m1.0'),
    prepared('m1.1', { effect: 'unsafe' }),
    began('m1.0'),
    left('m1.0'),
    began('m1.1'),
    left('m1.1'),
    outcome('m1.0', settledOk('m1.0')),
    outcome('m1.1', settledOk('m1.1')),
  ]
  const entries = journal(steps)
  for (const entry of entries.slice(0, -1)) applyTo(state, entry)
  const first = state.live.run?.behind
  for (const entry of entries.slice(-1)) applyTo(state, entry)
  expect([first?.part.callId, state.live.run?.behind?.part.callId]).toEqual(['m1.0', 'm1.1'])
  expect(state.live.run?.behind?.before).toBe(first)
})

test('a journal in which an outcome comes twice, or for a call that was not left behind, is refused', () => {
  const end = outcome('m1.0', settledOk('m1.0'))
  expect(() => play(behind('behind'), end, end)).toThrow('the outcome of a background call comes once')
  expect(() => play(called('behind'), prepared('m1.0'), began('m1.0'), end)).toThrow('the outcome of a background call comes once')
  expect(() => play(called('behind'), prepared('m1.0'), left('m1.0'))).toThrow('what goes on in the background has begun')
  expect(() => play(behind('behind'), settledOk('m1.0'))).toThrow('a call settles once')
  expect(() => play(requested(), claimed(), left('m1.0'))).toThrow('a call is open')
})
