import type { ApprovalRule } from '../core/approval.ts'
import type { MachineConfig } from '../core/config.ts'
import type { EntryBody } from '../core/entry.ts'
import type { Json } from '../core/json.ts'
import type { Model, ModelRequest } from '../core/model.ts'
import type { OwnParts } from '../core/own-parts.ts'
import type { CallRef } from '../core/result.ts'
import type { Schema } from '../core/schema.ts'
import type { OpenModelCall, SessionState } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import type { Dependency, RunInfo, Tool } from '../core/tool.ts'
import type { Subscriber } from './hub.ts'
import type { RetryPolicy } from './retry.ts'
import type { LazySignal } from './signal.ts'

/** Time. `wall` (ms since 1970) stamps facts; `monotonic` (ms) measures; neither is trusted to be the other. */
export interface Clock {
  wall(): number
  monotonic(): number
  /** Calls back once after `ms`, clamped to 2^31 - 1; the returned function cancels. */
  timer(ms: number, callback: () => void): () => void
  /** Calls back in a later turn of the event loop, when timers and I/O have had theirs. A clock that stands still while anything works has none. */
  nextTurn?(callback: () => void): void
}

/** What the world gives the engine: replaceable, so that a run can be simulated to the last bit. */
export interface World {
  readonly clock: Clock
  /** A new id, unique for ever. */
  id(prefix: 'e' | 's' | 'r'): string
  /** From 0 to below 1. */
  random(): number
  /** For tests: how many events a run keeps for readers that lag. Default 10,000. */
  readonly ringCapacity?: number
  /** For tests: tears an activation down and rebuilds it from the journal whenever nothing is started. */
  readonly suspendAlways?: boolean
  /** For tests: told each time that happened. */
  onReload?(): void
  /** For tests: asked, and awaited, after every append of a driver. */
  onCommit?(sessionId: string, store: Store, state: SessionState): Promise<void>
}

export interface ResultLimits {
  /** What the model is shown of one result; bytes are those of UTF-8. */
  readonly maxBytes: number
  readonly maxLines: number
  /** What the journal keeps of one result; more goes to a blob. */
  readonly maxStoredBytes: number
}

/** Who may let a call pass, besides its tool. */
export interface ApprovalPorts {
  readonly rules?: readonly ApprovalRule[] | undefined
  readonly default?: 'allow' | 'ask' | 'ask-unsafe' | 'deny' | undefined
  /** Whatever it returns is looked at: it may come from JavaScript. */
  readonly hook?: ((call: CallRef, run: RunInfo) => unknown) | undefined
}

/** The live parts of one run, wired by the agent: what the engine runs, in its own words. */
export interface RunPorts {
  readonly config: MachineConfig
  readonly isDynamic: (toolName: string) => boolean
  readonly tools: ReadonlyMap<string, Tool>
  /** Also of those that the provider runs (`offeredName`). */
  readonly toolNames: ReadonlySet<string>
  /** What of all this is the run's own, by name. */
  readonly own: OwnParts | undefined
  /** What of the run's data this version can't follow, in words. */
  readonly unread: readonly string[]
  /** Of a run whose answer must fit a schema; with `config.output`. */
  readonly output: OutputPort | undefined
  /** The agent's listeners, for this run. */
  listener(runId: string): Subscriber
  readonly retry: RetryPolicy
  readonly modelTimeoutMs: number
  readonly results: ResultLimits
  readonly toolFailureMode: 'continue' | 'fail'
  readonly unknownTool: 'result' | 'fail'
  readonly approvals: ApprovalPorts
  /** How long each one who is asked before a call may take (ms). */
  readonly hookTimeoutMs: number
  readonly context: unknown
  /** A dependency's value, made once a run. */
  resolve<T>(dependency: Dependency<T>, run: RunInfo): Promise<T>
  /** The model and the request of an open call. */
  modelCall(state: SessionState, open: OpenModelCall): { readonly model: Model; readonly request: ModelRequest }
  /** Dynamic parts before a model call: what its `model.started` entry shall say. Only when `config.hasSetup`. */
  setup?(state: SessionState, next: SetupCall): SetupAnswer | Promise<SetupAnswer>
  /** An error in somebody else's code that must not disturb the run. */
  report(error: unknown): void
  readonly durability: 'strict' | 'best-effort'
  /** How long a run waits in process for a human or a result before it parks (ms). */
  readonly parkAfterMs: number
  readonly timeSliceMs: number
  readonly onPending: 'answer' | 'hold' | 'reject'
}

/** How an answer becomes an output. */
export interface OutputPort {
  /** The JSON value that a text is, before it is validated; or why it is none, a sentence for the model. */
  decode(text: string): { readonly value: Json } | { readonly problem: string }
  /** Reads one answer while it comes: says what there is of the value by then, when there is more to show. */
  partial(): { push(text: string): Json | undefined }
  readonly schema: Schema
}

/** Made into an entry when it is staged: what the call sees depends on what has come by then. */
export type SetupAnswer = (state: SessionState) => EntryBody

export interface SetupCall {
  readonly n: number
  readonly attempt: number
  readonly purpose: OpenModelCall['purpose']
  readonly reason?: OpenModelCall['reason']
  readonly signal: LazySignal
}
