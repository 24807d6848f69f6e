import { describe, expect, test } from 'vitest'
import { stopWhen, type TerminationPolicy } from '../../src/core/termination.ts'
import type { Step } from './support.ts'
import {
  called,
  calls,
  claimed,
  finishes,
  open,
  plan,
  planOf,
  play,
  requested,
  responded,
  rounds,
  settledBad,
  settledOk,
  settles,
} from './support.ts'

const run = [requested(), claimed()]

describe('machine 8: stopWhen and policies', () => {
  test.each([
    ['true', true, 'stopped'],
    ['a reason of its own', { reason: 'content_blocked' as const }, 'content_blocked'],
  ])('stopWhen says %s', (_name, answer, reason) => {
    expect(planOf(play(run, rounds(1)), { stopWhen: () => answer }).append[0]?.data).toMatchObject({ status: 'incomplete', reason })
  })

  test.each([[false], [undefined]])('stopWhen says %s: the run goes on', (answer) => {
    expect(planOf(play(run, rounds(1)), { stopWhen: () => answer })).toEqual(plan([calls(2, 7)]))
  })

  test('it is asked after a batch only', () => {
    const stop = { stopWhen: () => true }
    expect(planOf(play(run), stop).append[0]?.kind).toBe('model.started')
    expect(planOf(play(open, responded(1, '')), stop).append[0]?.kind).toBe('model.started')
    expect(planOf(play(called('look')), stop)).toEqual(plan([], ['prepare:1']))
  })

  test('a limit comes before a policy', () => {
    expect(
      planOf(play(run, rounds(1)), { stopWhen: () => true, limits: { maxIterations: 1, onLimit: 'incomplete' } }).append[0]?.data,
    ).toMatchObject({
      reason: 'max_iterations',
    })
  })

  test('a throw is hook_failure', () => {
    const boom = () => {
      throw new Error('boom')
    }
    const threw = (what: string) => {
      const error = { code: 'HookFailed', category: 'hook', message: `${what} threw: boom`, retryable: false } as const
      return plan([finishes({ status: 'failed', reason: 'hook_failure', text: '', error })])
    }
    expect(planOf(play(run, rounds(1)), { stopWhen: boom })).toEqual(threw('stopWhen'))
    expect(planOf(play(run, rounds(1)), { termination: stopWhen(boom) })).toEqual(threw('policies.termination'))
  })

  test.each<[string, unknown, string]>([
    ['an object without a prototype', Object.create(null), 'an error that cannot be shown'],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['an error whose message is no text', Object.assign(new Error('x'), { message: 5 }), '5'],
    ['half a surrogate pair', 'a\ud83d', 'a\ufffd'],
    ['a long text', `${'x'.repeat(1_999)}😀`, `${'x'.repeat(1_999)}…`],
  ])('what is thrown may be anything: %s', (_name, thrown, shown) => {
    const stop = () => {
      throw thrown
    }
    const [body] = planOf(play(run, rounds(1)), { stopWhen: stop }).append
    expect(body?.data).toMatchObject({ status: 'failed', error: { code: 'HookFailed', message: `stopWhen threw: ${shown}` } })
  })

  test('a throw before the calls of a response run settles them and is hook_failure', () => {
    const termination = () => {
      throw new Error('boom')
    }
    const skipped = settles('m1.0', 'skipped', 'HookFailed', 'Not run: policies.termination threw: boom.', { end: 'fail' })
    expect(planOf(play(called('look')), { termination })).toEqual(plan([skipped]))
    const error = { code: 'HookFailed', category: 'hook', message: 'it was skipped', retryable: false } as const
    expect(planOf(play(called('look'), settledBad('m1.0', 'skipped', { end: 'fail', code: 'HookFailed' })))).toEqual(
      plan([finishes({ status: 'failed', reason: 'hook_failure', text: '', error })]),
    )
  })
})

describe('machine 8: terminateWithOutput before calls run', () => {
  const termination: TerminationPolicy = ({ phase }) => (phase === 'response' ? { kind: 'terminateWithOutput' } : undefined)

  test('the calls are skipped and the text is the answer', () => {
    const text = 'Not run: the answer was complete without it.'
    expect(planOf(play(called('look')), { termination })).toEqual(plan([settles('m1.0', 'skipped', 'ToolSkipped', text, { end: 'done' })]))
    const skipped = { ...settledOk('m1.0'), data: settles('m1.0', 'skipped', 'ToolSkipped', text, { end: 'done' }).data } as Step
    const state = play(called().slice(0, 3), responded(1, { text: 'Yes.', calls: ['look'] }), skipped)
    expect(planOf(state, { termination }).append).toEqual([
      { kind: 'run.finished', runId: 'r1', data: { status: 'completed', reason: 'completed', text: 'Yes.' } },
    ])
  })

  test.each(['continueWithThinking', 'continueWithTools'] as const)('%s lets them run', (kind) => {
    expect(planOf(play(called('look')), { termination: () => ({ kind }) })).toEqual(plan([], ['prepare:1']))
  })
})
