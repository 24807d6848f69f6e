import { isPositive, unknownKeys } from './checks.ts'
import { messageOf, RondoError } from './core/error.ts'
import { sentenceOf } from './core/known-keys.ts'
import { currentRun, type SessionState, type WaitingRun } from './core/state.ts'
import type { SessionSummary, Store } from './core/store.ts'
import { breathOf } from './engine/breath.ts'
import type { Clock } from './engine/ports.ts'
import { isDriven } from './engine/registry.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import { isCancelled } from './requests.ts'
import type { RunResult } from './types.ts'

export interface SweepOptions {
  /** How many sessions are driven, the newest first. Default 100. */
  limit?: number
  /** How many are driven at once, 1,000 at most. Default 8. */
  concurrency?: number
  /** Takes up no more sessions; what was taken up goes on. */
  signal?: AbortSignal
}

/** A session that a sweep looked at. */
export type SweptSession =
  /** It was driven on: until its run ended, or parked. */
  | { readonly sessionId: string; readonly status: 'driven'; readonly result: RunResult }
  /**
   * It was left as it is: it can't be read, or its run needs what this process has not. The agent looks at it again when its journal has grown, or after
   * ten minutes, and says so only then.
   */
  | { readonly sessionId: string; readonly status: 'left'; readonly reason: string }

/** What was left, so that its journal is not loaded again at each sweep. */
export type LeftSessions = Map<string, { readonly seq: number /** Monotonic ms. */; readonly until: number }>

const leftForMs = 600_000
const maxLeft = 10_000
const maxConcurrency = 1_000
/** How many sessions the store is asked for at first, besides as many as were left. */
const firstPage = 100

interface Sweep {
  readonly store: Store
  readonly agent: string
  readonly clock: Clock
  readonly left: LeftSessions
  readonly options: SweepOptions
  open(sessionId: string): SessionDriver
  /** `undefined`: another process has it. */
  drive(driver: SessionDriver, state: SessionState, run: WaitingRun): Promise<RunResult | undefined>
}

export async function sweep(place: Sweep): Promise<readonly SweptSession[]> {
  const wrong = problemsOf(place.options)
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `sweep options: ${sentenceOf(wrong)}`)
  const { limit = 100, concurrency = 8, signal } = place.options
  const swept: SweptSession[] = []
  const waiting = candidates(place)
  let driven = 0
  const isStopped = (): boolean => signal?.aborted === true
  const work = async (): Promise<void> => {
    while (driven < limit && !isStopped()) {
      driven++
      // Sessions that are left need nothing but promises: many of them would be one long task.
      await breathOf(place.clock)?.due(place.clock.monotonic())
      const next = await waiting.next()
      if (next.done === true || isStopped()) return
      const session = await takenUp(place, next.value)
      if (session?.status !== 'driven') driven--
      if (session !== undefined) swept.push(session)
    }
  }
  await Promise.all(Array.from({ length: Math.min(Math.ceil(concurrency), maxConcurrency) }, work))
  return swept
}

/** What may have to be taken up. More is asked for as long as there is more: what is left must not hide what lies behind it. */
async function* candidates(place: Sweep): AsyncGenerator<SessionSummary, void, undefined> {
  const { store, agent, clock, left } = place
  const dueBefore = clock.wall()
  const seen = new Set<string>()
  for (let limit = firstPage + left.size; ; limit *= 2) {
    const listed = await store.list({ agent, dueBefore, ownerLost: true, limit })
    for (const summary of listed) {
      const { sessionId, seq, head } = summary
      if (seen.has(sessionId)) continue
      seen.add(sessionId)
      // Somebody's own store may not know that filter.
      if (head?.agent !== undefined && head.agent !== agent) continue
      const known = left.get(sessionId)
      const isLeft = known !== undefined && known.seq === seq && clock.monotonic() < known.until
      if (!isLeft && !isDriven(store, sessionId)) yield summary
    }
    if (listed.length < limit) return
  }
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

/** `undefined`: there is nothing to do any more, or somebody else does it. One session that can't go on is no reason to leave the others. */
async function takenUp(place: Sweep, { sessionId, seq }: SessionSummary): Promise<SweptSession | undefined> {
  const driver = place.open(sessionId)
  const letGo = driver.hold()
  try {
    const state = await driver.current()
    const run = currentRun(state.live)
    if (run === undefined || driver.isDriving) return undefined
    const reason = whyLeft(place, driver, state, run.agent)
    if (reason !== undefined) return leave(place, sessionId, state.live.seq, reason)
    const result = await place.drive(driver, state, run)
    return result === undefined ? undefined : { sessionId, status: 'driven', result }
  } catch (error) {
    const reason = messageOf(error)
    // What may be better in a moment is looked at again.
    const passes = !RondoError.is(error) || error.retryable
    return passes ? { sessionId, status: 'left', reason } : leave(place, sessionId, seq, reason)
  } finally {
    letGo()
  }
}

function whyLeft({ agent }: Sweep, driver: SessionDriver, state: SessionState, name: string): string | undefined {
  if (state.live.readOnly !== undefined) return state.live.readOnly
  if (name !== agent) return `its run is one of the agent '${name}'`
  const missing = isCancelled(state) ? [] : driver.missingFor(state)
  return missing.length === 0 ? undefined : `its run needs what this process lacks: ${missing.join(', ')}`
}

function leave({ left, clock }: Sweep, sessionId: string, seq: number, reason: string): SweptSession {
  left.delete(sessionId)
  left.set(sessionId, { seq, until: clock.monotonic() + leftForMs })
  const oldest = left.keys().next()
  if (left.size > maxLeft && oldest.done !== true) left.delete(oldest.value)
  return { sessionId, status: 'left', reason }
}
