import { RondoError } from './core/error.ts'
import type { CoreEvent, EventBody } from './core/event.ts'
import type { CoreResult } from './core/result.ts'
import { cursorOf } from './engine/cursor.ts'
import { type Subscriber, type Wants, wantsChanged } from './engine/hub.ts'
import { leavable, type OnLeave } from './engine/leavable.ts'
import { replay, unknownEnd } from './engine/replay.ts'
import { EventRing, type RingCursor } from './engine/ring.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import { Shown } from './engine/show.ts'
import { RunError } from './errors.ts'
import type { ReadResult } from './read-output.ts'

const defaultRingCapacity = 10_000

/** What a reader of the text alone needs to see. */
function isOfTexts({ type }: CoreEvent): boolean {
  return type === 'text.delta' || type === 'model.retracted' || type === 'model.finished'
}

/** What its readers need of a run. */
interface ReadRun {
  readonly driver: SessionDriver
  /** Of an attached run: the cursor after which its journal is read first. */
  readonly replayAfter: string | undefined
  /** Whether anybody can read. */
  readonly observed: boolean
  /** Whether the journal tells all of it from the start: it was begun by this very handle. */
  isWhole(): boolean
  /** Settles when it is known which run this is, and that it is under way or never will be. */
  started(): Promise<void>
  /** Why it could not begin. */
  failure(): unknown
  count(more: 1 | -1): void
  /** A reader has left, perhaps before the end. */
  leave(): void
  /** The run has ended, or parked. */
  end(result: CoreResult): void
  readonly read: ReadResult
}

/** Hears a run, for those who iterate it: as many readers as there are, each at its own pace. */
export class RunReader implements Subscriber {
  /** Which run it is may show late. */
  runId: string
  readonly #run: ReadRun
  readonly #ring: EventRing
  /** Readers of all events, by now. */
  #readers = 0
  /** While its text alone is read: from where on the ring lacks the rest, and what had been shown by then. */
  #thin: { readonly from: number; readonly seq: number } | undefined
  /** Whether the event that ends its stream has come. */
  #endShown = false
  #ended = false
  #outcome: CoreResult | undefined

  constructor(runId: string, run: ReadRun) {
    this.runId = runId
    this.#run = run
    this.#ring = new EventRing(run.driver.world.ringCapacity ?? defaultRingCapacity)
  }

  get #isGuest(): boolean {
    return this.#run.replayAfter !== undefined
  }

  /** Before anybody has come, all is kept for whoever will. */
  get wants(): Wants {
    if (!this.#run.observed) return 'nothing'
    return this.#readers > 0 || this.#thin === undefined ? 'events' : 'text'
  }

  /** From where on the ring does not hold all that a reader of the events needs. */
  #lacksFrom(): number {
    const { driver } = this.#run
    const thin = this.#thin
    if (thin === undefined) return Number.POSITIVE_INFINITY
    const isWhole = this.#ring.length === thin.from && driver.hub.seq === thin.seq && driver.openPieces(this.runId).length === 0
    if (isWhole && this.#readers === 0) this.#thin = undefined
    return isWhole ? Number.POSITIVE_INFINITY : thin.from
  }

  /** It is another run, of which nothing was told here yet. */
  adopt(runId: string): void {
    this.runId = runId
    this.#thin = undefined
    wantsChanged()
  }

  #count(more: 1 | -1): void {
    this.#readers += more
    wantsChanged()
  }

  event(event: CoreEvent): void {
    this.#endShown ||= event.type === 'run.finished' || event.type === 'run.parked'
    this.#ring.push(event)
  }

  grow(at: number, seq: number, index: number, of: number | undefined, body: EventBody): boolean {
    return this.#ring.grow(at, seq, index, of, body)
  }

  /** The run has ended, or parked. */
  end(_runId: string, result: CoreResult): void {
    this.#outcome = result
    this.#run.end(result)
  }

  /** Nothing more will come. */
  close(): void {
    this.#ended = true
    this.#ring.end()
  }

  events(): AsyncIterableIterator<CoreEvent, void, undefined> {
    return leavable((onLeave) => this.#events(onLeave))
  }

  texts(): AsyncIterableIterator<string, void, undefined> {
    return leavable((onLeave) => this.#texts(onLeave))
  }

  partials(): AsyncIterableIterator<unknown, void, undefined> {
    return leavable((onLeave) => this.#partials(onLeave))
  }

  async *#texts(onLeave: OnLeave): AsyncGenerator<string, void, undefined> {
    let shown = ''
    // Of a run that was begun here the rest can be read again, so it need not be made for a reader of the text.
    if (this.#readers === 0 && !this.#ended && this.#run.isWhole()) {
      this.#thin ??= { from: this.#ring.length, seq: this.#run.driver.hub.seq }
      wantsChanged()
    }
    for await (const event of this.#events(onLeave, isOfTexts)) {
      if (event.type === 'text.delta') {
        shown = `${event.messageId}`
        yield event.text
      } else if (event.type === 'model.retracted' && event.messageId === shown)
        throw new RondoError(
          'OutputRetracted',
          'Text that was shown has been taken back: the model call is tried again. Read events to follow.',
        )
      else if (event.type === 'model.finished') shown = ''
    }
    this.#throwFailure()
  }

  async *#partials(onLeave: OnLeave): AsyncGenerator<unknown, void, undefined> {
    for await (const event of this.#events(onLeave)) if (event.type === 'output.partial') yield event.output
    this.#throwFailure()
  }

  #throwFailure(): void {
    const result = this.#outcome
    if (result?.status === 'failed' || result?.status === 'aborted') throw new RunError(result)
  }

  /** One reader. Leaving before the end lets go of the run. `filter`: of a reader of the text. */
  async *#events(onLeave: OnLeave, filter?: (event: CoreEvent) => boolean): AsyncGenerator<CoreEvent, void, undefined> {
    const cursor = this.#ring.cursor()
    onLeave(() => cursor.close())
    const shown = new Shown(this.#run.replayAfter)
    let lacks = filter === undefined ? this.#lacksFrom() : Number.POSITIVE_INFINITY
    if (filter === undefined) this.#count(1)
    this.#run.count(1)
    try {
      if (this.#isGuest) yield* this.#before(cursor, shown)
      for (;;) {
        if (cursor.position >= lacks) {
          lacks = Number.POSITIVE_INFINITY
          yield* this.#missed(cursor.skip(), shown)
        }
        // What is there already costs no waiting.
        const next = cursor.take()
        if (next === undefined) {
          if (await cursor.more()) continue
          break
        }
        if (next !== 'gap') {
          if (shown.had(next)) continue
          shown.note(next)
          if (filter?.(next) !== false) yield next.type === 'run.finished' ? { ...next, result: await this.#run.read(next.result) } : next
          continue
        }
        if (shown.last === '') shown.last = this.#ring.origin
        yield* this.#missed(cursor.rejoin(), shown)
      }
      if (cursor.closed) return
      const failure = this.#run.failure()
      if (failure !== undefined) throw failure
      // The run ended in the moment before it was known which run this handle is of, or elsewhere: its end is in the journal.
      const isOver = this.#outcome !== undefined && this.#outcome.status !== 'parked'
      if (isOver && !this.#endShown) yield* replay(this.#run.driver, { runId: this.runId, read: this.#run.read }, shown)
    } finally {
      cursor.close()
      if (filter === undefined) this.#count(-1)
      this.#run.count(-1)
      this.#run.leave()
    }
  }

  /** What happened before this reader came: facts from the journal, and what is being shown this very moment. */
  async *#before(cursor: RingCursor, shown: Shown): AsyncGenerator<CoreEvent, void, undefined> {
    await this.#run.started()
    if (this.#run.failure() !== undefined) return
    const { driver } = this.#run
    await driver.current()
    shown.knownEnd = await unknownEnd(driver, cursorOf(shown.last).seq)
    yield* this.#missed(cursor.skip(), shown)
  }

  /** What this reader lacks of what came before `until`; without that, of all there is by now. */
  async *#missed(until: string | undefined, shown: Shown): AsyncGenerator<CoreEvent, void, undefined> {
    const { runId } = this
    const { driver, read } = this.#run
    if (until !== undefined) return yield* replay(driver, { runId, until, read }, shown)
    if (this.#ended) return
    // One moment: up to here the journal tells, and the model call that is open; from here on the ring.
    const open = driver.openPieces(runId)
    yield* replay(driver, { runId, through: driver.hub.seq, read }, shown)
    for (const piece of open) {
      const rest = shown.rest(piece)
      if (rest !== undefined) yield rest
    }
  }
}
