import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import {
  answered,
  began,
  called,
  claimed,
  control,
  decided,
  deferred,
  finished,
  open,
  play,
  prepared,
  requested,
  responded,
  type Steps,
  settledBad,
  settledOk,
  steer,
  usage,
} from './support.ts'

describe('apply: calls', () => {
  const call = (...steps: Steps) => play(...steps).live.turn?.calls[0]

  test('prepared: ready, or awaiting with its question', () => {
    expect(call(called('save'), prepared('m1.0', { effect: 'unsafe' }))).toMatchObject({
      status: 'ready',
      effect: 'unsafe',
      external: false,
      preparedId: 'e5',
      preparedSeq: 5,
    })
    const ask = { risk: 'high', reason: 'it pays', expiresAt: 9_000 } as const
    expect(call(called('save'), prepared('m1.0', { approval: ask }))).toMatchObject({ status: 'awaiting', ask, expiresAt: 9_000 })
  })

  test('decided: allow makes it ready, edited arguments announce it again, a denial waits for the machine', () => {
    const ask = [called('save'), prepared('m1.0', { approval: { expiresAt: 9_000 } })] as const
    expect(call(...ask, decided('e5', 'allow', { by: 'ann' }))).toMatchObject({
      status: 'ready',
      decision: { id: 'e6', kind: 'allow', by: 'ann' },
      expiresAt: undefined,
    })
    expect(call(...ask, decided('e5', 'allow', { arguments: { a: 1 } }))).toMatchObject({
      status: 'announced',
      edited: { a: 1 },
      input: {},
    })
    expect(call(...ask, decided('e5', 'deny', { arguments: { a: 1 } }))).toMatchObject({
      status: 'awaiting',
      decision: { kind: 'deny' },
      edited: undefined,
    })
  })

  test('started: attempts, and the run counts the call once', () => {
    const state = play(called('look'), prepared('m1.0'), began('m1.0'), claimed(2), { ...began('m1.0', 2), at: 2_000 })
    expect(state.live.turn?.calls[0]).toMatchObject({ status: 'running', attempt: 2, startedAt: 2_000, epoch: 2, everStarted: true })
    expect(state.live.run).toMatchObject({ toolCalls: 1, open: 1 })
  })

  test('deferred: outside, and no time passes', () => {
    const state = play(called('look'), prepared('m1.0'), began('m1.0'), {
      ...deferred('m1.0', { why: 'suspended', correlationId: 'c', expiresAt: 9_000 }),
      at: 1_300,
    })
    expect(state.live.turn?.calls[0]).toMatchObject({ status: 'outside', correlationId: 'c', expiresAt: 9_000 })
    expect(state.live.run).toMatchObject({ open: 0, activeMs: 300 })
  })

  test('the last settled call closes the turn: the message as it came, an outcome on each call, in call order', () => {
    const state = play(
      called(['look', { a: 1 }], 'save'),
      prepared('m1.0', { arguments: { a: 2 } }),
      prepared('m1.1'),
      began('m1.0'),
      began('m1.1'),
      { ...settledOk('m1.1', 'second', { durationMs: 7 }), at: 1_400 },
      { ...settledOk('m1.0', { deep: ['first'] }), at: 1_600 },
    )
    const part = { type: 'tool-call', input: {} } as const
    expect(state.sealed[1]).toEqual({
      message: {
        id: 'm1',
        role: 'assistant',
        parts: [
          {
            ...part,
            callId: 'm1.0',
            toolName: 'look',
            input: { a: 1 },
            ranWith: { a: 2 },
            settlement: { outcome: 'ok', output: { deep: ['first'] } },
          },
          { ...part, callId: 'm1.1', toolName: 'save', settlement: { outcome: 'ok', output: 'second' } },
        ],
      },
      seq: 4,
      n: 1,
      durations: [600, 7],
    })
    expect(state.live).toMatchObject({ turn: undefined, run: { toolRounds: 1, iterationOpen: false, open: 0 } })
  })

  test.each<[string, Json, boolean]>([
    ['the same arguments in another order of keys', { b: 2, a: 1 }, false],
    ['other arguments', { a: 1, b: 3 }, true],
  ])('ranWith says what really ran: %s', (_name, input, changed) => {
    const state = play(called(['look', { a: 1, b: 2 }]), prepared('m1.0', { arguments: input }), began('m1.0'), settledOk('m1.0'))
    expect('ranWith' in (state.sealed[1]?.message.parts[0] ?? {})).toBe(changed)
  })

  test('what the model is shown stands on the call, not in its outcome', () => {
    const settled = settledOk('m1.0', 'unused', { settlement: { outcome: 'ok', output: { big: 1 }, content: 'short' } })
    expect(play(called('look'), settled).sealed[1]?.message.parts[0]).toMatchObject({
      content: 'short',
      settlement: { outcome: 'ok', output: { big: 1 } },
    })
  })

  test('a call may settle before it was prepared (invalid, denied, skipped), and took no time', () => {
    expect(play(called('look'), { ...settledBad('m1.0', 'invalid'), at: 9_000 }).sealed[1]?.durations).toEqual([0])
  })

  test('an answer from outside settles like any other', () => {
    const state = play(called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0'), answered('m1.0', 42))
    expect(state.sealed[1]?.message.parts[0]).toMatchObject({ settlement: { outcome: 'ok', output: 42 } })
  })

  test('only an ender of lower index takes over', () => {
    const state = play(called('look', 'look', 'look'), settledOk('m1.1', 1, { end: 'done' }), settledBad('m1.2', 'denied', { end: 'stop' }))
    expect(state.live.turn).toMatchObject({ endIndex: 1, endKind: 'done', left: 1 })
    const lower = play(called('look', 'look', 'look'), settledOk('m1.1', 1, { end: 'done' }), settledBad('m1.0', 'denied', { end: 'stop' }))
    expect(lower.live.turn).toMatchObject({ endIndex: 0, endKind: 'stop' })
  })
})

describe('apply: history.revised and run.finished', () => {
  const revised = (ok: boolean) =>
    ({
      kind: 'history.revised',
      data: { ok, reason: 'compaction', throughTurn: 1, with: [{ role: 'summary', parts: [{ type: 'text', text: 'In short.' }] }] },
    }) as const

  test('a revision cuts by turn and never touches queued messages; one that failed changes nothing', () => {
    const before = [...open, responded(1, 'Yes.'), steer('And?')]
    const state = play(before, revised(true))
    expect(state.live).toMatchObject({ from: 1, sealedCount: 2, prefix: [{ message: { role: 'summary' }, seq: 6 }] })
    expect(state.live.queue).toHaveLength(1)
    expect(play(before, revised(false)).live).toMatchObject({ from: 0, prefix: [] })
  })

  test('the end closes the run and keeps what is asked about it; the next one waits on', () => {
    const state = play(open, requested('r2'), responded(1, 'Yes.'), finished('r1', { text: 'Yes.' }))
    expect(state.live).toMatchObject({
      run: undefined,
      waiting: [{ runId: 'r2' }],
      ended: { id: 'r1', firstTurn: 0, lastTurn: 2, iterations: 1, usage, finish: { status: 'completed', text: 'Yes.' } },
    })
  })

  test('the end of a run that never began has no turns and no usage', () => {
    const state = play(open, requested('r2'), control('cancel', 'r2'), finished('r2', { status: 'aborted', reason: 'aborted' }))
    expect(state.live).toMatchObject({
      run: { id: 'r1' },
      ended: { id: 'r2', firstTurn: 0, lastTurn: 0, usage: { inputTokens: 0, complete: true } },
    })
  })
})
