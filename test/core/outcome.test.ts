import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import { finishedResult, parkedResult, pendingCalls, settledCalls } from '../../src/core/outcome.ts'
import type { Steps } from './support.ts'
import {
  began,
  broken,
  called,
  claimed,
  decided,
  deferred,
  failed,
  finished,
  open,
  play,
  prepared,
  requested,
  responded,
  rounds,
  settledBad,
  settledOk,
  started,
  usage,
} from './support.ts'

const naming = { sessionId: 's1', isDynamic: (toolName: string) => toolName === 'save' }

function result(...steps: Steps) {
  const state = play(...steps)
  const { ended } = state.live
  if (ended === undefined) throw new Error('no run has ended')
  return finishedResult(state, ended, naming, true)
}

const user: Message = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
const yes: Message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }] }
const totals = { sessionId: 's1', runId: 'r1', messages: [user, yes], calls: [], iterations: 1, usage, durable: true }
const answer = [...open, responded(1, 'Yes.')]

describe('results of finished runs', () => {
  test('completed: the text is the output when there is no other', () => {
    expect(result(answer, finished('r1', { text: 'Yes.' }))).toEqual({
      ...totals,
      text: 'Yes.',
      status: 'completed',
      reason: 'completed',
      output: 'Yes.',
    })
  })

  test.each([[{ n: 1 }], [0], [false], [''], [null], [[]]])('done_tool: the output is what the tool gave: %j', (output) => {
    expect(result(answer, finished('r1', { reason: 'done_tool', text: 'Yes.', output }))).toMatchObject({ reason: 'done_tool', output })
  })

  test('incomplete', () => {
    expect(result(answer, finished('r1', { status: 'incomplete', reason: 'max_tokens', text: 'Yes.' }))).toEqual({
      ...totals,
      text: 'Yes.',
      status: 'incomplete',
      reason: 'max_tokens',
    })
  })

  test('failed: with its error, and nothing left to resume', () => {
    const failure = finished('r1', { status: 'failed', reason: 'model_error', text: '', error: broken })
    expect(result(open, failed(1), failure)).toMatchObject({
      status: 'failed',
      reason: 'model_error',
      error: broken,
      resumable: false,
      messages: [],
    })
  })

  test('aborted: with the reason given, if one was', () => {
    expect(result(answer, finished('r1', { status: 'aborted', reason: 'aborted', abortReason: 'enough' }))).toEqual({
      ...totals,
      text: '',
      status: 'aborted',
      reason: 'aborted',
      abortReason: 'enough',
    })
    expect(result(answer, finished('r1', { status: 'aborted', reason: 'stop_turn' }))).not.toHaveProperty('abortReason')
  })

  test('a run has its own messages, calls and totals only', () => {
    const steps = [
      requested(),
      claimed(),
      rounds(1),
      finished(),
      requested('r2', 'More'),
      claimed(1, 'r2', 'next'),
      started(2),
      responded(2, 'b'),
      finished('r2', { text: 'b' }),
    ]
    const { messages, calls, iterations, usage: spent } = result(...steps)
    expect([messages.map((message) => message.role), calls, iterations, spent]).toEqual([['user', 'assistant'], [], 1, usage])
  })

  test('a detached run says that it is not durable', () => {
    const state = play(answer, finished())
    if (state.live.ended === undefined) throw new Error('no run has ended')
    expect(finishedResult(state, state.live.ended, naming, false).durable).toBe(false)
  })
})

describe('calls of a result', () => {
  test('in call order, with what ran, its outcome and how long it took; what only the model saw stays out', () => {
    const state = play(
      called(['look', { a: 1 }], 'save'),
      prepared('m1.0', { arguments: { a: 2 } }),
      began('m1.0'),
      { ...settledBad('m1.1', 'invalid', { durationMs: 4 }), at: 1_050 },
      { ...settledOk('m1.0', 'out', { settlement: { outcome: 'ok', output: 'out', content: 'cut' } }), at: 1_250 },
    )
    const turn = state.sealed[1]
    if (turn === undefined) throw new Error('no turn')
    const error = { code: 'ToolExecutionError', category: 'tool', message: 'it was invalid', retryable: false }
    expect(settledCalls(turn, naming)).toEqual([
      { callId: 'm1.0', messageId: 'm1', dynamic: false, toolName: 'look', input: { a: 2 }, outcome: 'ok', output: 'out', durationMs: 250 },
      { callId: 'm1.1', messageId: 'm1', dynamic: true, toolName: 'save', input: {}, outcome: 'invalid', error, durationMs: 4 },
    ])
  })

  test('B199 calls in imported history are nobody’s', () => {
    const imported: Message = {
      role: 'assistant',
      parts: [{ type: 'tool-call', callId: 'm1.0', toolName: 'look', input: {}, settlement: { outcome: 'ok', output: 1 } }],
    }
    expect(settledCalls({ message: imported, seq: 1 }, naming)).toEqual([])
  })
})

describe('pending calls and parked results', () => {
  const waiting = [
    ...called('look', 'client', 'save', 'look'),
    prepared('m1.0', { approval: { risk: 'low', reason: 'why not', expiresAt: 9_000 } }),
    prepared('m1.1', { executor: 'external' }),
    prepared('m1.2', { approval: {} }),
    prepared('m1.3'),
    deferred('m1.1', { correlationId: 'c', expiresAt: 8_000 }),
    decided('e7', 'deny'),
  ]
  const pending = [
    {
      callId: 'm1.0',
      messageId: 'm1',
      dynamic: false,
      toolName: 'look',
      input: {},
      kind: 'approval',
      risk: 'low',
      reason: 'why not',
      expiresAt: 9_000,
    },
    {
      callId: 'm1.1',
      messageId: 'm1',
      dynamic: false,
      toolName: 'client',
      input: {},
      kind: 'result',
      why: 'client',
      correlationId: 'c',
      expiresAt: 8_000,
    },
  ]
  const parked = (park: Parameters<typeof parkedResult>[2]) => {
    const state = play(waiting)
    if (state.live.run === undefined) throw new Error('no run')
    return parkedResult(state, state.live.run, park, naming, true)
  }

  test('what waits for somebody: not what is decided, ready or running', () => {
    expect(pendingCalls(play(waiting).live, naming)).toEqual(pending)
    expect(pendingCalls(play().live, naming)).toEqual([])
  })

  test('parked: what it waits for and until when, with the turns so far', () => {
    const shown = { sessionId: 's1', runId: 'r1', text: '', messages: [user], calls: [], iterations: 1, usage, durable: true }
    expect(parked({ reason: 'awaiting_approval', wakeAt: 8_000 })).toEqual({
      ...shown,
      status: 'parked',
      reason: 'awaiting_approval',
      pending,
      wakeAt: 8_000,
    })
    expect(parked({ reason: 'paused' })).not.toHaveProperty('wakeAt')
  })

  test.each(['session_error', 'lease_lost'] as const)('machine 3: %s is a failure that can be resumed', (reason) => {
    expect(parked({ reason, error: broken })).toMatchObject({ status: 'failed', reason, error: broken, resumable: true })
    expect(parked({ reason })).toMatchObject({ error: { code: 'SessionWriteFailed' } })
  })
})
