import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Decision, memory, type NewEntry, type Session, type Tools, tool } from '../../src/index.ts'
import {
  agentIn,
  asks,
  collect,
  end,
  gate,
  journal,
  lines,
  noInput,
  otherProcess,
  plainTool,
  refusal,
  scriptedLab,
} from '../acceptance/kit.ts'

interface App {
  readonly user: string
}

/** Tools that only some runs are given. They say whose context they ran with. */
const stamp = tool.for<App>()({
  name: 'stamp',
  description: 'Stamps',
  inputSchema: noInput,
  needsApproval: true,
  execute: (_, call) => `stamped by ${call.context?.user ?? 'nobody'}`,
})
const pick = tool({ name: 'pick', description: 'Picks', inputSchema: z.object({}) })
const extraTools: Tools = [stamp, pick]
const context: App = { user: 'ann' }
/** What only some runs are given. */
const given = { extraTools, context }
const approve: Decision = { callId: 'm1.0', decision: 'approve' }

/** A run with tools and a context of its own that waits for a human and for a client; and somebody else, who has neither. */
async function parked(replies = [asks('stamp', 'pick'), 'Done.', 'More.']) {
  const place = scriptedLab(replies)
  const agent = agentIn(place)
  const options = { ...given, session: 's', runId: 'r' }
  const result = await place.clock.until(agent.run('Hi', options))
  expect(end(result)).toBe('parked awaiting_approval')
  const other = agentIn({ ...place, store: otherProcess(place.store) })
  return { place, agent, other, before: await journal(place.store, 's') }
}

test('the journal names what a run was given for itself', async () => {
  const place = scriptedLab(['One.', 'Two.'])
  const agent = agentIn(place, { tools: [plainTool('own', () => 1)] })
  await place.clock.until(agent.run('Hi', { ...given, session: 's', limits: { maxTokens: 9 }, allowedTools: ['own', 'pick'] }))
  await place.clock.until(agent.run('Hi', { session: 's', parkAfterMs: 5, detach: true, throwOnError: false }))
  const entries = await collect(place.store.load('s'))
  expect(entries.flatMap((entry) => (entry.kind === 'run.requested' ? [entry.data.overrides] : []))).toEqual([
    { limits: { maxTokens: 9 }, allowedTools: ['own', 'pick'], own: { tools: ['pick'], options: ['context'] } },
    undefined,
  ])
  const claims = entries.flatMap((entry) => (entry.kind === 'run.claimed' ? [Object.keys(entry.data)] : []))
  expect(claims).toEqual([
    ['owner', 'cause', 'engine'],
    ['owner', 'cause', 'engine'],
  ])
})

describe('machine 8: resume refuses, with their names, when parts that the journal names are missing', () => {
  test.each<[string, object, string]>([
    ['all of them', {}, "the tool 'stamp', the tool 'pick', the context"],
    ['a tool', { extraTools: [stamp], context }, "the tool 'pick'"],
    ['the context', { extraTools }, 'the context'],
    ['a tool that is not allowed', { extraTools, context, allowedTools: ['stamp'] }, "the tool 'pick'"],
  ])('%s: nothing is recorded, and the right resume goes on', async (_name, some, names) => {
    const { place, agent, other, before } = await parked()
    for (const one of [agent, other]) {
      const run = one.resume('s', { ...some, decisions: [approve] })
      const error = await refusal(run.result)
      expect([error.code, error.message]).toEqual([
        'ConfigInvalid',
        `resume: the run 'r' of session 's' needs what this resume lacks: ${names}. Give it again with agent.resume('s', { context, extraTools }), or by an agent that has it. Nothing was recorded.`,
      ])
      expect(await journal(place.store, 's')).toEqual(before)
    }
    const results = [{ callId: 'm1.1', output: 'picked' }]
    const result = await place.clock.until(other.resume('s', { ...given, decisions: [approve], results }).result)
    expect([end(result), result.calls.map((call) => call.output)]).toEqual(['completed completed', ['stamped by ann', 'picked']])
  })

  test('a tool that the agent itself has by now is not missing', async () => {
    const { place } = await parked()
    const fresh = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [pick, stamp] as Tools })
    const results = [{ callId: 'm1.1', output: 'picked' }]
    const result = await place.clock.until(fresh.resume('s', { context, decisions: [approve], results } as object).result)
    expect([end(result), result.calls.map((call) => call.output)]).toEqual(['completed completed', ['stamped by ann', 'picked']])
  })

  test('a run that is being cancelled needs nothing any more', async () => {
    const { place, other } = await parked()
    const seq = (await collect(place.store.load('s'))).length
    const cancel: NewEntry = { v: 1, id: 'c', seq: seq + 1, runId: 'r', kind: 'control', data: { action: 'cancel' } }
    await place.store.append('s', [cancel], { expectedSeq: seq })
    expect(end(await place.clock.until(other.resume('s').result))).toBe('aborted aborted')
  })
})

/** The ways of saying something to a run that has parked. */
type Way = (control: Pick<Session, 'decide' | 'submitToolResult' | 'send'>) => Promise<void>
const picked = [{ callId: 'm1.1', output: 'picked' }]
const both = ['stamped by ann', 'picked']
/** With what it writes, whether the session is due then, what a resume has still to answer, and how the calls end. */
const ways: [string, Way, string, number, object, string[]][] = [
  ['decide', (control) => control.decide(approve), 'approval.decided allow', 1, { results: picked }, both],
  ['submitToolResult', (control) => control.submitToolResult('m1.1', 'picked'), 'call.settled m1.1 ok', 0, { decisions: [approve] }, both],
  ['send', (control) => control.send('Never mind.'), 'message steer', 1, {}, ['skipped', 'skipped']],
]

describe('what is said to a parked run in a process that lacks its own parts', () => {
  test.each(ways)('session.%s: recorded, and the run goes on when somebody brings them', async (_name, way, entry, due, rest, outputs) => {
    const { place, other, before } = await parked()
    await way(other.session('s'))
    await place.clock.advance(60_000)
    expect([await journal(place.store, 's'), place.model.requests.length]).toEqual([[...before, entry], 1])
    expect((await place.store.list({ dueBefore: place.clock.wall() })).length).toBe(due)
    const result = await place.clock.until(other.resume('s', { ...given, ...rest }).result)
    const shown = result.calls.map((call) => (call.outcome === 'ok' ? call.output : call.outcome))
    expect([end(result), shown]).toEqual(['completed completed', outputs])
  })

  test.each(ways)('a handle.%s, attached: the same', async (_name, way, entry) => {
    const { place, other, before } = await parked()
    await using run = other.attach('s')
    await way(run)
    await place.clock.advance(60_000)
    expect([await journal(place.store, 's'), place.model.requests.length]).toEqual([[...before, entry], 1])
  })

  test('abort ends it: for that nothing of it is needed', async () => {
    const { place, other } = await parked()
    await other.session('s').abort()
    await place.clock.advance(10)
    expect((await journal(place.store, 's')).slice(-3)).toEqual([
      'call.settled m1.0 cancelled',
      'call.settled m1.1 cancelled',
      'run.finished aborted aborted',
    ])
  })

  test('a run that is queued behind it parks with it, and an interrupting one takes its place', async () => {
    const { place, other, before } = await parked()
    const queued = await place.clock.until(other.run('Two', { session: 's', onBusy: 'queue' }))
    expect([end(queued), await journal(place.store, 's')]).toEqual(['parked awaiting_approval', [...before, 'run.requested']])
    const result = await place.clock.until(other.run('Three', { session: 's', onBusy: 'interrupt' }))
    expect([end(result), place.model.requests.length]).toEqual(['completed completed', 3])
  })

  test('a run that waits behind another one is not begun without them either', async () => {
    const place = scriptedLab([asks('hold'), 'One.', asks('stamp'), 'Two.'])
    const hold = gate<string>()
    const agent = agentIn(place, { tools: [plainTool('hold', () => hold.promise, 'read')] })
    const first = agent.stream('One', { session: 's' }).result
    await place.clock.advance(1)
    const other = agentIn({ ...place, store: otherProcess(place.store) })
    const second = other.run('Two', { ...given, session: 's', runId: 'two', onBusy: 'queue' })
    // Whoever has the lease when the first run ends lacks the parts of the second one.
    await place.clock.advance(300)
    hold.resolve('held')
    expect(end(await place.clock.until(first))).toBe('completed completed')
    expect(end(await place.clock.until(second))).toBe('parked awaiting_approval')
    const result = await place.clock.until(other.resume('s', { ...given, decisions: [{ callId: 'm3.0', decision: 'approve' }] }).result)
    expect(result.calls.map((call) => call.output)).toEqual(['stamped by ann'])
  })

  test.each<[string, object]>([
    ['the model', { model: scriptedLab([asks('own'), 'The run’s own.']).model }],
    ['instructions that are a function', { instructions: () => 'Be brief.' }],
    ['stopWhen', { stopWhen: () => false }],
    ['a policy that is a function', { policies: { termination: () => undefined } }],
  ])('%s: the same for what else a run was given, but resume may bring it or not', async (_name, some) => {
    const place = scriptedLab([asks('own'), 'Done.'])
    const own = tool({ name: 'own', description: 'Own', inputSchema: noInput, needsApproval: true, execute: () => 1 })
    const agent = agentIn(place, { tools: [own] })
    await place.clock.until(agent.run('Hi', { session: 's', ...some }))
    const other = agentIn({ ...place, model: scriptedLab(['By others.']).model, store: otherProcess(place.store) }, { tools: [own] })
    await other.session('s').decide(approve)
    await place.clock.advance(10)
    expect((await journal(place.store, 's')).at(-1)).toBe('approval.decided allow')
    expect((await place.clock.until(other.resume('s').result)).text).toBe('By others.')
  })
})

describe('what is said to a parked run in a process that has its own parts', () => {
  test('session.decide: it goes on with them', async () => {
    const { place, agent } = await parked()
    await agent.session('s').submitToolResult('m1.1', 'picked')
    await agent.session('s').decide(approve)
    await place.clock.advance(10)
    expect(lines(await collect(agent.session('s').messages()))).toEqual([
      'user: Hi',
      'assistant: stamp{}→ok:stamped by ann pick{}→ok:picked',
      'assistant: Done.',
    ])
  })

  test.each(['its own handle', 'an attached one'])('a handle.decide after its end (%s): the same', async (which) => {
    const place = scriptedLab([asks('stamp'), 'Done.'])
    const agent = agentIn(place)
    const run = agent.stream('Hi', { ...given, session: 's', parkAfterMs: 0 })
    await place.clock.until(run.result)
    const handle = which === 'its own handle' ? run : agent.attach('s')
    await handle.decide(approve)
    await place.clock.advance(10)
    expect(lines(await collect(agent.session('s').messages()))[1]).toBe('assistant: stamp{}→ok:stamped by ann')
  })

  test('later changes to what a run was given do not reach the run that follows it', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    const options = { session: 's', limits: { maxTokens: 1_000 }, settings: { temperature: 0 } }
    const run = agentIn(place).stream('Hi', options)
    await place.clock.until(run.result)
    options.limits.maxTokens = 1
    options.settings.temperature = 1
    await run.send('And?')
    await place.clock.advance(10)
    const requests = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'run.requested' ? [entry.data] : []))
    expect(requests.map(({ overrides }) => overrides?.['limits'])).toEqual([{ maxTokens: 1_000 }, { maxTokens: 1_000 }])
    expect(place.model.requests.map((request) => request.settings.temperature)).toEqual([0, 0])
  })

  test('of 1,000 sessions: who comes back to an older one has to resume', async () => {
    const place = scriptedLab(Array.from({ length: 1_010 }, () => asks('stamp')))
    const agent = agentIn({ ...place, store: memory({ maxSessions: 2_000, clock: () => place.clock.wall() }) })
    for (let session = 0; session <= 1_000; session++) await agent.run('Hi', { ...given, session: `s${session}` })
    await place.clock.advance(1)
    const status = async (session: string) => {
      await agent.session(session).decide(approve)
      await place.clock.advance(10)
      return agent.session(session).status()
    }
    expect([await status('s0'), await status('s1')]).toEqual(['tool_running', 'awaiting_human'])
  })

  test('another agent of this process on the same store: the same', async () => {
    const { place, agent } = await parked([asks('stamp'), 'Done.'])
    await agentIn(place).session('s').decide(approve)
    await place.clock.advance(10)
    expect(lines(await collect(agent.session('s').messages()))[1]).toBe('assistant: stamp{}→ok:stamped by ann')
  })

  test('parts that a resume brought are its own from then on: who has the first ones only lacks some', async () => {
    const { place, agent, other } = await parked([asks('stamp'), asks('late'), 'Done.'])
    const late = tool({ name: 'late', description: 'Late', inputSchema: noInput, needsApproval: true, execute: () => 'late' })
    const more = { extraTools: [...extraTools, late], context }
    await place.clock.until(other.resume('s', { ...more, decisions: [approve] }).result)
    const decision: Decision = { callId: 'm2.0', decision: 'approve' }
    await agent.session('s').decide(decision)
    await place.clock.advance(10)
    expect([(await journal(place.store, 's')).at(-1), await agent.session('s').status()]).toEqual([
      'approval.decided allow',
      'tool_running',
    ])
    expect((await refusal(agent.resume('s', given).result)).message).toContain("lacks: the tool 'late'.")
    const result = await place.clock.until(agent.resume('s', more).result)
    expect(result.calls.map((call) => call.output)).toEqual(['stamped by ann', 'late'])
  })

  test('a run that they were brought to in the moment it was found to lack them goes on', async () => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const { place, other } = await parked([asks('stamp'), 'Done.'])
      await other.session('s').decide(approve)
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const result = await place.clock.until(other.resume('s', given).result)
      expect([end(result), result.calls.map((call) => call.output)], `after ${ticks} ticks`).toEqual([
        'completed completed',
        ['stamped by ann'],
      ])
    }
  })

  test('a session that was begun anew, with a run of the same name: what was kept of the old one is not for it', async () => {
    const { place, agent, other } = await parked([asks('stamp'), asks('stamp')])
    await place.store.delete('s')
    const bob = { extraTools, context: { user: 'bob' }, session: 's', runId: 'r' }
    await place.clock.until(other.run('Hi', bob))
    await agent.session('s').decide(approve)
    await place.clock.advance(10)
    expect([(await journal(place.store, 's')).at(-1), place.model.requests.length]).toEqual(['approval.decided allow', 2])
  })

  test('a message after the end of a handle’s run starts one with the same parts; to a session, one with the agent’s own', async () => {
    const place = scriptedLab(['One.', asks('stamp'), 'Two.', asks('stamp'), 'Three.'])
    const free = tool.for<App>()({ ...stampOptions, needsApproval: false })
    const agent = agentIn(place)
    const run = agent.stream('Hi', { ...given, session: 's', runId: 'r', extraTools: [free] })
    await place.clock.until(run.result)
    await run.send('Stamp it.')
    await place.clock.advance(10)
    await agent.session('s').send('And now?')
    await place.clock.advance(10)
    const calls = lines(await collect(agent.session('s').messages())).filter((line) => line.includes('stamp{}'))
    expect(calls).toEqual(['assistant: stamp{}→ok:stamped by ann', expect.stringContaining('assistant: stamp{}→invalid:')])
    const requests = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'run.requested' ? [entry.data] : []))
    expect(requests.map(({ inherits, overrides }) => [inherits, overrides?.['own']])).toEqual([
      [undefined, { tools: ['stamp'], options: ['context'] }],
      ['r', { tools: ['stamp'], options: ['context'] }],
      [undefined, undefined],
    ])
  })
})

const stampOptions = {
  name: 'stamp',
  description: 'Stamps',
  inputSchema: noInput,
  execute: (_: unknown, call: { readonly context: App }) => `stamped by ${call.context?.user ?? 'nobody'}`,
} as const

describe('a run that was given nothing of its own', () => {
  const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'asked' })

  test.each(['this process', 'another process'])('goes on with the agent that is spoken to, in %s', async (where) => {
    const place = scriptedLab([asks('ask')])
    await place.clock.until(agentIn(place, { tools: [ask] }).run('Hi', { session: 's' }))
    const store = where === 'this process' ? place.store : otherProcess(place.store)
    const other = agentIn({ ...place, store, model: scriptedLab(['By the other.']).model }, { tools: [ask] })
    // Somebody who only looks does not stand in.
    const reader = agentIn({ ...place, store, model: scriptedLab(['By the reader.']).model }).attach('s')
    await other.session('s').decide(approve)
    await place.clock.advance(10)
    await reader[Symbol.asyncDispose]()
    expect(lines(await collect(other.session('s').messages())).at(-1)).toBe('assistant: By the other.')
  })

  test.each(['this process', 'another process'])('promise 9 keeps its limits, in %s', async (where) => {
    const place = scriptedLab([asks('ask'), 'Too much.'])
    const agent = agentIn(place, { tools: [ask] })
    await place.clock.until(agent.run('Hi', { session: 's', limits: { maxIterations: 1, onLimit: 'incomplete' } }))
    const store = where === 'this process' ? place.store : otherProcess(place.store)
    const other = agentIn({ ...place, store }, { tools: [ask] })
    await other.session('s').decide(approve)
    await place.clock.advance(10)
    expect([await other.session('s').status(), place.model.requests.length]).toEqual(['incomplete', 1])
  })
})
