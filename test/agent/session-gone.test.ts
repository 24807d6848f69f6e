import { describe, expect, test } from 'vitest'
import { type Store, tool } from '../../src/index.ts'
import { agentIn, asks, collect, gate, lines, noInput, otherProcess, plainTool, refusal, scriptedLab } from '../acceptance/kit.ts'

const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'asked' })

/** A session that parked here, so that its folded state is kept, on a store that another process works with too. */
async function parked() {
  const place = scriptedLab([asks('ask'), 'One.'])
  const agent = agentIn(place, { tools: [ask] })
  await place.clock.until(agent.run('Hi', { session: 's' }))
  expect(await agent.session('s').status()).toBe('awaiting_human')
  const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [ask] })
  return { place, agent, other }
}

describe('a session whose folded state is kept here', () => {
  test('and that was deleted is not found, whoever asks and in whatever way', async () => {
    const { place, agent } = await parked()
    await place.store.delete('s')
    const session = agent.session('s')
    const ways: (() => Promise<unknown>)[] = [
      () => session.status(),
      () => session.pending(),
      () => collect(session.messages()),
      () => collect(session.entries()),
      () => session.send('x'),
      () => session.decide({ callId: 'm1.0', decision: 'approve' }),
      () => session.submitToolResult('m1.0', 1),
      () => agent.resume('s').result,
      () => agent.attach('s').result,
    ]
    for (const ask of ways) expect((await refusal(place.clock.until(ask()))).code).toBe('SessionNotFound')
    expect(await place.store.list()).toEqual([])
  })

  test.each<[string, readonly string[], boolean]>([
    ['fewer entries', [], false],
    ['as many', ['New.'], true],
    ['more', ['New.', 'Newer.'], false],
  ])('and that was begun anew elsewhere, with %s, is what the store holds now', async (_name, texts, same) => {
    const { place, agent, other } = await parked()
    const before = (await collect(place.store.load('s'))).length
    await place.store.delete('s')
    await place.store.append('s', [{ v: 1, id: 'anew', seq: 1, kind: 'session', data: { version: 1 } }], { expectedSeq: 0 })
    const anew = agentIn({ ...place, model: scriptedLab(texts).model, store: other.store })
    for (const _ of texts) await place.clock.until(anew.run('Anew', { session: 's' }))
    expect((await collect(place.store.load('s'))).length === before).toBe(same)
    expect([await agent.session('s').status(), await agent.session('s').pending()]).toEqual([texts.length === 0 ? 'idle' : 'completed', []])
    expect((await place.clock.until(agent.run('Go on', { session: 's' }))).text).toBe('One.')
    expect(lines(place.model.requests[1]?.messages ?? [])).toEqual([
      ...texts.flatMap((text) => ['user: Anew', `assistant: ${text}`]),
      'user: Go on',
    ])
  })

  test('and that somebody follows here: gone for all others too, and a run on its new journal is shown from its start', async () => {
    const { place, agent, other } = await parked()
    const follower = agent.attach('s')
    const read = collect(follower)
    await place.clock.advance(1)
    await place.store.delete('s')
    expect((await refusal(agent.session('s').status())).code).toBe('SessionNotFound')
    await place.clock.until(agentIn({ ...place, model: scriptedLab(['New.']).model, store: other.store }).run('Anew', { session: 's' }))
    const events = collect(agent.stream('Go on', { session: 's' }))
    await place.clock.advance(1)
    await agent.session('s').abort()
    const types = (await place.clock.until(events)).map((event) => event.type)
    expect([types[0], types.at(-1)]).toEqual(['run.started', 'run.finished'])
    await follower[Symbol.asyncDispose]()
    await read
  })
})

test('a look at a session costs the same however long it is: one entry more than is new', async () => {
  const place = scriptedLab(['One.', 'Two.'])
  const reads: number[] = []
  const counting = new Proxy(place.store, {
    get: (target, key) => {
      if (key !== 'load') return bound(target, key)
      return async function* load(id: string, after?: number) {
        let count = 0
        for await (const entry of target.load(id, after)) {
          count++
          yield entry
        }
        reads.push(count)
      }
    },
  })
  const agent = agentIn({ ...place, store: counting })
  await place.clock.until(agent.run('Hi', { session: 's' }))
  await place.clock.until(agent.run('Hi', { session: 's' }))
  reads.length = 0
  for (let look = 0; look < 3; look++) await agent.session('s').status()
  expect(reads.every((count) => count <= 1)).toBe(true)
})

function bound(store: Store, key: string | symbol): unknown {
  const value: unknown = Reflect.get(store, key)
  return typeof value === 'function' ? value.bind(store) : value
}

test('a journal that is replaced while a run waits for its lease ends the run with a word for it', async () => {
  const place = scriptedLab(['One.'])
  const other = otherProcess(place.store)
  let taken = false
  const store = new Proxy(place.store, {
    get: (target, key) => {
      if (key !== 'acquire' || taken) return bound(target, key)
      return async (id: string, options: Parameters<Store['acquire']>[1]) => {
        taken = true
        await target.delete('s')
        await agentIn({ ...place, model: scriptedLab(['New.']).model, store: other }).run('Anew', { session: 's' })
        return target.acquire(id, options)
      }
    },
  })
  const result = await place.clock.until(agentIn({ ...place, store }).run('Hi', { session: 's', throwOnError: false }))
  expect(result.status === 'failed' && [result.reason, result.error.code, result.error.message]).toEqual([
    'session_error',
    'SessionReadFailed',
    expect.stringContaining("entry 2 of session 's' is another one than was read before"),
  ])
})

test('a run that was asked for while the journal was lost is shown from its start', async () => {
  const place = scriptedLab([asks('hold'), 'Anew.'])
  const [hold, stored] = [gate<string>(), gate()]
  const blobs = { get: place.store.blobs.get.bind(place.store.blobs), put: () => stored.promise.then(() => 'sha256:0') }
  const store = new Proxy(place.store, { get: (target, key) => (key === 'blobs' ? blobs : bound(target, key)) })
  const agent = agentIn({ ...place, store }, { tools: [plainTool('hold', () => hold.promise)], onBusy: 'queue' })
  const first = agent.stream('Hi', { session: 's' }).result
  await place.clock.advance(1)
  const events = collect(agent.stream([{ type: 'image', data: new Uint8Array(8) }], { session: 's' }))
  await place.store.delete('s')
  hold.resolve('held')
  expect((await place.clock.until(first)).reason).toBe('lease_lost')
  stored.resolve()
  const types = (await place.clock.until(events)).map((event) => event.type)
  expect([types[0], types.at(-1)]).toEqual(['run.started', 'run.finished'])
})
