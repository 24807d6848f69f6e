import { accept, type Refusal } from '../core/accept.ts'
import { applyTo } from '../core/apply.ts'
import { bodyFor } from '../core/background.ts'
import { messageOf } from '../core/error.ts'
import { branch, type SessionState } from '../core/state.ts'
import type { Input } from './activation.ts'
import { toEntry } from './append.ts'
import type { RunPorts } from './ports.ts'

/**
 * Which of the inputs that are said together may be written now, or why none of them is: what one says may rest on another. Asked each time
 * that they are about to be written.
 */
export function acceptInputs(
  state: SessionState,
  inputs: readonly Input[],
  onPending: RunPorts['onPending'],
  now: number,
): readonly Input[] | Refusal {
  const [first] = inputs
  if (first !== undefined && inputs.length === 1) return acceptInput(state, first, onPending, now) ?? inputs
  const draft = branch(state)
  const taken: Input[] = []
  for (const input of inputs) {
    const refusal = acceptInput(draft, input, onPending, now)
    if (refusal === undefined) {
      applyTo(draft, inputEntry(draft, input, now))
      taken.push(input)
    } else if (!isNeedless(input, refusal)) return refusal
  }
  return taken
}

/** The entry of an input that nobody who drives has written. */
export function inputEntry(state: SessionState, input: Input, now: number) {
  const { live } = state
  const runId = input.runId ?? live.run?.id ?? live.waiting[0]?.runId
  const run = runId === undefined || input.kind === 'session' ? {} : { runId }
  return toEntry(bodyFor(live, input), { id: input.id, seq: live.seq + 1, at: Math.max(now, live.at), ...run })
}

function acceptInput(state: SessionState, input: Input, onPending: RunPorts['onPending'], now: number): Refusal | undefined {
  const { withdrawnBy } = input
  if (withdrawnBy?.aborted !== true) return accept(state, input, { onPending, now })
  return { why: 'withdrawn', message: `The message was withdrawn before it was recorded: ${messageOf(withdrawnBy.reason)}` }
}

/** A cancel that goes with another input (`interrupt`) and finds nothing left to cancel. */
function isNeedless({ kind }: Input, { why }: Refusal): boolean {
  return kind === 'control' && (why === 'late' || why === 'twice')
}
