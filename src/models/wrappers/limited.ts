import { type ErrorCode, messageOf, RondoError } from '../../core/error.ts'
import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { clip } from '../../core/text.ts'
import { anObject, aPositiveTime, faultsInGroup, type Rules, refuse, wholeNumber } from '../option-rules.ts'
import { type Admission, Breaker, type BreakerOptions, defaultOpenMs, type Health } from './breaker.ts'
import { aClock, aModel, isModel, nameOf, wrongOptions } from './check-options.ts'
import { type Failure, failureOf, isModelsFault } from './failures.ts'
import { Gate, type Passed } from './gate.ts'
import { orAborted } from './or-aborted.ts'
import { OwnTime, processClock, type WrapperClock } from './own-time.ts'
import { TokenEstimate } from './token-estimate.ts'

export interface LimitedOptions {
  /** Requests that begin in any 60 s. Default: no limit. */
  requestsPerMinute?: number
  /**
   * Tokens of input and output in any 60 s. A request is guessed before it is sent, and counted as the provider reports it when it has been
   * answered; a request that alone is over the limit is sent when nothing else counts. Default: no limit.
   */
  tokensPerMinute?: number
  /** Requests under way at the same time. Default: no limit. */
  concurrency?: number
  /** Requests that may wait for their turn; more are refused (`ModelRateLimited`). Default 500. */
  maxQueue?: number
  /** How long a request may wait for its turn (ms); then it is refused (`ModelRateLimited`). Default: no limit but `settings.timeoutMs`. */
  maxWaitMs?: number
  /** A circuit breaker: `{}` is one with its defaults. Default: none. */
  breaker?: BreakerOptions
  /** Default: that of the process. */
  clock?: WrapperClock
}

/** A model with limits. What it shows is for dashboards and tests. */
export interface LimitedModel extends Model {
  /** Requests under way. */
  readonly running: number
  /** Requests that wait for their turn. */
  readonly waiting: number
  readonly breaker: 'closed' | 'open' | 'half-open'
}

const aCount = wholeNumber(1)
const rules: Rules<LimitedOptions> = {
  requestsPerMinute: aCount,
  tokensPerMinute: aCount,
  concurrency: aCount,
  maxQueue: wholeNumber(0),
  maxWaitMs: aPositiveTime,
  breaker: anObject(),
  clock: aClock,
}
const breakerRules: Rules<BreakerOptions> = { failures: aCount, openMs: aPositiveTime }

/**
 * A model that is not asked more often than you say, by whatever asks this object: give the same one to all agents that share a key.
 *
 * - Requests wait in one line and pass in the order in which they came. An abort takes one out of it at once.
 * - A `ModelRateLimited` that says how long to wait (`Retry-After`) holds back all of them for that time; when that is over a minute, or
 *   longer than they may wait, they are refused at once and told how long.
 * - The time in the line is time of the model call: `settings.timeoutMs` and `maxDurationMs` count it.
 * - With `breaker`, failures in a row (`ModelServerError`, `ModelTimeout`, `ModelUnknownError`) open it: requests are refused at once with a
 *   `ModelServerError` that may be tried again and says when (`retryAfterMs`). After that time one request is let in, as a probe.
 * - A request that does not end after an abort gives its place back after a second.
 *
 * @throws `ConfigInvalid` for options that can't work.
 */
export function limited(model: Model, options?: LimitedOptions): LimitedModel {
  const wrong = isModel(model) ? [] : [`the first argument must be ${aModel}`]
  wrong.push(...wrongOptions(options, rules), ...faultsInGroup(options?.breaker, breakerRules, { prefix: 'breaker.', shows: true }))
  refuse('limited', wrong)
  return new Limited(model, options ?? {})
}

/** As long as the engine gives a model that was told to stop (`policies.graceMs`). */
const graceMs = 1_000

class Limited implements LimitedModel {
  readonly provider: string
  readonly id: string
  readonly #model: Model
  readonly #options: LimitedOptions
  readonly #time: OwnTime
  readonly #gate: Gate
  readonly #breaker: Breaker | undefined
  readonly #estimate: TokenEstimate | undefined
  /** The last failure that counted for the breaker, in the model's words. */
  #lastFailure = ''

  constructor(model: Model, options: LimitedOptions) {
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity, concurrency = Infinity, maxQueue = 500 } = options
    this.provider = model.provider
    this.id = model.id
    this.#model = model
    this.#options = options
    this.#time = new OwnTime(options.clock ?? processClock)
    this.#gate = new Gate(nameOf(model), { requestsPerMinute, tokensPerMinute, concurrency, maxQueue }, this.#time)
    this.#breaker = options.breaker === undefined ? undefined : new Breaker(this.#time, options.breaker)
    this.#estimate = options.tokensPerMinute === undefined ? undefined : new TokenEstimate()
  }

  get capabilities(): ModelCapabilities {
    return this.#model.capabilities
  }

  get running(): number {
    return this.#gate.inside
  }

  get waiting(): number {
    return this.#gate.waiting
  }

  get breaker(): 'closed' | 'open' | 'half-open' {
    return this.#breaker?.state ?? 'closed'
  }

  async stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    options: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish> {
    const { signal } = options
    const cameAt = this.#time.now()
    const admission = this.#admit()
    let health: Health = 'nothing'
    let passed: Passed | undefined
    let asked: Promise<ModelFinish> | undefined
    let used: number | undefined
    let askedAt = cameAt
    try {
      const guess = this.#estimate?.guess(request) ?? 0
      const tokens = this.#estimate?.corrected(guess) ?? 0
      passed = await this.#gate.enter({ tokens, maxWaitMs: this.#maxWaitMs(request), signal })
      used = 0
      signal.throwIfAborted()
      used = undefined
      askedAt = this.#time.now()
      asked = this.#model.stream(request, sink, options)
      const finish = await orAborted(asked, signal)
      used = this.#tokensOf(finish, guess)
      health = 'up'
      return finish
    } catch (thrown) {
      const mostlyWaited = this.#time.now() - askedAt < askedAt - cameAt
      if (asked !== undefined) health = this.#learn(failureOf(this.#model, thrown), signal, mostlyWaited)
      throw thrown
    } finally {
      // Before its place is free: nobody shall pass a breaker that has just opened.
      if (admission !== undefined && this.#breaker?.ended(admission, health) === true) this.#gate.refuseAll(() => this.#isOpen())
      if (asked !== undefined && signal.aborted) this.#leaveAfter(asked, passed)
      else passed?.leave(used)
    }
  }

  #admit(): Admission | undefined {
    const admission = this.#breaker?.admit()
    if (typeof admission === 'number') throw this.#isOpen(admission)
    return admission
  }

  #maxWaitMs({ settings }: ModelRequest): number {
    return Math.min(this.#options.maxWaitMs ?? Number.POSITIVE_INFINITY, settings.timeoutMs ?? Number.POSITIVE_INFINITY)
  }

  /** What an adapter resolves with may be no finish: that is for the engine to say. */
  #tokensOf(finish: Partial<ModelFinish> | undefined, guess: number): number | undefined {
    const usage = finish?.usage
    if (this.#estimate === undefined || usage === undefined) return undefined
    this.#estimate.learn(guess, usage)
    const tokens = usage.inputTokens + usage.outputTokens
    return usage.complete && Number.isFinite(tokens) ? Math.ceil(tokens) : undefined
  }

  /** What a failure says of the model's health; a server that says how long to wait is heeded. */
  #learn({ error }: Failure, signal: AbortSignal, mostlyWaited: boolean): Health {
    if (signal.aborted) {
      // Most of a time limit that was spent in the line says that the line is long.
      if (!isModelsFault(signal.reason) || mostlyWaited) return 'nothing'
      this.#lastFailure = messageOf(signal.reason)
      return 'down'
    }
    if (error.code === 'ModelRateLimited' && error.retryAfterMs !== undefined) this.#gate.pause(error.retryAfterMs)
    if (!countsAsDown.has(error.code)) return 'up'
    this.#lastFailure = error.message
    return 'down'
  }

  #isOpen(retryAfterMs = this.#options.breaker?.openMs ?? defaultOpenMs): RondoError {
    const ms = Math.ceil(retryAfterMs)
    const why = `it failed ${this.#breaker?.inARow} times in a row (last: ${clip(this.#lastFailure, 300)})`
    return new RondoError(
      'ModelServerError',
      `${nameOf(this.#model)} was not asked: ${why}. The circuit breaker lets one request in again in ${ms} ms.`,
      {
        retryAfterMs: ms,
      },
    )
  }

  /** The model was told to stop: its place is free when it has, or after its grace. */
  #leaveAfter(asked: Promise<ModelFinish>, passed: Passed | undefined): void {
    const cancelGrace = this.#time.timer(graceMs, () => passed?.leave(undefined))
    const leave = () => {
      cancelGrace()
      passed?.leave(undefined)
    }
    asked.then(leave, leave)
  }
}

/** Whatever else comes is an answer: somebody is there. */
const countsAsDown: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['ModelServerError', 'ModelTimeout', 'ModelUnknownError'])
