import { applyTo } from '../core/apply.ts'
import type { Entry } from '../core/entry.ts'
import { finishedResult, type ParkFacts, parkedResult } from '../core/outcome.ts'
import type { CoreResult } from '../core/result.ts'
import { emptyState, newRun, type SessionState } from '../core/state.ts'
import type { Hub } from './hub.ts'
import type { World } from './ports.ts'

/** Whom the ends of runs are told to, and how. */
export interface EndPlace {
  readonly sessionId: string
  readonly world: World
  readonly hub: Hub
  isDynamic(runId: string, toolName: string): boolean
  /** The journal; throws when the store does not answer. */
  load(): AsyncIterable<Entry>
}

/** Everyone who waits for a run of this session is told that it goes on later. */
export function announcePark(place: EndPlace, park: ParkFacts, last: SessionState, detached: boolean): void {
  const { sessionId, world, hub } = place
  const active = last.live.run
  const waiting = last.live.waiting.filter((candidate) => candidate.runId !== active?.id)
  const runs = [...(active === undefined ? [] : [active]), ...waiting.map((candidate) => newRun(candidate, last.live.sealedCount))]
  for (const run of runs) {
    const naming = { sessionId, isDynamic: (name: string) => place.isDynamic(run.id, name) }
    const result = parkedResult(last, run, park, naming, !detached)
    const pending = result.status === 'parked' ? result.pending : []
    const wake = park.wakeAt === undefined ? {} : { wakeAt: park.wakeAt }
    if (hub.wants !== 'nothing')
      hub.piece(world.clock.wall(), run.id, run.iteration, undefined, { type: 'run.parked', reason: park.reason, pending, ...wake })
    hub.end(run.id, result)
  }
}

/** Driving broke: whoever waits is told, also for a run that the last known state does not hold. */
export function announceBreak(place: EndPlace, park: ParkFacts, last: SessionState): void {
  const { sessionId, hub } = place
  try {
    announcePark(place, park, last, false)
  } catch {
    // What broke the drive may break its announcement too.
  }
  for (const runId of hub.awaited) {
    const run = newRun({ runId, seq: 0, agent: '', input: [] }, 0)
    hub.end(runId, parkedResult(emptyState(), run, park, { sessionId, isDynamic: () => true }, true))
  }
}

/** Somebody else may have finished a run that is waited for here. */
export async function tellStragglers(place: EndPlace): Promise<void> {
  for (const runId of place.hub.awaited) {
    const result = await finishedRun(place, runId).catch(() => undefined)
    if (result !== undefined) place.hub.end(runId, result)
  }
}

/** The result of a run that has finished, whoever drove it. */
export async function finishedRun(place: EndPlace, runId: string): Promise<CoreResult | undefined> {
  const state = emptyState()
  const naming = { sessionId: place.sessionId, isDynamic: (name: string) => place.isDynamic(runId, name) }
  for await (const entry of place.load()) {
    applyTo(state, entry)
    const { ended } = state.live
    if (entry.kind === 'run.finished' && entry.runId === runId && ended !== undefined) return finishedResult(state, ended, naming, true)
  }
  return undefined
}
