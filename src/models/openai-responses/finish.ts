import type { FinishReason } from '../../core/model.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'

const incompleteReasons: { readonly [reason: string]: FinishReason } = {
  max_output_tokens: 'length',
  max_tokens: 'length',
  length: 'length',
  content_filter: 'content-filter',
}

export interface Ending {
  readonly finishReason: FinishReason
  /** Why the response is incomplete, else its status. */
  readonly rawFinishReason: string
}

/** How a response ended that is one. A reason that we don't know is no success (B054). */
export function endingOf(response: Wire, hasCalls: boolean, refused: boolean): Ending {
  const status = textOrNothing(response['status']) || 'completed'
  if (status === 'completed') return { finishReason: hasCalls ? 'tool-calls' : refused ? 'refusal' : 'stop', rawFinishReason: status }
  const details = response['incomplete_details']
  const reason = (isWire(details) ? textOrNothing(details['reason']) : '') || status
  const known = Object.hasOwn(incompleteReasons, reason) ? incompleteReasons[reason] : undefined
  return { finishReason: known ?? 'other', rawFinishReason: reason }
}
