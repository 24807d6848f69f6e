import { isExpired } from './accept.ts'
import { callsOf } from './apply-call.ts'
import type { CallState, OpenTurn } from './call-state.ts'
import type { DriverFacts, MachineConfig } from './config.ts'
import {
  ask,
  type Batch,
  canBeAsked,
  decideOutside,
  decideRunning,
  goesOnBehind,
  isBegun,
  mayGoOn,
  settle,
  startOf,
} from './decide-begun.ts'
import type { ErrorCode } from './error.ts'
import { guardsOf } from './guard.ts'
import { jsonEqual } from './json.ts'
import { timeLeft } from './limits.ts'
import { firstAnnounced, type PlanDraft, prepareKey, reconcileKey } from './plan.ts'
import type { LimitReason } from './reason.ts'
import type { RunState, SessionState } from './state.ts'
import { terminationView } from './termination.ts'
import { deniedText, failedSettlement, hookFailure, limitText, outcomeText } from './wording.ts'

/** What decides over the calls of a turn while they are looked at in index order. */
interface TurnBatch extends Batch {
  readonly turn: OpenTurn
  running: number
  exclusive: boolean
  /** A verdict is missing: no call starts before all verdicts are there. */
  undecided: boolean
  /** Calls that may still start in this run, and what has started in this very plan. */
  room: number
  startedNow: Map<string, number> | undefined
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
  for (const call of turn.calls) {
    const said = plan.append.length
    decideCall(batch, call)
    // What becomes of it may guard those behind it: they begin when that is on record.
    if (call.everStarted && plan.append.length > said) batch.full = true
  }
  const announced = firstAnnounced(turn.calls)
  if (announced < 0 || plan.append.length > 0) return
  const perCall = config.approvalTiming === 'perCall'
  if (perCall && turn.calls.slice(0, announced).some(({ status }) => status !== 'settled')) return
  const key = prepareKey(turn, perCall)
  if (!mayGoOn(batch, key)) return
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
): TurnBatch {
  let running = 0
  let exclusive = false
  let awaiting = false
  let undecided = false
  let full = false
  for (const call of turn.calls) {
    if (call.status === 'announced') undecided = true
    else if (call.status === 'awaiting' && call.decision === undefined) awaiting = true
    else if (call.status === 'running') {
      running++
      exclusive ||= config.tools.get(call.part.toolName)?.exclusive ?? false
    }
    // Those behind it must know that it is there.
    full ||= goesOnBehind({ config, state }, call)
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
    full,
  }
}

/** The seq of the newest message that answers, by being said, what waits for an answer; 0 when there is none. */
export function newestUserMessage({ live }: SessionState): number {
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

function decideCall(batch: TurnBatch, call: CallState): void {
  switch (call.status) {
    case 'announced':
      return decideAnnounced(batch, call)
    case 'awaiting':
      return decideAwaiting(batch, call)
    case 'outside':
      return decideOutside(batch, call)
    case 'running':
      return decideRunning(batch, call)
    case 'ready':
      return decideReady(batch, call)
    case 'settled':
      return
  }
}

/** Whether it must not begin any more: an earlier call of its batch ends that, or one in the background has ended the run. */
function isAfterEnd({ turn, run, config }: TurnBatch, call: CallState): boolean {
  return run.end === 'fail' || (call.index > turn.endIndex && (config.doneDrain === 'skip' || turn.endKind !== 'done'))
}

function skipAfterEnd(batch: TurnBatch, call: CallState): void {
  const text = batch.run.end === 'fail' ? outcomeText.afterFailure : outcomeText.afterEnd
  settle(batch, call, 'skipped', 'ToolSkipped', text)
}

function decideAnnounced(batch: TurnBatch, call: CallState): void {
  const { dead } = batch.turn
  if (dead === 'truncated') settle(batch, call, 'truncated', 'ToolTruncated', outcomeText.truncated)
  else if (dead !== undefined) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText[dead])
  else if (isAfterEnd(batch, call)) skipAfterEnd(batch, call)
}

function decideAwaiting(batch: TurnBatch, call: CallState): void {
  const { decision } = call
  if (decision !== undefined)
    settle(batch, call, 'denied', 'ToolDenied', deniedText(decision.reason), decision.kind === 'stop' ? { end: 'stop' } : {})
  else if (isAfterEnd(batch, call)) skipAfterEnd(batch, call)
  else if (batch.newestMessage > call.preparedSeq) settle(batch, call, 'skipped', 'ToolSkipped', outcomeText.userMessage)
  else if (isExpired(call, batch.now)) settle(batch, call, 'denied', 'ToolDenied', outcomeText.expired)
  else if (call.expiresAt !== undefined) batch.plan.wake(call.expiresAt)
}

function decideReady(batch: TurnBatch, call: CallState): void {
  if (isAfterEnd(batch, call)) return skipAfterEnd(batch, call)
  const guarded = isGuarded(batch, call)
  // What its tool is being asked already is awaited, whatever has come in between.
  if (guarded && isBegun(batch.driver, reconcileKey(call))) return askFirst(batch, call)
  if (batch.undecided || batch.held || batch.full) return
  const { callId, toolName } = call.part
  const facts = batch.config.tools.get(toolName)
  const manual = batch.config.toolExecution === 'manual'
  const behind = facts?.background === true
  if (behind && hasNoPlaceBehind(batch, call)) return
  if (call.external === true || manual) {
    const why = facts?.asksUser === true ? 'ask-user' : call.external === true ? 'client' : 'manual'
    batch.plan.follow({ kind: 'call.deferred', data: { callId, why } })
    batch.full = behind
    return
  }
  if (overLimit(batch, call)) return
  if (guarded && !canBeAsked(batch, call)) return skipGuarded(batch, call)
  const exclusive = facts?.exclusive ?? false
  if (batch.running >= batch.config.maxParallel || batch.exclusive || (exclusive && (batch.running > 0 || isBusyBehind(batch)))) {
    batch.full = true
    return
  }
  if (guarded) return askFirst(batch, call)
  batch.plan.follow({ kind: 'call.started', data: startOf(call) })
  batch.running++
  batch.room--
  if (maxStarts(batch, toolName) !== Number.POSITIVE_INFINITY) {
    batch.startedNow ??= new Map()
    batch.startedNow.set(toolName, (batch.startedNow.get(toolName) ?? 0) + 1)
  }
  batch.exclusive ||= exclusive
  batch.full = behind
}

function skipGuarded(batch: TurnBatch, call: CallState): void {
  settle(batch, call, 'skipped', 'ToolOutcomeUnknown', outcomeText.guarded)
}

/** A guarded call: its tool is asked about those that guard it. It may start as soon as that has answered, so its slot is kept. */
function askFirst(batch: TurnBatch, call: CallState): void {
  if (!canBeAsked(batch, call)) return skipGuarded(batch, call)
  ask(batch, call)
  batch.running++
  batch.exclusive ||= batch.config.tools.get(call.part.toolName)?.exclusive ?? false
}

function isBusyBehind({ state }: TurnBatch): boolean {
  return state.live.background.some(({ status }) => status === 'running')
}

/** What runs in the background already is not begun a second time, and there is an end to what runs there: the model is told to wait. */
function hasNoPlaceBehind(batch: TurnBatch, call: CallState): boolean {
  const { background } = batch.state.live
  const same = background.find(({ part, input }) => part.toolName === call.part.toolName && jsonEqual(input, call.input))
  const text =
    same !== undefined
      ? `Not run: the same call goes on in the background already, as ${same.part.callId}. Wait for its result, which comes in a message of its own.`
      : background.length >= batch.config.maxParallel
        ? `Not run: ${background.length} calls go on in the background already. Wait for a result before you begin another.`
        : undefined
  if (text !== undefined) settle(batch, call, 'skipped', 'ToolSkipped', text)
  return text !== undefined
}

/** How often a tool may run in one run, by the run's limits or its own. */
function maxStarts({ config }: TurnBatch, toolName: string): number {
  return Math.min(config.limits.maxCallsPerTool, config.tools.get(toolName)?.maxCallsPerRun ?? Number.POSITIVE_INFINITY)
}

/** A call over a limit settles as `skipped`; then the limit's policy applies (checklist C5). A tool's own limit ends nothing. */
function overLimit(batch: TurnBatch, call: CallState): boolean {
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

function skipForLimit(batch: TurnBatch, call: CallState, limit: LimitReason): true {
  settle(batch, call, 'skipped', 'ToolSkipped', `Not run: ${limitText(limit, batch.config)}.`, { limit })
  return true
}

/** Checked when a start is admitted, so that a batch can't slip through. What a human has approved runs. */
function isGuarded({ state }: TurnBatch, call: CallState): boolean {
  return call.decision?.kind !== 'allow' && guardsOf(state.live, call).length > 0
}
