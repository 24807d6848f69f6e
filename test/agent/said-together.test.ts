import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../../src/index.ts'
import { agentIn, asks, collect, end, journal, noInput, otherProcess, plainTool, refusal, scriptedLab } from '../acceptance/kit.ts'

/** A tool that each call of is asked about, and what it did. */
function asked(name = 'pay') {
  const did: unknown[] = []
  const pay = tool({
    name,
    description: name,
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }) => did.push(to),
  })
  return { pay, did }
}

const pays = (...to: string[]) => ({ calls: to.map((one) => ({ name: 'pay', input: { to: one } })) })
const decisionsIn = async (place: ReturnType<typeof scriptedLab>) =>
  (await journal(place.store, 's')).filter((line) => /^(approval|control|call\.settled .* ok)/.test(line))

describe('promise 5: what is said together is recorded together or not at all', () => {
  describe.each([
    ['while the run is driven here', Number.POSITIVE_INFINITY],
    ['while nobody drives it', 0],
  ])('%s', (_where, parkAfterMs) => {
    async function waiting(...to: string[]) {
      const { pay, did } = asked()
      const place = scriptedLab([pays(...to), 'ok'])
      const agent = agentIn(place, { tools: [pay] })
      void agent.stream('Hi', { session: 's', parkAfterMs }).result
      await place.clock.advance(10)
      return { place, agent, did, session: agent.session('s') }
    }

    test('a decision that is refused approves no other call', async () => {
      const { place, did, session } = await waiting('a', 'b', 'c')
      await session.decide({ callId: 'm1.0', decision: 'deny' })
      const no = await refusal(session.decide({ callId: 'm1.0', decision: 'approve', remember: 'run' }))
      expect(no.message).toMatch(/Call '?m1\.0'? has been decided already|No open call/)
      await place.clock.advance(1_000)
      expect([did, await decisionsIn(place)]).toEqual([[], ['approval.decided deny']])
    })

    test('of several decisions none is recorded when one is refused', async () => {
      const { place, did, session } = await waiting('a', 'b')
      const no = await refusal(session.decide({ callId: 'm1.0', decision: 'approve' }, { callId: 'm9.9', decision: 'approve' }))
      expect(no.message).toContain("No open call 'm9.9'")
      await place.clock.advance(1_000)
      expect([did, await decisionsIn(place)]).toEqual([[], []])
      await session.decide({ callId: 'm1.0', decision: 'approve' }, { callId: 'm1.1', decision: 'deny' })
      await place.clock.advance(1_000)
      expect(did).toEqual(['a'])
    })
  })

  test('a resume that is refused lifts no pause and hands nothing in', async () => {
    const { pay, did } = asked()
    const client = tool({ name: 'client', description: 'client', inputSchema: noInput })
    const place = scriptedLab([{ calls: [...pays('a').calls, ...asks('client').calls] }, 'ok'])
    const agent = agentIn(place, { tools: [pay, client] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await agent.session('s').pause()
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [pay, client] })
    const decisions = [{ callId: 'm1.0', decision: 'approve' as const }]
    const no = await refusal(other.resume('s', { decisions, results: [{ callId: 'm1.7', output: 1 }] }).result)
    expect(no.message).toContain("Call 'm1.7' is not open")
    await place.clock.advance(60_000)
    expect([did, await decisionsIn(place), await agent.session('s').status()]).toEqual([[], ['control pause'], 'awaiting_human'])
    const result = await place.clock.until(other.resume('s', { decisions, results: [{ callId: 'm1.1', output: 1 }] }).result)
    expect([end(result), did]).toEqual(['completed completed', ['a']])
  })

  test("an interrupt whose run is refused cancels nothing (onBusy 'interrupt')", async () => {
    const place = scriptedLab(['ok', asks('wait'), 'ok'])
    const agent = agentIn(place, { tools: [plainTool('wait', () => new Promise((resolve) => place.clock.timer(1_000, () => resolve(1))))] })
    await place.clock.until(agent.run('Hi', { session: 's', runId: 'one' }))
    const second = agent.stream('Again', { session: 's', runId: 'two' })
    const result = second.result
    await place.clock.advance(10)
    const no = await refusal(place.clock.until(agent.run('Now!', { session: 's', runId: 'one', onBusy: 'interrupt' })))
    expect(no.message).toContain("A run with the id 'one' exists")
    expect([end(await place.clock.until(result)), await decisionsIn(place)]).toEqual(['completed completed', ['call.settled m2.0 ok']])
  })
})

describe('decision 0016: a remembered yes and the guard', () => {
  test('a yes to one call is none to a sibling whose effect may have happened already; who is asked about that one is told', async () => {
    const did: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ to: z.string() }),
      needsApproval: true,
      timeoutMs: 100,
      execute: ({ to }) => {
        did.push(to)
        return did.length === 1 ? new Promise(() => {}) : 'paid'
      },
    })
    const place = scriptedLab([pays('ann'), pays('bob', 'ann'), 'ok'])
    const agent = agentIn(place, { tools: [pay] })
    const run = agent.stream('Hi', { session: 's' })
    const events = collect(run)
    await place.clock.advance(10)
    await run.decide({ callId: 'm1.0', decision: 'approve' })
    await place.clock.advance(200)
    expect(await agent.session('s').pending()).toMatchObject([{ callId: 'm2.0' }, { callId: 'm2.1', repeats: 'm1.0' }])
    await run.decide({ callId: 'm2.0', decision: 'approve', remember: 'run' })
    await place.clock.advance(200)
    expect([did, (await agent.session('s').pending()).map(({ callId }) => callId)]).toEqual([['ann', 'bob'], ['m2.1']])
    await run.decide({ callId: 'm2.1', decision: 'deny' })
    const requests = (await place.clock.until(events)).filter(({ type }) => type === 'approval.requested')
    expect(requests).toMatchObject([{ callId: 'm1.0' }, { callId: 'm2.0' }, { callId: 'm2.1', repeats: 'm1.0' }])
    expect(requests[1]).not.toHaveProperty('repeats')
  })
})
