import type { ErrorData } from './error.ts'
import type { Json } from './json.ts'
import type { Message, Settlement } from './message.ts'
import type { FinishReason, Purpose } from './model.ts'
import type { ParkReason, RunStatus } from './reason.ts'
import type { AskedApproval, CallRef, CoreResult, PendingCall } from './result.ts'
import type { Usage } from './usage.ts'

interface ModelCallRef {
  readonly messageId: string
  readonly purpose: Purpose
  readonly attempt: number
}

interface PartRef {
  readonly messageId: string
  readonly part: number
}

/** What each event holds, before the public face gives calls and outputs their types. */
export interface EventData {
  'run.started': { readonly agent: string; readonly input: readonly Message[] }
  'run.status': { readonly from: RunStatus; readonly to: RunStatus }
  'run.parked': { readonly reason: ParkReason; readonly pending: readonly PendingCall[]; readonly wakeAt?: number }
  'run.finished': { readonly result: CoreResult }
  'iteration.started': object
  'iteration.finished': object
  'message.added': { readonly message: Message }
  'history.revised': { readonly tokensBefore: number; readonly tokensAfter: number }
  'model.started': ModelCallRef & { readonly model: string }
  'model.finished': ModelCallRef & { readonly finishReason: FinishReason; readonly usage: Usage; readonly model?: string }
  'model.failed': ModelCallRef & { readonly error: ErrorData; readonly retryInMs?: number }
  'model.retracted': ModelCallRef
  'text.started': PartRef
  'text.delta': PartRef & { readonly text: string }
  'text.finished': PartRef
  'reasoning.started': PartRef
  'reasoning.delta': PartRef & { readonly text: string }
  'reasoning.finished': PartRef
  'output.partial': { readonly output: Json }
  'call.input.delta': { readonly callId: string; readonly messageId: string; readonly toolName: string; readonly text: string }
  'call.announced': { readonly callId: string; readonly messageId: string; readonly toolName: string; readonly input: Json }
  'approval.requested': CallRef & AskedApproval
  'approval.decided': CallRef & { readonly decision: 'approve' | 'deny' | 'expired'; readonly by?: string; readonly reason?: string }
  'call.started': CallRef & { readonly attempt: number }
  'call.deferred': PendingCall
  'call.progress': CallRef & { readonly update: Json }
  'call.settled': CallRef & Settlement<Json> & { readonly durationMs: number }
  'usage.updated': { readonly usage: Usage }
  'limit.warning': { readonly limit: string; readonly used: number; readonly of: number }
  'hook.failed': { readonly hook: string; readonly error: ErrorData }
}

export type EventType = keyof EventData

/**
 * An event. `cursor` is `seq:i` for the i-th event of an entry and `<seq of the last entry>.<m>` for a piece between entries
 * (deltas, progress, parks), which also says `of` which entry it is.
 */
export interface EventEnvelope {
  readonly v: 1
  readonly cursor: string
  readonly at: number
  readonly sessionId: string
  readonly runId: string
  readonly parentCallId?: string
  readonly iteration: number
  /** Of a piece: the seq of the entry that began what it belongs to. */
  readonly of?: number
}

type OneOf<T> = T[keyof T]
export type CoreEvent = OneOf<{ [K in EventType]: EventEnvelope & { readonly type: K } & EventData[K] }>
/** An event before its envelope. */
export type EventBody = OneOf<{ [K in EventType]: { readonly type: K } & EventData[K] }>
