import { describe, expect, test } from 'vitest'
import { applyTo } from '../../src/core/apply.ts'
import type { CoreEvent } from '../../src/core/event.ts'
import { glimpse, project } from '../../src/core/project.ts'
import { emptyState } from '../../src/core/state.ts'
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
  finished,
  journal,
  open,
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
import { walk } from './walk.ts'

const naming = { sessionId: 's1', isDynamic: (toolName: string) => toolName === 'save' }

/** The events of a journal, entry by entry. */
function eventsByEntry(steps: Steps): CoreEvent[][] {
  const state = emptyState()
  return journal(...steps).map((entry) => {
    const before = glimpse(state, entry)
    applyTo(state, entry)
    return project(before, entry, state, naming)
  })
}

/** The events of the last entry, without the envelope. */
function last(...steps: Steps) {
  return (eventsByEntry(steps).at(-1) ?? []).map(({ v, cursor, at, sessionId, runId, iteration, ...body }) => body)
}

/** `cursor type`, and for a status where it leads. */
function short(...steps: Steps): string[] {
  return eventsByEntry(steps)
    .flat()
    .map((event) => `${event.cursor} ${event.type}${event.type === 'run.status' ? ` ${event.to}` : ''}`)
}

const hi = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as const
const ref = { callId: 'm1.0', messageId: 'm1', dynamic: false, toolName: 'look', input: {} }
const model = { messageId: 'm1', purpose: 'main', attempt: 1 }
const status = (from: string, to: string) => ({ type: 'run.status', from, to })
const asking = [...called('look'), prepared('m1.0', { approval: { risk: 'high', reason: 'it pays', expiresAt: 9_000 } })]

describe('machine 6: a whole run, event by event', () => {
  test('cursors are seq:i; a change of status is one event after those of its fact, and before run.finished; nothing follows the end', () => {
    const steps = [requested(), claimed(), ...rounds(1), started(2), responded(2, 'Yes.'), finished('r1', { text: 'Yes.' })]
    expect(short(steps)).toEqual([
      '2:0 run.started',
      '2:1 message.added',
      '2:2 run.status preparing',
      '3:0 iteration.started',
      '3:1 model.started',
      '3:2 run.status model_running',
      '4:0 model.finished',
      '4:1 usage.updated',
      '4:2 call.announced',
      '4:3 run.status tool_running',
      '6:0 call.started',
      '7:0 call.settled',
      '7:1 iteration.finished',
      '8:0 iteration.started',
      '8:1 model.started',
      '8:2 run.status model_running',
      '9:0 model.finished',
      '9:1 usage.updated',
      '9:2 iteration.finished',
      '10:0 run.status completed',
      '10:1 run.finished',
    ])
  })

  test('the envelope: version, cursor, time of the entry, session, run and iteration', () => {
    const events = eventsByEntry([open, { ...responded(1, 'Yes.'), at: 4_000 }]).at(-1)
    expect(events?.[0]).toEqual({
      v: 1,
      cursor: '4:0',
      at: 4_000,
      sessionId: 's1',
      runId: 'r1',
      iteration: 1,
      type: 'model.finished',
      ...model,
      finishReason: 'stop',
      usage,
    })
  })

  test('the last event still knows its iteration', () => {
    expect(
      eventsByEntry([open, responded(1, 'Yes.'), finished()])
        .at(-1)
        ?.map(({ iteration, runId }) => [iteration, runId]),
    ).toEqual([
      [1, 'r1'],
      [1, 'r1'],
    ])
  })
})

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
        { type: 'call.deferred', ...ref, kind: 'result', correlationId: 'c', expiresAt: 9_000 },
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

describe('iterations in events (C2)', () => {
  test('a blank response and a retried attempt stay in their iteration: it starts and ends once', () => {
    const steps = [
      ...open,
      responded(1, ''),
      started(2),
      failed(2, { retryAt: 1_000 }),
      started(2, { attempt: 2 }),
      responded(2, { text: 'a', attempt: 2 }),
    ]
    expect(short(steps).filter((line) => line.includes('iteration.'))).toEqual(['3:0 iteration.started', '8:2 iteration.finished'])
  })

  test('a wrap-up is none', () => {
    const steps = [
      requested(),
      claimed(),
      ...rounds(1),
      started(2, { purpose: 'wrap-up', reason: 'max_iterations' }),
      responded(2, { text: 'a', calls: ['look'] }),
      settledBad('m2.0', 'skipped'),
    ]
    expect(short(steps).filter((line) => line.includes('iteration.'))).toEqual(['3:0 iteration.started', '7:1 iteration.finished'])
  })
})

describe('several runs in a session', () => {
  test('the end of a run is its status though the next one waits already, and the next begins at idle', () => {
    const steps = [
      ...open,
      requested('r2'),
      responded(1, 'a'),
      finished('r1', { status: 'incomplete', reason: 'max_tokens' }),
      claimed(1, 'r2', 'next'),
    ]
    const events = eventsByEntry([steps])
      .flat()
      .filter((event) => event.type === 'run.status')
    expect(events.map(({ runId, from, to }) => [runId, from, to])).toEqual([
      ['r1', 'idle', 'preparing'],
      ['r1', 'preparing', 'model_running'],
      ['r1', 'model_running', 'incomplete'],
      ['r2', 'idle', 'preparing'],
    ])
  })

  test('a cancelled waiting run has its end and no status of its own', () => {
    const steps = [
      ...open,
      requested('r2'),
      control('cancel', 'r2', 'no'),
      finished('r2', { status: 'aborted', reason: 'aborted', abortReason: 'no' }),
    ]
    const events = eventsByEntry([steps]).at(-1)
    expect(events).toMatchObject([
      { type: 'run.finished', runId: 'r2', result: { runId: 'r2', status: 'aborted', abortReason: 'no', messages: [], calls: [] } },
    ])
  })

  test('pausing a run that waits changes nothing for the active one', () => {
    expect(last(open, requested('r2'), control('pause', 'r2'))).toEqual([])
  })
})

describe('whatever happens (random walks)', () => {
  const walks = Array.from({ length: 30 }, (_, i) => [`seed ${i + 1_000}`, walk(i + 1_000, 300)] as const)

  test('each run starts once before all else and finishes at most once, and nothing of it follows', () => {
    for (const [seed, { events }] of walks) {
      const began = new Set<string>()
      const ended = new Set<string>()
      for (const event of events) {
        expect(ended, `${seed}, ${event.cursor}`).not.toContain(event.runId)
        if (event.type === 'run.started') {
          expect(began, `${seed}, ${event.cursor}`).not.toContain(event.runId)
          began.add(event.runId)
        } else if (event.type === 'run.finished') ended.add(event.runId)
        else if (event.type !== 'message.added') expect(began, `${seed}, ${event.cursor}`).toContain(event.runId)
      }
      expect(ended.size).toBeGreaterThan(0)
    }
  })

  test('iterations start and finish in turn, their numbers grow by one', () => {
    for (const [seed, { events }] of walks) {
      const openIn = new Map<string, number>()
      const lastOf = new Map<string, number>()
      for (const event of events) {
        const at = `${seed}, ${event.cursor}`
        if (event.type === 'iteration.started') {
          expect(openIn.has(event.runId), at).toBe(false)
          expect(event.iteration, at).toBe((lastOf.get(event.runId) ?? 0) + 1)
          openIn.set(event.runId, event.iteration)
          lastOf.set(event.runId, event.iteration)
        }
        if (event.type === 'iteration.finished') {
          expect(openIn.get(event.runId), at).toBe(event.iteration)
          openIn.delete(event.runId)
        }
      }
    }
  })

  test('a call is announced once, starts only after that, settles once, and an unsafe one never starts twice in an epoch', () => {
    for (const [seed, { events }] of walks) {
      const calls = new Map<string, string>()
      for (const event of events) {
        const at = `${seed}, ${event.cursor}`
        if (event.type === 'call.announced') {
          expect(calls.has(event.callId), at).toBe(false)
          calls.set(event.callId, 'open')
        }
        if (event.type === 'call.started' || event.type === 'call.deferred' || event.type === 'approval.requested')
          expect(calls.get(event.callId), at).toBe('open')
        if (event.type === 'call.settled') {
          expect(calls.get(event.callId), at).toBe('open')
          calls.set(event.callId, 'settled')
        }
      }
    }
  })

  test('cursors grow', () => {
    for (const [seed, { events }] of walks) {
      const numbers = events.map(({ cursor }) => cursor.split(':').map(Number))
      for (const [i, [seq = 0, index = 0]] of numbers.entries()) {
        const [seqBefore = 0, indexBefore = -1] = numbers[i - 1] ?? []
        expect(seq > seqBefore || index === indexBefore + 1, `${seed}, ${seq}:${index}`).toBe(true)
      }
    }
  })
})
