import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apply, applyTo } from '../../src/core/apply.ts'
import type { Entry } from '../../src/core/entry.ts'
import { branch, emptyState, type SessionState } from '../../src/core/state.ts'
import { stopOnDuplicates, terminationView } from '../../src/core/termination.ts'
import { Transcript } from '../../src/core/transcript.ts'
import {
  answered,
  began,
  broken,
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
  type Step,
  settledBad,
  settledOk,
  started,
  steer,
} from './support.ts'

/** Everything a state says, copied: what lies behind `sealedCount` does not belong to it. */
function shown({ sealed, live }: SessionState) {
  return structuredClone({ sealed: sealed.slice(0, live.sealedCount), live })
}

function fold(entries: readonly Entry[], state = emptyState()): SessionState {
  for (const entry of entries) applyTo(state, entry)
  return state
}

/** A session in which every kind stands at least once. */
const everything: readonly Step[] = [
  { kind: 'session', data: { version: 1 } },
  requested('r1', 'a'),
  claimed(),
  started(1),
  steer('b'),
  responded(1, { calls: ['look', 'client', 'save'] }),
  prepared('m1.0'),
  prepared('m1.1', { executor: 'external' }),
  prepared('m1.2', { effect: 'unsafe', approval: {} }),
  began('m1.0'),
  deferred('m1.1'),
  decided('e9', 'allow'),
  began('m1.2'),
  settledBad('m1.2', 'unknown'),
  settledOk('m1.0', 1),
  answered('m1.1', 2),
  control('pause'),
  control('resume'),
  started(2),
  failed(2, { retryAt: 1_000 }),
  started(2, { attempt: 2 }),
  responded(2, { text: 'c', attempt: 2 }),
  { kind: 'history.revised', data: { ok: true, reason: 'compaction', throughTurn: 2, with: [{ role: 'summary', parts: [] }] } },
  { kind: 'custom', data: { type: 'note' } },
  requested('r2', 'd'),
  finished(),
  claimed(1, 'r2', 'next'),
  started(3),
  failed(3, { partial: 'e' }),
  finished('r2', { status: 'failed', reason: 'model_error', error: broken }),
]

describe('machine 1: un-staging after a lost race', () => {
  test('apply gives a new state and leaves the given one as it was, for every entry', () => {
    let state = emptyState()
    for (const entry of journal(everything)) {
      const before = shown(state)
      const next = apply(state, entry)
      expect(shown(state)).toEqual(before)
      state = next
    }
    expect(shown(state)).toEqual(shown(fold(journal(everything))))
  })

  test('a branch thrown away changes nothing of the base, and a second one gives the right result, wherever it begins', () => {
    const entries = journal(everything)
    fc.assert(
      fc.property(fc.nat(entries.length), fc.nat(entries.length), (at, length) => {
        const base = fold(entries.slice(0, at))
        const before = shown(base)
        fold(entries.slice(at, at + length), branch(base))
        expect(shown(base)).toEqual(before)
        expect(shown(fold(entries.slice(at), branch(base)))).toEqual(shown(fold(entries)))
      }),
    )
  })

  test('the sealed turns are shared: a second branch writes over those of the first', () => {
    const base = fold(journal(open))
    const lost = fold(journal(open, responded(1, 'lost')).slice(3), branch(base))
    const won = fold(journal(open, failed(1, { partial: 'won' })).slice(3), branch(base))
    expect(won.sealed).toBe(lost.sealed)
    expect([...Transcript.of(won)].map((message) => message.parts)).toEqual([
      [{ type: 'text', text: 'Hi' }],
      [{ type: 'text', text: 'won' }],
    ])
    expect(won.sealed).toHaveLength(2)
    expect([...Transcript.of(base)]).toHaveLength(1)
  })

  test('turns and their messages are frozen, and stay the same objects for the encodings cached on them', () => {
    const base = fold(journal(requested(), claimed(), rounds(1)))
    const next = fold(journal(requested(), claimed(), rounds(2)).slice(7), branch(base))
    expect(next.sealed.slice(0, 2)).toEqual(base.sealed.slice(0, 2))
    expect(next.sealed[1]).toBe(base.sealed[1])
    for (const turn of next.sealed)
      expect([turn, turn.message, ...(turn.n === undefined ? [] : [turn.message.parts])].map(Object.isFrozen)).not.toContain(false)
  })

  test('a policy that counts earlier calls counts those of the branch that stands', () => {
    const start = [requested(), claimed(), ...rounds(1, () => [['look', { a: 1 }]])]
    const base = fold(journal(start))
    const policy = stopOnDuplicates()
    const ask = (state: SessionState) => {
      const { run } = state.live
      if (run === undefined) throw new Error('no run')
      return policy(terminationView(state, run, 'response'))
    }
    const next = (calls: (n: number) => readonly (readonly [string, { a: number }])[]) => [
      ...rounds(1, calls, 2),
      started(3),
      responded(3, { calls: [['look', { a: 1 }]] }),
    ]
    const stays = (steps: readonly Step[]) => fold(journal(start, steps).slice(start.length), branch(base))
    expect(ask(stays(next(() => [['look', { a: 1 }]])))).toEqual({ kind: 'terminateImmediately', reason: 'duplicate_tool_call' })
    expect(ask(stays(next(() => [['look', { a: 2 }]])))).toBeUndefined()
    expect(ask(stays(next(() => [['look', { a: 1 }]])))).toEqual({ kind: 'terminateImmediately', reason: 'duplicate_tool_call' })
  })
})
