import { messageOf, RondoError } from '../core/error.ts'
import type { ParkFacts } from '../core/outcome.ts'
import { currentRun, type SessionState, type WaitingRun } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import { activate } from './activate.ts'
import type { Activation, ActivationEnd } from './activation.ts'
import { storeError } from './append.ts'
import type { Folded } from './folded.ts'
import type { Listening } from './listening.ts'
import { courtesyMs } from './patience.ts'
import type { RunPorts } from './ports.ts'
import { announceBreak, announcePark, type EndPlace, tellStragglers } from './run-ends.ts'
import type { RunParts } from './run-parts.ts'

interface Place extends EndPlace {
  readonly store: Store
  readonly owner: string
  readonly parts: RunParts
  readonly folded: Folded
  readonly listening: Listening
  /** What the current run needs and this process has not, in words. */
  missingFor(state: SessionState): readonly string[]
  /** Nothing drives it any more. */
  onRest(): void
}

interface AskedParts {
  readonly waiting: readonly WaitingRun[]
  readonly runId: string | undefined
  readonly version: number
  readonly attends: boolean
  readonly ports: RunPorts
}

const busyPollMs = 250

/** What drives a session from here: one activation after the other, as long as there is something to do and the session is to be had. */
export class Driving {
  readonly #place: Place
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

  constructor(place: Place) {
    this.#place = place
  }

  get isUnderWay(): boolean {
    return this.#driving !== undefined
  }

  /** That which takes inputs now. */
  get activation(): Activation | undefined {
    return this.#activation
  }

  /** Something new is to be driven. */
  takeUpAgain(): void {
    this.#givenUp = false
  }

  /** Drives the session until every run has finished or parked. */
  wake(): void {
    if (this.#givenUp) return
    if (this.#driving !== undefined) {
      // An activation that takes inputs has what was written, or hears of it; only its first and last moments are deaf.
      if (this.#activation === undefined) this.#again = this.#place.hub.known
      return
    }
    this.#driving = this.#drive()
      .catch((cause: unknown) => this.#breakDown(cause))
      .then(() => {
        this.#driving = undefined
        this.#tell(true)
        if (this.#again === undefined || this.#isOver(this.#again)) return this.#place.onRest()
        this.#again = undefined
        this.wake()
      })
  }

  /** As `wake`, unless somebody drives the session, here or elsewhere: false, and it is left to them. */
  tryWake(): Promise<boolean> {
    if (this.#givenUp || this.#driving !== undefined) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#taken = resolve
      this.wake()
    })
  }

  /** Whether nothing is to be driven, for all that is known up to an entry: to look once more would take the session for a moment. */
  #isOver(seq: number): boolean {
    const live = this.#place.folded.state?.live
    return live !== undefined && live.waiting.length === 0 && live.seq >= seq
  }

  #tell(taken: boolean): void {
    this.#taken?.(taken)
    this.#taken = undefined
  }

  /** Nothing in a drive throws for what a run does. Should something do so all the same, whoever waits is told, and the next drive goes on. */
  async #breakDown(cause: unknown): Promise<void> {
    const { sessionId, folded } = this.#place
    const text = `Driving session '${sessionId}' broke: ${messageOf(cause)}. Please report this as a bug.`
    const park: ParkFacts = { reason: 'session_error', error: new RondoError('RunInvalidState', text, { cause }).toData() }
    announceBreak(this.#place, park, await folded.lastKnown(folded.state, true))
  }

  async #drive(): Promise<void> {
    const { hub, world, folded, parts } = this.#place
    for (;;) {
      this.#again = undefined
      this.#lackedAt = undefined
      const { end, state, seen, detached, silent } = await this.#activate()
      this.#givenUp ||= detached
      folded.state = state
      // Its lease is given back, or nobody waits for that any more.
      hub.letGo()
      // Somebody has brought them meanwhile.
      if (!detached && this.#lackedAt !== undefined && this.#lackedAt !== parts.version) continue
      if (end.kind === 'busy') {
        if (this.#taken !== undefined) return this.#tell(false)
        await new Promise<void>((resolve) => world.clock.timer(busyPollMs, resolve))
        continue
      }
      if (end.kind === 'parked' && end.park.reason === 'time_slice' && world.suspendAlways === true) {
        // Nothing of the old activation may help the new one.
        folded.state = undefined
        world.onReload?.()
        continue
      }
      if (end.kind === 'parked') announcePark(this.#place, end.park, state ?? (await folded.lastKnown(seen, silent)), detached)
      else await tellStragglers(this.#place)
      return
    }
  }

  async #activate() {
    const { sessionId, store, world, hub, owner, folded, listening } = this.#place
    // The activation owns the state from here on.
    const warm = await folded.take()
    hub.hold((tell) => world.clock.timer(courtesyMs, tell))
    try {
      return await activate({
        sessionId,
        store,
        world,
        hub,
        owner,
        portsOf: this.#portsOf,
        lacksParts: this.#lacksParts,
        warm,
        attach: (activation) => {
          this.#activation = activation
          if (activation === undefined) return
          this.#tell(true)
          listening.attendTo(activation.state)
        },
      })
    } catch (cause) {
      const error = storeError(cause).toData()
      const end: ActivationEnd = { kind: 'parked', park: { reason: 'session_error', error } }
      return { end, state: undefined, seen: warm, detached: false, silent: false }
    }
  }

  readonly #portsOf = ({ live }: SessionState): RunPorts => {
    const { parts, listening } = this.#place
    const { run, waiting } = live
    const { version } = parts
    const attends = this.#activation !== undefined
    // Asked several times a step, always for the same run.
    const known = this.#asked
    if (known?.waiting === waiting && known.runId === run?.id && known.version === version && known.attends === attends) return known.ports
    const current = currentRun(live)
    // When all runs are done there is nothing to decide: those of the last one will do.
    const ports = current === undefined && known !== undefined ? known.ports : parts.of(current)
    if (attends) listening.attend(live, ports)
    this.#asked = { waiting, runId: run?.id, version, attends, ports }
    return ports
  }

  readonly #lacksParts = (run: WaitingRun, state: SessionState, isClaimed: boolean): boolean => {
    const { parts } = this.#place
    if (isClaimed ? !parts.lacks(run) : this.#place.missingFor(state).length === 0) return false
    this.#lackedAt = parts.version
    return true
  }
}
