import { describe, expect, test } from 'vitest'
import { type NewEntry, type RondoError, type Store, tool } from '../../src/index.ts'
import { flakyStore, type StoreFault } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, gate, journal, lines, noInput, plainTool, type ScriptedLab } from '../acceptance/kit.ts'
import { appendsThrough, engineLab, faultsAt } from './kit.ts'

const empty = noInput['~standard']

/** A schema that counts how often it is asked, at once or later. */
function countingSchema(log: string[], later: boolean) {
  return {
    '~standard': {
      ...empty,
      validate(value: unknown) {
        log.push('validated')
        const answer = { value: value as object }
        return later ? Promise.resolve(answer) : answer
      },
    },
  }
}

describe('machine 1 ◆: a verdict is a fact: an append that loses its race does not ask for it again', () => {
  test.each([
    ['both at once', false, false],
    ['the schema takes its time', true, false],
    ['the permission takes its time', false, true],
  ])('%s', async (_name, schemaLater, permissionLater) => {
    const place = engineLab([asks('act'), 'Done.'])
    const log: string[] = []
    const act = tool({
      name: 'act',
      description: 'Act',
      inputSchema: noInput,
      needsApproval: () => {
        log.push('asked')
        return permissionLater ? Promise.resolve(false) : false
      },
      execute: () => log.push('ran'),
    })
    const counted = { ...act, inputSchema: countingSchema(log, schemaLater) } as unknown as typeof act
    const { store, tried } = faultsAt(place.store, 'call.prepared', ['conflict', 'conflict'])
    const result = await place.clock.until(agentIn({ ...place, store }, { tools: [counted] }).run('Hi', { session: 's' }))
    expect([end(result), log, tried.length]).toEqual(['completed completed', ['validated', 'asked', 'ran'], 3])
    expect((await journal(place.store, 's')).filter((line) => /^(message|call)/.test(line))).toEqual([
      'message steer',
      'message steer',
      'call.prepared m1.0',
      'call.started m1.0',
      'call.settled m1.0 ok',
    ])
  })

  test('a message that wins the race comes before the request that it raced with, so it does not withdraw it', async () => {
    const place = engineLab([asks('act'), 'Done.'])
    const act = tool({ name: 'act', description: 'Act', inputSchema: noInput, needsApproval: () => true, execute: () => 'acted' })
    const { store } = faultsAt(place.store, 'call.prepared', ['conflict'])
    const agent = agentIn({ ...place, store }, { tools: [act] })
    expect(end(await place.clock.until(agent.run('Hi', { session: 's' })))).toBe('parked awaiting_approval')
    expect((await agent.session('s').pending()).map((call) => call.callId)).toEqual(['m1.0'])
  })
})

describe('machine 3: inputs of this process that lose a race are staged again', () => {
  /** A run that is in the middle of a tool, on a store whose next appends fail as the test says. */
  async function busy(place: ScriptedLab) {
    const faults: StoreFault[] = []
    const store = flakyStore(place.store, (operation) => (operation === 'append' ? (faults.shift() ?? 'ok') : 'ok'))
    const hold = gate<string>()
    const run = agentIn({ ...place, store }, { tools: [plainTool('hold', () => hold.promise)] }).stream('Hi', { session: 's' })
    const { result } = run
    await place.clock.advance(1)
    return { faults, hold, run, result }
  }

  test.each([1, 2, 5])(
    'a message whose append loses %i times: told once, when it is written, and read once by the model',
    async (races) => {
      const place = engineLab([asks('hold'), 'Done.'])
      const { faults, hold, run, result } = await busy(place)
      faults.push(...Array.from({ length: races }, () => 'conflict' as const))
      let standing = 0
      const sent = run.send('Mine.').then(async () => {
        standing = (await collect(place.store.load('s'))).filter((entry) => JSON.stringify(entry).includes('Mine.')).length
      })
      await place.clock.until(sent)
      hold.resolve('held')
      expect([end(await place.clock.until(result)), standing]).toEqual(['completed completed', 1])
      expect(lines(place.model.requests[1]?.messages ?? [])).toEqual([
        'user: Hi',
        'assistant: hold{}→ok:held',
        ...Array.from({ length: races }, (_, index) => `user: foreign input ${index + 1}`),
        'user: Mine.',
      ])
    },
  )

  test('several at once keep their order, and each is answered for itself', async () => {
    const place = engineLab([asks('hold'), 'Done.'])
    const { faults, hold, run, result } = await busy(place)
    faults.push('conflict', 'conflict')
    const all = [run.pause(), run.pause(), run.send('A.'), run.send('B.'), run.send('C.')]
    expect((await place.clock.until(Promise.allSettled(all))).map((answer) => answer.status)).toEqual(all.map(() => 'fulfilled'))
    await place.clock.until(run.resume())
    hold.resolve('held')
    await place.clock.until(result)
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('control'))).toEqual(['control pause', 'control resume'])
    const asked = lines(place.model.requests[1]?.messages ?? [])
    expect([asked.length, asked.filter((line) => /^user: [ABC]\.$/.test(line))]).toEqual([7, ['user: A.', 'user: B.', 'user: C.']])
  })

  test('two answers to one request at once: the first counts, the second is refused, also when both have lost a race', async () => {
    const place = engineLab([asks('act'), 'Done.'])
    const act = tool({ name: 'act', description: 'Act', inputSchema: noInput, needsApproval: true, execute: () => 'acted' })
    const faults: StoreFault[] = []
    const other: NewEntry = { v: 1, id: 'note', seq: 0, kind: 'custom', data: { type: 'note' } }
    const store = flakyStore(place.store, (operation) => (operation === 'append' ? (faults.shift() ?? 'ok') : 'ok'), {
      foreignInput: (seq) => ({ ...other, seq }),
    })
    const run = agentIn({ ...place, store }, { tools: [act] }).stream('Hi', { session: 's' })
    const { result } = run
    await place.clock.advance(1)
    faults.push('conflict')
    const answers = [run.decide({ callId: 'm1.0', decision: 'approve' }), run.decide({ callId: 'm1.0', decision: 'deny' })]
    const settled = await place.clock.until(Promise.allSettled(answers))
    expect(settled.map((answer) => (answer.status === 'fulfilled' ? 'accepted' : (answer.reason as RondoError).code))).toEqual([
      'accepted',
      'RunInvalidState',
    ])
    const last = await place.clock.until(result)
    expect([end(last), last.calls.map((call) => call.outcome)]).toEqual(['completed completed', ['ok']])
    expect((await journal(place.store, 's')).filter((line) => /^(custom|approval)/.test(line))).toEqual([
      'custom note',
      'approval.decided allow',
    ])
  })

  test('an input that no longer fits what won the race is refused, and not written', async () => {
    const place = engineLab([{ calls: [{ name: 'act', input: {} }] }, 'Done.'])
    const act = tool({ name: 'act', description: 'Act', inputSchema: noInput, needsApproval: true, execute: () => 'acted' })
    let race = false
    const store = flakyStore(
      place.store,
      (operation) => {
        const fault = operation === 'append' && race ? 'conflict' : 'ok'
        if (operation === 'append') race = false
        return fault
      },
      { foreignInput: (seq) => ({ v: 1, id: 'theirs', seq, runId: 'r', kind: 'control', data: { action: 'cancel' } }) },
    )
    const run = agentIn({ ...place, store }, { tools: [act] }).stream('Hi', { session: 's', runId: 'r' })
    const { result } = run
    await place.clock.advance(1)
    race = true
    const answer = run.decide({ callId: 'm1.0', decision: 'approve' }).then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    )
    expect([end(await place.clock.until(result)), await answer]).toEqual(['aborted aborted', 'RunInvalidState'])
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('approval'))).toEqual([])
  })
})

test('a look at a session that began before a run and is done after it is forgotten: nobody hears that run again', async () => {
  const place = engineLab(['Done.', 'Again.'])
  const begun = gate()
  const acquired = gate()
  const read = gate()
  let looking = false
  const inner = appendsThrough(place.store, (_entries, write) => write())
  const store: Store = {
    ...inner,
    async acquire(session, options) {
      begun.resolve()
      await acquired.promise
      return place.store.acquire(session, options)
    },
    async *load(session, afterSeq) {
      const held = looking
      looking = false
      const entries = await collect(place.store.load(session, afterSeq))
      if (held) await read.promise
      yield* entries
    },
  }
  const agent = agentIn({ ...place, store })
  const heard: string[] = []
  agent.on('run.finished', ({ cursor }) => heard.push(cursor))
  const first = agent.run('Hi', { session: 's', runId: 'r' })
  await begun.promise
  looking = true
  const status = agent.session('s').status()
  await place.clock.advance(1)
  acquired.resolve()
  await place.clock.until(first)
  read.resolve()
  await status
  expect((await place.clock.until(collect(agent.attach('s', { runId: 'r' })))).at(-1)?.cursor).toBe('6:1')
  expect(heard).toEqual(['6:1'])
})
