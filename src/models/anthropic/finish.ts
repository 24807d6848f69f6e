import type { FinishReason } from '../../core/model.ts'
import { windowExceeded } from '../errors.ts'

/** platform.claude.com, Handling stop reasons. */
const finishReasons: { readonly [reason: string]: FinishReason } = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  [windowExceeded]: 'length',
  pause_turn: 'pause-turn',
  // The history was summed up, and the answer waits for its content to come back (`pause_after_compaction`).
  compaction: 'pause-turn',
  refusal: 'refusal',
}

/** A reason that we don't know is no success (B054). A server that says that it is done and gives none has just stopped. */
export function finishReasonOf(reason: string | undefined, hasCalls: boolean): FinishReason {
  if (reason === undefined) return hasCalls ? 'tool-calls' : 'stop'
  return Object.hasOwn(finishReasons, reason) ? (finishReasons[reason] ?? 'other') : 'other'
}
