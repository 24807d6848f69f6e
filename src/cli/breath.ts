/**
 * For long loops over what is at hand: resolves in a later turn of the event loop once `every` units of work were done, at once before that. Signals, a
 * reader that left and what waits to be written are looked at there.
 */
export class Breath {
  readonly #every: number
  #done = 0

  constructor(every: number) {
    this.#every = every
  }

  async after(work: number): Promise<void> {
    this.#done += work
    if (this.#done < this.#every) return
    this.#done = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
}
