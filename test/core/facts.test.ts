import { describe, expect, test } from 'vitest'
import { isProposal, stillApplies } from '../../src/engine/facts.ts'
import { headOf, inputHead } from '../../src/engine/head.ts'
import type { Step } from './support.ts'
import {
  began,
  called,
  calls,
  claimed,
  decided,
  deferred,
  failed,
  finished,
  finishes,
  open,
  plan,
  play,
  prepared,
  requested,
  responded,
  settledOk,
  started,
  starts,
} from './support.ts'

const running = [...called('look', 'look'), prepared('m1.0'), prepared('m1.1'), began('m1.0')]
const restarted = [...running, claimed(2, 'r1', 'resume'), began('m1.0', 2)]

describe('machine 1 ◆: facts are kept after a lost race if what they settle is still open, else dropped as late', () => {
  test.each<[string, readonly Step[], Step, boolean]>([
    ['a response to the open call', open, responded(1, 'a'), true],
    ['to a call that has ended', [...open, failed(1)], responded(1, 'a'), false],
    ['to an earlier attempt', [...open, failed(1, { retryAt: 1_000 }), started(1, { attempt: 2 })], responded(1, 'a'), false],
    ['to an earlier call', [...open, responded(1, ''), started(2)], responded(1, 'a'), false],
    ['a failure of the open call', open, failed(1), true],
    ['of an earlier attempt', [...open, failed(1, { retryAt: 1_000 }), started(1, { attempt: 2 })], failed(1), false],
    ['a verdict on an announced call', called('look'), prepared('m1.0'), true],
    ['a second verdict', running, prepared('m1.1'), false],
    ['an outcome of the running attempt', running, settledOk('m1.0', 1, { attempt: 1 }), true],
    ['of the attempt before', restarted, settledOk('m1.0', 1, { attempt: 1 }), false],
    ['of a call that has settled', [...running, settledOk('m1.0')], settledOk('m1.0', 2, { attempt: 1 }), false],
    ['of a call whose turn is closed', [...called('look'), settledOk('m1.0')], settledOk('m1.0', 2, { attempt: 1 }), false],
    ['of a call that has suspended itself', [...running, deferred('m1.0')], settledOk('m1.0', 1, { attempt: 1 }), false],
    ['a verdict that settles an announced call', called('look'), settledOk('m1.0'), true],
    ['and one that is ready by now', running, settledOk('m1.1'), false],
    ['what was found of a call that was to begin', running, settledOk('m1.1', 1, { by: 'reconcile' }), true],
    ['and has begun since', running, settledOk('m1.0', 1, { by: 'reconcile' }), false],
    ['what was found of an orphan', running, settledOk('m1.0', 1, { by: 'reconcile', attempt: 1 }), true],
    ['a running call suspends itself', running, deferred('m1.0', { attempt: 1 }), true],
    ['the attempt before does', restarted, deferred('m1.0', { attempt: 1 }), false],
    ['a note', running, { kind: 'custom', data: { type: 'note' } }, true],
  ])('%s', (_name, steps, fact, applies) => {
    expect(stillApplies(play(steps), fact)).toBe(applies)
  })

  test.each([
    ['complete:1', finishes({ status: 'completed', reason: 'completed', text: '' }), true],
    ['setup:1.1', calls(1, 2), true],
    ['reconcile:m1.0', starts('m1.0', 2), true],
    ['reconcile:m1.0', settledOk('m1.0'), false],
    ['tool:m1.0.1', settledOk('m1.0'), false],
    ['model:1.1', responded(1, 'a'), false],
    ['prepare:1', prepared('m1.0'), false],
  ] as const)('%s: what only holds while decide wants it (case %#)', (key, body, proposal) => {
    expect(isProposal(key, body)).toBe(proposal)
  })
})

describe('machine 3: heads', () => {
  const agent = 'tester'
  const asking = [
    ...called('look', 'client', 'look'),
    prepared('m1.0', { approval: {} }),
    prepared('m1.1', { executor: 'external' }),
    deferred('m1.1'),
  ]

  test('a head is due at once exactly when something would be appended or wanted', () => {
    expect(headOf(play(open), plan([], ['model:1.1']) as never)).toEqual({ status: 'model_running', pending: 0, wakeAt: 0, agent })
    expect(headOf(play(requested()), plan([starts('m1.0')]) as never)).toEqual({ status: 'preparing', pending: 0, wakeAt: 0, agent })
  })

  test('else when the plan says so, or never', () => {
    expect(headOf(play(open, failed(1, { retryAt: 9_000 })), plan([], [], 9_000) as never)).toEqual({
      status: 'model_running',
      pending: 0,
      wakeAt: 9_000,
      agent,
    })
    expect(headOf(play(open, failed(1)), plan([]) as never)).toEqual({ status: 'model_running', pending: 0, agent })
  })

  test('it counts what waits for somebody: not what is decided', () => {
    expect(headOf(play(asking), plan([]) as never).pending).toBe(2)
    expect(headOf(play(asking, decided('e5', 'deny')), plan([]) as never).pending).toBe(1)
  })

  test('◆ an input is to be looked at', () => {
    expect(inputHead(play(requested()))).toEqual({ status: 'preparing', pending: 0, wakeAt: 0, agent })
  })

  test('the reason is that of the run that ended, unless another one waits', () => {
    const ended = [...open, responded(1, 'a'), finished('r1', { status: 'incomplete', reason: 'max_tokens' })]
    expect(headOf(play(ended), plan([]) as never)).toEqual({ status: 'incomplete', reason: 'max_tokens', pending: 0, agent })
    expect(headOf(play(ended, requested('r2')), plan([]) as never)).not.toHaveProperty('reason')
  })

  test('the agent is that of the run that is next, else of the last one; without a run there is none', () => {
    const next = requested('r2')
    const others = { ...next, data: { ...next.data, agent: { name: 'other' } } } as typeof next
    const ended = [...open, responded(1, 'a'), finished('r1', { status: 'incomplete', reason: 'max_tokens' })]
    expect(inputHead(play(ended, others)).agent).toBe('other')
    expect(inputHead(play(open, others)).agent).toBe(agent)
    expect(inputHead(play())).not.toHaveProperty('agent')
  })
})
