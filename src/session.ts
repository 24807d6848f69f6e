import type { Control, Target, Voice } from './control.ts'
import * as control from './control.ts'
import type { Entry } from './core/entry.ts'
import type { Message } from './core/message.ts'
import { pendingCalls } from './core/outcome.ts'
import type { RunStatus } from './core/reason.ts'
import { statusOf } from './core/status.ts'
import type { Store } from './core/store.ts'
import type { Tools } from './core/tool.ts'
import { Transcript } from './core/transcript.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import type { Input } from './options.ts'
import type { Decision, Pending } from './types.ts'

/**
 * One conversation: its journal, read and spoken to from outside. Every method rejects with `SessionNotFound` for an unknown id. Speaking to
 * it drives its run here; for one that was given options of its own that this process lacks see `Control`.
 */
export interface Session<T extends Tools = Tools> extends Control {
  readonly id: string
  status(): Promise<RunStatus>
  /** Calls that wait for a human or for a result. One whose `expiresAt` is over, which no driver has said yet, can't be answered any more. */
  pending(): Promise<readonly Pending<T>[]>
  /** The conversation, with the outcome on each call. */
  messages(): AsyncIterable<Message>
  /** The journal, after this seq (default 0). */
  entries(after?: number): AsyncIterable<Entry>
}

export class SessionHandle<T extends Tools> implements Session<T> {
  readonly id: string
  readonly #store: Store
  readonly #voice: Voice
  readonly #open: () => SessionDriver

  constructor(id: string, store: Store, voice: Voice, open: () => SessionDriver) {
    this.id = id
    this.#store = store
    this.#voice = voice
    this.#open = open
  }

  async #state() {
    const driver = this.#open()
    const state = await driver.current()
    // Looking is no reason to stay.
    driver.release()
    if (state.live.seq === 0) throw control.unknownSession(this.id)
    return { driver, state }
  }

  async status(): Promise<RunStatus> {
    return statusOf((await this.#state()).state)
  }

  async pending(): Promise<readonly Pending<T>[]> {
    const { driver, state } = await this.#state()
    const runId = state.live.run?.id ?? ''
    return pendingCalls(state.live, {
      sessionId: this.id,
      isDynamic: (name) => driver.isDynamic(runId, name),
    }) as readonly Pending<T>[]
  }

  async *messages(): AsyncGenerator<Message, void, undefined> {
    const { state } = await this.#state()
    // What was said while a step is open comes after it.
    yield* Transcript.of(state, 0)
    if (state.live.turn !== undefined) yield state.live.turn.message
    for (const { message } of state.live.queue) yield message
  }

  async *entries(after = 0): AsyncGenerator<Entry, void, undefined> {
    let any = false
    for await (const entry of this.#store.load(this.id, after)) {
      any = true
      yield entry
    }
    if (any) return
    for await (const _ of this.#store.load(this.id)) return
    throw control.unknownSession(this.id)
  }

  get #target(): Target {
    return { driver: this.#open(), runId: undefined, voice: this.#voice }
  }

  send(input: Input): Promise<void> {
    return control.send(this.#target, input)
  }

  abort(reason?: string): Promise<void> {
    return control.abort(this.#target, reason)
  }

  pause(): Promise<void> {
    return control.pause(this.#target)
  }

  resume(): Promise<void> {
    return control.resumeRun(this.#target)
  }

  decide(...decisions: Decision[]): Promise<void> {
    return control.decide(this.#target, decisions)
  }

  submitToolResult(callId: string, output: unknown): Promise<void> {
    return control.submitToolResult(this.#target, callId, output)
  }
}
