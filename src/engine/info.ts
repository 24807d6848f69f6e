import type { CallState } from '../core/call-state.ts'
import type { Json } from '../core/json.ts'
import type { RunState } from '../core/state.ts'
import type { Dependency, RunInfo, ToolCallInfo } from '../core/tool.ts'
import type { Usage } from '../core/usage.ts'
import type { RunPorts } from './ports.ts'
import type { LazySignal } from './signal.ts'

/** What user code is told about the run it works in. */
export class Info implements RunInfo {
  readonly sessionId: string
  readonly runId: string
  readonly iteration: number
  readonly usage: Usage
  readonly #ports: RunPorts
  readonly #signal: LazySignal

  constructor(sessionId: string, run: RunState, ports: RunPorts, signal: LazySignal) {
    this.sessionId = sessionId
    this.runId = run.id
    this.iteration = run.iteration
    this.usage = run.usage
    this.#ports = ports
    this.#signal = signal
  }

  get context(): unknown {
    return this.#ports.context
  }

  get signal(): AbortSignal {
    return this.#signal.signal
  }

  resolve<T>(dependency: Dependency<T>): Promise<T> {
    return this.#ports.resolve(dependency, this)
  }
}

export class CallInfo extends Info implements ToolCallInfo {
  readonly callId: string
  readonly attempt: number
  readonly approvedBy?: string
  readonly #progress: (update: Json) => void

  constructor(sessionId: string, run: RunState, ports: RunPorts, signal: LazySignal, call: CallState, progress: (update: Json) => void) {
    super(sessionId, run, ports, signal)
    this.callId = call.part.callId
    this.attempt = call.attempt
    this.#progress = progress
    const approvedBy = call.decision?.by ?? call.approvedBy
    if (approvedBy !== undefined) this.approvedBy = approvedBy
    // Tools often take `call` apart: `({ city }, { progress }) => …`
    this.progress = this.progress.bind(this)
  }

  get idempotencyKey(): string {
    return `${this.sessionId}/${this.callId}`
  }

  progress(update: Json): void {
    this.#progress(update)
  }
}
