import { describe, expect, test } from 'vitest'
import type { Decision, Json, NewEntry, Tools } from '../../src/index.ts'
import { agentIn, asks, collect, end, journal, otherProcess, plainTool, refusal, scriptedLab } from '../acceptance/kit.ts'
import { dangerous } from './dangerous.ts'

const approve: Decision = { callId: 'm1.0', decision: 'approve' }

const denied = { policies: { approvals: { rules: [{ action: 'deny', tool: 'danger' }] } } } as const
const restrictions: [string, object][] = [
  ['allowedTools', { allowedTools: ['work'] }],
  ['policies.approvals', denied],
]

describe('decision 0011: what is data holds wherever the run goes on', () => {
  test.each(restrictions)('%s: after session.decide in another process, and after a resume', async (_name, given) => {
    for (const way of ['decide', 'resume'] as const) {
      const { ran, tools } = dangerous()
      const place = scriptedLab([asks('work'), asks('danger'), 'Done.'])
      await place.clock.until(agentIn(place, { tools }).run('Hi', { session: 's', ...given }))
      const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
      if (way === 'decide') await other.session('s').decide(approve)
      else await place.clock.until(other.resume('s', { decisions: [approve] }).result)
      await place.clock.advance(10)
      expect([ran, (await journal(place.store, 's')).at(-1)]).toEqual([['work'], 'run.finished completed completed'])
    }
  })

  test('so do its text of instructions, settings, tool choice and manners', async () => {
    const place = scriptedLab([asks('work'), 'Done.'])
    const { tools } = dangerous()
    const given = {
      instructions: 'Be brief.',
      settings: { temperature: 0 },
      toolChoice: 'none',
      maxParallel: 1,
      onPending: 'reject',
      policies: { toolFailureMode: 'fail', graceMs: Number.POSITIVE_INFINITY },
    } as const
    await place.clock.until(agentIn(place, { tools }).run('Hi', { session: 's', ...given }))
    const requested = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'run.requested' ? [entry.data] : []))
    expect(requested[0]?.overrides).toEqual({ ...given, policies: { toolFailureMode: 'fail' } })
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    expect((await refusal(other.session('s').send('And?'))).message).toContain("onPending: 'reject'")
    await other.session('s').decide(approve)
    await place.clock.advance(10)
    const { instructions, settings, toolChoice } = place.model.requests[1] ?? {}
    expect([instructions, settings, toolChoice]).toEqual(['Be brief.', { temperature: 0 }, 'none'])
    const claims = (await collect(place.store.load('s'))).filter((entry) => entry.kind === 'run.claimed' && 'own' in entry.data)
    expect(claims).toEqual([])
  })

  test('what a resume gives goes over it, field by field, and holds from then on, also where the run was begun', async () => {
    const { ran, tools } = dangerous()
    const extraTools: Tools = [plainTool('stamp', () => 'stamped')]
    const replies = [asks('work'), asks('danger', 'work'), asks('danger', 'work'), 'Done.']
    const place = scriptedLab(replies)
    const agent = agentIn(place, { tools })
    await place.clock.until(agent.run('Hi', { session: 's', extraTools, policies: { toolFailureMode: 'fail' } }))
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    await place.clock.until(other.resume('s', { decisions: [approve], extraTools, ...denied }).result)
    const claims = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'run.claimed' ? [entry.data.own] : []))
    const own: object = { tools: ['stamp'], options: [], data: { policies: { toolFailureMode: 'fail', ...denied.policies } } }
    expect(claims).toEqual([undefined, own])
    // Who began the run has its tools yet, but not what it goes on with.
    const second: Decision = { callId: 'm2.1', decision: 'deny' }
    await agent.session('s').decide(second)
    await place.clock.advance(10)
    expect((await journal(place.store, 's')).at(-1)).toBe('approval.decided deny')
    expect(end(await place.clock.until(agent.resume('s', { extraTools, policies: { toolFailureMode: 'continue' } }).result))).toBe(
      'parked awaiting_approval',
    )
    expect(ran).toEqual(['work'])
  })

  test('also when the run parks again at once', async () => {
    const { ran, tools } = dangerous()
    const place = scriptedLab([asks('work'), asks('danger'), 'Done.'])
    const agent = agentIn(place, { tools })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    await place.clock.until(other.resume('s', { allowedTools: ['work'] }).result)
    expect((await journal(place.store, 's')).at(-1)).toBe('run.claimed')
    // Once is enough.
    await place.clock.until(other.resume('s', { allowedTools: ['work'] }).result)
    expect((await journal(place.store, 's')).slice(-2)).toEqual(['call.prepared m1.0 asks', 'run.claimed'])
    await agent.session('s').decide(approve)
    await place.clock.advance(10)
    expect([ran, (await journal(place.store, 's')).at(-1)]).toEqual([['work'], 'run.finished completed completed'])
  })

  test('a run that is resumed with less in another process: who began it goes on under that', async () => {
    const { ran, tools } = dangerous()
    const place = scriptedLab([asks('work'), asks('work'), asks('danger'), 'Done.'])
    const agent = agentIn(place, { tools })
    const reader = agent.stream('Hi', { session: 's', parkAfterMs: 0 })
    await place.clock.until(reader.result)
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    await place.clock.until(other.resume('s', { decisions: [approve], allowedTools: ['work'] }).result)
    await reader.decide({ callId: 'm2.0', decision: 'approve' })
    await place.clock.advance(10)
    expect([ran, (await journal(place.store, 's')).at(-1)]).toEqual([['work', 'work'], 'run.finished completed completed'])
  })

  test('a tool that was chosen for it and is gone is not forced on the model', async () => {
    const place = scriptedLab([asks('work'), 'Done.'])
    const { tools } = dangerous()
    const every = { toolChoice: { tool: 'danger' }, policies: { toolChoiceEvery: true } }
    await place.clock.until(agentIn(place, { tools }).run('Hi', { session: 's', ...every } as object))
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: tools.slice(0, 1) })
    await place.clock.until(other.resume('s', { decisions: [approve] }).result)
    expect(place.model.requests.map(({ toolChoice }) => toolChoice)).toEqual([{ tool: 'danger' }, 'auto'])
  })

  test.each(['allowedTools', 'policies'])('%s in a journal of before, by name only: nobody goes on without it', async (option) => {
    const place = scriptedLab([asks('danger'), 'Done.'])
    const { ran, tools } = dangerous()
    const own = { tools: [], options: [option] }
    const data = { agent: { name: 'agent' }, input: [], task: 'run', overrides: { own } } as const
    const entries: NewEntry[] = [
      { v: 1, id: 'a', seq: 1, kind: 'session', data: { version: 1 } },
      { v: 1, id: 'b', seq: 2, runId: 'r', kind: 'run.requested', data },
    ]
    await place.store.append('s', entries, { expectedSeq: 0 })
    const agent = agentIn(place, { tools })
    expect((await refusal(agent.resume('s').result)).message).toContain(`lacks: the option '${option}'.`)
    await agent.session('s').send('Hi')
    await place.clock.advance(10)
    expect([ran, place.model.requests.length]).toEqual([[], 0])
    const given = option === 'policies' ? denied : { allowedTools: ['work'] }
    expect(end(await place.clock.until(agent.resume('s', given as object).result))).toBe('completed completed')
    expect(ran).toEqual([])
  })

  const unread: [string, Record<string, Json>, string][] = [
    ['a restriction of a newer version', { sandbox: 'all' }, "unknown option 'sandbox'"],
    ['a policy of a newer version', { policies: { sandbox: 'all' } }, "unknown option 'policies.sandbox'"],
    ['a rule of a newer version', { policies: { approvals: { rules: [{ action: 'forbid' }] } } }, 'policies.approvals.rules[0].action'],
    ['what is no list', { allowedTools: 'work' }, 'allowedTools must be a list of names'],
    ['what is no number', { limits: { maxIterations: 'x' } }, 'limits.maxIterations must be a positive number'],
  ]
  test.each(unread)(
    '%s: nobody goes on without understanding it; what is said is kept, and it can be aborted',
    async (_name, overrides, why) => {
      const place = scriptedLab([asks('danger'), 'Done.'])
      const { ran, tools } = dangerous()
      const data = { agent: { name: 'agent' }, input: [], task: 'run', overrides } as const
      const entries: NewEntry[] = [
        { v: 1, id: 'a', seq: 1, kind: 'session', data: { version: 1 } },
        { v: 1, id: 'b', seq: 2, runId: 'r', kind: 'run.requested', data },
      ]
      await place.store.append('s', entries, { expectedSeq: 0, head: { status: 'preparing', pending: 0, wakeAt: 0 } })
      const agent = agentIn(place, { tools })
      expect(await place.clock.until(agent.sweep())).toMatchObject([{ status: 'left', reason: expect.stringContaining(why) }])
      expect((await refusal(agent.resume('s').result)).message).toContain(why)
      await agent.session('s').send('Hi')
      // A message that is to steer it changes nothing.
      void agent.stream('And?', { session: 's', onBusy: 'steer' })
      await place.clock.advance(10)
      expect([ran, place.model.requests.length]).toEqual([[], 0])
      await agent.session('s').abort()
      await place.clock.advance(10)
      expect((await journal(place.store, 's')).at(-1)).toBe('run.finished aborted aborted')
    },
  )

  test('a resume may give what is not understood', async () => {
    const place = scriptedLab([asks('danger'), 'Done.'])
    const { ran, tools } = dangerous()
    const data = { agent: { name: 'agent' }, input: [], task: 'run', overrides: { allowedTools: 'work' } } as const
    const entries: NewEntry[] = [
      { v: 1, id: 'a', seq: 1, kind: 'session', data: { version: 1 } },
      { v: 1, id: 'b', seq: 2, runId: 'r', kind: 'run.requested', data },
    ]
    await place.store.append('s', entries, { expectedSeq: 0 })
    const resumed = agentIn(place, { tools }).resume('s', { allowedTools: ['work'] } as object)
    expect([end(await place.clock.until(resumed.result)), ran]).toEqual(['completed completed', []])
  })
})
