import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/core/store.ts'
import { type SqliteOptions, sqlite } from '../../src/stores/sqlite.ts'
import { type Database, loadDriver } from '../../src/stores/sqlite-driver.ts'

/** In a folder that is gone after the run of tests (`setup/temporary.ts`). */
export function newFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'rondo-sqlite-')), 'agents.db')
}

/** A store that is closed when the test is over. */
export function opened(file: string, options?: SqliteOptions): Store {
  const store = sqlite(file, options)
  // No hook of this module: test files share it, and its hooks would be those of the file that loads it first.
  onTestFinished(() => store.close())
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
