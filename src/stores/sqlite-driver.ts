import { createRequire } from 'node:module'
import { RondoError } from '../core/error.ts'

/** The part of `node:sqlite` that the store uses; `@photostructure/sqlite` has the same. Bind strings, numbers, bytes and null only. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

export type SqlValue = string | number | Uint8Array | null
export type Row = { readonly [column: string]: unknown }

export interface Statement {
  run(...values: SqlValue[]): unknown
  get(...values: SqlValue[]): Row | undefined
  all(...values: SqlValue[]): Row[]
  iterate(...values: SqlValue[]): Iterable<Row>
}

interface Driver {
  readonly DatabaseSync: new (path: string) => Database
}

const peer = '@photostructure/sqlite'

/** `node:sqlite` where Node has it (22.13 and later), else the optional peer; throws `ConfigInvalid` when both are missing. */
export function loadDriver(require: (specifier: string) => unknown = createRequire(import.meta.url)): Driver {
  const failures: unknown[] = []
  for (const specifier of ['node:sqlite', peer]) {
    try {
      const driver = withoutSqliteWarning(() => require(specifier))
      if (isDriver(driver)) return driver
    } catch (error) {
      failures.push(error)
    }
  }
  throw new RondoError(
    'ConfigInvalid',
    `sqlite() needs Node 22.13 or later, or on this Node (${process.version}) the package ${peer}: npm install ${peer}@1`,
    { cause: new AggregateError(failures, 'no SQLite driver could be loaded') },
  )
}

function isDriver(value: unknown): value is Driver {
  return typeof value === 'object' && value !== null && 'DatabaseSync' in value && typeof value.DatabaseSync === 'function'
}

/** Node 22 warns once, when `node:sqlite` is loaded, that it is experimental; loading is synchronous, so no other warning gets lost. */
function withoutSqliteWarning<T>(load: () => T): T {
  const original = process.emitWarning
  process.emitWarning = new Proxy(original, {
    apply(target, self, args: unknown[]) {
      if (!(args[1] === 'ExperimentalWarning' && String(args[0]).includes('SQLite'))) Reflect.apply(target, self, args)
    },
  })
  try {
    return load()
  } finally {
    process.emitWarning = original
  }
}

export function isBusy(error: unknown): boolean {
  return locked.includes(resultCode(error) ?? -1)
}

/**
 * The primary result code (https://sqlite.org/rescode.html) of a driver's error; undefined for what SQLite did not say. The peer leaves it out at
 * times: then SQLite's own words tell (`sqlite3_errstr`).
 */
function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return undefined
  return words.find(([text]) => error.message.includes(text))?.[1]
}

const words: readonly (readonly [text: string, code: number])[] = [
  ['is locked', 5],
  ['readonly database', 8],
  ['disk I/O error', 10],
  ['image is malformed', 11],
  ['disk is full', 13],
  ['unable to open database file', 14],
  ['not a database', 26],
]

const locked: readonly number[] = [5, 6]
const damaged: readonly number[] = [11, 26]

const advice: { readonly [code: number]: string } = {
  3: 'No permission: make the file and its folder writable for this process.',
  8: 'The database is read-only: make the file and its folder writable for this process.',
  10: 'The disk failed to read or write: check the disk and the file system.',
  13: 'The disk (or the limit maxBytes) is full: free space or raise the limit, then try again.',
  14: 'The file could not be opened: check the path and the permissions of its folder.',
  18: 'A value is larger than SQLite holds (1 GB): keep large outputs as blobs or shorten them.',
}
const notHelpedByRetry: readonly number[] = [3, 8, 14, 18]

/** What a driver's error means, in Rondo's words. `what` says what was being done to which session. */
export function sqliteFailure(error: unknown, what: string, path: string, direction: 'read' | 'write'): RondoError {
  if (RondoError.is(error)) return error
  const code = resultCode(error) ?? -1
  const reason = error instanceof Error ? error.message : String(error)
  const where = `SQLite database ${path}: ${what} failed (${reason}).`
  if (damaged.includes(code)) {
    const next = 'The file is damaged or no SQLite database: restore it from a backup, or try `sqlite3 FILE .recover`.'
    return new RondoError('SessionReadFailed', `${where} ${next}`, { cause: error, retryable: false })
  }
  const failed = direction === 'read' ? 'SessionReadFailed' : 'SessionWriteFailed'
  if (isBusy(error)) {
    const next = 'Another process held the database for too long: try again, and keep transactions on this file short.'
    return new RondoError(failed, `${where} ${next}`, { cause: error, retryable: true })
  }
  const next = advice[code] ?? 'Try again; if it stays, check the file.'
  return new RondoError(failed, `${where} ${next}`, { cause: error, retryable: !notHelpedByRetry.includes(code) })
}
