import type { ModelSetup } from './entry.ts'
import type { ErrorCode } from './error.ts'
import type { Json } from './json.ts'
import type { OwnParts } from './own-parts.ts'
import type { LimitReason } from './reason.ts'
import type { SessionState } from './state.ts'
import type { TerminationPolicy } from './termination.ts'
import type { Effect } from './tool.ts'

/** What `decide` must know of a tool. */
export interface ToolFacts {
  readonly effect: Effect
  readonly exclusive: boolean
  /** The model does not wait for it. */
  readonly background?: boolean
  /** Run by a client, not by us. */
  readonly external: boolean
  /** The client is a person who is asked. */
  readonly asksUser?: boolean
  readonly canReconcile: boolean
  readonly timeoutMs?: number
  readonly graceMs?: number
  readonly maxCallsPerRun?: number
}

/** Every limit; `Infinity` where there is none. */
export interface MachineLimits {
  readonly maxIterations: number
  readonly maxToolRounds: number
  readonly maxToolCalls: number
  readonly maxCallsPerTool: number
  readonly maxDurationMs: number
  readonly maxTokens: number
  readonly maxCostUsd: number
  readonly maxConsecutiveErrors: number
  readonly onLimit: 'summarize' | 'error' | 'incomplete'
}

/** How the answer of a run becomes an output that fits its schema. */
export interface OutputFacts {
  /**
   * When the model is told of the schema. `at-once`: there are no tools, so in each call. `after-tools`: when the work with tools is done, in
   * a call of its own that a message asks for. `with-tools`: in each call, beside the tools.
   */
  readonly asked: 'at-once' | 'after-tools' | 'with-tools'
  /** How often a model whose answer does not fit is asked again. */
  readonly retries: number
}

/** The snapshot a run works on: plain values and pure functions, nothing that does I/O. */
export interface MachineConfig {
  readonly tools: ReadonlyMap<string, ToolFacts>
  readonly limits: MachineLimits
  /** Attempts after the first one of a model call. */
  readonly retries: number
  readonly maxParallel: number
  readonly graceMs: number
  readonly approvalTiming: 'verdicts' | 'answers' | 'perCall'
  readonly onPending: 'answer' | 'hold' | 'reject'
  /** Whether a call that fails ends the run. */
  readonly toolFailureMode: 'continue' | 'fail'
  /** Whether calls are run here, or all handed out. */
  readonly toolExecution: 'auto' | 'manual'
  /** What becomes of an unsafe call whose outcome a crash has lost and nobody can find out. */
  readonly lostOutcome: 'unknown' | 'ask'
  readonly doneDrain: 'skip' | 'finish'
  readonly emptyResponse: { readonly retries: number; readonly end: 'final' | 'error' }
  readonly onTruncated: 'final' | 'continue' | 'error'
  readonly toolUseWithoutCalls: 'final' | 'retry' | 'error' | 'terminate'
  /** How many cut or continued responses in a row are asked to go on. */
  readonly maxCuts: number
  readonly maxContinuations: number
  readonly termination: TerminationPolicy
  /** Asked after a batch has settled, before the next call; may throw (the run then fails with `hook_failure`). */
  readonly stopWhen?: (state: SessionState) => boolean | { readonly reason: LimitReason } | undefined
  /** Whether something dynamic (hooks, instructions, descriptions) must be asked before each model call. */
  readonly hasSetup: boolean
  /** Whether something (hooks, output checks) must be asked before a run completes. */
  readonly hasComplete: boolean
  /** Of a run whose answer must fit a schema; `hasComplete` is true then. */
  readonly output?: OutputFacts | undefined
  readonly setup: ModelSetup
  /** The wording of an error result that the machine writes; default `defaultErrorText`. */
  readonly errorText: (code: ErrorCode, call: { readonly toolName: string; readonly input: Json }, text: string) => string
}

/** Who drives, and under which epoch: a claim is due when the state's epoch is older. */
export interface DriverFacts {
  readonly epoch: number
  readonly owner: string
  readonly engine: string
  /** Of an activation whose time slice is over: nothing new begins. */
  readonly holdStarts: boolean
  /**
   * How long ago an entry was written (ms, never less than 0), by a clock that does not jump; `at` is what the entry says. Absent (tables,
   * other processes): the difference of `now` and `at`.
   */
  age?(seq: number, at: number): number
  /** What the current run is driven with that is its own. */
  readonly own?: OwnParts | undefined
  /** The current run needs parts that are not in this process: nothing of it is decided but its end by a cancel. */
  readonly partsMissing?: boolean
  /** Whether an activity is under way here that nobody has told to stop: it may go on where nothing may begin. Absent: none is. */
  isRunning?(key: string): boolean
  /** For how long this driver has waited for an activity that no entry has begun: verdicts, a setup (ms; 0 when it does not). Absent: never. */
  waited?(key: string): number
  /** The run's working time when that wait began (ms); `undefined` when it is not waited for. Work that goes on meanwhile takes no time of its own. */
  workedBefore?(key: string): number | undefined
}

/** An orphan that would be started for the fourth time has killed its process three times. */
export const maxAttempts = 3

export const defaultLimits: MachineLimits = {
  maxIterations: 50,
  maxToolRounds: Number.POSITIVE_INFINITY,
  maxToolCalls: Number.POSITIVE_INFINITY,
  maxCallsPerTool: Number.POSITIVE_INFINITY,
  maxDurationMs: Number.POSITIVE_INFINITY,
  maxTokens: Number.POSITIVE_INFINITY,
  maxCostUsd: Number.POSITIVE_INFINITY,
  maxConsecutiveErrors: Number.POSITIVE_INFINITY,
  onLimit: 'summarize',
}
