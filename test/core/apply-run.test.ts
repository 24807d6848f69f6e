import { describe, expect, test } from 'vitest'
import type { FinishReason } from '../../src/core/model.ts'
import { broken, claimed, control, failed, finished, open, play, requested, responded, rounds, started, usage } from './support.ts'

const roles = (state: ReturnType<typeof play>) => state.sealed.slice(0, state.live.sealedCount).map((turn) => turn.message.role)

describe('apply: session, custom, run.requested, control', () => {
  test('session and custom move seq and time, and nothing else', () => {
    const state = play({ kind: 'session', data: { version: 1 } }, { kind: 'custom', data: { type: 'note', data: 1 }, at: 2_000 })
    expect(state.live).toEqual({ ...play().live, seq: 2, entryId: 'e2', at: 2_000 })
  })

  test('requested runs wait in order', () => {
    expect(play(requested('r1', 'a'), requested('r2', 'b')).live.waiting.map(({ runId, seq }) => [runId, seq])).toEqual([
      ['r1', 1],
      ['r2', 2],
    ])
  })

  test('pause, resume and cancel of a waiting run go with it into its claim', () => {
    expect(play(requested(), control('pause'), claimed()).live.run).toMatchObject({ paused: true, cancelledAt: undefined })
    expect(play(requested(), control('pause'), control('resume'), claimed()).live.run).toMatchObject({ paused: false })
    const cancelled = play(requested(), { ...control('cancel', 'r1', 'no'), at: 3_000 }, { ...claimed(), at: 4_000 })
    expect(cancelled.live.run).toMatchObject({ cancelledAt: 3_000, cancelReason: 'no' })
  })

  test('control of the active run leaves the waiting one alone, and the other way round', () => {
    const state = play(open, requested('r2'), control('pause', 'r2'), control('cancel', 'r1'))
    expect(state.live.run).toMatchObject({ paused: false, cancelledAt: 1_000 })
    expect(state.live.waiting).toMatchObject([{ runId: 'r1' }, { runId: 'r2', paused: true }])
    expect(state.live.waiting[1]).not.toHaveProperty('cancelledAt')
  })

  test('the first cancel counts', () => {
    const state = play(open, { ...control('cancel', 'r1', 'a'), at: 2_000 }, { ...control('cancel', 'r1', 'b'), at: 3_000 })
    expect(state.live.run).toMatchObject({ cancelledAt: 2_000, cancelReason: 'a' })
    const waiting = play(requested(), { ...control('cancel', 'r1', 'a'), at: 2_000 }, { ...control('cancel', 'r1', 'b'), at: 3_000 })
    expect(waiting.live.waiting[0]).toMatchObject({ cancelledAt: 2_000, cancelReason: 'a' })
  })
})

describe('apply: run.claimed', () => {
  test('opens the run at the turns that are there, and takes its epoch', () => {
    const state = play(open, responded(1, 'Yes.'), finished(), requested('r2'), claimed(4, 'r2'))
    expect(state.live).toMatchObject({ epoch: 4, run: { id: 'r2', agent: 'tester', requestSeq: 6, firstTurn: 2, iterations: 0 } })
  })

  test('a second claim goes on with the same run', () => {
    const state = play(requested(), claimed(), rounds(1), claimed(2, 'r1', 'resume'))
    expect(state.live).toMatchObject({ epoch: 2, run: { id: 'r1', iterations: 1, toolCalls: 1 } })
  })
})

describe('apply: model calls', () => {
  test('model.started opens the call: what it sees, who made it, when its first attempt began', () => {
    const state = play(open.slice(0, 2), { ...started(1, { through: 2, estimatedTokens: 7 }), at: 2_000 })
    expect(state.live.model).toEqual({
      n: 1,
      attempt: 1,
      purpose: 'main',
      through: 2,
      epoch: 1,
      seq: 3,
      at: 2_000,
      firstAt: 2_000,
      firstSeq: 3,
      reason: undefined,
      estimatedTokens: 7,
      extra: undefined,
    })
  })

  test('C33 the retry window counts from the first attempt', () => {
    const state = play(
      open.slice(0, 2),
      { ...started(1), at: 2_000 },
      { ...failed(1, { retryAt: 3_000 }), at: 2_500 },
      { ...started(1, { attempt: 2 }), at: 3_000 },
      { ...failed(1, { attempt: 2, retryAt: 9_000 }), at: 4_000 },
      { ...started(1, { attempt: 3 }), at: 9_000 },
    )
    expect(state.live.model).toMatchObject({ attempt: 3, at: 9_000, firstAt: 2_000 })
    expect(state.live.retry).toBeUndefined()
  })

  test('setup says what changed; the state knows the whole', () => {
    const changed = { ...started(1), data: { ...started(1).data, setup: { model: 'a', tools: ['x'] } } } as never
    const later = { ...started(2), data: { ...started(2).data, setup: { tools: ['y'] } } } as never
    expect(play(open.slice(0, 2), changed, responded(1, ''), later).live.setup).toEqual({ model: 'a', tools: ['y'] })
  })

  test('a text becomes a turn after the messages that it has seen', () => {
    const state = play(open, responded(1, 'Yes.'))
    expect(state.sealed.map(({ message, seq, n }) => [message.role, seq, n])).toEqual([
      ['user', 1, undefined],
      ['assistant', 4, 1],
    ])
    expect(state.live).toMatchObject({
      model: undefined,
      run: { last: 'text', lastText: 'Yes.', lastFinish: 'stop', iterationOpen: false },
    })
  })

  test('C2 a blank response makes no turn and no iteration, and its iteration stays open', () => {
    const state = play(open, responded(1, ' '))
    expect(roles(state)).toEqual(['user'])
    expect(state.live.run).toMatchObject({ last: 'blank', blanks: 1, iterations: 0, iteration: 1, iterationOpen: true })
  })

  test.each<[FinishReason, boolean, string]>([
    ['stop', true, 'text'],
    ['stop', false, 'blank'],
    ['tool-calls', true, 'text'],
    ['tool-calls', false, 'blank'],
    ['length', true, 'cut-text'],
    ['length', false, 'cut-text'],
    ['content-filter', true, 'blocked'],
    ['refusal', false, 'blocked'],
    ['pause-turn', true, 'pause-turn'],
    ['error', true, 'odd'],
    ['other', true, 'odd'],
    ['other', false, 'blank'],
    ['error', false, 'blank'],
  ])('a response that ended with %s (text: %s) was %s', (finish, text, last) => {
    expect(play(open, responded(1, { text: text ? 'a' : '', finish })).live.run?.last).toBe(last)
  })

  test.each<[FinishReason, string, string | undefined]>([
    ['stop', 'calls', undefined],
    ['pause-turn', 'calls', undefined],
    ['other', 'calls', undefined],
    ['length', 'cut-calls', 'truncated'],
    ['refusal', 'blocked', 'blocked'],
  ])('one with calls that ended with %s was %s', (finish, last, dead) => {
    const state = play(open, responded(1, { calls: ['look'], finish }))
    expect([state.live.run?.last, state.live.turn?.dead]).toEqual([last, dead])
  })

  test('a summary is no turn and consumes nothing', () => {
    const state = play(open.slice(0, 2), started(1, { purpose: 'compaction' }), responded(1, 'In short.'))
    expect(state.live).toMatchObject({ summary: 'In short.', sealedCount: 0, run: { iterations: 0, last: 'none' } })
    expect(state.live.queue).toHaveLength(1)
  })

  test('the text of a wrap-up is kept apart; one without words is none', () => {
    const wrap = (text: string) =>
      play(open.slice(0, 2), started(1, { purpose: 'wrap-up', reason: 'timeout' }), responded(1, text)).live.run
    expect(wrap('Ended.')).toMatchObject({ wrapText: 'Ended.', wrapAttempts: 1, limit: 'timeout', iterations: 0 })
    expect(wrap(' \n')?.wrapText).toBeUndefined()
  })

  test('a failed attempt that may be tried again keeps nothing of what it showed', () => {
    const state = play(open, failed(1, { retryAt: 5_000, partial: 'Half' }))
    expect(state.live).toMatchObject({ retry: { n: 1, attempt: 1, purpose: 'main', retryAt: 5_000, firstAt: 1_000 }, sealedCount: 0 })
    expect([state.live.queue.length, state.live.run?.failure]).toEqual([1, undefined])
  })

  test.each(['cancelled', 'limit', undefined] as const)('shown text of a final failure (%s) stays as a marked, text-only turn', (cause) => {
    const state = play(open, failed(1, { partial: 'Half', ...(cause === undefined ? {} : { cause }) }))
    expect(state.sealed[1]).toEqual({
      message: { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Half' }] },
      seq: 4,
      n: 1,
      partial: true,
    })
    expect(state.live.run?.failure).toEqual(cause === undefined ? broken : undefined)
  })

  test('without shown text no turn is made', () => {
    expect([failed(1), failed(1, { partial: '' })].map((step) => roles(play(open, step)))).toEqual([[], []])
  })

  test('the failure of a call that the limit ended is the limit', () => {
    expect(play(open, failed(1, { cause: 'limit' })).live.run).toMatchObject({ limit: 'timeout' })
  })
})

describe('apply: usage', () => {
  test('all purposes add up', () => {
    const state = play(open.slice(0, 2), started(1, { purpose: 'compaction' }), responded(1, 'a'), started(2), responded(2, 'b'))
    expect(state.live.run?.usage).toEqual({ ...usage, inputTokens: 20, outputTokens: 10 })
  })

  test('machine 5.1 unknown usage is charged by its estimate, and the total is marked as a lower bound', () => {
    const state = play(
      open.slice(0, 2),
      started(1, { estimatedTokens: 70 }),
      failed(1, { retryAt: 1_000 }),
      started(1, { attempt: 2 }),
      responded(1, { text: 'a', attempt: 2 }),
    )
    expect(state.live.run?.usage).toEqual({ ...usage, inputTokens: 80, complete: false })
  })

  test('reported usage of a failed attempt is taken as it is', () => {
    const state = play(open.slice(0, 2), started(1, { estimatedTokens: 70 }), failed(1, { usage }))
    expect(state.live.run?.usage).toEqual(usage)
  })

  test('cost is known when it is known for every call', () => {
    const cost = (...costs: readonly (number | undefined)[]) =>
      play(
        open.slice(0, 2),
        costs.flatMap((costUsd, i) => [
          started(i + 1),
          responded(i + 1, { text: ' ', usage: costUsd === undefined ? usage : { ...usage, costUsd } }),
        ]),
      ).live.run
    expect([cost(0.5, 0.25)?.usage.costUsd, cost(0.5, undefined, 0.25)?.usage.costUsd, cost(undefined, 0.5)?.usage.costUsd]).toEqual([
      0.75,
      undefined,
      undefined,
    ])
    expect(cost(0.5, undefined, 0.25)?.knownCostUsd).toBe(0.75)
  })
})
