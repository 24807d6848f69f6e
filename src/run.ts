import type { Control, Target, Voice } from './control.ts'
import * as control from './control.ts'
import { messageOf, RondoError } from './core/error.ts'
import type { CoreResult } from './core/result.ts'
import type { Tools } from './core/tool.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import { RunError } from './errors.ts'
import type { Listeners, ListeningTo } from './listeners.ts'
import type { Input } from './options.ts'
import type { ReadResult } from './read-output.ts'
import { RunReader } from './run-reader.ts'
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
  /**
   * What there is of the output while it comes, each time as a new value; of an answer that does not fit, from the start once more. It is what the model
   * writes, as JSON: the schema has not looked at it yet. Throws `RunError` at the end of a failed run. Nothing comes without an output schema.
   */
  readonly partialOutputStream: AsyncIterable<DeepPartial<O>>
}

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
  /** Reads its results. */
  readonly read: ReadResult
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
  readonly #reader: RunReader
  /** The agent's listeners, as they follow this run. */
  readonly #heard: ListeningTo
  readonly #result: Promise<CoreResult>
  #runId: string
  #resolve: (result: CoreResult | Promise<CoreResult>) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #held = false
  #readers = 0
  #ended = false
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
    this.#heard = options.listeners.subscriber(options.runId, options.read)
    this.#result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Whoever holds the result sees the rejection; nobody else should be bothered by it.
    this.#result.catch(() => {})
    this.#reader = new RunReader(options.runId, {
      driver: options.driver,
      replayAfter: options.replayAfter,
      observed: options.observe,
      isWhole: () => !this.#isGuest && !this.#isSteering && options.runId !== '',
      started: () => this.#started,
      failure: () => this.#failure,
      count: (more) => this.#count(more),
      leave: () => this.#leave(),
      read: options.read,
      end: (result) => this.#end(() => this.#resolve(options.read(result))),
    })
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
    const { driver } = this.#options
    this.#cleanups.push(driver.hub.subscribe(this.#heard), driver.hub.subscribe(this.#reader))
    if (this.#options.replayAfter !== undefined) this.#cleanups.push(driver.follow())
  }

  async #start(): Promise<void> {
    const { start, driver } = this.#options
    // Its run may end, and with it the driver, while others are still heard: then a driver that was given up would be woken.
    const letGo = driver.hold()
    try {
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
    } finally {
      letGo()
    }
  }

  /** Which run this is may show late: then its readers and its hold are of that run. */
  #adopt(runId: string): void {
    if (runId === this.#runId) return
    const { driver, listeners } = this.#options
    const isHeard = driver.hub.isHeard(runId, listeners)
    driver.interestIn(this.#runId).readers -= this.#readers
    this.#runId = runId
    this.#heard.runId = runId
    this.#reader.adopt(runId)
    driver.interestIn(runId).readers += this.#readers
    if (this.#held) this.#hold()
    // Whoever begins here in the middle of a message begins with what there is of it. A guest's readers ask for that themselves.
    for (const piece of driver.openPieces(runId)) {
      if (!this.#isGuest) this.#reader.event(piece)
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
      this.abort(messageOf(signal.reason)).catch(() => {})
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    this.#cleanups.push(() => signal.removeEventListener('abort', onAbort))
  }

  #end(settle: () => void): void {
    if (this.#ended) return
    this.#ended = true
    this.#reader.close()
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
    return this.#reader.events() as AsyncIterableIterator<RunEvent<T, O>, void, undefined>
  }

  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#reader.texts() }
  }

  get partialOutputStream(): AsyncIterable<DeepPartial<O>> {
    return { [Symbol.asyncIterator]: () => this.#reader.partials() as AsyncIterableIterator<DeepPartial<O>, void, undefined> }
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
    const letGo = async (target: Target) => {
      if (this.#isSteering) this.#end(() => this.#reject(steeredOn(this.sessionId)))
      else await control.abort(target, 'The run was disposed.')
    }
    if (!this.#ended) await this.#stop(letGo)
    await this.#result.catch(() => {})
  }

  /** What never began needs no end. */
  #stop(say: (target: Target) => Promise<void>): Promise<void> {
    return this.#control(say).catch((error: unknown) => {
      if (this.#failure === undefined || error !== this.#failure) throw error
    })
  }
}

function steeredOn(sessionId: string): RondoError {
  return new RondoError('RunAborted', `This call has let go of the run that it steered in session '${sessionId}'; the run goes on.`)
}
