import { describe, expect, test } from 'vitest'
import { tool } from '../../src/index.ts'
import { flakyStore, type StoreFault } from '../../src/testing/index.ts'
import { agentIn, asks, end, journal, noInput, otherProcess, plainTool } from '../acceptance/kit.ts'
import { answersLate, engineLab } from './kit.ts'

describe('machine 1: the mailbox is looked at once more before each start', () => {
  /** A run whose append with an entry of this kind stands in the store and has not been answered yet. */
  async function recorded(kind: 'call.started' | 'model.started') {
    const place = engineLab([asks('act', 'act')])
    const { store, written, answer } = answersLate(place.store, kind)
    const log: string[] = []
    const act = plainTool('act', () => log.push('act'))
    const run = agentIn({ ...place, store }, { tools: [act] }).stream('Hi', { session: 's', runId: 'r' })
    const { result } = run
    await written
    return { place, act, run, result, answer, log }
  }

  /** The end of the run, and everything that began in it. */
  async function ended({ place, result, answer, log }: Awaited<ReturnType<typeof recorded>>) {
    answer()
    const last = await place.clock.until(result)
    return { end: end(last), calls: last.calls.map((call) => call.outcome), ran: log, asked: place.model.requests.length }
  }

  test('a cancel of another process that is acknowledged while the append with the start is under way: no tool begins', async () => {
    const scene = await recorded('call.started')
    const other = agentIn({ ...scene.place, store: otherProcess(scene.place.store) }, { tools: [scene.act] })
    await other.session('s').abort('no longer needed')
    expect((await journal(scene.place.store, 's')).slice(-3)).toEqual(['call.started m1.0', 'call.started m1.1', 'control cancel'])
    expect(await ended(scene)).toEqual({ end: 'aborted aborted', calls: ['unknown', 'unknown'], ran: [], asked: 1 })
  })

  test('a cancel of this process that comes while the append with the start is under way: no tool begins', async () => {
    const scene = await recorded('call.started')
    const cancel = scene.run.abort()
    expect(await ended(scene)).toEqual({ end: 'aborted aborted', calls: ['unknown', 'unknown'], ran: [], asked: 1 })
    await cancel
  })

  test('nor is a model asked', async () => {
    const scene = await recorded('model.started')
    const cancel = scene.run.abort()
    expect(await ended(scene)).toEqual({ end: 'aborted aborted', calls: [], ran: [], asked: 0 })
    await cancel
  })

  test('a message is no cancel: what is recorded begins after it has been written', async () => {
    const place = engineLab([asks('act'), 'Done.'])
    const { store, written, answer } = answersLate(place.store, 'call.started')
    const act = plainTool('act', () => 'acted')
    const run = agentIn({ ...place, store }, { tools: [act] }).stream('Hi', { session: 's' })
    const { result } = run
    await written
    const sent = run.send('And this.')
    answer()
    expect(end(await place.clock.until(result))).toBe('completed completed')
    await sent
    const kinds = await journal(place.store, 's')
    expect(kinds.filter((kind) => ['call.started m1.0', 'message steer', 'call.settled m1.0 ok'].includes(kind))).toEqual([
      'call.started m1.0',
      'message steer',
      'call.settled m1.0 ok',
    ])
  })
})

describe('machine 3: the holder looks at its lease, by its monotonic clock, just before each start', () => {
  /** A verdict takes its time in a process whose heartbeats are never answered; the lease is good for 15 s, less a margin of one. */
  async function verdictTakes(ms: number) {
    const place = engineLab([asks('act'), 'Done.'])
    const log: string[] = []
    const act = tool({
      name: 'act',
      description: 'Act',
      inputSchema: noInput,
      effect: 'idempotent',
      needsApproval: () => new Promise<boolean>((resolve) => place.clock.timer(ms, () => resolve(false))),
      execute: (_input, { attempt }) => {
        log.push(`attempt ${attempt}`)
        return 'acted'
      },
    })
    const store = flakyStore(place.store, (operation) => (operation === 'renew' ? 'hang-before' : 'ok'))
    const run = agentIn({ ...place, store }, { tools: [act] }).stream('Hi', { session: 's' })
    return { place, act, log, result: await place.clock.until(run.result) }
  }

  test('within it the tool starts', async () => {
    const { log, result } = await verdictTakes(13_999)
    expect([end(result), log]).toEqual(['completed completed', ['attempt 1']])
  })

  test('over it the start is on record and the tool does not start: failed, lease_lost, and another process goes on', async () => {
    const { place, act, log, result } = await verdictTakes(14_000)
    expect([end(result), result.status === 'failed' && [result.resumable, result.error.code], log]).toEqual([
      'failed lease_lost',
      [true, 'SessionLeaseLost'],
      [],
    ])
    expect((await journal(place.store, 's')).at(-1)).toBe('call.started m1.0')
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [act] })
    expect(end(await place.clock.until(other.resume('s').result))).toBe('completed completed')
    expect(log).toEqual(['attempt 2'])
  })
})

describe('machine 3: the holder stops itself when its lease is over on its monotonic clock', () => {
  /** A tool that takes a minute, while the heartbeats are answered as told. */
  async function minute(renewals: (count: number) => StoreFault) {
    const place = engineLab([asks('slow'), 'Done.'])
    const reasons: unknown[] = []
    const slow = tool({
      name: 'slow',
      description: 'Slow',
      inputSchema: noInput,
      execute: (_input, { signal }) => {
        signal.addEventListener('abort', () => reasons.push([signal.reason.code, place.clock.monotonic()]), { once: true })
        return new Promise((resolve) => place.clock.timer(60_000, () => resolve('slept')))
      },
    })
    const store = flakyStore(place.store, (operation, count) => (operation === 'renew' ? renewals(count) : 'ok'))
    const run = agentIn({ ...place, store }, { tools: [slow] }).stream('Hi', { session: 's' })
    const result = await place.clock.until(run.result)
    return { end: end(result), at: place.clock.monotonic(), reasons }
  }

  test.each<StoreFault>(['fail-before', 'fail-after', 'hang-before', 'hang-after'])('heartbeats that all %s', async (fault) => {
    expect(await minute(() => fault)).toEqual({
      end: 'failed lease_lost',
      at: 14_000,
      reasons: [['SessionLeaseLost', 14_000]],
    })
  })

  test.each<[string, (count: number) => StoreFault]>([
    ['one in two', (count) => (count % 2 === 0 ? 'ok' : 'fail-before')],
    ['one in two, the others never', (count) => (count % 2 === 0 ? 'ok' : 'hang-before')],
  ])('heartbeats of which %s is answered keep it', async (_name, renewals) => {
    expect(await minute(renewals)).toEqual({ end: 'completed completed', at: 60_000, reasons: [] })
  })

  test('a process that could not beat in time asks before it stops', async () => {
    const place = engineLab([asks('slow'), 'Done.'])
    const { clock } = place
    let stopped = 0
    // The process is held up for a minute by somebody else's work.
    const late = { wall: () => clock.wall() + stopped, monotonic: () => clock.monotonic() + stopped, timer: clock.timer.bind(clock) }
    const slow = plainTool('slow', () => {
      clock.timer(1, () => {
        stopped = 60_000
      })
      return new Promise((resolve) => clock.timer(6_000, () => resolve('slept')))
    })
    const world = { ...place.world, clock: Object.assign(Object.create(clock) as typeof clock, late) }
    const run = agentIn({ ...place, world }, { tools: [slow] }).stream('Hi', { session: 's' })
    expect(end(await clock.until(run.result))).toBe('completed completed')
  })
})
