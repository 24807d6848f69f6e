import { applyTo } from '../../src/core/apply.ts'
import type { CoreEvent } from '../../src/core/event.ts'
import { glimpse, project } from '../../src/core/project.ts'
import { emptyState } from '../../src/core/state.ts'
import { journal, type Steps } from './support.ts'

const naming = { sessionId: 's1', isDynamic: (toolName: string) => toolName === 'save' }

/** The events of a journal, entry by entry. */
export function eventsByEntry(steps: Steps): CoreEvent[][] {
  const state = emptyState()
  return journal(...steps).map((entry) => {
    const before = glimpse(state, entry)
    applyTo(state, entry)
    return project(before, entry, state, naming)
  })
}

/** The events of the last entry, without the envelope. */
export function last(...steps: Steps) {
  return (eventsByEntry(steps).at(-1) ?? []).map(({ v, cursor, at, sessionId, runId, iteration, ...body }) => body)
}

/** `cursor type`, and for a status where it leads. */
export function short(...steps: Steps): string[] {
  return eventsByEntry(steps)
    .flat()
    .map((event) => `${event.cursor} ${event.type}${event.type === 'run.status' ? ` ${event.to}` : ''}`)
}
