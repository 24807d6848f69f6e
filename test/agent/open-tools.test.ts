import { describe, expect, test } from 'vitest'
import { type Decision, type Session, type Tools, tool } from '../../src/index.ts'
import { agentIn, asks, end, gate, journal, noInput, otherProcess, plainTool, refusal, scriptedLab } from '../acceptance/kit.ts'
import { dangerous } from './dangerous.ts'

const approve: Decision = { callId: 'm1.0', decision: 'approve' }

describe('a call that is open needs its tool', () => {
  /** A run that has parked over a call of a tool that only its own process has; and a process without it. */
  async function asked(more: object = {}) {
    const place = scriptedLab([asks('work'), 'Done.'])
    const { ran, tools } = dangerous()
    const agent = agentIn(place, { tools })
    await place.clock.until(agent.run('Hi', { session: 's', runId: 'r', ...more }))
    return {
      place,
      ran,
      agent,
      bare: agentIn({ ...place, store: otherProcess(place.store) }, { tools: [] as Tools }),
      before: await journal(place.store, 's'),
    }
  }

  test('a resume without it is refused, and has recorded nothing; a denial needs none', async () => {
    const { place, bare, before } = await asked()
    for (const decisions of [[], [approve]]) {
      const error = await refusal(bare.resume('s', { decisions }).result)
      expect([error.code, error.message]).toEqual([
        'ConfigInvalid',
        "resume: the run 'r' of session 's' needs what this resume lacks: the tool 'work'. Give it again with agent.resume('s', { context, extraTools }), or by an agent that has it. Nothing was recorded.",
      ])
    }
    expect(await journal(place.store, 's')).toEqual(before)
    const result = await place.clock.until(bare.resume('s', { decisions: [{ callId: 'm1.0', decision: 'deny' }] }).result)
    expect([end(result), result.calls.map(({ outcome }) => outcome)]).toEqual(['completed completed', ['denied']])
  })

  test('a yes that is given without it is kept, not used up', async () => {
    const { place, ran, agent, bare, before } = await asked()
    await bare.session('s').decide(approve)
    await place.clock.advance(60_000)
    expect(await journal(place.store, 's')).toEqual([...before, 'approval.decided allow'])
    expect(await place.store.list({ dueBefore: place.clock.wall() })).toHaveLength(1)
    expect((await refusal(bare.resume('s').result)).message).toContain("the tool 'work'")
    expect(end(await place.clock.until(agent.resume('s').result))).toBe('completed completed')
    expect(ran).toEqual(['work'])
  })

  test.each<[string, (bare: Session) => Promise<unknown>, string]>([
    ['a message that settles it', (bare) => bare.send('Never mind.'), 'run.finished completed completed'],
    ['an abort', (bare) => bare.abort(), 'run.finished aborted aborted'],
    ['a denial', (bare) => bare.decide({ callId: 'm1.0', decision: 'deny' }), 'run.finished completed completed'],
  ])('%s needs none', async (_name, say, last) => {
    const { place, bare } = await asked()
    await say(bare.session('s'))
    await place.clock.advance(10)
    expect((await journal(place.store, 's')).at(-1)).toBe(last)
  })

  test('one whose request has expired needs none, in a resume and in a sweep', async () => {
    for (const way of ['resume', 'sweep'] as const) {
      const place = scriptedLab([asks('hurry'), 'Done.'])
      const needsApproval = () => ({ expiresInMs: 1_000 })
      const hurry = tool({ name: 'hurry', description: 'Hurries', inputSchema: noInput, needsApproval, execute: () => 'hurried' })
      await place.clock.until(agentIn(place, { tools: [hurry] }).run('Hi', { session: 's' }))
      const bare = agentIn({ ...place, store: otherProcess(place.store) })
      expect((await refusal(bare.resume('s').result)).message).toContain("the tool 'hurry'")
      await place.clock.advance(1_000)
      await place.clock.until<unknown>(way === 'resume' ? bare.resume('s').result : bare.sweep())
      expect((await journal(place.store, 's')).filter((line) => line.includes('m1.0'))).toEqual([
        'call.prepared m1.0 asks',
        'call.settled m1.0 denied',
      ])
    }
  })

  test('a message that waits with it settles nothing', async () => {
    const { place, bare, before } = await asked({ onPending: 'hold' })
    await bare.session('s').send('And then?')
    await place.clock.advance(10)
    expect(await journal(place.store, 's')).toEqual([...before, 'message steer'])
    expect((await refusal(bare.resume('s').result)).message).toContain("the tool 'work'")
  })

  test('a name that the model has made up needs none', async () => {
    const hold = gate<boolean>()
    const slow = tool({ name: 'slow', description: 'Slow', inputSchema: noInput, needsApproval: () => hold.promise, execute: () => 'slow' })
    const place = scriptedLab([asks('slow', 'made_up'), 'Done.'])
    void agentIn({ ...place, store: otherProcess(place.store) }, { tools: [slow] }).stream('Hi', { session: 's' })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const quick = plainTool('slow', () => 'quick')
    const bare = agentIn({ ...place, store: otherProcess(place.store) })
    expect((await refusal(bare.resume('s').result)).message).toContain("lacks: the tool 'slow'.")
    const result = await place.clock.until(agentIn(place, { tools: [quick] }).resume('s').result)
    expect(result.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'invalid'])
  })

  test('one that is brought in the moment it was found to be missing is there', async () => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const { place, ran, bare } = await asked()
      await bare.session('s').decide(approve)
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const again = dangerous()
      const result = await place.clock.until(bare.resume('s', { extraTools: again.tools }).result)
      expect([end(result), ran, again.ran], `after ${ticks} ticks`).toEqual(['completed completed', [], ['work']])
    }
  })
})
