import type { Entry, NewEntry } from './entry.ts'
import type { RunStatus } from './reason.ts'

/**
 * What a list of sessions needs to know without reading journals; stored with each append. A head is *due* at `wakeAt`: exactly
 * when `decide` on the journal so far would append or want anything.
 */
export interface Head {
  readonly status: RunStatus
  readonly reason?: string
  /** ms since 1970; 0 = at once; absent = nothing to do until an input comes. */
  readonly wakeAt?: number
  /** How many calls wait for a human or for a result from outside. */
  readonly pending: number
  readonly title?: string
  /** The name of the agent whose run is next, or was last; absent without a run, and in heads that an earlier version has written. */
  readonly agent?: string
}

export interface Lease {
  /**
   * Raised by every `acquire`, above that of every entry too: the journal may have been driven elsewhere and copied here. An append under an
   * older epoch fails.
   */
  readonly epoch: number
}

export interface AppendOptions {
  /** The seq of the last entry the writer has seen; 0 for a session that has none (the append creates it). */
  readonly expectedSeq: number
  /** Given by a driver: the append fails with `SessionLeaseLost` when a newer epoch exists. Inputs have none. */
  readonly epoch?: number
  readonly head?: Head
}

/** What fits any of `dueBefore`, `ownerLost` and `waitingOnHuman`; without these, every session that has an entry. */
export interface SessionQuery {
  /** Of those, the ones whose head names this agent or none. */
  readonly agent?: string
  /** Heads with `wakeAt` at or before this time (ms since 1970) that no live lease holds. */
  readonly dueBefore?: number
  /** Unfinished sessions whose driver's lease has run out. */
  readonly ownerLost?: boolean
  readonly waitingOnHuman?: boolean
  /** Default 100, newest first. */
  readonly limit?: number
}

export interface SessionSummary {
  readonly sessionId: string
  readonly seq: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly head?: Head
}

/** Content-addressed bytes. `put` resolves with `sha256:<hex>` once they are durable; the same bytes have the same ref. */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>
  get(ref: string): Promise<Uint8Array | undefined>
}

/**
 * Keeps journals. One conformance suite runs against every store (`storeConformance` in `rondo/testing`).
 *
 * `append` is all or nothing and durable when it resolves. It stamps every entry with one `at` = max(the last entry's `at`, the
 * store's clock), also returned. It rejects with `SessionConcurrentWrite` when `expectedSeq` is not the last seq, unless the
 * same entries (by id) already stand at exactly that place, which is a success; with `SessionLeaseLost` for a stale epoch; with
 * `SessionWriteFailed` when the medium refuses (disk full).
 */
export interface Store {
  append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }>
  /** Entries after `afterSeq` (default 0) in order; none for an unknown session. */
  load(sessionId: string, afterSeq?: number): AsyncIterable<Entry>
  /** Takes the session for `ttlMs`, or resolves `undefined` while another owner's lease holds. Works before the first append. */
  acquire(sessionId: string, options: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | undefined>
  /** Extends the lease; false when it was lost. */
  renew(sessionId: string, options: { readonly epoch: number; readonly ttlMs: number }): Promise<boolean>
  /**
   * Gives the lease back. With a head only while `expectedSeq` is still the last seq, else it resolves false and changes nothing: there is
   * something to look at. Without a head (after a failed append, when the seq is not known) `expectedSeq` does not count. False for a
   * stale epoch.
   */
  release(sessionId: string, options: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head }): Promise<boolean>
  /**
   * Calls `onChange` soon after entries after `afterSeq` were appended by anybody, with the last seq where it is known; returns the
   * end of it. Calls in a microtask of its own; `onChange` must not throw. May call too often.
   */
  watch(sessionId: string, afterSeq: number, onChange: (seq?: number) => void): () => void
  list(query?: SessionQuery): Promise<readonly SessionSummary[]>
  delete(sessionId: string): Promise<void>
  readonly blobs: BlobStore
  close(): Promise<void>
}
