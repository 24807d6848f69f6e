import type { Entry, NewEntry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { AppendOptions, BlobStore, Head, Lease, SessionQuery, SessionSummary, Store } from '../core/store.ts'
import type { Database } from './sqlite-driver.ts'
import { isBusy, sqliteFailure } from './sqlite-driver.ts'
import { SqliteJournal } from './sqlite-journal.ts'
import { entryFromRow } from './sqlite-rows.ts'
import { inTransaction, openDatabase } from './sqlite-schema.ts'
import { Watchers } from './watchers.ts'

export interface SqliteOptions {
  /**
   * `full` (default): what was appended survives a power cut. `normal`: about four times as fast; the last appends before a power
   * cut may be lost, none before a crash of the process.
   */
  readonly synchronous?: 'full' | 'normal'
  /** The largest size of the database file in bytes (its -wal file comes on top). An append beyond it fails with `SessionWriteFailed`. Default: none. */
  readonly maxBytes?: number
  /** How long a write waits for other processes on the file, in ms; this process is blocked meanwhile. Default 5,000. */
  readonly busyTimeoutMs?: number
  /** The store's clock: ms since 1970, used for `at` and leases. Processes that share a file need the same time. Default `Date.now`. */
  readonly clock?: () => number
}

/**
 * A store in one SQLite file, also shared by several processes of one machine. `':memory:'` keeps it in memory.
 *
 * Runs on `node:sqlite` (Node 22.13 and later), else on the optional peer `@photostructure/sqlite`. The file (mode 0600) and its folder
 * are created at the first use; an unusable path or a missing driver (`ConfigInvalid`) shows there. All writes of one turn of the
 * event loop share a transaction; each is all or nothing by itself.
 */
export function sqlite(path: string, options: SqliteOptions = {}): Store {
  if (path === '') throw new RondoError('ConfigInvalid', "sqlite(): the path is empty. Give it a file name, or ':memory:'.")
  for (const name of ['maxBytes', 'busyTimeoutMs'] as const) {
    const value = options[name] ?? 1
    if (!(value > 0)) throw new RondoError('ConfigInvalid', `sqlite(): ${name} must be a positive number, not ${value}.`)
  }
  return new SqliteStore(path, options)
}

/** A write in the queue. `attempt` runs inside a transaction and returns how to answer once that has been committed. */
interface Write {
  readonly what: string
  attempt(journal: SqliteJournal): () => void
  reject(error: unknown): void
}

interface Open {
  readonly database: Database
  readonly journal: SqliteJournal
}

/** A turn with more writes than this goes on in the next one, so that the event loop breathes. */
const writesPerTransaction = 250
/** How often a watched file is looked at for appends of other processes. */
const pollMs = 500

class SqliteStore implements Store {
  readonly blobs: BlobStore = {
    put: (bytes) => this.#write('writing a blob', (journal) => journal.putBlob(bytes)),
    get: async (ref) => this.#read(`reading blob ${ref}`, (journal) => journal.getBlob(ref)),
  }
  readonly #path: string
  readonly #options: SqliteOptions
  readonly #watchers = new Watchers()
  #open: Open | undefined
  #closed = false
  #queue: Write[] = []
  #flush: NodeJS.Immediate | undefined
  #poll: NodeJS.Timeout | undefined
  #seenVersion: unknown

  constructor(path: string, options: SqliteOptions) {
    this.#path = path
    this.#options = options
  }

  async append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }> {
    const result = await this.#write(`appending to ${named(sessionId)}`, (journal) => journal.append(sessionId, entries, options))
    this.#watchers.notify(sessionId, options.expectedSeq + entries.length)
    return result
  }

  async *load(sessionId: string, afterSeq = 0): AsyncGenerator<Entry, void, undefined> {
    const session = this.#read(`loading ${named(sessionId)}`, (journal) => journal.session(sessionId))
    let seq = afterSeq
    while (session !== undefined && seq < session.seq) {
      const rows = this.#read(`loading ${named(sessionId)} after entry ${seq}`, (journal) => journal.page(session, seq))
      for (const row of rows) yield entryFromRow(sessionId, ++seq, row)
    }
  }

  acquire(sessionId: string, options: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | undefined> {
    return this.#write(`acquiring ${named(sessionId)}`, (journal) => journal.acquire(sessionId, options))
  }

  renew(sessionId: string, options: { readonly epoch: number; readonly ttlMs: number }): Promise<boolean> {
    return this.#write(`renewing the lease on ${named(sessionId)}`, (journal) => journal.renew(sessionId, options))
  }

  release(sessionId: string, options: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head }): Promise<boolean> {
    return this.#write(`releasing ${named(sessionId)}`, (journal) => journal.release(sessionId, options))
  }

  watch(sessionId: string, afterSeq: number, onChange: (seq?: number) => void): () => void {
    const stop = this.#watchers.add(sessionId, afterSeq, onChange)
    if (this.#poll === undefined) {
      this.#poll = setInterval(() => this.#lookForOthers(), pollMs).unref()
      this.#seenVersion = undefined
    }
    this.#notifyFromFile(sessionId)
    return () => {
      stop()
      if (this.#watchers.size === 0) this.#stopPolling()
    }
  }

  async list(query: SessionQuery = {}): Promise<readonly SessionSummary[]> {
    return this.#read('listing sessions', (journal) => journal.list(query))
  }

  delete(sessionId: string): Promise<void> {
    return this.#write(`deleting ${named(sessionId)}`, (journal) => journal.remove(sessionId))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    while (this.#queue.length > 0) this.#flushQueue()
    clearImmediate(this.#flush)
    this.#watchers.clear()
    this.#stopPolling()
    this.#open?.database.close()
    this.#open = undefined
  }

  #journal(): Open {
    if (this.#open !== undefined) return this.#open
    const { synchronous = 'full', busyTimeoutMs = 5000, maxBytes, clock = Date.now } = this.#options
    const database = openDatabase(this.#path, { synchronous, busyTimeoutMs, maxBytes })
    this.#open = { database, journal: new SqliteJournal(database, clock) }
    return this.#open
  }

  #read<T>(what: string, work: (journal: SqliteJournal) => T): T {
    this.#checkOpen(what)
    try {
      return work(this.#journal().journal)
    } catch (error) {
      throw sqliteFailure(error, what, this.#path, 'read')
    }
  }

  async #write<T>(what: string, work: (journal: SqliteJournal) => T): Promise<T> {
    this.#checkOpen(what)
    return new Promise((resolve, reject) => {
      const attempt = (journal: SqliteJournal): (() => void) => {
        try {
          const value = work(journal)
          return () => resolve(value)
        } catch (error) {
          if (!RondoError.is(error)) throw error
          // A refusal comes before the first write: it ends this one and leaves the transaction to the others.
          return () => reject(error)
        }
      }
      this.#queue.push({ what, attempt, reject })
      this.#flush ??= setImmediate(() => this.#flushQueue())
    })
  }

  #flushQueue(): void {
    this.#flush = undefined
    this.#transact(this.#queue.splice(0, writesPerTransaction))
    if (this.#queue.length > 0) this.#flush ??= setImmediate(() => this.#flushQueue())
  }

  #transact(writes: readonly Write[]): void {
    try {
      const { database, journal } = this.#journal()
      const answers = inTransaction(database, () => writes.map((write) => write.attempt(journal)))
      for (const answer of answers) answer()
    } catch (error) {
      // One write that the medium refuses (too large for what is left) must not take the others with it. Waiting for the lock again would.
      const isForAll = writes.length === 1 || RondoError.is(error) || isBusy(error)
      if (!isForAll) for (const write of writes) this.#transact([write])
      else for (const write of writes) write.reject(sqliteFailure(error, write.what, this.#path, 'write'))
    }
  }

  #lookForOthers(): void {
    try {
      const version = this.#journal().journal.dataVersion()
      if (version === this.#seenVersion) return
      this.#seenVersion = version
    } catch {
      // The same failure meets the watcher when it is told below and loads.
    }
    for (const sessionId of this.#watchers.sessions()) this.#notifyFromFile(sessionId)
  }

  #notifyFromFile(sessionId: string): void {
    try {
      this.#watchers.notify(sessionId, this.#read(`watching ${named(sessionId)}`, (journal) => journal.session(sessionId))?.seq ?? 0)
    } catch {
      this.#watchers.notify(sessionId)
    }
  }

  #stopPolling(): void {
    clearInterval(this.#poll)
    this.#poll = undefined
  }

  #checkOpen(what: string): void {
    if (this.#closed)
      throw new RondoError('SessionWriteFailed', `SQLite database ${this.#path}: ${what} came after close(). Open a new store.`, {
        retryable: false,
      })
  }
}

function named(sessionId: string): string {
  return `session ${JSON.stringify(sessionId)}`
}
