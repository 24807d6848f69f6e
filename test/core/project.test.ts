import { describe, expect, test } from 'vitest'
import { last, short } from './events.ts'
import type { Step, Steps } from './support.ts'
import {
  answered,
  began,
  broken,
  called,
  claimed,
  control,
  decided,
  deferred,
  failed,
  open,
  prepared,
  requested,
  responded,
  settledBad,
  settledOk,
  started,
  steer,
  usage,
} from './support.ts'

const hi = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as const
const ref = { callId: 'm1.0', messageId: 'm1', dynamic: false, toolName: 'look', input: {} }
const model = { messageId: 'm1', purpose: 'main', attempt: 1 }
const status = (from: string, to: string) => ({ type: 'run.status', from, to })
const asking = [...called('look'), prepared('m1.0', { approval: { risk: 'high', reason: 'it pays', expiresAt: 9_000 } })]

describe('machine 6: which entry gives what', () => {
  test.each<[string, readonly Step[], readonly object[]]>([
    ['session', [{ kind: 'session', data: { version: 1 } }], []],
    ['custom', [...open, { kind: 'custom', data: { type: 'note' } }], []],
    ['run.requested', [requested()], []],
    ['run.requested behind another', [...open, requested('r2')], []],
    [
      'the first run.claimed',
      [requested(), claimed()],
      [{ type: 'run.started', agent: 'tester', input: [hi] }, { type: 'message.added', message: hi }, status('idle', 'preparing')],
    ],
    ['a later run.claimed', [...open, claimed(2, 'r1', 'resume')], []],
    ['message', [...open, steer('Hm')], [{ type: 'message.added', message: { role: 'user', parts: [{ type: 'text', text: 'Hm' }] } }]],
    ['control that changes nothing yet', [...open, control('pause')], []],
    ['control: pause', [requested(), claimed(), control('pause')], [status('preparing', 'paused')]],
    [
      'model.started',
      open,
      [{ type: 'iteration.started' }, { type: 'model.started', ...model, model: 'test:m' }, status('preparing', 'model_running')],
    ],
    [
      'model.started, a wrap-up',
      [requested(), claimed(), started(1, { purpose: 'wrap-up', reason: 'timeout' })],
      [{ type: 'model.started', ...model, purpose: 'wrap-up', model: 'test:m' }, status('preparing', 'model_running')],
    ],
    [
      'model.started, output',
      [requested(), claimed(), started(1, { purpose: 'output' })],
      [
        { type: 'iteration.started' },
        { type: 'model.started', ...model, purpose: 'output', model: 'test:m' },
        status('preparing', 'model_running'),
      ],
    ],
    [
      'model.started, compaction',
      [requested(), claimed(), started(1, { purpose: 'compaction' })],
      [{ type: 'model.started', ...model, purpose: 'compaction', model: 'test:m' }, status('preparing', 'model_running')],
    ],
    [
      'model.responded, a text',
      [...open, responded(1, 'Yes.')],
      [{ type: 'model.finished', ...model, finishReason: 'stop', usage }, { type: 'usage.updated', usage }, { type: 'iteration.finished' }],
    ],
    [
      'model.responded, blank: it is asked again in the same iteration',
      [...open, responded(1, '')],
      [
        { type: 'model.finished', ...model, finishReason: 'stop', usage },
        { type: 'usage.updated', usage },
      ],
    ],
    [
      'model.responded with calls',
      called('look', ['save', { a: 1 }]),
      [
        { type: 'model.finished', ...model, finishReason: 'tool-calls', usage },
        { type: 'usage.updated', usage },
        { type: 'call.announced', callId: 'm1.0', messageId: 'm1', toolName: 'look', input: {} },
        { type: 'call.announced', callId: 'm1.1', messageId: 'm1', toolName: 'save', input: { a: 1 } },
        status('model_running', 'tool_running'),
      ],
    ],
    [
      'model.failed, to be tried again: what was shown is retracted',
      [...open, { ...failed(1, { retryAt: 5_000 }), at: 3_000 }],
      [
        { type: 'model.failed', ...model, error: broken, retryInMs: 2_000 },
        { type: 'model.retracted', ...model },
      ],
    ],
    [
      'model.failed, due already',
      [...open, { ...failed(1, { retryAt: 2_000 }), at: 3_000 }],
      [
        { type: 'model.failed', ...model, error: broken, retryInMs: 0 },
        { type: 'model.retracted', ...model },
      ],
    ],
    [
      'model.failed for good, without a partial',
      [...open, failed(1)],
      [
        { type: 'model.failed', ...model, error: broken },
        { type: 'model.retracted', ...model },
      ],
    ],
    [
      'model.failed with an empty one',
      [...open, failed(1, { partial: '' })],
      [
        { type: 'model.failed', ...model, error: broken },
        { type: 'model.retracted', ...model },
      ],
    ],
    [
      'model.failed that keeps a partial: nothing is retracted',
      [...open, failed(1, { partial: 'Half' })],
      [{ type: 'model.failed', ...model, error: broken }],
    ],
    ['call.prepared', [...called('look'), prepared('m1.0')], []],
    [
      'call.prepared with an approval',
      asking,
      [{ type: 'approval.requested', ...ref, risk: 'high', reason: 'it pays', expiresAt: 9_000 }, status('tool_running', 'awaiting_human')],
    ],
    [
      'approval.decided: allow',
      [...asking, decided('e5', 'allow', { by: 'ann' })],
      [{ type: 'approval.decided', ...ref, decision: 'approve', by: 'ann' }, status('awaiting_human', 'tool_running')],
    ],
    [
      'approval.decided: edited',
      [...asking, decided('e5', 'allow', { arguments: { a: 1 } })],
      [{ type: 'approval.decided', ...ref, input: { a: 1 }, decision: 'approve' }, status('awaiting_human', 'tool_running')],
    ],
    [
      'approval.decided: deny',
      [...asking, decided('e5', 'deny', { reason: 'no' })],
      [{ type: 'approval.decided', ...ref, decision: 'deny', reason: 'no' }, status('awaiting_human', 'model_running')],
    ],
    [
      'approval.decided: stop',
      [...asking, decided('e5', 'stop')],
      [{ type: 'approval.decided', ...ref, decision: 'deny' }, status('awaiting_human', 'model_running')],
    ],
    [
      'call.settled, refused with the arguments of an approval',
      [...asking, decided('e5', 'allow', { arguments: { a: 1 } }), settledBad('m1.0', 'denied', { by: 'prepare' })],
      [
        {
          type: 'call.settled',
          ...ref,
          input: { a: 1 },
          outcome: 'denied',
          error: { code: 'ToolExecutionError', category: 'tool', message: 'it was denied', retryable: false },
          durationMs: 0,
        },
        { type: 'iteration.finished' },
        status('tool_running', 'model_running'),
      ],
    ],
    [
      'call.started',
      [...called('save'), prepared('m1.0', { arguments: { a: 2 } }), began('m1.0')],
      [{ type: 'call.started', ...ref, toolName: 'save', dynamic: true, input: { a: 2 }, attempt: 1 }],
    ],
    [
      'call.started, again',
      [...called('look'), prepared('m1.0'), began('m1.0'), claimed(2), began('m1.0', 2)],
      [{ type: 'call.started', ...ref, attempt: 2 }],
    ],
    [
      'call.deferred',
      [...called('look'), prepared('m1.0'), began('m1.0'), deferred('m1.0', { why: 'suspended', correlationId: 'c', expiresAt: 9_000 })],
      [
        { type: 'call.deferred', ...ref, kind: 'result', why: 'suspended', correlationId: 'c', expiresAt: 9_000 },
        status('tool_running', 'awaiting_tool_results'),
      ],
    ],
    [
      'call.settled, not the last',
      [...called('look', 'look'), prepared('m1.0'), began('m1.0'), { ...settledOk('m1.0', { n: 1 }), at: 1_250 }],
      [{ type: 'call.settled', ...ref, outcome: 'ok', output: { n: 1 }, durationMs: 250 }],
    ],
    [
      'call.settled, the last',
      [...called('look'), settledBad('m1.0', 'invalid', { durationMs: 3 })],
      [
        {
          type: 'call.settled',
          ...ref,
          outcome: 'invalid',
          error: { code: 'ToolExecutionError', category: 'tool', message: 'it was invalid', retryable: false },
          durationMs: 3,
        },
        { type: 'iteration.finished' },
      ],
    ],
    [
      'call.settled from outside',
      [...called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0'), answered('m1.0', 1)],
      [
        { type: 'call.settled', ...ref, toolName: 'client', outcome: 'ok', output: 1, durationMs: 0 },
        { type: 'iteration.finished' },
        status('awaiting_tool_results', 'tool_running'),
      ],
    ],
    [
      'history.revised',
      [
        ...open,
        responded(1, 'a'),
        { kind: 'history.revised', data: { ok: true, reason: 'compaction', throughTurn: 1, with: [], tokensBefore: 9, tokensAfter: 4 } },
      ],
      [{ type: 'history.revised', tokensBefore: 9, tokensAfter: 4 }],
    ],
    [
      'history.revised that failed',
      [...open, responded(1, 'a'), { kind: 'history.revised', data: { ok: false, reason: 'compaction', throughTurn: 1, with: [] } }],
      [],
    ],
  ])('%s', (_name, steps, events) => {
    expect(last(steps)).toEqual(events)
  })

  test('what only the model is shown stands in no event', () => {
    const settled = settledOk('m1.0', 0, { settlement: { outcome: 'ok', output: { big: 1 }, content: 'short' } })
    expect(last(called('look'), settled)[0]).toEqual({ type: 'call.settled', ...ref, outcome: 'ok', output: { big: 1 }, durationMs: 0 })
  })

  test('an approval that expired is decided by nobody, then the call settles', () => {
    const expired = settledBad('m1.0', 'denied', { by: 'machine', code: 'ToolDenied' })
    expect(last(asking, expired).map(({ type }) => type)).toEqual(['approval.decided', 'call.settled', 'iteration.finished', 'run.status'])
    expect(last(asking, expired)[0]).toEqual({ type: 'approval.decided', ...ref, decision: 'expired' })
  })

  test.each<[string, Steps]>([
    ['a denial by hand has its own event already', [asking, decided('e5', 'deny'), settledBad('m1.0', 'denied', { by: 'machine' })]],
    ['a request that was withdrawn', [asking, settledBad('m1.0', 'skipped', { by: 'machine' })]],
    ['a cancelled one', [asking, control('cancel'), settledBad('m1.0', 'cancelled', { by: 'machine' })]],
    ['a denial by rule, never asked', [called('look'), settledBad('m1.0', 'denied', { by: 'machine' })]],
  ])('nothing expired: %s', (_name, steps) => {
    expect(last(...steps).map(({ type }) => type)).not.toContain('approval.decided')
  })

  test('7.5 announcing and starting are two events: a denied call is announced and never started', () => {
    const types = short(asking, decided('e5', 'deny'), settledBad('m1.0', 'denied', { by: 'machine' })).map((line) => line.split(' ')[1])
    expect(types.filter((type) => type === 'call.announced')).toHaveLength(1)
    expect(types).not.toContain('call.started')
  })
})
