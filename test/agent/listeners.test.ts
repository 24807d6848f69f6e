import { describe, expect, test } from 'vitest'
import { type Agent, type RunEvent, type Tools, tool } from '../../src/index.ts'
import { agentIn, asks, collect, noInput, otherProcess, scriptedLab } from '../acceptance/kit.ts'

const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'asked' })
const pick = tool({ name: 'pick', description: 'Picks', inputSchema: noInput })
const tools: Tools = [ask, pick]

const types: RunEvent['type'][] = [
  ...(['run.started', 'run.status', 'run.parked', 'run.finished', 'iteration.started', 'iteration.finished', 'message.added'] as const),
  ...(['model.started', 'model.finished', 'text.started', 'text.delta', 'text.finished', 'call.announced', 'approval.requested'] as const),
  ...(['approval.decided', 'call.started', 'call.deferred', 'call.settled', 'usage.updated', 'call.input.delta'] as const),
]

/** All that an agent's listeners hear from now on, as `run type`. */
function heard(agent: Agent<Tools>): string[] {
  const log: string[] = []
  for (const type of types) agent.on(type, (event) => log.push(`${event.runId} ${event.type} ${event.cursor}`))
  return log
}

/** Each event of a run once, in the order of the journal: what a reader of the whole run is told. */
async function told(agent: Agent<Tools>, runId: string): Promise<string[]> {
  const events = await collect(agent.attach('s', { runId }))
  return events.map((event) => `${event.runId} ${event.type} ${event.cursor}`)
}

const facts = (log: readonly string[]) => log.filter((line) => line.includes(':'))

/** A run that waits for a human, asked for by nobody who is there any more. */
async function parked(replies = [asks('ask'), 'Done.', 'More.']) {
  const place = scriptedLab(replies)
  await place.clock.until(agentIn(place, { tools }).run('Hi', { session: 's', runId: 'r' }))
  return { place, agent: agentIn(place, { tools }), length: (await collect(place.store.load('s'))).length }
}

describe('agent.on hears every run that the agent drives here, each event once', () => {
  test('a run that session.send() begins', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    const agent = agentIn(place, { tools })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const log = heard(agent)
    await agent.session('s').send('And?')
    await place.clock.advance(10)
    const runId = log[0]?.split(' ')[0] ?? ''
    expect([log.length > 8, facts(log)]).toEqual([true, facts(await told(agent, runId))])
  })

  test.each<[string, (agent: Agent<Tools>) => Promise<void>]>([
    ['decide()', (agent) => agent.session('s').decide({ callId: 'm1.0', decision: 'approve' })],
    ['send()', (agent) => agent.session('s').send('Never mind.')],
    ['abort()', (agent) => agent.session('s').abort()],
  ])('a parked run that session.%s wakes, the answer included', async (_name, say) => {
    const { place, agent, length } = await parked()
    const log = heard(agent)
    await say(agent)
    await place.clock.advance(10)
    const all = facts(await told(agent, 'r')).filter((line) => Number(line.split(' ')[2]?.split(':')[0]) > length)
    expect([log.length > 1, facts(log)]).toEqual([true, all])
  })

  test('a run that waits for a result: the result, and what follows from it', async () => {
    const { place, agent, length } = await parked([asks('pick'), 'Done.'])
    const log = heard(agent)
    await agent.session('s').submitToolResult('m1.0', 'picked')
    await place.clock.advance(10)
    const all = facts(await told(agent, 'r')).filter((line) => Number(line.split(' ')[2]?.split(':')[0]) > length)
    expect([log.length > 1, facts(log)]).toEqual([true, all])
  })

  test('a run that parks again is heard to do so, and on its next day', async () => {
    const { place, agent } = await parked([asks('ask'), asks('ask'), 'Done.'])
    const log = heard(agent)
    await agent.session('s').decide({ callId: 'm1.0', decision: 'approve' })
    await place.clock.advance(10)
    await agent.session('s').decide({ callId: 'm2.0', decision: 'approve' })
    await place.clock.advance(10)
    expect(log.map((line) => line.split(' ')[1]).filter((type) => type?.startsWith('run.') && type !== 'run.status')).toEqual([
      'run.parked',
      'run.finished',
    ])
  })

  test('a run with a handle, a reader and a session that speaks to it', async () => {
    const place = scriptedLab([asks('ask'), 'Done.'])
    const agent = agentIn(place, { tools })
    const log = heard(agent)
    const run = agent.stream('Hi', { session: 's', runId: 'r' })
    const read = collect(run)
    await place.clock.advance(1)
    const also = collect(agent.resume('s'))
    await agent.session('s').decide({ callId: 'm1.0', decision: 'approve' })
    const events = await place.clock.until(read)
    await also
    expect(log).toEqual(events.map((event) => `${event.runId} ${event.type} ${event.cursor}`))
  })

  test('a parked run that another run() steers: what it said, too', async () => {
    const { place, agent, length } = await parked()
    const log = heard(agent)
    await place.clock.until(agent.run('Never mind.', { session: 's', onBusy: 'steer' }))
    const all = facts(await told(agent, 'r')).filter((line) => Number(line.split(' ')[2]?.split(':')[0]) > length)
    expect([log.length > 1, facts(log)]).toEqual([true, all])
  })

  test('a run that waits in the queue and is cancelled there, though its handle has parked', async () => {
    const { place, agent } = await parked()
    const log = heard(agent)
    const queued = agent.stream('Two', { session: 's', runId: 'two', onBusy: 'queue', parkAfterMs: 0 })
    await place.clock.until(queued.result)
    await queued.abort()
    await place.clock.advance(10)
    expect(log.filter((line) => line.includes('run.finished'))).toEqual([expect.stringContaining('two run.finished')])
  })

  test('runs that others queued behind the one that was woken', async () => {
    const { place, agent } = await parked([asks('ask'), 'Done.', 'Theirs.'])
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    await place.clock.until(other.run('Mine', { session: 's', runId: 'r2', onBusy: 'queue' }))
    const log = heard(agent)
    await agent.session('s').decide({ callId: 'm1.0', decision: 'approve' })
    await place.clock.advance(10)
    expect(log.filter((line) => line.includes('run.finished')).map((line) => line.split(' ')[0])).toEqual(['r', 'r2'])
  })
})

describe('agent.on does not hear', () => {
  test('runs that another agent of this process drives, nor what another process did, because its own agent looked', async () => {
    const { place, agent } = await parked()
    const log = heard(agent)
    await agent.session('s').status()
    const other = agentIn(place, { tools })
    const theirs = heard(other)
    const elsewhere = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    await elsewhere.session('s').pause()
    await agent.session('s').status()
    await other.session('s').resume()
    await other.session('s').decide({ callId: 'm1.0', decision: 'approve' })
    await place.clock.advance(10)
    await agent.session('s').status()
    expect([log, theirs.some((line) => line.includes('run.finished'))]).toEqual([[], true])
  })

  test('what happens elsewhere after it has spoken', async () => {
    const { place, agent } = await parked([asks('ask'), asks('ask'), 'Done.'])
    await using reader = agentIn(place, { tools }).attach('s')
    const log = heard(agent)
    await agent.session('s').decide({ callId: 'm1.0', decision: 'approve' })
    await place.clock.advance(10)
    const before = log.length
    const elsewhere = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    await elsewhere.session('s').decide({ callId: 'm2.0', decision: 'approve' })
    await place.clock.advance(10)
    expect([before > 5, log.length, await agent.session('s').status()]).toEqual([true, before, 'completed'])
    expect(reader.runId).toBe('r')
  })
})
