import type { Refusal } from '../core/accept.ts'
import type { Entry } from '../core/entry.ts'
import { messageOf, RondoError } from '../core/error.ts'
import type { CoreEvent } from '../core/event.ts'
import type { ParkFacts } from '../core/outcome.ts'
import type { CoreResult } from '../core/result.ts'
import { currentRun, type SessionState, type WaitingRun } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import { activate } from './activate.ts'
import type { Activation, ActivationEnd } from './activation.ts'
import { storeError } from './append.ts'
import { Folded } from './folded.ts'
import { Hub } from './hub.ts'
import { Listening } from './listening.ts'
import { courtesyMs, patiently, within } from './patience.ts'
import type { RunPorts, World } from './ports.ts'
import { outsideResult, type Settled } from './returned.ts'
import { announceBreak, announcePark, finishedRun, tellStragglers } from './run-ends.ts'
import { RunParts, type StandIn } from './run-parts.ts'
import { enterInput, type InputMaker, type InputPlace } from './session-inputs.ts'

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

interface AskedParts {
  readonly waiting: readonly WaitingRun[]
  readonly runId: string | undefined
  readonly version: number
  readonly attends: boolean
  readonly ports: RunPorts
}

const busyPollMs = 250

/** A session as this process sees it: who listens, which runs were asked for here, what its journal holds, and what drives it. */
export class SessionDriver {
  readonly sessionId: string
  readonly store: Store
  readonly world: World
  readonly hub: Hub
  readonly #owner: string
  readonly #onIdle: (driver: SessionDriver) => void
  readonly #parts: RunParts
  readonly #interests = new Map<string, Interest>()
  readonly #folded: Folded
  readonly #listening: Listening
  readonly #inputs: InputPlace
  /** The parts that were asked for last, and of what they are. */
  #asked: AskedParts | undefined
  /** What the parts were when the activation last lacked some. */
  #lackedAt: number | undefined
  #activation: Activation | undefined
  #driving: Promise<void> | undefined
  /** Somebody has called for a drive that one under way may not have heard: the last entry that was known here then. */
  #again: number | undefined
  /** A best-effort run went on without the store and has ended: what the store still holds of it is not driven by itself. */
  #givenUp = false
  /** Told whether the session was to be had, by whoever leaves it to others if not. */
  #taken: ((taken: boolean) => void) | undefined
  #waitingInputs = 0

  constructor(store: Store, sessionId: string, speaker: Speaker, onIdle: (driver: SessionDriver) => void) {
    this.store = store
    this.sessionId = sessionId
    this.world = speaker.world
    this.#owner = speaker.owner
    this.#onIdle = onIdle
    this.#parts = new RunParts(speaker.standIn)
    this.hub = new Hub(sessionId, (runId) => this.forget(runId))
    const naming = { sessionId, isDynamic: (name: string) => this.isDynamic('', name) }
    const place = { sessionId, store, world: this.world, hub: this.hub, naming, load: (afterSeq: number) => this.load(afterSeq) }
    this.#folded = new Folded({ ...place, hold: () => this.hold(), onReplaced: () => this.#parts.dropLeft() })
    this.#listening = new Listening(this.hub, this.#parts)
    this.#inputs = { ...place, folded: this.#folded, activation: () => this.#activation, onPending: (state) => this.#onPending(state) }
  }

  /** What a folded state may be taken from, by a later driver of the same session. */
  get state(): SessionState | undefined {
    return this.#folded.state
  }

  /** Parts of unfinished runs that this process can't make anew. */
  get ownParts(): ReadonlyMap<string, RunPorts> {
    return this.#parts.own
  }

  adopt(state: SessionState | undefined, parts: ReadonlyMap<string, RunPorts> | undefined): void {
    this.#folded.state = state
    if (state !== undefined) this.hub.begin(state.live.seq)
    if (parts !== undefined) this.#parts.takeUp(parts)
  }

  /** The live parts of a run; `run` is there already, and was driven with others. */
  register(runId: string, ports: RunPorts, run?: WaitingRun): void {
    this.#parts.bring(runId, ports, run)
    this.#givenUp = false
  }

  /** Whether a run was asked for here and is being driven. */
  serves(run: WaitingRun): boolean {
    return this.#driving !== undefined && this.#parts.has(run)
  }

  get isDriving(): boolean {
    return this.#driving !== undefined
  }

  /** What drives the current run. */
  partsOf({ live }: SessionState): RunPorts {
    return this.#parts.of(currentRun(live))
  }

  /** What the current run needs and this process has not, in words. */
  missingFor(state: SessionState): readonly string[] {
    const run = currentRun(state.live)
    return run === undefined ? [] : this.#parts.missingFor(run, state, this.world.clock.wall())
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
    this.#listening.forget(runId)
  }

  readonly #portsOf = ({ live }: SessionState): RunPorts => {
    const { run, waiting } = live
    const { version } = this.#parts
    const attends = this.#activation !== undefined
    // Asked several times a step, always for the same run.
    const known = this.#asked
    if (known?.waiting === waiting && known.runId === run?.id && known.version === version && known.attends === attends) return known.ports
    const current = currentRun(live)
    // When all runs are done there is nothing to decide: those of the last one will do.
    const ports = current === undefined && known !== undefined ? known.ports : this.#parts.of(current)
    if (attends) this.#listening.attend(live, ports)
    this.#asked = { waiting, runId: run?.id, version, attends, ports }
    return ports
  }

  readonly #lacksParts = (run: WaitingRun, state: SessionState, isClaimed: boolean): boolean => {
    if (isClaimed ? !this.#parts.lacks(run) : this.missingFor(state).length === 0) return false
    this.#lackedAt = this.#parts.version
    return true
  }

  isDynamic(runId: string, toolName: string): boolean {
    return this.#parts.isDynamic(runId, toolName)
  }

  /** The listeners of the agent whose parts drive the current run hear what is about to be written. */
  attend({ live }: SessionState): void {
    const run = currentRun(live)
    if (run !== undefined) this.#listening.attend(live, this.#parts.of(run))
  }

  /** The result of a call that was run outside, as the journal keeps it: within its run's limits, shown to the model as its tool says. */
  async outsideResult(callId: string, output: unknown): Promise<Settled> {
    const { live } = await this.current()
    return outsideResult((bytes) => this.keep(bytes), this.#parts.of(currentRun(live)), live, callId, output)
  }

  /** Keeps bytes in the store; rejects when it does not answer. */
  keep(bytes: Uint8Array): Promise<string> {
    return within(this.world.clock, 'blobs.put', this.sessionId, this.store.blobs.put(bytes))
  }

  /** The newest state: the activation's, else what the store holds. Only to be read. */
  async current(): Promise<SessionState> {
    if (this.#activation !== undefined) return this.#activation.state
    return this.#folded.alone(async () => this.#activation?.state ?? (await this.#folded.refresh()).state)
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
      return await enterInput(this.#inputs, make, fresh)
    } finally {
      letGo()
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
      if (this.#activation === undefined) this.#again = this.hub.known
      return
    }
    this.#driving = this.#drive()
      .catch((cause: unknown) => this.#breakDown(cause))
      .then(() => {
        this.#driving = undefined
        this.#tell(true)
        if (this.#again === undefined || this.#isOver(this.#again)) return this.#checkIdle()
        this.#again = undefined
        this.wake()
      })
  }

  /** Whether nothing is to be driven, for all that is known up to an entry: to look once more would take the session for a moment. */
  #isOver(seq: number): boolean {
    const live = this.#folded.state?.live
    return live !== undefined && live.waiting.length === 0 && live.seq >= seq
  }

  /** As `wake`, unless somebody drives the session, here or elsewhere: false, and it is left to them. */
  tryWake(): Promise<boolean> {
    if (this.#givenUp || this.#driving !== undefined) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#taken = resolve
      this.wake()
    })
  }

  #tell(taken: boolean): void {
    this.#taken?.(taken)
    this.#taken = undefined
  }

  /** Nothing in a drive throws for what a run does. Should something do so all the same, whoever waits is told, and the next drive goes on. */
  async #breakDown(cause: unknown): Promise<void> {
    const text = `Driving session '${this.sessionId}' broke: ${messageOf(cause)}. Please report this as a bug.`
    const park: ParkFacts = { reason: 'session_error', error: new RondoError('RunInvalidState', text, { cause }).toData() }
    announceBreak(this, park, await this.#folded.lastKnown(this.#folded.state, true))
  }

  async #drive(): Promise<void> {
    for (;;) {
      this.#again = undefined
      this.#lackedAt = undefined
      const { end, state, seen, detached, silent } = await this.#activate()
      this.#givenUp ||= detached
      this.#folded.state = state
      // Its lease is given back, or nobody waits for that any more.
      this.hub.letGo()
      // Somebody has brought them meanwhile.
      if (!detached && this.#lackedAt !== undefined && this.#lackedAt !== this.#parts.version) continue
      if (end.kind === 'busy') {
        if (this.#taken !== undefined) return this.#tell(false)
        await new Promise<void>((resolve) => this.world.clock.timer(busyPollMs, resolve))
        continue
      }
      if (end.kind === 'parked' && end.park.reason === 'time_slice' && this.world.suspendAlways === true) {
        // Nothing of the old activation may help the new one.
        this.#folded.state = undefined
        this.world.onReload?.()
        continue
      }
      if (end.kind === 'parked') announcePark(this, end.park, state ?? (await this.#folded.lastKnown(seen, silent)), detached)
      else await tellStragglers(this)
      return
    }
  }

  async #activate() {
    // The activation owns the state from here on.
    const warm = await this.#folded.take()
    this.hub.hold((tell) => this.world.clock.timer(courtesyMs, tell))
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
          if (activation === undefined) return
          this.#tell(true)
          this.attend(activation.state)
        },
      })
    } catch (cause) {
      const error = storeError(cause).toData()
      const end: ActivationEnd = { kind: 'parked', park: { reason: 'session_error', error } }
      return { end, state: undefined, seen: warm, detached: false, silent: false }
    }
  }

  /** The result of a run that has finished, whoever drove it. */
  finished(runId: string): Promise<CoreResult | undefined> {
    return finishedRun(this, runId)
  }

  #checkIdle(): void {
    if (this.#driving !== undefined || this.#waitingInputs > 0) return
    this.#listening.stop()
    if (this.hub.size === 0) this.#onIdle(this)
  }

  release(): void {
    this.#checkIdle()
  }
}
