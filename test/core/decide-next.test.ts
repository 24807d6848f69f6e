import { describe, expect, test } from 'vitest'
import type { ModelSetup } from '../../src/core/entry.ts'
import {
  calls,
  claimed,
  control,
  failed,
  finishes,
  nothing,
  open,
  plan,
  planOf,
  play,
  requested,
  responded,
  rounds,
  type Step,
  started,
  steer,
} from './support.ts'

const ready = [requested(), claimed()]

describe('machine 5.16: a model call starts', () => {
  test('the first one, with the whole setup and everything said so far', () => {
    expect(planOf(play(ready))).toEqual(plan([calls(1, 2, { setup: { model: 'test:m' } })]))
  })

  test('later ones say only what changed; contextThrough is the last seq', () => {
    expect(planOf(play(ready, rounds(1)))).toEqual(plan([calls(2, 7)]))
    expect(planOf(play(ready, rounds(1), steer('Also')))).toEqual(plan([calls(2, 8)]))
  })

  test('n counts model calls of every purpose over the whole session', () => {
    const first = [
      ...open,
      responded(1, 'a'),
      { kind: 'run.finished', runId: 'r1', data: { status: 'completed', reason: 'completed', text: 'a' } },
    ] as Step[]
    expect(planOf(play(first, requested('r2'), claimed(1, 'r2', 'next')))).toEqual(plan([calls(2, 7)]))
  })

  const settings = { temperature: 1, providerOptions: { a: { x: 1, y: 2 } } }
  const before: ModelSetup = { model: 'test:m', instructions: 'Be brief.', tools: ['a', 'b'], settings }
  const after = (setup: ModelSetup) => {
    const state = play(ready, { ...started(1), data: { ...started(1).data, setup: before } } as Step, failed(1, { retryAt: 1_000 }))
    const body = planOf(state, { setup }).append[0]
    return body?.kind === 'model.started' ? body.data.setup : 'no call'
  }

  test.each<[string, ModelSetup, ModelSetup | undefined]>([
    ['nothing', { ...before, tools: ['a', 'b'] }, undefined],
    ['the order of keys in settings', { ...before, settings: { providerOptions: { a: { y: 2, x: 1 } }, temperature: 1 } }, undefined],
    ['the model', { ...before, model: 'test:other' }, { model: 'test:other' }],
    ['instructions', { ...before, instructions: 'Be long.' }, { instructions: 'Be long.' }],
    ['a tool', { ...before, tools: ['a', 'c'] }, { tools: ['a', 'c'] }],
    ['the order of tools', { ...before, tools: ['b', 'a'] }, { tools: ['b', 'a'] }],
    ['one tool fewer', { ...before, tools: ['a'] }, { tools: ['a'] }],
    ['settings', { ...before, settings: { temperature: 0 } }, { settings: { temperature: 0 } }],
    ['what is no longer said', {}, { instructions: '', settings: {} }],
  ])('setup when this changed: %s', (_name, setup, changed) => {
    expect(after(setup)).toEqual(changed)
  })

  test('a message that waits asks for a call after a text; without one the run completes', () => {
    const queued = play(ready, started(1, { through: 2 }), steer('And?'), responded(1, 'Yes.'))
    expect(planOf(queued)).toEqual(plan([calls(2, 5)]))
    expect(planOf(play(open, responded(1, 'Yes.')))).toEqual(plan([finishes({ status: 'completed', reason: 'completed', text: 'Yes.' })]))
  })

  test('also a hidden one: it waits for the model, not for a person', () => {
    const queued = play(ready, started(1, { through: 2 }), steer('Done in the background', { origin: 'background' }), responded(1, 'Yes.'))
    expect(planOf(queued)).toEqual(plan([calls(2, 5)]))
  })
})

describe('machine 5.15 and 1: setup and complete are activities', () => {
  test('with dynamic parts a setup is wanted instead of the call, keyed by call and attempt', () => {
    expect(planOf(play(ready), { hasSetup: true })).toEqual(plan([], ['setup:1.1:main:r1']))
    expect(planOf(play(open, failed(1, { retryAt: 1_000 })), { hasSetup: true })).toEqual(plan([], ['setup:1.2:main:r1']))
  })

  test('a retry that is not due asks for no setup yet', () => {
    expect(planOf(play(open, failed(1, { retryAt: 9_000 })), { hasSetup: true })).toEqual(plan([], [], 9_000))
  })

  test('with hooks before the end complete is wanted instead of the end', () => {
    expect(planOf(play(open, responded(1, 'Yes.')), { hasComplete: true })).toEqual(plan([], ['complete:1']))
  })

  test('only a completed run is asked about: an incomplete one ends', () => {
    expect(planOf(play(open, responded(1, { text: 'a', finish: 'length' })), { hasComplete: true }).append[0]?.data).toMatchObject({
      reason: 'max_tokens',
    })
  })
})

describe('machine 5.9: a paused run', () => {
  test.each([
    ['before its first call', [control('pause')]],
    ['after a batch', [...rounds(1), control('pause')]],
    ['after its answer', [started(1), control('pause'), responded(1, 'Yes.')]],
    ['with a message', [...rounds(1), control('pause'), steer('Go on')]],
  ] as const)('begins nothing: %s', (_name, steps) => {
    expect(planOf(play(ready, ...steps))).toEqual(nothing)
  })

  test('goes on after resume', () => {
    expect(planOf(play(ready, control('pause'), control('resume'))).append[0]?.kind).toBe('model.started')
    expect(planOf(play(open, control('pause'), responded(1, 'Yes.'), control('resume'))).append[0]?.kind).toBe('run.finished')
  })
})

describe('an activation whose time slice is over', () => {
  const hold = { holdStarts: true }

  test('begins no call, no setup, no complete', () => {
    expect(planOf(play(ready), {}, hold)).toEqual(nothing)
    expect(planOf(play(ready), { hasSetup: true }, hold)).toEqual(nothing)
    expect(planOf(play(open, responded(1, 'Yes.')), { hasComplete: true }, hold)).toEqual(nothing)
  })

  test('lets what runs run and the run end', () => {
    expect(planOf(play(open), {}, hold)).toEqual(plan([], ['model:1.1']))
    expect(planOf(play(open, responded(1, 'Yes.')), {}, hold).append[0]?.kind).toBe('run.finished')
  })

  test('still says when a retry is due', () => {
    expect(planOf(play(open, failed(1, { retryAt: 9_000 })), {}, hold)).toEqual(plan([], [], 9_000))
  })
})

// Rules 5 and 14 (compaction), the output phase of 11 and `revise` are not in src/core yet.

// Belongs to later work: compaction (machine 5.5, 5.14), the output phase (5.16), approvalTiming 'perCall' (machine 4).
