import type { JsonObject } from '../core/json.ts'
import { openTools } from '../core/open-tools.ts'
import { hasNames, missingParts, type OwnParts, optionWords, sameData, sameParts, toolWords, unreadWords } from '../core/own-parts.ts'
import type { SessionState, WaitingRun } from '../core/state.ts'
import type { RunPorts } from './ports.ts'

/** The live parts of an agent alone, for a run that nobody brought any for: with the options that the journal keeps of it. */
export type StandIn = (data: JsonObject | undefined) => RunPorts

/** The live parts of a session's runs: what each was asked for with, else those of the agent that speaks to the session. */
export class RunParts {
  readonly #brought = new Map<string, RunPorts>()
  /** What a run was driven with when these were brought: once it goes on with other data again, they are not for it. */
  readonly #insteadOf = new Map<string, OwnParts | undefined>()
  /** Of those: left here by an earlier driver of the session. */
  readonly #left = new Set<string>()
  #standIn: StandIn
  #plain: RunPorts | undefined
  readonly #withData = new Map<string, { readonly own: OwnParts; readonly ports: RunPorts }>()
  /** Another number whenever something here has changed. */
  version = 0
  #checked: { readonly own: OwnParts | undefined; readonly ports: RunPorts; readonly fits: boolean } | undefined

  constructor(standIn: StandIn) {
    this.#standIn = standIn
  }

  /** From now on this agent stands in. */
  offer(standIn: StandIn): void {
    this.#standIn = standIn
    this.version++
    this.#plain = undefined
    this.#withData.clear()
  }

  /** `run` is there already, and these shall drive it instead of what has until now. */
  bring(runId: string, ports: RunPorts, run?: WaitingRun): void {
    this.#brought.set(runId, ports)
    this.#insteadOf.set(runId, run === undefined ? ports.own : run.own)
    this.version++
    this.#checked = undefined
    this.#left.delete(runId)
  }

  forget(runId: string): void {
    this.version++
    this.#brought.delete(runId)
    this.#left.delete(runId)
    this.#insteadOf.delete(runId)
    this.#withData.delete(runId)
  }

  /** What a process can't make anew: parts of unfinished runs that are their own. */
  get own(): ReadonlyMap<string, RunPorts> {
    return new Map([...this.#brought].filter(([, ports]) => hasNames(ports.own)))
  }

  takeUp(left: ReadonlyMap<string, RunPorts>): void {
    this.version++
    for (const [runId, ports] of left) {
      this.bring(runId, ports)
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
    return run.own !== undefined && !this.has(run) && this.#lacking(run).length > 0
  }

  /** What a run needs that is not here, in words: parts of its own, and tools of its open calls. */
  missingFor(run: WaitingRun, state: SessionState, now: number): readonly string[] {
    const { tools, onPending } = this.of(run)
    const lost = [...openTools(state, onPending, now)].filter((name) => !tools.has(name))
    return [...new Set([...(this.has(run) ? [] : this.#lacking(run)), ...lost.map(toolWords)])]
  }

  #lacking(run: WaitingRun): readonly string[] {
    const { own } = run
    if (own === undefined) return []
    const ports = this.#standInFor(run)
    const tools = missingParts({ ...own, options: [] }, ports.toolNames, undefined)
    // The agent may have the same output schema.
    const options = own.options.filter((name) => ports.own?.options.includes(name) !== true)
    return [...tools, ...options.map(optionWords), ...ports.unread.map(unreadWords)]
  }

  isDynamic(runId: string, toolName: string): boolean {
    return (this.#brought.get(runId) ?? this.#agents()).isDynamic(toolName)
  }

  #broughtFor(run: WaitingRun): RunPorts | undefined {
    const ports = this.#brought.get(run.runId)
    return ports !== undefined && this.#fits(run, ports) ? ports : undefined
  }

  /** Asked several times a step, always for the same run. */
  #fits({ runId, own }: WaitingRun, ports: RunPorts): boolean {
    if (this.#checked === undefined || this.#checked.own !== own || this.#checked.ports !== ports) {
      const isWhole = own === undefined || (ports.unread.length === 0 && missingParts(own, ports.toolNames, ports.own).length === 0)
      const fits = isWhole && (sameData(own, ports.own) || sameParts(own, this.#insteadOf.get(runId)))
      this.#checked = { own, ports, fits }
    }
    return this.#checked.fits
  }

  #standInFor({ runId, own }: WaitingRun): RunPorts {
    if (own?.data === undefined) return this.#agents()
    const known = this.#withData.get(runId)
    if (known !== undefined && sameData(known.own, own)) return known.ports
    const ports = this.#standIn(own.data)
    this.#withData.set(runId, { own, ports })
    return ports
  }

  #agents(): RunPorts {
    this.#plain ??= this.#standIn(undefined)
    return this.#plain
  }
}
