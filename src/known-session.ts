import { unknownSession } from './control.ts'
import { RondoError } from './core/error.ts'
import { openTools } from './core/open-tools.ts'
import { missingParts, optionWords, toolWords, unreadWords } from './core/own-parts.ts'
import { currentRun, type SessionState, type WaitingRun } from './core/state.ts'
import type { RunPorts } from './engine/ports.ts'
import type { SessionDriver } from './engine/session-driver.ts'

export function noCursor(after: unknown, what: string): RondoError {
  const text = typeof after === 'string' ? JSON.stringify(after.slice(0, 100)) : String(after)
  return new RondoError(
    'ConfigInvalid',
    `attach: 'after' must be a cursor, and ${text} ${what}. A cursor is the 'cursor' of an event of this session, '12:0' or '12.3'. Leave it out to read from the start of the run.`,
  )
}

/** Whether a session has an entry of this seq. What is known here may be behind the store. */
export async function reaches(driver: SessionDriver, seq: number): Promise<boolean> {
  const { live } = await known(driver)
  if (seq <= live.seq) return true
  for await (const _ of driver.load(seq - 1)) return true
  return false
}

export async function known(driver: SessionDriver): Promise<SessionState> {
  const state = await driver.current()
  if (state.live.seq === 0) throw unknownSession(driver.sessionId)
  return state
}

export function unfinished(sessionId: string, { live }: SessionState): WaitingRun {
  const run = currentRun(live)
  if (run !== undefined) return run
  throw new RondoError(
    'RunInvalidState',
    `Session '${sessionId}' has no unfinished run. Start the next one with agent.run(input, { session: '${sessionId}' }).`,
  )
}

/**
 * Without its tools, its context and what restricts it a run can't go on (machine 8), nor without the tools of its open calls. `isDenied`: what is
 * denied in the same breath needs no tool.
 */
export function refuseMissing(
  driver: SessionDriver,
  state: SessionState,
  { runId, own }: WaitingRun,
  ports: RunPorts,
  isDenied: (callId: string) => boolean,
): void {
  const parts = own === undefined ? [] : missingParts(own, ports.toolNames, ports.own)
  const tools = [...openTools(state, ports.onPending, driver.world.clock.wall(), isDenied)].filter((name) => !ports.tools.has(name))
  const missing = new Set([...parts, ...ports.unread.map(unreadWords), ...tools.map(toolWords)])
  if (missing.size === 0) return
  const { sessionId } = driver
  throw new RondoError(
    'ConfigInvalid',
    `resume: the run '${runId}' of session '${sessionId}' needs what this resume lacks: ${[...missing].join(', ')}. Give it again with agent.resume('${sessionId}', { context, extraTools${missing.has(optionWords('output')) ? ', output' : ''} }), or by an agent that has it. Nothing was recorded.`,
  )
}
