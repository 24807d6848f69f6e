import type { ErrorData } from './error.ts'
import type { Json } from './json.ts'
import type { Message, Settlement } from './message.ts'
import type { AbortedReason, CompletedReason, FailedReason, LimitReason, OutsideReason, ParkReason } from './reason.ts'
import type { ApprovalRequest } from './tool.ts'
import type { Usage } from './usage.ts'

export interface CallRef {
  readonly callId: string
  readonly messageId: string
  /** Whether the tool is unknown to the agent's types (from a source, per run, or no tool at all). */
  readonly dynamic: boolean
  readonly toolName: string
  readonly input: Json
}

export type SettledCallData = CallRef & Settlement<Json> & { readonly durationMs: number }

/** A call that waits for its result. */
export interface PendingResult {
  readonly kind: 'result'
  readonly why: OutsideReason
  readonly correlationId?: string
}

/** What a human is asked. */
export interface AskedApproval extends ApprovalRequest {
  /** An earlier call with the same arguments, of which nobody knows whether it took effect: what is approved may happen twice. */
  readonly repeats?: string
}

export type PendingCall = CallRef &
  (({ readonly kind: 'approval' } & AskedApproval) | PendingResult) & {
    readonly expiresAt?: number
  }

interface Totals {
  readonly sessionId: string
  readonly runId: string
  /** Of this run's last main, output or wrap-up turn; a blank response makes none. */
  readonly text: string
  /** This run's messages only. */
  readonly messages: readonly Message[]
  readonly calls: readonly SettledCallData[]
  readonly iterations: number
  readonly usage: Usage
  /** False when a best-effort store was given up in the middle. */
  readonly durable: boolean
}

/** The result of a run or of an activation, before the public face gives it types. */
export type CoreResult = Totals &
  (
    | { readonly status: 'completed'; readonly reason: CompletedReason; readonly output: unknown }
    | { readonly status: 'incomplete'; readonly reason: LimitReason; readonly output?: unknown }
    | {
        readonly status: 'parked'
        readonly reason: ParkReason
        readonly pending: readonly PendingCall[]
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
