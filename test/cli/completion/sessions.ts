import { join } from 'node:path'
import { sqlite } from '../../../src/stores/sqlite.ts'
import { newFolder } from '../folders.ts'

/** Ids that a program may have given, and that a shell would take for something else; each can be seen and typed. */
export const strangeIds = ['a b', 'q$(touch PWNED)', "it's", 'x`touch PWNED`', 'eq=uals', 'back\\slash', 'd"q', '*', '~root']

/** A folder for `RONDO_HOME` with sessions of these ids, the last one the newest. */
export async function homeWith(ids: readonly string[]): Promise<string> {
  const home = newFolder()
  let now = Date.UTC(2026, 10, 28)
  const store = sqlite(join(home, 'sessions.db'), { clock: () => now })
  for (const id of ids) {
    now += 1000
    await store.append(id, [{ v: 1, id: 'e1', seq: 1, kind: 'session', data: { version: 1 } }], { expectedSeq: 0 })
  }
  await store.close()
  return home
}
