import { addUsage, type EntryOf, noUsage, type Purpose, type Usage } from '../../index.ts'
import { againIn, count, duration, oneLine, shorten } from '../text.ts'

/** Failures of one call that are told; of more, how many. */
const maxFailures = 4
const maxMessageLength = 160

/** A model call between its first attempt and its end. */
export class OpenModelCall {
  readonly n: number
  readonly purpose: Purpose
  readonly startedAt: number
  /** Of the attempt that is open, or was last. */
  attemptAt: number
  attempts = 1
  usage: Usage = noUsage
  readonly #failures: string[] = []
  #untold = 0

  constructor({ at, data }: EntryOf<'model.started'>) {
    this.n = data.n
    this.purpose = data.purpose
    this.startedAt = at
    this.attemptAt = at
  }

  again(at: number): void {
    this.attemptAt = at
    this.attempts++
  }

  failed({ at, data }: EntryOf<'model.failed'>): void {
    this.usage = addUsage(this.usage, data.usage ?? { ...noUsage, complete: false })
    if (this.#failures.length === maxFailures) this.#untold++
    else {
      const again = data.retryAt === undefined ? '' : ` ${againIn(data.retryAt - at)}`
      this.#failures.push(
        `attempt ${data.attempt} ${oneLine(data.cause ?? 'failed')}: ${shorten(oneLine(data.error.message), maxMessageLength)}${again}`,
      )
    }
  }

  get failures(): readonly string[] {
    return this.#untold === 0 ? this.#failures : [...this.#failures, `and ${count(this.#untold, 'more failed attempt')}`]
  }

  details(at: number, { cachedInputTokens, reasoningTokens }: Usage): readonly string[] {
    const facts: string[] = []
    if (this.purpose !== 'main') facts.push(`for: ${this.purpose}`)
    if (this.attempts > 1) facts.push(`${count(this.attempts, 'attempt')} in ${duration(at - this.startedAt)}`)
    if (cachedInputTokens > 0) facts.push(`${cachedInputTokens.toLocaleString('en-US')} of the input cached`)
    if (reasoningTokens > 0) facts.push(`${reasoningTokens.toLocaleString('en-US')} of the output reasoning`)
    return facts
  }
}
