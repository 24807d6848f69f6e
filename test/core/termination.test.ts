import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import {
  any,
  maxCallsPerTool,
  noProgress,
  type PolicyCall,
  standardTermination,
  stopOnDuplicates,
  stopWhen,
  type TerminationPolicy,
  type TerminationView,
  terminationView,
} from '../../src/core/termination.ts'
import type { CallText, Step, Steps } from './support.ts'
import {
  began,
  called,
  claimed,
  finished,
  plan,
  planOf,
  play,
  prepared,
  requested,
  responded,
  rounds,
  settledOk,
  settles,
  started,
} from './support.ts'

const stop = (reason: string) => ({ kind: 'terminateImmediately', reason })
const view = (change: Partial<TerminationView> = {}): TerminationView => ({
  phase: 'response',
  text: '',
  calls: [],
  finishReason: 'stop',
  iterations: 1,
  toolCalls: 0,
  sameBatches: 1,
  callsOf: () => 0,
  equalCalls: () => 0,
  ...change,
})
const call = (toolName: string, input: Json = {}): PolicyCall => ({ toolName, input })

/** What a policy says before the calls of the next response run, after so many batches of the same calls. */
function decisionOn(policy: TerminationPolicy, earlier: Step[], next: readonly CallText[]) {
  const n = earlier.filter(({ kind }) => kind === 'model.started').length + 1
  const state = play(requested(), claimed(), earlier, started(n), responded(n, { calls: next }))
  const { run } = state.live
  if (run === undefined) throw new Error('no run')
  return policy(terminationView(state, run, 'response'))
}

describe('standardTermination', () => {
  test('calls are run, a response without calls is the answer; nothing to say once they have settled', () => {
    const policy = standardTermination()
    expect(policy(view({ calls: [call('look')] }))).toEqual({ kind: 'continueWithTools' })
    expect(policy(view())).toEqual({ kind: 'terminateWithOutput' })
    expect(policy(view({ phase: 'settled' }))).toBeUndefined()
  })
})

describe('stopOnDuplicates (S4-15, S4-24, C13)', () => {
  const same = (count: number) => rounds(count, () => [['look', { a: 1, b: [1, 2] }]])

  test('S4-24 by default the first two equal calls run and the third ends the loop', () => {
    const next = [['look', { a: 1, b: [1, 2] }] as const]
    expect([0, 1, 2].map((count) => decisionOn(stopOnDuplicates(), same(count), next))).toEqual([
      undefined,
      undefined,
      stop('duplicate_tool_call'),
    ])
  })

  test('with another maximum, another call', () => {
    expect(decisionOn(stopOnDuplicates({ max: 1 }), same(1), [['look', { a: 1, b: [1, 2] }]])).toEqual(stop('duplicate_tool_call'))
    expect(decisionOn(stopOnDuplicates({ max: 3 }), same(2), [['look', { a: 1, b: [1, 2] }]])).toBeUndefined()
  })

  test('the order of keys does not matter, that of items does', () => {
    expect(decisionOn(stopOnDuplicates(), same(2), [['look', { b: [1, 2], a: 1 }]])).toEqual(stop('duplicate_tool_call'))
    expect(decisionOn(stopOnDuplicates(), same(2), [['look', { a: 1, b: [2, 1] }]])).toBeUndefined()
  })

  test('equal calls inside one response count', () => {
    const three = [
      ['look', { a: 1 }],
      ['put', {}],
      ['look', { a: 1 }],
      ['look', { a: 1 }],
    ] as const
    expect(decisionOn(stopOnDuplicates(), [], three)).toEqual(stop('duplicate_tool_call'))
    expect(decisionOn(stopOnDuplicates(), [], three.slice(0, 3))).toBeUndefined()
    expect(
      decisionOn(
        stopOnDuplicates(),
        rounds(1, () => [['look', { a: 1 }]]),
        three.slice(0, 3),
      ),
    ).toEqual(stop('duplicate_tool_call'))
  })

  test('the same arguments of another tool are another call', () => {
    expect(decisionOn(stopOnDuplicates(), same(2), [['put', { a: 1, b: [1, 2] }]])).toBeUndefined()
  })

  test('calls of an earlier run do not count', () => {
    const steps = [...same(2), finished(), requested('r2'), claimed(1, 'r2', 'next')]
    expect(decisionOn(stopOnDuplicates(), steps, [['look', { a: 1, b: [1, 2] }]])).toBeUndefined()
  })

  test('it has nothing to say once calls have settled', () => {
    expect(stopOnDuplicates()(view({ phase: 'settled', calls: [call('look')], equalCalls: () => 9 }))).toBeUndefined()
  })

  test('the batch is skipped before any of it runs', () => {
    const state = play(requested(), claimed(), same(2), started(3), responded(3, { calls: [['look', { a: 1, b: [1, 2] }], 'put'] }))
    const text = 'Not run: the same call was made too often.'
    expect(planOf(state, { termination: any(stopOnDuplicates(), standardTermination()) })).toEqual(
      plan(['m3.0', 'm3.1'].map((id) => settles(id, 'skipped', 'ToolSkipped', text, { limit: 'duplicate_tool_call' }))),
    )
  })

  test('what the provider has run itself keeps its result, and hides the others from no policy', () => {
    const parts = [
      { type: 'tool-call', callId: 'm3.0', toolName: 'search', input: {}, providerExecuted: true },
      { type: 'tool-call', callId: 'm3.1', toolName: 'look', input: { a: 1, b: [1, 2] } },
    ] as const
    const state = play(requested(), claimed(), same(2), started(3), responded(3, { parts }))
    expect(planOf(state, { termination: any(stopOnDuplicates(), standardTermination()) }).append).toHaveLength(1)
  })

  test('a policy is asked once: calls with verdicts are past it', () => {
    const state = play(
      requested(),
      claimed(),
      same(2),
      started(3),
      responded(3, { calls: [['look', { a: 1, b: [1, 2] }], 'put'] }),
      prepared('m3.0'),
    )
    expect(planOf(state, { termination: stopOnDuplicates() })).toEqual(plan([], ['prepare:3']))
  })
})

describe('maxCallsPerTool (S4-24)', () => {
  const many = (count: number) => rounds(count, (n) => [['look', { n }]])

  test('by default five calls of a tool run, whatever their arguments, and the sixth ends the loop', () => {
    expect([4, 5].map((count) => decisionOn(maxCallsPerTool(), many(count), [['look', { other: true }]]))).toEqual([
      undefined,
      stop('max_tool_calls_per_tool'),
    ])
  })

  test('calls inside one response count', () => {
    const six = Array.from({ length: 6 }, (_, n) => ['look', { n }] as const)
    expect(decisionOn(maxCallsPerTool(), [], six)).toEqual(stop('max_tool_calls_per_tool'))
    expect(decisionOn(maxCallsPerTool(), [], [...six.slice(1), ['put', {}]])).toBeUndefined()
    expect(decisionOn(maxCallsPerTool({ max: 6 }), [], six)).toBeUndefined()
  })

  test('it has nothing to say once calls have settled', () => {
    expect(maxCallsPerTool()(view({ phase: 'settled', calls: [call('look')], callsOf: () => 9 }))).toBeUndefined()
  })
})

describe('noProgress (B170)', () => {
  const change = { termination: any(noProgress(), standardTermination()), limits: { onLimit: 'incomplete' } } as const
  const end = (steps: readonly Step[]) => planOf(play(requested(), claimed(), steps), change).append[0]?.kind
  const withOutputs = (...outputs: readonly Json[]) =>
    outputs.flatMap((output, i) => [
      started(i + 1),
      responded(i + 1, { calls: [['look', { a: 1, b: 2 }]] }),
      prepared(`m${i + 1}.0`),
      began(`m${i + 1}.0`),
      settledOk(`m${i + 1}.0`, output),
    ])

  test('five equal batches in a row, call and result, end the run; four do not', () => {
    expect(end(withOutputs(1, 1, 1, 1, 1))).toBe('run.finished')
    expect(end(withOutputs(1, 1, 1, 1))).toBe('model.started')
  })

  test('another result is progress, also when it was there before', () => {
    expect(end(withOutputs(1, 1, 1, 1, 2))).toBe('model.started')
    expect(end(withOutputs(1, 1, 2, 1, 1, 1))).toBe('model.started')
  })

  test('results are compared as JSON', () => {
    expect(end(withOutputs({ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1, b: 2 }))).toBe('run.finished')
  })

  test.each<[string, (n: number) => readonly CallText[], string]>([
    ['the same arguments in another order of keys', (n) => [['look', n % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 }]], 'run.finished'],
    ['other arguments', (n) => [['look', { n }]], 'model.started'],
    ['another tool', (n) => [n === 5 ? 'put' : 'look'], 'model.started'],
    ['one call more', (n) => (n === 5 ? ['look', 'look'] : ['look']), 'model.started'],
    ['one call fewer', (n) => (n === 5 ? ['look'] : ['look', 'look']), 'model.started'],
    ['batches of two', () => ['look', ['put', { a: 1 }]], 'run.finished'],
  ])('%s', (_name, calls, kind) => {
    expect(end(rounds(5, calls))).toBe(kind)
  })

  test('a message from the user in between starts the count anew', () => {
    const steer: Step = { kind: 'message', data: { origin: 'steer', message: { role: 'user', parts: [{ type: 'text', text: 'Go on' }] } } }
    const steps = withOutputs(1, 1, 1, 1, 1)
    expect(end([...steps.slice(0, 20), steer, ...steps.slice(20)])).toBe('model.started')
  })

  test('batches of an earlier run do not count', () => {
    const state = play(requested(), claimed(), withOutputs(1, 1, 1, 1), finished(), requested('r2'), claimed(1, 'r2', 'next'))
    expect(state.live.run?.sameBatches).toBe(0)
  })

  test('with another number of batches', () => {
    expect(noProgress({ batches: 2 })(view({ phase: 'settled', sameBatches: 2 }))).toEqual(stop('no_progress'))
    expect(noProgress({ batches: 3 })(view({ phase: 'settled', sameBatches: 2 }))).toBeUndefined()
    expect(noProgress()(view({ sameBatches: 9 }))).toBeUndefined()
  })
})

describe('any and stopWhen', () => {
  test('the first opinion wins, and nobody after it is asked', () => {
    const asked: string[] = []
    const says = (name: string, answer: ReturnType<TerminationPolicy>) => () => {
      asked.push(name)
      return answer
    }
    const policy = any(says('a', undefined), says('b', { kind: 'continueWithThinking' }), says('c', { kind: 'terminateWithOutput' }))
    expect([policy(view()), asked]).toEqual([{ kind: 'continueWithThinking' }, ['a', 'b']])
    expect(any()(view())).toBeUndefined()
  })

  test.each([
    [true, stop('stopped')],
    [{ reason: 'no_progress' as const }, stop('no_progress')],
    [false, undefined],
    [undefined, undefined],
  ])('stopWhen: %j', (answer, decision) => {
    expect(stopWhen(() => answer)(view({ phase: 'settled' }))).toEqual(decision)
    expect(stopWhen(() => answer)(view())).toBeUndefined()
  })
})

describe('what a policy sees', () => {
  const look = (phase: TerminationView['phase'], ...steps: Steps) => {
    const state = play(...steps)
    const { run } = state.live
    if (run === undefined) throw new Error('no run')
    const { text, calls, finishReason, iterations, toolCalls, sameBatches, callsOf, equalCalls } = terminationView(state, run, phase)
    const shown = calls.map(({ toolName, input }) => ({ toolName, input }))
    return {
      text,
      calls: shown,
      finishReason,
      iterations,
      toolCalls,
      sameBatches,
      looks: callsOf('look'),
      equal: equalCalls(call('look', { n: 1 })),
    }
  }

  test('response: the calls that are about to run', () => {
    expect(look('response', called(['look', { n: 1 }], 'put'))).toEqual({
      text: '',
      calls: [call('look', { n: 1 }), call('put')],
      finishReason: 'tool-calls',
      iterations: 1,
      toolCalls: 0,
      sameBatches: 0,
      looks: 0,
      equal: 0,
    })
  })

  test('settled: those of the batch that has settled', () => {
    expect(look('settled', requested(), claimed(), rounds(2))).toEqual({
      text: '',
      calls: [call('look', { n: 2 })],
      finishReason: 'tool-calls',
      iterations: 2,
      toolCalls: 2,
      sameBatches: 1,
      looks: 2,
      equal: 1,
    })
  })
})
