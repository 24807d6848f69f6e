import type { ErrorData } from '../../core/error.ts'
import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { toolsFor } from '../../core/offered-tools.ts'
import { aFunction, type Rules, refuse } from '../option-rules.ts'
import { aClock, aModel, aTime, isModel, nameOf, wrongOptions } from './check-options.ts'
import { allFailed, type Failure, failedMidway, failureOf, isModelsFault, type Means, meaningOf } from './failures.ts'
import { orAborted } from './or-aborted.ts'
import { OwnTime, processClock, type WrapperClock } from './own-time.ts'
import { weakest } from './weakest.ts'

/** A model that failed. */
export interface ModelFailure {
  /** `provider:id`. */
  readonly model: string
  readonly error: ErrorData
}

export interface FallbackOptions {
  /**
   * How long a model that is down is asked only after the others (ms). Where the server said how long to wait, that counts, up to an hour.
   * Default 30,000; 0: each request begins with the first model.
   */
  cooldownMs?: number
  /**
   * Whether another model is asked after this failure; `undefined` leaves it to the default. Called once for each failure of a model, but for
   * aborts. A throw fails the request.
   */
  when?: (failure: ModelFailure) => boolean | undefined
  /** Told each time a model is left for another (`to`). Not awaited; a throw changes nothing. */
  onFallback?: (step: { readonly from: string; readonly to: string; readonly error: ErrorData }) => void
  /** Default: that of the process. */
  clock?: WrapperClock
}

const rules: Rules<FallbackOptions> = { cooldownMs: aTime, when: aFunction, onFallback: aFunction, clock: aClock }

/**
 * Several models as one: when a model can't answer, the next one of the list is asked.
 *
 * - That is so when it limits the rate, has no quota, refuses the key, is overloaded, down or slow, sends what is no answer, or is not there.
 *   A context overflow goes on to a model whose window is known to be larger. A bad request and blocked content end it, for another model
 *   is asked the same: `when` decides otherwise. An abort asks nobody.
 * - Before anything of an answer has come, the next model is asked within the same attempt. After that the attempt fails, is taken back
 *   (`model.retracted`) and tried again at once by the engine, with the next model: so a message is always of one model. That counts as a
 *   retry (`settings.maxRetries`) and heeds `policies.retryAfterOutput`; `settings.timeoutMs` leads to the next model in the same way.
 * - A tool that the provider of one of them runs is left out for the others (`openai:web_search` for a model of Anthropic's).
 * - `model.started` names the whole list, `model.finished` has the `model` that answered, as has the journal.
 * - When all have failed the error names each with its reason.
 * - Its capabilities are those that all of them have. Usage is that of the model that answered, and incomplete when another was asked before.
 *
 * @throws `ConfigInvalid` for a list without models, and for options that can't work.
 */
export function fallback(models: readonly Model[], options?: FallbackOptions): Model {
  const wrong = wrongOptions(options, rules)
  const isList = Array.isArray(models) && models.length > 0 && models.every(isModel)
  refuse('fallback', isList ? wrong : [`the first argument must be a list of models, each ${aModel}`, ...wrong])
  return new FallbackModel(models, options ?? {})
}

/** One of the list. */
interface Member {
  readonly model: Model
  readonly index: number
  /** What it was offered last of what tools: the same list for the same, for adapters know by it that nothing has changed. */
  tools: { readonly of: ModelRequest['tools']; readonly offered: ModelRequest['tools'] } | undefined
  /** Until when (own time) it is asked only after the others. */
  downUntil: number
}

/** The member that was asked answered, or how it failed. */
type Answer = { readonly finish: ModelFinish } | { readonly failure: Failure; readonly begun: boolean }

const maxCooldownMs = 3_600_000
/** The engine asks again within a minute, or not at all. */
const memoryMs = 120_000
const maxSessions = 1_000

class FallbackModel implements Model {
  readonly provider = 'fallback'
  readonly id: string
  readonly capabilities: ModelCapabilities
  readonly #members: readonly Member[]
  readonly #options: FallbackOptions
  readonly #time: OwnTime
  /** Who has failed in the attempt before, for the session's next request, when it is to go on behind them. */
  readonly #failed = new Map<string, { readonly at: number; readonly members: ReadonlySet<Member> }>()

  constructor(models: readonly Model[], options: FallbackOptions) {
    this.id = models.map(nameOf).join(',')
    this.capabilities = weakest(models)
    this.#members = models.map((model, index) => ({ model, index, tools: undefined, downUntil: 0 }))
    this.#options = options
    this.#time = new OwnTime(options.clock ?? processClock)
  }

  async stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    options: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish> {
    const { signal, sessionId } = options
    const asked = new Set(this.#takeFailed(sessionId))
    const failures: Failure[] = []
    let open = this.#inOrder()
    for (let member = firstOf(open, asked); member !== undefined; ) {
      asked.add(member)
      const answer = await this.#ask(member, request, sink, options)
      if ('finish' in answer) return answeredBy(member.model, answer.finish, failures.length > 0)
      const { failure, begun } = answer
      failures.push(failure)
      if (signal.aborted) {
        if (isModelsFault(signal.reason)) this.#goOnBehind(sessionId, asked, member)
        throw signal.reason
      }
      open = this.#left(open, member, failure)
      const next = firstOf(open, asked)
      if (next !== undefined) this.#tell(failure, next)
      if (begun && next !== undefined) {
        this.#remember(sessionId, asked)
        throw failedMidway(failure)
      }
      member = next
    }
    throw allFailed(failures)
  }

  async #ask(
    member: Member,
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    options: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<Answer> {
    let begun = false
    let over = false
    const downBefore = member.downUntil
    const pass = (delta: ModelDelta) => {
      // Of a model that goes on after its end, while another answers.
      if (over || (!begun && saysNothing(delta))) return
      begun = true
      sink(delta)
    }
    try {
      const finish = await orAborted(member.model.stream(this.#requestFor(member, request), pass, options), options.signal)
      // What has failed since it was asked says more of how it is now.
      if (member.downUntil === downBefore) member.downUntil = 0
      return { finish }
    } catch (thrown) {
      return { failure: failureOf(member.model, thrown), begun }
    } finally {
      over = true
    }
  }

  #requestFor(member: Member, request: ModelRequest): ModelRequest {
    const { tools } = request
    if (member.tools?.of !== tools) {
      const models = this.#members.map(({ model }) => model)
      member.tools = { of: tools, offered: toolsFor(tools, member.model, models) }
    }
    const { offered } = member.tools
    return offered === tools ? request : { ...request, tools: offered }
  }

  /** Those that are not down first. */
  #inOrder(): readonly Member[] {
    const now = this.#time.now()
    const isDown = ({ downUntil }: Member) => downUntil > now
    return [...this.#members.filter((member) => !isDown(member)), ...this.#members.filter(isDown)]
  }

  /** Who may still be asked after a failure. */
  #left(open: readonly Member[], member: Member, failure: Failure): readonly Member[] {
    const means = meaningOf(failure)
    const wanted = this.#options.when?.({ model: nameOf(failure.model), error: failure.error })
    if (means === 'down') this.#setDown(member, failure.error.retryAfterMs)
    if (wanted !== undefined) return wanted ? open : []
    return open.filter((other) => mayMend(means, member, other))
  }

  #setDown(member: Member, retryAfterMs: number | undefined): void {
    const { cooldownMs = 30_000 } = this.#options
    if (cooldownMs === 0) return
    const told = retryAfterMs !== undefined && retryAfterMs >= 0 ? retryAfterMs : cooldownMs
    member.downUntil = this.#time.now() + Math.min(told, maxCooldownMs)
  }

  /** The attempt was given up because of this member: the engine asks again, and then it is another's turn. */
  #goOnBehind(sessionId: string, asked: ReadonlySet<Member>, member: Member): void {
    this.#setDown(member, undefined)
    if (asked.size < this.#members.length) this.#remember(sessionId, asked)
  }

  #remember(sessionId: string, members: ReadonlySet<Member>): void {
    this.#failed.set(sessionId, { at: this.#time.now(), members })
    for (const oldest of this.#failed.keys()) {
      if (this.#failed.size <= maxSessions) return
      this.#failed.delete(oldest)
    }
  }

  #takeFailed(sessionId: string): Iterable<Member> {
    const failed = this.#failed.get(sessionId)
    this.#failed.delete(sessionId)
    return failed !== undefined && this.#time.now() - failed.at <= memoryMs ? failed.members : []
  }

  #tell({ model, error }: Failure, next: Member): void {
    try {
      this.#options.onFallback?.({ from: nameOf(model), to: nameOf(next.model), error })
    } catch {
      // An observer disturbs nobody.
    }
  }
}

function firstOf(open: readonly Member[], asked: ReadonlySet<Member>): Member | undefined {
  return open.find((member) => !asked.has(member))
}

function mayMend(means: Means, failed: Member, other: Member): boolean {
  switch (means) {
    case 'down':
    case 'this-request':
      return true
    case 'larger':
      return (other.model.capabilities.contextWindow ?? 0) > (failed.model.capabilities.contextWindow ?? Number.POSITIVE_INFINITY)
    case 'all':
      // Asked out of its turn, it says nothing of those before it, which were left to the last because they were down.
      return other.index < failed.index
  }
}

/** An empty text opens nothing. */
function saysNothing(delta: ModelDelta): boolean {
  return (delta.type === 'text' || delta.type === 'reasoning') && delta.text === ''
}

/** What a model used that was asked before and failed, nobody knows. */
function answeredBy(model: Model, finish: ModelFinish, afterOthers: boolean): ModelFinish {
  if (typeof finish !== 'object' || finish === null) return finish
  const named = { ...finish, model: finish.model ?? nameOf(model) }
  return afterOthers ? { ...named, usage: { ...finish.usage, complete: false } } : named
}
