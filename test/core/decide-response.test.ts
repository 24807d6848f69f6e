import { describe, expect, test } from 'vitest'
import type { FinishReason } from '../../src/core/model.ts'
import type { ConfigChange, PlanShown, Step } from './support.ts'
import { calls, finishes, nothing, open, plan, planOf, play, responded, settledBad, started, steer } from './support.ts'

const complete = (text = 'Yes.') => plan([finishes({ status: 'completed', reason: 'completed', text })])
const ends = (reason: 'max_tokens' | 'content_blocked' | 'empty_response' | 'unexpected_stop_reason', text: string) =>
  plan([finishes({ status: 'incomplete', reason, text })])
const again = (seq: number, n = 2) => plan([calls(n, seq)])
const prepare = plan([], ['prepare:1'])

/** What the machine does after one response that ended so: with text, with a call, with neither. */
const table: readonly (readonly [FinishReason, PlanShown, PlanShown, PlanShown])[] = [
  ['stop', complete(), prepare, again(4)],
  ['tool-calls', complete(), prepare, again(4)],
  ['length', ends('max_tokens', 'Yes.'), again(5), ends('max_tokens', '')],
  ['content-filter', ends('content_blocked', 'Yes.'), ends('content_blocked', ''), ends('content_blocked', '')],
  ['refusal', ends('content_blocked', 'Yes.'), ends('content_blocked', ''), ends('content_blocked', '')],
  ['pause-turn', again(4), prepare, again(4)],
  ['error', ends('unexpected_stop_reason', 'Yes.'), prepare, again(4)],
  ['other', ends('unexpected_stop_reason', 'Yes.'), prepare, again(4)],
]

/** The calls of a dead response settle first; what follows is the rule under test. */
function dead(finish: FinishReason): readonly Step[] {
  if (finish === 'length') return [settledBad('m1.0', 'truncated', { by: 'machine' })]
  return finish === 'content-filter' || finish === 'refusal' ? [settledBad('m1.0', 'skipped', { by: 'machine' })] : []
}

describe('machine 5.11: what a finish reason means', () => {
  test.each(table)('%s with text', (finish, expected) => {
    expect(planOf(play(open, responded(1, { text: 'Yes.', finish })))).toEqual(expected)
  })

  test.each(table)(
    'S0-13, B052 %s with calls: their presence decides, unless the response was cut or blocked',
    (finish, _text, expected) => {
      expect(planOf(play(open, responded(1, { calls: ['look'], finish }), dead(finish)))).toEqual(expected)
    },
  )

  test.each(table)('B060 %s with neither', (finish, _text, _calls, expected) => {
    expect(planOf(play(open, responded(1, { finish })))).toEqual(expected)
  })

  test.each([
    ['white space', [{ type: 'text', text: ' \n' }]],
    ['B063 reasoning alone', [{ type: 'reasoning', text: 'Hm.' }]],
    ['sources alone', [{ type: 'source', url: 'https://a.example' }]],
  ] as const)('%s is blank', (_name, parts) => {
    expect(planOf(play(open, responded(1, { parts })))).toEqual(again(4))
  })

  test('an image is an answer', () => {
    const parts = [{ type: 'image', mediaType: 'image/png', data: 'AA' }] as const
    expect(planOf(play(open, responded(1, { parts })))).toEqual(complete(''))
  })
})

/** `count` responses of the same sort in a row. */
const row = (count: number, response: Parameters<typeof responded>[1], after: (n: number) => readonly Step[] = () => []) =>
  play(
    open.slice(0, 2),
    Array.from({ length: count }, (_, i) => i + 1).flatMap((n) => [started(n), responded(n, response), ...after(n)]),
  )
const cut = { calls: ['look'], finish: 'length' } as const
const truncated = (n: number) => [settledBad(`m${n}.0`, 'truncated', { by: 'machine' })]

describe('machine 5.11: how often a response is asked for again', () => {
  test.each<[string, ReturnType<typeof row>, PlanShown, ConfigChange]>([
    ['blank: twice', row(2, ''), again(6, 3), {}],
    ['blank: no third time', row(3, ''), ends('empty_response', ''), {}],
    ['blank: emptyResponse.retries 0 (C12)', row(1, ''), ends('empty_response', ''), { emptyResponse: { retries: 0, end: 'final' } }],
    ['B054 blank with an unknown reason: no third time', row(3, { finish: 'other' }), ends('empty_response', ''), {}],
    ['cut with calls: twice', row(2, cut, truncated), again(8, 3), {}],
    ['cut with calls: no third time', row(3, cut, truncated), ends('max_tokens', ''), {}],
    ['cut text: onTruncated continue, twice', row(2, { text: 'a', finish: 'length' }), again(6, 3), { onTruncated: 'continue' }],
    [
      'cut text: onTruncated continue, no third time',
      row(3, { text: 'a', finish: 'length' }),
      ends('max_tokens', 'a'),
      { onTruncated: 'continue' },
    ],
    ['cut with calls: onTruncated error, at once', row(1, cut, truncated), ends('max_tokens', ''), { onTruncated: 'error' }],
    ['cut text: onTruncated error', row(1, { text: 'a', finish: 'length' }), ends('max_tokens', 'a'), { onTruncated: 'error' }],
    ['B055 pause-turn: ten times', row(10, { text: 'a', finish: 'pause-turn' }), again(22, 11), {}],
    ['B056 pause-turn: not for ever', row(11, { text: 'a', finish: 'pause-turn' }), ends('unexpected_stop_reason', 'a'), {}],
  ])('%s', (_rule, state, expected, change) => {
    expect(planOf(state, change)).toEqual(expected)
  })

  test.each<[string, readonly Step[], PlanShown, ConfigChange]>([
    [
      'an answer and, after a user message, nothing',
      [responded(1, 'Yes.'), steer('Sure?'), ...[2, 3, 4].flatMap((n) => [started(n), responded(n, n === 3 ? ' \n' : '')])],
      ends('empty_response', 'Yes.'),
      {},
    ],
    [
      'a cut text that is not gone on with',
      [
        responded(1, { text: 'Half', finish: 'length' }),
        started(2),
        responded(2, { finish: 'length' }),
        started(3),
        responded(3, { finish: 'length' }),
      ],
      ends('max_tokens', 'Half'),
      { onTruncated: 'continue' },
    ],
    [
      'a pause that nothing follows',
      [responded(1, { text: 'One moment.', finish: 'pause-turn' }), ...[2, 3, 4].flatMap((n) => [started(n), responded(n, '')])],
      ends('empty_response', 'One moment.'),
      {},
    ],
    [
      'reasoning alone',
      [
        responded(1, { text: 'One moment.', finish: 'pause-turn' }),
        started(2),
        responded(2, { parts: [{ type: 'reasoning', text: 'Hm.' }], finish: 'refusal' }),
      ],
      ends('content_blocked', 'One moment.'),
      {},
    ],
    [
      'a batch of calls says nothing, and is a turn',
      [responded(1, { text: 'Half', finish: 'length' }), started(2), responded(2, cut), ...truncated(2)],
      ends('max_tokens', ''),
      { onTruncated: 'continue', maxCuts: 1 },
    ],
  ])('a blank response makes no turn (C2), so what was said before it stays the text of the run: %s', (_name, steps, expected, change) => {
    expect(planOf(play(open, steps), change)).toEqual(expected)
  })

  test('emptyResponse.end error: the run fails', () => {
    const error = {
      code: 'RunInvalidState',
      category: 'loop',
      message: 'The run stopped: it ended with empty_response.',
      retryable: false,
    } as const
    expect(planOf(row(3, ''), { emptyResponse: { retries: 2, end: 'error' } })).toEqual(
      plan([finishes({ status: 'failed', reason: 'empty_response', text: '', error })]),
    )
  })

  test('what came in between starts the count anew', () => {
    const blank = play(
      open,
      responded(1, ''),
      started(2),
      responded(2, ''),
      started(3),
      responded(3, 'a'),
      steer('b'),
      started(4),
      responded(4, ''),
    )
    expect(planOf(blank)).toEqual(again(11, 5))
    const cuts = play(
      open.slice(0, 2),
      started(1),
      responded(1, cut),
      truncated(1),
      started(2),
      responded(2, cut),
      truncated(2),
      started(3),
      responded(3, 'a'),
      steer('b'),
      started(4),
      responded(4, cut),
      truncated(4),
    )
    expect(planOf(cuts).append[0]?.kind).toBe('model.started')
    expect(cuts.live.run).toMatchObject({ cuts: 1 })
  })

  test('kept turns of a continued text stay in the history', () => {
    const state = row(2, { text: 'a', finish: 'length' })
    expect(state.sealed.map((turn) => turn.message.role)).toEqual(['user', 'assistant', 'assistant'])
  })
})

describe('machine 5.11: C10 toolUseWithoutCalls', () => {
  const state = play(open, responded(1, { text: 'I call.', finish: 'tool-calls' }))

  test('final: the text is the answer', () => {
    expect(planOf(state)).toEqual(complete('I call.'))
  })

  test('error: it is no end that was announced', () => {
    expect(planOf(state, { toolUseWithoutCalls: 'error' })).toEqual(ends('unexpected_stop_reason', 'I call.'))
  })

  test('error is about that finish reason only', () => {
    expect(planOf(play(open, responded(1, 'Yes.')), { toolUseWithoutCalls: 'error' })).toEqual(complete())
  })
})

describe('machine 5.11: a message that waits asks for another call whatever the response was', () => {
  test.each(table)('%s', (finish) => {
    const text = play(open, steer('Go on'), responded(1, { text: 'Yes.', finish }))
    expect(text.live.queue).toHaveLength(0)
    const queued = play(open.slice(0, 2), started(1, { through: 3 }), steer('Go on'), responded(1, { text: 'Yes.', finish }))
    expect(planOf(queued)).toEqual(again(5))
  })

  test('but a paused run waits', () => {
    const state = play(open.slice(0, 2), started(1, { through: 3 }), steer('Go on'), responded(1, 'Yes.'), {
      kind: 'control',
      runId: 'r1',
      data: { action: 'pause' },
    })
    expect(planOf(state)).toEqual(nothing)
  })
})
