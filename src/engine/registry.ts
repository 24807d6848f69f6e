import type { SessionState } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import type { World } from './ports.ts'
import { SessionDriver } from './session-driver.ts'

/** Folded states of sessions that nobody drives, so that the next message need not refold a long one. */
const warmStates = 64

interface Sessions {
  readonly open: Map<string, SessionDriver>
  readonly warm: Map<string, SessionState>
}

const byStore = new WeakMap<Store, Sessions>()

/** The one driver of a session in this process and on this store. It leaves by itself when it has nothing to do. */
export function openSession(store: Store, sessionId: string, world: World, owner: string): SessionDriver {
  const sessions = sessionsOf(store)
  const known = sessions.open.get(sessionId)
  if (known !== undefined) return known
  const driver = new SessionDriver(store, sessionId, world, owner, (idle) => close(sessions, idle))
  driver.adopt(sessions.warm.get(sessionId))
  sessions.warm.delete(sessionId)
  sessions.open.set(sessionId, driver)
  return driver
}

/** The sessions of a store that this process drives, writes or follows at this moment. */
export function openSessions(store: Store): readonly string[] {
  return [...(byStore.get(store)?.open.keys() ?? [])]
}

function sessionsOf(store: Store): Sessions {
  let sessions = byStore.get(store)
  if (sessions === undefined) {
    sessions = { open: new Map(), warm: new Map() }
    byStore.set(store, sessions)
  }
  return sessions
}

function close(sessions: Sessions, driver: SessionDriver): void {
  if (sessions.open.get(driver.sessionId) !== driver) return
  sessions.open.delete(driver.sessionId)
  if (driver.state === undefined) return
  sessions.warm.set(driver.sessionId, driver.state)
  const oldest = sessions.warm.keys().next()
  if (sessions.warm.size > warmStates && !oldest.done) sessions.warm.delete(oldest.value)
}
