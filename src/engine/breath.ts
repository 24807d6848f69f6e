import type { Clock } from './ports.ts'

/** After so much work without a pause (ms) the rest of the process has its turn: timers, signals, sockets, heartbeats. */
const workMs = 50

/**
 * When the runs of a process pause. Steps that only wait for promises are one long task to the event loop, whether of one run, of many
 * together or of one after the other: so they pause together.
 */
export class Breath {
  readonly #clock: Clock
  readonly #nextTurn: (callback: () => void) => void
  #since: number
  #pause: Promise<void> | undefined

  constructor(clock: Clock, nextTurn: (callback: () => void) => void) {
    this.#clock = clock
    this.#nextTurn = nextTurn
    this.#since = clock.monotonic()
  }

  isDue(now: number): boolean {
    return this.#pause !== undefined || now - this.#since >= workMs
  }

  /** The pause that is due now, or `undefined`. */
  due(now: number): Promise<void> | undefined {
    if (!this.isDue(now)) return undefined
    this.#pause ??= new Promise((resolve) => {
      this.#nextTurn(() => {
        this.#since = this.#clock.monotonic()
        this.#pause = undefined
        resolve()
      })
    })
    return this.#pause
  }
}

const breaths = new WeakMap<Clock, Breath>()

/** The pauses of all that lives by this clock; `undefined` when its time stands still while anything works, so that nothing need be let through. */
export function breathOf(clock: Clock): Breath | undefined {
  const known = breaths.get(clock)
  if (known !== undefined || clock.nextTurn === undefined) return known
  const breath = new Breath(clock, clock.nextTurn)
  breaths.set(clock, breath)
  return breath
}
