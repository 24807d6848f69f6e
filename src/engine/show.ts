import { applyTo } from '../core/apply.ts'
import type { Entry } from '../core/entry.ts'
import { finishedResult, type Naming } from '../core/outcome.ts'
import { glimpse, project } from '../core/project.ts'
import type { SessionState } from '../core/state.ts'
import type { Hub } from './hub.ts'
import { settledPieces } from './replay.ts'

/**
 * Folds an entry that was not written by this process's activation (an input, or what another process wrote) and shows what it means.
 * Whoever folds an entry first shows it; it is shown once. Its pieces were shown elsewhere, if at all: the settled message stands for them.
 */
export function foldAndShow(hub: Hub, state: SessionState, entry: Entry, naming: Naming): void {
  const before = hub.isNews(entry.seq) ? glimpse(state, entry) : undefined
  applyTo(state, entry)
  if (before === undefined) return
  const runId = entry.runId ?? before.runId ?? ''
  if (hub.active) {
    for (const body of settledPieces(entry)) hub.piece(entry.at, runId, before.iteration, before.model?.seq, body)
    hub.facts(entry.seq, project(before, entry, state, naming))
  } else hub.facts(entry.seq, [])
  const { ended } = state.live
  if (entry.kind === 'run.finished' && ended !== undefined) hub.end(ended.id, finishedResult(state, ended, naming, true))
}
