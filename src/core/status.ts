import type { RunStatus } from './reason.ts'
import type { OpenTurn, RunState, SessionState } from './state.ts'

/** What a session is doing: a pure function of its state, stored nowhere (machine 5). */
export function statusOf(state: SessionState): RunStatus {
  const { run, turn, model, waiting, ended } = state.live
  if (run === undefined) return waiting.length > 0 ? 'preparing' : (ended?.finish.status ?? 'idle')
  if (turn !== undefined) return turnStatus(turn, run.paused)
  if (model !== undefined) return 'model_running'
  if (run.paused) return 'paused'
  return betweenActivities(run)
}

function turnStatus(turn: OpenTurn, paused: boolean): RunStatus {
  let running = false
  let ready = false
  let awaiting = false
  let outside = false
  for (const call of turn.calls) {
    if (call.status === 'running') running = true
    else if (call.status === 'announced' || call.status === 'ready') ready = true
    else if (call.status === 'awaiting' && call.decision !== undefined) ready = true
    else if (call.status === 'awaiting') awaiting = true
    else if (call.status === 'outside') outside = true
  }
  if (running) return 'tool_running'
  if (ready) return paused ? 'paused' : 'tool_running'
  if (awaiting) return 'awaiting_human'
  return outside ? 'awaiting_tool_results' : 'tool_running'
}

/** Hooks, waits for a retry, and the moment before the next call leave the status as it was. */
function betweenActivities(run: RunState): RunStatus {
  if (run.modelCalls === 0) return 'preparing'
  return run.last === 'calls' || run.last === 'cut-calls' ? 'tool_running' : 'model_running'
}
