import { afterEach, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { doubled, entriesOf, fileOf, killChildren, newPlace, startChild } from './children.ts'

afterEach(killChildren)

const ways = ['run', 'result', 'text', 'events', 'on', 'status'] as const

/** Far less than the 15 s of a lease, and far more than a run takes. */
const atOnceMs = 8_000

async function whoHolds(folder: string): Promise<string> {
  const store = sqlite(fileOf(folder))
  const lease = await store.acquire('s', { owner: 'another', ttlMs: 0 })
  const entries = await entriesOf(store)
  await store.close()
  return `${lease === undefined ? 'held' : 'free'} ${entries.at(-1)?.kind} ${doubled(entries).join()}`
}

test.each(ways.flatMap((way) => (['exit', 'close'] as const).map((leave) => [way, leave] as const)))(
  'machine 3: a process that ends when it hears of the end (%s, %s) leaves the session free',
  { timeout: 30_000 },
  async (way, leave) => {
    const folder = newPlace()
    expect(await startChild('leaver', folder, way, leave).ended).toBe(0)
    expect(await whoHolds(folder)).toBe('free run.finished ')
  },
)

test('and the next process has its run at once', { timeout: 60_000 }, async () => {
  const folder = newPlace()
  const took: number[] = []
  for (const way of ways) {
    const child = startChild('leaver', folder, way, 'exit')
    took.push(Number((await child.line('ended')).slice('ended '.length)))
    expect(await child.ended).toBe(0)
  }
  expect(took.filter((ms) => ms > atOnceMs)).toEqual([])
})
