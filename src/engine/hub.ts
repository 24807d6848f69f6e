import type { CoreEvent, EventBody } from '../core/event.ts'
import type { CoreResult } from '../core/result.ts'

/** Somebody who follows one run: a run handle, or the listeners of an agent. */
export interface Subscriber {
  /** Only events of this run; absent: of every run of the session. */
  readonly runId?: string
  /** Nothing is built while nobody is active. */
  readonly active: boolean
  event(event: CoreEvent): void
  /** The activation of this run ended: with the run's end, or parked. */
  end?(runId: string, result: CoreResult): void
}

/** Who listens to a session in this process, and where in the sequence of events we are. */
export class Hub {
  readonly #sessionId: string
  readonly #subscribers = new Set<Subscriber>()
  #seq = 0
  #pieces = 0

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  get size(): number {
    return this.#subscribers.size
  }

  /** Runs whose end somebody waits for. */
  get awaited(): readonly string[] {
    const runs = new Set<string>()
    for (const { runId, end } of this.#subscribers) if (end !== undefined && runId !== undefined && runId !== '') runs.add(runId)
    return [...runs]
  }

  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  get active(): boolean {
    for (const subscriber of this.#subscribers) if (subscriber.active) return true
    return false
  }

  /** The events of committed entries; `seq` is that of the last one, whether it had events or not. */
  facts(seq: number, events: readonly CoreEvent[]): void {
    this.#seq = seq
    this.#pieces = 0
    for (const event of events) this.#send(event)
  }

  /** A piece between facts: a delta, progress, a park. */
  piece(at: number, runId: string, iteration: number, of: number | undefined, body: EventBody): void {
    const cursor = `${this.#seq}.${this.#pieces++}`
    const envelope = { v: 1, cursor, at, sessionId: this.#sessionId, runId, iteration } as const
    this.#send(of === undefined ? { ...envelope, ...body } : { ...envelope, of, ...body })
  }

  end(runId: string, result: CoreResult): void {
    for (const subscriber of [...this.#subscribers])
      if (subscriber.runId === undefined || subscriber.runId === runId) subscriber.end?.(runId, result)
  }

  #send(event: CoreEvent): void {
    for (const subscriber of this.#subscribers)
      if (subscriber.active && (subscriber.runId === undefined || subscriber.runId === event.runId)) subscriber.event(event)
  }
}
