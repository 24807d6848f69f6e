import { describe, expect, test } from 'vitest'
import { accept } from '../../src/core/accept.ts'
import { applyTo } from '../../src/core/apply.ts'
import type { Entry } from '../../src/core/entry.ts'
import { RondoError } from '../../src/core/error.ts'
import {
  answered,
  began,
  called,
  claimed,
  decided,
  deferred,
  failed,
  finished,
  journal,
  open,
  planOf,
  play,
  prepared,
  requested,
  responded,
  type Step,
  settledOk,
  started,
} from './support.ts'

/** What folding one more entry throws. */
function thrownBy(before: readonly Step[], step: Step, change: Partial<Entry> = {}): string {
  const state = play(before)
  const entry = { ...journal(before, step).at(-1), ...change } as Entry
  try {
    applyTo(state, entry)
  } catch (error) {
    if (RondoError.is(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'nothing'
}

const ready = [...called('look', 'save'), prepared('m1.0'), prepared('m1.1', { effect: 'unsafe' })]
const running = [...ready, began('m1.0'), began('m1.1')]
const asking = [...called('look'), prepared('m1.0', { approval: {} })]

describe('a broken invariant stops the fold, before anything is done with it', () => {
  test.each<[string, readonly Step[], Step, string]>([
    ['a run is claimed that nobody asked for', [requested()], claimed(1, 'r9'), 'a claimed run waits (r9)'],
    ['a model call without a run', [requested()], started(1), 'what is driven belongs to a run (a model call)'],
    ['two model calls at a time', open, started(2), 'one model call at a time, after all calls have settled'],
    ['a model call while calls are open', ready, started(2), 'one model call at a time, after all calls have settled'],
    ['a response to no call', [requested(), claimed()], responded(1, 'a'), 'a response answers the open model call'],
    ['a response of another call', open, responded(2, 'a'), 'a response answers the open model call'],
    ['a response of another attempt', open, responded(1, { text: 'a', attempt: 2 }), 'a response answers the open model call'],
    ['a failure of no call', [requested(), claimed()], failed(1), 'a failure ends the open model call'],
    ['a failure of another attempt', open, failed(1, { attempt: 2 }), 'a failure ends the open model call'],
    ['a call that is not there', ready, prepared('m1.2'), 'a call is open (m1.2)'],
    ['a call of another message', ready, prepared('m9.0'), 'a call is open (m9.0)'],
    ['a call prepared twice', ready, prepared('m1.0'), 'a call is announced when it is prepared (m1.0)'],
    ['a start without a verdict', called('look'), began('m1.0'), 'a call is ready or an orphan when it starts (m1.0)'],
    ['a start while it awaits an answer', asking, began('m1.0'), 'a call is ready or an orphan when it starts (m1.0)'],
    ['a start after a denial', [...asking, decided('e5', 'deny')], began('m1.0'), 'a call is ready or an orphan when it starts (m1.0)'],
    ['a start while it is outside', [...running, deferred('m1.0')], began('m1.0', 2), 'a call is ready or an orphan when it starts (m1.0)'],
    ['an unsafe call started twice', running, began('m1.1', 2), 'an unsafe call starts once (m1.1)'],
    ['a call deferred before its verdict', called('client'), deferred('m1.0'), 'a call is ready or running when it is deferred (m1.0)'],
    ['a call settled twice', [...running, settledOk('m1.0')], settledOk('m1.0'), 'a call settles once (m1.0)'],
    ['a settled call deferred', [...running, settledOk('m1.0')], deferred('m1.0'), 'a call is ready or running when it is deferred (m1.0)'],
    ['a call settled after its turn is closed', [...called('look'), settledOk('m1.0')], settledOk('m1.0'), 'a call is open (m1.0)'],
    ['a decision on a call that asks nothing', ready, decided('e5', 'allow'), 'a call awaits its one decision (m1.0)'],
    ['a second decision', [...asking, decided('e5', 'deny')], decided('e5', 'allow'), 'a call awaits its one decision (m1.0)'],
    ['a decision on no call', asking, decided('e9', 'allow'), 'a decision answers a prepared call'],
    ['an end with an open model call', open, finished(), 'a run finishes after all its work'],
    ['an end with open calls', running, finished(), 'a run finishes after all its work'],
    ['a second end', [...open, responded(1, 'a'), finished()], finished(), 'a run finishes once (r1)'],
  ])('%s', (_name, before, step, what) => {
    expect(thrownBy(before, step)).toBe(`RunInvalidState: internal invariant broken: ${what}. Please report this as a bug.`)
  })

  test('an unsafe call may start again in a newer epoch (after reconcile said that it never began)', () => {
    expect(thrownBy([...running, claimed(2, 'r1', 'resume')], began('m1.1', 2))).toBe('nothing')
  })

  test.each([
    ['a gap', 3],
    ['a repetition', 1],
    ['zero', 0],
  ])('seqs follow each other: %s', (_name, seq) => {
    expect(thrownBy([requested()], claimed(), { seq })).toBe(
      `RunInvalidState: internal invariant broken: an entry follows the one before (${seq}). Please report this as a bug.`,
    )
  })

  test.each([
    ['a claim', [requested()], claimed()],
    ['a started model call', [requested(), claimed()], started(1)],
    ['a started tool call', ready, began('m1.0')],
  ] as const)('%s has an epoch', (_name, before, step) => {
    expect(thrownBy(before, step, { epoch: undefined } as never)).toContain('an epoch. Please report')
  })

  test('a requested run has an id', () => {
    expect(thrownBy([], requested(), { runId: undefined } as never)).toContain('a requested run has an id')
  })
})

describe('machine 2: an unknown kind or a higher v opens the session read-only', () => {
  const newer = (change: object) => {
    const state = play(called('look'))
    const entry = { ...journal(called('look'), { kind: 'custom', data: { type: 'x' } }).at(-1), ...change } as Entry
    applyTo(state, entry)
    return state
  }

  test.each([
    ['an unknown kind', { kind: 'call.teleported' }, "entry 5 is of the unknown kind 'call.teleported'"],
    ['a higher version', { v: 2 }, 'entry 5 has version 2'],
  ])('%s: what came before stands, what follows is not folded', (_name, change, what) => {
    const state = newer(change)
    const says = `This session was written by a newer version of rondo (${what}). Update rondo to go on with it.`
    expect(state.live).toMatchObject({ readOnly: says, seq: 5, turn: { left: 1 } })
    applyTo(state, { ...journal(called('look'), { kind: 'custom', data: { type: 'x' } }, settledOk('m1.0')).at(-1) } as Entry)
    expect(state.live).toMatchObject({ seq: 6, turn: { left: 1 } })
    expect(accept(state, answered('m1.0', 1), { onPending: 'answer', now: 0 })).toEqual({ why: 'read_only', message: says })
  })

  test('an unknown custom type is ignored', () => {
    expect(planOf(play(called('look'), { kind: 'custom', data: { type: 'from the future' } }))).toEqual(planOf(play(called('look'))))
  })
})
