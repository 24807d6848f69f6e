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
  nothing,
  open,
  plan,
  planOf,
  play,
  prepared,
  requested,
  responded,
  settledBad,
  settledOk,
  settles,
  started,
  starts,
  steer,
} from './support.ts'

const userSpoke = 'Not run: the user said something else instead of answering.'
const deniedText = 'The user did not allow this call. Do not try it again unless they ask for it.'

describe('machine 5.3: announced calls', () => {
  test('their verdicts are wanted, once for the batch', () => {
    expect(planOf(play(called('look', 'save')))).toEqual(plan([], ['prepare:1']))
  })

  test('a paused run asks for no verdicts', () => {
    expect(planOf(play(called('look'), control('pause')))).toEqual(nothing)
  })

  test('nor does one whose time slice is over', () => {
    expect(planOf(play(called('look')), {}, { holdStarts: true })).toEqual(nothing)
  })

  test.each([
    ['a paused run', [control('pause')], {}],
    ['one whose time slice is over', [], { holdStarts: true }],
  ] as const)('but who is being asked is awaited: %s', (_name, more, held) => {
    const isRunning = (key: string) => key === 'prepare:1'
    expect(planOf(play(called('look'), ...more), {}, { ...held, isRunning })).toEqual(plan([], ['prepare:1']))
    expect(planOf(play(called('look'), prepared('m1.0'), ...more), {}, { ...held, isRunning })).toEqual(nothing)
  })

  test('no call starts before all verdicts of the batch are there', () => {
    expect(planOf(play(called('look', 'look'), prepared('m1.0')))).toEqual(plan([], ['prepare:1']))
  })

  test('C11, B031 the calls of a truncated response are never run, whether their arguments parse or not', () => {
    const state = play(open, responded(1, { calls: [['save', { path: 'a' }], 'look'], finish: 'length' }))
    const text =
      'The response was cut off at the output limit before this call was complete, so it was not run. Send it again, with shorter arguments.'
    expect(planOf(state)).toEqual(plan(['m1.0', 'm1.1'].map((id) => settles(id, 'truncated', 'ToolTruncated', text))))
  })

  test.each(['content-filter', 'refusal'] as const)('calls of a response that ended with %s do not run', (finish) => {
    const text = 'The response was blocked or refused, so this call was not run.'
    expect(planOf(play(open, responded(1, { calls: ['look'], finish })))).toEqual(plan([settles('m1.0', 'skipped', 'ToolSkipped', text)]))
  })

  test('B175 stray calls of a wrap-up are skipped, and its text is the answer', () => {
    const wrapUp = [...open, failed(1, { cause: 'limit' }), started(2, { purpose: 'wrap-up', reason: 'timeout' })]
    const state = play(wrapUp, responded(2, { text: 'So far.', calls: ['look'] }))
    const text = 'Tools cannot be called in this answer; the call was not run.'
    expect(planOf(state)).toEqual(plan([settles('m2.0', 'skipped', 'ToolSkipped', text)]))
    const after = play(wrapUp, responded(2, { text: 'So far.', calls: ['look'] }), settledBad('m2.0', 'skipped'))
    expect(planOf(after)).toEqual(plan([finishes({ status: 'incomplete', reason: 'timeout', text: 'So far.' })]))
  })

  test('dead calls settle though the run is paused: no work is begun', () => {
    const state = play(open, responded(1, { calls: ['look'], finish: 'refusal' }), control('pause'))
    expect(planOf(state).append).toHaveLength(1)
  })

  test('a call that the provider has run is nobody else’s business', () => {
    const parts = [
      { type: 'tool-call', callId: 'm1.0', toolName: 'search', input: {}, providerExecuted: true },
      { type: 'tool-call', callId: 'm1.1', toolName: 'look', input: {} },
    ] as const
    expect(planOf(play(open, responded(1, { parts })))).toEqual(plan([], ['prepare:1']))
    expect(planOf(play(open, responded(1, { parts }), prepared('m1.1')))).toEqual(plan([starts('m1.1')]))
  })
})

describe('machine 4: approvals', () => {
  const asked = [...called('look', 'look'), prepared('m1.0', { approval: {} }), prepared('m1.1')]

  test('verdicts: siblings that need no answer run while others wait', () => {
    expect(planOf(play(asked))).toEqual(plan([starts('m1.1')]))
  })

  test('answers: nothing runs until all are answered', () => {
    const change = { approvalTiming: 'answers' } as const
    expect(planOf(play(asked), change)).toEqual(nothing)
    expect(planOf(play(asked, decided('e5', 'deny')), change)).toEqual(
      plan([settles('m1.0', 'denied', 'ToolDenied', deniedText), starts('m1.1')]),
    )
    expect(planOf(play(asked, decided('e5', 'allow')), change).append).toEqual([starts('m1.0', 1, { approval: 'e7' }), starts('m1.1')])
  })

  test('an allowed call starts and names the decision; a decision by hand is used once', () => {
    expect(planOf(play(asked, decided('e5', 'allow'), began('m1.1')))).toEqual(
      plan([starts('m1.0', 1, { approval: 'e7' })], ['tool:m1.1.1']),
    )
  })

  test.each([
    ['without a reason', {}, deniedText],
    ['with one', { reason: 'too dear' }, 'The user did not allow this call: too dear'],
    ['with an empty one', { reason: '' }, deniedText],
  ])('a denied call settles as denied, %s', (_name, more, text) => {
    expect(planOf(play(asked, decided('e5', 'deny', more)))).toEqual(plan([settles('m1.0', 'denied', 'ToolDenied', text), starts('m1.1')]))
  })

  test('stop is a denial that ends the turn', () => {
    expect(planOf(play(asked, decided('e5', 'stop'))).append[0]).toEqual(
      settles('m1.0', 'denied', 'ToolDenied', deniedText, { end: 'stop' }),
    )
  })

  test('edited arguments are prepared again before the call is ready', () => {
    const edited = decided('e5', 'allow', { arguments: { path: 'b' } })
    expect(planOf(play(called('look'), prepared('m1.0', { approval: {} }), edited))).toEqual(plan([], ['prepare:1']))
    const again = prepared('m1.0', { arguments: { path: 'b' }, approvedBy: 'e6' })
    const state = play(called('look'), prepared('m1.0', { approval: {} }), edited, again)
    expect(state.live.turn?.calls[0]).toMatchObject({ status: 'ready', input: { path: 'b' }, preparedId: 'e7' })
    expect(planOf(state)).toEqual(plan([starts('m1.0', 1, { approval: 'e6' })]))
  })

  test('the machine wakes for the first expiry', () => {
    const state = play(
      called('look', 'look'),
      prepared('m1.0', { approval: { expiresAt: 9_000 } }),
      prepared('m1.1', { approval: { expiresAt: 5_000 } }),
    )
    expect(planOf(state)).toEqual(plan([], [], 5_000))
  })

  test('an approval that nobody gave in time settles as denied', () => {
    const state = play(called('look'), prepared('m1.0', { approval: { expiresAt: 5_000 } }))
    expect(planOf(state, {}, { now: 4_999 })).toEqual(plan([], [], 5_000))
    const text = 'Not run: nobody approved the call in time.'
    expect(planOf(state, {}, { now: 5_000 })).toEqual(plan([settles('m1.0', 'denied', 'ToolDenied', text)]))
  })

  test('a decision ends the expiry: an allowed call does not expire', () => {
    const state = play(called('look'), prepared('m1.0', { approval: { expiresAt: 5_000 } }), decided('e5', 'allow'))
    expect(planOf(state, {}, { now: 6_000 })).toEqual(plan([starts('m1.0', 1, { approval: 'e6' })]))
  })

  test('a paused run takes denials and expiries, and starts nothing', () => {
    expect(planOf(play(asked, decided('e5', 'deny'), control('pause')))).toEqual(
      plan([settles('m1.0', 'denied', 'ToolDenied', deniedText)]),
    )
    expect(planOf(play(asked, decided('e5', 'allow'), control('pause')))).toEqual(nothing)
  })

  test('a denial of all calls goes back to the model', () => {
    const state = play(
      called('look'),
      prepared('m1.0', { approval: {} }),
      decided('e5', 'deny'),
      settledBad('m1.0', 'denied', { by: 'machine' }),
    )
    expect(planOf(state)).toEqual(plan([calls(2, 7)]))
  })

  test('a new epoch does not lose the wait', () => {
    expect(planOf(play(called('look'), prepared('m1.0', { approval: { expiresAt: 5_000 } }), claimed(2, 'r1', 'resume')))).toEqual(
      plan([], [], 5_000),
    )
  })
})

describe('machine 4: a user message while calls await', () => {
  const waiting = [
    ...called('look', 'client'),
    prepared('m1.0', { approval: {} }),
    prepared('m1.1', { executor: 'external' }),
    deferred('m1.1'),
  ]
  const skipped = ['m1.0', 'm1.1'].map((id) => settles(id, 'skipped', 'ToolSkipped', userSpoke))

  test('answer: calls prepared before it are skipped, those outside too', () => {
    expect(planOf(play(waiting, steer('Do it otherwise')))).toEqual(plan(skipped))
  })

  test.each(['hold', 'reject'] as const)('%s: they go on waiting', (onPending) => {
    expect(planOf(play(waiting, steer('Do it otherwise')), { onPending })).toEqual(nothing)
  })

  test('a message that was there before the request does not count', () => {
    expect(planOf(play(called('look'), steer('Also'), prepared('m1.0', { approval: {} })))).toEqual(nothing)
  })

  test.each(['background', 'hook', 'nudge', 'wrap-up', 'output-request'] as const)('a %s message does not count', (origin) => {
    expect(planOf(play(waiting, steer('Ping', { origin })))).toEqual(nothing)
  })

  test('a hidden message does not count', () => {
    expect(planOf(play(waiting, steer('Ping', { hidden: true })))).toEqual(nothing)
  })

  test('a follow-up counts', () => {
    expect(planOf(play(waiting, steer('And?', { origin: 'follow-up' })))).toEqual(plan(skipped))
  })

  test('calls that run or are ready are not touched', () => {
    const state = play(called('look', 'look'), prepared('m1.0'), prepared('m1.1'), began('m1.0'), steer('Hurry'))
    expect(planOf(state)).toEqual(plan([starts('m1.1')], ['tool:m1.0.1']))
  })

  test('the input of a run that waits is no message to this one', () => {
    expect(planOf(play(waiting, requested('r2', 'Later')))).toEqual(nothing)
  })
})

describe('machine 4: calls outside', () => {
  test('a client tool is deferred when it is ready, and then awaited', () => {
    const state = play(called('client'), prepared('m1.0', { executor: 'external' }))
    expect(planOf(state)).toEqual(plan([{ kind: 'call.deferred', data: { callId: 'm1.0', why: 'client' } }]))
    expect(planOf(play(called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0')))).toEqual(nothing)
  })

  test('it is no start: no limit of calls holds it back', () => {
    const state = play(called('client'), prepared('m1.0', { executor: 'external' }))
    expect(planOf(state, { limits: { maxToolCalls: 0, maxCallsPerTool: 0 } }).append.map(({ kind }) => kind)).toEqual(['call.deferred'])
  })

  test('an answer that does not come in time is a timeout', () => {
    const state = play(called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0', { expiresAt: 5_000 }))
    expect(planOf(state, {}, { now: 4_999 })).toEqual(plan([], [], 5_000))
    expect(planOf(state, {}, { now: 5_000 })).toEqual(plan([settles('m1.0', 'timeout', 'ToolTimeout', 'No result came in time.')]))
  })

  test('a call that suspended itself waits outside and blocks no slot', () => {
    const state = play(
      called('look', 'look'),
      prepared('m1.0'),
      prepared('m1.1'),
      began('m1.0'),
      deferred('m1.0', { why: 'suspended', correlationId: 'c' }),
    )
    expect(planOf(state, { maxParallel: 1 })).toEqual(plan([starts('m1.1')]))
  })

  test('a new epoch makes no orphan of it', () => {
    const state = play(
      called('save'),
      prepared('m1.0', { effect: 'unsafe' }),
      began('m1.0'),
      deferred('m1.0', { why: 'suspended' }),
      claimed(2),
    )
    expect(planOf(state)).toEqual(nothing)
  })

  test('the answer goes on to the model', () => {
    const state = play(called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0'), answered('m1.0', 1))
    expect(planOf(state)).toEqual(plan([calls(2, 7)]))
  })

  test('a batch with one call outside waits for it though its others are done', () => {
    const state = play(
      called('client', 'look'),
      prepared('m1.0', { executor: 'external' }),
      prepared('m1.1'),
      deferred('m1.0'),
      began('m1.1'),
      settledOk('m1.1'),
    )
    expect(planOf(state)).toEqual(nothing)
  })
})
