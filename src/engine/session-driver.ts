import type { Refusal } from '../core/accept.ts'
import { applyTo } from '../core/apply.ts'
import type { Entry, EntryBody, SettlementData } from '../core/entry.ts'
import { messageOf, RondoError } from '../core/error.ts'
import type { CoreEvent } from '../core/event.ts'
import { finishedResult, type Naming, type ParkFacts, parkedResult } from '../core/outcome.ts'
import type { CoreResult } from '../core/result.ts'
import { branch, currentRun, emptyState, type Live, newRun, type SessionState, type WaitingRun } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import { activate } from './activate.ts'
import { type Activation, type ActivationEnd, acceptInput, type Input, type InputAnswer, submitLocal } from './activation.ts'
import { storeError, toEntry } from './append.ts'
import { inputHead } from './head.ts'
import { Hub } from './hub.ts'
import { courtesyMs, isSilence, patiently, within } from './patience.ts'
import type { RunPorts, World } from './ports.ts'
import { JournalReplaced, readFailure, readOn } from './read-on.ts'
import { settlementOf } from './result-value.ts'
import { RunParts, type StandIn } from './run-parts.ts'
import { foldAndShow } from './show.ts'

/** Makes the entries to write from the state they meet; asked again after a lost race. A refusal writes nothing. */
export type InputMaker = (state: SessionState) => readonly Input[] | Refusal

/** An input whose write had no clear answer: it may stand in the journal already, after `since`. */
interface Doubt {
  readonly ids: Set<string>
  since: number | undefined
}

/** The agent that opens a session: how it lives, and what it drives runs with that were asked for elsewhere. */
export interface Speaker {
  readonly world: World
  readonly owner: string
  readonly standIn: StandIn
}

/** A run that was begun or resumed here is cancelled when its last reader leaves and nobody holds its result. */
export interface Interest {
  begun: boolean
  readers: number
  held: boolean
}

const inputAttempts = 50
const writeAttempts = 3
const busyPollMs = 250

/**
 * A session as this process sees it: who listens, which runs were asked for here, the activation if one is running, and the one way
 * by which inputs enter: through the activation if there is one, else straight into the store.
 */
export class SessionDriver {
  readonly sessionId: string
  readonly store: Store
  readonly world: World
  readonly hub: Hub
  readonly #owner: string
  readonly #onIdle: (driver: SessionDriver) => void
  readonly #parts: RunParts
  readonly #interests = new Map<string, Interest>()
  /** The agents' listeners that hear a run while it is driven or written to here. */
  readonly #listening = new Map<string, { readonly ports: RunPorts; readonly stop: () => void }>()
  /** Whom they were last looked up for. */
  #attended: { readonly waiting: readonly WaitingRun[]; readonly ports: RunPorts } | undefined
  /** Of the run that was driven last. */
  #ports: RunPorts | undefined
  /** The run whose parts the activation did not have. */
  #lacked: WaitingRun | undefined
  #activation: Activation | undefined
  #driving: Promise<void> | undefined
  #again = false
  /** A best-effort run went on without the store and has ended: what the store still holds of it is not driven by itself. */
  #givenUp = false
  #state: SessionState | undefined
  /** The journal that was driven is no longer there; what stands in its place has not been read yet. */
  #replaced = false
  /** Settles when nobody folds into `#state`: two folds on one list of turns would overwrite each other. */
  #folding: Promise<void> = Promise.resolve()
  #waitingInputs = 0
  /** Of entries that are not this process's own activation's. */
  readonly #naming: Naming

  constructor(store: Store, sessionId: string, speaker: Speaker, onIdle: (driver: SessionDriver) => void) {
    this.store = store
    this.sessionId = sessionId
    this.world = speaker.world
    this.#owner = speaker.owner
    this.#onIdle = onIdle
    this.#parts = new RunParts(speaker.standIn)
    this.hub = new Hub(sessionId, (runId) => this.forget(runId))
    this.#naming = { sessionId, isDynamic: (name) => this.isDynamic('', name) }
  }

  /** What a folded state may be taken from, by a later driver of the same session. */
  get state(): SessionState | undefined {
    return this.#state
  }

  /** Parts of unfinished runs that this process can't make anew. */
  get ownParts(): ReadonlyMap<string, RunPorts> {
    return this.#parts.own
  }

  adopt(state: SessionState | undefined, parts: ReadonlyMap<string, RunPorts> | undefined): void {
    this.#state = state
    if (state !== undefined) this.hub.begin(state.live.seq)
    if (parts !== undefined) this.#parts.takeUp(parts)
  }

  /** The live parts of a run. */
  register(runId: string, ports: RunPorts): void {
    this.#parts.bring(runId, ports)
    this.#givenUp = false
  }

  /** Whether a run was asked for here and is being driven. */
  serves(run: WaitingRun): boolean {
    return this.#driving !== undefined && this.#parts.has(run)
  }

  /** Who follows a run in this process, whatever handle they hold. */
  interestIn(runId: string): Interest {
    const known = this.#interests.get(runId)
    if (known !== undefined) return known
    const interest: Interest = { begun: false, readers: 0, held: false }
    this.#interests.set(runId, interest)
    return interest
  }

  /** Live parts for runs that were asked for elsewhere: those of the agent that spoke last, unless something is being driven. */
  offer(standIn: StandIn): void {
    if (this.#driving === undefined) this.#parts.offer(standIn)
  }

  forget(runId: string): void {
    this.#interests.delete(runId)
    this.#parts.forget(runId)
    this.#listening.get(runId)?.stop()
    this.#listening.delete(runId)
  }

  readonly #portsOf = (live: Live): RunPorts => {
    const run = currentRun(live)
    // When all runs are done there is nothing to decide: those of the last one will do.
    if (run !== undefined || this.#ports === undefined) this.#ports = this.#parts.of(run)
    if (this.#activation !== undefined) this.#attend(live, this.#ports)
    return this.#ports
  }

  readonly #lacksParts = (run: WaitingRun): boolean => {
    if (!this.#parts.lacks(run)) return false
    this.#lacked = run
    return true
  }

  isDynamic(runId: string, toolName: string): boolean {
    return this.#parts.isDynamic(runId, toolName)
  }

  /** The listeners of the agent whose parts drive the current run hear what is about to be written. */
  attend({ live }: SessionState): void {
    const run = currentRun(live)
    if (run !== undefined) this.#attend(live, this.#parts.of(run))
  }

  /** So do those of waiting runs that end by a cancel. Called at every step: what has not changed is not looked at again. */
  #attend({ run, waiting }: Live, ports: RunPorts): void {
    if (this.#attended?.waiting === waiting && this.#attended.ports === ports) return
    this.#attended = { waiting, ports }
    const [first] = waiting
    if (first !== undefined) this.#listen(run?.id ?? first.runId, ports)
    for (const other of waiting)
      if (other.cancelledAt !== undefined && other.runId !== (run?.id ?? first?.runId)) this.#listen(other.runId, this.#parts.of(other))
  }

  #listen(runId: string, ports: RunPorts): void {
    const known = this.#listening.get(runId)
    if (known?.ports === ports) return
    known?.stop()
    this.#listening.set(runId, { ports, stop: this.hub.subscribe(ports.listener(runId)) })
  }

  #stopListening(): void {
    for (const { stop } of this.#listening.values()) stop()
    this.#listening.clear()
    this.#attended = undefined
  }

  /** The result of a call that was run outside, as the journal keeps it: within its run's limits, shown to the model as its tool says. */
  async outsideResult(callId: string, output: unknown): Promise<SettlementData> {
    const { live } = await this.current()
    const ports = this.#parts.of(currentRun(live))
    const call = live.turn?.calls.find((candidate) => candidate.part.callId === callId)
    const tool = call === undefined ? undefined : ports.tools.get(call.part.toolName)
    const settlement = await settlementOf((bytes) => this.keep(bytes), tool, callId, ports.results, output, ports.report)
    if (settlement.outcome !== 'ok')
      throw new RondoError('ContextInvalidInput', `The result of call '${callId}' was not taken: ${settlement.error.message}`)
    return settlement
  }

  /** Keeps bytes in the store; rejects when it does not answer. */
  keep(bytes: Uint8Array): Promise<string> {
    return within(this.world.clock, 'blobs.put', this.sessionId, this.store.blobs.put(bytes))
  }

  /** The newest state: the activation's, else what the store holds. Only to be read. */
  async current(): Promise<SessionState> {
    if (this.#activation !== undefined) return this.#activation.state
    return this.#alone(async () => this.#activation?.state ?? (await this.#refresh()).state)
  }

  /** One fold at a time. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#folding
    let done = () => {}
    this.#folding = new Promise((resolve) => {
      done = resolve
    })
    // What is shown while folding may end the last handle: the driver stays until the fold is kept.
    const letGo = this.hold()
    await before
    try {
      return await work()
    } finally {
      done()
      letGo()
    }
  }

  /** Looks whenever somebody else has written, until the returned function is called: their events are shown here too. */
  follow(): () => void {
    return this.store.watch(this.sessionId, this.hub.seq, () => {
      if (this.#activation === undefined) this.current().catch(() => {})
    })
  }

  /** What is being shown at this moment of the run's open message, for a reader that comes in the middle of it. */
  openPieces(runId: string): readonly CoreEvent[] {
    const { shown, state } = this.#activation ?? {}
    const { run, model } = state?.live ?? {}
    if (shown === undefined || run?.id !== runId || shown.seq !== model?.seq) return []
    const now = this.world.clock.wall()
    return shown.pieces().map((body) => this.hub.toPiece(now, runId, run.iteration, model.seq, body))
  }

  /** The journal after a seq; throws when the store does not answer. */
  load(afterSeq = 0): AsyncGenerator<Entry, void, undefined> {
    return patiently(this.world.clock, this.sessionId, this.store.load(this.sessionId, afterSeq))
  }

  async #refresh(): Promise<{ readonly state: SessionState; readonly fresh: readonly Entry[] }> {
    try {
      if (!this.#replaced) return await this.#foldOn(branch(this.#state ?? emptyState()))
    } catch (cause) {
      if (!(cause instanceof JournalReplaced)) throw cause
    }
    this.#replaced = false
    this.hub.restart()
    this.#parts.dropLeft()
    return this.#foldOn(emptyState())
  }

  async #foldOn(state: SessionState): Promise<{ readonly state: SessionState; readonly fresh: readonly Entry[] }> {
    const fresh: Entry[] = []
    await readOn(
      (afterSeq) => this.load(afterSeq),
      this.sessionId,
      state.live,
      (entry) => {
        foldAndShow(this.hub, state, entry, this.#naming)
        fresh.push(entry)
      },
    )
    // While this was read an activation may have begun, gone on and ended: what is older than what was shown is of no use to the next one.
    if (state.live.seq >= this.hub.seq) this.#state = state
    this.hub.begin(state.live.seq)
    return { state, fresh }
  }

  /** Keeps this driver the session's one, until the returned function is called. */
  hold(): () => void {
    this.#waitingInputs++
    return () => {
      this.#waitingInputs--
      this.#checkIdle()
    }
  }

  /** Writes an input and resolves once it is durable; `fresh` says that the session cannot exist yet. Refusals are answers, not throws. */
  async input(make: InputMaker, fresh = false): Promise<Refusal | undefined> {
    const letGo = this.hold()
    try {
      if (fresh) {
        this.#state ??= emptyState()
        this.hub.begin(0)
      }
      const doubt: Doubt = { ids: new Set(), since: undefined }
      let known = fresh
      for (let attempt = 0, failures = 0; attempt < inputAttempts; attempt++) {
        if (await this.#isWritten(doubt)) return undefined
        const answer = await this.#tryInput(make, known, doubt)
        known = false
        if (answer === 'again') continue
        if (!RondoError.is(answer)) return answer
        if (answer.retryable && !isSilence(answer) && ++failures < writeAttempts) continue
        // The last try may have written all the same; a store that does not answer would not say so either.
        if (!isSilence(answer) && (await this.#isWritten(doubt).catch(() => false))) return undefined
        throw answer
      }
      throw new RondoError(
        'SessionConcurrentWrite',
        `Session '${this.sessionId}' is written by others all the time; the input found no place.`,
      )
    } finally {
      letGo()
    }
  }

  /** Whether an attempt without a clear answer did write: then the input is not to be written again, whatever has happened since. */
  async #isWritten({ ids, since }: Doubt): Promise<boolean> {
    if (since === undefined) return false
    try {
      for await (const entry of this.load(since)) if (ids.has(entry.id)) return true
    } catch (cause) {
      throw readFailure(this.sessionId, cause)
    }
    return false
  }

  async #tryInput(make: InputMaker, known: boolean, doubt: Doubt): Promise<Refusal | undefined | 'again' | RondoError> {
    const activation = this.#activation
    if (activation === undefined) return this.#alone(() => this.#tryStore(make, known, doubt))
    const inputs = make(activation.state)
    return 'why' in inputs ? inputs : this.#submit(activation, inputs, doubt)
  }

  /** Nobody drives the session here: the input goes straight into the store. */
  async #tryStore(make: InputMaker, known: boolean, doubt: Doubt): Promise<Refusal | undefined | 'again' | RondoError> {
    const { state, fresh } = known && this.#state !== undefined ? { state: this.#state, fresh: [] } : await this.#refresh()
    const inputs = make(state)
    if ('why' in inputs) return inputs
    if (inputs.every((input) => fresh.some((entry) => entry.id === input.id))) return undefined
    // Between the look and the write an activation may have begun; it is the writer then.
    if (this.#activation !== undefined) return 'again'
    return this.#write(state, inputs, doubt)
  }

  async #submit(activation: Activation, inputs: readonly Input[], doubt: Doubt): Promise<Refusal | undefined | 'again'> {
    const { seq } = activation.state.live
    const answers = await Promise.all(inputs.map((body) => new Promise<InputAnswer>((settle) => submitLocal(activation, { body, settle }))))
    for (const [index, answer] of answers.entries()) {
      if (answer.ok) continue
      if ('retry' in answer) {
        doubtful(doubt, inputs, seq)
        return 'again'
      }
      if (!isNeedless(inputs, index, answer.refusal)) return answer.refusal
    }
    return undefined
  }

  async #write(state: SessionState, inputs: readonly Input[], doubt: Doubt): Promise<Refusal | undefined | 'again' | RondoError> {
    const draft = branch(state)
    const now = this.world.clock.wall()
    const entries: Entry[] = []
    for (const input of inputs) {
      const refusal = acceptInput(draft, input, this.#onPending(draft))
      if (refusal !== undefined) {
        if (isNeedless(inputs, inputs.indexOf(input), refusal)) continue
        return refusal
      }
      const at = Math.max(now, draft.live.at)
      const entry = toEntry(input, { id: input.id, seq: draft.live.seq + 1, at, ...runIdOf(input, draft) })
      applyTo(draft, entry)
      entries.push(entry)
    }
    try {
      const append = this.store.append(this.sessionId, entries, { expectedSeq: state.live.seq, head: inputHead(draft) })
      const { at } = await within(this.world.clock, 'append', this.sessionId, append)
      const restamped = branch(state)
      for (const entry of entries) foldAndShow(this.hub, restamped, entry.at === at ? entry : { ...entry, at }, this.#naming)
      this.#state = restamped
      return undefined
    } catch (cause) {
      const error = storeError(cause)
      if (error.code === 'SessionConcurrentWrite') {
        // Folded anew: the session may have been deleted, so that nothing comes after what is known.
        this.#state = undefined
        return 'again'
      }
      doubtful(doubt, inputs, state.live.seq)
      return error
    }
  }

  #onPending({ live }: SessionState): RunPorts['onPending'] {
    const run = currentRun(live)
    return run === undefined ? 'answer' : this.#parts.of(run).onPending
  }

  /** Drives the session until every run has finished or parked. */
  wake(): void {
    if (this.#givenUp) return
    if (this.#driving !== undefined) {
      // An activation that takes inputs has what was written, or hears of it; only its first and last moments are deaf.
      if (this.#activation === undefined) this.#again = true
      return
    }
    this.#driving = this.#drive()
      .catch((cause: unknown) => this.#breakDown(cause))
      .then(() => {
        this.#driving = undefined
        if (!this.#again) return this.#checkIdle()
        this.#again = false
        this.wake()
      })
  }

  /** Nothing in a drive throws for what a run does. Should something do so all the same, whoever waits is told, and the next drive goes on. */
  async #breakDown(cause: unknown): Promise<void> {
    const text = `Driving session '${this.sessionId}' broke: ${messageOf(cause)}. Please report this as a bug.`
    const park: ParkFacts = { reason: 'session_error', error: new RondoError('RunInvalidState', text, { cause }).toData() }
    const last = await this.#lastKnown(this.#state, true)
    try {
      await this.#announcePark(park, last, false)
    } catch {
      // What broke the drive may break its announcement too.
    }
    const naming = { sessionId: this.sessionId, isDynamic: () => true }
    for (const runId of this.hub.awaited) {
      const run = newRun({ runId, seq: 0, agent: '', input: [] }, 0)
      this.hub.end(runId, parkedResult(emptyState(), run, park, naming, true))
    }
  }

  /** Resolves when nothing is being driven. */
  async settled(): Promise<void> {
    while (this.#driving !== undefined) await this.#driving
  }

  async #drive(): Promise<void> {
    for (;;) {
      this.#again = false
      this.#lacked = undefined
      const { end, state, seen, detached, silent } = await this.#activate()
      this.#givenUp ||= detached
      this.#state = state
      // Somebody has brought them meanwhile.
      if (!detached && this.#lacked !== undefined && !this.#parts.lacks(this.#lacked)) continue
      if (end.kind === 'busy') {
        await new Promise<void>((resolve) => this.world.clock.timer(busyPollMs, resolve))
        continue
      }
      if (end.kind === 'parked' && end.park.reason === 'time_slice' && this.world.suspendAlways === true) {
        // Nothing of the old activation may help the new one.
        this.#state = undefined
        this.world.onReload?.()
        continue
      }
      if (end.kind === 'parked') await this.#announcePark(end.park, state ?? (await this.#lastKnown(seen, silent)), detached)
      else await this.#tellStragglers()
      return
    }
  }

  async #activate() {
    // The activation owns the state from here on.
    const warm = await this.#alone(async () => {
      const state = this.#state
      this.#state = undefined
      return state
    })
    try {
      return await activate({
        sessionId: this.sessionId,
        store: this.store,
        world: this.world,
        hub: this.hub,
        owner: this.#owner,
        portsOf: this.#portsOf,
        lacksParts: this.#lacksParts,
        warm,
        attach: (activation) => {
          this.#activation = activation
          if (activation !== undefined) this.attend(activation.state)
        },
      })
    } catch (cause) {
      const error = storeError(cause).toData()
      const end: ActivationEnd = { kind: 'parked', park: { reason: 'session_error', error } }
      return { end, state: undefined, seen: warm, detached: false, silent: false }
    }
  }

  /** Everyone who waits for a run of this session is told that it goes on later. */
  async #announcePark(park: ParkFacts, last: SessionState, detached: boolean): Promise<void> {
    const active = last.live.run
    const waiting = last.live.waiting.filter((candidate) => candidate.runId !== active?.id)
    const runs = [...(active === undefined ? [] : [active]), ...waiting.map((candidate) => newRun(candidate, last.live.sealedCount))]
    for (const run of runs) {
      const naming = { sessionId: this.sessionId, isDynamic: (name: string) => this.isDynamic(run.id, name) }
      const result = parkedResult(last, run, park, naming, !detached)
      const pending = result.status === 'parked' ? result.pending : []
      const wake = park.wakeAt === undefined ? {} : { wakeAt: park.wakeAt }
      if (this.hub.active)
        this.hub.piece(this.world.clock.wall(), run.id, run.iteration, undefined, {
          type: 'run.parked',
          reason: park.reason,
          pending,
          ...wake,
        })
      this.hub.end(run.id, result)
    }
  }

  /**
   * After a failure: what the store says by now, if it still has what was seen; else that. Nobody who waits may be forgotten, nor wait once more
   * as long as a store that does not answer has let them wait.
   */
  async #lastKnown(seen: SessionState | undefined, silent: boolean): Promise<SessionState> {
    const before = seen ?? emptyState()
    try {
      const known = this.#alone(async () => (await this.#foldOn(branch(before))).state)
      return await (silent ? within(this.world.clock, 'load', this.sessionId, known, courtesyMs) : known)
    } catch (cause) {
      this.#replaced ||= cause instanceof JournalReplaced
      return before
    }
  }

  /** Somebody else may have finished a run that is waited for here. */
  async #tellStragglers(): Promise<void> {
    for (const runId of this.hub.awaited) {
      const result = await this.finished(runId).catch(() => undefined)
      if (result !== undefined) this.hub.end(runId, result)
    }
  }

  /** The result of a run that has finished, whoever drove it. */
  async finished(runId: string): Promise<CoreResult | undefined> {
    const state = emptyState()
    const naming = { sessionId: this.sessionId, isDynamic: (name: string) => this.isDynamic(runId, name) }
    for await (const entry of this.load()) {
      applyTo(state, entry)
      const { ended } = state.live
      if (entry.kind === 'run.finished' && entry.runId === runId && ended !== undefined) return finishedResult(state, ended, naming, true)
    }
    return undefined
  }

  #checkIdle(): void {
    if (this.#driving !== undefined || this.#waitingInputs > 0) return
    this.#stopListening()
    if (this.hub.size === 0) this.#onIdle(this)
  }

  release(): void {
    this.#checkIdle()
  }
}

function doubtful(doubt: Doubt, inputs: readonly Input[], seq: number): void {
  for (const { id } of inputs) doubt.ids.add(id)
  doubt.since ??= seq
}

/** A cancel that goes with another input (`interrupt`) and finds nothing left to cancel. */
function isNeedless(inputs: readonly Input[], index: number, { why }: Refusal): boolean {
  return inputs.length > 1 && inputs[index]?.kind === 'control' && (why === 'late' || why === 'twice')
}

function runIdOf(input: EntryBody, state: SessionState): { runId?: string } {
  const runId = input.runId ?? state.live.run?.id ?? state.live.waiting[0]?.runId
  return runId === undefined || input.kind === 'session' ? {} : { runId }
}
