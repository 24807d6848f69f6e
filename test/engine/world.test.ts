import { describe, expect, test, vi } from 'vitest'
import { systemClock, systemWorld } from '../../src/engine/world.ts'
import { tool } from '../../src/index.ts'
import { agentIn, asks, end, journal, noInput } from '../acceptance/kit.ts'
import { engineLab } from './kit.ts'

const longest = 2 ** 31 - 1

describe("machine 7: the system's clock", () => {
  test.each([
    ['as long as asked', 1_000, 1_000],
    ['never less than asked', 0.2, 1],
    ['never less than nothing', -5, 0],
    ['the longest that a timer takes', longest, longest],
    ['more than that would fire at once', longest + 1, longest],
    ['60 days', 60 * 24 * 3_600_000, longest],
    ['for ever', Number.POSITIVE_INFINITY, longest],
  ])('a timer: %s', (_name, ms, want) => {
    const asked = vi.spyOn(globalThis, 'setTimeout')
    const cancel = systemClock.timer(ms, () => {})
    cancel()
    expect(asked.mock.calls.map(([, delay]) => delay)).toEqual([want])
  })

  test('a timer calls back once; one that was cancelled does not', async () => {
    const log: string[] = []
    systemClock.timer(0, () => log.push('cancelled'))()
    await new Promise<void>((resolve) => systemClock.timer(1, resolve))
    expect(log).toEqual([])
  })

  test('ids say what they are of and are unique, also between two worlds', () => {
    const ids = [systemWorld(), systemWorld()].flatMap((world) => [world.id('e'), world.id('e'), world.id('r')])
    expect([new Set(ids).size, ids.every((id, index) => id.startsWith(index % 3 === 2 ? 'r_' : 'e_'))]).toEqual([6, true])
  })
})

test('machine 7: a wait that is longer than a timer takes is waited for in pieces: it neither spins nor ends early', async () => {
  const place = engineLab([asks('act'), 'Done.'])
  const waits: number[] = []
  /** Of a heartbeat, and of the patience with the store. */
  const others = [5_000, 60_000]
  const clock = Object.assign(Object.create(place.clock) as typeof place.clock, {
    wall: () => place.clock.wall(),
    monotonic: () => place.clock.monotonic(),
    timer: (ms: number, callback: () => void) => {
      waits.push(ms)
      return place.clock.timer(Math.min(ms, 1_000), callback)
    },
  })
  const act = tool({
    name: 'act',
    description: 'Act',
    inputSchema: noInput,
    needsApproval: () => ({ expiresInMs: 3_500 }),
    execute: () => 'acted',
  })
  const run = agentIn({ ...place, world: { ...place.world, clock } }, { tools: [act] }).stream('Hi', { session: 's' })
  const result = await place.clock.until(run.result)
  expect([end(result), place.clock.monotonic(), waits.filter((ms) => !others.includes(ms))]).toEqual([
    'completed completed',
    3_500,
    [3_500, 2_500, 1_500, 500],
  ])
  expect(await journal(place.store, 's')).toContain('call.settled m1.0 denied')
})
