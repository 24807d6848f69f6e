import { type AgentParts, type AnyAgentOptions, agentParts, portsOf, portsOver } from './agent-parts.ts'
import type { Answers, Voice } from './control.ts'
import * as control from './control.ts'
import { RondoError } from './core/error.ts'
import { hasNames } from './core/own-parts.ts'
import type { Schema } from './core/schema.ts'
import type { SessionState, WaitingRun } from './core/state.ts'
import type { Store } from './core/store.ts'
import type { Tools } from './core/tool.ts'
import { parseCursor } from './engine/cursor.ts'
import type { RunPorts, World } from './engine/ports.ts'
import { openSession } from './engine/registry.ts'
import type { StandIn } from './engine/run-parts.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import { defaultWorld } from './engine/world.ts'
import { RunError } from './errors.ts'
import { known, noCursor, reaches, refuseMissing, unfinished } from './known-session.ts'
import type { AgentOptions, Input, Rest, RunOptions } from './options.ts'
import { ownOptions } from './own-options.ts'
import { outputReader } from './read-output.ts'
import { isCancelled, recordRequest, requestEntry } from './requests.ts'
import { type HandleOptions, type Run, RunHandle } from './run.ts'
import type { AnyRunOptions } from './run-data.ts'
import { type Session, SessionHandle } from './session.ts'
import { memory } from './stores/memory.ts'
import { type LeftSessions, type SweepOptions, type SweptSession, sweep } from './sweep.ts'
import type { ContextOf, EventOf, OutputOf, RunEvent, RunResult } from './types.ts'
import { checkAgentOptions, checkAttachOptions, checkRunOptions } from './validate.ts'

/** What `resume` takes besides a run's options: answers for calls that wait. */
export type ResumeOptions<T extends Tools, S extends Schema | undefined, C> = Omit<RunOptions<T, S, C>, 'session'> & Answers

export interface AttachOptions {
  /** Default: the session's active run, else its last one. */
  runId?: string
  /**
   * Only events after this one: the `cursor` of an event that a reader of this session got, in whatever process. Between the pieces of a
   * message it stands before that message: the message comes again from its start. Default: from the run's start.
   */
  after?: string
}

/**
 * A model, its instructions and tools: what a user configures once and runs often, on as many sessions as they like. The options are
 * checked at once: everything that is wrong is said in one `ConfigInvalid`. They are not changed, and later changes to them have no
 * effect.
 */
export class Agent<const T extends Tools = readonly [], const S extends Schema | undefined = undefined, C = ContextOf<T>> {
  declare readonly '~tools'?: T
  readonly name: string
  readonly store: Store
  readonly #parts: AgentParts
  readonly #world: World
  readonly #owner: string
  /** What its sweeps have left. */
  readonly #left: LeftSessions = new Map()

  constructor(options: AgentOptions<T, S, C>) {
    checkAgentOptions(options)
    this.name = options.name ?? 'agent'
    this.#world = options.world ?? defaultWorld()
    // Tools and context meet again at run time, when `execute` is called: the compiler can't follow them there.
    this.#parts = agentParts(options as unknown as AnyAgentOptions, this.#world.clock)
    this.store = options.store ?? memory({ clock: () => this.#world.clock.wall() })
    this.#owner = this.#world.id('e')
  }

  /**
   * Runs to the end, or until the run parks (`parkAfterMs`, default 0). Rejects with `RunError` for a run that failed or was aborted
   * (`throwOnError: false`: never), and with what is wrong when it could not begin.
   */
  async run<S2 extends Schema | undefined = S>(
    input: Input,
    ...[options]: Rest<C, RunOptions<T, S2, C>>
  ): Promise<RunResult<T, OutputOf<S2>>> {
    const given = erased(options)
    const result = await this.#launch<OutputOf<S2>>(input, given, false).result
    if ((result.status === 'failed' || result.status === 'aborted') && given.throwOnError !== false) throw new RunError(general(result))
    return result
  }

  /** Starts a run and returns at once. Throws `ConfigInvalid` for options that can't work; what else goes wrong is in the run. */
  stream<S2 extends Schema | undefined = S>(input: Input, ...[options]: Rest<C, RunOptions<T, S2, C>>): Run<T, OutputOf<S2>> {
    return this.#launch<OutputOf<S2>>(input, { parkAfterMs: Number.POSITIVE_INFINITY, ...erased(options) }, true)
  }

  /**
   * Goes on with a session's unfinished run: after a crash, a park or a pause. An unknown session is `SessionNotFound`. The run goes on with
   * these options, else with its own that are data (limits, `allowedTools`, `policies`, …), else with the agent's. Without the context or the
   * `extraTools` that the journal says it was given, or the `output` schema of its own (the agent may have the same one), or without a tool of a call that is open, it is refused with `ConfigInvalid`, which names
   * them, and nothing is recorded. A run that is live here keeps what it was begun with.
   */
  resume<S2 extends Schema | undefined = S>(sessionId: string, ...[options]: Rest<C, ResumeOptions<T, S2, C>>): Run<T, OutputOf<S2>> {
    const given: AnyRunOptions & Answers = { parkAfterMs: 0, ...erased(options) }
    checkRunOptions({ ...erased(options) }, { tools: this.#parts.tools, toolChoice: this.#parts.options.toolChoice }, 'resume')
    const driver = this.#speak(sessionId)
    let ports: RunPorts | undefined
    const start: HandleOptions['start'] = async (adopt) => {
      const taken = await this.#takeUp(driver, given)
      ports = taken.ports
      adopt(taken.runId)
      await this.#answer(driver, taken.runId, given)
      return true
    }
    return this.#handle<OutputOf<S2>>(driver, '', given, true, start, () => ports?.output?.schema)
  }

  /**
   * Takes up what nobody drives any more: runs of agents of this name whose process has died, and those that are due (a retry, an expiry, an input that
   * was left). Each is driven on, without lifting a pause, until it ends or parks; resolves with what became of them. What is driven already, here
   * or in another process, is left alone. So is a run that needs what this process has not. Meant to be called every few seconds by a worker, and after
   * a start.
   */
  sweep(options: SweepOptions = {}): Promise<readonly SweptSession[]> {
    return sweep({
      store: this.store,
      agent: this.name,
      clock: this.#world.clock,
      left: this.#left,
      options,
      open: (sessionId) => this.#speak(sessionId),
      drive: (driver, state, run) => this.#driveOn(driver, state, run),
    })
  }

  /** Drives a run on with what is here for it, until it ends or parks; `undefined` when another process has it. */
  #driveOn(driver: SessionDriver, state: SessionState, run: WaitingRun): Promise<RunResult | undefined> {
    let isTaken = true
    const start: HandleOptions['start'] = async (adopt) => {
      adopt(run.runId)
      driver.register(run.runId, { ...driver.partsOf(state), parkAfterMs: 0 }, run)
      isTaken = await driver.tryWake()
      if (!isTaken) throw new RondoError('SessionLeaseLost', `Another process drives session '${driver.sessionId}'.`)
      return false
    }
    const { output } = driver.partsOf(state)
    return this.#handle(driver, '', { detach: true }, false, start, () => output?.schema).result.then(general, (error) => {
      if (isTaken) throw error
      return undefined
    })
  }

  /**
   * Reads and steers a run that somebody else drives. An unknown session is `SessionNotFound`. Throws `ConfigInvalid` for what is no
   * cursor; one that is beyond the journal's end is the same error, in the run. It follows the session until the run ends; dispose of it
   * (`await using`) when you stop reading before. Its output is read with the agent's schema: one that does not fit it is told as `failed`.
   */
  attach(sessionId: string, options: AttachOptions = {}): Run<T, OutputOf<S>> {
    checkAttachOptions(options)
    const after = options.after ?? ''
    const place = parseCursor(after)
    if (place === undefined) throw noCursor(after, 'is not one')
    const driver = this.#open(sessionId)
    const run = { detach: true, replayAfter: after }
    let { output } = this.#parts.options
    const start: HandleOptions['start'] = async (adopt) => {
      if (place.seq > 0 && !(await reaches(driver, place.seq))) throw noCursor(after, `is beyond the end of session '${sessionId}'`)
      // Nothing may come between this look and the adoption: an end that was shown in between would not be heard.
      const { live } = await known(driver)
      const runId = options.runId ?? live.run?.id ?? live.waiting[0]?.runId ?? live.ended?.id
      if (runId === undefined) throw new RondoError('RunInvalidState', `Session '${sessionId}' has no run yet.`)
      adopt(runId)
      // Under way here: whoever drives it tells its end, after its last events. The store may be ahead of what was shown.
      const underWay = live.waiting.find((waiting) => waiting.runId === runId)
      if (underWay !== undefined) {
        output = portsOver(this.#parts, sessionId, underWay.own?.data).output?.schema
        return false
      }
      const finished = await driver.finished(runId)
      if (finished === undefined)
        throw new RondoError(
          'RunInvalidState',
          `Session '${sessionId}' has no run '${runId}'. Leave runId out to attach to its newest run.`,
        )
      driver.hub.end(runId, finished)
      return false
    }
    return this.#handle<OutputOf<S>>(driver, options.runId ?? '', run, true, start, () => output)
  }

  /** A session of this agent's store, to be read and spoken to. It need not exist yet. */
  session(id: string): Session<T> {
    return new SessionHandle<T>(id, this.store, this.#voice(id, {}), () => this.#open(id))
  }

  /**
   * Calls back for each event of this type, of every run that this agent drives in this process or that a handle of it follows, until the
   * returned function is called. Once an event. Not awaited.
   */
  on<K extends RunEvent['type']>(type: K, listener: (event: EventOf<K, T, OutputOf<S>>) => void): () => void {
    return this.#parts.listeners.add(type, listener)
  }

  #open(sessionId: string): SessionDriver {
    return openSession(this.store, sessionId, { world: this.#world, owner: this.#owner, standIn: this.#standIn(sessionId) })
  }

  /** A session's driver, that drives what was asked for elsewhere with this agent's own options. */
  #speak(sessionId: string): SessionDriver {
    const driver = this.#open(sessionId)
    driver.offer(this.#standIn(sessionId))
    return driver
  }

  #standIn(sessionId: string): StandIn {
    return (data) => portsOver(this.#parts, sessionId, data)
  }

  /** Who speaks to a session. A run that a message starts is driven with these options. */
  #voice(sessionId: string, options: AnyRunOptions): Voice {
    const own = ownOptions(options)
    return {
      standIn: this.#standIn(sessionId),
      begin: (run) => {
        const ports = portsOf(this.#parts, sessionId, own)
        return { ports, request: requestEntry({ ...run, agent: this.#named, own: ports.own }) }
      },
    }
  }

  get #named(): { readonly name: string; readonly version?: string } {
    const { version } = this.#parts.options
    return version === undefined ? { name: this.name } : { name: this.name, version }
  }

  #launch<O>(input: Input, options: AnyRunOptions, observe: boolean): Run<T, O> {
    checkRunOptions(options, { tools: this.#parts.tools, toolChoice: this.#parts.options.toolChoice })
    const sessionId = options.session ?? this.#world.id('s')
    const runId = options.runId ?? this.#world.id('r')
    const ports = portsOf(this.#parts, sessionId, options)
    const driver = this.#speak(sessionId)
    driver.register(runId, ports)
    const start: HandleOptions['start'] = async (adopt) => {
      const asked = { driver, world: this.#world, agent: this.#named, defaults: this.#parts.options, runId, input, options, own: ports.own }
      const taker = await recordRequest(asked).catch((error: unknown) => {
        driver.forget(runId)
        throw error
      })
      if (taker === undefined) return true
      driver.forget(runId)
      // How long to wait for an answer is for whoever waits to say; what else the run is driven with is not.
      const { parkAfterMs } = options
      if (!hasNames(taker.own) && !driver.serves(taker)) {
        const waiting = parkAfterMs === undefined ? {} : { parkAfterMs }
        driver.register(taker.runId, portsOver(this.#parts, sessionId, taker.own?.data, waiting))
      }
      adopt(taker.runId)
      return true
    }
    return this.#handle<O>(driver, runId, options, observe, start, () => ports.output?.schema)
  }

  #handle<O>(
    driver: SessionDriver,
    runId: string,
    options: AnyRunOptions & { replayAfter?: string },
    observe: boolean,
    start: HandleOptions['start'],
    schema: () => Schema | undefined,
  ): Run<T, O> {
    return new RunHandle<T, O>({
      driver,
      reopen: () => this.#open(driver.sessionId),
      runId,
      voice: this.#voice(driver.sessionId, options),
      detach: options.detach ?? false,
      observe,
      listeners: this.#parts.listeners,
      start,
      read: outputReader(this.#world.clock, schema),
      signal: options.signal,
      ...(options.replayAfter === undefined ? {} : { replayAfter: options.replayAfter }),
    })
  }

  /** The session's unfinished run, to be driven with these options. */
  async #takeUp(driver: SessionDriver, given: AnyRunOptions & Answers): Promise<{ readonly runId: string; readonly ports: RunPorts }> {
    const { sessionId } = driver
    const state = await known(driver)
    const run = unfinished(sessionId, state)
    // A run that somebody here drives keeps what it was begun with; any other one keeps what the journal has of it.
    if (driver.serves(run)) return { runId: run.runId, ports: driver.partsOf(state) }
    const ports = portsOver(this.#parts, sessionId, run.own?.data, given)
    const denied = new Set((given.decisions ?? []).filter(({ decision }) => decision === 'deny').map(({ callId }) => callId))
    if (!isCancelled(state)) refuseMissing(driver, state, run, ports, (callId) => denied.has(callId))
    driver.register(run.runId, ports, run)
    return { runId: run.runId, ports }
  }

  /** Lifts a pause and hands in what was waited for: all of it or, when something is refused, nothing. */
  async #answer(driver: SessionDriver, runId: string, options: Answers): Promise<void> {
    const target = { driver, runId, voice: this.#voice(driver.sessionId, {}), quiet: true }
    await control.answer(target, options, true)
  }
}

function erased(options: unknown): AnyRunOptions {
  if (options === undefined) return {}
  if (typeof options === 'object' && options !== null) return options
  throw new RondoError('ConfigInvalid', `run options: they must be an object, not ${String(options)}.`)
}

/** A result of known tools as one of any, which it is; the compiler can't tell as long as the tools are a type parameter. */
function general<T extends Tools, O>(result: RunResult<T, O>): RunResult {
  return result as RunResult
}
