import type { CallState, OpenTurn } from './call-state.ts'
import type { RunStatus } from './reason.ts'
import type { RunState, SessionState, Turn } from './state.ts'

/** What a session is doing: a pure function of its state, stored nowhere (machine 5). */
export function statusOf(state: SessionState): RunStatus {
  const { run, turn, model, waiting, ended, background } = state.live
  if (run === undefined) return waiting[0] === undefined ? (ended?.finish.status ?? 'idle') : waiting[0].paused ? 'paused' : 'preparing'
  if (turn !== undefined) return turnStatus(turn, run.paused)
  if (model !== undefined) return 'model_running'
  const behind = background.length === 0 ? undefined : backgroundStatus(background)
  if (behind === 'tool_running') return behind
  if (run.paused) return 'paused'
  return behind ?? betweenActivities(state, run)
}

/** The run waits for nothing but what goes on in the background. */
function backgroundStatus(calls: readonly CallState[]): RunStatus {
  return calls.some(({ status }) => status === 'running') ? 'tool_running' : 'awaiting_tool_results'
}

function turnStatus(turn: OpenTurn, paused: boolean): RunStatus {
  let running = false
  let ready = false
  let awaiting = false
  let outside = false
  for (const call of turn.calls) {
    if (call.status === 'running') running = true
    else if (call.status === 'announced' || call.status === 'ready') ready = true
    else if (call.status === 'awaiting' && call.decision === undefined) awaiting = true
    else if (call.status === 'outside') outside = true
  }
  if (running) return 'tool_running'
  if (ready) return paused ? 'paused' : 'tool_running'
  if (awaiting) return 'awaiting_human'
  if (outside) return 'awaiting_tool_results'
  if (paused) return 'paused'
  return turn.calls.every(isDenied) ? 'model_running' : 'tool_running'
}

/** A denial of all calls leads straight back to the model (S3-19, 7.7): no tool runs in between. */
function isDenied(call: CallState): boolean {
  return call.settlement === undefined ? call.decision !== undefined : call.settlement.outcome === 'denied'
}

/** Hooks, waits for a retry, and the moment before the next call leave the status as it was. */
function betweenActivities({ sealed, live }: SessionState, run: RunState): RunStatus {
  if (run.modelCalls === 0) return 'preparing'
  const last = sealed[live.sealedCount - 1]
  return last?.n === live.n && last.durations !== undefined && !allDenied(last) ? 'tool_running' : 'model_running'
}

function allDenied(turn: Turn): boolean {
  return turn.message.parts.every((part) => part.type !== 'tool-call' || part.settlement?.outcome === 'denied')
}
