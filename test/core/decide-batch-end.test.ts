import { describe, expect, test } from 'vitest'
import type { EntryData } from '../../src/core/entry.ts'
import {
  answered,
  began,
  called,
  calls,
  control,
  decided,
  deferred,
  finishes,
  nothing,
  plan,
  planOf,
  play,
  prepared,
  responded,
  settledBad,
  settledOk,
  settles,
  started,
  starts,
  steer,
} from './support.ts'

const afterEnd = (callId: string) =>
  settles(callId, 'skipped', 'ToolSkipped', 'Not run: an earlier call of the same message ended the turn.')
const readyAll = (count: number) => [
  ...called(...Array.from({ length: count }, () => 'look')),
  ...Array.from({ length: count }, (_, i) => prepared(`m1.${i}`)),
]
type End = EntryData['call.settled']['end'] & string

/** Call 1 of five has ended the batch; 0 has not started, 2 runs, 3 is outside, 4 has not started. */
const middle = (end: End) => [
  ...readyAll(5),
  began('m1.1'),
  began('m1.2'),
  began('m1.3'),
  deferred('m1.3', { why: 'suspended' }),
  end === 'fail' ? settledBad('m1.1', 'error', { end }) : settledOk('m1.1', 'out', { end }),
]

describe('machine 4: a batch that ends', () => {
  test.each(['done', 'stop', 'fail'] as const)(
    '%s: later calls that have not started are skipped, running and outside ones awaited, lower ones still run',
    (end) => {
      expect(planOf(play(middle(end)))).toEqual(plan([starts('m1.0'), afterEnd('m1.4')], ['tool:m1.2.1']))
    },
  )

  test('C19 doneDrain finish: all calls run after a done tool', () => {
    expect(planOf(play(middle('done')), { doneDrain: 'finish' })).toEqual(plan([starts('m1.0'), starts('m1.4')], ['tool:m1.2.1']))
  })

  test.each(['stop', 'fail'] as const)('doneDrain finish is about done tools: after %s later calls are skipped', (end) => {
    expect(planOf(play(middle(end)), { doneDrain: 'finish' }).append).toEqual([starts('m1.0'), afterEnd('m1.4')])
  })

  test('awaiting siblings after the end are withdrawn, before it they are waited for', () => {
    const asked = [
      ...called('look', 'look', 'look'),
      prepared('m1.0', { approval: {} }),
      prepared('m1.1'),
      prepared('m1.2', { approval: {} }),
    ]
    const state = play(asked, began('m1.1'), settledOk('m1.1', 1, { end: 'done' }))
    expect(planOf(state)).toEqual(plan([afterEnd('m1.2')]))
    const withdrawn = play(asked, began('m1.1'), settledOk('m1.1', 1, { end: 'done' }), settledBad('m1.2', 'skipped'))
    expect(planOf(withdrawn)).toEqual(nothing)
    const allowed = play(asked, began('m1.1'), settledOk('m1.1', 1, { end: 'done' }), decided('e5', 'allow'))
    expect(planOf(allowed)).toEqual(plan([starts('m1.0', 1, { approval: 'e10' }), afterEnd('m1.2')]))
  })

  test('a call allowed and edited after the end is not prepared again', () => {
    const state = play(
      called('look', 'look'),
      prepared('m1.0'),
      prepared('m1.1', { approval: {} }),
      began('m1.0'),
      decided('e6', 'allow', { arguments: { a: 1 } }),
      settledOk('m1.0', 1, { end: 'done' }),
    )
    expect(planOf(state)).toEqual(plan([afterEnd('m1.1')]))
  })

  test('it is decided only when all have settled', () => {
    const state = play(readyAll(2), began('m1.0'), began('m1.1'), settledOk('m1.0', 'out', { end: 'done' }))
    expect(planOf(state)).toEqual(plan([], ['tool:m1.1.1']))
  })

  test.each([
    ['done', settledOk('m1.0', 'out', { end: 'done' }), finishes({ status: 'completed', reason: 'done_tool', text: 'out', output: 'out' })],
    ['stop', settledBad('m1.0', 'denied', { end: 'stop' }), finishes({ status: 'aborted', reason: 'stop_turn', text: 'I look' })],
    [
      'fail',
      settledBad('m1.0', 'error', { end: 'fail' }),
      finishes({
        status: 'failed',
        reason: 'tool_failure',
        text: 'I look',
        error: { code: 'ToolExecutionError', category: 'tool', message: 'it was error', retryable: false },
      }),
    ],
  ] as const)('machine 5.7, 5.10: what %s means for the run', (_end, settled, end) => {
    const state = play(called().slice(0, 3), responded(1, { text: 'I look', calls: ['look'] }), prepared('m1.0'), began('m1.0'), settled)
    expect(planOf(state)).toEqual(plan([end]))
  })

  test('a done tool gives its output as it is; only a string is the text too', () => {
    const state = play(
      called().slice(0, 3),
      responded(1, { text: 'I look', calls: ['look'] }),
      prepared('m1.0'),
      began('m1.0'),
      settledOk('m1.0', { n: 1 }, { end: 'done' }),
    )
    expect(planOf(state)).toEqual(plan([finishes({ status: 'completed', reason: 'done_tool', text: 'I look', output: { n: 1 } })]))
  })

  const both = (first: string, second: string, ends: { [callId: string]: End }) => {
    const settled = (callId: string) =>
      ends[callId] === 'fail'
        ? settledBad(callId, 'error', { end: 'fail' })
        : settledOk(callId, callId, ends[callId] === undefined ? {} : { end: ends[callId] })
    return play(readyAll(2), began('m1.0'), began('m1.1'), settled(first), settled(second))
  }

  test.each([
    ['done before fail', { 'm1.0': 'done', 'm1.1': 'fail' }, 'done_tool'],
    ['fail before done', { 'm1.0': 'fail', 'm1.1': 'done' }, 'tool_failure'],
    ['stop before done', { 'm1.0': 'stop', 'm1.1': 'done' }, 'stop_turn'],
    ['done before stop', { 'm1.0': 'done', 'm1.1': 'stop' }, 'done_tool'],
  ] as const)('the lowest index wins, whichever settled first: %s', (_name, ends, reason) => {
    for (const [first, second] of [
      ['m1.0', 'm1.1'],
      ['m1.1', 'm1.0'],
    ] as const)
      expect(planOf(both(first, second, ends)).append[0]?.data).toMatchObject({ reason })
  })

  test('two done tools: the output of the first', () => {
    expect(planOf(both('m1.1', 'm1.0', { 'm1.0': 'done', 'm1.1': 'done' })).append[0]?.data).toMatchObject({ output: 'm1.0' })
  })

  test('an ender of a call outside counts like any other', () => {
    const state = play(called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0'), {
      ...answered('m1.0', 'yes'),
      data: { callId: 'm1.0', settlement: { outcome: 'ok', output: 'yes' }, by: 'client', end: 'done' },
    } as never)
    expect(planOf(state).append[0]?.data).toMatchObject({ reason: 'done_tool', output: 'yes' })
  })

  test('machine 5.10: a done tool ends the run only when the queue is empty', () => {
    const steered = [...readyAll(1), began('m1.0'), steer('One more thing'), settledOk('m1.0', 'out', { end: 'done' })]
    expect(planOf(play(steered))).toEqual(plan([calls(2, 8)]))
  })

  test('once the model has answered that message, its answer is the end, not the old output', () => {
    const state = play(
      readyAll(1),
      began('m1.0'),
      steer('And?'),
      settledOk('m1.0', 'out', { end: 'done' }),
      started(2),
      responded(2, 'New.'),
    )
    expect(planOf(state)).toEqual(plan([finishes({ status: 'completed', reason: 'completed', text: 'New.' })]))
  })

  test('and a blank answer to that message is asked for again: the batch is long past', () => {
    const state = play(readyAll(1), began('m1.0'), steer('And?'), settledOk('m1.0', 'out', { end: 'done' }), started(2), responded(2, ''))
    expect(planOf(state)).toEqual(plan([calls(3, 10)]))
  })

  test.each([
    ['stop', 'stop_turn'],
    ['fail', 'tool_failure'],
  ] as const)('%s ends the run though messages wait and it is paused', (end, reason) => {
    const state = play(
      called('look'),
      prepared('m1.0'),
      began('m1.0'),
      steer('Wait'),
      control('pause'),
      settledBad('m1.0', 'error', { end }),
    )
    expect(planOf(state).append[0]?.data).toMatchObject({ reason })
  })

  test('a done run that is paused waits', () => {
    const state = play(called('look'), prepared('m1.0'), began('m1.0'), control('pause'), settledOk('m1.0', 'out', { end: 'done' }))
    expect(planOf(state)).toEqual(nothing)
  })
})
