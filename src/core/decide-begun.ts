import { isExpired } from './accept.ts'
import { placeholder, settledBody } from './background.ts'
import type { CallState } from './call-state.ts'
import { type DriverFacts, type MachineConfig, maxAttempts } from './config.ts'
import type { EntryData } from './entry.ts'
import { ageOf, timeLeft } from './limits.ts'
import { type PlanDraft, reconcileKey } from './plan.ts'
import type { RunState, SessionState } from './state.ts'
import { failedSettlement, outcomeText } from './wording.ts'

/** How long a tool without a time limit may take to find out what became of a call (ms). */
const defaultReconcileMs = 60_000

/** Calls that are looked at together: those of the open turn, or those in the background. */
export interface Batch {
  readonly state: SessionState
  readonly run: RunState
  readonly config: MachineConfig
  readonly now: number
  readonly driver: DriverFacts
  readonly plan: PlanDraft
  /** The seq of the newest queued user message that counts against waiting calls. */
  readonly newestMessage: number
  /** Paused, or the time slice is over: nothing begins, not even again. */
  readonly held: boolean
}

/** The calls that the model does not wait for. What a user says is no answer to them. */
export function decideBackground(
  state: SessionState,
  run: RunState,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
): void {
  const batch = { state, run, config, now, driver, plan, newestMessage: 0, held: run.paused || driver.holdStarts }
  for (const call of state.live.background) {
    if (call.status === 'running') decideRunning(batch, call)
    else decideOutside(batch, call)
  }
}

export function decideRunning(batch: Batch, call: CallState): void {
  if (call.epoch < batch.state.live.epoch) decideOrphan(batch, call)
  else decideOurs(batch, call)
}

/** Of a call of the open turn: whether its message need not wait for it any more. What a crash has lost is waited for. */
export function goesOnBehind({ config, state }: Pick<Batch, 'config' | 'state'>, call: CallState): boolean {
  if (call.background === true || config.tools.get(call.part.toolName)?.background !== true) return false
  return call.status === 'running' ? call.epoch === state.live.epoch : call.status === 'outside' && call.why !== 'unresolved'
}

function leaveBehind(batch: Batch, call: CallState): void {
  const { callId } = call.part
  batch.plan.follow({ kind: 'call.settled', data: { callId, settlement: placeholder(callId), by: 'machine', background: true } })
}

export function settle(batch: Batch, call: CallState, ...[outcome, code, text, more]: SettleArguments): void {
  const settlement = failedSettlement(batch.config, call, outcome, code, text)
  const failed = outcome === 'error' || outcome === 'timeout' || outcome === 'unknown'
  const end = failed && batch.config.toolFailureMode === 'fail' ? ({ end: 'fail' } as const) : {}
  batch.plan.follow(settledBody(call, { callId: call.part.callId, settlement, by: 'machine', ...end, ...more }))
}

type Failed = Parameters<typeof failedSettlement>
type SettleArguments = readonly [
  outcome: Failed[2],
  code: Failed[3],
  text: string,
  more?: Partial<Pick<EntryData['call.settled'], 'end' | 'limit'>>,
]

function settleUnknown(batch: Batch, call: CallState): void {
  settle(batch, call, 'unknown', 'ToolOutcomeUnknown', outcomeText.unknownEffect)
}

/** A user has said something else instead of waiting for the result. */
function settleUnanswered(batch: Batch, call: CallState): void {
  if (!call.everStarted) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText.userMessage)
  else if (call.effect === 'unsafe') settleUnknown(batch, call)
  else settle(batch, call, 'cancelled', 'ToolCancelled', outcomeText.notAwaited)
}

export function decideOutside(batch: Batch, call: CallState): void {
  if (goesOnBehind(batch, call)) return leaveBehind(batch, call)
  // What did begin has its word first: only what is said after it went outside counts, and nobody can call it skipped.
  if (batch.newestMessage > (call.everStarted ? call.outsideSeq : call.preparedSeq)) return settleUnanswered(batch, call)
  if (call.why === 'unresolved') return
  if (isExpired(call, batch.now)) settle(batch, call, 'timeout', 'ToolTimeout', outcomeText.noResult)
  else if (call.expiresAt !== undefined) batch.plan.wake(call.expiresAt)
}

/** The next start of a call, the first one too. It names the approval that it rests on, also when it is begun again. */
export function startOf({ part, attempt, decision }: CallState): EntryData['call.started'] {
  const start = { callId: part.callId, attempt: attempt + 1 }
  return decision === undefined ? start : { ...start, approval: decision.id }
}

/** The effect class is read from the entry, not from today's tool. A restart or a reconcile is a start: never while paused. */
function decideOrphan(batch: Batch, call: CallState): void {
  if (call.effect === 'unsafe') {
    if (canBeAsked(batch, call)) {
      if (mayGoOn(batch, reconcileKey(call))) ask(batch, call)
    } else if (batch.config.lostOutcome === 'ask')
      batch.plan.follow({ kind: 'call.deferred', data: { callId: call.part.callId, attempt: call.attempt, why: 'unresolved' } })
    else settleUnknown(batch, call)
  } else if (call.attempt >= maxAttempts) settle(batch, call, 'error', 'ToolExecutionError', outcomeText.attempts)
  else if (!batch.held) batch.plan.follow({ kind: 'call.started', data: startOf(call) })
}

/** Whether an activity may be wanted: where nothing begins, what runs is awaited all the same. */
export function mayGoOn({ held, driver }: Pick<Batch, 'held' | 'driver'>, key: string): boolean {
  return !held || isBegun(driver, key)
}

export function isBegun(driver: DriverFacts, key: string): boolean {
  return driver.isRunning?.(key) === true
}

/** For how long the tool may still be asked what became of this call, or of those that guard it (ms); 0 or less: it can't say, or has had its time. */
function askingTime({ config, driver, run }: Batch, call: CallState): number {
  const facts = config.tools.get(call.part.toolName)
  if (facts?.canReconcile !== true) return 0
  const key = reconcileKey(call)
  const own = (facts.timeoutMs ?? defaultReconcileMs) - (driver.waited?.(key) ?? 0)
  return Math.min(own, timeLeft(run, config, key, driver))
}

export function canBeAsked(batch: Batch, call: CallState): boolean {
  return askingTime(batch, call) > 0
}

export function ask(batch: Batch, call: CallState): void {
  batch.plan.wake(batch.now + askingTime(batch, call))
  batch.plan.start({ kind: 'reconcile', key: reconcileKey(call), call })
}

function decideOurs(batch: Batch, call: CallState): void {
  if (goesOnBehind(batch, call)) return leaveBehind(batch, call)
  const timeoutMs = batch.config.tools.get(call.part.toolName)?.timeoutMs
  const left =
    timeoutMs === undefined ? Number.POSITIVE_INFINITY : timeoutMs - ageOf(call.startedSeq, call.startedAt, batch.now, batch.driver)
  if (left <= 0) {
    const unsafe = call.effect === 'unsafe'
    return settle(
      batch,
      call,
      'timeout',
      'ToolTimeout',
      unsafe ? outcomeText.timeoutUnsafe : `${outcomeText.stillRunning.slice(0, -1)} of ${timeoutMs} ms.`,
    )
  }
  batch.plan.wake(batch.now + left)
  batch.plan.start({ kind: 'tool', key: `tool:${call.part.callId}.${call.attempt}`, call })
}
