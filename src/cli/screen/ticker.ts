import type { Terminal } from '../terminal.ts'

const everyMs = 120
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** Calls back again and again with the next picture of a spinner, until it is stopped. */
export class Ticker {
  readonly #terminal: Pick<Terminal, 'after'>
  readonly #onTick: (frame: string) => void
  #frame = 0
  #stop: (() => void) | undefined

  constructor(terminal: Pick<Terminal, 'after'>, onTick: (frame: string) => void) {
    this.#terminal = terminal
    this.#onTick = onTick
  }

  start(): void {
    if (this.#stop === undefined) this.#tick()
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  #tick(): void {
    this.#onTick(frames[this.#frame++ % frames.length] ?? '')
    this.#stop = this.#terminal.after(everyMs, () => this.#tick())
  }
}
