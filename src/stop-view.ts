import { callsBehind, settledCalls } from './core/outcome.ts'
import type { Schema } from './core/schema.ts'
import type { SessionState, SettledBehind, Turn } from './core/state.ts'
import type { Tools } from './core/tool.ts'
import { Info } from './engine/info.ts'
import type { RunPorts } from './engine/ports.ts'
import { LazySignal } from './engine/signal.ts'
import type { SharedOptions, StopCondition } from './options.ts'
import type { SettledCall } from './types.ts'

interface Asking {
  readonly sessionId: string
  readonly stopWhen: SharedOptions<Tools, Schema | undefined, unknown>['stopWhen'] | undefined
}

/** Asks the conditions after a batch has settled; the first that says yes counts. */
export function askStop(ports: RunPorts, snapshot: Asking, state: SessionState, seen: SeenCalls) {
  const { run } = state.live
  const conditions = snapshot.stopWhen
  if (run === undefined || conditions === undefined) return undefined
  const view = new StopView(snapshot.sessionId, ports, state, run, seen)
  for (const condition of typeof conditions === 'function' ? [conditions] : conditions) {
    const answer = condition(view)
    if (answer !== undefined && answer !== false) return answer
  }
  return undefined
}

type StopViewOf = Parameters<StopCondition<Tools, unknown>>[0]

class StopView extends Info implements StopViewOf {
  readonly text: string
  readonly #state: SessionState
  readonly #firstTurn: number
  readonly #isDynamic: (toolName: string) => boolean
  readonly #seen: SeenCalls

  constructor(sessionId: string, ports: RunPorts, state: SessionState, run: NonNullable<SessionState['live']['run']>, seen: SeenCalls) {
    super(sessionId, run, ports, new LazySignal())
    this.#seen = seen
    this.text = run.lastText
    this.#state = state
    this.#firstTurn = run.firstTurn
    this.#isDynamic = ports.isDynamic
  }

  /** The calls of this run so far: one list that grows, so that asking costs a step the same however long the run is. */
  get calls(): readonly SettledCall[] {
    const seen = this.#seen
    const { turns, calls } = seen
    const { sealed, live } = this.#state
    const behind = live.run?.behind
    const naming = { sessionId: this.sessionId, isDynamic: this.#isDynamic }
    // A lost race, or a reload, has put other turns there: begin anew.
    const others = turns.length > 0 && sealed[this.#firstTurn + turns.length - 1] !== turns[turns.length - 1]
    if (others || !isAmong(seen.behind, behind)) {
      turns.length = calls.length = 0
      seen.behind = undefined
    }
    for (const turn of sealed.slice(this.#firstTurn + turns.length, live.sealedCount)) {
      turns.push(turn)
      calls.push(...settledCalls(turn, naming))
    }
    calls.push(...callsBehind(behind, seen.behind, naming))
    seen.behind = behind
    return calls
  }
}

/** Whether an outcome stands among those that end with `last`: at the end, but for what has come since. */
function isAmong(known: SettledBehind | undefined, last: SettledBehind | undefined): boolean {
  let one = last
  while (one !== undefined && one !== known) one = one.before
  return one === known
}

/** The turns of a run that `stopWhen` has been shown, and their calls. */
export interface SeenCalls {
  readonly turns: Turn[]
  readonly calls: SettledCall[]
  /** The last of those that went on in the background. */
  behind: SettledBehind | undefined
}
