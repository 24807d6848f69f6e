import { describe, expect, test } from 'vitest'
import { accept, type Refusal } from '../../src/core/accept.ts'
import { applyTo } from '../../src/core/apply.ts'
import { type Entry, type EntryKind, entryKinds } from '../../src/core/entry.ts'
import { branch, type SessionState } from '../../src/core/state.ts'
import {
  answered,
  began,
  called,
  claimed,
  control,
  decided,
  deferred,
  finished,
  journal,
  open,
  play,
  prepared,
  requested,
  responded,
  type Step,
  settledOk,
  started,
  steer,
} from './support.ts'

const asking = [...called('look', 'look'), prepared('m1.0', { approval: {} }), prepared('m1.1')]
const outside = [...called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0')]

/** A session at each point of its life. The run is r1, the request (if one is open) is e5, the call m1.0. */
const journals = {
  empty: [],
  created: [{ kind: 'session', data: { version: 1 } }],
  requested: [requested()],
  'requested, paused': [requested(), control('pause')],
  'requested, cancelled': [requested(), control('cancel')],
  claimed: [requested(), claimed()],
  'model running': [...open],
  announced: [...called('look')],
  awaiting: [...asking],
  denied: [...asking, decided('e5', 'deny')],
  allowed: [...asking, decided('e5', 'allow')],
  edited: [...asking, decided('e5', 'allow', { arguments: { a: 1 } })],
  'tool running': [...called('look'), prepared('m1.0'), began('m1.0')],
  outside: [...outside],
  'one settled': [...called('look', 'look'), settledOk('m1.0')],
  paused: [...open, control('pause')],
  cancelling: [...open, control('cancel')],
  'cancelling, awaiting': [...asking, control('cancel')],
  'cancelling, outside': [...outside, control('cancel')],
  'between calls': [...called('look'), settledOk('m1.0')],
  finished: [...open, responded(1, 'a'), finished()],
  'finished, next waits': [...open, requested('r2'), responded(1, 'a'), finished()],
} satisfies { [name: string]: readonly Step[] }

type StateName = keyof typeof journals
const states = Object.fromEntries(Object.entries(journals).map(([name, steps]) => [name, play(steps)])) as {
  [name in StateName]: SessionState
}
type Why = Refusal['why'] | 'ok'

const inputs = {
  session: { kind: 'session', data: { version: 1 } },
  'run r1': requested(),
  'run r9': requested('r9'),
  message: steer('Hm'),
  'pause r1': control('pause'),
  'resume r1': control('resume'),
  'cancel r1': control('cancel'),
  'allow e5': decided('e5', 'allow'),
  'answer m1.0': answered('m1.0', 1),
  custom: { kind: 'custom', data: { type: 'note' } },
} satisfies { [name: string]: Step }

/** session, run r1, run r9, message, pause, resume, cancel, allow, answer, custom. */
const matrix: { readonly [state in StateName]: readonly [Why, Why, Why, Why, Why, Why, Why, Why, Why, Why] } = {
  empty: ['ok', 'ok', 'ok', 'no_run', 'late', 'late', 'late', 'wrong_request', 'late', 'ok'],
  created: ['twice', 'ok', 'ok', 'no_run', 'late', 'late', 'late', 'wrong_request', 'late', 'ok'],
  requested: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'wrong_request', 'late', 'ok'],
  'requested, paused': ['twice', 'twice', 'ok', 'ok', 'twice', 'ok', 'ok', 'wrong_request', 'late', 'ok'],
  'requested, cancelled': ['twice', 'twice', 'ok', 'ok', 'cancelling', 'cancelling', 'twice', 'wrong_request', 'late', 'ok'],
  claimed: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'wrong_request', 'late', 'ok'],
  'model running': ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'wrong_request', 'late', 'ok'],
  announced: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'wrong_request', 'not_outside', 'ok'],
  awaiting: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'ok', 'not_outside', 'ok'],
  denied: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'twice', 'not_outside', 'ok'],
  allowed: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'twice', 'not_outside', 'ok'],
  edited: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'twice', 'not_outside', 'ok'],
  'tool running': ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'late', 'not_outside', 'ok'],
  outside: ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'late', 'ok', 'ok'],
  'one settled': ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'wrong_request', 'twice', 'ok'],
  paused: ['twice', 'twice', 'ok', 'ok', 'twice', 'ok', 'ok', 'wrong_request', 'late', 'ok'],
  cancelling: ['twice', 'twice', 'ok', 'ok', 'cancelling', 'cancelling', 'twice', 'wrong_request', 'late', 'ok'],
  'cancelling, awaiting': ['twice', 'twice', 'ok', 'ok', 'cancelling', 'cancelling', 'twice', 'cancelling', 'not_outside', 'ok'],
  'cancelling, outside': ['twice', 'twice', 'ok', 'ok', 'cancelling', 'cancelling', 'twice', 'late', 'ok', 'ok'],
  'between calls': ['twice', 'twice', 'ok', 'ok', 'ok', 'twice', 'ok', 'wrong_request', 'late', 'ok'],
  finished: ['twice', 'twice', 'ok', 'no_run', 'late', 'late', 'late', 'wrong_request', 'late', 'ok'],
  'finished, next waits': ['twice', 'twice', 'ok', 'ok', 'late', 'late', 'late', 'wrong_request', 'late', 'ok'],
}

const why = (state: SessionState, input: Step, onPending: 'answer' | 'hold' | 'reject' = 'answer', now = 0): Why =>
  accept(state, input, { onPending, now })?.why ?? 'ok'

describe('machine 3: every input passes accept first', () => {
  test.each(Object.entries(matrix) as [StateName, readonly Why[]][])('%s', (name, expected) => {
    const answers = Object.entries(inputs).map(([input, step]) => [input, why(states[name], step)])
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(Object.keys(inputs).map((input, i) => [input, expected[i]])))
  })

  test('what is accepted folds: no assertion stands against it', () => {
    for (const [name, expected] of Object.entries(matrix) as [StateName, readonly Why[]][])
      for (const [i, step] of Object.values(inputs).entries())
        if (expected[i] === 'ok') expect(() => play(journals[name], step)).not.toThrow()
  })

  test('a refusal changes nothing', () => {
    const before = structuredClone(states.awaiting.live)
    for (const step of Object.values(inputs)) accept(states.awaiting, step, { onPending: 'reject', now: 0 })
    expect(states.awaiting.live).toEqual(before)
  })
})

describe('machine 4: messages while calls await (onPending)', () => {
  test.each([
    ['awaiting', 'pending'],
    ['outside', 'pending'],
    ['tool running', 'ok'],
    ['model running', 'ok'],
    ['finished', 'no_run'],
  ] as const)('reject: %s → %s', (name, expected) => {
    expect(why(states[name], steer('Hm'), 'reject')).toBe(expected)
  })

  test.each(['answer', 'hold'] as const)('%s takes it', (onPending) => {
    expect(why(states.awaiting, steer('Hm'), onPending)).toBe('ok')
  })
})

describe('machine 3: an approval is used once, and for the arguments that were shown', () => {
  test('an answer to what was prepared before an edit is wrong by now', () => {
    const edited = play(asking, decided('e5', 'allow', { arguments: { a: 1 } }), prepared('m1.0', { approvedBy: 'e7' }))
    expect(why(edited, decided('e5', 'deny'))).toBe('wrong_request')
    expect(why(edited, decided('e8', 'deny'))).toBe('twice')
  })

  test.each<[string, SessionState, Step]>([
    ['an approval', play([...called('look'), prepared('m1.0', { approval: { expiresAt: 500 } })]), decided('e5', 'allow')],
    ['a denial', play([...called('look'), prepared('m1.0', { approval: { expiresAt: 500 } })]), decided('e5', 'deny')],
    [
      'a result',
      play([...called('client'), prepared('m1.0', { executor: 'external' }), deferred('m1.0', { expiresAt: 500 })]),
      answered('m1.0', 1),
    ],
  ])('%s that comes when its time is over is late, though no driver has said so yet', (_name, state, input) => {
    expect([499, 500].map((now) => why(state, input, 'answer', now))).toEqual(['ok', 'late'])
  })

  test('a call that asks nothing has no request', () => {
    expect(why(states.awaiting, decided('e6', 'allow'))).toBe('late')
    expect(why(states.awaiting, decided('e99', 'allow'))).toBe('wrong_request')
  })

  test('an expired request, settled, is late', () => {
    expect(why(play(asking, settledOk('m1.0')), decided('e5', 'allow'))).toBe('late')
  })
})

describe('machine 3: a run id is used once in a session', () => {
  const third = play(open, responded(1, 'a'), finished(), requested('r2'), claimed(1, 'r2'), finished('r2'), requested('r3'))

  test.each([
    ['r1', 'twice'],
    ['r2', 'twice'],
    ['r3', 'twice'],
    ['r4', 'ok'],
  ] as const)('%s: %s', (runId, expected) => {
    expect(why(third, requested(runId))).toBe(expected)
  })

  test('a request that lost its race was never there, also after another took its place', () => {
    const next = (runId: string): Entry => ({ ...journal(requested(runId))[0], seq: third.live.seq + 1 }) as Entry
    const lost = branch(third)
    applyTo(lost, next('r4'))
    expect([why(lost, requested('r4')), why(third, requested('r4'))]).toEqual(['twice', 'ok'])
    const won = branch(third)
    applyTo(won, next('r5'))
    expect([why(won, requested('r4')), why(won, requested('r5'))]).toEqual(['ok', 'twice'])
  })
})

describe('control of a run that waits behind the active one', () => {
  const two = play(open, requested('r2'))

  test('pause and cancel reach it', () => {
    expect([why(two, control('pause', 'r2')), why(two, control('cancel', 'r2')), why(two, control('resume', 'r2'))]).toEqual([
      'ok',
      'ok',
      'twice',
    ])
  })

  test('and are remembered', () => {
    const state = play(open, requested('r2'), control('cancel', 'r2'))
    expect([why(state, control('cancel', 'r2')), why(state, control('pause', 'r2')), why(state, control('cancel', 'r1'))]).toEqual([
      'twice',
      'cancelling',
      'ok',
    ])
  })
})

describe('machine 2: what only a driver writes is no input', () => {
  const drivers = (Object.entries(entryKinds) as [EntryKind, string][]).filter(([, who]) => who === 'driver').map(([kind]) => kind)

  test('sixteen kinds, nine of them the driver’s', () => {
    expect([Object.keys(entryKinds).length, drivers.length]).toEqual([16, 9])
  })

  test.each(drivers)('%s', (kind) => {
    const body = { kind, data: { ...started(1).data, callId: 'm1.0' } } as never
    expect(accept(states.awaiting, body, { onPending: 'answer', now: 0 })).toEqual({
      why: 'not_an_input',
      message: `Entries of kind '${kind}' are written by the driver only.`,
    })
  })
})
