import { applyTo } from '../core/apply.ts'
import { RondoError } from '../core/error.ts'
import type { CoreEvent } from '../core/event.ts'
import { glimpse, project } from '../core/project.ts'
import { branch } from '../core/state.ts'
import type { Activation } from './activation.ts'
import { storeError } from './append.ts'
import { namingOf } from './stage.ts'

/** Folds what others have appended. False when that showed a newer driver, or when the store can't be read: the activation is over. */
export async function catchUp(a: Activation): Promise<boolean> {
  a.foreign = false
  if (a.detached) return true
  const draft = branch(a.state)
  const events: CoreEvent[] = []
  try {
    for await (const entry of a.store.load(a.sessionId, a.state.live.seq)) {
      if (entry.epoch !== undefined && entry.epoch > a.epoch) {
        a.lost = { reason: 'lease_lost', error: new RondoError('SessionLeaseLost', 'Another process drives the session now.') }
        return false
      }
      const before = a.hub.active ? glimpse(draft, entry) : undefined
      applyTo(draft, entry)
      if (draft.live.readOnly !== undefined) throw new RondoError('SessionMigrationFailed', draft.live.readOnly)
      if (before !== undefined) events.push(...project(before, entry, draft, namingOf(a, draft)))
    }
  } catch (cause) {
    a.lost = { reason: 'session_error', error: storeError(cause) }
    return false
  }
  a.state = draft
  a.hub.facts(draft.live.seq, events)
  return true
}
