import type { DriverFacts, MachineConfig } from './config.ts'
import { decideBackground } from './decide-begun.ts'
import { finish, limitEnd, limitMet, nextCall, startCall } from './decide-call.ts'
import { answerPurpose, askForOutput, isOutput, startComplete } from './decide-output.ts'
import { decideStop, endWithBehind, overdue } from './decide-stop.ts'
import { decideTurn } from './decide-turn.ts'
import type { EntryBody } from './entry.ts'
import { type ErrorData, errorData } from './error.ts'
import { activeTime, limitReached } from './limits.ts'
import { type OwnParts, sameParts } from './own-parts.ts'
import { type Plan, PlanDraft } from './plan.ts'
import type { LimitReason } from './reason.ts'
import { currentRun, type Live, type OpenModelCall, type RunState, type SessionState } from './state.ts'
import { terminationView } from './termination.ts'
import { hookFailure } from './wording.ts'

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
  // A wrap-up ends the run whatever goes on.
  if (live.run?.wrapText === undefined) plan.want = plan.want.filter(({ kind }) => kind !== 'complete')
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

/** Rules 5 to 16: nothing is open; how does the run go on, or end? */
function decideNext(state: SessionState, run: RunState, config: MachineConfig, now: number, driver: DriverFacts, plan: PlanDraft): void {
  if (run.failure !== undefined && run.end !== 'fail') return fail(plan, run, 'model_error', run.failure)
  if (run.end === 'stop') return finish(plan, run, { status: 'aborted', reason: 'stop_turn', text: run.lastText })
  if (run.end === 'fail') return failedBatch(plan, run)
  if (run.wrapText !== undefined && run.limit !== undefined)
    return config.output === undefined ? limitEnd(plan, run, run.limit, config) : startComplete(state, run, config, now, driver, plan)
  if (run.paused) return
  const fresh = state.live.queue.length > 0
  // It has nothing to say before a result is there: that is how some models wait.
  if (!fresh && run.last === 'blank' && run.limit === undefined && state.live.background.length > 0) return
  // Once a wrap-up was asked for, the limit is why the run ends, even if the wrap-up failed.
  if (run.end === 'done' && !isAsked(state.live) && run.wrapAttempts === 0) return doneEnd(state, run, config, now, driver, plan)
  const limit = run.limit ?? stopReason(state, run, config, now, driver, fresh)
  if (isFailure(limit)) return fail(plan, run, 'hook_failure', limit.hookFailure)
  if (limit === 'complete') return completeRun(state, run, config, now, driver, plan)
  if (limit !== undefined) return limitMet(state, run, config, now, driver, plan, limit)
  startCall(state, run, config, now, driver, plan, nextCall(state, now, driver, answerPurpose(run, config)))
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

function doneEnd(state: SessionState, run: RunState, config: MachineConfig, now: number, driver: DriverFacts, plan: PlanDraft): void {
  const output = run.doneOutput
  if (config.output !== undefined) {
    const isThere = output !== undefined || isOutput(run, config)
    return isThere ? startComplete(state, run, config, now, driver, plan) : askForOutput(state, run, config, now, driver, plan)
  }
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
  // Once its output was asked for, no policy looks at what came before.
  return limitReached(run, config, now, driver) ?? (run.outputRequests > 0 ? undefined : policyReason(state, run, config))
}

/** What the last response says by its content: the end it means, or `undefined` to ask again. */
function responseEnd(run: RunState, config: MachineConfig): Verdict {
  // What was to be the output and is none is answered with what is wrong about it.
  const isAnswer = config.output !== undefined && run.lastPurpose === 'output'
  switch (run.last) {
    case 'none':
      return undefined
    case 'calls':
      return isAnswer ? 'complete' : undefined
    case 'cut-calls':
      if (isAnswer) return 'complete'
      return config.onTruncated !== 'error' && run.cuts <= config.maxCuts ? undefined : 'max_tokens'
    case 'cut-text':
      if (isAnswer && config.onTruncated === 'continue') return 'complete'
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

function completeRun(state: SessionState, run: RunState, config: MachineConfig, now: number, driver: DriverFacts, plan: PlanDraft): void {
  if (!config.hasComplete) return finish(plan, run, { status: 'completed', reason: 'completed', text: run.lastText })
  if (isOutput(run, config)) startComplete(state, run, config, now, driver, plan)
  else askForOutput(state, run, config, now, driver, plan)
}
