import { isPositive, unknownKeys } from './checks.ts'
import { messageOf, RondoError } from './core/error.ts'
import { currentRun } from './core/state.ts'
import type { Store } from './core/store.ts'
import { openSessions } from './engine/registry.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import type { RunResult } from './types.ts'

export interface SweepOptions {
  /** How many sessions are looked at, the newest first. Default 100. */
  limit?: number
  /** How many are driven at once. Default 8. */
  concurrency?: number
  /** Takes up no more sessions; what was taken up goes on. */
  signal?: AbortSignal
}

/** A session that a sweep looked at. */
export type SweptSession =
  /** It was driven on: until its run ended, or parked. */
  | { readonly sessionId: string; readonly status: 'driven'; readonly result: RunResult }
  /** It was left as it is: it is another agent's, or needs what this process has not. */
  | { readonly sessionId: string; readonly status: 'left'; readonly reason: string }

interface Sweep {
  readonly store: Store
  readonly agent: string
  /** ms since 1970. */
  readonly now: number
  readonly options: SweepOptions
  open(sessionId: string): SessionDriver
  drive(driver: SessionDriver): Promise<RunResult>
}

export async function sweep(place: Sweep): Promise<readonly SweptSession[]> {
  const { store, now, options } = place
  const wrong = problemsOf(options)
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `sweep options: ${wrong.join('; ')}.`)
  const { limit = 100, concurrency = 8, signal } = options
  const here = new Set(openSessions(store))
  const listed = await store.list({ dueBefore: now, ownerLost: true, limit })
  const waiting = listed.map(({ sessionId }) => sessionId).filter((sessionId) => !here.has(sessionId))
  const swept: SweptSession[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && signal?.aborted !== true; next = waiting.shift()) {
      const session = await takenUp(place, next)
      if (session !== undefined) swept.push(session)
    }
  }
  await Promise.all(Array.from({ length: Math.min(Math.ceil(concurrency), waiting.length) }, work))
  return swept
}

function problemsOf(options: unknown): string[] {
  if (typeof options !== 'object' || options === null) return ['they must be an object']
  const wrong = unknownKeys(options, new Set(['limit', 'concurrency', 'signal']), '')
  for (const key of ['limit', 'concurrency']) {
    const value: unknown = Reflect.get(options, key)
    if (value !== undefined && !isPositive(value)) wrong.push(`${key} must be a positive number, not ${String(value)}`)
  }
  const signal: unknown = Reflect.get(options, 'signal')
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong.push('signal must be an AbortSignal')
  return wrong
}

/** `undefined`: there is nothing to do any more. One session that can't go on is no reason to leave the others. */
async function takenUp(place: Sweep, sessionId: string): Promise<SweptSession | undefined> {
  const driver = place.open(sessionId)
  const letGo = driver.hold()
  try {
    const run = currentRun((await driver.current()).live)
    if (run === undefined) return undefined
    if (run.agent !== place.agent) return { sessionId, status: 'left', reason: `its run is one of the agent '${run.agent}'` }
    return { sessionId, status: 'driven', result: await place.drive(driver) }
  } catch (error) {
    return { sessionId, status: 'left', reason: messageOf(error) }
  } finally {
    letGo()
  }
}
