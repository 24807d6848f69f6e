import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { ids, loaded } from '../../src/testing/store-cases/kit.ts'

const module = fileURLToPath(new URL('../../dist/stores/sqlite.js', import.meta.url))
const script = fileURLToPath(new URL('fixtures/writer.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'rondo-sqlite-'))
const children: ChildProcess[] = []

/** What the child was told is durable: the last seq of each session. */
interface Acknowledged {
  own: number
  shared: number
  appends: number
}

function writer(file: string, name: string, count: number): { child: ChildProcess; acknowledged: Acknowledged; errors: string[] } {
  if (!existsSync(module)) throw new Error(`${module} is missing: run "npm run build" first (npm test does).`)
  const child = spawn(process.execPath, [script, module, file, name, String(count)], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  const acknowledged: Acknowledged = { own: 0, shared: 0, appends: 0 }
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [session, seq] = line.split(' ')
    acknowledged[session === 'own' ? 'own' : 'shared'] = Number(seq)
    acknowledged.appends++
  })
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
  return { child, acknowledged, errors }
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test.each([5, 40, 150])(
  'sqlite: SIGKILL amid appends (after %i) leaves a gapless journal with all that was acknowledged',
  async (appends) => {
    const file = join(folder, `killed-${appends}.db`)
    const { child, acknowledged, errors } = writer(file, 'own', 0)
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
  const writers = ['a', 'b', 'c'].map((name) => writer(file, name, 60))
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
