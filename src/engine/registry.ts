import type { SessionState } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import type { RunPorts } from './ports.ts'
import { SessionDriver, type Speaker } from './session-driver.ts'

/** Folded states of sessions that nobody drives, so that the next message need not refold a long one. */
const warmStates = 64

/** Sessions of whose parked runs this process keeps what they were given for themselves. */
const keptParts = 1_000

interface Sessions {
  readonly open: Map<string, SessionDriver>
  readonly warm: Map<string, SessionState>
  readonly parts: Map<string, ReadonlyMap<string, RunPorts>>
}

const byStore = new WeakMap<Store, Sessions>()

/** The one driver of a session in this process and on this store. It leaves by itself when it has nothing to do. */
export function openSession(store: Store, sessionId: string, speaker: Speaker): SessionDriver {
  const sessions = sessionsOf(store)
  const known = sessions.open.get(sessionId)
  if (known !== undefined) return known
  const driver = new SessionDriver(store, sessionId, speaker, (idle) => close(sessions, idle))
  driver.adopt(sessions.warm.get(sessionId), sessions.parts.get(sessionId))
  sessions.warm.delete(sessionId)
  sessions.parts.delete(sessionId)
  sessions.open.set(sessionId, driver)
  return driver
}

/** Whether this process drives a session, or waits for its turn. */
export function isDriven(store: Store, sessionId: string): boolean {
  return byStore.get(store)?.open.get(sessionId)?.isDriving === true
}

/** The sessions of a store that this process drives, writes or follows at this moment. */
export function openSessions(store: Store): readonly string[] {
  return [...(byStore.get(store)?.open.keys() ?? [])]
}

function sessionsOf(store: Store): Sessions {
  let sessions = byStore.get(store)
  if (sessions === undefined) {
    sessions = { open: new Map(), warm: new Map(), parts: new Map() }
    byStore.set(store, sessions)
  }
  return sessions
}

function close(sessions: Sessions, driver: SessionDriver): void {
  if (sessions.open.get(driver.sessionId) !== driver) return
  sessions.open.delete(driver.sessionId)
  if (driver.state !== undefined) keep(sessions.warm, driver.sessionId, driver.state, warmStates)
  if (driver.ownParts.size > 0) keep(sessions.parts, driver.sessionId, driver.ownParts, keptParts)
}

/** The oldest leaves when there are too many. */
function keep<X>(kept: Map<string, X>, sessionId: string, value: X, limit: number): void {
  kept.set(sessionId, value)
  const oldest = kept.keys().next()
  if (kept.size > limit && !oldest.done) kept.delete(oldest.value)
}
