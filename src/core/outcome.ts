import type { CallState, OpenTurn } from './call-state.ts'
import { type ErrorData, errorData } from './error.ts'
import { guardsOf } from './guard.ts'
import type { Json } from './json.ts'
import type { Message, ToolCallPart } from './message.ts'
import type { ParkReason } from './reason.ts'
import type { AskedApproval, CallRef, CoreResult, PendingCall, SettledCallData } from './result.ts'
import { shownSettlement } from './settled.ts'
import type { EndedRun, Live, RunState, SessionState, SettledBehind, Turn } from './state.ts'

/** What a result or an event needs besides the state. */
export interface Naming {
  readonly sessionId: string
  /** Whether a tool is unknown to the agent's types. */
  readonly isDynamic: (toolName: string) => boolean
}

export function callRef(part: ToolCallPart, input: Json, naming: Naming): CallRef {
  const messageId = part.callId.slice(0, part.callId.indexOf('.'))
  return { callId: part.callId, messageId, dynamic: naming.isDynamic(part.toolName), toolName: part.toolName, input }
}

/** Calls that wait for somebody: a human's answer or a result from outside. */
export function pendingCalls(live: Live, naming: Naming): readonly PendingCall[] {
  const { turn, background } = live
  const pending: PendingCall[] = []
  for (const call of background.length === 0 ? (turn?.calls ?? []) : [...background, ...(turn?.calls ?? [])]) {
    const expiry = call.expiresAt === undefined ? {} : { expiresAt: call.expiresAt }
    if (call.status === 'awaiting' && call.decision === undefined)
      pending.push({ ...callRef(call.part, call.input, naming), kind: 'approval', ...askOf(live, call) })
    else if (call.status === 'outside') {
      const correlation = call.correlationId === undefined ? {} : { correlationId: call.correlationId }
      pending.push({ ...callRef(call.part, call.input, naming), kind: 'result', why: call.why ?? 'client', ...correlation, ...expiry })
    }
  }
  return pending
}

export function askOf(live: Live, call: CallState): AskedApproval {
  const { ask = {}, expiresAt } = call
  const { risk, reason, rememberAs } = ask
  const repeats = guardsOf(live, call).at(-1)?.callId
  return {
    ...(repeats === undefined ? {} : { repeats }),
    ...(risk === undefined ? {} : { risk }),
    ...(reason === undefined ? {} : { reason }),
    ...(rememberAs === undefined ? {} : { rememberAs }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** The result of a run that has finished. */
export function finishedResult(state: SessionState, ended: EndedRun, naming: Naming, durable: boolean): CoreResult {
  const { finish } = ended
  const turns = state.sealed.slice(ended.firstTurn, ended.lastTurn)
  const { text } = finish
  const totals = { ...totalsOf(ended, turns, naming, durable), text }
  switch (finish.status) {
    case 'completed': {
      const { status, reason, output } = finish
      return { ...totals, status, reason, output: output === undefined ? text : output }
    }
    case 'incomplete': {
      const { status, reason, output } = finish
      return { ...totals, status, reason, ...(output === undefined ? {} : { output }) }
    }
    case 'failed':
      return { ...totals, status: finish.status, reason: finish.reason, error: finish.error, resumable: false }
    case 'aborted': {
      const { status, reason, abortReason } = finish
      return { ...totals, status, reason, ...(abortReason === undefined ? {} : { abortReason }) }
    }
  }
}

export interface ParkFacts {
  readonly reason: ParkReason
  readonly wakeAt?: number | undefined
  /** Of `session_error` and `lease_lost`: what happened. The result is then `failed` and resumable. */
  readonly error?: ErrorData
}

/** The result of an activation that ended while its run has not. */
export function parkedResult(state: SessionState, run: RunState, park: ParkFacts, naming: Naming, durable: boolean): CoreResult {
  const turns = state.sealed.slice(run.firstTurn, state.live.sealedCount)
  const sealed = totalsOf(run, turns, naming, durable)
  const totals = { ...sealed, calls: [...sealed.calls, ...settledSoFar(state.live.turn, naming)] }
  if (park.reason === 'session_error' || park.reason === 'lease_lost') {
    const error = park.error ?? errorData('SessionWriteFailed', 'The session could not be written.')
    return { ...totals, status: 'failed', reason: park.reason, error, resumable: true }
  }
  const wake = park.wakeAt === undefined ? {} : { wakeAt: park.wakeAt }
  return { ...totals, status: 'parked', reason: park.reason, pending: pendingCalls(state.live, naming), ...wake }
}

/** Calls that have settled while others of their message still wait. */
function settledSoFar(turn: OpenTurn | undefined, naming: Naming): readonly SettledCallData[] {
  const calls: SettledCallData[] = []
  for (const { part, input, settlement, durationMs, background } of turn?.calls ?? [])
    if (settlement !== undefined && background !== true)
      calls.push({ ...callRef(part, input, naming), ...shownSettlement(settlement), durationMs })
  return calls
}

function totalsOf(run: RunState, turns: readonly Turn[], naming: Naming, durable: boolean) {
  return {
    sessionId: naming.sessionId,
    runId: run.id,
    text: run.lastText,
    messages: turns.map((turn): Message => turn.message),
    calls: [...turns.flatMap((turn) => settledCalls(turn, naming)), ...callsBehind(run.behind, undefined, naming)],
    iterations: run.iterations,
    usage: run.usage,
    durable,
  }
}

/** The calls of a turn with their outcomes, in call order: not those in the background, nor (they are not this run's) those of imported history. */
export function settledCalls(turn: Turn, naming: Naming): readonly SettledCallData[] {
  if (turn.n === undefined) return []
  const calls: SettledCallData[] = []
  let index = 0
  for (const part of turn.message.parts) {
    if (part.type !== 'tool-call') continue
    const durationMs = turn.durations?.[index++] ?? 0
    if (part.settlement !== undefined && part.background !== true)
      calls.push({ ...callRef(part, part.ranWith ?? part.input, naming), ...part.settlement, durationMs })
  }
  return calls
}

/** What became of calls in the background, as it came: from after the one that is known up to the last. */
export function callsBehind(last: SettledBehind | undefined, known: SettledBehind | undefined, naming: Naming): readonly SettledCallData[] {
  const calls: SettledCallData[] = []
  for (let one = last; one !== undefined && one !== known; one = one.before)
    calls.push({ ...callRef(one.part, one.input, naming), ...shownSettlement(one.settlement), durationMs: one.durationMs })
  return calls.reverse()
}
