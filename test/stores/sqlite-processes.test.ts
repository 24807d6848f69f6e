import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { ids, loaded } from '../../src/testing/store-cases/kit.ts'
import { killWriters, writer } from './writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'rondo-sqlite-'))

afterEach(() => {
  killWriters()
  rmSync(folder, { recursive: true, force: true })
})

test.each([5, 40, 150])(
  'sqlite: SIGKILL amid appends (after %i) leaves a gapless journal with all that was acknowledged',
  async (appends) => {
    const file = join(folder, `killed-${appends}.db`)
    const { child, acknowledged, errors } = writer('sqlite', file, 'own', 0)
    const closed = once(child, 'close')
    while (acknowledged.appends < appends && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1))
    child.kill('SIGKILL')
    await closed
    expect(errors).toEqual([])
    const store = sqlite(file)
    const own = await loaded(store, 'own')
    const shared = await loaded(store, 'shared')
    expect(own.map(({ seq }) => seq)).toEqual(Array.from({ length: own.length }, (_, i) => i + 1))
    expect(own.length % 3).toBe(0)
    expect(own.length).toBeGreaterThanOrEqual(acknowledged.own)
    expect(shared.length).toBeGreaterThanOrEqual(acknowledged.shared)
    const last = own.at(-1)?.seq ?? 0
    await store.append('own', [{ v: 1, id: 'after', seq: last + 1, kind: 'custom', data: { type: 'test' } }], { expectedSeq: last })
    expect((await ids(store, 'own', last)).length).toBe(1)
    await store.close()
  },
)

test('sqlite: three processes open one new file at once; their appends to one session lose nothing', { timeout: 60_000 }, async () => {
  const file = join(folder, 'new', 'shared.db')
  const writers = ['a', 'b', 'c'].map((name) => writer('sqlite', file, name, 60))
  await Promise.all(writers.map(({ child }) => once(child, 'close')))
  expect(writers.map(({ child, errors }) => [child.exitCode, ...errors])).toEqual([[0], [0], [0]])
  const store = sqlite(file)
  const shared = await ids(store, 'shared')
  expect(shared).toHaveLength(180)
  for (const name of ['a', 'b', 'c']) {
    expect(shared.filter((id) => id.startsWith(name))).toHaveLength(60)
    expect(await ids(store, name)).toHaveLength(180)
  }
  await store.close()
})
