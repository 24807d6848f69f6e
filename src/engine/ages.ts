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
  /** The entries that times rest on, in order of seq, and when each was committed (monotonic ms). */
  #seqs: number[] = []
  #times: number[] = []
  readonly #room: number
  #last = 0

  /** `room`: how many entries may be remembered before it is looked which of them count no more. */
  constructor(clock: Clock, room = 64) {
    this.#clock = clock
    this.#room = room
    this.#begun = clock.monotonic()
    this.#wall = clock.wall()
  }

  /** What `decide` asks. */
  readonly of = (seq: number, at: number): number => {
    const now = this.#clock.monotonic()
    const place = placeOf(this.#seqs, seq)
    const committed = this.#times[place]
    if (committed !== undefined && this.#seqs[place] === seq) return now - committed
    return seq > this.#last ? 0 : Math.max(0, this.#wall - at) + now - this.#begun
  }

  /** What stands in the journal when the activation begins. */
  begin({ seq }: Live): void {
    this.#last = seq
  }

  /** Entries have been committed, which made this state. */
  commit(entries: readonly Entry[], live: Live): void {
    this.#last = live.seq
    if (this.#seqs.length >= this.#room) this.#forget(live)
    const now = this.#clock.monotonic()
    for (const { kind, seq } of entries) {
      if (kind !== 'call.started' && kind !== 'model.started' && kind !== 'model.failed' && kind !== 'run.claimed' && kind !== 'control')
        continue
      this.#seqs.push(seq)
      this.#times.push(now)
    }
  }

  /**
   * Nothing rests on what came before the open turn, the first attempt of the model call, or the cancel, but what goes on in the background, and the
   * working time that one of those has opened: so nothing grows with the run.
   */
  #forget({ run, turn, model, retry, background }: Live): void {
    const never = Number.POSITIVE_INFINITY
    const oldest = Math.min(turn?.seq ?? never, model?.firstSeq ?? never, retry?.firstSeq ?? never, run?.cancelSeq ?? never)
    const place = placeOf(this.#seqs, oldest)
    const before = background.map(({ startedSeq }) => startedSeq)
    // It stays open when what has opened it ends before what has begun since.
    if (run !== undefined && run.open > 0) before.push(run.openSeq)
    const kept = this.#placesOf(before, place)
    const times = this.#times
    this.#times = [...kept.map((older) => times[older] ?? 0), ...times.slice(place)]
    this.#seqs = [...kept.map((older) => this.#seqs[older] ?? 0), ...this.#seqs.slice(place)]
  }

  /** Where, before a place, these entries are. */
  #placesOf(seqs: readonly number[], end: number): number[] {
    return [...new Set(seqs)]
      .sort((a, b) => a - b)
      .map((seq) => (this.#seqs[placeOf(this.#seqs, seq)] === seq ? placeOf(this.#seqs, seq) : end))
      .filter((place) => place < end)
  }
}

/** Where the first is that is not below `seq`. */
function placeOf(seqs: readonly number[], seq: number): number {
  let from = 0
  let to = seqs.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((seqs[middle] ?? 0) < seq) from = middle + 1
    else to = middle
  }
  return from
}
