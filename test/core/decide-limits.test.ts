import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/core/error.ts'
import type { LimitReason } from '../../src/core/reason.ts'
import { any, noProgress, standardTermination, stopOnDuplicates } from '../../src/core/termination.ts'
import type { ConfigChange, Step } from './support.ts'
import {
  began,
  calls,
  claimed,
  failed,
  finishes,
  plan,
  planOf,
  play,
  prepared,
  requested,
  responded,
  rounds,
  settledBad,
  settledOk,
  started,
  steer,
  usage,
} from './support.ts'

const run = [requested(), claimed()]
const asked = (n: number) => [['look', { n }] as const]
const badRounds = (count: number) =>
  rounds(count).map((step) => (step.kind === 'call.settled' ? settledBad(step.data.callId, 'error') : step))

interface Row {
  readonly reason: LimitReason
  readonly steps: readonly Step[]
  readonly change: ConfigChange
  readonly says: string
  readonly code: ErrorCode
}

/** Each reason that `onLimit` governs, met by a run that needs another call. */
const governed: readonly Row[] = [
  {
    reason: 'max_iterations',
    steps: rounds(2),
    change: { limits: { maxIterations: 2 } },
    code: 'RunMaxIterations',
    says: 'the limit of 2 iterations (limits.maxIterations) was reached',
  },
  {
    reason: 'max_tool_rounds',
    steps: rounds(2),
    change: { limits: { maxToolRounds: 2 } },
    code: 'RunMaxToolRounds',
    says: 'the limit of 2 tool rounds (limits.maxToolRounds) was reached',
  },
  {
    reason: 'max_tool_calls',
    steps: [
      ...rounds(1),
      started(2),
      responded(2, { calls: ['look'] }),
      prepared('m2.0'),
      settledBad('m2.0', 'skipped', { limit: 'max_tool_calls' }),
    ],
    change: { limits: { maxToolCalls: 1 } },
    code: 'RunMaxToolCalls',
    says: 'the limit of 1 tool calls (limits.maxToolCalls) was reached',
  },
  {
    reason: 'max_tool_calls_per_tool',
    steps: [
      ...rounds(1),
      started(2),
      responded(2, { calls: ['look'] }),
      prepared('m2.0'),
      settledBad('m2.0', 'skipped', { limit: 'max_tool_calls_per_tool' }),
    ],
    change: { limits: { maxCallsPerTool: 1 } },
    code: 'RunMaxToolCalls',
    says: 'the limit of 1 calls of one tool (limits.maxCallsPerTool) was reached',
  },
  {
    reason: 'timeout',
    steps: [started(1), { ...responded(1, { calls: ['look'] }), at: 1_500 }, settledBad('m1.0', 'cancelled', { limit: 'timeout' })],
    change: { limits: { maxDurationMs: 500 } },
    code: 'RunTimeout',
    says: 'the time limit of 500 ms (limits.maxDurationMs) was reached',
  },
  {
    reason: 'budget_exceeded',
    steps: rounds(2),
    change: { limits: { maxTokens: 30, maxCostUsd: 9 } },
    code: 'RunBudgetExceeded',
    says: 'the budget was used up (limits.maxTokens 30, limits.maxCostUsd 9)',
  },
  {
    reason: 'max_consecutive_errors',
    steps: badRounds(2),
    change: { limits: { maxConsecutiveErrors: 2 } },
    code: 'RunMaxConsecutiveErrors',
    says: '2 calls in a row failed (limits.maxConsecutiveErrors)',
  },
  {
    reason: 'no_progress',
    steps: rounds(5, () => asked(1)),
    change: { termination: noProgress() },
    code: 'RunNoProgress',
    says: 'the same calls gave the same results again and again',
  },
]

/** The others end as `incomplete` whatever it says (7.7). */
const others: readonly Row[] = [
  {
    reason: 'empty_response',
    steps: [started(1), responded(1, '')],
    change: { emptyResponse: { retries: 0, end: 'final' } },
    code: 'RunInvalidState',
    says: '',
  },
  {
    reason: 'max_tokens',
    steps: [started(1), responded(1, { text: 'a', finish: 'length' })],
    change: {},
    code: 'RunInvalidState',
    says: '',
  },
  {
    reason: 'content_blocked',
    steps: [started(1), responded(1, { text: 'a', finish: 'refusal' })],
    change: {},
    code: 'RunInvalidState',
    says: '',
  },
  {
    reason: 'unexpected_stop_reason',
    steps: [started(1), responded(1, { text: 'a', finish: 'other' })],
    change: {},
    code: 'RunInvalidState',
    says: '',
  },
  { reason: 'stopped', steps: rounds(1), change: { stopWhen: () => true }, code: 'RunInvalidState', says: '' },
  {
    reason: 'duplicate_tool_call',
    steps: [
      ...rounds(2, () => asked(1)),
      started(3),
      responded(3, { calls: asked(1) }),
      settledBad('m3.0', 'skipped', { limit: 'duplicate_tool_call' }),
    ],
    change: { termination: any(stopOnDuplicates(), standardTermination()) },
    code: 'RunInvalidState',
    says: '',
  },
]

function withPolicy(row: Row, onLimit: 'summarize' | 'error' | 'incomplete') {
  const state = play(run, row.steps)
  const limits = { ...row.change.limits, onLimit }
  return { state, text: state.live.run?.lastText ?? '', shown: planOf(state, { ...row.change, limits }) }
}

describe('machine 5.12: every limit × onLimit (7.7)', () => {
  test.each(governed)('$reason × summarize: one last call without tools', (row) => {
    const { state, shown } = withPolicy(row, 'summarize')
    expect(shown).toEqual(plan([calls(state.live.n + 1, state.live.seq, { purpose: 'wrap-up', reason: row.reason })]))
  })

  test.each(governed)('$reason × incomplete: the run ends as it stands', (row) => {
    const { shown } = withPolicy(row, 'incomplete')
    expect(shown).toEqual(plan([finishes({ status: 'incomplete', reason: row.reason, text: '' })]))
  })

  test.each(governed)('$reason × error: the run fails, in words that name the limit', (row) => {
    const { shown } = withPolicy(row, 'error')
    const error = { code: row.code, category: 'loop', message: `The run stopped: ${row.says}.`, retryable: false } as const
    expect(shown).toEqual(plan([finishes({ status: 'failed', reason: row.reason, text: '', error })]))
  })

  test.each(others.flatMap((row) => (['summarize', 'incomplete', 'error'] as const).map((onLimit) => ({ ...row, onLimit }))))(
    '$reason × $onLimit: incomplete',
    (row) => {
      const { shown, text } = withPolicy(row, row.onLimit)
      expect(shown).toEqual(plan([finishes({ status: 'incomplete', reason: row.reason, text })]))
    },
  )
})

describe('several limits at once: which one is told', () => {
  const over = (callId: string, limit: LimitReason) => settledBad(callId, 'skipped', { limit })
  const batch = [started(1), responded(1, { calls: ['look', 'read'] }), prepared('m1.0'), prepared('m1.1')]
  const reasonOf = (steps: readonly Step[], change: ConfigChange = {}) =>
    planOf(play(run, steps), { ...change, limits: { onLimit: 'incomplete', ...change.limits } }).append[0]?.data

  test.each<[string, readonly Step[]]>([
    ['in call order', [over('m1.0', 'max_tool_calls_per_tool'), over('m1.1', 'max_tool_calls')]],
    ['the later call first', [over('m1.1', 'max_tool_calls'), over('m1.0', 'max_tool_calls_per_tool')]],
  ])('of a batch that of the call of lowest index, whichever settled first: %s', (_name, settled) => {
    expect(reasonOf([...batch, ...settled])).toMatchObject({ reason: 'max_tool_calls_per_tool' })
  })

  test('that of a call comes before those that forbid the next model call, and before policies and stopWhen', () => {
    const steps = [...batch, settledOk('m1.1'), over('m1.0', 'max_tool_calls')]
    const stop = { stopWhen: () => true, termination: noProgress({ batches: 1 }) }
    expect(reasonOf(steps, { ...stop, limits: { maxIterations: 1, maxToolRounds: 1 } })).toMatchObject({ reason: 'max_tool_calls' })
  })

  test('of those that forbid the next model call the first in the order of rule 12', () => {
    const limits = { maxIterations: 2, maxToolRounds: 2, maxTokens: 1, maxConsecutiveErrors: 2 }
    const reasons = Object.keys(limits).map((_key, skipped, keys) => {
      const left = Object.fromEntries(Object.entries(limits).filter(([key]) => keys.indexOf(key) >= skipped))
      return reasonOf(badRounds(2), { limits: left, termination: noProgress({ batches: 1 }) })
    })
    expect(reasons).toMatchObject(
      ['max_iterations', 'max_tool_rounds', 'budget_exceeded', 'max_consecutive_errors'].map((reason) => ({ reason })),
    )
  })
})

describe('machine 5.12: when limits are tested', () => {
  const last = { limits: { maxIterations: 2 } }

  test('C3 the last permitted call is honoured: its answer is final', () => {
    expect(planOf(play(run, rounds(1), started(2), responded(2, 'Yes.')), last).append[0]?.data).toMatchObject({
      status: 'completed',
      text: 'Yes.',
    })
  })

  test('C3 and its calls are run', () => {
    expect(planOf(play(run, rounds(1), started(2), responded(2, { calls: ['look'] })), last)).toEqual(plan([], ['prepare:2']))
  })

  test('one below the limit goes on', () => {
    expect(planOf(play(run, rounds(1)), last)).toEqual(plan([calls(2, 7)]))
  })

  test('a limit of none at all is met before the first call', () => {
    expect(planOf(play(run), { limits: { maxIterations: 0, onLimit: 'incomplete' } })).toEqual(
      plan([finishes({ status: 'incomplete', reason: 'max_iterations', text: '' })]),
    )
  })

  test('a waiting message does not lift a limit', () => {
    expect(planOf(play(run, rounds(2), steer('More')), last).append[0]?.data).toMatchObject({ purpose: 'wrap-up' })
  })

  test('C2 failed attempts, blank responses and wrap-ups are no iterations', () => {
    const state = play(
      run,
      started(1),
      failed(1, { retryAt: 1_000 }),
      started(1, { attempt: 2 }),
      responded(1, { text: '', attempt: 2 }),
      started(2),
      responded(2, 'a'),
    )
    expect(state.live.run).toMatchObject({ iterations: 1, modelCalls: 3 })
  })

  test('5.12 comes before 5.13: a retry of a call that the budget no longer allows is not made', () => {
    const state = play(run, started(1, { estimatedTokens: 100 }), failed(1, { retryAt: 9_000 }))
    expect(planOf(state, { limits: { maxTokens: 100 } })).toEqual(plan([calls(2, 4, { purpose: 'wrap-up', reason: 'budget_exceeded' })]))
    expect(planOf(state, { limits: { maxTokens: 101 } })).toEqual(plan([], [], 9_000))
  })

  test('tokens of every purpose count, input and output', () => {
    const spent = { ...usage, inputTokens: 60, outputTokens: 40 }
    const state = play(run, started(1), responded(1, { calls: ['look'], usage: spent }), prepared('m1.0'), began('m1.0'), settledOk('m1.0'))
    expect(planOf(state, { limits: { maxTokens: 100, onLimit: 'incomplete' } }).append[0]?.data).toMatchObject({
      reason: 'budget_exceeded',
    })
    expect(planOf(state, { limits: { maxTokens: 101 } }).append[0]?.kind).toBe('model.started')
  })

  test('maxCostUsd counts what is known, also after a call whose cost nobody knows', () => {
    const dear = (n: number) => responded(n, { calls: ['look'], usage: { ...usage, costUsd: 0.5 } })
    const round = (n: number) => [started(n), dear(n), prepared(`m${n}.0`), began(`m${n}.0`), settledOk(`m${n}.0`)]
    const change = { limits: { maxCostUsd: 1, onLimit: 'incomplete' } } as const
    const all = play(run, round(1), round(2))
    expect(planOf(all, change).append[0]?.data).toMatchObject({ reason: 'budget_exceeded' })
    const part = play(
      run,
      round(1),
      started(2),
      failed(2, { retryAt: 1_000 }),
      started(2, { attempt: 2 }),
      { ...dear(2), data: { ...dear(2).data, attempt: 2 } } as Step,
      prepared('m2.0'),
      began('m2.0'),
      settledOk('m2.0'),
    )
    expect(part.live.run?.usage).toMatchObject({ complete: false })
    expect(part.live.run?.usage).not.toHaveProperty('costUsd')
    expect(planOf(part, change).append[0]?.data).toMatchObject({ reason: 'budget_exceeded' })
  })

  test.each([
    ['ok', 0],
    ['error', 2],
    ['invalid', 2],
    ['timeout', 2],
    ['unknown', 2],
    ['denied', 1],
    ['skipped', 1],
    ['cancelled', 1],
    ['truncated', 1],
  ] as const)('errors in a row: %s makes the count %i', (outcome, count) => {
    const settled = outcome === 'ok' ? settledOk('m2.0') : settledBad('m2.0', outcome)
    const state = play(run, badRounds(1), started(2), responded(2, { calls: ['look'] }), prepared('m2.0'), began('m2.0'), settled)
    expect(state.live.run?.consecutiveErrors).toBe(count)
  })
})
