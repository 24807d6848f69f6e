import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/engine/ports.ts'
import { Agent, type Entry, type NewEntry, RondoError, type Tools, tool } from '../../src/index.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, gate, journal, lines, noInput, otherProcess, plainTool, scriptedLab } from '../acceptance/kit.ts'
import { dangerous } from './dangerous.ts'
import { dead, deadRuns, elsewhere, hangs, names, otherStore, pay, told, worker } from './workers.ts'

function failing(error: RondoError): AsyncIterable<Entry> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
}

const restrictions: [string, object][] = [
  ['allowedTools', { allowedTools: ['work'] }],
  ['policies.approvals', { policies: { approvals: { rules: [{ action: 'deny', tool: 'danger' }] } } }],
]

describe('decision 0011: a sweep drives a run with what it was given, or not at all', () => {
  test.each(restrictions)('%s holds', async (_name, given) => {
    const place = scriptedLab([asks('work'), asks('danger'), 'ok'])
    const { ran, tools } = dangerous()
    const begun = [hangs, ...tools.slice(1)] as Tools
    void agentIn(elsewhere(place), { tools: begun }).stream('Hi', { session: 's', ...given })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const free = [plainTool('work', () => 'done', 'read'), ...tools.slice(1)] as Tools
    const swept = await place.clock.until(agentIn(elsewhere(place), { tools: free }).sweep())
    expect([told(swept), ran]).toEqual([['s driven'], []])
  })

  test('so does what a resume has given', async () => {
    const place = scriptedLab([asks('work'), asks('danger'), 'ok'])
    const { ran, tools } = dangerous()
    const begun = [hangs, ...tools.slice(1)] as Tools
    void agentIn(elsewhere(place), { tools: begun }).stream('Hi', { session: 's' })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    void agentIn(elsewhere(place), { tools: begun }).resume('s', { allowedTools: ['work'] } as object)
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const free = [plainTool('work', () => 'done', 'read'), ...tools.slice(1)] as Tools
    expect(told(await place.clock.until(agentIn(elsewhere(place), { tools: free }).sweep()))).toEqual(['s driven'])
    expect(ran).toEqual([])
  })

  test('what only a process can keep: whoever lacks it leaves the run, and names it', async () => {
    const place = scriptedLab([asks('work')])
    await dead(place, 'other')
    const given = { context: 1, stopWhen: () => false, instructions: () => 'x', policies: { errorText: () => 'x' } }
    await deadRuns(place, ['s'], 'agent', given)
    const swept = await place.clock.until(worker(place, { model: scriptedLab(['ok']).model }).sweep())
    expect(told(swept)).toEqual(['other driven', 's left'])
    expect(swept.find(({ sessionId }) => sessionId === 's')).toHaveProperty(
      'reason',
      "its run needs what this process lacks: the context, the option 'stopWhen', the option 'instructions', the option 'policies.errorText'",
    )
  })

  test('the process that has it goes on with it, and does not wait for a human', async () => {
    const place = scriptedLab([asks('sign'), asks('stamp'), 'ok'])
    const user = tool.for<string>()
    const plain = { inputSchema: noInput, effect: 'read' } as const
    const sign = user({ ...plain, name: 'sign', description: 'Signs', execute: (_, { context }) => `signed by ${context}` })
    const stamp = user({ ...plain, name: 'stamp', description: 'Stamps', needsApproval: true, execute: () => 'stamped' })
    let isBroken = true
    const store = flakyStore(place.store, (operation, count) => (isBroken && operation === 'append' && count > 3 ? 'fail-before' : 'ok'))
    const agent = agentIn({ ...place, store }, { tools: [sign, stamp] })
    const failed = await place.clock.until(agent.stream('Hi', { session: 's', context: 'ann', detach: true }).result)
    expect(failed).toMatchObject({ status: 'failed', resumable: true })
    isBroken = false
    place.clock.jump(60_000)
    const [swept] = await place.clock.until(agent.sweep())
    expect(swept).toMatchObject({ status: 'driven', result: { status: 'parked', reason: 'awaiting_approval' } })
    expect(lines(await collect(agent.session('s').messages()))[1]).toBe('assistant: sign{}→ok:signed by ann')
  })

  test('a cancelled run needs nothing', async () => {
    const place = scriptedLab([])
    await deadRuns(place, ['s'], 'agent', { context: 1 })
    const [{ seq } = { seq: 0 }] = await place.store.list()
    const cancel = { v: 1, id: 'x', seq: seq + 1, runId: '', kind: 'control', data: { action: 'cancel' } } as const
    const entries = await collect(place.store.load('s'))
    const runId = entries.find(({ kind }) => kind === 'run.requested')?.runId ?? ''
    await place.store.append('s', [{ ...cancel, runId }], { expectedSeq: seq })
    const swept = await place.clock.until(worker(place).sweep())
    expect(swept).toMatchObject([{ status: 'driven', result: { status: 'aborted' } }])
  })

  test('a call whose outcome was lost waits for a process that has its tool', async () => {
    const place = scriptedLab([asks('work'), 'ok'])
    void agentIn(elsewhere(place), { tools: [pay(() => new Promise(() => {}))] }).stream('Hi', { session: 's' })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const swept = await place.clock.until(agentIn(elsewhere(place)).sweep())
    expect(swept).toEqual([{ sessionId: 's', status: 'left', reason: "its run needs what this process lacks: the tool 'work'" }])
    const [found] = await place.clock.until(agentIn(elsewhere(place), { tools: [pay(() => 'paid')] }).sweep())
    expect(found).toMatchObject({ status: 'driven', result: { calls: [{ outcome: 'ok', output: 'receipt' }] } })
  })
})

describe('machine 7: what a sweep leaves hides nothing', () => {
  test.each(['heads without agents', 'no filter by agents'] as const)('behind 250 sessions of another agent (%s)', async (what) => {
    const place = scriptedLab(['ok'])
    await deadRuns(place, ['own'], 'agent')
    await deadRuns(place, names('b', 250), 'billing')
    const { store } = otherStore(place.store, what)
    const swept = await place.clock.until(worker({ ...place, store }).sweep())
    expect(swept.filter(({ status }) => status === 'driven').map(({ sessionId }) => sessionId)).toEqual(['own'])
    expect(swept).toHaveLength(what === 'no filter by agents' ? 1 : 251)
  })

  test('nor behind 150 of its own that lack something, by a process that knows nothing of them yet', async () => {
    const place = scriptedLab(['ok'])
    await deadRuns(place, ['own'], 'agent')
    await deadRuns(place, names('c', 150), 'agent', { context: 1 })
    const swept = await place.clock.until(worker(place).sweep({ limit: 1 }))
    expect(swept.filter(({ status }) => status === 'driven').map(({ sessionId }) => sessionId)).toEqual(['own'])
  })

  test('the rest of the process has its turn between them', async () => {
    const place = scriptedLab([])
    await deadRuns(place, names('c', 20), 'agent', { context: 1 })
    let now = 0
    let turns = 0
    const clock: Clock = {
      wall: () => place.clock.wall(),
      // Each look at it takes as long as much work.
      monotonic: () => ++now * 30,
      timer: (ms, callback) => place.clock.timer(ms, callback),
      nextTurn: (callback) =>
        queueMicrotask(() => {
          turns++
          callback()
        }),
    }
    const world = { ...place.world, clock }
    const swept = await new Agent({ model: place.model, world, store: otherProcess(place.store) }).sweep()
    expect([swept.length, turns > 5]).toEqual([20, true])
  })

  test('sessions of another agent are not even loaded', async () => {
    const place = scriptedLab([])
    await deadRuns(place, names('b', 5), 'billing')
    const { store, loads } = otherStore(place.store, 'no filter by agents')
    expect([await place.clock.until(worker({ ...place, store }).sweep()), loads()]).toEqual([[], 0])
  })

  test('what was left is loaded again when it has grown, or after ten minutes', async () => {
    const place = scriptedLab([])
    await deadRuns(place, ['s'], 'agent', { context: 1 })
    const { store, loads } = otherStore(place.store, 'no filter by agents')
    const agent = agentIn({ ...place, store })
    const look = async () => {
      const swept = await place.clock.until(agent.sweep())
      return `${told(swept).join()} ${loads()}`
    }
    expect([await look(), await look()]).toEqual(['s left 1', ' 1'])
    const [{ seq } = { seq: 0 }] = await place.store.list()
    const note = { v: 1, id: 'x', seq: seq + 1, kind: 'custom', data: { type: 'note' } } as const
    await place.store.append('s', [note], { expectedSeq: seq })
    expect([await look(), await look()]).toEqual(['s left 2', ' 2'])
    await place.clock.advance(599_000)
    expect(await look()).toBe(' 2')
    await place.clock.advance(1_000)
    expect(await look()).toMatch(/^s left /)
  })

  test('what a newer version has written is left', async () => {
    const place = scriptedLab([])
    await deadRuns(place, ['s'], 'agent')
    const [{ seq } = { seq: 0 }] = await place.store.list()
    const news = { v: 1, id: 'x', seq: seq + 1, kind: 'news', data: {} } as unknown as NewEntry
    await place.store.append('s', [news], { expectedSeq: seq })
    const agent = worker(place)
    const swept = await place.clock.until(agent.sweep())
    expect(swept).toMatchObject([{ status: 'left', reason: expect.stringContaining('a newer version of rondo') }])
    expect(await place.clock.until(agent.sweep())).toEqual([])
  })

  test('what could not be read is looked at again at once, unless that can not get better', async () => {
    const place = scriptedLab([])
    await deadRuns(place, ['s'], 'agent')
    const swept = async (retryable: boolean) => {
      const error = new RondoError('SessionReadFailed', 'No.', { retryable })
      const { store } = otherStore(place.store, 'no filter by agents')
      const broken = new Proxy(store, {
        get: (target, key) => (key === 'load' ? () => failing(error) : Reflect.get(target, key)),
      })
      const agent = worker({ ...place, store: broken })
      return [told(await place.clock.until(agent.sweep())), told(await place.clock.until(agent.sweep()))]
    }
    expect([await swept(true), await swept(false)]).toEqual([
      [['s left'], ['s left']],
      [['s left'], []],
    ])
  })
})

describe('machine 7: what another process drives is not touched', () => {
  test('two workers that look at the same time: each session is driven by one, and nobody waits for the other', async () => {
    const place = scriptedLab([])
    await deadRuns(place, names('s', 9), 'agent')
    const hold = gate<string>()
    const model = scriptedLab(names('', 9).map(() => 'ok')).model
    const a = worker(place, { model, tools: [plainTool('work', () => hold.promise, 'read')] })
    const b = worker(place, { model })
    const first = a.sweep({ limit: 8 })
    expect(told(await place.clock.until(b.sweep()))).toEqual(['s0 driven'])
    hold.resolve('held')
    expect(await place.clock.until(first)).toHaveLength(8)
  })

  test('who resumes it here meanwhile waits for it all the same', async () => {
    const place = scriptedLab([])
    await deadRuns(place, ['s'], 'agent')
    const hold = gate<string>()
    const other = worker(place, { tools: [plainTool('work', () => hold.promise, 'read')], model: scriptedLab(['ok']).model })
    const agent = worker(place)
    for (let ticks = 0; ticks < 30; ticks++) {
      const theirs = ticks === 0 ? other.sweep() : undefined
      const mine = agent.sweep()
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const run = agent.resume('s')
      const result = run.result
      await place.clock.advance(1_000)
      await place.clock.until(mine)
      if (ticks < 29) continue
      hold.resolve('held')
      expect([end(await place.clock.until(result)), (await theirs)?.length ?? 0]).toEqual(['completed completed', 0])
    }
  })

  test('who only reads a session here does not keep it from being taken up', async () => {
    const place = scriptedLab(['ok'])
    await deadRuns(place, ['s'], 'agent')
    const agent = worker(place)
    await using run = agent.attach('s')
    const result = run.result
    await place.clock.advance(10)
    expect(told(await place.clock.until(agent.sweep()))).toEqual(['s driven'])
    expect(end(await place.clock.until(result))).toBe('completed completed')
    expect((await journal(place.store, 's')).at(-1)).toBe('run.finished completed completed')
  })
})
