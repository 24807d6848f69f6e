import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Decision, type ModelRequest, type NewEntry, tool } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { type FaultPlan, flakyStore } from '../../src/testing/index.ts'
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
  untilWithFiles,
} from './kit.ts'

const folder = mkdtempSync(join(tmpdir(), 'rondo-bad-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a store that fails', () => {
  /** One step with a tool, on a store with faults; then the store works again and the session is resumed. */
  async function through(plan: FaultPlan, effect: 'read' | 'unsafe' = 'read') {
    // By what it sees: a call whose answer could not be written is made again.
    const reply = ({ messages }: ModelRequest) => ([...messages].length === 1 ? asks('act') : 'Done.')
    const place = scriptedLab([reply, reply, reply, reply])
    let runs = 0
    const tools = [plainTool('act', () => ++runs, effect)]
    const faulty = agentIn({ ...place, store: flakyStore(place.store, plan) }, { tools })
    const first = await place.clock.until(faulty.run('Hi', { session: 's', throwOnError: false }))
    const again = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    return { place, first, again, runs: () => runs }
  }

  test.each([1, 2])(
    'write %i of the driver fails for good: failed, resumable, nothing begun that is not written; resume goes on',
    async (nth) => {
      const { place, first, again, runs } = await through((operation, count) =>
        operation === 'append' && count > nth ? 'fail-before' : 'ok',
      )
      expect([end(first), first.status === 'failed' && [first.resumable, first.error.code, first.error.retryable]]).toEqual([
        'failed session_error',
        [true, 'SessionWriteFailed', true],
      ])
      expect(first.status === 'failed' && first.error.message).toContain('flaky store: append')
      expect(runs()).toBe(0)
      const result = await place.clock.until(again.resume('s').result)
      expect([end(result), result.text, runs(), lines(result.messages)]).toEqual([
        'completed completed',
        'Done.',
        1,
        ['user: Hi', 'assistant: act{}→ok:1', 'assistant: Done.'],
      ])
    },
  )

  test.each([
    ['read', 'ok', 2],
    ['unsafe', 'unknown', 1],
  ] as const)('the write of a result is lost (%s tool): it runs again or is unknown, never both', async (effect, outcome, count) => {
    const plan: FaultPlan = (operation, nth) => (operation === 'append' && nth > 3 ? 'fail-before' : 'ok')
    const { place, first, again, runs } = await through(plan, effect)
    expect(end(first)).toBe('failed session_error')
    const result = await place.clock.until(again.resume('s').result)
    expect([end(result), result.calls.map((call) => call.outcome), runs()]).toEqual(['completed completed', [outcome], count])
  })

  test('the last append fails: no end is shown that the journal does not hold; resume ends the run', async () => {
    const place = scriptedLab(['Done.'])
    const faulty = agentIn({
      ...place,
      store: flakyStore(place.store, (operation, count) => (operation === 'append' && count > 2 ? 'fail-before' : 'ok')),
    })
    const run = faulty.stream('Hi', { session: 's' })
    const events = collect(run)
    const result = await place.clock.until(run.result)
    expect([end(result), result.status === 'failed' && result.resumable]).toEqual(['failed session_error', true])
    const types = (await events).map((event) => event.type)
    expect([types.includes('run.finished'), types.at(-1)]).toEqual([false, 'run.parked'])
    place.clock.jump(60_000)
    const more = scriptedLab(['Done again.'])
    const again = agentIn({ ...place, store: otherProcess(place.store), model: more.model })
    expect(end(await place.clock.until(again.resume('s').result))).toBe('completed completed')
  })

  test.each([
    ['its first write', (operation: string) => (operation === 'append' ? 'fail-before' : 'ok'), 'SessionWriteFailed'],
    ['its first write on a full disk', (operation: string) => (operation === 'append' ? 'disk-full' : 'ok'), 'SessionWriteFailed'],
  ] as [string, FaultPlan, string][])('a run whose store fails at %s does not begin, and says so', async (_name, plan, code) => {
    const place = scriptedLab(['Done.'])
    const agent = agentIn({ ...place, store: flakyStore(place.store, plan) })
    const error = await refusal(place.clock.until(agent.run('Hi', { session: 's' })))
    expect([error.code, error.category, error.retryable, place.model.requests.length]).toEqual([code, 'session', true, 0])
    expect(error.message).toContain('append')
    expect((await place.clock.until(agentIn(place).run('Hi', { session: 's' }))).text).toBe('Done.')
  })

  test('an ambiguous failure (written, then failed) is seen as the success it is', async () => {
    const { first, runs } = await through((operation, count) => (operation === 'append' && count % 2 === 1 ? 'fail-after' : 'ok'))
    expect([end(first), runs()]).toEqual(['completed completed', 1])
  })

  test.each(['append', 'load'] as const)('a store that goes away for good (first seen at its %s): whoever waits is told', async (first) => {
    let gone = false
    const { place, first: result } = await through((operation, count) => {
      gone ||= operation === first && count > 2
      return gone ? 'fail-before' : 'ok'
    })
    if (first === 'append') expect([end(result), result.status === 'failed' && result.resumable]).toEqual(['failed session_error', true])
    else expect(end(result)).toBe('completed completed')
    expect((await collect(place.store.load('s'))).length).toBeGreaterThan(2)
  })

  test('a store that can not be read: every way in says SessionReadFailed, and what it holds is untouched', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    await place.clock.until(agentIn(place).run('Hi', { session: 's' }))
    const blind = agentIn({ ...place, store: flakyStore(place.store, (operation) => (operation === 'load' ? 'fail-before' : 'ok')) })
    const session = blind.session('s')
    const ways: (() => Promise<unknown>)[] = [
      () => session.status(),
      () => session.pending(),
      () => blind.run('x', { session: 's' }),
      () => blind.resume('s').result,
    ]
    for (const ask of ways) expect((await refusal(place.clock.until(ask()))).code).toBe('SessionReadFailed')
    expect((await place.clock.until(agentIn(place).run('Go on', { session: 's' }))).text).toBe('Two.')
  })

  test('SQLITE_FULL: the run stops with the words of the disk, and goes on where it stopped once there is room', async () => {
    const file = join(folder, 'full.db')
    const place = scriptedLab([asks('big'), 'Done.'])
    const tools = [plainTool('big', () => 'x'.repeat(300_000), 'read')]
    const small = sqlite(file, { maxBytes: 150_000, clock: () => place.clock.wall() })
    const first = await untilWithFiles(
      place.clock,
      agentIn({ ...place, store: small }, { tools }).run('Hi', { session: 's', throwOnError: false }),
    )
    expect(first.status === 'failed' && [first.reason, first.resumable, first.error.code]).toEqual([
      'session_error',
      true,
      'SessionWriteFailed',
    ])
    expect(first.status === 'failed' && first.error.message).toMatch(/session "s".*full.* free space or raise the limit/)
    expect((await journal(small, 's')).at(-1)).toBe('call.started m1.0')
    await small.close()
    const large = sqlite(file, { clock: () => place.clock.wall() })
    const result = await untilWithFiles(place.clock, agentIn({ ...place, store: large }, { tools }).resume('s').result)
    expect([end(result), result.calls.map((call) => call.outcome)]).toEqual(['completed completed', ['ok']])
    await large.close()
  })
})

describe('a session that is not what it is taken for', () => {
  test('an unknown session: resume, attach and every method of session() say SessionNotFound and how to begin one', async () => {
    const agent = agentIn(scriptedLab([]))
    const session = agent.session('nope')
    const decision: Decision = { callId: 'm1.0', decision: 'approve' }
    const asked: Record<string, () => Promise<unknown>> = {
      resume: () => agent.resume('nope').result,
      attach: () => agent.attach('nope').result,
      'attach, read': () => collect(agent.attach('nope')),
      status: () => session.status(),
      pending: () => session.pending(),
      messages: () => collect(session.messages()),
      entries: () => collect(session.entries()),
      send: () => session.send('Hi'),
      abort: () => session.abort(),
      pause: () => session.pause(),
      'resume it': () => session.resume(),
      decide: () => session.decide(decision),
      submitToolResult: () => session.submitToolResult('m1.0', 1),
    }
    for (const [way, ask] of Object.entries(asked)) {
      const error = await refusal(ask())
      expect([way, error.code, error.message]).toEqual([
        way,
        'SessionNotFound',
        "There is no session 'nope' in this store. Check the id, or start it with agent.run(input, { session: id }).",
      ])
    }
    expect(await agent.store.list()).toEqual([])
  })

  const strange = { id: 'n1', seq: 7, data: {} }
  test.each<[string, object, RegExp]>([
    ['an unknown kind', { ...strange, v: 1, kind: 'memory.updated' }, /entry 7 is of the unknown kind 'memory\.updated'/],
    ['a higher version', { ...strange, v: 2, kind: 'custom', data: { type: 'x' } }, /entry 7 has version 2/],
  ])('a journal of a newer version (%s) can be read, and is not driven', async (_name, entry, why) => {
    const place = scriptedLab(['One.'])
    const agent = agentIn(place)
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await place.store.append('s', [entry as NewEntry], { expectedSeq: 6 })
    const before = await collect(place.store.load('s'))
    const fresh = agentIn({ ...place, store: otherProcess(place.store) })
    const ways: (() => Promise<unknown>)[] = [
      () => fresh.run('x', { session: 's' }),
      () => fresh.session('s').send('x'),
      () => agent.run('x', { session: 's' }),
    ]
    for (const ask of ways) {
      const error = await refusal(place.clock.until(ask()))
      expect([error.code, error.message]).toEqual(['SessionMigrationFailed', expect.stringMatching(why)])
      expect(error.message).toContain('Update rondo')
    }
    expect(await collect(fresh.session('s').entries())).toEqual(before)
    expect(lines(await collect(fresh.session('s').messages()))).toEqual(['user: Hi', 'assistant: One.'])
    expect([await fresh.session('s').status(), place.model.requests.length]).toEqual(['completed', 1])
    expect(await collect(place.store.load('s'))).toEqual(before)
  })
})

describe('answers to what nobody asked', () => {
  const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'ran' })
  const outside = tool({ name: 'outside', description: 'Outside', inputSchema: z.object({}) })
  const approve = (callId: string): Decision => ({ callId, decision: 'approve' })

  async function waiting() {
    const place = scriptedLab([asks('ask', 'outside'), 'Done.'])
    const agent = agentIn(place, { tools: [ask, outside] })
    const parked = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect(end(parked)).toBe('parked awaiting_approval')
    return { place, agent, session: agent.session('s') }
  }

  test('an approval or a result for an unknown call, of the wrong sort, or twice: refused, and the right ones still count', async () => {
    const { place, agent, session } = await waiting()
    const before = await journal(place.store, 's')
    const refusals = [
      await refusal(session.decide(approve('m9.9'))),
      await refusal(session.decide(approve('m1.1'))),
      await refusal(session.decide(approve('nonsense'))),
      await refusal(session.submitToolResult('m9.9', 1)),
      await refusal(session.submitToolResult('m1.0', 1)),
    ]
    expect(refusals.map((error) => error.code)).toEqual(Array.from({ length: 5 }, () => 'RunInvalidState'))
    for (const error of refusals) expect(error.message).toMatch(/m9\.9|m1\.1|nonsense|m1\.0/)
    for (const error of refusals) expect(error.message).toContain('session.pending()')
    expect(await journal(place.store, 's')).toEqual(before)
    const result = await place.clock.until(
      agent.resume('s', { decisions: [approve('m1.0')], results: [{ callId: 'm1.1', output: 'given' }] }).result,
    )
    expect([end(result), result.calls.map((call) => call.output)]).toEqual(['completed completed', ['ran', 'given']])
    const late = [await refusal(session.decide(approve('m1.0'))), await refusal(session.submitToolResult('m1.1', 1))]
    expect(late.map((error) => error.code)).toEqual(['RunInvalidState', 'RunInvalidState'])
  })

  test.each(['yes', 'allow', 'rejected', undefined])('the decision %j is no yes: refused, and the call still waits', async (decision) => {
    const { session, place } = await waiting()
    const error = await refusal(session.decide({ callId: 'm1.0', decision } as unknown as Decision))
    expect([error.code, error.message]).toEqual(['ConfigInvalid', "The decision of call 'm1.0' must be 'approve' or 'deny'."])
    expect((await session.pending()).map((pending) => pending.callId)).toEqual(['m1.0', 'm1.1'])
    expect((await journal(place.store, 's')).some((entry) => entry.startsWith('approval'))).toBe(false)
  })

  test.each<[string, unknown]>([
    ['a text', 'x'],
    ['a list', [1]],
    ['what JSON can not say', { n: 1n }],
  ])('edited arguments that are %s are refused, and the call still waits', async (_name, input) => {
    const { session } = await waiting()
    const error = await refusal(session.decide({ callId: 'm1.0', decision: 'approve', input }))
    expect([error.code, (await session.pending()).length]).toEqual(['ToolInvalidArgs', 2])
  })

  test.each<[string, () => unknown, string[]]>([
    ['a word', () => 'yes', ['awaiting']],
    ['1', () => 1, ['awaiting']],
    ['a promise of a word', async () => 'yes', ['awaiting']],
    ['nothing', () => undefined, ['ok']],
    ['false', () => false, ['ok']],
    ['a wait that is no number', () => ({ expiresInMs: Number.NaN }), ['denied']],
    ['a promise of a wait that is no number', async () => ({ expiresInMs: Number.NaN }), ['denied']],
  ])('needsApproval that says %s: only a clear no lets the call run', async (_name, needsApproval, outcomes) => {
    const place = scriptedLab([asks('odd'), 'Done.'])
    const odd = tool({
      name: 'odd',
      description: 'Odd',
      inputSchema: noInput,
      needsApproval: needsApproval as () => boolean,
      execute: () => 'ran',
    })
    const result = await place.clock.until(agentIn(place, { tools: [odd] }).run('Hi'))
    const seen = result.status === 'parked' ? result.pending.map(() => 'awaiting') : result.calls.map((call) => call.outcome)
    expect(seen).toEqual(outcomes)
  })

  test('pausing, resuming and aborting twice or after the end does nothing; what can not be done says why', async () => {
    const place = scriptedLab(['Done.'])
    const hold = gate<string>()
    const run = agentIn(
      { ...place, model: scriptedLab([asks('hold'), 'Done.']).model },
      { tools: [plainTool('hold', () => hold.promise)] },
    ).stream('Hi')
    await place.clock.advance(1)
    await Promise.all([run.pause(), run.pause()])
    await Promise.all([run.resume(), run.resume()])
    hold.resolve('x')
    expect(end(await place.clock.until(run.result))).toBe('completed completed')
    await run.abort()
    const error = await refusal(run.pause())
    expect([error.code, error.message]).toEqual(['RunInvalidState', expect.stringContaining('has finished')])
  })
})
