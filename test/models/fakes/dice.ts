/** mulberry32: small, seeded, good enough to pick with. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(p: number): boolean {
    return this.next() < p
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  pick<X>(list: readonly X[]): X {
    return list[this.int(0, list.length - 1)] as X
  }
}
