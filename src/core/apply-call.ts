import { findCall, placeCall } from './background.ts'
import type { CallState, OpenTurn } from './call-state.ts'
import type { BackgroundResult, EntryOf, SettlementData } from './entry.ts'
import { assert } from './error.ts'
import { activeRun, closeActivity, openActivity, seal } from './fold.ts'
import { guardsOf } from './guard.ts'
import { sameBatch, settledMessage } from './settled.ts'
import type { Live, RunState, SessionState, Turn } from './state.ts'

function callOf(live: Live, callId: string): CallState {
  const call = findCall(live, callId)
  assert(call !== undefined, 'a call is open', callId)
  return call
}

export function applyDecision(live: Live, entry: EntryOf<'approval.decided'>): void {
  const { request, decision, by, reason } = entry.data
  const turn = live.turn
  const call = turn?.calls.find((candidate) => candidate.preparedId === request)
  assert(turn !== undefined && call !== undefined, 'a decision answers a prepared call')
  assert(call.status === 'awaiting' && call.decision === undefined, 'a call awaits its one decision', call.part.callId)
  const decided = {
    id: entry.id,
    kind: decision,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  }
  const edited = decision === 'allow' ? entry.data.arguments : undefined
  const status = decision !== 'allow' ? 'awaiting' : edited === undefined ? 'ready' : 'announced'
  if (decision === 'allow' && entry.data.remember !== undefined) remember(live, call, entry)
  turn.calls[call.index] = { ...call, status, decision: decided, edited, expiresAt: undefined }
}

function remember(live: Live, { part, ask }: CallState, { id, runId, data }: EntryOf<'approval.decided'>): void {
  const { rememberAs } = ask ?? {}
  if (rememberAs === false) return
  const until = data.remember === 'run' ? (runId ?? live.run?.id) : undefined
  live.remembered = [...live.remembered, { toolName: part.toolName, as: rememberAs, runId: until, decision: id, by: data.by }]
}

export function applyPrepared(live: Live, entry: EntryOf<'call.prepared'>): void {
  const { callId, effect, executor, approval, approvedBy } = entry.data
  const call = callOf(live, callId)
  assert(call.status === 'announced', 'a call is announced when it is prepared', callId)
  placeCall(live, {
    ...call,
    status: approval === undefined ? 'ready' : 'awaiting',
    input: entry.data.arguments ?? call.input,
    preparedId: entry.id,
    preparedSeq: entry.seq,
    effect,
    external: executor === 'external',
    edited: undefined,
    approvedBy: approvedBy === undefined ? undefined : live.remembered.find(({ decision }) => decision === approvedBy)?.by,
    ask: approval ?? call.ask,
    expiresAt: approval === undefined ? call.expiresAt : approval.expiresAt,
  })
}

export function applyStarted(live: Live, entry: EntryOf<'call.started'>): void {
  const { callId, attempt } = entry.data
  const call = callOf(live, callId)
  const run = activeRun(live, 'a started call')
  assert(entry.epoch !== undefined, 'a started call has an epoch')
  assert(call.status === 'ready' || call.status === 'running', 'a call is ready or an orphan when it starts', callId)
  assert(call.effect !== 'unsafe' || !call.everStarted || call.epoch < entry.epoch, 'an unsafe call starts once', callId)
  if (call.status !== 'running') openActivity(run, entry)
  if (!call.everStarted) {
    countCall(run, call.part.toolName)
    // Started all the same, and nobody has approved it: it was found out that what guards it never took effect.
    if (call.decision === undefined) lift(live, call)
  }
  placeCall(live, {
    ...call,
    status: 'running',
    attempt,
    startedAt: entry.at,
    startedSeq: entry.seq,
    epoch: entry.epoch,
    everStarted: true,
  })
}

function countCall(run: RunState, toolName: string): void {
  run.toolCalls++
  run.callsPerTool = { ...run.callsPerTool, [toolName]: callsOf(run, toolName) + 1 }
}

/** How many calls of a tool have started in this run; own keys only, for a tool may be named `constructor`. */
export function callsOf(run: RunState, toolName: string): number {
  return Object.hasOwn(run.callsPerTool, toolName) ? (run.callsPerTool[toolName] ?? 0) : 0
}

export function applyDeferred(live: Live, entry: EntryOf<'call.deferred'>): void {
  const { callId, why, expiresAt, correlationId, durationMs } = entry.data
  const call = callOf(live, callId)
  const run = activeRun(live, 'a deferred call')
  assert(call.status === 'ready' || call.status === 'running', 'a call is ready or running when it is deferred', callId)
  if (call.status === 'running') closeActivity(run, entry.at, durationMs)
  placeCall(live, {
    ...call,
    status: 'outside',
    outsideSeq: entry.seq,
    why,
    expiresAt,
    correlationId: correlationId ?? call.correlationId,
  })
}

export function applySettled(state: SessionState, entry: EntryOf<'call.settled'>): void {
  const { live } = state
  const { callId, settlement, by, end, limit, background, durationMs } = entry.data
  const turn = live.turn
  const call = callOf(live, callId)
  const run = activeRun(live, 'a settled call')
  assert(turn !== undefined && call.background !== true && call.status !== 'settled', 'a call settles once', callId)
  if (background === true) return leaveBehind(state, run, turn, call, settlement)
  if (call.status === 'running') closeActivity(run, entry.at, durationMs)
  // What a human has changed it to and was then refused is what it was about.
  const input = call.edited ?? call.input
  turn.calls[call.index] = { ...call, input, status: 'settled', settlement, durationMs: tookOf(call, entry.at, durationMs) }
  turn.left--
  if (end !== undefined && call.index < turn.endIndex) {
    turn.endIndex = call.index
    turn.endKind = end
  }
  // As with what ends a batch, the lowest index tells why, whichever settled first.
  if (limit !== undefined && call.index < turn.limitIndex) {
    turn.limitIndex = call.index
    run.limit = limit
  }
  countErrors(run, settlement)
  guard(live, call, settlement)
  // Not for a call that was running: what was found out then is what became of that call itself.
  if (by === 'reconcile' && !call.everStarted && settlement.outcome === 'ok') lift(live, call)
  if (turn.left === 0) closeTurn(state, run, turn)
}

/** What a call took: by its own count, else by the journal's times. */
export function tookOf(call: CallState, at: number, durationMs: number | undefined): number {
  return durationMs ?? (call.everStarted ? Math.max(0, at - call.startedAt) : 0)
}

/** Its message need not wait for it any more; the call itself is as open as before. */
function leaveBehind(state: SessionState, run: RunState, turn: OpenTurn, call: CallState, settlement: SettlementData): void {
  assert(call.status === 'running' || call.status === 'outside', 'what goes on in the background has begun', call.part.callId)
  state.live.background = [...state.live.background, { ...call, background: true }]
  turn.calls[call.index] = { ...call, status: 'settled', settlement, background: true }
  turn.left--
  if (turn.left === 0) closeTurn(state, run, turn)
}

/** The outcome of a call that went on in the background. */
export function applyBackgroundResult(live: Live, callId: string, result: BackgroundResult, at: number): void {
  const call = live.background.find(({ part }) => part.callId === callId)
  const run = activeRun(live, 'a background call')
  assert(call !== undefined, 'the outcome of a background call comes once', callId)
  const { settlement, end, durationMs } = result
  if (call.status === 'running') closeActivity(run, at, durationMs)
  live.background = live.background.filter((other) => other !== call)
  const { part, input } = call
  run.behind = { part, input, settlement, durationMs: tookOf(call, at, durationMs), before: run.behind }
  countErrors(run, settlement)
  guard(live, call, settlement)
  // Once a wrap-up was asked for, the limit is why the run ends.
  if (end !== 'fail' || settlement.outcome === 'ok' || run.wrapAttempts > 0) return
  run.end = 'fail'
  run.failure = settlement.error
}

function countErrors(run: RunState, settlement: SettlementData): void {
  if (settlement.outcome === 'ok') run.consecutiveErrors = 0
  else if (['error', 'invalid', 'timeout', 'unknown'].includes(settlement.outcome)) run.consecutiveErrors++
}

/** A started unsafe call that may or may not have had its effect: the same does not start again unasked. */
function guard(live: Live, call: CallState, settlement: SettlementData): void {
  if (call.effect !== 'unsafe' || !call.everStarted) return
  if (settlement.outcome !== 'unknown' && settlement.outcome !== 'timeout' && settlement.outcome !== 'cancelled') return
  const { callId, toolName } = call.part
  live.guard = [...live.guard, { callId, attempt: call.attempt, toolName, input: call.input }]
}

/** It is known now what became of the calls that guard this one. */
function lift(live: Live, call: CallState): void {
  const known = guardsOf(live, call)
  if (known.length > 0) live.guard = live.guard.filter((guarded) => !known.includes(guarded))
}

function closeTurn(state: SessionState, run: RunState, turn: OpenTurn): void {
  const { live } = state
  const previous = run.last === 'calls' && live.sealedCount > run.firstTurn ? state.sealed[live.sealedCount - 1] : undefined
  const sealed: Turn = { message: settledMessage(turn), seq: turn.seq, n: turn.n, durations: turn.calls.map((call) => call.durationMs) }
  live.turn = undefined
  seal(state, sealed)
  run.iterationOpen = false
  run.toolRounds++
  endBatch(run, turn)
  run.sameBatches = previous !== undefined && sameBatch(previous.message, sealed.message) ? run.sameBatches + 1 : 1
}

/** The call of lowest index that ends a batch decides, whichever settled first. */
function endBatch(run: RunState, turn: OpenTurn): void {
  const ender = turn.endKind === undefined ? undefined : turn.calls[turn.endIndex]?.settlement
  // What has failed in the background meanwhile ends the run.
  if (run.end === 'fail') return
  run.end = turn.endKind
  run.doneOutput = turn.endKind === 'done' && ender?.outcome === 'ok' ? ender.output : undefined
  if (turn.endKind === 'fail' && ender !== undefined && ender.outcome !== 'ok') run.failure = ender.error
}
