/** Limits of one run. Each that is hit is the run's reason; what happens then is `onLimit`. Absent = the default given here. */
export interface Limits {
  /** Successful model calls. Default 50. */
  maxIterations?: number
  /** Batches of calls. Default: none. */
  maxToolRounds?: number
  /** Calls that start. Default: none. */
  maxToolCalls?: number
  /** Calls of one tool that start. Default: none. */
  maxCallsPerTool?: number
  /** Working time in ms: not parked time, not the time a process was gone. Default: none. */
  maxDurationMs?: number
  /** Input and output tokens of all model calls. Default: none. */
  maxTokens?: number
  /** US dollars, where the cost is known. Default: none. */
  maxCostUsd?: number
  /** Failed calls in a row. Default: none. */
  maxConsecutiveErrors?: number
  /** Not there yet: refused. */
  maxContextTokens?: number
  /** An activation that has run this long (ms) parks before it begins anything new; the next one goes on. Default: none. */
  timeSliceMs?: number
  /** `summarize`: one last call without tools. `error`: the run fails. `incomplete`: it ends as it stands. Default `summarize`. */
  onLimit?: 'summarize' | 'error' | 'incomplete'
}
