import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/core/entry.ts'
import { emptyState, type Live } from '../../src/core/state.ts'
import { Ages } from '../../src/engine/ages.ts'
import { memory, type Store, suspend, tool } from '../../src/index.ts'
import { scripted } from '../../src/testing/index.ts'
import { agentIn, asks, end, noInput, otherProcess, plainTool, type ScriptedLab } from '../acceptance/kit.ts'
import { testWorld } from '../setup/checks.ts'
import { answersLate, appendsThrough } from './kit.ts'

const hour = 3_600_000

/** Whose clock jumps by how much: ours, the store's, or that of the machine both are on. */
const jumps = (['ours', 'store', 'both'] as const).flatMap((whose) => [[whose, hour] as const, [whose, -hour] as const])

type Jump = (typeof jumps)[number]

interface JumpyLab extends ScriptedLab {
  jump(): void
}

/** A lab whose wall clocks are set anew when it is told; the monotonic clock and the timers go on. */
function jumpyLab([whose, by]: Jump, replies: Parameters<typeof scripted>[0]): JumpyLab {
  const world = testWorld()
  const { clock } = world
  let skew = 0
  const jump = () => {
    if (whose !== 'store') clock.jump(by)
    skew += whose === 'both' ? 0 : whose === 'store' ? by : -by
  }
  return { world, clock, store: memory({ clock: () => clock.wall() + skew }), model: scripted(replies, { clock }), jump }
}

/** Never ends, whatever it is told. */
const deaf = (more: { readonly timeoutMs?: number } = {}) =>
  tool({ ...more, name: 'slow', description: 'Slow', inputSchema: noInput, effect: 'read', execute: () => new Promise<string>(() => {}) })

function takes(place: ScriptedLab, ms: number) {
  return plainTool('slow', () => new Promise((resolve) => place.clock.timer(ms, () => resolve('slept'))), 'read')
}

describe.each(jumps)('decision 0008: the clock of %s jumps by %i ms', (...jump) => {
  test('while a tool runs that has a time limit of its own: the limit stays what it is', async () => {
    const place = jumpyLab(jump, [asks('slow'), 'Done.'])
    place.clock.timer(400, place.jump)
    const result = await place.clock.until(agentIn(place, { tools: [deaf({ timeoutMs: 1_000 })] }).run('Hi'))
    expect([end(result), result.calls.map((call) => call.outcome), place.clock.monotonic()]).toEqual([
      'completed completed',
      ['timeout'],
      1_000,
    ])
  })

  test('while the start of that tool is being written: nor does what is waited for change', async () => {
    const place = jumpyLab(jump, [asks('slow'), 'Done.'])
    const { store, written, answer } = answersLate(place.store, 'call.started')
    const run = agentIn({ ...place, store }, { tools: [deaf({ timeoutMs: 1_000 })] }).run('Hi')
    await written
    place.clock.timer(300, () => {
      place.jump()
      answer()
    })
    expect([end(await place.clock.until(run)), place.clock.monotonic()]).toEqual(['completed completed', 1_300])
  })

  test.each([
    ['by the process that drives', (store: Store) => store],
    ['by another process', otherProcess],
  ])('in the grace after a cancel %s: it ends as it would have', async (_who, from) => {
    const place = jumpyLab(jump, [asks('slow')])
    const { result } = agentIn(place, { tools: [deaf()] }).stream('Hi', { session: 's' })
    await place.clock.advance(400)
    await place.clock.until(
      agentIn({ ...place, store: from(place.store) }, { tools: [deaf()] })
        .session('s')
        .abort(),
    )
    place.clock.timer(200, place.jump)
    // Leases are the store's: when its clock jumps forth, whoever waits for the session takes it, and what ran there ends at once.
    const taken = from === otherProcess && jump[0] !== 'ours' && jump[1] > 0
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['aborted aborted', taken ? 650 : 1_400])
  })

  test('before that cancel', async () => {
    const place = jumpyLab(jump, [{ hang: true }])
    const run = agentIn(place).stream('Hi', { session: 's' })
    const { result } = run
    await place.clock.advance(200)
    place.jump()
    await place.clock.advance(200)
    await place.clock.until(run.abort())
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['aborted aborted', 1_400])
  })

  test.each([['before it'], ['in it']])('at the wait for a retry, %s: it is as long as was asked', async (when) => {
    const busy = { delayMs: 1_000, fail: { code: 'ModelRateLimited', retryAfterMs: 5_000 } } as const
    const place = jumpyLab(jump, [busy, 'Done.'])
    place.clock.timer(when === 'in it' ? 2_000 : 500, place.jump)
    const result = await place.clock.until(agentIn(place).run('Hi'))
    expect([end(result), place.clock.monotonic()]).toEqual(['completed completed', 6_000])
  })

  test('between two attempts: the window in which a call is tried again is not over, nor does it begin anew', async () => {
    const busy = { delayMs: 1_000, fail: { code: 'ModelRateLimited', retryAfterMs: 5_000 } } as const
    const place = jumpyLab(jump, [busy, busy, busy])
    place.clock.timer(2_000, place.jump)
    const agent = agentIn(place, { settings: { maxRetries: 9 }, policies: { retry: { windowMs: 13_000 } } })
    const result = await place.clock.until(agent.run('Hi', { throwOnError: false }))
    expect([end(result), place.clock.monotonic()]).toEqual(['failed model_error', 13_000])
  })

  test('in a run with a time limit, while its only call runs: the limit and its grace stay what they are', async () => {
    const place = jumpyLab(jump, [asks('slow'), 'So far.'])
    place.clock.timer(2_000, place.jump)
    const agent = agentIn(place, { tools: [deaf()], limits: { maxDurationMs: 5_000 } })
    const result = await place.clock.until(agent.run('Hi'))
    expect([end(result), result.text, place.clock.monotonic()]).toEqual(['incomplete timeout', 'So far.', 6_000])
  })

  test('in a step that the machine ends, that fails, or that goes on outside: it is no working time', async () => {
    const place = jumpyLab(jump, [{ delayMs: 1_000, fail: { retryAfterMs: 0 } }, asks('slow'), asks('later'), 'Done.'])
    const later = tool({
      name: 'later',
      description: 'Later',
      inputSchema: noInput,
      execute: () =>
        new Promise<ReturnType<typeof suspend>>((resolve) => place.clock.timer(1_000, () => resolve(suspend({ correlationId: 'c' })))),
    })
    for (const at of [500, 1_500, 2_500]) place.clock.timer(at, place.jump)
    const agent = agentIn(place, { tools: [deaf({ timeoutMs: 1_000 }), later], limits: { maxDurationMs: 6_500 } })
    expect(end(await place.clock.until(agent.run('Hi', { session: 's' })))).toBe('parked suspended')
    const { result } = agent.resume('s', { results: [{ callId: 'm2.0', output: 'at last' }] })
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['completed completed', 3_000])
  })

  test('in one of its many steps: the limit comes at most a second early, and not late', async () => {
    const place = jumpyLab(jump, [...Array.from({ length: 10 }, () => asks('slow')), 'So far.', 'So far.'])
    place.clock.timer(2_500, place.jump)
    const agent = agentIn(place, { tools: [takes(place, 1_000)], limits: { maxDurationMs: 9_500 }, policies: { noProgress: false } })
    const result = await place.clock.until(agent.run('Hi'))
    expect(end(result)).toBe('incomplete timeout')
    const [whose, by] = jump
    // A jump forth of the store's clock is cut to what the step itself measured, and a second. The step in which the limit is met has its grace.
    expect(place.clock.monotonic()).toBe(whose !== 'ours' && by > 0 ? 9_000 : 10_000)
  })
})

test('decision 0008: a jump while an append is under way is no difference between the clocks', async () => {
  const place = jumpyLab(['both', hour], [asks('slow'), 'Done.'])
  const store = appendsThrough(place.store, (entries, write) => {
    if (entries.some((entry) => entry.kind === 'call.started')) place.jump()
    return write()
  })
  const agent = agentIn({ ...place, store }, { tools: [takes(place, 1_000)], limits: { maxDurationMs: 2_500 } })
  expect(end(await place.clock.until(agent.run('Hi')))).toBe('completed completed')
})

test.each([hour, -hour])('decision 0008: a store whose clock is always %i ms off does not keep a far retry from its time', async (off) => {
  const world = testWorld()
  const { clock } = world
  const busy = { fail: { code: 'ModelRateLimited', retryAfterMs: 120_000 } } as const
  const place = { world, clock, store: memory({ clock: () => clock.wall() + off }), model: scripted([busy, 'Done.'], { clock }) }
  const policies = { retry: { maxRetryAfterMs: 200_000 } }
  const parked = await clock.until(agentIn(place, { policies }).run('Hi', { session: 's' }))
  expect([end(parked), parked.status === 'parked' && parked.wakeAt]).toEqual(['parked retry_later', clock.wall() + 120_000])
  const other = () => agentIn({ ...place, store: otherProcess(place.store) }, { policies }).resume('s', { parkAfterMs: 0 }).result
  await clock.advance(50_000)
  expect(end(await clock.until(other()))).toBe('parked retry_later')
  await clock.advance(70_000)
  expect([end(await clock.until(other())), clock.monotonic()]).toEqual(['completed completed', 120_000])
})

describe('decision 0008: ages', () => {
  const live = (more: object) => ({ ...emptyState().live, ...more }) as Live
  const entry = (kind: string, seq: number) => ({ kind, seq }) as Entry
  const turn = (seq: number) => ({ seq }) as NonNullable<Live['turn']>

  test('count from the commit; from before the activation by the wall clock at its begin; what is staged has none', () => {
    const { clock } = testWorld()
    clock.jump(-500)
    const ages = new Ages(clock)
    clock.jump(hour)
    ages.begin(live({ seq: 4 }))
    ages.commit([entry('call.started', 5)], live({ seq: 5, turn: turn(4) }))
    const at = clock.wall() - hour
    const all = () => [ages.of(4, at - 100), ages.of(4, at + 100), ages.of(5, 0), ages.of(6, 0)]
    expect(all()).toEqual([100, 0, 0, 0])
    clock.jump(hour)
    return clock.advance(30).then(() => expect(all()).toEqual([130, 30, 30, 0]))
  })

  test('are kept from the open turn, the first attempt, or the cancel on; nothing grows with the run', () => {
    const ages = new Ages(testWorld().clock, 0)
    const known = (...seqs: number[]) => seqs.filter((seq) => ages.of(seq, Number.NEGATIVE_INFINITY) !== Number.POSITIVE_INFINITY)
    ages.begin(live({ seq: 0 }))
    ages.commit([entry('run.claimed', 1), entry('model.started', 2)], live({ seq: 2, model: { firstSeq: 2 } }))
    ages.commit([entry('model.failed', 3)], live({ seq: 3, retry: { firstSeq: 2 } }))
    expect(known(1, 2, 3)).toEqual([2, 3])
    ages.commit(
      [entry('model.responded', 4), entry('call.started', 5), entry('control', 6)],
      live({ seq: 6, turn: turn(4), run: { cancelSeq: 6 } }),
    )
    expect(known(2, 3, 4, 5, 6)).toEqual([5, 6])
    ages.commit([entry('call.settled', 7)], live({ seq: 7, run: { cancelSeq: 6 } }))
    expect(known(5, 6, 7)).toEqual([6])
    ages.commit([entry('run.finished', 8)], live({ seq: 8 }))
    expect(known(6)).toEqual([])
  })

  test('so are those of what goes on in the background, and of the working time that it keeps open; nothing between', () => {
    const ages = new Ages(testWorld().clock, 0)
    const known = (...seqs: number[]) => seqs.filter((seq) => ages.of(seq, Number.NEGATIVE_INFINITY) !== Number.POSITIVE_INFINITY)
    const background = [{ startedSeq: 5 }, { startedSeq: 3 }]
    const [, ...later] = Array.from({ length: 9 }, (_, index) => entry('model.started', index))
    ages.begin(live({ seq: 0 }))
    for (const one of later)
      ages.commit([one], live({ seq: one.seq, background, run: { open: 3, openSeq: 2 }, model: { firstSeq: one.seq } }))
    ages.commit([], live({ seq: 8, background, run: { open: 3, openSeq: 2 }, model: { firstSeq: 8 } }))
    expect(known(1, 2, 3, 4, 5, 6, 7, 8)).toEqual([2, 3, 5, 8])
    // They have ended; the working time goes on with the model call.
    ages.commit([], live({ seq: 8, run: { open: 1, openSeq: 2 }, model: { firstSeq: 8 } }))
    expect(known(2, 3, 5, 8)).toEqual([2, 8])
    ages.commit([], live({ seq: 8, run: { open: 0, openSeq: 2 } }))
    expect(known(2, 8)).toEqual([])
  })
})
