import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { RondoError } from '../core/error.ts'
import type { Database, SqlValue } from './sqlite-driver.ts'
import { loadDriver } from './sqlite-driver.ts'

/** The format written by this version, in `user_version`. A migration to a later one goes into `migrate`, from version to version. */
const schemaVersion = 1
/** 'Rndo': marks the file as ours, so that another program's database is never taken for a journal. */
const applicationId = 0x526e646f

// An entry's session is a small number, as it stands in both indexes of each row. The partial indexes hold only the sessions
// that a sweep looks for.
const schema = `
  create table sessions (
    key integer primary key,
    id text not null unique,
    seq integer not null,
    epoch integer not null,
    owner text,
    lease_until integer,
    status text,
    wake_at integer,
    head text,
    created_at integer not null,
    updated_at integer not null
  );
  create index sessions_updated on sessions (updated_at);
  create index sessions_due on sessions (wake_at) where wake_at is not null;
  create index sessions_leased on sessions (lease_until) where owner is not null;
  create index sessions_human on sessions (updated_at) where status = 'awaiting_human';
  create table entries (
    session integer not null,
    seq integer not null,
    v integer not null,
    id text not null,
    at integer not null,
    epoch integer,
    run_id text,
    kind text not null,
    data text not null,
    primary key (session, seq),
    unique (session, id)
  );
  create table blobs (ref text primary key, bytes blob not null, created_at integer not null);
  create table epochs (floor integer not null);
  insert into epochs values (0);
  pragma application_id = ${applicationId};
  pragma user_version = ${schemaVersion};
`

export interface OpenOptions {
  readonly synchronous: 'full' | 'normal'
  readonly busyTimeoutMs: number
  readonly maxBytes: number | undefined
}

/** Opens the file, creates it (mode 0600, its folder too) where it is missing, and brings it to this version's format. */
export function openDatabase(path: string, options: OpenOptions): Database {
  const { DatabaseSync } = loadDriver()
  if (path !== ':memory:' && !existsSync(path)) createFile(path)
  const database = new DatabaseSync(path)
  try {
    database.exec(`pragma busy_timeout = ${Math.ceil(options.busyTimeoutMs)}`)
    checkOrigin(database, path)
    if (path !== ':memory:' && pragma(database, 'journal_mode') !== 'wal') database.exec('pragma journal_mode = wal')
    database.exec(`pragma synchronous = ${options.synchronous}`)
    if (options.maxBytes !== undefined) limitSize(database, options.maxBytes)
    migrate(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite gives its side files (-wal, -shm) the mode of the database. */
function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const next = 'Choose a path in a folder that this process can write.'
    throw new RondoError('SessionWriteFailed', `SQLite database ${path} could not be created (${reason}). ${next}`, {
      cause: error,
      retryable: false,
    })
  }
}

/** Runs before anything is changed: not even the journal mode of a file that is not ours or not for us. */
function checkOrigin(database: Database, path: string): void {
  const version = Number(pragma(database, 'user_version'))
  if (version > schemaVersion) {
    throw new RondoError(
      'SessionMigrationFailed',
      `SQLite database ${path} has format ${version}, but this version of Rondo knows formats up to ${schemaVersion}. Nothing was changed; update Rondo to open it.`,
    )
  }
  const isEmpty = version === 0 && database.prepare('select 1 from sqlite_master limit 1').get() === undefined
  if (!isEmpty && pragma(database, 'application_id') !== applicationId) {
    throw new RondoError(
      'ConfigInvalid',
      `SQLite database ${path} belongs to another program. Nothing was changed; give sqlite() a file of its own.`,
    )
  }
}

function migrate(database: Database, path: string): void {
  if (pragma(database, 'user_version') === schemaVersion) return
  inTransaction(database, () => {
    checkOrigin(database, path)
    // Another process may have been first.
    if (pragma(database, 'user_version') !== schemaVersion) database.exec(schema)
  })
}

function limitSize(database: Database, maxBytes: number): void {
  const pageSize = Number(pragma(database, 'page_size'))
  database.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`)
}

function pragma(database: Database, name: string): SqlValue | undefined {
  const value = database.prepare(`pragma ${name}`).get()?.[name]
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}

/** All or nothing. The write lock is taken at the beginning, so that a busy database is met before anything was done. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    try {
      database.exec('rollback')
    } catch {
      // A full disk or an I/O error has rolled it back already.
    }
    throw error
  }
}
