import type { ApprovalRule } from './core/approval.ts'
import type { ErrorCode } from './core/error.ts'
import type { Json } from './core/json.ts'
import type { Message, UserPart } from './core/message.ts'
import type { Model, ModelRequest, ModelSettings } from './core/model.ts'
import type { LimitReason } from './core/reason.ts'
import type { Schema } from './core/schema.ts'
import type { Store } from './core/store.ts'
import type { TerminationPolicy } from './core/termination.ts'
import type { Ask, Awaitable, Dependency, RunInfo, Tools } from './core/tool.ts'
import type { World } from './engine/ports.ts'
import type { Limits } from './limits.ts'
import type { Call, ContextOf, RunResult, SettledCall, ToolName } from './types.ts'

export type ToolChoice<T extends Tools = Tools> = 'auto' | 'none' | 'required' | { tool: ToolName<T> }

/** Asked after each batch of calls has settled; synchronous and pure. A throw fails the run with `hook_failure`. */
export type StopCondition<T extends Tools, C> = (
  view: RunInfo<C> & { readonly calls: readonly SettledCall<T>[]; readonly text: string },
) => boolean | { reason: LimitReason } | undefined

/** Awaited, within `policies.hookTimeoutMs`; may change things; what they change is recorded. */
export interface Hooks<T extends Tools, C> {
  beforeRun?(run: RunInfo<C> & { readonly input: readonly Message[] }): Awaitable<void | { input: Input }>
  beforeModel?(
    request: ModelRequest,
    run: RunInfo<C>,
  ): Awaitable<
    | void
    | {
        model?: Model
        instructions?: string
        allowedTools?: readonly ToolName<T>[]
        toolChoice?: ToolChoice<T>
        settings?: ModelSettings
      }
    | { respond: string }
  >
  afterModel?(message: Message, run: RunInfo<C>): Awaitable<void | { retry: string }>
  beforeTool?(call: Call<T>, run: RunInfo<C>): Awaitable<void | { input: unknown } | { output: unknown } | { deny: string }>
  /**
   * Asked once a call, with valid arguments; edited ones are not shown to it again. `deny` beside `ask` denies. A throw, an answer that is none or none in time
   * (`policies.hookTimeoutMs`) denies the call (fail closed), and is told to `onObserverError`. For a human's word return `{ ask }`: don't wait for it here.
   */
  approveTool?(call: Call<T>, run: RunInfo<C>): Awaitable<void | 'allow' | { ask: Ask } | { deny: string; stopTurn?: boolean }>
  afterTool?(call: SettledCall<T>, run: RunInfo<C>): Awaitable<void | { output: unknown } | { retry: true }>
  beforeFinish?(
    end: { readonly text: string; readonly calls: readonly SettledCall<T>[] },
    run: RunInfo<C>,
  ): Awaitable<void | { continueWith: string }>
  afterRun?(result: RunResult<T>, run: RunInfo<C>): Awaitable<void>
}

/** The finer rules, each with the default given here. */
export interface Policies {
  /**
   * When approvals of a batch hold its other calls back. Default `verdicts`: calls that need none run while others wait. `answers`: nothing runs until all
   * are answered. `perCall`: one call after another, each asked about when its turn has come.
   */
  approvalTiming?: 'verdicts' | 'answers' | 'perCall'
  /**
   * Who may let a call pass, besides its tool. The first that says anything decides: a rule that denies, the hook `approveTool`, a rule that asks or allows,
   * the tool's `needsApproval`, `default`. `ask-unsafe` asks about tools of effect `unsafe`. Default: no rules, `allow`. The rules of a run join the agent's,
   * which come first: it can deny and ask more, and allow what no rule of the agent denies or asks about. The `default` of a run replaces the agent's: it is
   * for calls that nobody says anything about.
   */
  approvals?: { rules?: readonly ApprovalRule[]; default?: 'allow' | 'ask' | 'ask-unsafe' | 'deny' }
  /** What a done tool means for later calls of its message. Default `skip`. */
  doneDrain?: 'skip' | 'finish'
  /** A response without text and calls is asked for again so often, then the run ends with `empty_response`. Default 2, `final`. */
  emptyResponse?: { retries?: number; end?: 'final' | 'error' }
  /**
   * A response cut at the output limit. Default `final`: a text ends the run with `max_tokens`, calls are asked for again, twice at most.
   * `continue` asks for the rest of a text too, twice at most; `error` asks for nothing again.
   */
  onTruncated?: 'final' | 'continue' | 'error'
  /** A response that says it calls tools and does not. Default `final`: its text is the answer. */
  toolUseWithoutCalls?: 'final' | 'error'
  /** What a failing tool means. Default `continue`: the model reads the error. */
  toolFailureMode?: 'continue' | 'fail'
  /** `manual`: every call is handed out (after its approval), the run parks, and `submitToolResult` goes on. Default `auto`. */
  toolExecution?: 'auto' | 'manual'
  /**
   * An unsafe call whose outcome a crash has lost, and which its tool's `reconcile` can't find out. Default `unknown`: the model is told so. `ask`: the run
   * parks with the call among `pending`, and `submitToolResult` says what came of it.
   */
  lostOutcome?: 'unknown' | 'ask'
  /** A call of a tool that does not exist. Default `result`: the model reads so. */
  unknownTool?: 'result' | 'fail'
  /** Stop after so many equal batches (calls and results) in a row. Default 5; false = never. */
  noProgress?: number | false
  /** More rules for when to stop; asked before the built-in ones. */
  termination?: TerminationPolicy
  /** How long what was aborted may take to settle, in ms. Default 1,000. */
  graceMs?: number
  /**
   * How long each of those who are asked before a call may take, in ms: an asynchronous input schema, `hooks.approveTool`, the tool's `needsApproval`. Without
   * an answer by then the call does not run, and nobody waits for it any longer. `Infinity`: no limit but the run's. Default 30,000.
   */
  hookTimeoutMs?: number
  /** Whether a failed model call may be tried again when some of its text was shown. Default `retract`. */
  retryAfterOutput?: 'retract' | 'fail'
  /** Model retries, in ms. Default: base 1,000, cap 60,000, window 1,200,000, longest `Retry-After` 60,000. */
  retry?: { baseMs?: number; capMs?: number; windowMs?: number; maxRetryAfterMs?: number }
  /** `strict`: nothing begins whose intent could not be written. `best-effort`: the run goes on in memory. Default `strict`. */
  durability?: 'strict' | 'best-effort'
  /** How often a model whose answer does not fit the `output` schema is asked again, told what is wrong. Default 2: three tries. */
  decodeRetries?: number
  /** Tells the model of the `output` schema in each call beside the tools, so that none has to ask for the output. Only for models that take both. Default false. */
  schemaDuringTools?: boolean
  /** Keeps a `toolChoice` of `required` or a tool for every iteration. Default false: for the first one only. */
  toolChoiceEvery?: boolean
  /**
   * The size of one result, in bytes of UTF-8. `maxBytes` (default 51,200) and `maxLines` (2,000): what the model is shown, head and tail.
   * `maxStoredBytes` (4,194,304): what the journal keeps; more is kept as a blob of the store, and an excerpt that names it stands for it.
   */
  toolResult?: { maxBytes?: number; maxLines?: number; maxStoredBytes?: number }
  /** The wording of error results. Gets the default wording; returns the one to use. */
  errorText?: (code: ErrorCode, call: { readonly toolName: string; readonly input: Json }, text: string) => string
}

export interface SharedOptions<T extends Tools, S extends Schema | undefined, C> {
  /** What the model is told first. A function is asked before each model call and awaited; a throw fails the run. */
  instructions?: string | ((run: RunInfo<C>) => Awaitable<string>)
  /**
   * What the answer must fit, as `tool({ inputSchema })` takes it: `result.output` is then what the schema makes of it. The model sends its input side, so
   * transforms must be pure. With tools the output is asked for when the work is done, in a call of its own (`policies.schemaDuringTools`). An answer that
   * does not fit is asked for again (`policies.decodeRetries`); then the run fails with `output_decoding_failed`, and `result.text` is what came. A
   * run's schema wins over the agent's; a run with `output: undefined` has none.
   */
  output?: S
  /** How models are called; a run's fields win over the agent's, one by one. */
  settings?: ModelSettings
  /** What a run may cost; a run's fields win over the agent's, one by one. */
  limits?: Limits
  /**
   * Whether the model must call a tool, or this one, which must be one of the run's. A forced choice holds for the first iteration
   * (`policies.toolChoiceEvery`). Default `auto`.
   */
  toolChoice?: ToolChoice<NoInfer<T>>
  /** Ends a run early, with reason `stopped` or the given one. */
  stopWhen?: StopCondition<NoInfer<T>, C> | readonly StopCondition<NoInfer<T>, C>[]
  /** Calls that run at once. Default 8; 1 = one after another. */
  maxParallel?: number
  /** Overrides of dependencies, made by `.with()`. */
  dependencies?: readonly Dependency<unknown>[]
  /** Kept with the session that a run creates; a session that exists keeps its own. */
  metadata?: { readonly [key: string]: Json }
  /** A run asked for while the session has one. Default `reject`. */
  onBusy?: 'reject' | 'queue' | 'steer' | 'interrupt'
  /** A message while calls wait for an answer. Default `answer`: those calls are skipped. */
  onPending?: 'answer' | 'hold' | 'reject'
  /** The finer rules; a run's fields win over the agent's, one by one. */
  policies?: Policies
}

export interface CompactionOptions {
  model?: Model
  threshold?: number
  target?: number
  directives?: readonly string[]
}

export interface AgentOptions<T extends Tools = Tools, S extends Schema | undefined = undefined, C = ContextOf<T>>
  extends SharedOptions<T, S, C> {
  model: Model
  tools?: T
  /** Default `agent`. */
  name?: string
  version?: string
  /** Where sessions live. Default: this process's memory, 1,000 sessions. */
  store?: Store
  /** `approveTool` only; the others are not there yet and refused. */
  hooks?: Hooks<NoInfer<T>, C>
  /** Not there yet: refused, but for false. */
  compaction?: CompactionOptions | false
  /** An error in a listener or observer, or in a function whose failure does not end the run (a permission check, `reconcile`, …). Default: `console.error`. */
  onObserverError?(error: unknown): void
  /** Clock, ids and randomness, for tests and replay. Default: the real ones. */
  world?: World
}

export interface RunOptions<T extends Tools = Tools, S extends Schema | undefined = undefined, C = ContextOf<T>>
  extends SharedOptions<T, S, C> {
  /** Opens or creates this session. Default: a new one. */
  session?: string
  /** Default: a new one. Unique in its session. */
  runId?: string
  /**
   * Aborts the run. Of a call that steers the run of another caller (`onBusy: 'steer'`): withdraws the message until it is recorded (the
   * call then rejects with `RunAborted`), and does nothing afterwards; `run.abort()` aborts that run.
   */
  signal?: AbortSignal
  /** Instead of the agent's. */
  model?: Model
  /** Besides the agent's, of other names. */
  extraTools?: Tools
  /** How long to wait in process for a human or a result before the run parks (ms). Default: 0 for `run()`, no end for `stream()`. */
  parkAfterMs?: number
  /** Only these tools, in this order. Each must be there. */
  allowedTools?: readonly ToolName<T>[]
  /** Goes on when the last reader leaves. Default false. */
  detach?: boolean
  /** Whether `run()` rejects for a run that failed or was aborted. Default true. */
  throwOnError?: boolean
}

/** The context is required exactly when a tool needs one. */
export type Rest<C, X> = unknown extends C ? [options?: X] : [options: X & { context: C }]

export type Input = string | readonly UserPart[] | readonly Message[]
