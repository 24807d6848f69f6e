import type { SettlementData } from './entry.ts'
import type { Json } from './json.ts'
import type { Message, ToolCallPart } from './message.ts'
import type { OutsideReason } from './reason.ts'
import type { ApprovalRequest, Effect } from './tool.ts'

export interface GuardedCall {
  readonly callId: string
  readonly attempt: number
  readonly toolName: string
  readonly input: Json
}

export type CallStatus = 'announced' | 'awaiting' | 'ready' | 'running' | 'outside' | 'settled'

/** One call of the open turn. Replaced, never changed. */
export interface CallState {
  readonly part: ToolCallPart
  readonly index: number
  readonly status: CallStatus
  /** The arguments that run: the model's, or those of a hook or an approval. */
  readonly input: Json
  /** The `call.prepared` entry. */
  readonly preparedId?: string | undefined
  readonly preparedSeq: number
  readonly effect?: Effect | undefined
  readonly external?: boolean | undefined
  readonly ask?: ApprovalRequest | undefined
  /** Of a call that awaits an answer or is outside. */
  readonly expiresAt?: number | undefined
  readonly decision?: CallDecision | undefined
  /** Who had allowed it before it was asked for, with others like it. */
  readonly approvedBy?: string | undefined
  /** Arguments of an approval, to be validated and prepared again. */
  readonly edited?: Json | undefined
  readonly attempt: number
  readonly startedAt: number
  readonly startedSeq: number
  readonly epoch: number
  readonly everStarted: boolean
  readonly correlationId?: string | undefined
  /** The entry that put it outside; 0 while it is not. */
  readonly outsideSeq: number
  readonly why?: OutsideReason | undefined
  /** Its message has been answered with a placeholder: it is open among `live.background`. */
  readonly background?: boolean | undefined
  readonly settlement?: SettlementData | undefined
  readonly durationMs: number
}

export interface CallDecision {
  readonly id: string
  readonly kind: 'allow' | 'deny' | 'stop'
  readonly by?: string
  readonly reason?: string
}

/** An assistant message whose calls have not all settled. */
export interface OpenTurn {
  readonly n: number
  readonly seq: number
  readonly message: Message
  /** Why its calls never run: the response was cut, blocked, or had no business calling tools. */
  readonly dead?: 'truncated' | 'blocked' | 'stray' | undefined
  calls: CallState[]
  /** Calls that have not settled. */
  left: number
  /** The lowest index of a call that ends the batch. */
  endIndex: number
  /** The lowest index of a call that met a limit of the run. */
  limitIndex: number
  endKind?: 'done' | 'stop' | 'fail' | undefined
}
