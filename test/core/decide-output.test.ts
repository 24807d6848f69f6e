import { describe, expect, test } from 'vitest'
import type { OutputFacts } from '../../src/core/config.ts'
import { answerOf, type Decoded, decodedBody } from '../../src/core/decide-output.ts'
import type { EntryBody } from '../../src/core/entry.ts'
import { textOf } from '../../src/core/message.ts'
import type { SessionState } from '../../src/core/state.ts'
import {
  began,
  calls,
  claimed,
  config,
  control,
  failed,
  finished,
  finishes,
  nothing,
  plan,
  planOf,
  play,
  prepared,
  requested,
  responded,
  rounds,
  type Step,
  type Steps,
  settledOk,
  settles,
  started,
  steer,
} from './support.ts'

const begun = [requested(), claimed()]

function facts(more: Partial<OutputFacts> = {}) {
  return { hasComplete: true, output: { asked: 'after-tools', retries: 2, ...more } as const }
}

const two = facts()
const one = facts({ asked: 'at-once' })
const both = facts({ asked: 'with-tools' })

const first = 'Now give the final answer as JSON that fits the output schema and nothing else, without calling tools.'

function request(n: number, text: string): Step & EntryBody {
  const message = { id: `m${n}.output`, role: 'user', parts: [{ type: 'text', text }] } as const
  return { kind: 'message', data: { origin: 'output-request', message, hidden: true } }
}

/** A main answer, the request, and the answer to that: entries 3 to 7. */
const answered = [started(1), responded(1, 'Well.'), request(1, first), started(2, { purpose: 'output' }), responded(2, '{}')]

describe('C24, S4-04 to S4-06: when the output is asked for, and by which call', () => {
  test.each([
    ['S4-04 with tools: the first call is a main call', two, 'main'],
    ['S4-06 without: an output call', one, 'output'],
    ['schemaDuringTools: a main call', both, 'main'],
  ] as const)('%s', (_name, change, purpose) => {
    expect(planOf(play(begun), change)).toEqual(plan([calls(1, 2, { purpose, setup: { model: 'test:m' } })]))
  })

  test('S4-05 a text after the tools: the request is written, then the output call begins', () => {
    const said = [...begun, started(1), responded(1, 'Well.')]
    expect(planOf(play(said), two)).toEqual(plan([request(1, first)]))
    expect(planOf(play(said, request(1, first)), two)).toEqual(plan([calls(2, 5, { purpose: 'output' })]))
  })

  test('what is said meanwhile is answered by a main call; then the output is asked for anew', () => {
    const state = play(begun, answered.slice(0, 3), started(2, { purpose: 'output', through: 5 }), steer('And now?'), responded(2, '{}'))
    expect(planOf(state, two)).toEqual(plan([calls(3, 8)]))
    expect(state.live.run?.outputRequests).toBe(0)
  })

  test('a retry of an output call is the same call; of one that a message has overtaken it is not', () => {
    const failing = [...begun, ...answered.slice(0, 4), failed(2, { retryAt: 1_000 })]
    expect(planOf(play(failing), two)).toEqual(plan([calls(2, 7, { attempt: 2, purpose: 'output' })]))
    expect(planOf(play(failing, steer('Wait')), two)).toEqual(plan([calls(3, 8)]))
  })

  test('a limit stands before the request', () => {
    const state = play(begun, started(1), responded(1, 'Well.'))
    const limits = { maxIterations: 1 }
    expect(planOf(state, { ...two, limits })).toEqual(plan([calls(2, 4, { purpose: 'wrap-up', reason: 'max_iterations' })]))
    expect(planOf(state, { ...two, limits: { ...limits, onLimit: 'incomplete' } }).append[0]?.data).toMatchObject({ status: 'incomplete' })
  })

  test('a paused run asks for nothing', () => {
    expect(planOf(play(begun, started(1), responded(1, 'Well.'), control('pause')), two)).toEqual(nothing)
  })

  test('0018: what goes on in the background comes first', () => {
    const steps = [started(1), responded(1, { calls: ['behind'] }), prepared('m1.0'), began('m1.0')]
    const behind: Step = {
      kind: 'call.settled',
      data: { callId: 'm1.0', settlement: { outcome: 'ok', output: null }, by: 'machine', background: true },
    }
    const state = play(begun, steps, behind, started(2), responded(2, 'Well.'))
    expect(planOf(state, two)).toEqual(plan([], ['tool:m1.0.1']))
  })

  test('once it was asked for, no policy looks at the batch before', () => {
    const state = play(begun, rounds(1), request(1, first))
    const termination = () => ({ kind: 'terminateImmediately', reason: 'stopped' }) as const
    expect(planOf(state, { ...two, termination })).toEqual(plan([calls(2, 8, { purpose: 'output' })]))
  })

  test('without a schema, in another process, the run goes on as one that has none', () => {
    expect(planOf(play(begun, answered.slice(0, 3)))).toEqual(plan([calls(2, 5)]))
    expect(planOf(play(begun, answered))).toEqual(plan([finishes({ status: 'completed', reason: 'completed', text: '{}' })]))
  })
})

describe('S4-08: what the model says last is looked at', () => {
  const looks = (state: SessionState, change: object) => planOf(state, change)

  test.each<[string, Steps, object, string]>([
    ['after a request', answered, two, 'complete:2'],
    ['without tools', [started(1, { purpose: 'output' }), responded(1, '{}')], one, 'complete:1'],
    ['beside the tools', [started(1), responded(1, '{}')], both, 'complete:1'],
    [
      'cut, where that is continued',
      [started(1, { purpose: 'output' }), responded(1, { text: '{', finish: 'length' })],
      { ...one, onTruncated: 'continue' },
      'complete:1',
    ],
  ])('%s', (_name, steps, change, key) => {
    expect(looks(play(begun, ...steps), change)).toEqual(plan([], [key]))
  })

  test.each<[string, Parameters<typeof responded>[1], object, object]>([
    ['cut', { text: '{', finish: 'length' }, one, { reason: 'max_tokens' }],
    ['blocked', { text: 'no', finish: 'refusal' }, one, { reason: 'content_blocked' }],
    ['odd', { text: '{}', finish: 'other' }, one, { reason: 'unexpected_stop_reason' }],
  ])('C11, C12 one that was %s is no answer', (_name, answer, change, end) => {
    const state = play(begun, started(1, { purpose: 'output' }), responded(1, answer))
    expect(planOf(state, change).append[0]?.data).toMatchObject({ status: 'incomplete', ...end })
  })

  test('a blank one is asked for again, by the same purpose', () => {
    const state = play(begun, answered.slice(0, 4), responded(2, ' '))
    expect(planOf(state, two)).toEqual(plan([calls(3, 7, { purpose: 'output' })]))
  })

  test('machine 5: stray calls are skipped, then it is looked at', () => {
    const steps = [...begun, ...answered.slice(0, 4), responded(2, { text: '{}', calls: ['look'] })]
    const skipped = settles('m2.0', 'skipped', 'ToolSkipped', 'Tools cannot be called in this answer; the call was not run.')
    expect(planOf(play(steps), two)).toEqual(plan([skipped]))
    const state = play(steps, skipped as Step)
    expect(planOf(state, two)).toEqual(plan([], ['complete:2']))
    expect(answer(state)).toEqual({ problem: expect.stringContaining('it called tools') })
  })

  test('at the end of a time slice that is not begun, and what has begun is awaited', () => {
    const state = play(begun, answered)
    expect(planOf(state, two, { holdStarts: true })).toEqual(nothing)
    expect(planOf(state, two, { holdStarts: true, isRunning: (key) => key === 'complete:2' })).toEqual(plan([], ['complete:2']))
  })

  test('decision 0010: what is waited for counts against the time limit', () => {
    const change = { ...two, limits: { maxDurationMs: 500 } }
    const waiting = (ms: number) => planOf(play(begun, answered), change, { waited: () => ms, workedBefore: () => 0 })
    expect(waiting(100)).toEqual(plan([], ['complete:2'], 1_400))
    expect(waiting(500)).toEqual(plan([calls(3, 7, { purpose: 'wrap-up', reason: 'timeout' })]))
  })
})

function answer(state: SessionState) {
  const { run } = state.live
  return run === undefined ? undefined : answerOf(state, run)
}

function following(state: SessionState, change: object, decoded: Decoded) {
  const { run } = state.live
  return run === undefined ? undefined : decodedBody(state, run, config(change), decoded)
}

describe('S4-08, S4-09, C24, C25: what follows from an answer', () => {
  const problem = 'No JSON.'
  const again = `${problem} Give the whole answer again, as JSON that fits the output schema and nothing else, without calling tools.`
  const failing = (text: string, tries: string) =>
    finishes({
      status: 'failed',
      reason: 'output_decoding_failed',
      text,
      error: {
        code: 'OutputDecodingFailed',
        category: 'loop',
        message: `No answer fits the output schema, after ${tries}. ${problem}`,
        retryable: false,
      },
    })

  test('one that fits ends the run, with the output in JSON', () => {
    const state = play(begun, answered)
    expect(following(state, two, { output: { a: 1 } })).toEqual(
      finishes({ status: 'completed', reason: 'completed', text: '{}', output: { a: 1 } }),
    )
  })

  test.each([
    ['two phases', two, answered],
    ['one', one, [started(1, { purpose: 'output' }), responded(1, '{}')]],
    ['beside tools', both, [started(1), responded(1, '{}')]],
  ] as const)('%s: it is asked for twice more, then the run has failed', (_name, change, steps) => {
    let n = steps.length > 2 ? 2 : 1
    let all: Step[] = [...begun, ...steps]
    for (let retry = 0; retry < 2; retry++) {
      expect(following(play(all), change, { problem })).toEqual(request(n, again))
      all = [...all, request(n, again), started(n + 1, { purpose: 'output' }), responded(n + 1, '{}')]
      n++
    }
    expect(following(play(all), change, { problem })).toEqual(failing('{}', '3 tries'))
  })

  test('without retries at once', () => {
    const change = facts({ asked: 'at-once', retries: 0 })
    const state = play(begun, started(1, { purpose: 'output' }), responded(1, 'no'))
    expect(following(state, change, { problem })).toEqual(failing('no', 'one try'))
  })

  test('what a user says gives it its tries anew', () => {
    const again3 = [request(2, again), started(3, { purpose: 'output' }), responded(3, 'no')]
    const state = play(begun, answered, again3, steer('Once more'), started(4), responded(4, 'Well.'), request(4, first))
    expect(state.live.run?.outputRequests).toBe(1)
  })

  test('C2: each try is an iteration', () => {
    expect(play(begun, answered, request(2, again), started(3, { purpose: 'output' }), responded(3, 'no')).live.run?.iterations).toBe(3)
  })

  test('a request that nobody has seen ends with its run', () => {
    const next = [finished(), requested('r2', 'Next'), claimed(1, 'r2', 'next')]
    const queued = (...steps: Steps) =>
      play(begun, answered.slice(0, 3), ...steps, ...next).live.queue.map(({ message }) => textOf(message))
    expect(queued()).toEqual(['Next'])
    // What a user has said since stays.
    expect(queued(steer('And now?'))).toEqual(['And now?', 'Next'])
  })
})

describe('a done tool, with a schema', () => {
  const batch = [...begun, started(1), responded(1, { text: 'I look', calls: ['look'] }), prepared('m1.0'), began('m1.0')]
  const done = [...batch, settledOk('m1.0', { n: 1 }, { end: 'done' })]

  test('its value is looked at, and is the output', () => {
    const state = play(done)
    expect([planOf(state, two), answer(state)]).toEqual([plan([], ['complete:1']), { value: { n: 1 } }])
    const end = { status: 'completed', reason: 'done_tool', text: 'I look', output: { n: 1 } } as const
    expect(following(state, two, { output: { n: 1 } })).toEqual(finishes(end))
  })

  test('one that does not fit leads to the output call', () => {
    const body = following(play(done), two, { problem: 'No.' })
    expect(body?.kind).toBe('message')
    const state = play(done, body as Step)
    expect([planOf(state, two), state.live.run?.doneOutput]).toEqual([plan([calls(2, 8, { purpose: 'output' })]), undefined])
  })
})

describe('machine 5: with an output schema the wrap-up call is the output call', () => {
  const wrap = { purpose: 'wrap-up', reason: 'max_iterations' } as const
  const wrapped = [...begun, ...rounds(1), started(2, wrap), responded(2, '{}')]
  const change = { ...two, limits: { maxIterations: 1 } }
  const fixed = finishes({
    status: 'incomplete',
    reason: 'max_iterations',
    text: 'Stopped without a final answer: the limit of 1 iterations (limits.maxIterations) was reached.',
  })

  test('it is looked at, also while the run is paused', () => {
    expect(planOf(play(wrapped), change).want).toEqual(['complete:2'])
    expect(planOf(play(wrapped, control('pause')), change).want).toEqual(['complete:2'])
  })

  test('one that fits is the output of the end', () => {
    const end = { status: 'incomplete', reason: 'max_iterations', text: '{}', output: { a: 1 } } as const
    expect(following(play(wrapped), change, { output: { a: 1 } })).toEqual(finishes(end))
  })

  test('one that does not is asked for once more, as a wrap-up; then the fixed text stands in', () => {
    const body = following(play(wrapped), change, { problem: 'No.' })
    expect(body?.kind).toBe('message')
    const asked = [...wrapped, body as Step]
    expect(planOf(play(asked), change)).toEqual(plan([calls(3, 10, wrap)]))
    expect(following(play(asked, started(3, wrap), responded(3, 'no')), change, { problem: 'No.' })).toEqual(fixed)
  })

  test('one that is never looked at in time is none', () => {
    const late = planOf(play(wrapped), change, { waited: () => 100 })
    expect(late).toEqual(plan([fixed]))
    expect(planOf(play(wrapped), change, { waited: () => 99 }).want).toEqual(['complete:2'])
  })
})
