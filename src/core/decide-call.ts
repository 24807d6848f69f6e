import type { DriverFacts, MachineConfig } from './config.ts'
import type { EntryBody, EntryData, ModelSetup } from './entry.ts'
import { errorData } from './error.ts'
import { type Json, jsonEqual } from './json.ts'
import { ageOf, timeLeft } from './limits.ts'
import type { PlanDraft } from './plan.ts'
import { governedByOnLimit, type LimitReason } from './reason.ts'
import type { RunState, SessionState } from './state.ts'
import { fallbackText, limitCode, limitText } from './wording.ts'

export function finish(plan: PlanDraft, run: RunState, data: EntryData['run.finished']): void {
  plan.follow({ kind: 'run.finished', runId: run.id, data })
}

/** Rule 12: a limit ends the run as `onLimit` says; a wrap-up has two attempts, then a fixed text. */
export function limitMet(
  state: SessionState,
  run: RunState,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
  limit: LimitReason,
): void {
  const governed = governedByOnLimit.has(limit)
  const failing = limit === 'empty_response' && config.emptyResponse.end === 'error'
  if ((governed && config.limits.onLimit === 'error') || failing) {
    const error = errorData(limitCode(limit), `The run stopped: ${limitText(limit, config)}.`, { retryable: false })
    return finish(plan, run, { status: 'failed', reason: limit, text: run.lastText, error })
  }
  const wrapUp = governed && config.limits.onLimit === 'summarize'
  if (!wrapUp || run.wrapAttempts >= 2) return limitEnd(plan, run, limit, config)
  startCall(state, run, config, now, driver, plan, { ...nextCall(state, now, driver, 'wrap-up'), reason: limit })
}

export function limitEnd(plan: PlanDraft, run: RunState, limit: LimitReason, config: MachineConfig): void {
  const tried = run.wrapAttempts > 0
  const text = run.wrapText ?? (tried ? fallbackText(limit, config) : run.lastText)
  finish(plan, run, { status: 'incomplete', reason: limit, text })
}

interface NextCall {
  readonly n: number
  readonly attempt: number
  readonly purpose: 'main' | 'output' | 'wrap-up'
  readonly reason?: LimitReason
  /** How long it is to wait yet (ms); 0 or less: no longer. */
  readonly waitMs: number
}

/** Rules 13 and 16: the pending retry of this purpose, else a new call. */
export function nextCall({ live }: SessionState, now: number, driver: DriverFacts, purpose: NextCall['purpose']): NextCall {
  const retry = live.retry
  if (retry === undefined || retry.purpose !== purpose) return { n: live.n + 1, attempt: 1, purpose, waitMs: 0 }
  const { n, attempt, seq, retryAt, waitMs } = retry
  return { n, attempt: attempt + 1, purpose, waitMs: waitMs - ageOf(seq, retryAt - waitMs, now, driver) }
}

export function startCall(
  state: SessionState,
  run: RunState,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
  call: NextCall,
): void {
  if (call.waitMs > 0) return plan.wake(now + call.waitMs)
  if (driver.holdStarts) return
  const { n, attempt, purpose, reason } = call
  if (config.hasSetup) {
    // What was asked for another run, or for a call of another purpose, is no answer for this one.
    const key = `setup:${n}.${attempt}:${purpose}:${run.id}`
    const left = setupTime(run, config, call, key, driver)
    if (left <= 0) return setupOver(state, run, config, now, driver, plan, reason)
    plan.wake(now + left)
    plan.start({ kind: 'setup', key, n, attempt, purpose, ...(reason === undefined ? {} : { reason }) })
    return
  }
  plan.follow(startedBody(state, config.setup, reason === undefined ? { n, attempt, purpose } : { n, attempt, purpose, reason }))
}

/** How long a setup may still be waited for (ms): within the time limit. That of a wrap-up has the grace, when the time is over before. */
function setupTime(run: RunState, config: MachineConfig, { purpose, reason }: NextCall, key: string, driver: DriverFacts): number {
  const left = timeLeft(run, config, key, driver)
  if (purpose !== 'wrap-up') return left
  const grace = config.graceMs - (driver.waited?.(key) ?? 0)
  return reason === 'timeout' ? grace : Math.max(left, grace)
}

/** A setup that does not come is the limit that was met; that of a wrap-up, its end without one. */
function setupOver(
  state: SessionState,
  run: RunState,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
  limit: LimitReason | undefined,
): void {
  if (limit === undefined) return limitMet(state, run, config, now, driver, plan, 'timeout')
  finish(plan, run, { status: 'incomplete', reason: limit, text: fallbackText(limit, config) })
}

/** The `model.started` entry of a call, with what of the setup has changed since the last one. */
export function startedBody(
  { live }: SessionState,
  setup: ModelSetup,
  call: Pick<EntryData['model.started'], 'n' | 'attempt' | 'purpose' | 'reason' | 'extra' | 'estimatedTokens'>,
): EntryBody {
  const changed = changedSetup(live.setup, setup)
  const data = { ...call, contextThrough: live.seq }
  return { kind: 'model.started', data: changed === undefined ? data : { ...data, setup: changed } }
}

function changedSetup(before: ModelSetup | undefined, after: ModelSetup): ModelSetup | undefined {
  if (before === undefined) return after
  const changed: { -readonly [K in keyof ModelSetup]: ModelSetup[K] } = {}
  if (after.model !== before.model && after.model !== undefined) changed.model = after.model
  const instructions = after.instructions ?? ''
  if (instructions !== (before.instructions ?? '')) changed.instructions = instructions
  if (after.tools !== before.tools && after.tools !== undefined && !sameNames(before.tools, after.tools)) changed.tools = after.tools
  const settings = after.settings ?? {}
  if (after.settings !== before.settings && !jsonEqual(toJson(settings), toJson(before.settings ?? {}))) changed.settings = settings
  return Object.keys(changed).length === 0 ? undefined : changed
}

function sameNames(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a !== undefined && a.length === b.length && b.every((name, index) => name === a[index])
}

/** Settings are plain JSON by their type; a spread gives them the index signature that `Json` asks for. */
function toJson(settings: NonNullable<ModelSetup['settings']>): Json {
  return { ...settings }
}
