import type { JsonObject } from '../core/json.ts'
import { missingParts, type OwnParts } from '../core/own-parts.ts'
import type { WaitingRun } from '../core/state.ts'
import type { RunPorts } from './ports.ts'

/** The live parts of an agent alone, for a run that nobody brought any for: under the limits that the journal keeps of it. */
export type StandIn = (limits: JsonObject | undefined) => RunPorts

/** The live parts of a session's runs: what each was asked for with, else those of the agent that speaks to the session. */
export class RunParts {
  readonly #brought = new Map<string, RunPorts>()
  /** Of those: left here by an earlier driver of the session. */
  readonly #left = new Set<string>()
  #standIn: StandIn
  #plain: RunPorts | undefined
  readonly #limited = new Map<string, RunPorts>()
  /** Another number whenever something here has changed. */
  version = 0
  #checked: { readonly own: OwnParts; readonly ports: RunPorts; readonly fits: boolean } | undefined

  constructor(standIn: StandIn) {
    this.#standIn = standIn
  }

  /** From now on this agent stands in. */
  offer(standIn: StandIn): void {
    this.#standIn = standIn
    this.version++
    this.#plain = undefined
    this.#limited.clear()
  }

  bring(runId: string, ports: RunPorts): void {
    this.#brought.set(runId, ports)
    this.version++
    this.#left.delete(runId)
  }

  forget(runId: string): void {
    this.version++
    this.#brought.delete(runId)
    this.#left.delete(runId)
    this.#limited.delete(runId)
  }

  /** What a process can't make anew: parts of unfinished runs that are their own. */
  get own(): ReadonlyMap<string, RunPorts> {
    return new Map([...this.#brought].filter(([, ports]) => ports.own !== undefined))
  }

  takeUp(left: ReadonlyMap<string, RunPorts>): void {
    this.version++
    for (const [runId, ports] of left) {
      this.#brought.set(runId, ports)
      this.#left.add(runId)
    }
  }

  /** The journal is another one: what was left of runs with the same ids is not theirs. */
  dropLeft(): void {
    for (const runId of [...this.#left]) this.forget(runId)
  }

  /** What drives a run. For one that `lacks` its own parts: what its end by a cancel is written with. Without a run: the agent alone. */
  of(run: WaitingRun | undefined): RunPorts {
    return run === undefined ? this.#agents() : (this.#broughtFor(run) ?? this.#standInFor(run))
  }

  /** Whether a run was asked for here, with all that it needs. */
  has(run: WaitingRun): boolean {
    return this.#broughtFor(run) !== undefined
  }

  /** Whether a run has parts of its own that are not here. */
  lacks(run: WaitingRun): boolean {
    const { own } = run
    if (own === undefined || this.has(run)) return false
    return own.options.length > 0 || missingParts(own, this.#agents().tools, []).length > 0
  }

  isDynamic(runId: string, toolName: string): boolean {
    return (this.#brought.get(runId) ?? this.#agents()).isDynamic(toolName)
  }

  #broughtFor(run: WaitingRun): RunPorts | undefined {
    const ports = this.#brought.get(run.runId)
    return ports === undefined || run.own === undefined || this.#fits(ports, run.own) ? ports : undefined
  }

  /** Asked several times a step, always for the same run. */
  #fits(ports: RunPorts, own: OwnParts): boolean {
    if (this.#checked?.own !== own || this.#checked.ports !== ports)
      this.#checked = { own, ports, fits: missingParts(own, ports.tools, ports.own?.options ?? []).length === 0 }
    return this.#checked.fits
  }

  #standInFor({ runId, limits }: WaitingRun): RunPorts {
    if (limits === undefined) return this.#agents()
    const known = this.#limited.get(runId) ?? this.#standIn(limits)
    this.#limited.set(runId, known)
    return known
  }

  #agents(): RunPorts {
    this.#plain ??= this.#standIn(undefined)
    return this.#plain
  }
}
