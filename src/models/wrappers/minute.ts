/** The length of the window that providers count by (ms). */
const minuteMs = 60_000

interface Counted {
  readonly at: number
  readonly amount: number
}

/** What was counted in the last minute: a sliding window, so that no minute, wherever it begins, holds more than one that was looked at. */
export class Minute {
  #counted: Counted[] = []
  /** Before it, all is too old. */
  #first = 0
  #sum = 0

  add(at: number, amount: number): void {
    this.#counted.push({ at, amount })
    this.#sum += amount
  }

  /** The sum of what is younger than a minute. */
  sum(now: number): number {
    for (
      let oldest = this.#counted[this.#first];
      oldest !== undefined && oldest.at + minuteMs <= now;
      oldest = this.#counted[this.#first]
    ) {
      this.#sum -= oldest.amount
      this.#first++
    }
    if (this.#first > 1_000 && this.#first * 2 > this.#counted.length) {
      this.#counted = this.#counted.slice(this.#first)
      this.#first = 0
    }
    return this.#sum
  }

  /** In how many ms so much will have become too old; `Infinity` when there is not so much. */
  until(now: number, amount: number): number {
    let left = amount
    for (let index = this.#first; left > 0; index++) {
      const next = this.#counted[index]
      if (next === undefined) return Number.POSITIVE_INFINITY
      left -= next.amount
      if (left <= 0) return Math.max(0, next.at + minuteMs - now)
    }
    return 0
  }
}
