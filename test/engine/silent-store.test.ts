import { describe, expect, test } from 'vitest'
import type { Entry, Store } from '../../src/index.ts'
import { flakyStore, type StoreFault, type StoreOperation } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, gate, journal, otherProcess, plainTool, refusal } from '../acceptance/kit.ts'
import { answersLate, appendsThrough, engineLab, faultsAt } from './kit.ts'

const hangs = ['hang-before', 'hang-after'] as const

/** A store that does as told for the n-th operation of a sort; everything else is fine. */
const silentAt = (inner: Store, operation: StoreOperation, count: number, fault: StoreFault) =>
  flakyStore(inner, (asked, asking) => (asked === operation && asking === count ? fault : 'ok'))

/** How a result reads: its end, and what it says of the store. */
function told(result: { readonly status: string; readonly reason: string } & { readonly error?: { readonly message: string } }): string[] {
  return [`${result.status} ${result.reason}`, /has not answered '[a-z.]+'/.exec(result.error?.message ?? '')?.[0] ?? '']
}

describe('decision 0010: a store that never answers an append of a run', () => {
  function step(kind: Entry['kind'], fault: StoreFault, renew: StoreFault = 'ok', release: StoreFault = 'ok') {
    const place = engineLab([asks('act'), 'Done.', 'Done.'])
    let ran = 0
    const act = plainTool('act', () => ++ran, 'idempotent')
    const { store } = faultsAt(
      flakyStore(place.store, (operation) => (operation === 'renew' ? renew : operation === 'release' ? release : 'ok')),
      kind,
      [fault],
    )
    const agent = agentIn({ ...place, store }, { tools: [act] })
    return { place, act, agent, ran: () => ran }
  }

  test.each(
    hangs.flatMap((fault) =>
      (['run.claimed', 'call.started', 'call.settled', 'run.finished'] as const).map((kind) => [kind, fault] as const),
    ),
  )('%s, %s: the run fails as session_error and says so; another process goes on', async (kind, fault) => {
    const { place, act, agent, ran } = step(kind, fault)
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    // What it has done all the same is found when one looks.
    if (kind === 'run.finished' && fault === 'hang-after') expect(end(result)).toBe('completed completed')
    else
      expect([told(result), result.status === 'failed' && result.resumable]).toEqual([
        ['failed session_error', "has not answered 'append'"],
        true,
      ])
    // A minute, and what lies between two heartbeats.
    expect(place.clock.monotonic()).toBe(65_000)
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [act] })
    if (kind === 'run.finished' && fault === 'hang-after') expect(await other.session('s').status()).toBe('completed')
    else expect(end(await place.clock.until(other.resume('s').result))).toBe('completed completed')
    const entries = await journal(place.store, 's')
    // A response that was to be written with the start is lost with it; the script of the model goes on.
    const called = entries.some((line) => line.startsWith('model.responded 1.') && line.endsWith('tool-calls')) ? 1 : 0
    expect([entries.filter((line) => line === 'call.settled m1.0 ok').length, entries.at(-1)]).toEqual([
      called,
      'run.finished completed completed',
    ])
    expect(ran()).toBe(kind === 'call.settled' && fault === 'hang-before' ? 2 : called)
  })

  test('nor any heartbeat: the lease is over before, and that ends the wait', async () => {
    const { place, agent } = step('call.settled', 'hang-before', 'hang-before')
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), place.clock.monotonic()]).toEqual(['failed lease_lost', 14_000])
  })

  test('nor the release after it: nobody waits for that', async () => {
    const { place, agent } = step('call.settled', 'hang-before', 'ok', 'hang-before')
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), place.clock.monotonic()]).toEqual(['failed session_error', 65_000])
  })

  test('a long wait for a tool is no silence: after another failure what the store holds is waited for as long as it takes', async () => {
    const place = engineLab([asks('act'), 'Done.'])
    const act = plainTool('act', () => new Promise((resolve) => place.clock.timer(100_000, () => resolve('acted'))))
    const { store } = faultsAt(place.store, 'run.finished', ['fail-after', 'fail-after', 'fail-after'])
    const slow: Store = {
      ...appendsThrough(store, (_entries, write) => write()),
      async *load(session, afterSeq) {
        if (place.clock.monotonic() > 0) await new Promise<void>((resolve) => place.clock.timer(10_000, resolve))
        yield* store.load(session, afterSeq)
      },
    }
    const world = { ...place.world, onCommit: () => Promise.resolve() }
    const result = await place.clock.until(agentIn({ ...place, world, store: slow }, { tools: [act] }).run('Hi', { session: 's' }))
    expect([end(result), place.clock.monotonic()]).toEqual(['completed completed', 110_150])
  })

  test('and the session is somebody else’s meanwhile: the first heartbeat that says so ends the wait', async () => {
    const { place, agent } = step('call.settled', 'hang-before')
    const run = agent.run('Hi', { session: 's', throwOnError: false })
    await place.clock.advance(100)
    place.clock.block(20_000)
    await place.store.acquire('s', { owner: 'another', ttlMs: 15_000 })
    expect([end(await place.clock.until(run)), place.clock.monotonic()]).toEqual(['failed lease_lost', 20_100])
  })

  test.each([
    ['nobody has gone on', false],
    ['another process has gone on', true],
  ])('and does it when it was given up and %s: nothing is done or written twice', async (_name, goesOn) => {
    const place = engineLab([asks('act'), 'Done.', 'Done.'])
    let ran = 0
    const act = plainTool('act', () => ++ran, 'idempotent')
    const late = gate()
    const store = appendsThrough(place.store, async (entries, write) => {
      if (entries.some((entry) => entry.kind === 'call.settled')) await late.promise
      return write()
    })
    const result = await place.clock.until(agentIn({ ...place, store }, { tools: [act] }).run('Hi', { session: 's', throwOnError: false }))
    expect(end(result)).toBe('failed session_error')
    const other = () => agentIn({ ...place, store: otherProcess(place.store) }, { tools: [act] }).resume('s').result
    const resumed = goesOn ? await place.clock.until(other()) : undefined
    late.resolve()
    await place.clock.advance(100)
    expect(end(resumed ?? (await place.clock.until(other())))).toBe('completed completed')
    const entries = await journal(place.store, 's')
    expect(entries.filter((line) => line === 'call.settled m1.0 ok').length).toBe(1)
    expect(entries.filter((line) => line.startsWith('run.finished')).length).toBe(1)
    expect(ran).toBe(goesOn ? 2 : 1)
  })

  test('best-effort: it is given up after that time, and the run goes on, as long as it takes', async () => {
    const place = engineLab([asks('act'), 'Done.'])
    const act = plainTool('act', () => new Promise((resolve) => place.clock.timer(120_000, () => resolve('acted'))))
    const { store } = faultsAt(
      flakyStore(place.store, (operation, count) => (operation === 'renew' && count > 12 ? 'fail-before' : 'ok')),
      'call.started',
      ['hang-before'],
    )
    const agent = agentIn({ ...place, store }, { tools: [act], policies: { durability: 'best-effort' } })
    const result = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([end(result), result.durable, place.clock.monotonic()]).toEqual(['completed completed', false, 185_000])
  })
})

describe('decision 0010: a store that never answers when a run begins or ends', () => {
  const simple = (operation: StoreOperation, count: number, fault: StoreFault) => {
    const place = engineLab(['Done.', 'Again.'])
    return { place, agent: agentIn({ ...place, store: silentAt(place.store, operation, count, fault) }) }
  }

  test.each(hangs)('acquire, %s: failed, session_error; the lease that came too late is given back', async (fault) => {
    const { place, agent } = simple('acquire', 1, fault)
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([told(result), place.clock.monotonic()]).toEqual([['failed session_error', "has not answered 'acquire'"], 65_000])
    const { result: resumed } = agentIn({ ...place, store: otherProcess(place.store) }).resume('s')
    expect(end(await place.clock.until(resumed))).toBe('completed completed')
  })

  test('acquire, much later: it is given back at once', async () => {
    const place = engineLab(['Done.'])
    const late = gate()
    const store: Store = {
      ...appendsThrough(place.store, (_entries, write) => write()),
      acquire: (session, options) => late.promise.then(() => place.store.acquire(session, options)),
    }
    const result = await place.clock.until(agentIn({ ...place, store }).run('Hi', { session: 's', throwOnError: false }))
    expect(end(result)).toBe('failed session_error')
    late.resolve()
    await place.clock.advance(1)
    const { result: resumed } = agentIn({ ...place, store: otherProcess(place.store) }).resume('s')
    expect([end(await place.clock.until(resumed)), place.clock.monotonic()]).toEqual(['completed completed', 65_001])
  })

  test.each(hangs)('load, %s: failed, session_error', async (fault) => {
    // The first is that of the input.
    const { place, agent } = simple('load', 2, fault)
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([told(result), place.clock.monotonic()]).toEqual([['failed session_error', "has not answered 'load'"], 65_000])
    expect(end(await place.clock.until(agent.resume('s').result))).toBe('completed completed')
  })

  test.each(hangs)('release, %s: who waits for the run has its result after 5 s, and the session its next run', async (fault) => {
    const { place, agent } = simple('release', 1, fault)
    expect(end(await place.clock.until(agent.run('Hi', { session: 's' })))).toBe('completed completed')
    expect(place.clock.monotonic()).toBe(5_000)
    expect(end(await place.clock.until(agent.run('Hi', { session: 's' })))).toBe('completed completed')
  })

  test('release of a run that parks: it parks all the same, a minute later', async () => {
    const place = engineLab([asks('ask')])
    const ask = plainTool('ask', () => 'asked')
    const store = silentAt(place.store, 'release', 1, 'hang-before')
    const agent = agentIn({ ...place, store }, { tools: [{ ...ask, '~definition': { ...ask['~definition'], needsApproval: true } }] })
    const result = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([end(result), place.clock.monotonic()]).toEqual(['parked awaiting_approval', 65_000])
  })

  test('the renewal after a release that met something new: lease_lost, in time', async () => {
    const place = engineLab(['Done.', 'Again.'])
    const store = flakyStore(place.store, (operation, count) =>
      operation === 'release' && count === 1 ? 'conflict' : operation === 'renew' ? 'hang-before' : 'ok',
    )
    const agent = agentIn({ ...place, store })
    expect(end(await place.clock.until(agent.run('Hi', { session: 's' })))).toBe('completed completed')
    await place.clock.advance(14_000)
    expect(end(await place.clock.until(agentIn(place).run('Hi', { session: 's' })))).toBe('completed completed')
  })

  test('what others have written, while it runs: failed, session_error', async () => {
    const place = engineLab([asks('act'), 'Done.'])
    const act = plainTool('act', () => new Promise((resolve) => place.clock.timer(5_000, () => resolve('acted'))))
    let silent = false
    const store = flakyStore(place.store, (operation) => (silent && operation === 'load' ? 'hang-after' : 'ok'))
    const agent = agentIn({ ...place, store }, { tools: [act] })
    const { result } = agent.stream('Hi', { session: 's' })
    await place.clock.advance(100)
    silent = true
    await agentIn({ ...place, store: otherProcess(place.store) }, { tools: [act] })
      .session('s')
      .send('And this.')
    const last = await place.clock.until(result)
    // After that what it holds is asked for once more, for a little while.
    expect([told(last), place.clock.monotonic()]).toEqual([['failed session_error', "has not answered 'load'"], 70_000])
  })
})

describe('decision 0010: a store that never answers an input', () => {
  test.each(hangs)('the first append, %s: the run is refused with what did not answer', async (fault) => {
    const place = engineLab(['Done.'])
    const { code, message } = await refusal(
      place.clock.until(agentIn({ ...place, store: silentAt(place.store, 'append', 1, fault) }).run('Hi', { session: 's' })),
    )
    expect([code, message.includes("'append'"), place.clock.monotonic()]).toEqual(['SessionWriteFailed', true, 60_000])
  })

  test('the load before it: so is a message', async () => {
    const place = engineLab([asks('ask'), 'Done.'])
    const ask = plainTool('ask', () => new Promise(() => {}))
    const { result } = agentIn(place, { tools: [ask] }).stream('Hi', { session: 's' })
    result.catch(() => {})
    await place.clock.advance(100)
    const other = agentIn({ ...place, store: silentAt(place.store, 'load', 1, 'hang-before') }, { tools: [ask] })
    const { code, message } = await refusal(place.clock.until(other.session('s').send('Hm')))
    expect([code, message.includes("'load'"), place.clock.monotonic()]).toEqual(['SessionReadFailed', true, 60_100])
    expect(await place.clock.until(other.session('s').send('Hm'))).toBeUndefined()
  })

  test('a blob of it', async () => {
    const place = engineLab(['Done.'])
    const agent = agentIn({ ...place, store: silentAt(place.store, 'put', 1, 'hang-before') })
    const image = { type: 'image', data: new Uint8Array([1, 2]) } as const
    const { code, message } = await refusal(place.clock.until(agent.run([image])))
    expect([code, message.includes("'blobs.put'")]).toEqual(['SessionWriteFailed', true])
  })

  test('a reader that replays: it is told', async () => {
    const place = engineLab(['Done.'])
    await place.clock.until(agentIn(place).run('Hi', { session: 's', runId: 'r' }))
    const store = flakyStore(place.store, (operation) => (operation === 'load' ? 'hang-after' : 'ok'))
    const { code } = await refusal(place.clock.until(collect(agentIn({ ...place, store }).attach('s', { runId: 'r' }))))
    expect(code).toBe('SessionReadFailed')
  })
})

describe('decision 0010: a store that never keeps the whole of a large result', () => {
  const large = { toolResult: { maxStoredBytes: 1_000, maxBytes: 500 } }

  test('the tool has run: it is an excerpt after that time', async () => {
    const place = engineLab([asks('act'), 'Done.'])
    const agent = agentIn(
      { ...place, store: silentAt(place.store, 'put', 1, 'hang-before') },
      { tools: [plainTool('act', () => 'x'.repeat(2_000))], policies: large, onObserverError: () => {} },
    )
    const result = await place.clock.until(agent.run('Hi'))
    expect([end(result), result.calls.map((call) => call.outcome), place.clock.monotonic()]).toEqual([
      'completed completed',
      ['ok'],
      60_000,
    ])
    expect(String(result.calls[0]?.output)).toContain('not kept')
  })

  test('a cancel does not wait for it', async () => {
    const place = engineLab([asks('act')])
    const store = silentAt(place.store, 'put', 1, 'hang-before')
    const run = agentIn({ ...place, store }, { tools: [plainTool('act', () => 'x'.repeat(2_000))], policies: large }).stream('Hi')
    const { result } = run
    await place.clock.advance(100)
    await place.clock.until(run.abort())
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['aborted aborted', 1_100])
  })
})

test('decision 0010: an append that is slow, but answers in its minute, is waited for', async () => {
  const place = engineLab([asks('act'), 'Done.'])
  const { store, written, answer } = answersLate(place.store, 'call.settled')
  const run = agentIn({ ...place, store }, { tools: [plainTool('act', () => 'acted')] }).run('Hi')
  await written
  await place.clock.advance(59_000)
  answer()
  expect([end(await place.clock.until(run)), place.clock.monotonic()]).toEqual(['completed completed', 59_000])
})

test('decision 0010: a best-effort run that gave its store up writes nothing to it when that answers after all', async () => {
  const place = engineLab(['Done.'])
  let appends = 0
  const store = appendsThrough(place.store, async (_, write) => {
    if (++appends < 3) return write()
    await new Promise<void>((resolve) => place.clock.timer(66_000, resolve))
    throw new Error('connection reset')
  })
  const agent = agentIn({ ...place, store }, { policies: { durability: 'best-effort' } })
  const result = await place.clock.until(agent.run('Hi', { session: 's' }))
  expect([end(result), result.durable]).toEqual(['completed completed', false])
  await place.clock.advance(200_000)
  expect(appends).toBe(3)
  expect((await collect(place.store.load('s'))).map(({ kind }) => kind)).toEqual([
    'session',
    'run.requested',
    'run.claimed',
    'model.started',
  ])
})
