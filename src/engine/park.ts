import type { CallState } from '../core/call-state.ts'
import { decide } from '../core/decide.ts'
import type { Plan } from '../core/plan.ts'
import type { ParkReason } from '../core/reason.ts'
import type { SessionState } from '../core/state.ts'
import { type Activation, type ActivationEnd, driverFacts, engineVersion } from './activation.ts'
import type { Staged } from './stage.ts'

export type Next = ActivationEnd | { readonly kind: 'wait'; readonly ms: number }

/** A retry that is due sooner than this is waited for, even by a run that parks at once for humans (ms). */
const retryPatienceMs = 60_000

/** Step 6: wait for mail, or end the activation. What was aborted counts as running until its grace is over. */
export function parkOrWait(a: Activation, { plan, wall, monotonic }: Staged): Next {
  const { live } = a.state
  if (live.waiting.length === 0) return { kind: 'idle' }
  if (plan.want.length > 0 && plan.wakeAt === undefined && !isAborting(a)) {
    a.idleSince = undefined
    return waitForMail
  }
  const now = a.world.clock.monotonic()
  // By what the plan was made with: the wall clock may have jumped since.
  const due = plan.wakeAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, plan.wakeAt - wall - (now - monotonic))
  const grace = graceLeft(a, now)
  if (plan.want.length > 0 || grace !== undefined) {
    a.idleSince = undefined
    return { kind: 'wait', ms: Math.min(due, grace ?? Number.POSITIVE_INFINITY) }
  }
  a.idleSince ??= now
  return idle(a, due, now - a.idleSince)
}

const waitForMail: Next = { kind: 'wait', ms: Number.POSITIVE_INFINITY }

function isAborting({ running }: Activation): boolean {
  for (const { graceEnd } of running.values()) if (graceEnd !== Number.POSITIVE_INFINITY) return true
  return false
}

/** How long something that was aborted may still take; `undefined` when nothing is left to wait for. Forgets what took too long. */
function graceLeft(a: Activation, now: number): number | undefined {
  let left: number | undefined
  for (const running of a.running.values()) {
    if (running.graceEnd <= now) a.running.delete(running.key)
    else left = Math.min(left ?? Number.POSITIVE_INFINITY, running.graceEnd - now)
  }
  return left
}

/** Nothing runs. Park, unless what we wait for may come while we can wait. */
function idle(a: Activation, due: number, waited: number): Next {
  const ports = a.portsOf(a.state)
  const reason = parkReason(a, a.state)
  const wakeAt = due === Number.POSITIVE_INFINITY ? undefined : a.world.clock.wall() + due
  const park: ActivationEnd = { kind: 'parked', park: { reason, wakeAt } }
  // A cancel that came between the record of a start and the start: the end of its grace is soon, whatever else we would park for.
  if (wakeAt !== undefined && isStopping(a.state)) return { kind: 'wait', ms: due }
  if (reason === 'time_slice') return park
  const patience = reason === 'retry_later' ? Math.max(ports.parkAfterMs, retryPatienceMs) : ports.parkAfterMs
  if (reason === 'retry_later' ? due > patience : waited >= patience) return park
  // In tests that always suspend, a wait in process is a moment like any other to be torn down in.
  if (a.world.suspendAlways === true && a.progressed) return { kind: 'parked', park: { reason: 'time_slice', wakeAt } }
  return { kind: 'wait', ms: reason === 'retry_later' ? due : Math.min(due, patience - waited) }
}

/** Whether something is on record as running here that `decide` no longer wants: it is only waited for. */
function isStopping({ live }: SessionState): boolean {
  if (live.model !== undefined && live.model.epoch === live.epoch) return true
  const ours = (call: CallState) => call.status === 'running' && call.epoch === live.epoch
  return live.background.some(ours) || (live.turn?.calls.some(ours) ?? false)
}

function parkReason(a: Activation, state: SessionState): ParkReason {
  if (isHeld(a, state)) return 'time_slice'
  const { run, turn, waiting, background, retry } = state.live
  const paused = (run ?? waiting[0])?.paused === true
  // Whatever is outside, the model is asked again soon.
  if (retry !== undefined && !paused) return 'retry_later'
  let outside = false
  let suspended = true
  for (const call of [...background, ...(turn?.calls ?? [])]) {
    if (call.status === 'awaiting' && call.decision === undefined) return 'awaiting_approval'
    if (call.status !== 'outside') continue
    outside = true
    suspended &&= call.correlationId !== undefined
  }
  if (outside) return suspended ? 'suspended' : 'awaiting_tool_results'
  return paused ? 'paused' : 'retry_later'
}

/** Whether something would begin if the time slice were not over. */
function isHeld(a: Activation, state: SessionState): boolean {
  if (!driverFacts(a, a.portsOf(state), state).holdStarts) return false
  const free = planAtRest(a, state)
  return free.append.length > 0 || free.want.length > 0
}

/**
 * What would follow if somebody went on from here: neither the end of this activation's time slice nor a claim that stands for nothing else
 * counts. A head is due by this plan; else a parked session would be looked at again and again, or one whose slice is over never.
 */
export function planAtRest(a: Activation, state: SessionState): Plan {
  const { config } = a.portsOf(state)
  const { run, epoch } = state.live
  const driver = {
    epoch: a.epoch,
    owner: a.owner,
    engine: engineVersion,
    holdStarts: false,
    age: a.ages.of,
    waited: a.waited,
    workedBefore: a.workedBefore,
  }
  return decide(run !== undefined && epoch < a.epoch ? claimedBy(a, state) : state, config, a.world.clock.wall(), driver)
}

/** As if the claim had been written: what ran under an older epoch is an orphan for whoever goes on, and only that says whether anything follows. */
function claimedBy({ epoch }: Activation, { sealed, runs, live }: SessionState): SessionState {
  return { sealed, runs, live: { ...live, epoch } }
}
