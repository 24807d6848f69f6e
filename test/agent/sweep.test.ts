import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type SweepOptions, tool } from '../../src/index.ts'
import { agentIn, asks, end, plainTool, scriptedLab } from '../acceptance/kit.ts'
import { dead, elsewhere, told, worker } from './workers.ts'

describe('machine 7, promise 12: a sweep takes up what nobody drives any more', () => {
  test('sessions whose process has died, once their lease is over, and not before', async () => {
    const place = scriptedLab([asks('work'), asks('work'), 'ok', 'ok'])
    await dead(place, 'a')
    await dead(place, 'b')
    const agent = worker(place)
    expect(await place.clock.until(agent.sweep())).toEqual([])
    place.clock.jump(60_000)
    const swept = await place.clock.until(agent.sweep())
    expect(told(swept)).toEqual(['a driven', 'b driven'])
    for (const session of swept) expect(session.status === 'driven' && end(session.result)).toBe('completed completed')
    expect(await place.clock.until(agent.sweep())).toEqual([])
  })

  test('an approval that nobody has given in time', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({}),
      needsApproval: () => ({ expiresInMs: 5_000 }),
      execute: () => 'paid',
    })
    const place = scriptedLab([asks('pay'), 'ok'])
    await place.clock.until(agentIn(place, { tools: [pay] }).run('Hi', { session: 's' }))
    const agent = agentIn(elsewhere(place), { tools: [pay] })
    expect(await place.clock.until(agent.sweep())).toEqual([])
    await place.clock.advance(5_000)
    const [swept] = await place.clock.until(agent.sweep())
    expect(swept).toMatchObject({ status: 'driven', result: { status: 'completed', calls: [{ outcome: 'denied' }] } })
  })

  test('an input of a process that died right after it was recorded', async () => {
    const place = scriptedLab([asks('pay'), 'ok'])
    const pay = tool({ name: 'pay', description: 'Pays', inputSchema: z.object({}), needsApproval: true, execute: () => 'paid' })
    const parked = await place.clock.until(agentIn(place, { tools: [pay] }).run('Hi', { session: 's' }))
    const [summary] = await place.store.list()
    const expectedSeq = summary?.seq ?? 0
    const cancel = { v: 1, id: 'x', seq: expectedSeq + 1, runId: parked.runId, kind: 'control', data: { action: 'cancel' } } as const
    await place.store.append('s', [cancel], { expectedSeq, head: { status: 'awaiting_human', pending: 1, wakeAt: 0 } })
    const swept = await place.clock.until(agentIn(elsewhere(place), { tools: [pay] }).sweep())
    expect(swept).toMatchObject([{ sessionId: 's', status: 'driven', result: { status: 'aborted' } }])
  })

  test('what is paused stays so, and what waits for a human goes on waiting', async () => {
    const place = scriptedLab([asks('work'), 'ok'])
    await dead(place, 's')
    await place.clock.until(worker(place).session('s').pause())
    place.clock.jump(60_000)
    const [swept] = await place.clock.until(worker(place).sweep())
    expect(swept).toMatchObject({ status: 'driven', result: { status: 'parked', reason: 'paused' } })
    expect(await place.clock.until(worker(place).sweep())).toEqual([])
  })

  test('runs of another agent are not looked at, those that were given what this process has not are left; the others go on', async () => {
    const place = scriptedLab([asks('work'), asks('mine'), asks('work'), 'ok'])
    await dead(place, 'billing', { name: 'billing' })
    const mine = plainTool('mine', () => new Promise(() => {}), 'read')
    void agentIn(elsewhere(place), { tools: [] }).stream('Hi', { session: 'own', extraTools: [mine] })
    await place.clock.advance(10)
    await dead(place, 'plain')
    place.clock.jump(60_000)
    const swept = await place.clock.until(worker(place).sweep())
    expect(told(swept)).toEqual(['own left', 'plain driven'])
    expect(swept.find(({ status }) => status === 'left')).toHaveProperty('reason', "its run needs what this process lacks: the tool 'mine'")
  })

  test('what this process drives is left alone', async () => {
    const place = scriptedLab([asks('work'), 'ok'])
    const hangs = plainTool('work', () => new Promise(() => {}), 'read')
    const agent = agentIn(place, { tools: [hangs] })
    const run = agent.stream('Hi', { session: 's' })
    await place.clock.advance(10)
    expect(await place.clock.until(agent.sweep())).toEqual([])
    await run.abort()
    expect(end(await place.clock.until(run.result))).toBe('aborted aborted')
  })

  test('so many at once, so many in all, and no more once it is told to stop', async () => {
    const place = scriptedLab([...Array(6).fill(asks('work')), ...Array(6).fill('ok')])
    for (let index = 0; index < 6; index++) await dead(place, `s${index}`)
    place.clock.jump(60_000)
    let now = 0
    let most = 0
    const work = plainTool(
      'work',
      async () => {
        now++
        most = Math.max(most, now)
        await new Promise<void>((resolve) => place.clock.timer(100, resolve))
        now--
      },
      'read',
    )
    const agent = agentIn(elsewhere(place), { tools: [work] })
    expect(await place.clock.until(agent.sweep({ signal: AbortSignal.abort() }))).toEqual([])
    expect(await place.clock.until(agent.sweep({ limit: 1 }))).toHaveLength(1)
    expect([(await place.clock.until(agent.sweep({ concurrency: 2 }))).length, most]).toEqual([5, 2])
  })

  test.each([
    [{ limit: 0 }, 'sweep options: limit must be a positive number, not 0'],
    [{ concurrency: '2' }, 'concurrency must be a positive number, not 2'],
    [{ signal: 'stop' }, 'signal must be an AbortSignal'],
    [5, 'sweep options: they must be an object'],
    [{ every: 5 }, "unknown option 'every'"],
  ])('%o is refused', async (options, why) => {
    await expect(async () => worker(scriptedLab([])).sweep(options as SweepOptions)).rejects.toThrow(why)
  })
})
