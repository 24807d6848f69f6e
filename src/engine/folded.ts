import type { Entry } from '../core/entry.ts'
import type { Naming } from '../core/outcome.ts'
import { branch, emptyState, type SessionState } from '../core/state.ts'
import type { Hub } from './hub.ts'
import { courtesyMs, within } from './patience.ts'
import type { World } from './ports.ts'
import { JournalReplaced, readOn } from './read-on.ts'
import { foldAndShow } from './show.ts'

interface Place {
  readonly sessionId: string
  readonly world: World
  readonly hub: Hub
  /** Of entries that are not this process's own activation's. */
  readonly naming: Naming
  /** The journal after a seq; throws when the store does not answer. */
  load(afterSeq: number): AsyncIterable<Entry>
  /** Keeps the session open until the returned function is called. */
  hold(): () => void
  /** The journal was another one. */
  onReplaced(): void
}

/** What this process knows of a session's journal while no activation of it has the state: folded once, and gone on from. */
export class Folded {
  /** `undefined`: to be folded from the start. */
  state: SessionState | undefined
  readonly #place: Place
  /** The journal that was driven is no longer there; what stands in its place has not been read yet. */
  #replaced = false
  /** Settles when nobody folds into `state`: two folds on one list of turns would overwrite each other. */
  #folding: Promise<void> = Promise.resolve()

  constructor(place: Place) {
    this.#place = place
  }

  /** One fold at a time. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#folding
    let done = () => {}
    this.#folding = new Promise((resolve) => {
      done = resolve
    })
    // What is shown while folding may end the last handle: the driver stays until the fold is kept.
    const letGo = this.#place.hold()
    await before
    try {
      return await work()
    } finally {
      done()
      letGo()
    }
  }

  /** A session that cannot exist yet. */
  begin(): void {
    this.state ??= emptyState()
    this.#place.hub.begin(0)
  }

  /** Hands the state over to an activation, which owns it from here on. */
  take(): Promise<SessionState | undefined> {
    return this.alone(async () => {
      const { state } = this
      this.state = undefined
      return state
    })
  }

  /** What the store holds by now; `fresh` is what has come since. Only `alone`. */
  async refresh(): Promise<{ readonly state: SessionState; readonly fresh: readonly Entry[] }> {
    try {
      if (!this.#replaced) return await this.#foldOn(branch(this.state ?? emptyState()))
    } catch (cause) {
      if (!(cause instanceof JournalReplaced)) throw cause
    }
    this.#replaced = false
    this.#place.hub.restart()
    this.#place.onReplaced()
    return this.#foldOn(emptyState())
  }

  /**
   * After a failure: what the store says by now, if it still has what was seen; else that. Nobody who waits may be forgotten, nor wait once more
   * as long as a store that does not answer has let them wait.
   */
  async lastKnown(seen: SessionState | undefined, silent: boolean): Promise<SessionState> {
    const before = seen ?? emptyState()
    try {
      const known = this.alone(async () => (await this.#foldOn(branch(before))).state)
      const { world, sessionId } = this.#place
      return await (silent ? within(world.clock, 'load', sessionId, known, courtesyMs) : known)
    } catch (cause) {
      this.#replaced ||= cause instanceof JournalReplaced
      return before
    }
  }

  async #foldOn(state: SessionState): Promise<{ readonly state: SessionState; readonly fresh: readonly Entry[] }> {
    const { sessionId, hub, naming } = this.#place
    const fresh: Entry[] = []
    await readOn(
      (afterSeq) => this.#place.load(afterSeq),
      sessionId,
      state.live,
      (entry) => {
        foldAndShow(hub, state, entry, naming)
        fresh.push(entry)
      },
    )
    // While this was read an activation may have begun, gone on and ended: what is older than what was shown is of no use to the next one.
    if (state.live.seq >= hub.seq) this.state = state
    hub.begin(state.live.seq)
    return { state, fresh }
  }
}
