import type { Control, Target, Voice } from './control.ts'
import * as control from './control.ts'
import { messageOf, RondoError } from './core/error.ts'
import type { CoreEvent } from './core/event.ts'
import type { CoreResult } from './core/result.ts'
import type { Tools } from './core/tool.ts'
import { cursorOf } from './engine/cursor.ts'
import type { Subscriber } from './engine/hub.ts'
import { leavable, type OnLeave } from './engine/leavable.ts'
import { replay, unknownEnd } from './engine/replay.ts'
import { EventRing, type RingCursor } from './engine/ring.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import { Shown } from './engine/show.ts'
import { RunError } from './errors.ts'
import type { Listeners } from './listeners.ts'
import type { Input } from './options.ts'
import type { Decision, DeepPartial, RunEvent, RunResult } from './types.ts'

/**
 * One piece of work, while it happens: iterate it for its events, await `result` for its end. It is no promise itself, so it can be
 * returned from an async function. It goes on without readers; it is aborted only when its last reader leaves before the end and
 * nobody holds the result.
 */
export interface Run<T extends Tools = Tools, O = unknown> extends Control, AsyncIterable<RunEvent<T, O>>, AsyncDisposable {
  readonly sessionId: string
  readonly runId: string
  /** How it ended, or parked. Never rejects for what the run does; rejects when it could not begin. Using it holds the run. */
  readonly result: Promise<RunResult<T, O>>
  /** The text of the last turn. Rejects with `RunError` if the run failed, was aborted or is parked. */
  text(): Promise<string>
  /** The output. Rejects with `RunError` if the run is not complete. */
  output(): Promise<O>
  /** The text as it comes. Throws `OutputRetracted` when text that was shown is taken back, and `RunError` at the end of a failed run. */
  readonly textStream: AsyncIterable<string>
  readonly partialOutputStream: AsyncIterable<DeepPartial<O>>
}

const defaultRingCapacity = 10_000

export interface HandleOptions {
  readonly driver: SessionDriver
  /** The driver that the session has by now. */
  reopen(): SessionDriver
  readonly runId: string
  /** The agent, as it begins a run that follows this one. */
  readonly voice: Voice
  readonly detach: boolean
  /** Whether anybody can read its events; nothing is built for a handle that only waits for the result. */
  readonly observe: boolean
  /** The agent's listeners. */
  readonly listeners: Listeners
  /**
   * Records what is asked for; its rejection is the run's. `adopt` says which run it is, when that was not known before. True: the session
   * is to be driven now.
   */
  start(adopt: (runId: string) => void): Promise<boolean>
  /** Of an attached run, which another process may drive: read the journal after this cursor first ('' = from the start), then follow it. */
  readonly replayAfter?: string
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined
}

/** The one class behind `Run`. Types of tools and output are those the face says: events and results are data. */
export class RunHandle<T extends Tools, O> implements Run<T, O> {
  readonly sessionId: string
  readonly #options: HandleOptions
  readonly #ring: EventRing
  /** The agent's listeners, as they follow this run. */
  readonly #heard: Subscriber
  readonly #result: Promise<CoreResult>
  #runId: string
  #resolve: (result: CoreResult) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #held = false
  #readers = 0
  #ended = false
  #outcome: CoreResult | undefined
  /** Whether the event that ends its stream has come. */
  #endShown = false
  #failure: unknown
  readonly #cleanups: (() => void)[] = []
  /** Said before the run was recorded. */
  readonly #early: ((quiet: boolean) => Promise<void>)[] = []
  #begun = false
  /** Settles when it is known which run this is, and that it is under way or never will be. */
  readonly #started: Promise<void>

  constructor(options: HandleOptions) {
    this.#options = options
    this.#runId = options.runId
    this.sessionId = options.driver.sessionId
    this.#ring = new EventRing(options.driver.world.ringCapacity ?? defaultRingCapacity)
    this.#heard = options.listeners.subscriber(() => this.#runId)
    this.#result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Whoever holds the result sees the rejection; nobody else should be bothered by it.
    this.#result.catch(() => {})
    this.#subscribe()
    if (options.detach && !this.#isGuest) this.#hold()
    this.#started = this.#start()
  }

  get runId(): string {
    return this.#runId
  }

  /** An attached reader comes and goes; the run is somebody else's. */
  get #isGuest(): boolean {
    return this.#options.replayAfter !== undefined
  }

  /** So is a run that was asked for under another id: this call only steers it. */
  get #isSteering(): boolean {
    return !this.#isGuest && this.#options.runId !== '' && this.#options.runId !== this.#runId
  }

  #subscribe(): void {
    const { driver, observe } = this.#options
    const runId = () => this.#runId
    const subscriber: Subscriber = {
      get runId() {
        return runId()
      },
      active: observe,
      event: (event) => {
        this.#endShown ||= event.type === 'run.finished' || event.type === 'run.parked'
        this.#ring.push(event)
      },
      grow: (at, cursor, of, body) => this.#ring.grow(at, cursor, of, body),
      end: (_runId, result) => {
        this.#outcome = result
        this.#end(() => this.#resolve(result))
      },
    }
    this.#cleanups.push(driver.hub.subscribe(this.#heard), driver.hub.subscribe(subscriber))
    if (this.#options.replayAfter !== undefined) this.#cleanups.push(driver.follow())
  }

  async #start(): Promise<void> {
    try {
      const { start, driver } = this.#options
      const drive = await start((runId) => this.#adopt(runId))
      if (!this.#isGuest && !this.#isSteering) {
        driver.interestIn(this.#runId).begun = true
        this.#followSignal()
      }
      // What was said meanwhile comes before anything begins.
      await this.#sayEarly(drive)
      if (drive) driver.wake()
    } catch (error) {
      this.#failure = error
      this.#end(() => this.#reject(error))
      await this.#sayEarly(false)
    }
  }

  /** Which run this is may show late: then its readers and its hold are of that run. */
  #adopt(runId: string): void {
    if (runId === this.#runId) return
    const { driver, listeners } = this.#options
    const isHeard = driver.hub.isHeard(runId, listeners)
    driver.interestIn(this.#runId).readers -= this.#readers
    this.#runId = runId
    driver.interestIn(runId).readers += this.#readers
    if (this.#held) this.#hold()
    // Whoever begins here in the middle of a message begins with what there is of it. A guest's readers ask for that themselves.
    for (const piece of driver.openPieces(runId)) {
      if (!this.#isGuest) this.#ring.push(piece)
      if (!isHeard) this.#heard.event(piece)
    }
  }

  #hold(): void {
    this.#held = true
    if (!this.#ended) this.#options.driver.interestIn(this.#runId).held = true
  }

  /** `quiet`: whoever asks wakes the driver afterwards. */
  async #sayEarly(quiet: boolean): Promise<void> {
    for (let word = this.#early.shift(); word !== undefined; word = this.#early.shift()) await word(quiet)
    this.#begun = true
  }

  /** The caller's signal cancels the run; its listener is gone when the run has ended. */
  #followSignal(): void {
    const { signal } = this.#options
    if (signal === undefined || this.#ended) return
    const onAbort = () => {
      this.abort(abortText(signal)).catch(() => {})
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    this.#cleanups.push(() => signal.removeEventListener('abort', onAbort))
  }

  #end(settle: () => void): void {
    if (this.#ended) return
    this.#ended = true
    this.#ring.end()
    for (const cleanup of this.#cleanups) cleanup()
    this.#options.driver.release()
    settle()
  }

  get result(): Promise<RunResult<T, O>> {
    this.#hold()
    return this.#result as Promise<RunResult<T, O>>
  }

  async text(): Promise<string> {
    const result = await this.result
    if (result.status === 'completed' || result.status === 'incomplete') return result.text
    throw new RunError(await this.#result)
  }

  async output(): Promise<O> {
    const result = await this.result
    if (result.status === 'completed') return result.output
    throw new RunError(await this.#result)
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent<T, O>, void, undefined> {
    return leavable((onLeave) => this.#events(onLeave) as AsyncGenerator<RunEvent<T, O>, void, undefined>)
  }

  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => leavable((onLeave) => this.#texts(onLeave)) }
  }

  get partialOutputStream(): AsyncIterable<DeepPartial<O>> {
    return { [Symbol.asyncIterator]: () => leavable((onLeave) => this.#partials(onLeave)) }
  }

  async *#texts(onLeave: OnLeave): AsyncGenerator<string, void, undefined> {
    let shown = ''
    for await (const event of this.#events(onLeave)) {
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
    const result = this.#outcome
    if (result?.status === 'failed' || result?.status === 'aborted') throw new RunError(result)
  }

  async *#partials(onLeave: OnLeave): AsyncGenerator<DeepPartial<O>, void, undefined> {
    for await (const event of this.#events(onLeave)) if (event.type === 'output.partial') yield event.output as DeepPartial<O>
  }

  /** One reader. Leaving before the end lets go of the run. */
  async *#events(onLeave: OnLeave): AsyncGenerator<CoreEvent, void, undefined> {
    const cursor = this.#ring.cursor()
    onLeave(() => cursor.close())
    const shown = new Shown(this.#options.replayAfter)
    this.#count(1)
    try {
      if (this.#isGuest) yield* this.#before(cursor, shown)
      for (;;) {
        const next = await cursor.next()
        if (next === undefined) break
        if (next !== 'gap') {
          if (shown.had(next)) continue
          shown.note(next)
          yield next
          continue
        }
        if (shown.last === '') shown.last = this.#ring.origin
        yield* this.#missed(cursor.rejoin(), shown)
      }
      if (cursor.closed) return
      if (this.#failure !== undefined) throw this.#failure
      // The run ended in the moment before it was known which run this handle is of, or elsewhere: its end is in the journal.
      const isOver = this.#outcome !== undefined && this.#outcome.status !== 'parked'
      if (isOver && !this.#endShown) yield* replay(this.#options.driver, { runId: this.#runId }, shown)
    } finally {
      cursor.close()
      this.#count(-1)
      this.#leave()
    }
  }

  /** What happened before this reader came: facts from the journal, and what is being shown this very moment. */
  async *#before(cursor: RingCursor, shown: Shown): AsyncGenerator<CoreEvent, void, undefined> {
    await this.#started
    if (this.#failure !== undefined) return
    const { driver } = this.#options
    await driver.current()
    shown.knownEnd = await unknownEnd(driver, cursorOf(shown.last).seq)
    yield* this.#missed(cursor.skip(), shown)
  }

  /** What this reader lacks of what came before `until`; without that, of all there is by now. */
  async *#missed(until: string | undefined, shown: Shown): AsyncGenerator<CoreEvent, void, undefined> {
    const { driver } = this.#options
    const runId = this.#runId
    if (until !== undefined) return yield* replay(driver, { runId, until }, shown)
    if (this.#ended) return
    // One moment: up to here the journal tells, and the model call that is open; from here on the ring.
    const open = driver.openPieces(runId)
    yield* replay(driver, { runId, through: driver.hub.seq }, shown)
    for (const piece of open) {
      const rest = shown.rest(piece)
      if (rest !== undefined) yield rest
    }
  }

  #count(more: 1 | -1): void {
    this.#readers += more
    if (!this.#ended) this.#options.driver.interestIn(this.#runId).readers += more
  }

  /** A run may have several handles (steered, resumed, attached): it is cancelled when the last reader of all has left. */
  #leave(): void {
    if (this.#ended || this.#isGuest) return
    const isLast = () => {
      const { readers, held } = this.#options.driver.interestIn(this.#runId)
      return !held && readers === 0
    }
    if (!isLast()) return
    // Whose run it is may show only now; one that nobody began or resumed here is not ours to cancel.
    this.#control(async (target) => {
      if (isLast() && this.#options.driver.interestIn(this.#runId).begun)
        await control.abort(target, 'The last reader left before the end.')
    }).catch(() => {})
  }

  send(input: Input): Promise<void> {
    return this.#control((target) => control.send(target, input))
  }

  abort(reason?: string): Promise<void> {
    return this.#stop((target) => control.abort(target, reason))
  }

  pause(): Promise<void> {
    return this.#control(control.pause)
  }

  resume(): Promise<void> {
    return this.#control(control.resumeRun)
  }

  decide(...decisions: Decision[]): Promise<void> {
    return this.#control((target) => control.decide(target, decisions))
  }

  submitToolResult(callId: string, output: unknown): Promise<void> {
    return this.#control((target) => control.submitToolResult(target, callId, output))
  }

  /** What is said while the run is being recorded waits for that, and then comes before anything begins. */
  #control(say: (target: Target) => Promise<void>): Promise<void> {
    if (this.#begun) return this.#say(say, false)
    return new Promise((resolve, reject) => {
      this.#early.push((quiet) => this.#say(say, quiet).then(resolve, reject))
    })
  }

  /** After its end the session may have another driver than the one the run began with, and two would fence each other. */
  async #say(say: (target: Target) => Promise<void>, quiet: boolean): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const { driver, reopen, voice } = this.#options
    await say({ driver: this.#ended ? reopen() : driver, runId: this.#runId, voice, quiet })
  }

  /** Aborts the run if it has not ended, and waits for its end; an attached reader, or a call that steers, only lets go. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isGuest) return this.#end(() => {})
    if (!this.#ended) await this.#dispose()
    await this.#result.catch(() => {})
  }

  #dispose(): Promise<void> {
    return this.#stop(async (target) => {
      if (this.#isSteering) this.#end(() => this.#reject(letGo(this.sessionId)))
      else await control.abort(target, 'The run was disposed.')
    })
  }

  /** What never began needs no end. */
  #stop(say: (target: Target) => Promise<void>): Promise<void> {
    return this.#control(say).catch((error: unknown) => {
      if (this.#failure === undefined || error !== this.#failure) throw error
    })
  }
}

function letGo(sessionId: string): RondoError {
  return new RondoError('RunAborted', `This call has let go of the run that it steered in session '${sessionId}'; the run goes on.`)
}

/** Why a caller's signal was aborted. */
export function abortText({ reason }: AbortSignal): string {
  return messageOf(reason)
}
