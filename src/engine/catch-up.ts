import type { Entry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import { branch } from '../core/state.ts'
import type { Activation } from './activation.ts'
import { storeError } from './append.ts'
import { readNews } from './patience.ts'
import { foldAndShow } from './show.ts'
import { namingOf } from './stage.ts'

/** Folds what others have appended. False when that showed a newer driver, or when the store can't be read: the activation is over. */
export async function catchUp(a: Activation): Promise<boolean> {
  a.foreign = false
  if (a.detached) return true
  const draft = branch(a.state)
  const news: Entry[] = []
  try {
    await readNews(a, (entry) => {
      if (entry.epoch !== undefined && entry.epoch > a.epoch)
        throw new RondoError('SessionLeaseLost', 'Another process drives the session now.')
      foldAndShow(a.hub, draft, entry, namingOf(a, draft))
      news.push(entry)
      if (draft.live.readOnly !== undefined) throw new RondoError('SessionMigrationFailed', draft.live.readOnly)
    })
  } catch (cause) {
    const error = storeError(cause)
    a.lost ??= { reason: error.code === 'SessionLeaseLost' ? 'lease_lost' : 'session_error', error }
    return false
  }
  a.state = draft
  a.ages.commit(news, draft.live)
  return true
}
