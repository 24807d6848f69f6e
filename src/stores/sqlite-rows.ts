import type { Entry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { SessionSummary } from '../core/store.ts'
import type { Row } from './sqlite-driver.ts'
import { isEntry, isHead } from './stored.ts'

/** Rows of the file into the store's types. The file is a boundary: what does not parse is an error that names its place. */

export interface SessionRow {
  readonly key: number
  readonly sessionId: string
  readonly seq: number
  readonly epoch: number
  readonly owner: string | undefined
  readonly leaseUntil: number
  readonly createdAt: number
  readonly updatedAt: number
  /** JSON, parsed only by those who want it. */
  readonly head: string | undefined
}

export function sessionFromRow(row: Row): SessionRow {
  const { id, owner, lease_until: leaseUntil, head } = row
  const sessionId = text(id) ?? ''
  const whole = (column: string): number => {
    const value = row[column]
    if (typeof value === 'number') return value
    throw unreadable(sessionId, `its column ${column} holds no number`)
  }
  return {
    key: whole('key'),
    sessionId,
    seq: whole('seq'),
    epoch: whole('epoch'),
    owner: text(owner),
    leaseUntil: typeof leaseUntil === 'number' ? leaseUntil : 0,
    createdAt: whole('created_at'),
    updatedAt: whole('updated_at'),
    head: text(head),
  }
}

export function summaryFromRow(row: Row): SessionSummary {
  const { sessionId, seq, createdAt, updatedAt, head } = sessionFromRow(row)
  const summary = { sessionId, seq, createdAt, updatedAt }
  if (head === undefined) return summary
  const parsed = parse(head)
  if (!isHead(parsed)) throw unreadable(sessionId, 'its head holds no valid JSON')
  return { ...summary, head: parsed }
}

/** The entry of a row that must be number `seq` of the session. */
export function entryFromRow(sessionId: string, seq: number, row: Row): Entry {
  if (row.seq !== seq) throw unreadable(sessionId, `entry ${seq} is missing`)
  const { v, id, at, epoch, run_id: runId, kind } = row
  const entry: unknown = {
    v,
    id,
    seq,
    at,
    ...(epoch === null ? {} : { epoch }),
    ...(runId === null ? {} : { runId }),
    kind,
    data: parse(row.data),
  }
  if (!isEntry(entry)) throw unreadable(sessionId, `entry ${seq} can't be read: a column of its row is damaged`)
  return entry
}

export function unreadable(sessionId: string, why: string): RondoError {
  const next = 'The journal is damaged at this place: restore the database from a backup, or delete the session.'
  return new RondoError('SessionReadFailed', `Session ${JSON.stringify(sessionId)}: ${why}. ${next}`, { retryable: false })
}

function parse(json: unknown): unknown {
  try {
    return typeof json === 'string' ? JSON.parse(json) : undefined
  } catch {
    return undefined
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
