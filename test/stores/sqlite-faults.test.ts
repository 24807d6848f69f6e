import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/core/store.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { sqliteFailure } from '../../src/stores/sqlite-driver.ts'
import { entries, entry, fails, head, ids, listed } from '../../src/testing/store-cases/kit.ts'
import { failure } from './kit.ts'
import { newFile, opened, raw } from './sqlite-kit.ts'

describe('sqlite: a full disk', () => {
  test('ends in SessionWriteFailed with nothing half written, and the store is usable afterwards', async () => {
    const file = newFile()
    const store = opened(file, { maxBytes: 300_000 })
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    const large = [entry(3), entry(4, 'x'.repeat(400_000)), entry(5)]
    const error = await failure(store.append('s', large, { expectedSeq: 2, head: head('failed') }))
    expect([error.code, error.retryable]).toEqual(['SessionWriteFailed', true])
    expect(error.message).toMatch(/appending to session "s" failed .*full.* free space or raise the limit/)
    expect(await ids(store, 's')).toEqual(['e1', 'e2'])
    expect((await store.list())[0]?.head).toBeUndefined()
    await store.append('s', entries(2, 1), { expectedSeq: 2 })
    await store.close()
    expect(await ids(opened(file), 's')).toEqual(['e1', 'e2', 'e3'])
  })

  test('that one append of a turn meets does not fail the others', async () => {
    const store = opened(newFile(), { maxBytes: 300_000 })
    const append = (name: string, text: string): Promise<unknown> => store.append(name, [entry(1, text)], { expectedSeq: 0 })
    const results = await Promise.allSettled([append('a', 'small'), append('b', 'x'.repeat(400_000)), append('c', 'small')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await listed(store)).sort()).toEqual(['a', 'c'])
  })
})

test('sqlite: an append that fails in its middle is rolled back, and the others of its turn are written', async () => {
  const file = newFile()
  const store = opened(file)
  await store.append('s', entries(0, 2), { expectedSeq: 0 })
  raw(file, (database) =>
    database.exec("create trigger fault before insert on entries when new.id = 'e4' begin select raise(abort, 'fault'); end"),
  )
  const append = (name: string, seq: number): Promise<unknown> => store.append(name, entries(seq, 2), { expectedSeq: seq })
  const results = await Promise.allSettled([append('a', 0), append('s', 2), append('b', 0)])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await fails('SessionWriteFailed', append('s', 2))
  expect([await ids(store, 'a'), await ids(store, 's'), await ids(store, 'b')]).toEqual([
    ['e1', 'e2'],
    ['e1', 'e2'],
    ['e1', 'e2'],
  ])
})

describe('sqlite: damage', () => {
  async function damaged(sql: string): Promise<Store> {
    const file = newFile()
    const store = sqlite(file)
    await store.append('s', entries(0, 5), { expectedSeq: 0, head: head('idle') })
    await store.close()
    raw(file, (database) => database.exec(sql))
    return opened(file)
  }

  test.each([
    ['text that is no JSON', 'update entries set data = \'{"type":\' where seq = 3', /"s".*entry 3 can't be read/],
    ['data that is no object', "update entries set data = '7' where seq = 3", /"s".*entry 3 can't be read/],
    ['a column of another type', "update entries set at = 'yesterday' where seq = 3", /"s".*entry 3 can't be read/],
    ['a missing row', 'delete from entries where seq = 3', /"s".*entry 3 is missing/],
    ['missing rows at the end', 'delete from entries where seq > 2', /"s".*entries 3 to 5 are missing/],
  ])('%s is SessionReadFailed with session and seq, after the good entries', async (_, sql, message) => {
    const store = await damaged(sql)
    const seen: number[] = []
    const reading = async (): Promise<void> => {
      for await (const { seq } of store.load('s')) seen.push(seq)
    }
    const error = await failure(reading())
    expect([error.code, error.retryable]).toEqual(['SessionReadFailed', false])
    expect(error.message).toMatch(message)
    expect(seen).toEqual([1, 2])
  })

  test('a head that is no JSON is SessionReadFailed', async () => {
    const store = await damaged("update sessions set head = '{'")
    await fails('SessionReadFailed', store.list())
  })

  test('a blob whose bytes have changed is SessionReadFailed', async () => {
    const file = newFile()
    const store = opened(file)
    const ref = await store.blobs.put(new TextEncoder().encode('abc'))
    raw(file, (database) => database.exec("update blobs set bytes = x'00'"))
    await fails('SessionReadFailed', store.blobs.get(ref))
  })
})

describe('sqlite: what the driver says', () => {
  test.each([
    ['a full disk', 13, 'SessionWriteFailed', true],
    ['an I/O error (extended code)', 10 + (3 << 8), 'SessionWriteFailed', true],
    ['a busy database (extended code)', 5 + (2 << 8), 'SessionWriteFailed', true],
    ['a read-only file', 8, 'SessionWriteFailed', false],
    ['a file that can not be opened', 14, 'SessionWriteFailed', false],
    ['damage', 11, 'SessionReadFailed', false],
    ['no database', 26, 'SessionReadFailed', false],
    ['no code at all', undefined, 'SessionWriteFailed', true],
    ['database disk image is malformed', undefined, 'SessionReadFailed', false],
    ['file is not a database', undefined, 'SessionReadFailed', false],
    ['attempt to write a readonly database', undefined, 'SessionWriteFailed', false],
  ])('%s becomes the right error', (reason, errcode, code, retryable) => {
    const cause = Object.assign(new Error(reason), { code: 'ERR_SQLITE_ERROR', errcode })
    const error = sqliteFailure(cause, 'appending to session "s"', 'agents.db', 'write')
    expect([error.code, error.retryable, error.cause]).toEqual([code, retryable, cause])
    expect(error.message).toContain(`SQLite database agents.db: appending to session "s" failed (${reason}). `)
  })
})
