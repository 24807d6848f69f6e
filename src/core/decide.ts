import type { DriverFacts, MachineConfig } from './config.ts'
import { decideBackground } from './decide-begun.ts'
import { decideStop, endWithBehind, overdue } from './decide-stop.ts'
import { decideTurn } from './decide-turn.ts'
import type { EntryBody, EntryData, ModelSetup } from './entry.ts'
import { type ErrorData, errorData } from './error.ts'
import { type Json, jsonEqual } from './json.ts'
import { activeTime, ageOf, limitReached, timeLeft } from './limits.ts'
import { type OwnParts, sameParts } from './own-parts.ts'
import { type Plan, PlanDraft } from './plan.ts'
import { governedByOnLimit, type LimitReason } from './reason.ts'
import { currentRun, type Live, type OpenModelCall, type RunState, type SessionState } from './state.ts'
import { terminationView } from './termination.ts'
import { fallbackText, hookFailure, limitCode, limitText } from './wording.ts'

/**
 * What follows from a state: the facts that need no I/O, the full set of activities that should be running now, and when to look
 * again (ms since 1970). Pure. The rules stand in the order of the machine page (section 5); the first that answers returns.
 */
export function decide(state: SessionState, config: MachineConfig, now: number, driver: DriverFacts): Plan {
  const plan = new PlanDraft()
  const { live } = state
  if (claim(state, driver, plan)) return plan
  const run = live.run
  if (run === undefined || isElsewhere(live, driver)) return plan
  if (live.model !== undefined && live.model.epoch < live.epoch) {
    plan.follow(interrupted(live.model, run, config, now))
    return plan
  }
  const overMs = overdue(state, run, config, now, driver)
  if (overMs !== undefined) {
    decideStop(state, run, config, now, overMs, plan)
    const open = live.turn !== undefined || live.model !== undefined || live.background.length > 0
    if (run.cancelledAt !== undefined && plan.append.length === 0 && !open)
      finish(plan, run, { status: 'aborted', reason: 'aborted', text: run.lastText, ...abortReason(run) })
    return plan
  }
  const { maxDurationMs } = config.limits
  if (maxDurationMs !== Number.POSITIVE_INFINITY && run.open > 0 && run.wrapAttempts === 0)
    plan.wake(now + maxDurationMs - activeTime(run, now, driver))
  if (live.background.length > 0) {
    decideBackground(state, run, config, now, driver, plan)
    if (plan.append.length > 0) return plan
  }
  if (live.turn !== undefined) decideTurn(state, run, live.turn, config, now, driver, plan)
  else if (live.model !== undefined) plan.start(modelActivity(live.model))
  else {
    decideNext(state, run, config, now, driver, plan)
    if (live.background.length > 0) beforeEnd(live, config, plan)
  }
  return plan
}

/** What goes on in the background is awaited before a run completes; a run that ends otherwise ends it too. */
function beforeEnd(live: Live, config: MachineConfig, plan: PlanDraft): void {
  plan.want = plan.want.filter(({ kind }) => kind !== 'complete')
  const [next] = plan.append
  if (next?.kind !== 'run.finished') return
  plan.append = next.data.status === 'completed' ? [] : [...endWithBehind(live, config, next)]
}

function abortReason(run: RunState): { abortReason?: string } {
  return run.cancelReason === undefined ? {} : { abortReason: run.cancelReason }
}

/** Rule 0: a cancelled waiting run ends at once; the next run, or the active one under a new epoch, is claimed. */
function claim({ live }: SessionState, driver: DriverFacts, plan: PlanDraft): boolean {
  for (const waiting of live.waiting) {
    if (waiting.cancelledAt === undefined || waiting.runId === live.run?.id) continue
    const reason = waiting.cancelReason === undefined ? {} : { abortReason: waiting.cancelReason }
    plan.follow({ kind: 'run.finished', runId: waiting.runId, data: { status: 'aborted', reason: 'aborted', text: '', ...reason } })
  }
  if (plan.append.length > 0) return true
  const next = live.run?.id ?? live.waiting[0]?.runId
  if (next === undefined || (live.run !== undefined && live.epoch >= driver.epoch)) return false
  if (isElsewhere(live, driver)) return false
  const cause = live.run !== undefined ? 'resume' : live.epoch >= driver.epoch ? 'next' : 'start'
  const data = { owner: driver.owner, cause, engine: driver.engine, ...changedParts(live, driver) } as const
  plan.follow({ kind: 'run.claimed', runId: next, data })
  return true
}

/** Whether the run can only go on where its own parts are. A cancelled one needs none. */
function isElsewhere(live: Live, driver: DriverFacts): boolean {
  return driver.partsMissing === true && (live.run ?? live.waiting[0])?.cancelledAt === undefined
}

function changedParts(live: Live, { own, partsMissing }: DriverFacts): { readonly own?: OwnParts } {
  if (partsMissing === true || sameParts(currentRun(live)?.own, own)) return {}
  return { own: own ?? { tools: [], options: [] } }
}

/** Rule 1: nobody is there any more who could finish this call. */
function interrupted(model: OpenModelCall, run: RunState, config: MachineConfig, now: number): EntryBody {
  const cancelled = run.cancelledAt !== undefined
  const again = !cancelled && (model.purpose === 'wrap-up' ? model.attempt < 2 : model.attempt <= config.retries)
  const error = errorData('ModelUnknownError', 'The process that made this model call ended before the response was complete.', {
    retryable: again,
  })
  const data = { n: model.n, attempt: model.attempt, error, cause: cancelled ? 'cancelled' : 'interrupted' } as const
  return { kind: 'model.failed', data: again ? { ...data, retryAt: now, retryInMs: 0 } : data }
}

function modelActivity(model: OpenModelCall): Plan['want'][number] {
  return { kind: 'model', key: `model:${model.n}.${model.attempt}`, model }
}

function finish(plan: PlanDraft, run: RunState, data: EntryData['run.finished']): void {
  plan.follow({ kind: 'run.finished', runId: run.id, data })
}

/** Rules 5 to 16: nothing is open; how does the run go on, or end? */
function decideNext(state: SessionState, run: RunState, config: MachineConfig, now: number, driver: DriverFacts, plan: PlanDraft): void {
  if (run.failure !== undefined && run.end !== 'fail') return fail(plan, run, 'model_error', run.failure)
  if (run.end === 'stop') return finish(plan, run, { status: 'aborted', reason: 'stop_turn', text: run.lastText })
  if (run.end === 'fail') return failedBatch(plan, run)
  if (run.wrapText !== undefined && run.limit !== undefined) return limitEnd(plan, run, run.limit, config)
  if (run.paused) return
  const fresh = state.live.queue.length > 0
  // It has nothing to say before a result is there: that is how some models wait.
  if (!fresh && run.last === 'blank' && run.limit === undefined && state.live.background.length > 0) return
  // Once a wrap-up was asked for, the limit is why the run ends, even if the wrap-up failed.
  if (run.end === 'done' && !isAsked(state.live) && run.wrapAttempts === 0) return doneEnd(plan, run)
  const limit = run.limit ?? stopReason(state, run, config, now, driver, fresh)
  if (isFailure(limit)) return fail(plan, run, 'hook_failure', limit.hookFailure)
  if (limit === 'complete') return completeRun(state, run, config, driver, plan)
  if (limit !== undefined) return limitMet(state, run, config, now, driver, plan, limit)
  startCall(state, run, config, now, driver, plan, nextCall(state, now, driver, 'main'))
}

/** Whether a message waits that wants an answer, also after a done tool: not what came of a call in the background. */
function isAsked({ queue }: Live): boolean {
  return queue.some(({ callId }) => callId === undefined)
}

function fail(plan: PlanDraft, run: RunState, reason: 'model_error' | 'tool_failure' | 'hook_failure', error: ErrorData): void {
  finish(plan, run, { status: 'failed', reason, text: run.lastText, error })
}

function failedBatch(plan: PlanDraft, run: RunState): void {
  const error = run.failure ?? errorData('ToolExecutionError', 'A tool failed.')
  fail(plan, run, error.code === 'HookFailed' ? 'hook_failure' : 'tool_failure', error)
}

function doneEnd(plan: PlanDraft, run: RunState): void {
  const output = run.doneOutput
  if (output === undefined) return finish(plan, run, { status: 'completed', reason: 'completed', text: run.lastText })
  const text = typeof output === 'string' ? output : run.lastText
  finish(plan, run, { status: 'completed', reason: 'done_tool', text, output })
}

interface HookFailure {
  readonly hookFailure: ErrorData
}

type Verdict = LimitReason | 'complete' | HookFailure | undefined

function isFailure(verdict: Verdict): verdict is HookFailure {
  return typeof verdict === 'object'
}

/** Rules 11 and 12: whether another call is needed, and whether a limit or a policy forbids it. `undefined` = call the model. */
function stopReason(state: SessionState, run: RunState, config: MachineConfig, now: number, driver: DriverFacts, fresh: boolean): Verdict {
  if (!fresh) {
    const end = responseEnd(run, config)
    if (end !== undefined) return end
  }
  return limitReached(run, config, now, driver) ?? policyReason(state, run, config)
}

/** What the last response says by its content: the end it means, or `undefined` to ask again. */
function responseEnd(run: RunState, config: MachineConfig): Verdict {
  switch (run.last) {
    case 'none':
    case 'calls':
      return undefined
    case 'cut-calls':
      return config.onTruncated !== 'error' && run.cuts <= config.maxCuts ? undefined : 'max_tokens'
    case 'cut-text':
      return config.onTruncated === 'continue' && run.cuts <= config.maxCuts ? undefined : 'max_tokens'
    case 'blank':
      return run.blanks <= config.emptyResponse.retries ? undefined : 'empty_response'
    case 'pause-turn':
      return run.continuations <= config.maxContinuations ? undefined : 'unexpected_stop_reason'
    case 'blocked':
      return 'content_blocked'
    case 'odd':
      return 'unexpected_stop_reason'
    case 'text':
      return run.lastFinish === 'tool-calls' && config.toolUseWithoutCalls === 'error' ? 'unexpected_stop_reason' : 'complete'
  }
}

function policyReason(state: SessionState, run: RunState, config: MachineConfig): LimitReason | HookFailure | undefined {
  let asked = 'policies.termination'
  if (run.last !== 'calls') return undefined
  try {
    const decision = config.termination(terminationView(state, run, 'settled'))
    if (decision?.kind === 'terminateImmediately') return decision.reason
    asked = 'stopWhen'
    const stop = config.stopWhen?.(state)
    if (stop === undefined || stop === false) return undefined
    return stop === true ? 'stopped' : stop.reason
  } catch (cause) {
    return { hookFailure: hookFailure(asked, cause) }
  }
}

function completeRun(state: SessionState, run: RunState, config: MachineConfig, driver: DriverFacts, plan: PlanDraft): void {
  if (!config.hasComplete) return finish(plan, run, { status: 'completed', reason: 'completed', text: run.lastText })
  if (!driver.holdStarts) plan.start({ kind: 'complete', key: `complete:${state.live.n}` })
}

/** Rule 12: a limit ends the run as `onLimit` says; a wrap-up has two attempts, then a fixed text. */
function limitMet(
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

function limitEnd(plan: PlanDraft, run: RunState, limit: LimitReason, config: MachineConfig): void {
  const tried = run.wrapAttempts > 0
  const text = run.wrapText ?? (tried ? fallbackText(limit, config) : run.lastText)
  finish(plan, run, { status: 'incomplete', reason: limit, text })
}

interface NextCall {
  readonly n: number
  readonly attempt: number
  readonly purpose: 'main' | 'wrap-up'
  readonly reason?: LimitReason
  /** How long it is to wait yet (ms); 0 or less: no longer. */
  readonly waitMs: number
}

/** Rules 13 and 16: the pending retry of this purpose, else a new call. */
function nextCall({ live }: SessionState, now: number, driver: DriverFacts, purpose: NextCall['purpose']): NextCall {
  const retry = live.retry
  if (retry === undefined || retry.purpose !== purpose) return { n: live.n + 1, attempt: 1, purpose, waitMs: 0 }
  const { n, attempt, seq, retryAt, waitMs } = retry
  return { n, attempt: attempt + 1, purpose, waitMs: waitMs - ageOf(seq, retryAt - waitMs, now, driver) }
}

function startCall(
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
  if (purpose === 'main') return left
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
