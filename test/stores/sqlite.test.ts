import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { loadDriver } from '../../src/stores/sqlite-driver.ts'
import { openDatabase } from '../../src/stores/sqlite-schema.ts'
import { entries, entry, eventually, fails, ids, loaded } from '../../src/testing/store-cases/kit.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { failure } from './kit.ts'
import { newFile, opened, raw } from './sqlite-kit.ts'

describe('sqlite keeps the Store contract', () => {
  let file = ''
  const cases = storeConformance({
    open: async (clock) => {
      file = newFile()
      return sqlite(file, { clock })
    },
    reopen: async (clock) => sqlite(file, { clock }),
  })
  for (const { name, run } of cases) test(name, run)
})

describe("sqlite(':memory:') keeps the Store contract", () => {
  for (const { name, run } of storeConformance({ open: async (clock) => sqlite(':memory:', { clock }) })) test(name, run)
})

describe('sqlite: the file', () => {
  test('is made at the first use, with its folder, readable by its owner only', async () => {
    const file = join(newFile(), '..', 'deep', 'er', 'agents.db')
    const store = opened(file)
    expect(existsSync(file)).toBe(false)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600)
  })

  test('is in WAL mode', async () => {
    const file = newFile()
    await opened(file).append('s', entries(0, 1), { expectedSeq: 0 })
    expect(raw(file, (database) => database.prepare('pragma journal_mode').get()?.journal_mode)).toBe('wal')
  })

  test.each([
    ['full', 2],
    ['normal', 1],
  ] as const)('is synced as the option says: %s', (synchronous, level) => {
    const database = openDatabase(newFile(), { synchronous, busyTimeoutMs: 50, maxBytes: undefined })
    expect(database.prepare('pragma synchronous').get()?.synchronous).toBe(level)
    database.close()
  })

  test('one in a place that can not be written is SessionWriteFailed and says what to do', async () => {
    const file = newFile()
    writeFileSync(file, '')
    const error = await failure(opened(join(file, 'agents.db')).append('s', entries(0, 1), { expectedSeq: 0 }))
    expect([error.code, error.retryable]).toEqual(['SessionWriteFailed', false])
    expect(error.message).toMatch(/could not be created .* Choose a path/)
  })

  test('one written by a newer version is SessionMigrationFailed and stays untouched', async () => {
    const file = newFile()
    raw(file, (database) => database.exec('create table future (a); pragma user_version = 2'))
    const before = readFileSync(file)
    const store = opened(file)
    await fails('SessionMigrationFailed', store.append('s', entries(0, 1), { expectedSeq: 0 }))
    await fails('SessionMigrationFailed', loaded(store, 's'))
    await fails('SessionMigrationFailed', store.list())
    expect(readFileSync(file)).toEqual(before)
  })

  test('one of another program is refused and stays untouched', async () => {
    const file = newFile()
    raw(file, (database) => database.exec('create table sessions (id)'))
    const before = readFileSync(file)
    await fails('ConfigInvalid', opened(file).append('s', entries(0, 1), { expectedSeq: 0 }))
    expect(readFileSync(file)).toEqual(before)
  })

  test('one that is no database is SessionReadFailed', async () => {
    const file = newFile()
    writeFileSync(file, 'this is a text file, and a long one'.repeat(500))
    await fails('SessionReadFailed', opened(file).append('s', entries(0, 1), { expectedSeq: 0 }))
    await fails('SessionReadFailed', loaded(opened(file), 's'))
  })

  test('after close every operation fails and says so', async () => {
    const store = opened(newFile())
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await store.close()
    expect((await failure(store.append('s', entries(1, 1), { expectedSeq: 1 }))).message).toMatch(/came after close\(\)/)
    await fails('SessionWriteFailed', loaded(store, 's'))
  })

  test('a bad option is ConfigInvalid at once', () => {
    expect(() => sqlite('')).toThrow(/path is empty/)
    expect(() => sqlite('x.db', { maxBytes: 0 })).toThrow(/maxBytes/)
    expect(() => sqlite('x.db', { busyTimeoutMs: Number.NaN })).toThrow(/busyTimeoutMs/)
  })
})

describe('sqlite: the driver', () => {
  test('without any the error names the install command', () => {
    const missing = (specifier: string): never => {
      throw new Error(`Cannot find module ${specifier}`)
    }
    expect(() => loadDriver(missing)).toThrow(/npm install @photostructure\/sqlite@1/)
  })

  test('its experimental warning is dropped, and no other', () => {
    const seen: unknown[] = []
    const original = process.emitWarning
    process.emitWarning = (...args: unknown[]) => void seen.push(args)
    try {
      loadDriver(() => {
        process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning')
        process.emitWarning('another thing is experimental', 'ExperimentalWarning')
        process.emitWarning('SQLite in a warning of another sort', 'DeprecationWarning')
        return { DatabaseSync: class {} }
      })
    } finally {
      process.emitWarning = original
    }
    expect(seen).toEqual([
      ['another thing is experimental', 'ExperimentalWarning'],
      ['SQLite in a warning of another sort', 'DeprecationWarning'],
    ])
  })
})

describe('sqlite: entry ids', () => {
  test('an id is used once in a session; the append that uses it again is refused whole', async () => {
    const store = opened(newFile())
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    const error = await failure(store.append('s', [entry(3), entry(4, 4, 'e1')], { expectedSeq: 2 }))
    expect([error.code, error.retryable]).toEqual(['SessionWriteFailed', false])
    await fails('SessionWriteFailed', store.append('s', [entry(3), entry(4, 4, 'e3')], { expectedSeq: 2 }))
    expect(await ids(store, 's')).toEqual(['e1', 'e2'])
    await store.append('other', entries(0, 2), { expectedSeq: 0 })
  })

  test('a session id with a NUL is refused', async () => {
    const store = opened(newFile())
    await fails('SessionWriteFailed', store.append('a\0b', entries(0, 1), { expectedSeq: 0 }))
    await fails('SessionWriteFailed', store.acquire('a\0b', { owner: 'a', ttlMs: 1 }))
  })
})

describe('sqlite: two store objects on one file', () => {
  test('see each other: a conflict is detected, a lease holds', async () => {
    const file = newFile()
    const [a, b] = [opened(file), opened(file)]
    await a.append('s', entries(0, 1), { expectedSeq: 0 })
    await fails('SessionConcurrentWrite', b.append('s', entries(0, 1, 'b'), { expectedSeq: 0 }))
    await b.append('s', entries(1, 1, 'b'), { expectedSeq: 1 })
    expect(await ids(a, 's')).toEqual(['e1', 'b2'])
    const { epoch } = (await a.acquire('s', { owner: 'a', ttlMs: 60_000 })) ?? { epoch: 0 }
    expect(await b.acquire('s', { owner: 'b', ttlMs: 60_000 })).toBeUndefined()
    await fails('SessionLeaseLost', b.append('s', entries(2, 1), { expectedSeq: 2, epoch: epoch + 1 }))
  })

  test("watch notices the other's append, of a session that did not exist too", async () => {
    const file = newFile()
    const [a, b] = [opened(file), opened(file)]
    const calls = { old: 0, fresh: 0 }
    await a.append('old', entries(0, 1), { expectedSeq: 0 })
    const stops = [b.watch('old', 1, () => calls.old++), b.watch('fresh', 0, () => calls.fresh++)]
    await a.append('old', entries(1, 1), { expectedSeq: 1 })
    await a.append('fresh', entries(0, 1), { expectedSeq: 0 })
    await eventually('both calls', () => calls.old > 0 && calls.fresh > 0)
    for (const stop of stops) stop()
    expect(calls).toEqual({ old: 1, fresh: 1 })
  })

  test('a write waits while the other holds the file, and fails as retryable when that takes too long', async () => {
    const file = newFile()
    const store = opened(file, { busyTimeoutMs: 50 })
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    const { DatabaseSync } = loadDriver()
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    const error = await failure(store.append('s', entries(1, 1), { expectedSeq: 1 }))
    other.close()
    expect([error.code, error.retryable]).toEqual(['SessionWriteFailed', true])
    expect(error.message).toMatch(/Another process held the database/)
    await store.append('s', entries(1, 1), { expectedSeq: 1 })
  })
})
