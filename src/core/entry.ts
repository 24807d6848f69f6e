import type { ErrorData } from './error.ts'
import type { Json, JsonObject } from './json.ts'
import type { FailedOutcome, Message, Part } from './message.ts'
import type { FinishReason, ModelSettings, Purpose } from './model.ts'
import type { OwnParts } from './own-parts.ts'
import type { AbortedReason, CompletedReason, FailedReason, LimitReason, OutsideReason } from './reason.ts'
import type { ApprovalRequest, Effect } from './tool.ts'
import type { Usage } from './usage.ts'

/** The journal format written by this version. A higher `v` opens read-only. */
export const journalVersion = 1

/** What each of the sixteen kinds holds. Every entry is a fact; none is ever changed. */
export interface EntryData {
  session: { readonly version: 1; readonly metadata?: JsonObject; readonly fork?: ForkOrigin; readonly parent?: ParentCall }
  'run.requested': {
    readonly agent: { readonly name: string; readonly version?: string }
    readonly input: readonly Message[]
    readonly task: 'run' | 'compact'
    /** The run whose end an accepted message met: this run goes on with it. */
    readonly inherits?: string
    readonly parent?: ParentCall
    /** What was given for this run only: what is data, by its option's name, and the names of what only a process can keep (`own`). */
    readonly overrides?: JsonObject
    readonly trace?: JsonObject
  }
  message: {
    readonly origin: 'steer' | 'follow-up' | 'background' | 'nudge' | 'output-request' | 'wrap-up' | 'hook'
    readonly message: Message
    readonly hidden?: boolean
    /** Of a background tool: the call, and what became of it. */
    readonly callId?: string
    readonly result?: BackgroundResult
  }
  control: { readonly action: 'pause' | 'resume' | 'cancel'; readonly by?: string; readonly reason?: string }
  'approval.decided': {
    /** The id of the `call.prepared` entry that it answers. */
    readonly request: string
    readonly decision: 'allow' | 'deny' | 'stop'
    readonly arguments?: Json
    readonly by?: string
    readonly reason?: string
    readonly remember?: 'run' | 'session'
  }
  'run.claimed': {
    readonly owner: string
    readonly cause: 'start' | 'resume' | 'next'
    readonly engine: string
    /** What the run is driven with from here on that is its own; only when that changed. */
    readonly own?: OwnParts
  }
  'model.started': {
    readonly n: number
    readonly attempt: number
    readonly purpose: Purpose
    /** Of a wrap-up: the limit that asked for it. */
    readonly reason?: LimitReason
    /** The call sees messages up to this seq. */
    readonly contextThrough: number
    /** Only what changed since the last one. */
    readonly setup?: ModelSetup
    readonly extra?: JsonObject
    readonly estimatedTokens?: number
  }
  'model.responded': {
    readonly n: number
    readonly attempt: number
    readonly message: Message
    readonly finish: { readonly unified: FinishReason; readonly raw?: string }
    readonly usage: Usage
    readonly requestId?: string
    /** Which model answered (`provider:id`), where it is not the one of `model.started`. */
    readonly model?: string
    readonly durationMs?: number
  }
  'model.failed': {
    readonly n: number
    readonly attempt: number
    readonly error: ErrorData
    /** Absent: final. ms since 1970, by the clock of the process that wrote it. */
    readonly retryAt?: number
    /** The same, from this entry on (ms): what is waited for, for the store's clock may say another time. */
    readonly retryInMs?: number
    /** Text that was shown before the end; kept as a marked turn. */
    readonly partial?: string
    /** Absent: unknown. */
    readonly usage?: Usage
    /** Why it ended when that was not the model's doing. */
    readonly cause?: 'interrupted' | 'cancelled' | 'limit'
    readonly durationMs?: number
  }
  'call.prepared': {
    readonly callId: string
    /** Only when a hook or an approval changed them. */
    readonly arguments?: Json
    readonly effect: Effect
    readonly executor: 'local' | 'external'
    readonly approval?: ApprovalRequest
    /** The decision that this preparation follows: edited arguments, or a yes that was to be remembered. */
    readonly approvedBy?: string
  }
  'call.started': { readonly callId: string; readonly attempt: number; readonly approval?: string }
  'call.deferred': {
    readonly callId: string
    readonly attempt?: number
    readonly why: OutsideReason
    readonly correlationId?: string
    readonly expiresAt?: number
    readonly child?: string
    readonly pending?: Json
    readonly durationMs?: number
  }
  'call.settled': {
    readonly callId: string
    readonly attempt?: number
    readonly settlement: SettlementData
    readonly by: 'machine' | 'prepare' | 'tool' | 'reconcile' | 'client'
    /** Ends the batch: a done tool, a denial that stops the turn, a failure under `toolFailureMode: 'fail'`. */
    readonly end?: 'done' | 'stop' | 'fail'
    /** The limit that the call met. Of several in one batch, that of the call of lowest index is the run's reason. */
    readonly limit?: LimitReason
    /** Only for its message: the call goes on in the background, and its outcome comes as a message. */
    readonly background?: true
    readonly durationMs?: number
  }
  'history.revised': {
    readonly ok: boolean
    readonly reason: 'compaction' | 'import' | 'replace' | 'clear'
    readonly throughTurn: number
    readonly with: readonly Message[]
    readonly tokensBefore?: number
    readonly tokensAfter?: number
  }
  /** `output`: of a done tool, or what fits the run's schema: raw JSON, validated again by whoever reads it. */
  'run.finished': { readonly text: string } & (
    | { readonly status: 'completed'; readonly reason: CompletedReason; readonly output?: Json }
    | { readonly status: 'incomplete'; readonly reason: LimitReason; readonly output?: Json }
    | { readonly status: 'failed'; readonly reason: FailedReason; readonly error: ErrorData }
    | { readonly status: 'aborted'; readonly reason: AbortedReason; readonly abortReason?: string }
  )
  custom: { readonly type: string; readonly data?: Json }
}

export interface ForkOrigin {
  readonly session: string
  readonly seq: number
}

export interface ParentCall {
  readonly session: string
  readonly call: string
}

/** What a model call is told besides the messages. */
export interface ModelSetup {
  readonly model?: string
  readonly instructions?: string
  readonly tools?: readonly string[]
  readonly settings?: ModelSettings
}

/** A settlement in the journal: the output (or the error) and, when it differs, what the model is shown. */
export type SettlementData =
  | { readonly outcome: 'ok'; readonly output: Json; readonly content?: string | readonly Part[] }
  | { readonly outcome: FailedOutcome; readonly error: ErrorData; readonly content?: string | readonly Part[] }

/** The outcome of a call that went on in the background. `fail` ends the run (`toolFailureMode: 'fail'`). */
export interface BackgroundResult {
  readonly settlement: SettlementData
  readonly by: EntryData['call.settled']['by']
  readonly attempt?: number
  readonly end?: 'fail'
  readonly durationMs?: number
}

export type EntryKind = keyof EntryData

interface Envelope<K extends EntryKind> {
  readonly v: 1
  readonly id: string
  readonly seq: number
  /** ms since 1970 by the store's clock; never smaller than that of the entry before. */
  readonly at: number
  /** The driver's epoch; absent on inputs of others. */
  readonly epoch?: number
  readonly runId?: string
  readonly kind: K
  readonly data: EntryData[K]
}

type OneOf<T> = T[keyof T]

export type EntryOf<K extends EntryKind> = Envelope<K>
export type Entry = OneOf<{ [K in EntryKind]: Envelope<K> }>
/** An entry before the store has stamped it. */
export type NewEntry = OneOf<{ [K in EntryKind]: Omit<Envelope<K>, 'at'> }>
/** What the machine and the activities write; the engine adds the envelope. */
export type EntryBody = OneOf<{
  [K in EntryKind]: { readonly kind: K; readonly data: EntryData[K]; readonly id?: string; readonly runId?: string }
}>

export const entryKinds: { readonly [K in EntryKind]: 'input' | 'driver' | 'both' | 'any' } = {
  session: 'input',
  'run.requested': 'input',
  message: 'both',
  control: 'input',
  'approval.decided': 'input',
  'run.claimed': 'driver',
  'model.started': 'driver',
  'model.responded': 'driver',
  'model.failed': 'driver',
  'call.prepared': 'driver',
  'call.started': 'driver',
  'call.deferred': 'driver',
  'call.settled': 'both',
  'history.revised': 'driver',
  'run.finished': 'driver',
  custom: 'any',
}

/** The index of a call in its message: `m3.1` → 1. */
export function callIndex(callId: string): number {
  return Number(callId.slice(callId.indexOf('.') + 1))
}

export function callIdOf(n: number, index: number): string {
  return `m${n}.${index}`
}

export function messageIdOf(n: number): string {
  return `m${n}`
}
