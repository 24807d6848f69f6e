import { describe, expect, test } from 'vitest'
import { memory, type NewEntry, type Store } from '../../src/index.ts'
import { flakyStore, type StoreFault } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, plainTool } from '../acceptance/kit.ts'
import { appendsThrough, engineLab } from './kit.ts'

describe('machine 3, decision 0010: a lease that is over by the own clock is asked for, not given up', () => {
  /** Two calls one after the other; the first keeps the whole process busy for longer than the lease. */
  async function busy(renewals: (count: number) => StoreFault, meanwhile: (place: ReturnType<typeof engineLab>) => unknown = () => {}) {
    const place = engineLab([asks('busy', 'next'), 'Done.'])
    const log: string[] = []
    const first = plainTool('busy', () => {
      place.clock.block(20_000)
      meanwhile(place)
      return 'at last'
    })
    const next = plainTool('next', () => log.push(`next at ${place.clock.monotonic()}`))
    const store = flakyStore(place.store, (operation, count) => (operation === 'renew' ? renewals(count) : 'ok'))
    const agent = agentIn({ ...place, store }, { tools: [first, next], maxParallel: 1 })
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    const epochs = new Set((await collect(place.store.load('s'))).flatMap(({ epoch }) => epoch ?? []))
    return { end: end(result), at: place.clock.monotonic(), log, epochs: epochs.size }
  }

  test('one that was busy until it was over asks, and goes on under the same epoch when nobody took it', async () => {
    expect(await busy(() => 'ok')).toEqual({ end: 'completed completed', at: 20_000, log: ['next at 20000'], epochs: 1 })
  })

  test('a question that fails is asked again', async () => {
    expect(await busy((count) => (count < 4 ? 'fail-before' : 'ok'))).toEqual({
      end: 'completed completed',
      at: 23_000,
      log: ['next at 23000'],
      epochs: 1,
    })
  })

  test.each<StoreFault>(['fail-before', 'hang-before'])(
    'questions that all %s: it stops after the time between two heartbeats',
    async (fault) => {
      expect(await busy(() => fault)).toEqual({ end: 'failed lease_lost', at: 25_000, log: [], epochs: 1 })
    },
  )

  test('somebody took it: nothing begins', async () => {
    const take = ({ store }: ReturnType<typeof engineLab>) => store.acquire('s', { owner: 'another', ttlMs: 15_000 })
    expect(await busy(() => 'ok', take)).toEqual({ end: 'failed lease_lost', at: 20_000, log: [], epochs: 1 })
  })
})

test('B169 a store that gives an epoch under which the journal was driven before: what ran then is not begun again', async () => {
  const place = engineLab([asks('pay'), 'Done.'])
  let paid = 0
  const pay = plainTool('pay', () => new Promise(() => paid++))
  agentIn(place, { tools: [pay] }).stream('Hi', { session: 's', detach: true })
  await place.clock.advance(10)
  // Nothing of the lease is kept beside the copy, and `acquire` counts from 1.
  const copy = memory({ clock: () => place.clock.wall() })
  await copy.append(
    's',
    (await collect(place.store.load('s'))).map(({ epoch: _, ...entry }): NewEntry => entry),
    { expectedSeq: 0 },
  )
  const forgetful: Store = {
    ...appendsThrough(copy, (_, write) => write()),
    load: (session, afterSeq) => place.store.load(session, afterSeq),
  }
  const result = await place.clock.until(
    agentIn({ ...place, store: forgetful }, { tools: [pay] }).resume('s', { throwOnError: false }).result,
  )
  expect([end(result), paid]).toEqual(['failed session_error', 1])
  expect(result.status === 'failed' && result.error.message).toContain("Session 's' was driven under epoch 1 before, and its store gave 1.")
})
