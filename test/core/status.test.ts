import { describe, expect, test } from 'vitest'
import type { RunStatus } from '../../src/core/reason.ts'
import { statusOf } from '../../src/core/status.ts'
import type { Step } from './support.ts'
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
  open,
  play,
  prepared,
  requested,
  responded,
  rounds,
  settledBad,
  settledOk,
  started,
  steer,
} from './support.ts'
import { walk } from './walk.ts'

const asking = [...called('look', 'look'), prepared('m1.0', { approval: {} }), prepared('m1.1')]
const settled = settledOk('m1.1')
const outside = [...called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0')]

describe('machine 5: the status, first that fits', () => {
  test.each<[string, readonly Step[], RunStatus]>([
    ['nothing yet', [], 'idle'],
    ['only a session', [{ kind: 'session', data: { version: 1 } }], 'idle'],
    ['a run waits', [requested()], 'preparing'],
    ['it was paused before its claim', [requested(), control('pause')], 'paused'],
    ['it is claimed', [requested(), claimed()], 'preparing'],
    ['and paused', [requested(), claimed(), control('pause')], 'paused'],
    ['a model call is open', open, 'model_running'],
    ['also while paused', [...open, control('pause')], 'model_running'],
    ['its first attempt failed and waits for the next', [...open, failed(1, { retryAt: 9_000 })], 'model_running'],
    ['that wait, paused', [...open, failed(1, { retryAt: 9_000 }), control('pause')], 'paused'],
    ['an answer has come', [...open, responded(1, 'Yes.')], 'model_running'],
    ['a call is announced', called('look'), 'tool_running'],
    ['announced and paused', [...called('look'), control('pause')], 'paused'],
    ['ready', [...called('look'), prepared('m1.0')], 'tool_running'],
    ['ready and paused', [...called('look'), prepared('m1.0'), control('pause')], 'paused'],
    ['running', [...called('look'), prepared('m1.0'), began('m1.0')], 'tool_running'],
    ['running and paused', [...called('look'), prepared('m1.0'), began('m1.0'), control('pause')], 'tool_running'],
    ['one awaits, another is ready', asking, 'tool_running'],
    ['one awaits, another runs', [...asking, began('m1.1')], 'tool_running'],
    ['one awaits, nothing else is left', [...asking, settled], 'awaiting_human'],
    ['that, paused', [...asking, settled, control('pause')], 'awaiting_human'],
    [
      'one awaits, another is outside',
      [...called('look', 'client'), prepared('m1.0', { approval: {} }), prepared('m1.1', { executor: 'external' }), deferred('m1.1')],
      'awaiting_human',
    ],
    ['allowed', [...asking, settled, decided('e5', 'allow')], 'tool_running'],
    ['allowed with edits', [...asking, settled, decided('e5', 'allow', { arguments: {} })], 'tool_running'],
    ['one of two denied', [...asking, settled, decided('e5', 'deny')], 'tool_running'],
    ['a call is outside', outside, 'awaiting_tool_results'],
    ['suspended', [...called('look'), prepared('m1.0'), began('m1.0'), deferred('m1.0', { why: 'suspended' })], 'awaiting_tool_results'],
    ['outside and paused', [...outside, control('pause')], 'awaiting_tool_results'],
    ['its answer has come', [...outside, answered('m1.0', 1)], 'tool_running'],
    ['a batch is done', [requested(), claimed(), ...rounds(1)], 'tool_running'],
    ['a batch was cut', [...open, responded(1, { calls: ['look'], finish: 'length' }), settledBad('m1.0', 'truncated')], 'tool_running'],
    [
      'the call after a batch failed and waits: as it was',
      [requested(), claimed(), ...rounds(1), started(2), failed(2, { retryAt: 9_000 })],
      'model_running',
    ],
    ['the call after a batch was blank: as it was', [requested(), claimed(), ...rounds(1), started(2), responded(2, '')], 'model_running'],
    ['completed', [...open, responded(1, 'Yes.'), finished()], 'completed'],
    ['incomplete', [...open, responded(1, 'Yes.'), finished('r1', { status: 'incomplete', reason: 'max_tokens' })], 'incomplete'],
    ['failed', [...open, failed(1), finished('r1', { status: 'failed', reason: 'model_error', error: broken })], 'failed'],
    ['aborted', [requested(), claimed(), finished('r1', { status: 'aborted', reason: 'aborted' })], 'aborted'],
    ['the next run waits', [...open, requested('r2'), responded(1, 'Yes.'), finished()], 'preparing'],
    [
      'the cancelled waiting run is gone, the active one goes on',
      [...open, requested('r2'), control('cancel', 'r2'), finished('r2', { status: 'aborted', reason: 'aborted' })],
      'model_running',
    ],
  ])('%s', (_name, steps, status) => {
    expect(statusOf(play(steps))).toBe(status)
  })

  test('7.7 a denial of all calls goes to model_running directly', () => {
    const both = [...called('look', 'look'), prepared('m1.0', { approval: {} }), prepared('m1.1', { approval: {} })]
    const denials = [decided('e5', 'deny'), decided('e6', 'deny'), settledBad('m1.0', 'denied'), settledBad('m1.1', 'denied'), started(2)]
    expect(denials.map((_step, i) => statusOf(play(both, denials.slice(0, i + 1))))).toEqual([
      'awaiting_human',
      'model_running',
      'model_running',
      'model_running',
      'model_running',
    ])
  })

  test('7.7 so does an expiry of all', () => {
    expect(statusOf(play(called('look'), prepared('m1.0', { approval: {} }), settledBad('m1.0', 'denied', { by: 'machine' })))).toBe(
      'model_running',
    )
  })

  test('a hidden or queued message changes no status', () => {
    for (const steps of [open, asking, outside]) expect(statusOf(play(steps, steer('Hm')))).toBe(statusOf(play(steps)))
  })
})

const active = ['preparing', 'model_running', 'tool_running'] as const
const parked = ['awaiting_human', 'awaiting_tool_results', 'paused'] as const
const ended = ['completed', 'incomplete', 'failed', 'aborted'] as const
const pairs = (from: readonly RunStatus[], to: readonly RunStatus[]) =>
  from.flatMap((a) => to.filter((b) => a !== b).map((b) => `${a} → ${b}`))

/** S3-19 with the amendments of 7.7 and of machine 5. */
const legal = new Set([
  'idle → preparing',
  'idle → paused', // a run that was paused while it waited
  'preparing → model_running',
  'model_running → tool_running',
  'tool_running → model_running',
  'preparing → incomplete', // a limit of nothing at all
  ...pairs(['model_running', 'tool_running'], ['completed', 'incomplete', 'failed']),
  'preparing → failed',
  'awaiting_human → failed',
  // Any running state → aborted; a parked run is one.
  ...pairs([...active, ...parked], ['aborted']),
  // Any parked ↔ active, and from one reason to park to another.
  ...pairs(parked, parked),
  ...pairs(parked, ['model_running', 'tool_running']),
  ...pairs(['model_running', 'tool_running'], parked),
  'preparing → paused',
  'paused → preparing',
  // A paused run whose last word was a limit, a failure or an ender ends as it would have.
  ...pairs(['paused'], ['incomplete', 'failed', 'completed']),
])

describe('S3-18, S3-19, 7.7: transitions', () => {
  const walks = Array.from({ length: 120 }, (_, i) => walk(i + 1, 300))

  test('every change of status that a run goes through is in the table', () => {
    const seen = new Set<string>()
    for (const [seed, { events }] of walks.entries())
      for (const event of events) {
        if (event.type !== 'run.status') continue
        const change = `${event.from} → ${event.to}`
        expect(legal, `seed ${seed + 1}, ${event.cursor}`).toContain(change)
        seen.add(change)
      }
    // The table is no wish list: these were met.
    expect(seen.size).toBeGreaterThan(25)
    for (const change of [
      'idle → preparing',
      'preparing → model_running',
      'model_running → completed',
      'model_running → tool_running',
      'tool_running → awaiting_human',
      'awaiting_human → tool_running',
      'awaiting_human → model_running',
      'tool_running → failed',
      'model_running → failed',
      'model_running → aborted',
      'tool_running → model_running',
    ])
      expect(seen).toContain(change)
  })

  test('each run goes from idle to its end, and each change begins where the last one ended', () => {
    for (const [seed, { events }] of walks.entries()) {
      const at = new Map<string, RunStatus>()
      for (const event of events) {
        if (event.type === 'run.finished') {
          const known = at.get(event.runId)
          if (known !== undefined) expect(known, `seed ${seed + 1}, ${event.cursor}`).toBe(event.result.status)
        }
        if (event.type !== 'run.status') continue
        expect(event.from, `seed ${seed + 1}, ${event.cursor}`).toBe(at.get(event.runId) ?? 'idle')
        at.set(event.runId, event.to)
      }
    }
  })

  test('nothing leads out of an end', () => {
    expect([...legal].filter((change) => ended.some((status) => change.startsWith(status)))).toEqual([])
  })
})
