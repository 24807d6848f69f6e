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
  requested,
  responded,
  rounds,
  settledBad,
  settledOk,
  settles,
  started,
  starts,
} from './support.ts'

const ready = (...names: string[]) => [...called(...names), ...names.map((_name, i) => prepared(`m1.${i}`))]
const over = (text: string) => `Not run: ${text}.`

describe('machine 5.3: admission', () => {
  test('ready calls start together, in the order of the message (C32)', () => {
    expect(planOf(play(ready('look', 'put', 'save')))).toEqual(plan([starts('m1.0'), starts('m1.1'), starts('m1.2')]))
  })

  test('no more than maxParallel at once; the next starts when one settles', () => {
    expect(planOf(play(ready('look', 'look', 'look')), { maxParallel: 2 })).toEqual(plan([starts('m1.0'), starts('m1.1')]))
    const state = play(ready('look', 'look', 'look'), began('m1.0'), began('m1.1'), settledOk('m1.1'))
    expect(planOf(state, { maxParallel: 2 })).toEqual(plan([starts('m1.2')], ['tool:m1.0.1']))
  })

  test('S0-10 with maxParallel 1 calls run one after another', () => {
    expect(planOf(play(ready('look', 'look')), { maxParallel: 1 })).toEqual(plan([starts('m1.0')]))
    expect(planOf(play(ready('look', 'look'), began('m1.0')), { maxParallel: 1 })).toEqual(plan([], ['tool:m1.0.1']))
    expect(planOf(play(ready('look', 'look'), began('m1.0'), settledOk('m1.0')), { maxParallel: 1 })).toEqual(plan([starts('m1.1')]))
  })

  test('an exclusive call waits until nothing runs, and those behind it wait for it', () => {
    expect(planOf(play(ready('look', 'solo', 'look')))).toEqual(plan([starts('m1.0')]))
    expect(planOf(play(ready('look', 'solo', 'look'), began('m1.0')))).toEqual(plan([], ['tool:m1.0.1']))
    expect(planOf(play(ready('look', 'solo', 'look'), began('m1.0'), settledOk('m1.0')))).toEqual(plan([starts('m1.1')]))
  })

  test('nothing starts beside a running exclusive call', () => {
    expect(planOf(play(ready('solo', 'look'), began('m1.0')))).toEqual(plan([], ['tool:m1.0.1']))
  })

  test('an orphan takes its slot', () => {
    const state = play(ready('look', 'look'), began('m1.0'), claimed(2, 'r1', 'resume'))
    expect(planOf(state, { maxParallel: 1 })).toEqual(plan([starts('m1.0', 2)]))
  })

  test('a tool that nobody knows any more starts as one that is not exclusive', () => {
    expect(planOf(play(ready('gone', 'look')))).toEqual(plan([starts('m1.0'), starts('m1.1')]))
  })

  test.each([
    ['a pause', [control('pause')], {}],
    ['an activation whose time slice is over', [], { holdStarts: true }],
  ] as const)('%s holds starts back, and what runs goes on', (_name, steps, facts) => {
    expect(planOf(play(ready('look', 'client', 'look'), began('m1.2'), ...steps), {}, facts)).toEqual(plan([], ['tool:m1.2.1']))
  })

  test('after a resume they start', () => {
    expect(planOf(play(ready('look'), control('pause'), control('resume')))).toEqual(plan([starts('m1.0')]))
  })
})

describe('machine 5.3: limits of calls', () => {
  const maxToolCalls = over('the limit of 2 tool calls (limits.maxToolCalls) was reached')
  const perTool = over('the limit of 2 calls of one tool (limits.maxCallsPerTool) was reached')

  test('C5 a call over maxToolCalls settles as skipped and the limit is the reason', () => {
    expect(planOf(play(ready('look', 'look', 'put')), { limits: { maxToolCalls: 2 } })).toEqual(
      plan([starts('m1.0'), starts('m1.1'), settles('m1.2', 'skipped', 'ToolSkipped', maxToolCalls, { limit: 'max_tool_calls' })]),
    )
  })

  test('it counts over the run', () => {
    const state = play(requested(), claimed(), rounds(2), started(3), responded(3, { calls: ['look'] }), prepared('m3.0'))
    expect(planOf(state, { limits: { maxToolCalls: 2 } }).append).toEqual([
      settles('m3.0', 'skipped', 'ToolSkipped', maxToolCalls, { limit: 'max_tool_calls' }),
    ])
  })

  test('maxCallsPerTool counts each tool by itself, within a batch too', () => {
    expect(planOf(play(ready('look', 'look', 'put', 'look')), { limits: { maxCallsPerTool: 2 } })).toEqual(
      plan([
        starts('m1.0'),
        starts('m1.1'),
        starts('m1.2'),
        settles('m1.3', 'skipped', 'ToolSkipped', perTool, { limit: 'max_tool_calls_per_tool' }),
      ]),
    )
  })

  test('a tool’s own maxCallsPerRun skips the call and ends nothing', () => {
    const text = "Not run: 'once' may run 1 times in one run, and it has."
    expect(planOf(play(ready('once', 'once')))).toEqual(plan([starts('m1.0'), settles('m1.1', 'skipped', 'ToolSkipped', text)]))
  })

  test('the counters begin anew with the next run', () => {
    const state = play(
      requested(),
      claimed(),
      rounds(2),
      { kind: 'run.finished', runId: 'r1', data: { status: 'completed', reason: 'completed', text: '' } },
      requested('r2'),
      claimed(1, 'r2', 'next'),
      started(3),
      responded(3, { calls: ['look'] }),
      prepared('m3.0'),
    )
    expect(planOf(state, { limits: { maxToolCalls: 1, maxCallsPerTool: 1 } })).toEqual(plan([starts('m3.0')]))
  })

  test('calls that never started do not count; a second attempt counts once', () => {
    const denied = play(
      called('look', 'look'),
      prepared('m1.0', { approval: {} }),
      prepared('m1.1'),
      decided('e5', 'deny'),
      settledBad('m1.0', 'denied'),
    )
    expect(planOf(denied, { limits: { maxToolCalls: 1 } })).toEqual(plan([starts('m1.1')]))
    const again = play(ready('look', 'look'), began('m1.0'), claimed(2), began('m1.0', 2))
    expect(again.live.run).toMatchObject({ toolCalls: 1, callsPerTool: { look: 1 } })
  })

  test('B197 a tool named like something every object has is counted by its own calls', () => {
    expect(planOf(play(ready('constructor')), { limits: { maxCallsPerTool: 1 } })).toEqual(plan([starts('m1.0')]))
  })

  test('calls over a limit are skipped though all slots are taken', () => {
    const state = play(ready('look', 'look'), began('m1.0'))
    expect(planOf(state, { maxParallel: 1, limits: { maxToolCalls: 1 } }).append).toHaveLength(1)
  })

  test('a paused run skips nothing yet', () => {
    expect(planOf(play(ready('look'), control('pause')), { limits: { maxToolCalls: 0 } })).toEqual(nothing)
  })
})
