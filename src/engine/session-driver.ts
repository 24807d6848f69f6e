import type { Refusal } from '../core/accept.ts'
import type { Entry } from '../core/entry.ts'
import type { CoreEvent } from '../core/event.ts'
import type { CoreResult } from '../core/result.ts'
import { currentRun, type SessionState, type WaitingRun } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import { Driving } from './driving.ts'
import { Folded } from './folded.ts'
import { Hub } from './hub.ts'
import { Listening } from './listening.ts'
import { patiently, within } from './patience.ts'
import type { RunPorts, World } from './ports.ts'
import { outsideResult, type Settled } from './returned.ts'
import { finishedRun } from './run-ends.ts'
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

/** A session as this process sees it: who listens, which runs were asked for here, what its journal holds, and what drives it. */
export class SessionDriver {
  readonly sessionId: string
  readonly store: Store
  readonly world: World
  readonly hub: Hub
  readonly #onIdle: (driver: SessionDriver) => void
  readonly #parts: RunParts
  readonly #interests = new Map<string, Interest>()
  readonly #folded: Folded
  readonly #listening: Listening
  readonly #inputs: InputPlace
  readonly #driving: Driving
  #waitingInputs = 0

  constructor(store: Store, sessionId: string, speaker: Speaker, onIdle: (driver: SessionDriver) => void) {
    this.store = store
    this.sessionId = sessionId
    this.world = speaker.world
    this.#onIdle = onIdle
    this.#parts = new RunParts(speaker.standIn)
    this.hub = new Hub(sessionId, (runId) => this.forget(runId))
    const naming = { sessionId, isDynamic: (name: string) => this.isDynamic('', name) }
    const place = { sessionId, store, world: this.world, hub: this.hub, naming, load: (afterSeq: number) => this.load(afterSeq) }
    this.#folded = new Folded({ ...place, hold: () => this.hold(), onReplaced: () => this.#parts.dropLeft() })
    this.#listening = new Listening(this.hub, this.#parts)
    this.#inputs = {
      ...place,
      folded: this.#folded,
      activation: () => this.#driving.activation,
      onPending: (state) => this.#onPending(state),
    }
    this.#driving = new Driving({
      ...place,
      owner: speaker.owner,
      parts: this.#parts,
      folded: this.#folded,
      listening: this.#listening,
      isDynamic: (runId, toolName) => this.isDynamic(runId, toolName),
      load: () => this.load(),
      missingFor: (state) => this.missingFor(state),
      onRest: () => this.#checkIdle(),
    })
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
    this.#driving.takeUpAgain()
  }

  /** Whether a run was asked for here and is being driven. */
  serves(run: WaitingRun): boolean {
    return this.isDriving && this.#parts.has(run)
  }

  get isDriving(): boolean {
    return this.#driving.isUnderWay
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
    if (!this.isDriving) this.#parts.offer(standIn)
  }

  forget(runId: string): void {
    this.#interests.delete(runId)
    this.#parts.forget(runId)
    this.#listening.forget(runId)
  }

  isDynamic(runId: string, toolName: string): boolean {
    return this.#parts.isDynamic(runId, toolName)
  }

  /** The listeners of the agent whose parts drive the current run hear what is about to be written. */
  attend(state: SessionState): void {
    this.#listening.attendTo(state)
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
    const { activation } = this.#driving
    if (activation !== undefined) return activation.state
    return this.#folded.alone(async () => this.#driving.activation?.state ?? (await this.#folded.refresh()).state)
  }

  /** Looks whenever somebody else has written, until the returned function is called: their events are shown here too. */
  follow(): () => void {
    return this.store.watch(this.sessionId, this.hub.seq, () => {
      if (this.#driving.activation === undefined) this.current().catch(() => {})
    })
  }

  /** What is being shown at this moment of the run's open message, for a reader that comes in the middle of it. */
  openPieces(runId: string): readonly CoreEvent[] {
    const { shown, state } = this.#driving.activation ?? {}
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
    this.#driving.wake()
  }

  /** As `wake`, unless somebody drives the session, here or elsewhere: false, and it is left to them. */
  tryWake(): Promise<boolean> {
    return this.#driving.tryWake()
  }

  /** The result of a run that has finished, whoever drove it. */
  finished(runId: string): Promise<CoreResult | undefined> {
    return finishedRun(this, runId)
  }

  #checkIdle(): void {
    if (this.isDriving || this.#waitingInputs > 0) return
    this.#listening.stop()
    if (this.hub.size === 0) this.#onIdle(this)
  }

  release(): void {
    this.#checkIdle()
  }
}
