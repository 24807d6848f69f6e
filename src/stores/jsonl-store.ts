import { join } from 'node:path'
import type { Entry, NewEntry } from '../core/entry.ts'
import { messageOf, RondoError } from '../core/error.ts'
import type { AppendOptions, BlobStore, Head, Lease, SessionQuery, SessionSummary, Store } from '../core/store.ts'
import { checkEntries, listLimit } from './append-rules.ts'
import { JsonlBlobs } from './jsonl-blobs.ts'
import { type Files, fileFailure, Slots, type Synchronous } from './jsonl-files.ts'
import { blobsIn, type Folder, openFolder } from './jsonl-folder.ts'
import { writeLeases } from './jsonl-leases.ts'
import { fileNameOf } from './jsonl-names.ts'
import { acquire, type Holding, matcher, release, renew, summaryOf } from './jsonl-rules.ts'
import { sessionFiles } from './jsonl-scan.ts'
import { JsonlSession, type Surroundings } from './jsonl-session.ts'
import { Watchers } from './watchers.ts'

/** How many files are open at once: enough to keep a disk busy, and far below what a process may open. */
const openFiles = 16

/** The options of `jsonlStore`, with their defaults. */
export interface Settings {
  readonly directory: string
  readonly synchronous: Synchronous
  readonly clock: () => number
  readonly onWarning: (message: string) => void
}

export class JsonlStore implements Store {
  readonly blobs: BlobStore = {
    put: (bytes) => {
      // What is done to the bytes from here on does not reach the store.
      const copy = Buffer.from(bytes)
      return this.#do('writing a blob', 'write', () => this.#blobs.put(copy))
    },
    get: (ref) => this.#do(`reading blob ${ref}`, 'read', () => this.#blobs.get(ref)),
  }
  readonly #directory: string
  readonly #files: Files
  readonly #synchronous: Synchronous
  readonly #clock: () => number
  readonly #shared: Surroundings
  readonly #blobs: JsonlBlobs
  readonly #watchers = new Watchers()
  /** In the order in which they became known, which breaks ties in `list`. */
  readonly #sessions = new Map<string, JsonlSession>()
  /** What is under way, for `close` to wait for. */
  readonly #pending = new Set<Promise<unknown>>()
  readonly #damaged = new Map<string, SessionSummary>()
  #folder: Promise<Folder> | undefined
  #leases = new Map<string, Holding>()
  /** At least the epoch of each session that is not known here. */
  #floor = 0
  #scan: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor({ directory, synchronous, clock, onWarning }: Settings, files: Files) {
    const slots = new Slots(openFiles)
    this.#directory = directory
    this.#files = files
    this.#synchronous = synchronous
    this.#clock = clock
    this.#blobs = new JsonlBlobs(blobsIn(directory), files, slots, synchronous)
    this.#shared = { files, slots, synchronous, clock, warn: onWarning, onIdle: (session) => this.#forgetIfBlank(session) }
  }

  async append(sessionId: string, entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }> {
    checkEntries({ sessionId, expectedSeq: options.expectedSeq }, entries)
    const answer = await this.#on(sessionId, 'appending to', (session) => session.append(entries, options))
    this.#watchers.notify(sessionId, options.expectedSeq + entries.length)
    return answer
  }

  async *load(sessionId: string, afterSeq = 0): AsyncGenerator<Entry, void, undefined> {
    const session = await this.#on(sessionId, 'loading', async (one) => one)
    for await (const batch of session.load(afterSeq)) for (const entry of batch) yield entry
  }

  acquire(sessionId: string, options: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | undefined> {
    return this.#on(sessionId, 'acquiring', (session) => session.write('acquiring', (draft) => acquire(draft, options, this.#clock())))
  }

  renew(sessionId: string, options: { readonly epoch: number; readonly ttlMs: number }): Promise<boolean> {
    const what = 'renewing the lease on'
    return this.#on(sessionId, what, (session) => session.write(what, (draft) => renew(draft, options, this.#clock())))
  }

  release(sessionId: string, options: { readonly epoch: number; readonly expectedSeq: number; readonly head?: Head }): Promise<boolean> {
    return this.#on(sessionId, 'releasing', (session) => session.write('releasing', (draft) => release(draft, options)))
  }

  watch(sessionId: string, afterSeq: number, onChange: (seq?: number) => void): () => void {
    const stop = this.#watchers.add(sessionId, afterSeq, onChange)
    this.#on(sessionId, 'watching', (session) => session.look()).then(
      ({ seq }) => this.#watchers.notify(sessionId, seq),
      // The same failure meets the watcher when it loads.
      () => this.#watchers.notify(sessionId),
    )
    return stop
  }

  async list(query: SessionQuery = {}): Promise<readonly SessionSummary[]> {
    const limit = listLimit(query)
    await this.#do('listing sessions', 'read', () => this.#lookAtAll())
    const matches = matcher(query, this.#clock())
    const found: SessionSummary[] = []
    for (const [sessionId, { state }] of this.#sessions) {
      const damaged = state === undefined ? this.#damaged.get(sessionId) : undefined
      if (state !== undefined && state.seq > 0 && matches(state)) found.push(summaryOf(sessionId, state))
      if (damaged !== undefined && matches({ head: undefined, lease: undefined })) found.push(damaged)
    }
    // Sorting keeps the order of equals: the newest first.
    return found
      .reverse()
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, limit)
  }

  delete(sessionId: string): Promise<void> {
    return this.#on(sessionId, 'deleting', async (session) => {
      await session.delete()
      this.#damaged.delete(sessionId)
    })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#watchers.clear()
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
    const folder = await this.#folder?.catch(() => undefined)
    if (folder === undefined) return
    for (const session of this.#sessions.values()) await session.idle()
    // Without it the next one gives leases sooner, and nothing else: a disk that is full now must not keep the folder locked.
    const { check, release } = folder
    await check()
      .then(() => this.#keepLeases())
      .catch(() => {})
    await release()
  }

  async #keepLeases(): Promise<void> {
    const now = this.#clock()
    const held = [...this.#sessions.values()].map((session) => [session.place.sessionId, session.holding] as const)
    const leases = [...this.#leases, ...held].filter(([, { lease }]) => lease !== undefined && lease.until > now)
    const floor = held.reduce((highest, [, { epoch }]) => Math.max(highest, epoch), this.#floor)
    await writeLeases(this.#files, this.#directory, { floor, leases: new Map(leases) }, this.#synchronous)
  }

  #on<T>(sessionId: string, what: string, work: (session: JsonlSession) => Promise<T>): Promise<T> {
    return this.#do(`${what} session ${JSON.stringify(sessionId)}`, 'write', () => work(this.#session(sessionId)))
  }

  /** Whatever is done: on an open folder, and waited for by `close`. */
  async #do<T>(what: string, direction: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined)
      throw new RondoError('SessionWriteFailed', `jsonlStore(): ${what} came after close() of ${this.#directory}. Open a new store.`, {
        retryable: false,
      })
    const done = this.#open()
      .then(({ check }) => check())
      .then(work)
    this.#pending.add(done)
    try {
      return await done
    } catch (error) {
      throw fileFailure(error, what, this.#directory, direction)
    } finally {
      this.#pending.delete(done)
    }
  }

  /** At the first use; tried again at the next one when it failed. */
  async #open(): Promise<Folder> {
    try {
      this.#folder ??= openFolder(this.#files, this.#directory, this.#synchronous).then((folder) => {
        this.#floor = folder.kept.floor
        this.#leases = new Map(folder.kept.leases)
        return folder
      })
      return await this.#folder
    } catch (error) {
      this.#folder = undefined
      throw error
    }
  }

  #session(sessionId: string): JsonlSession {
    const known = this.#sessions.get(sessionId)
    if (known !== undefined) return known
    const holding = this.#leases.get(sessionId) ?? { lease: undefined, epoch: this.#floor, granted: false }
    this.#leases.delete(sessionId)
    const path = join(this.#directory, fileNameOf(sessionId))
    const session = new JsonlSession({ sessionId, path }, this.#shared, holding)
    this.#sessions.set(sessionId, session)
    return session
  }

  /** A session without a file that nobody holds is none; a later one of its name starts above its epochs, so that no old lease fits it. */
  #forgetIfBlank(session: JsonlSession): void {
    const { state, place } = session
    if (state === undefined || state.exists || state.lease !== undefined || this.#sessions.get(place.sessionId) !== session) return
    this.#floor = Math.max(this.#floor, state.epoch)
    this.#sessions.delete(place.sessionId)
  }

  /** Reads the folder once; after that only what was not looked at yet, or could not be. */
  async #lookAtAll(): Promise<void> {
    try {
      this.#scan ??= sessionFiles(this.#shared, this.#directory).then((found) => {
        for (const sessionId of found) this.#session(sessionId)
      })
      await this.#scan
    } catch (error) {
      this.#scan = undefined
      throw error
    }
    const unknown = [...this.#sessions.values()].filter(({ state }) => state === undefined)
    await Promise.all(unknown.map((session) => session.look().catch((error: unknown) => this.#noteDamaged(session, error))))
  }

  async #noteDamaged(session: JsonlSession, error: unknown): Promise<void> {
    const { sessionId } = session.place
    if (this.#damaged.has(sessionId)) return
    this.#damaged.set(sessionId, await session.summaryOfDamaged())
    this.#shared.warn(`rondo: a session can't be read: ${messageOf(error)}`)
  }
}
