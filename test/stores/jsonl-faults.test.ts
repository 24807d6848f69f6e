import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Files, fileFailure, realFiles } from '../../src/stores/jsonl-files.ts'
import type { JsonlStore } from '../../src/stores/jsonl-store.ts'
import { entries, entry, fails, head, ids, listed } from '../../src/testing/store-cases/kit.ts'
import { gate } from '../acceptance/kit.ts'
import { type Call, type Disk, disk, storeOn, systemError } from './jsonl-disk.ts'
import { fileOf, leaveDead, locksIn, newFolder, opened } from './jsonl-kit.ts'
import { failure } from './kit.ts'

/** Throws at the first of these calls on a session's file, and at each later one of those in `then`. */
function failing(call: Call, code: string, ...then: Call[]): Disk['fault'] {
  let isBroken = false
  return (now, path) => {
    if (!path.endsWith('.jsonl') && now !== 'sync folder') return undefined
    if (isBroken ? then.includes(now) : now === call) {
      isBroken = true
      throw systemError(code)
    }
    return undefined
  }
}

const large = [entry(3), entry(4, 'x'.repeat(100_000)), entry(5)]

describe('jsonl: a write that fails', () => {
  test.each<[string, Disk['fault']]>([
    ['a full disk', failing('write', 'ENOSPC')],
    ['an I/O error', failing('write', 'EIO')],
    ['an I/O error at the sync', failing('sync', 'EIO')],
    ['an I/O error at the opening', failing('open', 'EIO')],
  ])('%s: the file is as it was, and the same entries are written at the next try', async (_, fault) => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.append('s', entries(0, 2), { expectedSeq: 0, head: head('paused') })
    const before = readFileSync(fileOf(directory))
    made.fault = fault
    const error = await failure(store.append('s', large, { expectedSeq: 2, head: head('failed') }))
    expect([error.code, error.retryable]).toEqual(['SessionWriteFailed', true])
    expect(error.message).toMatch(/s\.jsonl: appending to session "s" failed \(E\w+: it was arranged\)\. The disk/)
    expect(readFileSync(fileOf(directory)).equals(before)).toBe(true)
    expect([await ids(store, 's'), (await store.list())[0]?.head]).toEqual([['e1', 'e2'], head('paused')])
    await store.append('s', large, { expectedSeq: 2, head: head('completed') })
    expect(await ids(store, 's')).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    await store.close()
    expect(await ids(opened(directory), 's')).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    expect(store.warnings).toEqual([])
  })

  test('one that takes only a part of the bytes goes on with the rest', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    made.fault = (call) => (call === 'write' ? 100 : undefined)
    await store.append(
      's',
      large.map((one, i) => ({ ...one, seq: i + 1 })),
      { expectedSeq: 0 },
    )
    expect(await ids(store, 's')).toEqual(['e3', 'e4', 'e5'])
  })

  test('half written, and what was written can not be cut off: it is when the file is looked at next', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    const before = readFileSync(fileOf(directory))
    let writes = 0
    made.fault = (call) => {
      if (call === 'write' && ++writes === 1) return 300
      if (call === 'write' || call === 'truncate') throw systemError('ENOSPC')
      return undefined
    }
    await fails('SessionWriteFailed', store.append('s', large, { expectedSeq: 2 }))
    expect(readFileSync(fileOf(directory)).length).toBe(before.length + 300)
    made.fault = () => undefined
    expect(await ids(store, 's')).toEqual(['e1', 'e2'])
    expect(readFileSync(fileOf(directory)).equals(before)).toBe(true)
    await store.append('s', large, { expectedSeq: 2 })
    expect(await ids(store, 's')).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
  })

  test('whole, but not surely on the disk, and it can not be cut off: the same entries are a success once they are', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    made.fault = failing('sync', 'EIO', 'sync', 'truncate')
    await fails('SessionWriteFailed', store.append('s', large, { expectedSeq: 2 }))
    await fails('SessionWriteFailed', store.append('s', large, { expectedSeq: 2 }))
    made.fault = () => undefined
    made.calls.length = 0
    await store.append('s', large, { expectedSeq: 2 })
    expect(made.calls.map(({ call }) => call).filter((call) => call !== 'open')).toEqual(['sync', 'sync folder'])
    expect(await ids(store, 's')).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
  })

  test.each<[string, Disk['fault']]>([
    ['the write', failing('write', 'ENOSPC')],
    ['the sync of the folder', failing('sync folder', 'EIO')],
  ])('the first of a session (%s): there is no file, and the next try makes one', async (_, fault) => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.list()
    made.fault = fault
    await fails('SessionWriteFailed', store.append('s', entries(0, 2), { expectedSeq: 0 }))
    expect([existsSync(fileOf(directory)), await listed(store), await ids(store, 's')]).toEqual([false, [], []])
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    expect(await ids(store, 's')).toEqual(['e1', 'e2'])
  })

  test('keeps the lease: its driver goes on when there is room again', async () => {
    const made = disk()
    const store = storeOn(made, newFolder())
    const { epoch } = (await store.acquire('s', { owner: 'a', ttlMs: 1000 })) ?? { epoch: 0 }
    await store.append('s', entries(0, 1), { expectedSeq: 0, epoch })
    made.fault = failing('write', 'ENOSPC')
    await fails('SessionWriteFailed', store.append('s', entries(1, 1), { expectedSeq: 1, epoch }))
    expect(await store.acquire('s', { owner: 'b', ttlMs: 1000 })).toBeUndefined()
    await store.append('s', entries(1, 1), { expectedSeq: 1, epoch })
    expect(await store.release('s', { epoch, expectedSeq: 2, head: head('completed') })).toBe(true)
  })

  test('one of several that were written together does not fail those before it, nor other sessions', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.list()
    made.fault = (call, path) => {
      // There is room for the small ones.
      if (call === 'write' && path === fileOf(directory) && existsSync(path)) throwIfLarge()
      return undefined
    }
    let attempts = 0
    const throwIfLarge = (): void => {
      // The three together, then those that hold the large one.
      if (++attempts !== 2) throw systemError('ENOSPC')
    }
    const results = await Promise.allSettled([
      store.append('s', entries(0, 1), { expectedSeq: 0 }),
      store.append('s', [entry(2, 'x'.repeat(100_000))], { expectedSeq: 1 }),
      store.append('other', entries(0, 1), { expectedSeq: 0 }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect([await ids(store, 's'), await ids(store, 'other')]).toEqual([['e1'], ['e1']])
  })

  test('a blob: nothing of it stays', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.list()
    made.fault = (call, path) => {
      if (call === 'sync' && path.includes('blobs')) throw systemError('ENOSPC')
      return undefined
    }
    await fails('SessionWriteFailed', store.blobs.put(new Uint8Array([1])))
    expect(readdirSync(join(directory, 'blobs'))).toEqual([])
  })

  test('an entry that is no JSON is refused, and what came with it is written', async () => {
    const store = storeOn(disk(), newFolder())
    const odd = entry(2, 1n as unknown as number)
    const results = await Promise.allSettled([
      store.append('s', entries(0, 1), { expectedSeq: 0 }),
      store.append('s', [odd], { expectedSeq: 1 }),
      store.append('s', entries(1, 1), { expectedSeq: 1 }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await ids(store, 's')).toEqual(['e1', 'e2'])
  })

  test('closing waits for a slow disk, and keeps the folder until then', async () => {
    const directory = newFolder()
    const made = disk()
    const slow = gate()
    const open: Files['open'] = async (...args) => {
      if (String(args[0]).includes('blobs')) await slow.promise
      return realFiles.open(...args)
    }
    const store = storeOn({ ...made, files: { ...realFiles, open } }, directory, 'normal')
    await store.list()
    const put = store.blobs.put(new Uint8Array([1]))
    const closing = store.close().then(() => locksIn(directory))
    await expect(Promise.race([closing, new Promise((resolve) => setTimeout(resolve, 100, 'waits'))])).resolves.toBe('waits')
    expect(locksIn(directory)).toHaveLength(1)
    slow.resolve()
    expect([await closing, await put]).toEqual([[], expect.stringMatching(/^sha256:/)])
  })

  test('closing gives the folder back, also when the disk takes nothing', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.acquire('s', { owner: 'a', ttlMs: 1000 })
    made.fault = (call) => {
      if (call === 'write') throw systemError('ENOSPC')
      return undefined
    }
    await store.close()
    expect(readdirSync(directory)).toEqual(['blobs'])
  })
})

describe('jsonl: what comes after a crash', () => {
  /** A store whose process has died: it is not closed, and its lock is that of a process that is gone. */
  async function crashed(directory: string, before: (store: JsonlStore) => Promise<void>): Promise<void> {
    await before(storeOn(disk(), directory))
    leaveDead(directory)
  }

  test('the lock of the dead is removed, and its sessions are free at once and found by a sweep', async () => {
    const directory = newFolder()
    await crashed(directory, async (store) => {
      const { epoch } = (await store.acquire('s', { owner: 'a', ttlMs: 1_000_000 })) ?? { epoch: 0 }
      await store.append('s', entries(0, 1), { expectedSeq: 0, epoch, head: head('tool_running') })
      const given = (await store.acquire('given', { owner: 'a', ttlMs: 1_000_000 }))?.epoch ?? 0
      await store.append('given', entries(0, 1), { expectedSeq: 0, epoch: given, head: head('tool_running') })
      await store.release('given', { epoch: given, expectedSeq: 1 })
      await store.append('parked', entries(0, 1), { expectedSeq: 0, head: head('awaiting_human') })
      await store.acquire('held', { owner: 'a', ttlMs: 1_000_000 })
    })
    const store = opened(directory)
    expect(await listed(store, { ownerLost: true })).toEqual(['s'])
    expect(((await store.acquire('s', { owner: 'b', ttlMs: 1000 }))?.epoch ?? 0) > 1).toBe(true)
    expect(await store.acquire('held', { owner: 'b', ttlMs: 1000 })).toBeDefined()
    expect(locksIn(directory)).toHaveLength(1)
  })

  test('leases that an earlier store left at its close are over too', async () => {
    const directory = newFolder()
    const first = opened(directory)
    await first.acquire('s', { owner: 'a', ttlMs: 9e15 })
    await first.close()
    await crashed(directory, async (store) => expect(await store.acquire('s', { owner: 'b', ttlMs: 1000 })).toBeUndefined())
    expect(await opened(directory).acquire('s', { owner: 'b', ttlMs: 1000 })).toBeDefined()
  })

  test('what was being made and was not finished is removed', async () => {
    const directory = newFolder()
    await crashed(directory, (store) => store.append('s', entries(0, 1), { expectedSeq: 0 }).then(() => {}))
    const unfinished = [join(directory, 'leases.json.0.tmp'), join(directory, 'blobs', '00.0.tmp')]
    for (const path of unfinished) await (await realFiles.open(path, 'w')).close()
    await ids(opened(directory), 's')
    expect(unfinished.map((path) => existsSync(path))).toEqual([false, false])
  })

  test('what was read but never synced is, before the same entries are called a success', async () => {
    const directory = newFolder()
    await crashed(directory, (store) => store.append('s', entries(0, 1), { expectedSeq: 0 }).then(() => {}))
    const made = disk()
    const store = storeOn(made, directory)
    await store.list()
    made.calls.length = 0
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    expect(made.calls.map(({ call }) => call).filter((call) => call !== 'open')).toEqual(['sync', 'sync folder'])
  })
})

describe('jsonl: what the system says', () => {
  test.each([
    ['a full disk', 'ENOSPC', true],
    ['a quota', 'EDQUOT', true],
    ['a limit on files', 'EFBIG', true],
    ['an I/O error', 'EIO', true],
    ['too many open files', 'EMFILE', true],
    ['no permission', 'EACCES', false],
    ['a read-only file system', 'EROFS', false],
    ['something else', 'EWHAT', true],
  ])('%s becomes the right error', (_, code, retryable) => {
    const cause = systemError(code)
    for (const direction of ['read', 'write'] as const) {
      const error = fileFailure(cause, 'appending to session "s"', 's.jsonl', direction)
      expect([error.code, error.retryable, error.cause]).toEqual([
        direction === 'read' ? 'SessionReadFailed' : 'SessionWriteFailed',
        retryable,
        cause,
      ])
      expect(error.message).toContain(`s.jsonl: appending to session "s" failed (${code}: it was arranged). `)
    }
  })
})
