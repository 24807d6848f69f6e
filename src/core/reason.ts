/** What a run is doing, derived from the journal; the transitions are S3-18 and S3-19 of the checklist with the amendments of 7.7. */
export type RunStatus =
  | 'idle'
  | 'preparing'
  | 'model_running'
  | 'tool_running'
  | 'awaiting_human'
  | 'awaiting_tool_results'
  | 'paused'
  | 'completed'
  | 'incomplete'
  | 'failed'
  | 'aborted'

/** Limits and other ends that are no success: what the caller got is in the result all the same. */
export type LimitReason =
  | 'max_iterations'
  | 'max_tool_rounds'
  | 'max_tool_calls'
  | 'max_tool_calls_per_tool'
  | 'timeout'
  | 'budget_exceeded'
  | 'no_progress'
  | 'max_consecutive_errors'
  | 'duplicate_tool_call'
  | 'max_tokens'
  | 'content_blocked'
  | 'empty_response'
  | 'unexpected_stop_reason'
  | 'stopped'

export type CompletedReason = 'completed' | 'done_tool' | 'stop_sequence'
export type FailedReason =
  | LimitReason
  | 'model_error'
  | 'tool_failure'
  | 'hook_failure'
  | 'session_error'
  | 'lease_lost'
  | 'context_overflow'
  | 'output_decoding_failed'
export type AbortedReason = 'aborted' | 'stop_turn'

/** Why a run ended. */
export type RunReason = CompletedReason | FailedReason | AbortedReason

/** Why an activation ended while its run has not. The last two appear in the `run.parked` event and in heads only. */
export type ParkReason =
  | 'awaiting_approval'
  | 'awaiting_tool_results'
  | 'suspended'
  | 'paused'
  | 'retry_later'
  | 'time_slice'
  | 'session_error'
  | 'lease_lost'

/** The limits that `onLimit` governs; the other limit reasons end as `incomplete` whatever it says (checklist 7.7). */
export const governedByOnLimit: ReadonlySet<LimitReason> = new Set<LimitReason>([
  'max_iterations',
  'max_tool_rounds',
  'max_tool_calls',
  'max_tool_calls_per_tool',
  'timeout',
  'budget_exceeded',
  'no_progress',
  'max_consecutive_errors',
])

/**
 * Why a call waits outside, and so who is to say its result: a client runs it (`client`: a tool without `execute`; `manual`:
 * `policies.toolExecution`), its tool has handed it on (`suspended`), a person is asked (`ask-user`). Not to be run: `child`, another session
 * works on it; `unresolved`, it did begin, and somebody is to find out what became of it (`policies.lostOutcome`).
 */
export type OutsideReason = 'client' | 'manual' | 'suspended' | 'ask-user' | 'child' | 'unresolved'
