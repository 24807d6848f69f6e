import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, tool } from '../../src/index.ts'
import { memory } from '../../src/stores/memory.ts'
import { type CrashPorts, crashEverywhere } from '../../src/testing/crash-everywhere.ts'
import { type Fate, Mortal } from '../../src/testing/mortal.ts'
import { scripted } from '../../src/testing/scripted.ts'
import { entries, head, ids } from '../../src/testing/store-cases/kit.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { newFile, opened } from '../stores/sqlite-kit.ts'

const spared: Fate = { strikes: () => false }

for (const { name, run } of storeConformance({ open: async (clock) => new Mortal(spared, virtualWorld(), memory({ clock })).store }))
  test(`a process that does not die has the store behind it: ${name}`, run)

const settles = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])

describe('a dead process', () => {
  /** One that dies where this place is, on a journal of one entry. */
  async function dying(place: string) {
    const inner = memory()
    await inner.append('s', entries(0, 1), { expectedSeq: 0, head: head('paused') })
    const world = virtualWorld()
    const process = new Mortal({ strikes: (found) => found === place }, world, inner)
    return { inner, world, process }
  }

  test.each([
    ['before', ['e1']],
    ['after', ['e1', 'e2']],
  ] as const)('%s an append: never gets its answer', async (when, found) => {
    const { inner, process } = await dying(`${when} append of custom`)
    expect(await settles(process.store.append('s', entries(1, 1), { expectedSeq: 1 }))).toBe(false)
    expect([process.dead, await ids(inner, 's')]).toEqual([true, found])
  })

  test('writes nothing more, hears nothing more, and no time passes for it', async () => {
    const { inner, world, process } = await dying('before acquire')
    const heard: string[] = []
    process.store.watch('s', 1, () => heard.push('watch'))
    process.world.clock.timer(10, () => heard.push('timer'))
    expect(await settles(process.store.acquire('s', { owner: 'a', ttlMs: 1 }))).toBe(false)
    expect(world.clock.pending).toBe(0)
    process.world.clock.timer(20, () => heard.push('later timer'))
    process.store.watch('s', 0, () => heard.push('later watch'))
    const { store } = process
    const asked = [
      store.append('s', entries(1, 1), { expectedSeq: 1 }),
      store.delete('s'),
      store.release('s', { epoch: 1, expectedSeq: 1 }),
      store.blobs.put(new Uint8Array([1])),
      store.load('s')[Symbol.asyncIterator]().next(),
    ]
    expect(await Promise.all(asked.map(settles))).toEqual(asked.map(() => false))
    await inner.append('s', entries(1, 1, 'other'), { expectedSeq: 1 })
    await world.clock.advance(100)
    expect([await ids(inner, 's'), heard, world.clock.pending]).toEqual([['e1', 'other2'], [], 0])
  })
})

let paid: string[] = []

/** The agent of the guide, as a program that may be started again. */
async function payBill({ store, inProcess }: CrashPorts) {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    execute: (_, { callId }) => {
      paid.push(callId)
      return 'paid'
    },
  })
  const model = scripted([{ calls: [{ name: 'pay', input: {} }] }, 'Done.'], { by: 'turn' })
  const agent = new Agent(inProcess({ model, tools: [pay] }))
  if ((await store.list()).length === 0) {
    paid = []
    return agent.run('Pay the bill', { session: 'bill' })
  }
  const status = await agent.session('bill').status()
  return (status === 'completed' ? agent.attach('bill') : agent.resume('bill')).result
}

describe('crashEverywhere', () => {
  test('tells its check what the last process returned, the number of the crash and its place', async () => {
    const seen: string[] = []
    const { crashes } = await crashEverywhere(payBill, (result, crashedAt, places) => {
      const [call] = result.calls
      seen.push([crashedAt, places.join() || 'none', result.status, call?.outcome, paid.length].join(' | '))
    })
    expect(crashes).toBe(seen.length - 1)
    expect(seen[0]).toBe('0 | none | completed | ok | 1')
    expect(seen.slice(1).filter((line) => !line.endsWith('completed | ok | 1'))).toEqual([
      '17 | after append of model.responded, call.prepared, call.started | completed | unknown | 0',
      '18 | before pay of m1.0 | completed | unknown | 0',
      '19 | after pay of m1.0 | completed | unknown | 1',
      '20 | before append of call.settled, model.started | completed | unknown | 1',
    ])
  })

  /** A program without an agent: two appends, unless they were made. */
  async function twoAppends({ store }: CrashPorts): Promise<number> {
    for (const [seq, name] of ['a', 'b'].entries()) {
      const done = (await ids(store, 's')).length
      if (done <= seq) await store.append('s', entries(seq, 1, name), { expectedSeq: seq })
    }
    return (await ids(store, 's')).length
  }

  test('several deaths: each process dies everywhere, after each place at which the ones before it died', async () => {
    const once = await crashEverywhere(twoAppends, (count) => expect(count).toBe(2))
    const seen: (readonly string[])[] = []
    const note = (count: number, _: number, places: readonly string[]) => {
      expect(count).toBe(2)
      seen.push(places)
    }
    const twice = await crashEverywhere(twoAppends, note, { deaths: 2 })
    // 3 loads, 2 appends, before and after each; the second process makes as many appends as are left.
    expect([once.crashes, seen.filter((places) => places.length === 1).length]).toEqual([10, 10])
    expect(twice.crashes).toBe(10 + 3 * 10 + 4 * 8 + 3 * 6)
    expect(seen).toContainEqual(['after append of custom', 'before append of custom'])
  })

  test('a store that is not in memory: no time passes while it works', async () => {
    const open = (clock: () => number) => opened(newFile(), { clock })
    const { crashes } = await crashEverywhere(payBill, (result) => expect(result.status).toBe('completed'), { open })
    expect(crashes).toBe(28)
  })

  test('what the check throws is thrown on, with the place', async () => {
    const failing = crashEverywhere(twoAppends, (_, crashedAt) => {
      if (crashedAt === 3) throw new Error('not like that')
    })
    await expect(failing).rejects.toThrow(/^crashEverywhere, crash 3 \(before append of custom\): not like that$/)
    await expect(failing).rejects.toMatchObject({ cause: { message: 'not like that' } })
  })

  test('so is what the scenario throws, in whatever process', async () => {
    const broken = crashEverywhere(
      async () => Promise.reject(new Error('no')),
      () => {},
    )
    await expect(broken).rejects.toThrow(/^crashEverywhere, without a crash: no$/)
    let starts = 0
    const later = async (ports: CrashPorts) => (++starts === 3 ? Promise.reject(new Error('not twice')) : twoAppends(ports))
    await expect(crashEverywhere(later, () => {})).rejects.toThrow(/^crashEverywhere, crash 1 \(before load\): not twice$/)
  })

  test('a scenario that remembers what it did is refused', async () => {
    let starts = 0
    const forgetful = async ({ store }: CrashPorts) => {
      if (starts++ > 0) await store.list()
      await store.delete('s')
    }
    await expect(crashEverywhere(forgetful, () => {})).rejects.toThrow(
      /crash 1 \(before delete\): The scenario does not do the same each time: place 1 was 'before delete' and is 'before list' now/,
    )
  })

  test('one that waits for something else than its ports is told so', async () => {
    const deaf = () => new Promise<never>(() => {})
    await expect(crashEverywhere(deaf, () => {})).rejects.toThrow(/without a crash: The scenario waits for what never comes/)
    const endless = ({ world: { clock } }: CrashPorts) => {
      const again = () => void clock.timer(3_600_000, again)
      again()
      return deaf()
    }
    await expect(crashEverywhere(endless, () => {})).rejects.toThrow(/has not ended within 86400000 ms/)
  })
})

test('scripted by turn: a request that is made again gets the same reply', async () => {
  const model = scripted([{ text: 'one' }, 'two'], { by: 'turn' })
  const texts: string[] = []
  const request = (answers: number) => ({
    messages: Array.from({ length: answers }, () => ({ role: 'assistant' as const, parts: [] })),
  })
  for (const answers of [0, 0]) await model.stream(request(answers) as never, (delta) => texts.push(JSON.stringify(delta)), {} as never)
  expect(texts.map((text) => JSON.parse(text).text)).toEqual(['one', 'one'])
  expect(() => model.assertDone()).toThrow('only 1 were asked for')
  await model.stream(request(1) as never, (delta) => texts.push(JSON.stringify(delta)), {} as never)
  expect(JSON.parse(texts.at(-1) ?? '').text).toBe('two')
  model.assertDone()
})
