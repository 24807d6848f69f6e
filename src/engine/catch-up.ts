import type { Entry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import { branch } from '../core/state.ts'
import type { Activation } from './activation.ts'
import { storeError } from './append.ts'
import { foldAndShow } from './show.ts'
import { namingOf } from './stage.ts'

/** Folds what others have appended. False when that showed a newer driver, or when the store can't be read: the activation is over. */
export async function catchUp(a: Activation): Promise<boolean> {
  a.foreign = false
  if (a.detached) return true
  const draft = branch(a.state)
  const news: Entry[] = []
  try {
    for await (const entry of a.store.load(a.sessionId, a.state.live.seq)) {
      if (entry.epoch !== undefined && entry.epoch > a.epoch) {
        a.lost = { reason: 'lease_lost', error: new RondoError('SessionLeaseLost', 'Another process drives the session now.') }
        return false
      }
      foldAndShow(a.hub, draft, entry, namingOf(a, draft))
      news.push(entry)
      if (draft.live.readOnly !== undefined) throw new RondoError('SessionMigrationFailed', draft.live.readOnly)
    }
  } catch (cause) {
    a.lost = { reason: 'session_error', error: storeError(cause) }
    return false
  }
  a.state = draft
  a.ages.commit(news, draft.live)
  return true
}
