import type { Entry, NewEntry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { AppendOptions, BlobStore, Head, Lease, SessionQuery, SessionSummary, Store } from '../core/store.ts'
import { checkEntries, concurrentWrite, highestEpoch, leaseLost, listLimit, settledStatuses } from './append-rules.ts'
import { MemoryBlobs } from './memory-blobs.ts'
import { Watchers } from './watchers.ts'

export interface MemoryOptions {
  /** How many sessions are kept; beyond it the least recently used ones that no live lease holds leave. Default 1,000. */
  readonly maxSessions?: number
  /** How many bytes of blobs are kept; beyond it the oldest leave. Default 268,435,456 (256 MiB). */
  readonly maxBlobBytes?: number
  /** The store's clock: ms since 1970. Default `Date.now`. */
  readonly clock?: () => number
  /** Called once in the life of the store, when the first session leaves. Default `console.warn`. */
  readonly onWarning?: (message: string) => void
}

/**
 * A store in this process's memory: the default of an agent, bounded, gone when the process ends. `append` resolves without timer
 * or I/O and copies nothing: the entries given are kept as they are (they are immutable), and readers get new envelopes around their `data`.
 * Throws `ConfigInvalid` for a limit that is no positive whole number.
 */
export function memory(options: MemoryOptions = {}): Store {
  return new MemoryStore(options)
}

interface Journal {
  readonly sessionId: string
  /** The order of creation, which breaks ties in `list`. */
  readonly number: number
  /** Kept as given: a stamped copy of each would make an append several times as slow (0.6 to 3 µs on Node 20). */
  readonly entries: NewEntry[]
  /** When each entry was appended. */
  readonly times: number[]
  epoch: number
  lease: { readonly owner: string; until: number } | undefined
  head: Head | undefined
  createdAt: number
  updatedAt: number
}

/** How many candidates one new session looks at to make room: sessions under a live lease are passed over, and finding them must not cost more with their number. */
const evictionScan = 16

class MemoryStore implements Store {
  readonly blobs: BlobStore
  /** In order of use, oldest first. */
  readonly #journals = new Map<string, Journal>()
  readonly #watchers = new Watchers()
  readonly #maxSessions: number
  readonly #clock: () => number
  readonly #onWarning: (message: string) => void
  #newest: Journal | undefined
  #created = 0
  #warned = false
  /** The highest epoch of a session that left: its name may come back, its old leases must not. */
  #epochFloor = 0

  constructor(options: MemoryOptions) {
    this.#maxSessions = positive('maxSessions', options.maxSessions ?? 1000)
    this.#clock = options.clock ?? Date.now
    this.#onWarning = options.onWarning ?? console.warn
    this.blobs = new MemoryBlobs(positive('maxBlobBytes', options.maxBlobBytes ?? 256 * 1024 * 1024))
  }

  /** No async function: this is on the path of every step. */
  append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }> {
    try {
      return Promise.resolve({ at: this.#append(sessionId, entries, options) })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): number {
    const { expectedSeq, epoch, head } = options
    checkEntries({ sessionId, expectedSeq }, entries)
    const found = this.#journals.get(sessionId)
    if (epoch !== undefined && epoch !== found?.epoch) throw leaseLost(sessionId, epoch, found?.epoch)
    const seq = found === undefined ? 0 : found.entries.length
    if (seq !== expectedSeq) {
      const at = found?.times[expectedSeq]
      if (at !== undefined && standAlready(found?.entries ?? [], entries)) return at
      throw concurrentWrite({ sessionId, expectedSeq }, seq)
    }
    const journal = this.#use(sessionId, found)
    // A driver's entries have its own, which is known.
    if (epoch === undefined) journal.epoch = Math.max(journal.epoch, highestEpoch(entries))
    const at = Math.max(journal.updatedAt, this.#clock())
    for (const entry of entries) {
      journal.entries.push(entry)
      journal.times.push(at)
    }
    if (seq === 0) journal.createdAt = at
    journal.updatedAt = at
    if (head !== undefined) journal.head = head
    if (this.#watchers.size > 0) this.#watchers.notify(sessionId, journal.entries.length)
    return at
  }

  async *load(sessionId: string, afterSeq = 0): AsyncGenerator<Entry, void, undefined> {
    const journal = this.#journals.get(sessionId)
    if (journal === undefined) return
    this.#use(sessionId, journal)
    const { entries, times } = journal
    const end = entries.length
    for (let i = afterSeq; i < end; i++) {
      const entry = entries[i]
      const at = times[i]
      if (entry !== undefined && at !== undefined) yield { ...entry, at }
    }
  }

  async acquire(sessionId: string, options: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | undefined> {
    const found = this.#journals.get(sessionId)
    if (found !== undefined && this.#isLeased(found) && found.lease?.owner !== options.owner) return undefined
    const journal = this.#use(sessionId, found)
    journal.epoch++
    journal.lease = { owner: options.owner, until: this.#clock() + options.ttlMs }
    return { epoch: journal.epoch }
  }

  async renew(sessionId: string, options: { readonly epoch: number; readonly ttlMs: number }): Promise<boolean> {
    const journal = this.#journals.get(sessionId)
    if (journal?.lease === undefined || journal.epoch !== options.epoch) return false
    this.#use(sessionId, journal)
    journal.lease.until = this.#clock() + options.ttlMs
    return true
  }

  async release(
    sessionId: string,
    options: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head },
  ): Promise<boolean> {
    const journal = this.#journals.get(sessionId)
    if (journal?.lease === undefined || journal.epoch !== options.epoch) return false
    if (options.head !== undefined && journal.entries.length !== options.expectedSeq) return false
    journal.lease = undefined
    if (options.head !== undefined) journal.head = options.head
    return true
  }

  watch(sessionId: string, afterSeq: number, onChange: (seq?: number) => void): () => void {
    const stop = this.#watchers.add(sessionId, afterSeq, onChange)
    this.#watchers.notify(sessionId, this.#journals.get(sessionId)?.entries.length ?? 0)
    return stop
  }

  async list(query: SessionQuery = {}): Promise<readonly SessionSummary[]> {
    const limit = listLimit(query)
    const matches = this.#matcher(query)
    const found = [...this.#journals.values()].filter((journal) => journal.entries.length > 0 && matches(journal))
    return found
      .sort((a, b) => b.updatedAt - a.updatedAt || b.number - a.number)
      .slice(0, limit)
      .map(summary)
  }

  async delete(sessionId: string): Promise<void> {
    const journal = this.#journals.get(sessionId)
    if (journal !== undefined) this.#remove(journal)
  }

  async close(): Promise<void> {
    this.#watchers.clear()
  }

  #matcher({ agent, ...query }: SessionQuery): (journal: Journal) => boolean {
    const matches = this.#anyOf(query)
    return agent === undefined ? matches : (journal) => (journal.head?.agent ?? agent) === agent && matches(journal)
  }

  /** A session that fits any of the filters given is listed; without filters, every one. */
  #anyOf({ dueBefore, ownerLost, waitingOnHuman }: Omit<SessionQuery, 'agent'>): (journal: Journal) => boolean {
    if (dueBefore === undefined && ownerLost !== true && waitingOnHuman !== true) return () => true
    return (journal) =>
      (dueBefore !== undefined && journal.head?.wakeAt !== undefined && journal.head.wakeAt <= dueBefore && !this.#isLeased(journal)) ||
      (ownerLost === true && journal.lease !== undefined && !this.#isLeased(journal) && !isSettled(journal.head)) ||
      (waitingOnHuman === true && journal.head?.status === 'awaiting_human')
  }

  #isDue({ head }: Journal): boolean {
    return head?.wakeAt !== undefined && head.wakeAt <= this.#clock()
  }

  #isLeased(journal: Journal): boolean {
    return journal.lease !== undefined && journal.lease.until > this.#clock()
  }

  /** Finds or creates the session and makes it the most recently used. */
  #use(sessionId: string, found: Journal | undefined): Journal {
    if (found !== undefined && found === this.#newest) return found
    const journal = found ?? this.#newJournal(sessionId)
    this.#journals.delete(sessionId)
    this.#journals.set(sessionId, journal)
    this.#newest = journal
    if (found === undefined) this.#makeRoom(journal)
    return journal
  }

  #newJournal(sessionId: string): Journal {
    this.#created++
    const empty = { entries: [], times: [], lease: undefined, head: undefined, createdAt: 0, updatedAt: 0 }
    return { sessionId, number: this.#created, epoch: this.#epochFloor, ...empty }
  }

  #makeRoom(created: Journal): void {
    let looks = evictionScan
    for (const journal of this.#journals.values()) {
      if (this.#journals.size <= this.#maxSessions || looks-- === 0) return
      if (journal === created) continue
      if (this.#isLeased(journal) || this.#isDue(journal)) {
        // A lease, or work that somebody is about to take up, is a use: at the end of the order the next scan does not meet it again.
        this.#journals.delete(journal.sessionId)
        this.#journals.set(journal.sessionId, journal)
        this.#newest = journal
      } else {
        this.#remove(journal)
        this.#warnOnce()
      }
    }
  }

  #remove(journal: Journal): void {
    this.#journals.delete(journal.sessionId)
    this.#epochFloor = Math.max(this.#epochFloor, journal.epoch)
    if (this.#newest === journal) this.#newest = undefined
  }

  #warnOnce(): void {
    if (this.#warned) return
    this.#warned = true
    this.#onWarning(
      `rondo: the memory store keeps ${this.#maxSessions} sessions; the least recently used ones are being dropped. Raise maxSessions, or keep sessions in a durable store (rondo/sqlite).`,
    )
  }
}

function standAlready(stored: readonly NewEntry[], entries: readonly NewEntry[]): boolean {
  return entries.every((entry) => stored[entry.seq - 1]?.id === entry.id)
}

function isSettled(head: Head | undefined): boolean {
  return head !== undefined && settledStatuses.includes(head.status)
}

function summary({ sessionId, entries, createdAt, updatedAt, head }: Journal): SessionSummary {
  return { sessionId, seq: entries.length, createdAt, updatedAt, ...(head === undefined ? {} : { head }) }
}

function positive(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RondoError('ConfigInvalid', `memory(): ${name} must be a whole number from 1 on, not ${value}.`)
  return value
}
