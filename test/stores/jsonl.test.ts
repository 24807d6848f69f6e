import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { NewEntry } from '../../src/core/entry.ts'
import { jsonlStore } from '../../src/stores/jsonl.ts'
import { fileNameOf, sessionOfName } from '../../src/stores/jsonl-names.ts'
import { entries, entry, fails, head, ids, listed, loaded, start } from '../../src/testing/store-cases/kit.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { fileOf, linesIn, locksIn, newFolder, opened } from './jsonl-kit.ts'
import { failure } from './kit.ts'

describe.each(['full', 'normal'] as const)('jsonl (%s) keeps the Store contract', (synchronous) => {
  let directory = ''
  const cases = storeConformance({
    open: async (clock) => {
      directory = newFolder()
      return jsonlStore({ directory, clock, synchronous })
    },
    reopen: async (clock) => jsonlStore({ directory, clock, synchronous }),
  })
  for (const { name, run } of cases) test(name, run)
})

describe('jsonl: the files', () => {
  test('a session is a file of lines: what it is, then for each append a head and its entries', async () => {
    const directory = newFolder()
    const clock = { now: start }
    const store = opened(directory, { clock: () => clock.now })
    await store.append('s', entries(0, 2), { expectedSeq: 0, head: head('paused', { wakeAt: 0 }) })
    clock.now++
    const { epoch } = (await store.acquire('s', { owner: 'a', ttlMs: 1000 })) ?? { epoch: 0 }
    await store.append('s', [{ ...entry(3, 'größe\n"'), epoch, runId: 'r' }], { expectedSeq: 2, epoch })
    await store.release('s', { epoch, expectedSeq: 3, head: head('completed', { title: 'T' }) })
    expect(linesIn(directory)).toEqual([
      '{"rondo":"session","format":1,"sessionId":"s"}',
      '{"head":{"pending":0,"wakeAt":0,"status":"paused"},"entries":2,"seq":2,"at":1700000000000,"createdAt":1700000000000,"epoch":0,"held":false}',
      '{"v":1,"id":"e1","seq":1,"at":1700000000000,"kind":"custom","data":{"type":"conformance","data":0}}',
      '{"v":1,"id":"e2","seq":2,"at":1700000000000,"kind":"custom","data":{"type":"conformance","data":1}}',
      '{"head":{"pending":0,"wakeAt":0,"status":"paused"},"entries":1,"seq":3,"at":1700000000001,"createdAt":1700000000000,"epoch":1,"held":true}',
      '{"v":1,"id":"e3","seq":3,"at":1700000000001,"kind":"custom","data":{"type":"conformance","data":"größe\\n\\""},"epoch":1,"runId":"r"}',
      '{"head":{"pending":0,"title":"T","status":"completed"},"entries":0,"seq":3,"at":1700000000001,"createdAt":1700000000000,"epoch":1,"held":false}',
      '',
    ])
  })

  test('folder and files are made at the first use, for their owner only', async () => {
    const directory = join(newFolder(), 'deep', 'er')
    const store = opened(directory)
    expect(existsSync(directory)).toBe(false)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    const hash = (await store.blobs.put(new Uint8Array([1]))).slice('sha256:'.length)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect([fileOf(directory), join(directory, 'blobs', hash)].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
  })

  test('a lease and its renewal write nothing', async () => {
    const directory = newFolder()
    const store = opened(directory)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    const before = readFileSync(fileOf(directory))
    const { epoch } = (await store.acquire('s', { owner: 'a', ttlMs: 1000 })) ?? { epoch: 0 }
    await store.renew('s', { epoch, ttlMs: 1000 })
    await store.release('s', { epoch, expectedSeq: 1 })
    expect(readFileSync(fileOf(directory))).toEqual(before)
  })

  test('what is no session is left alone', async () => {
    const directory = newFolder()
    mkdirSync(directory)
    writeFileSync(join(directory, 'notes.txt'), 'mine')
    const store = opened(directory)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    expect([await listed(store), store.warnings]).toEqual([['s'], []])
    await store.close()
    expect(readdirSync(directory).sort()).toEqual(['blobs', 'leases.json', 'notes.txt', 's.jsonl'])
  })

  test('a file that was renamed is no other session: it is told, and neither listed nor read', async () => {
    const directory = newFolder()
    const first = opened(directory)
    await first.append('s', entries(0, 1), { expectedSeq: 0 })
    await first.close()
    renameSync(fileOf(directory), fileOf(directory, 't'))
    const store = opened(directory)
    expect((await failure(loaded(store, 't'))).message).toMatch(
      /t\.jsonl is damaged in line 1 \(byte 0\): it says that the file is session "s"/,
    )
    await store.close()
    renameSync(fileOf(directory, 't'), join(directory, 'My Session.jsonl'))
    const again = opened(directory)
    expect(await listed(again)).toEqual([])
    expect(again.warnings).toEqual([expect.stringContaining('My Session.jsonl is not listed')])
  })

  test('a long one that was renamed is not driven either, though only its end is looked at', async () => {
    const directory = newFolder()
    const first = opened(directory)
    await first.append('s', [entry(1, 'x'.repeat(200_000))], { expectedSeq: 0 })
    for (let seq = 1; seq < 4; seq++) await first.append('s', [entry(seq + 1, 'x'.repeat(100_000))], { expectedSeq: seq })
    await first.close()
    renameSync(fileOf(directory), fileOf(directory, 't'))
    await fails('SessionReadFailed', opened(directory).acquire('t', { owner: 'a', ttlMs: 1000 }))
  })

  test('a reader of a session that is deleted meanwhile does not go on in a new one of its name', async () => {
    const store = opened(newFolder())
    const many = (prefix: string) => Array.from({ length: 8 }, (_, i) => entry(i + 1, 'x'.repeat(50_000), `${prefix}${i + 1}`))
    await store.append('s', many('old'), { expectedSeq: 0 })
    const seen: string[] = []
    const reading = async (): Promise<void> => {
      for await (const { id } of store.load('s')) {
        if (seen.push(id) > 1) continue
        await store.delete('s')
        await store.append('s', many('new'), { expectedSeq: 0 })
      }
    }
    expect((await failure(reading())).message).toMatch(/was deleted while it was being read/)
    expect(seen.filter((id) => id.startsWith('new'))).toEqual([])
  })

  test('one of a newer version is SessionMigrationFailed and stays untouched; the others work', async () => {
    const directory = newFolder()
    mkdirSync(directory)
    const text = '{"rondo":"session","format":2,"sessionId":"s"}\n{"what":"nobody knows"'
    writeFileSync(fileOf(directory), text)
    const store = opened(directory)
    await fails('SessionMigrationFailed', loaded(store, 's'))
    await fails('SessionMigrationFailed', store.append('s', entries(0, 1), { expectedSeq: 0 }))
    await store.append('other', entries(0, 1), { expectedSeq: 0 })
    expect((await listed(store)).sort()).toEqual(['other', 's'])
    expect(readFileSync(fileOf(directory), 'utf8')).toBe(text)
  })

  test('entries of a kind and a version that nobody knows yet are kept as they are', async () => {
    const store = opened(newFolder())
    const unknown = { v: 9, id: 'e1', seq: 1, kind: 'call.dreamt', data: { of: ['sheep'] }, also: { new: true } } as unknown as NewEntry
    await store.append('s', [unknown, entry(2)], { expectedSeq: 0 })
    const [first, second] = await loaded(store, 's')
    expect([first, second?.id]).toEqual([{ ...unknown, at: first?.at }, 'e2'])
  })
})

describe('jsonl: names of files', () => {
  const odd = [
    '',
    ' ',
    '.',
    '..',
    'a',
    'A',
    'a%41',
    '%41',
    'a/b',
    'a\\b',
    'a.',
    'a ',
    'con',
    'CON',
    'com1',
    'a\0b',
    'ä',
    'a\u0308',
    '東',
    '🚀',
    '\ud800',
    '\udc00',
  ]
  const long = ['x'.repeat(201), `${'x'.repeat(200)}X`, `${'x'.repeat(500)}\ud800`, `${'x'.repeat(500)}\udfff`]

  test('are different for different ids, also where capitals count for nothing, and lead back', () => {
    const names = [...odd, ...long].map(fileNameOf)
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(odd.length + long.length)
    for (const name of names) expect(name).toMatch(/^(?!con\.|com1\.)[a-z0-9_%~-]{1,200}\.jsonl$/)
    expect(odd.map((id) => sessionOfName(fileNameOf(id)))).toEqual(odd)
    expect(sessionOfName('My Session.jsonl')).toBeUndefined()
  })

  test('say it to people where they can', () => {
    expect(['chat-42', 'Ann', 'user@example.com', '東京', 'con'].map(fileNameOf)).toEqual([
      'chat-42.jsonl',
      '%41nn.jsonl',
      'user%40example%2ecom.jsonl',
      '%u6771%u4eac.jsonl',
      '%63on.jsonl',
    ])
  })

  test('a new store lists them all, whatever their ids', async () => {
    const directory = newFolder()
    const first = opened(directory)
    const all = [...odd, ...long]
    for (const id of all) await first.append(id, entries(0, 1), { expectedSeq: 0 })
    await first.close()
    const store = opened(directory)
    expect((await listed(store)).sort()).toEqual(all.sort())
    expect(store.warnings).toEqual([])
  })
})

describe('jsonl: one store a folder', () => {
  test('a second one in this process is ConfigInvalid and says so; once the first is closed it is the one', async () => {
    const directory = newFolder()
    const [first, second] = [opened(directory), opened(directory)]
    await first.append('s', entries(0, 1), { expectedSeq: 0 })
    const error = await failure(second.append('s', entries(1, 1), { expectedSeq: 1 }))
    expect([error.code, error.retryable]).toEqual(['ConfigInvalid', false])
    expect(error.message).toMatch(/is in use by another store of this process; /)
    await fails('ConfigInvalid', second.list())
    await fails('ConfigInvalid', ids(second, 's'))
    expect(locksIn(directory)).toHaveLength(1)
    await first.close()
    expect(await ids(second, 's')).toEqual(['e1'])
  })

  test('of several that come at once at most one gets it', async () => {
    const directory = newFolder()
    const stores = Array.from({ length: 5 }, () => opened(directory))
    const results = await Promise.allSettled(stores.map((store) => store.list()))
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    expect(locksIn(directory).length).toBe(results.filter(({ status }) => status === 'fulfilled').length)
  })

  test.skipIf(process.platform !== 'linux')('a lock of a process that lives holds', async () => {
    const directory = newFolder()
    mkdirSync(directory)
    writeFileSync(join(directory, lockOf(process.ppid)), '')
    expect((await failure(opened(directory).list())).message).toMatch(/in use by process \d+; /)
  })

  test.skipIf(process.platform !== 'linux')('the lock of a process whose id was given again is removed', async () => {
    const directory = newFolder()
    mkdirSync(directory)
    writeFileSync(join(directory, lockOf(process.pid, 'abc')), '')
    expect(await listed(opened(directory))).toEqual([])
    expect(locksIn(directory)).toEqual([expect.stringMatching(new RegExp(`^lock-${process.pid}-(?!abc-)`))])
  })

  test('closing gives the folder back, also when it is closed before it was used', async () => {
    const directory = newFolder()
    await opened(directory).close()
    expect(existsSync(directory)).toBe(false)
    const store = opened(directory)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await store.close()
    expect(locksIn(directory)).toEqual([])
    expect((await failure(store.append('s', entries(1, 1), { expectedSeq: 1 }))).message).toMatch(/came after close\(\)/)
    await fails('SessionWriteFailed', loaded(store, 's'))
  })
})

/** As another process would have put it there. */
function lockOf(pid: number, started?: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]).toString(16)
  const [host, boot] = ['hostname', 'random/boot_id'].map((name) => readFileSync(`/proc/sys/kernel/${name}`, 'utf8').trim())
  const place = encodeURIComponent(`${host} ${boot} ${readlinkSync('/proc/self/ns/pid')}`)
  return `lock-${pid}-${started ?? ticks}-0123456789ab@${place}`
}

describe('jsonl: options and places', () => {
  test('a bad option is ConfigInvalid at once', () => {
    expect(() => jsonlStore({ directory: '' })).toThrow(/directory is empty/)
    expect(() => jsonlStore({ directory: 'x', synchronous: 'off' as 'full' })).toThrow(/synchronous must be 'full' or 'normal'/)
  })

  test('a folder that can not be made is SessionWriteFailed and says what to do; the next use tries again', async () => {
    const parent = newFolder()
    writeFileSync(parent, '')
    const store = opened(join(parent, 'sessions'))
    const error = await failure(store.append('s', entries(0, 1), { expectedSeq: 0 }))
    expect([error.code, error.retryable]).toEqual(['SessionWriteFailed', false])
    expect(error.message).toMatch(/opening the folder failed .* Choose a path/)
    renameSync(parent, `${parent}-aside`)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    expect(await ids(store, 's')).toEqual(['e1'])
  })

  test('the bytes of a blob may be changed from the call on', async () => {
    const directory = newFolder()
    const store = opened(directory)
    await store.list()
    const bytes = new TextEncoder().encode('abc'.repeat(1_000_000))
    const put = store.blobs.put(bytes)
    bytes.fill(0)
    const found = await store.blobs.get(await put)
    expect(found?.subarray(0, 4)).toEqual(new TextEncoder().encode('abca'))
  })

  test('a blob whose bytes have changed is SessionReadFailed, until it is put again', async () => {
    const directory = newFolder()
    const store = opened(directory)
    const bytes = new TextEncoder().encode('abc')
    const ref = await store.blobs.put(bytes)
    const file = join(directory, 'blobs', ref.slice('sha256:'.length))
    chmodSync(file, 0o600)
    writeFileSync(file, 'abd')
    await fails('SessionReadFailed', store.blobs.get(ref))
    await store.blobs.put(bytes)
    expect(await store.blobs.get(ref)).toEqual(bytes)
  })
})
