import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { entries, fails, head, ids, loaded } from '../../src/testing/store-cases/kit.ts'
import { locksIn, newFolder, opened } from './jsonl-kit.ts'
import { failure } from './kit.ts'
import { killWriters, type Writer, writer } from './writer.ts'

afterEach(killWriters)

async function appended({ acknowledged, child }: Writer, appends: number): Promise<void> {
  while (acknowledged.appends < appends && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1))
}

test.each([5, 40, 150])(
  'jsonl: SIGKILL amid appends (after %i) leaves a gapless journal with all that was acknowledged',
  async (appends) => {
    const directory = newFolder()
    const killed = writer('jsonl', directory, 'own', 0)
    const { child, acknowledged, errors } = killed
    const closed = once(child, 'close')
    await appended(killed, appends)
    child.kill('SIGKILL')
    await closed
    expect(errors).toEqual([])
    expect(locksIn(directory)).toHaveLength(1)
    const store = opened(directory)
    const own = await loaded(store, 'own')
    const shared = await loaded(store, 'shared')
    expect(own.map(({ seq }) => seq)).toEqual(Array.from({ length: own.length }, (_, i) => i + 1))
    expect(own.length % 3).toBe(0)
    expect(own.length).toBeGreaterThanOrEqual(acknowledged.own)
    expect(shared.length).toBeGreaterThanOrEqual(acknowledged.shared)
    const last = own.length
    await store.append('own', entries(last, 1, 'after'), { expectedSeq: last })
    expect(await ids(store, 'own', last)).toEqual([`after${last + 1}`])
  },
)

test('jsonl: a second process on the folder is ConfigInvalid and names the first, which goes on; once it is dead the folder is free', async () => {
  const directory = newFolder()
  const first = writer('jsonl', directory, 'own', 0)
  const closed = once(first.child, 'close')
  await appended(first, 10)
  const store = opened(directory)
  const error = await failure(store.list())
  expect([error.code, error.message]).toEqual(['ConfigInvalid', expect.stringContaining(`is in use by process ${first.child.pid};`)])
  await fails('ConfigInvalid', store.append('s', entries(0, 1), { expectedSeq: 0 }))
  const second = writer('jsonl', directory, 'other', 1)
  await once(second.child, 'close')
  expect([second.child.exitCode, second.errors.join('\n')]).toEqual([
    1,
    expect.stringContaining(`is in use by process ${first.child.pid};`),
  ])
  await appended(first, first.acknowledged.appends + 10)
  first.child.kill('SIGKILL')
  await closed
  expect((await store.list()).length).toBe(2)
})

test('jsonl: a process that ends and closes its store leaves no lock', async () => {
  const directory = newFolder()
  const { child, errors } = writer('jsonl', directory, 'own', 5)
  await once(child, 'close')
  expect([child.exitCode, errors, locksIn(directory)]).toEqual([0, [], []])
  expect(await ids(opened(directory), 'own')).toHaveLength(15)
})

test.skipIf(process.platform === 'win32')(
  'jsonl: a limit on the size of files (EFBIG amid a write) leaves whole appends only',
  async () => {
    const directory = newFolder()
    // In blocks of 512 bytes; without the trap the signal would end the process.
    const { child, errors } = writer('jsonl', directory, 'own', 0, "trap '' XFSZ; ulimit -f 64")
    await once(child, 'close')
    expect([child.exitCode, errors.join('\n')]).toEqual([1, expect.stringMatching(/appending to session "\w+" failed \(EFBIG.*full/)])
    const store = opened(directory)
    const own = await ids(store, 'own')
    expect([own.length % 3, own.length > 9]).toEqual([0, true])
    expect(store.warnings).toEqual([])
    await store.append('own', entries(own.length, 1), { expectedSeq: own.length, head: head('idle') })
  },
)
