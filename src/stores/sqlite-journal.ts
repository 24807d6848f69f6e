import { createHash } from 'node:crypto'
import type { NewEntry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { AppendOptions, Head, Lease, SessionQuery, SessionSummary } from '../core/store.ts'
import { checkEntries, concurrentWrite, highestEpoch, leaseLost, listLimit, refused, settledStatuses } from './append-rules.ts'
import type { Database, Row, SqlValue, Statement } from './sqlite-driver.ts'
import type { SessionRow } from './sqlite-rows.ts'
import { sessionFromRow, summaryFromRow, unreadable } from './sqlite-rows.ts'

/** A page of a journal ends at whichever comes first. */
const pageRows = 500
const pageChars = 4_000_000

/**
 * The store's operations on an open database, all synchronous; the methods that write are called inside a transaction. A `RondoError`
 * of theirs is thrown before their first write, so that the transaction can go on without them.
 */
export class SqliteJournal {
  readonly #database: Database
  readonly #clock: () => number
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database, clock: () => number) {
    this.#database = database
    this.#clock = clock
  }

  append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): { readonly at: number } {
    const { expectedSeq, epoch, head } = options
    checkEntries({ sessionId, expectedSeq }, entries)
    const found = this.session(sessionId)
    if (epoch !== undefined && epoch !== found?.epoch) throw leaseLost(sessionId, epoch, found?.epoch)
    const seq = found?.seq ?? 0
    if (seq !== expectedSeq) {
      const at = found === undefined ? undefined : this.#standingSince(found.key, entries)
      if (at === undefined) throw concurrentWrite({ sessionId, expectedSeq }, seq)
      return { at }
    }
    this.#checkIds(sessionId, found?.key, entries)
    const { key, updatedAt } = found ?? this.#create(sessionId)
    const at = Math.max(updatedAt, this.#clock())
    for (const entry of entries) this.#insert(key, entry, at)
    this.#write(
      'update sessions set seq = ?2, created_at = iif(seq = 0, ?3, created_at), updated_at = ?3, epoch = max(epoch, ?4) where key = ?1',
      key,
      seq + entries.length,
      at,
      highestEpoch(entries),
    )
    if (head !== undefined) this.#setHead(key, head)
    return { at }
  }

  acquire(sessionId: string, { owner, ttlMs }: { readonly owner: string; readonly ttlMs: number }): Lease | undefined {
    const found = this.session(sessionId)
    const now = this.#clock()
    if (found?.owner !== undefined && found.owner !== owner && found.leaseUntil > now) return undefined
    const { key, epoch } = found ?? this.#create(sessionId)
    this.#write('update sessions set epoch = ?2, owner = ?3, lease_until = ?4 where key = ?1', key, epoch + 1, owner, now + ttlMs)
    return { epoch: epoch + 1 }
  }

  renew(sessionId: string, { epoch, ttlMs }: { readonly epoch: number; readonly ttlMs: number }): boolean {
    const found = this.session(sessionId)
    if (found?.owner === undefined || found.epoch !== epoch) return false
    this.#write('update sessions set lease_until = ?2 where key = ?1', found.key, this.#clock() + ttlMs)
    return true
  }

  release(sessionId: string, options: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head }): boolean {
    const found = this.session(sessionId)
    if (found?.owner === undefined || found.epoch !== options.epoch) return false
    if (options.head !== undefined && found.seq !== options.expectedSeq) return false
    this.#write('update sessions set owner = null, lease_until = null where key = ?1', found.key)
    if (options.head !== undefined) this.#setHead(found.key, options.head)
    return true
  }

  /** A later session of this name starts above the epochs of this one, so that no old lease fits it. */
  remove(sessionId: string): void {
    const found = this.session(sessionId)
    if (found === undefined) return
    this.#write('update epochs set floor = max(floor, ?)', found.epoch)
    this.#write('delete from entries where session = ?', found.key)
    this.#write('delete from sessions where key = ?', found.key)
  }

  session(sessionId: string): SessionRow | undefined {
    const row = this.#prepare('select * from sessions where id = ?').get(sessionId)
    return row === undefined ? undefined : sessionFromRow(row)
  }

  /** The next rows after `afterSeq`, as text: an entry is parsed (`entryFromRow`) when its reader comes to it. */
  page({ key, sessionId, seq }: SessionRow, afterSeq: number): readonly Row[] {
    const rows: Row[] = []
    let chars = 0
    const sql = 'select v, id, seq, at, epoch, run_id, kind, data from entries where session = ? and seq > ? order by seq limit ?'
    for (const row of this.#prepare(sql).iterate(key, afterSeq, pageRows)) {
      rows.push(row)
      chars += typeof row.data === 'string' ? row.data.length : 0
      if (chars >= pageChars) break
    }
    if (rows.length === 0) throw unreadable(sessionId, `entries ${afterSeq + 1} to ${seq} are missing`)
    return rows
  }

  list(query: SessionQuery): readonly SessionSummary[] {
    const limit = listLimit(query)
    const filters: string[] = []
    const values: SqlValue[] = []
    if (query.dueBefore !== undefined) {
      filters.push('(wake_at <= ? and (owner is null or lease_until <= ?))')
      values.push(query.dueBefore, this.#clock())
    }
    if (query.ownerLost === true) {
      const settled = settledStatuses.map((status) => `'${status}'`).join(', ')
      filters.push(`(owner is not null and lease_until <= ? and coalesce(status, '') not in (${settled}))`)
      values.push(this.#clock())
    }
    if (query.waitingOnHuman === true) filters.push("status = 'awaiting_human'")
    const where = filters.length === 0 ? '' : `and (${filters.join(' or ')})`
    // A damaged head is found, to be an error that names its session.
    const agents = query.agent === undefined ? '' : "and coalesce(iif(json_valid(head), json_extract(head, '$.agent'), null), ?) = ?"
    if (query.agent !== undefined) values.push(query.agent, query.agent)
    const sql = `select * from sessions where seq > 0 ${where} ${agents} order by updated_at desc, key desc limit ?`
    return this.#prepare(sql)
      .all(...values, limit)
      .map(summaryFromRow)
  }

  putBlob(bytes: Uint8Array): string {
    const ref = blobRef(bytes)
    // Node 22 binds an empty array as null.
    this.#write("insert into blobs values (?, coalesce(?, x''), ?) on conflict do nothing", ref, bytes, this.#clock())
    return ref
  }

  getBlob(ref: string): Uint8Array | undefined {
    const bytes = this.#prepare('select bytes from blobs where ref = ?').get(ref)?.bytes
    if (bytes === undefined) return undefined
    if (!(bytes instanceof Uint8Array) || blobRef(bytes) !== ref) {
      throw new RondoError(
        'SessionReadFailed',
        `Blob ${ref} is damaged: its bytes have another hash. Restore the database from a backup.`,
        { retryable: false },
      )
    }
    return bytes
  }

  /** Changes when another connection has committed (https://sqlite.org/pragma.html#pragma_data_version). */
  dataVersion(): unknown {
    return this.#prepare('pragma data_version').get()?.data_version
  }

  #create(sessionId: string): SessionRow {
    // SQLite's text functions stop at a NUL, and two ids must not become one.
    if (sessionId.includes('\0')) throw refused(sessionId, 'its id holds a NUL character')
    const sql = 'insert into sessions (id, seq, epoch, created_at, updated_at) select ?, 0, floor, 0, 0 from epochs returning *'
    const row = this.#prepare(sql).get(sessionId)
    if (row === undefined) throw new Error('the table epochs is empty')
    return sessionFromRow(row)
  }

  #insert(key: number, entry: NewEntry, at: number): void {
    const { v, id, seq, epoch = null, runId = null, kind, data } = entry
    this.#write('insert into entries values (?, ?, ?, ?, ?, ?, ?, ?, ?)', key, seq, v, id, at, epoch, runId, kind, JSON.stringify(data))
  }

  /** Looked up before the first write; the unique index would find it too, but only by breaking the transaction. */
  #checkIds(sessionId: string, key: number | undefined, entries: readonly NewEntry[]): void {
    for (const entry of entries) {
      const { id } = entry
      const isUsed = key !== undefined && this.#prepare('select 1 from entries where session = ? and id = ?').get(key, id) !== undefined
      const isTwice = entries.find((other) => other.id === id) !== entry
      if (isUsed || isTwice) throw refused(sessionId, `the entry id ${JSON.stringify(id)} is used twice`)
    }
  }

  /** The `at` of the entries, when exactly these (by id) stand at their place. */
  #standingSince(key: number, entries: readonly NewEntry[]): number | undefined {
    let at: number | undefined
    for (const { seq, id } of entries) {
      const row = this.#prepare('select id, at from entries where session = ? and seq = ?').get(key, seq)
      if (row?.id !== id || typeof row.at !== 'number') return undefined
      at ??= row.at
    }
    return at
  }

  #setHead(key: number, head: Head): void {
    const { status, wakeAt = null } = head
    this.#write('update sessions set status = ?2, wake_at = ?3, head = ?4 where key = ?1', key, status, wakeAt, JSON.stringify(head))
  }

  #write(sql: string, ...values: SqlValue[]): void {
    this.#prepare(sql).run(...values)
  }

  #prepare(sql: string): Statement {
    const cached = this.#statements.get(sql)
    if (cached !== undefined) return cached
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function blobRef(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
