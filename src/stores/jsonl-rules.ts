import type { NewEntry } from '../core/entry.ts'
import type { AppendOptions, Head, Lease, SessionQuery, SessionSummary } from '../core/store.ts'
import { concurrentWrite, highestEpoch, leaseLost, settledStatuses } from './append-rules.ts'
import type { FileState } from './jsonl-inspect.ts'
import { entryLine, headLine } from './jsonl-records.ts'

/** Who drives a session. In memory only: whoever holds a lease lives in this process, as the folder is its own. */
export interface Holding {
  readonly lease: { readonly owner: string; readonly until: number } | undefined
  readonly epoch: number
  /** Whether this store object gave the epoch, so that there may be somebody who writes under it. */
  readonly granted: boolean
}

/** A session as a store object knows it. */
export interface SessionState extends FileState, Holding {
  readonly exists: boolean
  /** Whether the file and its name are known to be on the disk. */
  readonly settled: boolean
}

/** A session with what is to be written of it. A refusal comes before the first change. */
export interface Draft extends Writable<SessionState> {
  readonly lines: string[]
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** `undefined` when the place is behind: what stands there must be looked at. */
export function append(
  draft: Draft,
  sessionId: string,
  entries: readonly NewEntry[],
  { expectedSeq, epoch, head }: AppendOptions,
  now: number,
): { readonly at: number } | undefined {
  if (epoch !== undefined && !(draft.granted && epoch === draft.epoch)) throw leaseLost(sessionId, epoch, known(draft))
  if (expectedSeq < draft.seq) return undefined
  if (expectedSeq > draft.seq) throw concurrentWrite({ sessionId, expectedSeq }, draft.seq)
  const at = Math.max(draft.at, now)
  const lines = entries.map((entry) => entryLine(entry, at))
  stage(draft, lines, {
    at,
    createdAt: draft.seq === 0 ? at : draft.createdAt,
    seq: draft.seq + entries.length,
    epoch: Math.max(draft.epoch, highestEpoch(entries)),
    head: head ?? draft.head,
  })
  return { at }
}

export function acquire(
  draft: Draft,
  { owner, ttlMs }: { readonly owner: string; readonly ttlMs: number },
  now: number,
): Lease | undefined {
  if (draft.lease !== undefined && draft.lease.owner !== owner && draft.lease.until > now) return undefined
  draft.epoch++
  draft.granted = true
  draft.lease = { owner, until: now + ttlMs }
  return { epoch: draft.epoch }
}

export function renew(draft: Draft, { epoch, ttlMs }: { readonly epoch: number; readonly ttlMs: number }, now: number): boolean {
  if (draft.lease === undefined || !draft.granted || draft.epoch !== epoch) return false
  draft.lease = { owner: draft.lease.owner, until: now + ttlMs }
  return true
}

export function release(
  draft: Draft,
  { epoch, expectedSeq, head }: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head },
): boolean {
  if (draft.lease === undefined || !draft.granted || draft.epoch !== epoch) return false
  if (head !== undefined && draft.seq !== expectedSeq) return false
  if (head !== undefined || draft.held) stage(draft, [], { lease: undefined, head: head ?? draft.head })
  draft.lease = undefined
  return true
}

/** What can't be made text throws before anything is changed. */
function stage(draft: Draft, lines: readonly string[], change: Partial<SessionState>): void {
  const next = { ...draft, ...change }
  const { head = null, seq, at, createdAt, epoch } = next
  const held = next.lease !== undefined
  draft.lines.push(headLine({ head, entries: lines.length, seq, at, createdAt, epoch, held }))
  for (const line of lines) draft.lines.push(line)
  Object.assign(draft, change, { held })
}

function known({ granted, exists, epoch }: Draft): number | undefined {
  return granted || exists ? epoch : undefined
}

/** Of the sessions that fit any of the filters (all, without one) those that may be this agent's. */
export function matcher({ agent, ...query }: SessionQuery, now: number): (state: Pick<SessionState, 'head' | 'lease'>) => boolean {
  const matches = anyOf(query, now)
  return agent === undefined ? matches : (state) => (state.head?.agent ?? agent) === agent && matches(state)
}

function anyOf(
  { dueBefore, ownerLost, waitingOnHuman }: Omit<SessionQuery, 'agent'>,
  now: number,
): (state: Pick<SessionState, 'head' | 'lease'>) => boolean {
  if (dueBefore === undefined && ownerLost !== true && waitingOnHuman !== true) return () => true
  return ({ head, lease }) => {
    const isLeased = lease !== undefined && lease.until > now
    const isDue = dueBefore !== undefined && head?.wakeAt !== undefined && head.wakeAt <= dueBefore && !isLeased
    const isLost = ownerLost === true && lease !== undefined && !isLeased && !(head !== undefined && settledStatuses.includes(head.status))
    return isDue || isLost || (waitingOnHuman === true && head?.status === 'awaiting_human')
  }
}

export function summaryOf(
  sessionId: string,
  { seq, at, createdAt, head }: Pick<FileState, 'seq' | 'at' | 'createdAt' | 'head'>,
): SessionSummary {
  return { sessionId, seq, createdAt, updatedAt: at, ...(head === undefined ? {} : { head }) }
}
