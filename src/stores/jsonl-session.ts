import { dirname } from 'node:path'
import type { Entry, NewEntry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { AppendOptions, SessionSummary } from '../core/store.ts'
import { concurrentWrite } from './append-rules.ts'
import {
  type Files,
  fileFailure,
  readAt,
  type Slots,
  type Source,
  type Synchronous,
  syncFolder,
  unlessMissing,
  withFile,
} from './jsonl-files.ts'
import { type FileState, foldOfDamaged, inspect, type Place, type Warn } from './jsonl-inspect.ts'
import { entriesAfter, standingSince } from './jsonl-load.ts'
import { append, type Draft, type Holding, type SessionState, summaryOf } from './jsonl-rules.ts'
import { writeLines } from './jsonl-write.ts'

/** What the sessions of a store object share. */
export interface Surroundings {
  readonly files: Files
  readonly slots: Slots
  readonly synchronous: Synchronous
  readonly clock: () => number
  readonly warn: Warn
  /** Called when a session has nothing to do any more. */
  readonly onIdle: (session: JsonlSession) => void
}

interface Operation {
  readonly what: string
  /**
   * Stages what it wants to be written and returns how to answer once that was done; `undefined` when it must be done alone. A refusal is thrown
   * before the first change.
   */
  readonly stage?: (draft: Draft) => (() => void) | undefined
  /** Done when what came before it was written. */
  readonly alone?: () => Promise<void>
  reject(error: unknown): void
}

/** What is written together. */
interface Batch {
  draft?: Draft
  readonly staged: { readonly operation: Operation; readonly answer: () => void }[]
}

const nothing = { exists: false, length: 0, unended: false, settled: false }
const absent = { ...nothing, seq: 0, at: 0, createdAt: 0, epoch: 0, head: undefined, held: false }

/** One session and its file. What is done to it waits in a queue; what has come while the file was being written is written together. */
export class JsonlSession {
  readonly place: Place
  readonly #shared: Surroundings
  readonly #name: string
  #state: SessionState | undefined
  /** What a look at the file can't say. */
  #holding: Holding
  /** Raised when the file is deleted: a reader must not go on in another file of this name. */
  #generation = 0
  #queue: Operation[] = []
  #working: Promise<void> | undefined

  constructor(place: Place, shared: Surroundings, holding: Holding) {
    this.place = place
    this.#shared = shared
    this.#name = `session ${JSON.stringify(place.sessionId)}`
    this.#holding = holding
  }

  /** `undefined` before the file was looked at, and after a write that failed. */
  get state(): SessionState | undefined {
    return this.#state
  }

  get holding(): Holding {
    return this.#state ?? this.#holding
  }

  append(entries: readonly NewEntry[], options: AppendOptions): Promise<{ readonly at: number }> {
    const { sessionId } = this.place
    return new Promise((resolve, reject) => {
      const stage = (draft: Draft): (() => void) | undefined => {
        const done = append(draft, sessionId, entries, options, this.#shared.clock())
        return done === undefined ? undefined : () => resolve(done)
      }
      const alone = async (): Promise<void> => resolve(await this.#standing(entries, options.expectedSeq))
      this.#push({ what: 'appending to', stage, alone, reject })
    })
  }

  /** Resolves when what the work wants to be written is on the disk. */
  write<T>(what: string, work: (draft: Draft) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const stage = (draft: Draft): (() => void) => {
        const value = work(draft)
        return () => resolve(value)
      }
      this.#push({ what, stage, reject })
    })
  }

  /** Also of a session that can't be read. */
  delete(): Promise<void> {
    const { files, synchronous } = this.#shared
    const { path } = this.place
    return this.#alone('deleting', async () => {
      const { epoch } = await this.#read().catch(() => this.#holding)
      this.#generation++
      this.#state = undefined
      this.#holding = { lease: undefined, epoch, granted: false }
      await unlessMissing(files.unlink(path))
      if (synchronous === 'full') await syncFolder(files, dirname(path))
      this.#state = this.#joined(absent)
    })
  }

  /** The session as it stands. */
  async look(): Promise<SessionState> {
    return this.#state ?? this.#alone('reading', () => this.#read())
  }

  /** In batches. */
  async *load(afterSeq: number): AsyncGenerator<readonly Entry[], void, undefined> {
    const state = await this.look()
    try {
      yield* entriesAfter(this.#source(), this.place, state, afterSeq)
    } catch (error) {
      throw fileFailure(error, `loading ${this.#name}`, this.place.path, 'read')
    }
  }

  /** For a list that names a session whose file can't be read: what stands before the damage. */
  async summaryOfDamaged(): Promise<SessionSummary> {
    const { at, createdAt, seq } = await foldOfDamaged(this.#source(), this.place.sessionId)
    return summaryOf(this.place.sessionId, { seq, at, createdAt, head: undefined })
  }

  /** Resolves when nothing is left to be done. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working
  }

  /** Opens the file for each chunk: a reader that takes its time must not keep it open. */
  #source(): Source {
    const { files, slots } = this.#shared
    const generation = this.#generation
    return (position, length) => {
      if (generation === this.#generation)
        return slots.use(() => withFile(files, this.place.path, 'r', (handle) => readAt(handle, position, length)))
      throw new RondoError('SessionReadFailed', `The ${this.#name} was deleted while it was being read.`, { retryable: false })
    }
  }

  #alone<T>(what: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#push({ what, alone: async () => resolve(await work()), reject })
    })
  }

  #push(operation: Operation): void {
    this.#queue.push(operation)
    this.#working ??= this.#work()
  }

  async #work(): Promise<void> {
    // What is asked for in one go is written together.
    await Promise.resolve()
    while (this.#queue.length > 0) await this.#turn(this.#queue.splice(0))
    this.#working = undefined
    this.#shared.onIdle(this)
  }

  async #turn(operations: readonly Operation[]): Promise<void> {
    let batch: Batch = { staged: [] }
    for (const operation of operations) {
      try {
        const answer = operation.stage === undefined ? undefined : await this.#stage(batch, operation.stage)
        if (answer !== undefined) batch.staged.push({ operation, answer })
        else {
          await this.#commit(batch)
          batch = { staged: [] }
          await operation.alone?.()
        }
      } catch (error) {
        this.#reject(operation, error)
      }
    }
    await this.#commit(batch)
  }

  async #stage(batch: Batch, stage: (draft: Draft) => (() => void) | undefined): Promise<(() => void) | undefined> {
    batch.draft ??= { ...(await this.#read()), lines: [] }
    return stage(batch.draft)
  }

  async #commit({ draft, staged }: Batch): Promise<void> {
    if (draft === undefined) return
    const { lines, ...state } = draft
    const { files, slots, synchronous } = this.#shared
    try {
      const isWritten = lines.length > 0
      const length = isWritten ? await slots.use(() => writeLines(files, this.place, state, lines, synchronous)) : state.length
      this.#holding = { lease: state.lease, epoch: state.epoch, granted: state.granted }
      this.#state = isWritten ? { ...state, length, exists: true, unended: false, settled: true } : state
      for (const { answer } of staged) answer()
    } catch (error) {
      // The file is looked at anew before anything else is done to it.
      this.#state = undefined
      // One append that the disk refuses (too large for what is left) must not take the others with it.
      if (staged.length > 1) for (const { operation } of staged) await this.#turn([operation])
      else for (const { operation } of staged) this.#reject(operation, error)
    }
  }

  #reject({ what, reject }: Operation, error: unknown): void {
    reject(fileFailure(error, `${what} ${this.#name}`, this.place.path, 'write'))
  }

  async #read(): Promise<SessionState> {
    if (this.#state !== undefined) return this.#state
    const { files, slots, warn } = this.#shared
    const { path } = this.place
    try {
      const found = await slots.use(() => unlessMissing(withFile(files, path, 'r+', (handle) => inspect(handle, this.place, warn))))
      this.#state = this.#joined(found === undefined ? absent : { ...found, exists: true, settled: false })
      return this.#state
    } catch (error) {
      throw fileFailure(error, `reading ${this.#name}`, path, 'read')
    }
  }

  /** A driver that the file knows and this store object does not has died with its process: its lease has run out. */
  #joined(found: FileState & Pick<SessionState, 'exists' | 'settled'>): SessionState {
    const { lease, granted, epoch } = this.#holding
    const lost = found.held && !granted ? { owner: '', until: 0 } : undefined
    return { ...found, lease: lease ?? lost, granted: granted && epoch >= found.epoch, epoch: Math.max(epoch, found.epoch) }
  }

  /** The same entries (by id) at that place are a success, once they are surely on the disk. */
  async #standing(entries: readonly NewEntry[], expectedSeq: number): Promise<{ readonly at: number }> {
    const state = await this.#read()
    const at = await standingSince(this.#source(), this.place, state, entries, expectedSeq)
    if (at === undefined) throw concurrentWrite({ sessionId: this.place.sessionId, expectedSeq }, state.seq)
    const { files, synchronous } = this.#shared
    const { path } = this.place
    if (!state.settled && synchronous === 'full') {
      await withFile(files, path, 'r+', (handle) => handle.sync())
      await syncFolder(files, dirname(path))
      this.#state = { ...state, settled: true }
    }
    return { at }
  }
}
