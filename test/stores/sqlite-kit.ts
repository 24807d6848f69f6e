import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import type { RondoError } from '../../src/core/error.ts'
import type { Store } from '../../src/core/store.ts'
import { type SqliteOptions, sqlite } from '../../src/stores/sqlite.ts'
import { type Database, loadDriver } from '../../src/stores/sqlite-driver.ts'

const folders: string[] = []
const open: Store[] = []

export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-sqlite-'))
  folders.push(folder)
  return join(folder, 'agents.db')
}

export function opened(file: string, options?: SqliteOptions): Store {
  const store = sqlite(file, options)
  open.push(store)
  return store
}

/** The file as another program sees it. */
export function raw<T>(file: string, work: (database: Database) => T): T {
  const { DatabaseSync } = loadDriver()
  const database = new DatabaseSync(file)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

export async function failure(promise: Promise<unknown>): Promise<RondoError> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  )
}

afterEach(async () => {
  for (const store of open.splice(0)) await store.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
