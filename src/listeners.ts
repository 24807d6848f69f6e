import type { CoreEvent } from './core/event.ts'
import { type Subscriber, type Wants, wantsChanged } from './engine/hub.ts'
import { isThenable } from './engine/thenable.ts'
import type { ReadResult } from './read-output.ts'

type Listener = (event: never) => unknown

/** The `on` listeners of an agent. One that throws or rejects is reported and disturbs nobody. */
export class Listeners {
  readonly #byType = new Map<string, Set<Listener>>()
  readonly #onError: (error: unknown) => void

  constructor(onError: ((error: unknown) => void) | undefined) {
    this.#onError = onError ?? ((error) => console.error('rondo: a listener or another function of yours failed:', error))
  }

  add(type: string, listener: Listener): () => void {
    const listeners = this.#byType.get(type) ?? new Set()
    this.#byType.set(type, listeners.add(listener))
    wantsChanged()
    return () => {
      wantsChanged()
      listeners.delete(listener)
      if (listeners.size === 0 && this.#byType.get(type) === listeners) this.#byType.delete(type)
    }
  }

  report(error: unknown): void {
    try {
      this.#onError(error)
    } catch {
      // Whoever breaks the reporter has nobody left to tell.
    }
  }

  /** Follows one run; costs nothing while nobody listens. */
  subscriber(runId: string, read: ReadResult): ListeningTo {
    return new ListeningTo(this, runId, read)
  }

  get hasAny(): boolean {
    return this.#byType.size > 0
  }

  dispatch(event: CoreEvent): void {
    const listeners = this.#byType.get(event.type)
    if (listeners === undefined) return
    for (const listener of [...listeners]) {
      try {
        // The type of an event is what its listener was added for.
        const answer = listener(event as never)
        if (isThenable(answer)) Promise.resolve(answer).catch((error: unknown) => this.report(error))
      } catch (error) {
        this.report(error)
      }
    }
  }
}

/** The listeners, as they follow one run. */
export class ListeningTo implements Subscriber {
  readonly group: Listeners
  /** Which run it is may show late. */
  runId: string
  readonly #read: ReadResult

  constructor(listeners: Listeners, runId: string, read: ReadResult) {
    this.group = listeners
    this.runId = runId
    this.#read = read
  }

  get wants(): Wants {
    return this.group.hasAny ? 'events' : 'nothing'
  }

  event(event: CoreEvent): void {
    if (event.type !== 'run.finished') return this.group.dispatch(event)
    const result = this.#read(event.result)
    if (!(result instanceof Promise)) return this.group.dispatch({ ...event, result })
    void result.then((later) => this.group.dispatch({ ...event, result: later }))
  }
}
