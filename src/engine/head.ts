import type { Plan } from '../core/plan.ts'
import { currentRun, type SessionState } from '../core/state.ts'
import { statusOf } from '../core/status.ts'
import type { Head } from '../core/store.ts'

/** What a list of sessions needs of this state. A head is due exactly when `decide` would append or want anything (machine 3). */
export function headOf(state: SessionState, plan: Plan): Head {
  const due = plan.append.length > 0 || plan.want.length > 0 ? 0 : plan.wakeAt
  return makeHead(state, due)
}

/** The head that goes with an input: somebody has to look. */
export function inputHead(state: SessionState): Head {
  return makeHead(state, 0)
}

function makeHead(state: SessionState, wakeAt: number | undefined): Head {
  const { live } = state
  let pending = 0
  for (const call of live.turn?.calls ?? [])
    if ((call.status === 'awaiting' && call.decision === undefined) || call.status === 'outside') pending++
  for (const call of live.background) if (call.status === 'outside') pending++
  const reason = live.run === undefined && live.waiting.length === 0 ? live.ended?.finish.reason : undefined
  const head: { -readonly [K in keyof Head]: Head[K] } = { status: statusOf(state), pending }
  if (reason !== undefined) head.reason = reason
  if (wakeAt !== undefined) head.wakeAt = wakeAt
  const agent = currentRun(live)?.agent ?? live.ended?.agent
  if (agent !== undefined) head.agent = agent
  return head
}
