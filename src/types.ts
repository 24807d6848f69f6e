import type { ErrorData } from './core/error.ts'
import type { Json } from './core/json.ts'
import type { Message, Settlement } from './core/message.ts'
import type { FinishReason, Purpose } from './core/model.ts'
import type { AbortedReason, CompletedReason, FailedReason, LimitReason, ParkReason, RunStatus } from './core/reason.ts'
import type { AskedApproval, PendingResult } from './core/result.ts'
import type { Out, Schema } from './core/schema.ts'
import type { Tool, Tools } from './core/tool.ts'
import type { Usage } from './core/usage.ts'
import type { Limits } from './limits.ts'

export type DeepPartial<T> = T extends readonly (infer X)[]
  ? readonly DeepPartial<X>[]
  : T extends Date
    ? T
    : T extends object
      ? { [K in keyof T]?: DeepPartial<T[K]> }
      : T

// ── calls, typed by the agent's tools

/** The tools whose names are known to the compiler. */
type Static<T extends Tools> = {
  [K in keyof T]: T[K] extends Tool<infer N, infer I, infer _P, infer O>
    ? string extends N
      ? never
      : { name: N; input: I; output: O }
    : never
}[number]

/** Calls of any other name (from a source, per run, or no tool at all) are dynamic, so that narrowing by `toolName` keeps its type. */
type Dynamic<T> = Tools extends T ? boolean : true
type CallId = { readonly callId: string; readonly messageId: string }
type Of<X, D extends boolean> = X extends { name: infer N; input: infer I }
  ? CallId & { readonly dynamic: D; readonly toolName: N; readonly input: I }
  : never
type SettledOf<X, D extends boolean> = X extends { output: infer O } ? Of<X, D> & Settlement<O> & { readonly durationMs: number } : never

export type ToolName<T extends Tools> = Static<T>['name'] | (string & {})
export type Call<T extends Tools = Tools> = Of<Static<T>, false> | Of<{ name: string; input: unknown }, Dynamic<T>>
export type SettledCall<T extends Tools = Tools> =
  | SettledOf<Static<T>, false>
  | SettledOf<{ name: string; input: unknown; output: unknown }, Dynamic<T>>

/** A call that waits: for a human's answer, or for a result from outside. `expiresAt` is in ms since 1970. */
export type Pending<T extends Tools = Tools> = Call<T> &
  (({ readonly kind: 'approval' } & AskedApproval) | PendingResult) & { readonly expiresAt?: number }

/** The context that an agent's tools ask for, or `unknown`. */
export type ContextOf<T extends Tools> = (
  T[number] extends infer X
    ? X extends { readonly '~types'?: { readonly context: infer C } }
      ? unknown extends C
        ? never
        : (c: C) => void
      : never
    : never
) extends (c: infer C) => void
  ? C
  : unknown

export type OutputOf<S> = S extends Schema ? Out<S> : string

// ── results

interface Totals<T extends Tools> {
  readonly sessionId: string
  readonly runId: string
  /** Of this run's last main, output or wrap-up turn; a blank response makes none. */
  readonly text: string
  /** This run's only. */
  readonly messages: readonly Message[]
  readonly calls: readonly SettledCall<T>[]
  readonly iterations: number
  readonly usage: Usage
  /** False when a best-effort store was given up in the middle. */
  readonly durable: boolean
}

/**
 * How a run, or an activation of it, ended: plain data. `parked` is no end: go on with `agent.resume(sessionId)`. `failed` with
 * `resumable: true` says that the session could not be written, not that the run is over.
 */
export type RunResult<T extends Tools = Tools, O = unknown> = Totals<T> &
  (
    | { readonly status: 'completed'; readonly reason: CompletedReason; readonly output: O }
    /** `output`: with an output schema, what the wrap-up was, if it fits. */
    | { readonly status: 'incomplete'; readonly reason: LimitReason; readonly output?: O }
    | {
        readonly status: 'parked'
        readonly reason: ParkReason
        readonly pending: readonly Pending<T>[]
        /** ms since 1970. */
        readonly wakeAt?: number
        readonly output?: undefined
      }
    | {
        readonly status: 'failed'
        readonly reason: FailedReason
        readonly error: ErrorData
        readonly resumable: boolean
        readonly output?: undefined
      }
    | { readonly status: 'aborted'; readonly reason: AbortedReason; readonly abortReason?: string; readonly output?: undefined }
  )

// ── events

type E<K extends string, P = unknown> = { readonly type: K } & P
type PartRef = { readonly messageId: string; readonly part: number }
type ModelCallRef = { readonly messageId: string; readonly purpose: Purpose; readonly attempt: number }

/** What every event has. See `cursor`: `seq:i` for the i-th event of an entry, `<last entry>.<m>` for a piece between entries. */
interface Envelope {
  readonly v: 1
  readonly cursor: string
  /** ms since 1970. */
  readonly at: number
  readonly sessionId: string
  readonly runId: string
  readonly parentCallId?: string
  readonly iteration: number
  /** Of a piece: the seq of the entry that began what it belongs to. */
  readonly of?: number
}

/** Everything that happens in a run, in order. Closed within a major version. */
export type RunEvent<T extends Tools = Tools, O = unknown> = Envelope &
  (
    | E<'run.started', { readonly agent: string; readonly input: readonly Message[] }>
    | E<'run.status', { readonly from: RunStatus; readonly to: RunStatus }>
    | E<'run.parked', { readonly reason: ParkReason; readonly pending: readonly Pending<T>[]; readonly wakeAt?: number }>
    | E<'run.finished', { readonly result: RunResult<T, O> }>
    | E<'iteration.started'>
    | E<'iteration.finished'>
    | E<'message.added', { readonly message: Message }>
    | E<'history.revised', { readonly tokensBefore: number; readonly tokensAfter: number }>
    | E<'model.started', ModelCallRef & { readonly model: string }>
    | E<'model.finished', ModelCallRef & { readonly finishReason: FinishReason; readonly usage: Usage; readonly model?: string }>
    | E<'model.failed', ModelCallRef & { readonly error: ErrorData; readonly retryInMs?: number }>
    | E<'model.retracted', ModelCallRef>
    | E<'text.started', PartRef>
    | E<'text.finished', PartRef>
    | E<'reasoning.started', PartRef>
    | E<'reasoning.finished', PartRef>
    | E<'text.delta', PartRef & { readonly text: string }>
    | E<'reasoning.delta', PartRef & { readonly text: string }>
    | E<'output.partial', { readonly output: DeepPartial<O> }>
    | E<'call.input.delta', CallId & { readonly toolName: string; readonly text: string }>
    | E<'call.announced', CallId & { readonly toolName: string; readonly input: unknown }>
    | E<'approval.requested', Call<T> & AskedApproval>
    | E<'approval.decided', Call<T> & { readonly decision: 'approve' | 'deny' | 'expired'; readonly by?: string; readonly reason?: string }>
    | E<'call.started', Call<T> & { readonly attempt: number }>
    | E<'call.deferred', Pending<T>>
    | E<'call.progress', Call<T> & { readonly update: Json }>
    | E<'call.settled', SettledCall<T>>
    | E<'usage.updated', { readonly usage: Usage }>
    | E<'limit.warning', { readonly limit: keyof Limits; readonly used: number; readonly of: number }>
    | E<'hook.failed', { readonly hook: string; readonly error: ErrorData }>
  )

export type EventOf<K extends RunEvent['type'], T extends Tools = Tools, O = unknown> = Extract<RunEvent<T, O>, { readonly type: K }>

/** The `UITools` of the AI SDK: `UIMessage<never, UIDataTypes, UIToolsOf<typeof agent>>`. */
export type UIToolsOf<A> = A extends { readonly '~tools'?: infer T extends Tools }
  ? { [X in Static<T> as X['name'] & string]: { input: X['input']; output: X['output'] } }
  : never

/**
 * An answer to a request for approval. `input` replaces the arguments: they are validated again, and a rule that denies them still holds. `remember` lets
 * calls like it pass from now on, until the end of the run or of the session, also those that wait already; what "like it" means says `Ask.rememberAs`
 * (default: the same tool). Rules and hooks that deny still hold.
 */
export type Decision =
  | { callId: string; decision: 'approve'; input?: unknown; by?: string; remember?: 'run' | 'session' }
  | { callId: string; decision: 'deny'; reason?: string; by?: string; stopTurn?: boolean }
