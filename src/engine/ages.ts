import type { Entry } from '../core/entry.ts'
import type { Live } from '../core/state.ts'
import type { Clock } from './ports.ts'

/**
 * How old the entries are that times rest on, by the monotonic clock: a wall clock, ours or the store's, may jump by hours. An entry of
 * this activation counts from its commit, one that is only staged has no age yet, and one from before counts by the wall clock up to the
 * begin of the activation, for nothing else is known of it.
 */
export class Ages {
  readonly #clock: Clock
  readonly #begun: number
  readonly #wall: number
  /** When each was committed (monotonic ms), in order of seq. */
  readonly #committed = new Map<number, number>()
  #last = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#begun = clock.monotonic()
    this.#wall = clock.wall()
  }

  /** What `decide` asks. */
  readonly of = (seq: number, at: number): number => {
    const now = this.#clock.monotonic()
    const committed = this.#committed.get(seq)
    if (committed !== undefined) return now - committed
    return seq > this.#last ? 0 : Math.max(0, this.#wall - at) + now - this.#begun
  }

  /** What stands in the journal when the activation begins. */
  begin({ seq }: Live): void {
    this.#last = seq
  }

  /** Entries have been committed, which made this state. */
  commit(entries: readonly Entry[], live: Live): void {
    this.#last = live.seq
    this.#forget(live)
    const now = this.#clock.monotonic()
    for (const { kind, seq } of entries)
      if (kind === 'call.started' || kind === 'model.started' || kind === 'model.failed' || kind === 'run.claimed' || kind === 'control')
        this.#committed.set(seq, now)
  }

  /** Nothing rests on what came before the open turn, the first attempt of the model call, or the cancel: so nothing grows with the run. */
  #forget({ run, turn, model, retry }: Live): void {
    if (this.#committed.size === 0) return
    const never = Number.POSITIVE_INFINITY
    const oldest = Math.min(turn?.seq ?? never, model?.firstSeq ?? never, retry?.firstSeq ?? never, run?.cancelSeq ?? never)
    for (const seq of this.#committed.keys()) {
      if (seq >= oldest) return
      this.#committed.delete(seq)
    }
  }
}
