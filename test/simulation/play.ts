import {
  Agent,
  type Decision,
  type Entry,
  maxCallsPerTool,
  memory,
  RondoError,
  type Run,
  type RunEvent,
  type RunResult,
  type Schema,
  type Store,
  stopOnDuplicates,
} from 'rondo'
import { z } from 'zod'
import type { Act, AgentSpec, Launch, OutputSpec, Script } from './generate.ts'
import { type Asked, type Effect, Scene, simModel } from './scene.ts'
import { SimStore, type Writing } from './sim-store.ts'
import { simTools } from './sim-tools.ts'

const sessionId = 'S'
const silence = 'race: the store never answered'

/** Somebody who read a run's events. */
export interface Reader {
  readonly how: 'stream' | 'resume' | 'attach' | 'replay'
  readonly runId: string
  readonly after: string
  readonly events: RunEvent[]
  ended: boolean
  error: string | undefined
}

export interface Launched {
  readonly launch: Launch
  runId: string
  /** `ok` once it is known to have begun, an error code if it could not. */
  ack: string | undefined
  /** Whether its result is waited for. */
  followed: boolean
  result: RunResult | undefined
  settled: boolean
  reader: Reader | undefined
  /** Whether its activation had ended when its only reader left it before the end. */
  left: 'before-end' | 'after-end' | undefined
  leftAt: number
  ended: boolean
  listeners: () => number
}

/** What somebody asked for, and what became of it. */
export interface Deed {
  readonly act: Act
  readonly askedAt: number
  ok: boolean | undefined
  code: string
  ackAt: number
  /** Entries in the journal when it was acknowledged. */
  ackLength: number
}

/** Everything that is known after a script: raw, as the outside saw it. */
export interface Played {
  readonly script: Script
  /** Through JSON: what a store would hold. */
  readonly journal: readonly Entry[]
  readonly effects: readonly Effect[]
  readonly asked: readonly Asked[]
  readonly launched: readonly Launched[]
  readonly resumed: readonly RunResult[]
  readonly deeds: readonly Deed[]
  readonly readers: readonly Reader[]
  /** What the listeners of each process heard. */
  readonly heard: readonly { readonly process: string; readonly on: boolean; readonly events: readonly RunEvent[] }[]
  readonly counts: ReadonlyMap<string, number>
  /** When each entry was written, by id (monotonic ms). */
  readonly written: ReadonlyMap<string, number>
  readonly engineTimers: number
  readonly signalListeners: number
  readonly staleWrites: number
  /** What went wrong while playing: a run that hangs, an error that nobody expected. */
  readonly troubles: readonly string[]
  readonly detached: boolean
}

export type Mode = 'usual' | 'stream' | 'run' | 'listeners'

/** Plays a script through the public face, to the end of every run. */
export async function play(script: Script, mode: Mode = 'usual'): Promise<Played> {
  const stage = new Stage(script, mode)
  await stage.perform()
  return stage.played()
}

interface Process {
  readonly name: string
  readonly agent: Agent
  readonly store: SimStore
  readonly heard: RunEvent[]
}

const eventTypes = [
  ...['run.started', 'run.status', 'run.parked', 'run.finished', 'iteration.started', 'iteration.finished', 'message.added'],
  ...['history.revised', 'model.started', 'model.finished', 'model.failed', 'model.retracted', 'text.started', 'text.delta'],
  ...['text.finished', 'reasoning.started', 'reasoning.delta', 'reasoning.finished', 'output.partial', 'call.input.delta'],
  ...['call.announced', 'approval.requested', 'approval.decided', 'call.started', 'call.deferred', 'call.progress', 'call.settled'],
  ...['usage.updated', 'limit.warning', 'hook.failed'],
] as RunEvent['type'][]

class Stage {
  readonly #script: Script
  readonly #mode: Mode
  readonly #scene: Scene
  readonly #inner: Store
  readonly #writing: Writing = { driverAppends: 0, epoch: 0, foreign: 0, fatalLeft: 0 }
  readonly #first: Process
  readonly #second: Process | undefined
  readonly #launched: Launched[] = []
  readonly #resumed: RunResult[] = []
  readonly #deeds: Deed[] = []
  readonly #readers: Reader[] = []
  readonly #troubles: string[] = []
  #journal: readonly Entry[] = []
  #handle: Run | undefined
  #signal: AbortController | undefined
  #rest: Act[] = []
  #helper: Promise<unknown> | undefined

  constructor(script: Script, mode: Mode) {
    this.#script = script
    this.#mode = mode
    this.#scene = new Scene(script)
    this.#inner = memory({ clock: () => this.#scene.storeTime() })
    this.#first = this.#process('A')
    this.#second = script.second ? this.#process('B') : undefined
  }

  #process(name: string): Process {
    const hooks = { onAppend: (count: number, phase: 'before' | 'after') => this.#onAppend(count, phase) }
    const store = new SimStore(this.#inner, this.#scene, name, this.#writing, hooks)
    const agent = simAgent(this.#script.agent, this.#scene, name, store, (error) => this.#observe(String(error)))
    const heard: RunEvent[] = []
    if (this.#mode !== 'stream') for (const type of eventTypes) agent.on(type, (event) => this.#hear(heard, event as RunEvent))
    return { name, agent, store, heard }
  }

  /** A permission check or a schema that broke, or that never answered, is told. Nothing else may be. */
  #observe(error: string): void {
    if (/the permission check broke|the schema broke|has not answered within/.test(error)) this.#scene.count('a check failed')
    else this.#troubles.push(`observer: ${error}`)
  }

  #hear(heard: RunEvent[], event: RunEvent): void {
    heard.push(event)
    if (event.type !== 'run.parked' && event.type !== 'run.finished') return
    for (const launched of this.#launched) if (launched.runId === event.runId) launched.ended = true
  }

  async perform(): Promise<void> {
    const { clock } = this.#scene
    try {
      this.#launch(this.#script.first)
      for (const jump of this.#script.jumps) clock.timer(jump.ms, () => this.#scene.jump(jump))
      for (const act of this.#script.acts) {
        const { when } = act
        if ('ms' in when) clock.timer(when.ms, () => void this.#act(act))
        else this.#rest.push(act)
      }
      const times = this.#script.acts.map(({ when }) => ('ms' in when ? when.ms : 0))
      await clock.advance(Math.max(100, ...times))
      await this.#finishAll()
      // What was never answered is given up after a while.
      if (this.#scene.counts.has(silence)) await clock.advance(130_000)
      this.#scene.quiet = true
      if (!this.#isDetached) await this.#replayAll()
      for (let i = 0; i < 80 && this.#scene.engineTimers.size > 0; i++) await clock.advance(250)
    } catch (error) {
      this.#troubles.push(error instanceof Error ? `${error.message}` : String(error))
    }
    this.#journal = plain(await this.#raw())
  }

  played(): Played {
    const listen = this.#mode !== 'stream'
    const second = this.#second === undefined ? [] : [{ process: 'B', on: listen, events: this.#second.heard }]
    return {
      script: this.#script,
      journal: this.#journal,
      effects: this.#scene.effects,
      asked: this.#scene.asked,
      launched: this.#launched,
      resumed: this.#resumed,
      deeds: this.#deeds,
      readers: this.#readers,
      heard: [{ process: 'A', on: listen, events: this.#first.heard }, ...second],
      counts: this.#scene.counts,
      written: this.#scene.written,
      engineTimers: this.#scene.engineTimers.size,
      signalListeners: this.#launched.reduce((sum, one) => sum + one.listeners(), 0),
      staleWrites: this.#scene.staleWrites,
      troubles: this.#troubles,
      detached: this.#isDetached,
    }
  }

  get #isDetached(): boolean {
    return this.#scene.detached
  }

  // ── acts

  #onAppend(count: number, phase: 'before' | 'after'): void {
    const due = this.#rest.filter(({ when }) => 'append' in when && when.append === count && when.phase === phase)
    if (due.length === 0) return
    this.#rest = this.#rest.filter((act) => !due.includes(act))
    for (const act of due) void this.#act(act)
  }

  async #act(act: Act): Promise<void> {
    const deed: Deed = { act, askedAt: this.#scene.clock.wall(), ok: undefined, code: '', ackAt: 0, ackLength: 0 }
    this.#deeds.push(deed)
    try {
      await this.#perform(act)
      deed.ok = true
    } catch (error) {
      deed.ok = false
      deed.code = RondoError.is(error) ? error.code : `unexpected ${String(error)}`
      if (!RondoError.is(error) || error.message.includes('invariant')) this.#troubles.push(`act ${act.kind}: ${String(error)}`)
    }
    deed.ackAt = this.#scene.clock.wall()
    deed.ackLength = this.#scene.length
  }

  async #perform(act: Act): Promise<unknown> {
    const process = act.by === 'second' && this.#second !== undefined ? this.#second : this.#first
    const target = act.by === 'handle' && this.#handle !== undefined ? this.#handle : process.agent.session(sessionId)
    switch (act.kind) {
      case 'send':
        return target.send(act.text)
      case 'abort':
        return target.abort('enough')
      case 'pause':
        return target.pause()
      case 'resume':
        return target.resume()
      case 'signal':
        return this.#signal?.abort(new Error('the signal'))
      case 'decide':
        return target.decide(await this.#decision(process, act))
      case 'submit':
        return this.#submit(process, target, act)
      case 'run':
        return this.#launch(act.launch)
      case 'attach':
        return this.#attach(process)
      case 'steal':
        return this.#steal()
    }
  }

  async #decision(process: Process, act: Extract<Act, { kind: 'decide' }>): Promise<Decision> {
    const waiting = (await process.agent.session(sessionId).pending()).filter((one) => one.kind === 'approval')
    const callId = act.how === 'unknown' ? 'm9.9' : (waiting[act.which % Math.max(1, waiting.length)]?.callId ?? 'm1.0')
    switch (act.how) {
      case 'deny':
        return { callId, decision: 'deny', reason: 'no', by: 'ann' }
      case 'stop':
        return { callId, decision: 'deny', stopTurn: true }
      case 'edit':
        return { callId, decision: 'approve', input: { act: 'ok', tag: 900 + act.which }, by: 'bob' }
      case 'edit-invalid':
        return { callId, decision: 'approve', input: { act: 'wrong', tag: 1 } }
      case 'remember-run':
      case 'remember-session':
        return { callId, decision: 'approve', by: 'ann', remember: act.how === 'remember-run' ? 'run' : 'session' }
      default:
        return { callId, decision: 'approve', by: 'ann' }
    }
  }

  async #submit(process: Process, target: Pick<Run, 'submitToolResult'>, act: Extract<Act, { kind: 'submit' }>): Promise<void> {
    const waiting = (await process.agent.session(sessionId).pending()).filter((one) => one.kind === 'result')
    const callId =
      act.how === 'unknown' ? 'm9.9' : act.how === 'any' ? 'm1.0' : (waiting[act.which % Math.max(1, waiting.length)]?.callId ?? 'm1.1')
    await target.submitToolResult(callId, { from: 'client' })
    if (act.how !== 'twice') return
    this.#scene.count('race: a result was handed in twice')
    await target.submitToolResult(callId, { from: 'client', again: true })
    this.#troubles.push(`the second result of ${callId} was accepted`)
  }

  async #attach(process: Process): Promise<void> {
    const heard = process.heard.filter((event) => event.cursor.includes(':'))
    const after = heard.length > 0 && this.#scene.dice.chance(0.5) ? this.#scene.dice.pick(heard) : undefined
    const run = process.agent.attach(sessionId, after === undefined ? {} : { after: after.cursor, runId: after.runId })
    const reader = this.#reader('attach', run.runId, after?.cursor ?? '')
    await this.#read(run as Run, reader)
  }

  async #steal(): Promise<void> {
    const second = this.#second
    if (second === undefined) return
    second.store.stealNext = true
    await this.#resume(second)
  }

  // ── runs

  #launch(launch: Launch): void {
    const { agent } = this.#first
    const signal = launch.signal ? countedSignal() : undefined
    if (signal !== undefined) this.#signal = signal.controller
    const options = {
      session: sessionId,
      runId: `run-${launch.text}`,
      onBusy: launch.onBusy,
      parkAfterMs: launch.parkAfterMs,
      detach: launch.detach,
      throwOnError: false,
      ...(signal === undefined ? {} : { signal: signal.controller.signal }),
    }
    const launched: Launched = {
      launch,
      runId: options.runId,
      ack: undefined,
      result: undefined,
      followed: false,
      settled: false,
      reader: undefined,
      left: undefined,
      leftAt: 0,
      ended: false,
      listeners: signal?.count ?? (() => 0),
    }
    this.#launched.push(launched)
    if (this.#mode === 'run' || (this.#mode === 'usual' && launch.mode === 'run')) {
      this.#follow(launched, agent.run(launch.text, options) as Promise<RunResult>)
      return
    }
    const run = agent.stream(launch.text, options) as Run
    this.#handle = run
    if (this.#mode === 'listeners' || launch.held || launch.reader === 'none') this.#follow(launched, run.result)
    if (this.#mode === 'listeners' || launch.reader === 'none' || launch.reader === 'nobody') return
    launched.reader = this.#reader('stream', options.runId, '')
    void this.#read(run, launched.reader, launched)
  }

  #follow(launched: Launched, result: Promise<RunResult>): void {
    launched.followed = true
    result.then(
      (value) => {
        launched.ack = 'ok'
        launched.runId = value.runId
        launched.result = plain(value)
        launched.settled = true
      },
      (error) => {
        launched.ack = RondoError.is(error) ? error.code : `unexpected ${String(error)}`
        if (!RondoError.is(error) || error.message.includes('invariant')) this.#troubles.push(`run ${launched.runId}: ${String(error)}`)
        launched.settled = true
      },
    )
  }

  #reader(how: Reader['how'], runId: string, after: string): Reader {
    const reader: Reader = { how, runId, after, events: [], ended: false, error: undefined }
    this.#readers.push(reader)
    return reader
  }

  /** Reads to the end, or leaves after some events. */
  async #read(run: Run, reader: Reader, launched?: Launched): Promise<void> {
    const limit = launched?.launch.reader === 'leave' ? launched.launch.leaveAfter : Number.POSITIVE_INFINITY
    try {
      for await (const event of run) {
        if (reader.events.length >= limit && launched !== undefined) {
          launched.runId = run.runId
          launched.leftAt = this.#scene.clock.monotonic()
          launched.left = launched.ended ? 'after-end' : 'before-end'
          return
        }
        reader.events.push(event)
      }
    } catch (error) {
      reader.error = RondoError.is(error) ? error.code : `unexpected ${String(error)}`
      if (!RondoError.is(error)) this.#troubles.push(`reader: ${String(error)}`)
    }
    if (launched !== undefined) launched.runId = run.runId
    reader.ended = true
  }

  // ── to the end

  /** Answers everything that waits and resumes, until every run has finished. */
  async #finishAll(): Promise<void> {
    // Readers in turn, so that the modes can be compared.
    const first = this.#launched[0]
    if (this.#script.plain && first !== undefined)
      for (let i = 0; i < 300 && !(first.reader?.ended ?? first.settled); i++) await this.#scene.clock.advance(500)
    for (let round = 0; round < 60; round++) {
      await this.#scene.clock.advance(100)
      if (this.#isDetached) return this.#endDetached()
      if (unfinished(await this.#raw()).length === 0) {
        // A run that was asked for while the store was silent may not be on record yet.
        const asked = this.#launched.every(({ followed, settled }) => settled || !followed)
        if (asked && this.#deeds.every(({ ok }) => ok !== undefined)) return
        await this.#scene.clock.advance(2_000)
        continue
      }
      await this.#answerAll()
      // A model that never answers must be told to stop.
      if (round > 15)
        await this.#until(
          this.#first.agent
            .session(sessionId)
            .abort('it hangs')
            .catch(() => {}),
        )
      // A live stream may wait for the next answer without an end: then we must answer again, not wait for it.
      this.#helper ??= this.#resume(this.#first).finally(() => {
        this.#helper = undefined
      })
      await this.#until(Promise.race([this.#helper, this.#scene.wait(3_000)]))
      const last = this.#resumed.at(-1)
      const wakeAt = last?.status === 'parked' && last.reason === 'retry_later' ? (last.wakeAt ?? 0) : 0
      // As long as a store that does not answer is waited for, a resume may be refused at once.
      await this.#scene.clock.advance(Math.max(1_500, wakeAt - this.#scene.clock.wall()))
    }
    throw new Error(`after 60 rounds of answering and resuming, runs are still open: ${unfinished(await this.#raw()).join(', ')}`)
  }

  /** What only memory knows can't be resumed: it gets its answers where it lives, then it is cancelled. */
  async #endDetached(): Promise<void> {
    for (let round = 0; round < 5; round++) {
      await this.#answerAll()
      await this.#scene.clock.advance(3_000)
    }
    if (this.#launched.some((one) => !one.ended && !one.settled))
      await this.#until((this.#handle ?? this.#first.agent.session(sessionId)).abort('the end').catch(() => {}))
    await this.#scene.clock.advance(3_000)
    // Resumed once more from what the store has of it, it may wait for what never comes.
    if (this.#readers.some((reader) => !reader.ended)) {
      const { agent } = this.#first
      await this.#until(
        agent
          .session(sessionId)
          .abort('the end')
          .catch(() => {}),
      )
      await this.#scene.clock.advance(3_000)
    }
  }

  async #answerAll(): Promise<void> {
    const session = this.#first.agent.session(sessionId)
    const quietly = (answer: Promise<unknown>) => this.#until(answer.catch(() => {}))
    for (const pending of await this.#until(session.pending().catch(() => []))) {
      if (pending.kind === 'approval') await quietly(session.decide({ callId: pending.callId, decision: 'approve', by: 'end' }))
      else await quietly(session.submitToolResult(pending.callId, { from: 'the end' }))
    }
    await quietly(session.resume())
  }

  async #resume(process: Process): Promise<RunResult | undefined> {
    const run = process.agent.resume(sessionId, { parkAfterMs: 0 }) as Run
    if (this.#mode === 'stream' || this.#script.seed % 2 === 0) void this.#read(run, this.#reader('resume', '', ''))
    const result = run.result.then(
      (value) => {
        this.#resumed.push(plain(value))
        return value
      },
      (error) => {
        if (!RondoError.is(error) || error.message.includes('invariant')) this.#troubles.push(`resume: ${String(error)}`)
        return undefined
      },
    )
    return result
  }

  async #replayAll(): Promise<void> {
    for (const entry of await this.#raw()) {
      if (entry.kind !== 'run.finished' || entry.runId === undefined) continue
      const run = this.#first.agent.attach(sessionId, { runId: entry.runId }) as Run
      await this.#until(this.#read(run, this.#reader('replay', entry.runId, '')))
    }
  }

  /** Nothing takes longer than this: what does hangs. */
  #until<T>(promise: Promise<T>): Promise<T> {
    return this.#scene.clock.until(promise, 600_000)
  }

  async #raw(): Promise<readonly Entry[]> {
    const entries: Entry[] = []
    for await (const entry of this.#inner.load(sessionId)) entries.push(entry)
    return entries
  }
}

function simAgent(spec: AgentSpec, scene: Scene, process: string, store: Store, onObserverError: (error: unknown) => void): Agent {
  const termination = terminationOf(spec)
  return new Agent({
    name: 'sim',
    model: simModel(scene, process),
    tools: spec.output?.toolless === true ? [] : simTools(scene, process),
    store,
    world: scene.world(),
    instructions: instructionsOf(spec, scene),
    limits: spec.limits,
    settings: spec.settings,
    maxParallel: spec.maxParallel,
    onPending: spec.onPending,
    policies: { ...spec.policies, ...outputPolicies(spec), ...(termination === undefined ? {} : { termination }) },
    ...(spec.output === undefined ? {} : { output: outputOf(spec.output, scene) }),
    ...(spec.stopWhen === 'none' ? {} : { stopWhen: stopOf(spec.stopWhen) }),
    onObserverError,
  }) as unknown as Agent
}

function outputPolicies({ output }: AgentSpec) {
  if (output === undefined) return {}
  const { decodeRetries, schemaDuringTools } = output
  return { decodeRetries, schemaDuringTools }
}

function outputOf({ root, slow }: OutputSpec, scene: Scene): Schema {
  const waits = async () => {
    if (scene.dice.chance(0.5)) await scene.wait(scene.dice.pick([1, 10, 100]))
    return true
  }
  const number = slow ? z.number().refine(waits) : z.number()
  return root === 'object' ? z.object({ n: number }) : z.array(number)
}

function instructionsOf(spec: AgentSpec, scene: Scene) {
  switch (spec.instructions) {
    case 'text':
      return 'Be brief.'
    case 'function':
      return () => 'Be brief, and quick.'
    case 'async':
      return async () => {
        await scene.mayHang('instructions')
        if (scene.dice.chance(0.3)) await scene.wait(scene.dice.pick([1, 10, 100]))
        return 'Be brief, and late.'
      }
    case 'throws':
      return () => {
        throw new Error('no instructions')
      }
  }
}

function stopOf(how: AgentSpec['stopWhen']) {
  return ({ calls }: { readonly calls: readonly unknown[] }) => {
    if (calls.length < 2) return false
    if (how === 'throws') throw new Error('stopWhen broke')
    return how === 'second' ? true : ({ reason: 'stopped' } as const)
  }
}

function terminationOf(spec: AgentSpec) {
  switch (spec.termination) {
    case 'none':
      return undefined
    case 'duplicates':
      return stopOnDuplicates({ max: 1 })
    case 'perTool':
      return maxCallsPerTool({ max: 1 })
    case 'output':
      return () => ({ kind: 'terminateWithOutput' }) as const
    case 'throws':
      return () => {
        throw new Error('the policy broke')
      }
  }
}

/** Counts its own listeners: whoever adds one must take it away. */
function countedSignal(): { readonly controller: AbortController; count(): number } {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = ((type: 'abort', listener: () => void, options?: { once?: boolean }) => {
    listeners.add(listener)
    add(type, listener, options)
  }) as typeof signal.addEventListener
  signal.removeEventListener = ((type: 'abort', listener: () => void) => {
    listeners.delete(listener)
    remove(type, listener)
  }) as typeof signal.removeEventListener
  return { controller, count: () => (signal.aborted ? 0 : listeners.size) }
}

function unfinished(journal: readonly Entry[]): string[] {
  const open = new Set<string>()
  for (const entry of journal) {
    if (entry.kind === 'run.requested' && entry.runId !== undefined) open.add(entry.runId)
    if (entry.kind === 'run.finished' && entry.runId !== undefined) open.delete(entry.runId)
  }
  return [...open]
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}
