import { isExpired } from './accept.ts'
import { callsOf } from './apply-call.ts'
import { type DriverFacts, type MachineConfig, maxAttempts } from './config.ts'
import type { EntryData } from './entry.ts'
import type { ErrorCode } from './error.ts'
import { guardsOf } from './guard.ts'
import { ageOf, timeLeft } from './limits.ts'
import { firstAnnounced, type PlanDraft, prepareKey, reconcileKey } from './plan.ts'
import type { LimitReason } from './reason.ts'
import type { CallState, OpenTurn, RunState, SessionState } from './state.ts'
import { terminationView } from './termination.ts'
import { deniedText, failedSettlement, hookFailure, limitText, outcomeText } from './wording.ts'

/** How long a tool without a time limit may take to find out what became of a call (ms). */
const defaultReconcileMs = 60_000

/** What decides over a batch while its calls are looked at in index order. */
interface Batch {
  readonly state: SessionState
  readonly run: RunState
  readonly turn: OpenTurn
  readonly config: MachineConfig
  readonly now: number
  readonly driver: DriverFacts
  readonly plan: PlanDraft
  /** The seq of the newest queued user message that counts against waiting calls. */
  readonly newestMessage: number
  running: number
  exclusive: boolean
  /** A verdict is missing: no call starts before all verdicts are there. */
  undecided: boolean
  /** Calls that may still start in this run, and what has started in this very plan. */
  room: number
  startedNow: Map<string, number> | undefined
  /** Paused, or the time slice is over: nothing begins, not even again. */
  readonly held: boolean
  /** A ready call waits for a slot: those behind it wait too, so that calls start in their order. */
  full: boolean
}

/** Rule 3: the calls of the open turn, in index order. */
export function decideTurn(
  state: SessionState,
  run: RunState,
  turn: OpenTurn,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
): void {
  if (endByPolicy(state, run, turn, config, plan)) return
  const batch = openBatch(state, run, turn, config, now, driver, plan)
  for (const call of turn.calls) decideCall(batch, call)
  const announced = firstAnnounced(turn.calls)
  if (announced < 0 || plan.append.length > 0 || run.paused || driver.holdStarts) return
  const perCall = config.approvalTiming === 'perCall'
  if (perCall && turn.calls.slice(0, announced).some(({ status }) => status !== 'settled')) return
  const key = prepareKey(turn, perCall)
  plan.wake(now + timeLeft(run, config, key, driver))
  plan.start({ kind: 'prepare', key, through: perCall ? announced : turn.calls.length - 1 })
}

function openBatch(
  state: SessionState,
  run: RunState,
  turn: OpenTurn,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
): Batch {
  let running = 0
  let exclusive = false
  let awaiting = false
  let undecided = false
  for (const call of turn.calls) {
    if (call.status === 'announced') undecided = true
    else if (call.status === 'awaiting' && call.decision === undefined) awaiting = true
    else if (call.status === 'running') {
      running++
      exclusive ||= config.tools.get(call.part.toolName)?.exclusive ?? false
    }
  }
  return {
    state,
    run,
    turn,
    config,
    now,
    driver,
    plan,
    running,
    exclusive,
    undecided: (undecided && config.approvalTiming !== 'perCall') || (config.approvalTiming === 'answers' && awaiting),
    newestMessage: config.onPending === 'answer' ? newestUserMessage(state) : 0,
    room: config.limits.maxToolCalls - run.toolCalls,
    startedNow: undefined,
    held: run.paused || driver.holdStarts,
    full: false,
  }
}

function newestUserMessage({ live }: SessionState): number {
  let newest = 0
  for (const turn of live.queue) if (turn.hidden !== true && turn.seq > newest) newest = turn.seq
  return newest
}

/** A policy may end the run before any call of a response runs. Asked while all are announced. */
function endByPolicy(state: SessionState, run: RunState, turn: OpenTurn, config: MachineConfig, plan: PlanDraft): boolean {
  if (turn.dead !== undefined || !turn.calls.every(isUntouched)) return false
  const decision = policyDecision(state, run, config)
  if (decision === undefined) return false
  for (const call of turn.calls) {
    if (call.status !== 'announced') continue
    const settlement = failedSettlement(config, call, 'skipped', decision.code, `Not run: ${decision.text}.`)
    plan.follow({ kind: 'call.settled', data: { callId: call.part.callId, settlement, by: 'machine', ...decision.end } })
  }
  return true
}

/** Announced and nothing more, or run by the provider itself: that is settled from the start, by no entry of ours. */
function isUntouched(call: CallState): boolean {
  return call.status === 'announced' ? call.edited === undefined : call.status === 'settled' && call.settlement === undefined
}

interface PolicyEnd {
  readonly code: ErrorCode
  readonly text: string
  readonly end: { readonly limit: LimitReason } | { readonly end: 'done' | 'fail' }
}

function policyDecision(state: SessionState, run: RunState, config: MachineConfig): PolicyEnd | undefined {
  try {
    const decision = config.termination(terminationView(state, run, 'response'))
    if (decision?.kind === 'terminateImmediately')
      return { code: 'ToolSkipped', text: limitText(decision.reason, config), end: { limit: decision.reason } }
    if (decision?.kind === 'terminateWithOutput')
      return { code: 'ToolSkipped', text: 'the answer was complete without it', end: { end: 'done' } }
    return undefined
  } catch (cause) {
    const { code, message } = hookFailure('policies.termination', cause)
    return { code, text: message, end: { end: 'fail' } }
  }
}

function decideCall(batch: Batch, call: CallState): void {
  switch (call.status) {
    case 'announced':
      return decideAnnounced(batch, call)
    case 'awaiting':
      return decideAwaiting(batch, call)
    case 'outside':
      return decideOutside(batch, call)
    case 'running':
      return call.epoch < batch.state.live.epoch ? decideOrphan(batch, call) : decideRunning(batch, call)
    case 'ready':
      return decideReady(batch, call)
    case 'settled':
      return
  }
}

function settle(batch: Batch, call: CallState, ...[outcome, code, text, more]: SettleArguments): void {
  const settlement = failedSettlement(batch.config, call, outcome, code, text)
  const failed = outcome === 'error' || outcome === 'timeout' || outcome === 'unknown'
  const end = failed && batch.config.toolFailureMode === 'fail' ? ({ end: 'fail' } as const) : {}
  batch.plan.follow({ kind: 'call.settled', data: { callId: call.part.callId, settlement, by: 'machine', ...end, ...more } })
}

type Failed = Parameters<typeof failedSettlement>
type SettleArguments = readonly [
  outcome: Failed[2],
  code: Failed[3],
  text: string,
  more?: Partial<Pick<EntryData['call.settled'], 'end' | 'limit'>>,
]

function isAfterEnd({ turn, config }: Batch, call: CallState): boolean {
  return call.index > turn.endIndex && (config.doneDrain === 'skip' || turn.endKind !== 'done')
}

function decideAnnounced(batch: Batch, call: CallState): void {
  const { dead } = batch.turn
  if (dead === 'truncated') settle(batch, call, 'truncated', 'ToolTruncated', outcomeText.truncated)
  else if (dead !== undefined) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText[dead])
  else if (isAfterEnd(batch, call)) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText.afterEnd)
}

function decideAwaiting(batch: Batch, call: CallState): void {
  const { decision } = call
  if (decision !== undefined)
    settle(batch, call, 'denied', 'ToolDenied', deniedText(decision.reason), decision.kind === 'stop' ? { end: 'stop' } : {})
  else if (isAfterEnd(batch, call)) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText.afterEnd)
  else if (batch.newestMessage > call.preparedSeq) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText.userMessage)
  else if (isExpired(call, batch.now)) settle(batch, call, 'denied', 'ToolDenied', outcomeText.expired)
  else if (call.expiresAt !== undefined) batch.plan.wake(call.expiresAt)
}

function settleUnknown(batch: Batch, call: CallState): void {
  settle(batch, call, 'unknown', 'ToolOutcomeUnknown', outcomeText.unknownEffect)
}

function decideOutside(batch: Batch, call: CallState): void {
  // It did begin: whatever is said instead of an answer, it can't be called skipped.
  if (call.unresolved === true) {
    if (batch.newestMessage > call.outsideSeq) settleUnknown(batch, call)
  } else if (batch.newestMessage > call.preparedSeq) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText.userMessage)
  else if (isExpired(call, batch.now)) settle(batch, call, 'timeout', 'ToolTimeout', outcomeText.noResult)
  else if (call.expiresAt !== undefined) batch.plan.wake(call.expiresAt)
}

/** The effect class is read from the entry, not from today's tool. A restart or a reconcile is a start: never while paused. */
function decideOrphan(batch: Batch, call: CallState): void {
  if (call.effect === 'unsafe') {
    if (canBeAsked(batch, call)) {
      if (!batch.held) ask(batch, call)
    } else if (batch.config.lostOutcome === 'ask')
      batch.plan.follow({ kind: 'call.deferred', data: { callId: call.part.callId, attempt: call.attempt, why: 'unresolved' } })
    else settleUnknown(batch, call)
  } else if (call.attempt >= maxAttempts) settle(batch, call, 'error', 'ToolExecutionError', outcomeText.attempts)
  else if (!batch.held) batch.plan.follow({ kind: 'call.started', data: { callId: call.part.callId, attempt: call.attempt + 1 } })
}

/** For how long the tool may still be asked what became of this call, or of those that guard it (ms); 0 or less: it can't say, or has had its time. */
function askingTime({ config, driver, run }: Batch, call: CallState): number {
  const facts = config.tools.get(call.part.toolName)
  if (facts?.canReconcile !== true) return 0
  const key = reconcileKey(call)
  const own = (facts.timeoutMs ?? defaultReconcileMs) - (driver.waited?.(key) ?? 0)
  return Math.min(own, timeLeft(run, config, key, driver))
}

function canBeAsked(batch: Batch, call: CallState): boolean {
  return askingTime(batch, call) > 0
}

function ask(batch: Batch, call: CallState): void {
  batch.plan.wake(batch.now + askingTime(batch, call))
  batch.plan.start({ kind: 'reconcile', key: reconcileKey(call), call })
}

function decideRunning(batch: Batch, call: CallState): void {
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

function decideReady(batch: Batch, call: CallState): void {
  if (isAfterEnd(batch, call)) return settle(batch, call, 'skipped', 'ToolSkipped', outcomeText.afterEnd)
  if (batch.undecided || batch.held || batch.full) return
  const { callId, toolName } = call.part
  const manual = batch.config.toolExecution === 'manual'
  if (call.external === true || manual) {
    const why = batch.config.tools.get(toolName)?.asksUser === true ? 'ask-user' : call.external === true ? 'client' : 'manual'
    batch.plan.follow({ kind: 'call.deferred', data: { callId, why } })
    return
  }
  if (overLimit(batch, call)) return
  const guarded = isGuarded(batch, call)
  if (guarded && !canBeAsked(batch, call)) return settle(batch, call, 'skipped', 'ToolOutcomeUnknown', outcomeText.guarded)
  const exclusive = batch.config.tools.get(toolName)?.exclusive ?? false
  if (batch.running >= batch.config.maxParallel || batch.exclusive || (exclusive && batch.running > 0)) {
    batch.full = true
    return
  }
  if (guarded) {
    // It may start as soon as its tool has answered: its slot is kept.
    ask(batch, call)
    batch.running++
    batch.exclusive ||= exclusive
    return
  }
  const data = { callId, attempt: 1 }
  batch.plan.follow({ kind: 'call.started', data: call.decision === undefined ? data : { ...data, approval: call.decision.id } })
  batch.running++
  batch.room--
  if (maxStarts(batch, toolName) !== Number.POSITIVE_INFINITY) {
    batch.startedNow ??= new Map()
    batch.startedNow.set(toolName, (batch.startedNow.get(toolName) ?? 0) + 1)
  }
  batch.exclusive ||= exclusive
}

/** How often a tool may run in one run, by the run's limits or its own. */
function maxStarts({ config }: Batch, toolName: string): number {
  return Math.min(config.limits.maxCallsPerTool, config.tools.get(toolName)?.maxCallsPerRun ?? Number.POSITIVE_INFINITY)
}

/** A call over a limit settles as `skipped`; then the limit's policy applies (checklist C5). A tool's own limit ends nothing. */
function overLimit(batch: Batch, call: CallState): boolean {
  const { run, config } = batch
  const { toolName } = call.part
  const used = callsOf(run, toolName) + (batch.startedNow?.get(toolName) ?? 0)
  const own = config.tools.get(toolName)?.maxCallsPerRun ?? Number.POSITIVE_INFINITY
  if (batch.room <= 0) return skipForLimit(batch, call, 'max_tool_calls')
  if (used >= config.limits.maxCallsPerTool) return skipForLimit(batch, call, 'max_tool_calls_per_tool')
  if (used >= own) {
    settle(batch, call, 'skipped', 'ToolSkipped', `Not run: '${toolName}' may run ${own} times in one run, and it has.`)
    return true
  }
  return false
}

function skipForLimit(batch: Batch, call: CallState, limit: LimitReason): true {
  settle(batch, call, 'skipped', 'ToolSkipped', `Not run: ${limitText(limit, batch.config)}.`, { limit })
  return true
}

/** Checked when a start is admitted, so that a batch can't slip through. What a human has approved runs. */
function isGuarded({ state }: Batch, call: CallState): boolean {
  return call.decision?.kind !== 'allow' && guardsOf(state.live, call).length > 0
}
