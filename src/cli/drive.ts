import { type Agent, type Decision, RondoError, type Run, type RunEvent, type RunResult, type Tools } from '../index.ts'
import type { Asking } from './approval-desk.ts'

/** Whoever answers calls that wait for an approval while a run is driven. */
export interface Answering {
  ask(call: Asking): void
  /** The call needs no answer any more. */
  settled(callId: string): void
  clear(): void
}

/** A run that is driven through its parks, for as long as somebody answers. */
export class Drive {
  readonly #agent: Agent<Tools>
  readonly #onEvent: (event: RunEvent) => void
  /** The run that is read, until it ends or parks. */
  #live: Run | undefined
  /** Calls that were answered, of those that waited when the run parked. */
  readonly #decided = new Set<string>()
  #wake: ((answer: Decision | 'later' | 'aborted') => void) | undefined
  /** Whoever gave the answer that the run goes on with, until it is known whether it was taken. */
  #given: { taken(): void; refused(error: RondoError): void } | undefined
  #leaves = false
  #cursor = ''

  constructor(agent: Agent<Tools>, onEvent: (event: RunEvent) => void) {
    this.#agent = agent
    this.#onEvent = onEvent
  }

  get run(): Run | undefined {
    return this.#live
  }

  /** Records an answer. What then can run runs. Rejects with `RunInvalidState` for one that is refused: the call waits on. */
  async decide(decision: Decision): Promise<void> {
    this.#decided.add(decision.callId)
    try {
      await (this.#live === undefined ? this.#hand(decision) : this.#live.decide(decision))
    } catch (error) {
      this.#decided.delete(decision.callId)
      throw error
    }
  }

  /** Goes on with a run that has parked; resolves once it is under way. */
  #hand(decision: Decision): Promise<void> {
    return new Promise((taken, refused) => {
      this.#given = { taken, refused }
      this.#wake?.(decision)
    })
  }

  /** Nobody answers any more: once nothing else can run, the run is left parked. */
  leave(): void {
    this.#leaves = true
    this.#wake?.('later')
  }

  /** Follows the run to its end, or to a park that nobody answers: where nobody can (`answering` is absent), or wants to. */
  async follow(first: Run, answering: Answering | undefined, signal: AbortSignal): Promise<RunResult> {
    let hasSignal = true
    let known: RunResult | undefined
    const abort = () => {
      if (this.#live !== undefined && hasSignal) return
      const target = this.#live ?? (known === undefined ? undefined : this.#agent.session(known.sessionId))
      // One that can't be recorded is told by the end that the run then has.
      void target?.abort(reasonOf(signal)).catch(() => {})
      this.#wake?.('aborted')
    }
    signal.addEventListener('abort', abort)
    const attached = ({ sessionId, runId }: RunResult) => {
      hasSignal = false
      return this.#agent.attach(sessionId, { runId, after: this.#cursor })
    }
    try {
      for (let run = first; ; ) {
        const result = await this.#taken(run, answering)
        // Answered elsewhere meanwhile, or not to be answered now: what has become of the run is looked at.
        if (result === undefined && known !== undefined) {
          run = attached(known)
          continue
        }
        if (result === undefined) throw new Error('a run that nobody answered was refused an answer')
        known = result
        if (result.status !== 'parked' || answering === undefined || this.#leaves) return result
        const open = result.pending.filter((call) => call.kind === 'approval')
        const waiting = open.filter(({ callId }) => !this.#decided.has(callId))
        // Answered in the instant in which it parked: it goes on already.
        if (waiting.length < open.length) {
          run = attached(result)
          continue
        }
        if (waiting.length === 0) return result
        for (const call of waiting) answering.ask(call)
        const answer = await this.#answer()
        if (answer === 'later') return result
        if (answer === 'aborted') run = attached(result)
        else {
          hasSignal = true
          run = this.#agent.resume(result.sessionId, { decisions: [answer], parkAfterMs: 0, signal })
        }
      }
    } finally {
      signal.removeEventListener('abort', abort)
      answering?.clear()
    }
  }

  async #answer(): Promise<Decision | 'later' | 'aborted'> {
    try {
      return await new Promise((resolve) => {
        this.#wake = resolve
      })
    } finally {
      this.#wake = undefined
    }
  }

  /** As `#read`; `undefined` where the run did not take the answer that it was to go on with. */
  async #taken(run: Run, answering: Answering | undefined): Promise<RunResult | undefined> {
    try {
      return await this.#read(run, answering)
    } catch (error) {
      if (this.#given === undefined || !RondoError.is(error)) throw error
      this.#given.refused(error)
      return undefined
    } finally {
      this.#given = undefined
    }
  }

  async #read(run: Run, answering: Answering | undefined): Promise<RunResult> {
    this.#live = run
    const { result } = run
    try {
      for await (const event of run) {
        this.#cursor = event.cursor
        this.#given?.taken()
        this.#given = undefined
        this.#onEvent(event)
        if (event.type === 'approval.requested') answering?.ask({ ...event, kind: 'approval' })
        if (event.type === 'approval.decided' || event.type === 'call.settled') answering?.settled(event.callId)
      }
      return await result
    } finally {
      this.#live = undefined
    }
  }
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : String(reason)
}
