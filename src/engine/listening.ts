import { currentRun, type Live, type SessionState, type WaitingRun } from '../core/state.ts'
import type { Hub } from './hub.ts'
import type { RunPorts } from './ports.ts'
import type { RunParts } from './run-parts.ts'

/** The agents' listeners that hear the runs of a session while they are driven or written to here: those of the agent whose parts drive a run. */
export class Listening {
  readonly #hub: Hub
  readonly #parts: RunParts
  readonly #runs = new Map<string, { readonly ports: RunPorts; readonly stop: () => void }>()
  /** For whom they were last looked up. */
  #attended: { readonly waiting: readonly WaitingRun[]; readonly ports: RunPorts } | undefined

  constructor(hub: Hub, parts: RunParts) {
    this.#hub = hub
    this.#parts = parts
  }

  /** They hear what is about to be written of the current run, and of waiting ones that end by a cancel. */
  attend({ run, waiting }: Live, ports: RunPorts): void {
    // Called at every step: what has not changed is not looked at again.
    if (this.#attended?.waiting === waiting && this.#attended.ports === ports) return
    this.#attended = { waiting, ports }
    const [first] = waiting
    if (first !== undefined) this.#listen(run?.id ?? first.runId, ports)
    for (const other of waiting)
      if (other.cancelledAt !== undefined && other.runId !== (run?.id ?? first?.runId)) this.#listen(other.runId, this.#parts.of(other))
  }

  /** As `attend`, with what drives the current run. */
  attendTo({ live }: SessionState): void {
    const run = currentRun(live)
    if (run !== undefined) this.attend(live, this.#parts.of(run))
  }

  #listen(runId: string, ports: RunPorts): void {
    const known = this.#runs.get(runId)
    if (known?.ports === ports) return
    known?.stop()
    this.#runs.set(runId, { ports, stop: this.#hub.subscribe(ports.listener(runId)) })
  }

  forget(runId: string): void {
    this.#runs.get(runId)?.stop()
    this.#runs.delete(runId)
  }

  stop(): void {
    for (const { stop } of this.#runs.values()) stop()
    this.#runs.clear()
    this.#attended = undefined
  }
}
