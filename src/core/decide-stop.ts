import { settledBody } from './background.ts'
import type { CallState } from './call-state.ts'
import type { DriverFacts, MachineConfig } from './config.ts'
import type { EntryBody, SettlementData } from './entry.ts'
import { errorData } from './error.ts'
import { activeTime, ageOf, timeLeft } from './limits.ts'
import { type PlanDraft, prepareKey } from './plan.ts'
import type { Live, OpenModelCall, RunState, SessionState } from './state.ts'
import { deniedText, failedSettlement, outcomeText } from './wording.ts'

/**
 * Rule 2: for how long everything should have stopped (ms), because the run was cancelled or its time is over (a wrap-up may still
 * be had then); `undefined` when it need not.
 */
export function overdue(
  { live }: SessionState,
  run: RunState,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
): number | undefined {
  if (run.cancelledAt !== undefined) return ageOf(run.cancelSeq ?? 0, run.cancelledAt, now, driver)
  const { maxDurationMs } = config.limits
  const busy = live.turn !== undefined || live.model !== undefined || live.background.length > 0
  if (!busy || run.wrapAttempts > 0 || maxDurationMs === Number.POSITIVE_INFINITY) return undefined
  const working = activeTime(run, now, driver) - maxDurationMs
  const over =
    live.turn === undefined
      ? working
      : Math.max(working, -timeLeft(run, config, prepareKey(live.turn, config.approvalTiming === 'perCall'), driver))
  return over >= 0 ? over : undefined
}

/** Nothing new begins; what has not started settles now, what runs is aborted and settles by the end of its grace. */
export function decideStop(state: SessionState, run: RunState, config: MachineConfig, now: number, overMs: number, plan: PlanDraft): void {
  const { turn, model, background } = state.live
  for (const call of turn?.calls ?? []) if (call.status !== 'settled') stopCall(state, run, call, config, now, overMs, plan)
  for (const call of background) stopCall(state, run, call, config, now, overMs, plan)
  if (model !== undefined) stopModel(run, model, config, now, overMs, plan)
}

function stopCall(
  state: SessionState,
  run: RunState,
  call: CallState,
  config: MachineConfig,
  now: number,
  overMs: number,
  plan: PlanDraft,
): void {
  const running = call.status === 'running' && call.epoch === state.live.epoch
  const graceMs = config.tools.get(call.part.toolName)?.graceMs ?? config.graceMs
  if (running && overMs < graceMs) return plan.wake(now + graceMs - overMs)
  const limit = run.cancelledAt === undefined ? ({ limit: 'timeout' } as const) : {}
  const denied = call.decision !== undefined && call.decision.kind !== 'allow' && call.status === 'awaiting'
  const settlement = denied
    ? failedSettlement(config, call, 'denied', 'ToolDenied', deniedText(call.decision?.reason))
    : stoppedSettlement(call, config, stoppedText(run, call))
  const end = denied && call.decision?.kind === 'stop' ? ({ end: 'stop' } as const) : {}
  plan.follow(settledBody(call, { callId: call.part.callId, settlement, by: 'machine', ...end, ...limit }))
}

/** Of a call whose effect may have happened nobody says that it was cancelled. */
function stoppedSettlement(call: CallState, config: MachineConfig, text: string): SettlementData {
  return call.everStarted && call.effect === 'unsafe' && (call.status === 'running' || call.why === 'unresolved')
    ? failedSettlement(config, call, 'unknown', 'ToolOutcomeUnknown', outcomeText.unknownEffect)
    : failedSettlement(config, call, 'cancelled', 'ToolCancelled', text)
}

/** A run that does not wait for what goes on in the background ends it: what is written then, in one append. */
export function endWithBehind({ background }: Live, config: MachineConfig, end: EntryBody): readonly EntryBody[] {
  const stopped = background.map((call) => {
    const settlement = stoppedSettlement(call, config, outcomeText.runEnded)
    return settledBody(call, { callId: call.part.callId, settlement, by: 'machine' })
  })
  return [...stopped, end]
}

function stoppedText(run: RunState, call: CallState): string {
  if (run.cancelledAt === undefined) return outcomeText.timeLimit
  return call.everStarted ? outcomeText.cancelled : outcomeText.notStarted
}

function stopModel(run: RunState, model: OpenModelCall, config: MachineConfig, now: number, overMs: number, plan: PlanDraft): void {
  if (overMs < config.graceMs) return plan.wake(now + config.graceMs - overMs)
  const cancelled = run.cancelledAt !== undefined
  const error = cancelled
    ? errorData('RunAborted', 'The run was cancelled during this model call.')
    : errorData('RunTimeout', 'The time limit of the run was reached during this model call.')
  plan.follow({ kind: 'model.failed', data: { n: model.n, attempt: model.attempt, error, cause: cancelled ? 'cancelled' : 'limit' } })
}
