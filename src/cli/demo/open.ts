import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { memory, RondoError, type Store } from '../../index.ts'
import { sqlite } from '../../stores/sqlite.ts'
import { dataFolder, placeless } from '../store.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { dateAndTime } from '../text.ts'

/** Where a demo keeps what it leaves behind. */
export interface Kept {
  readonly store: Store
  /** A fresh one; empty where nothing is kept. */
  readonly folder: string
  /** Why nothing is kept, and what to do. */
  readonly lacking?: string
}

/** Makes a folder for this demo, with a sessions file in it. Without SQLite there is none, and sessions are in memory. */
export async function openKept(terminal: Terminal): Promise<Kept> {
  const lacking = await lackingDriver()
  if (lacking !== undefined) return { store: memory(), folder: '', lacking }
  const folder = newFolder(terminal)
  return { store: sqlite(join(folder, 'sessions.db')), folder }
}

/** A database in memory needs nothing but a driver. */
async function lackingDriver(): Promise<string | undefined> {
  const probe = sqlite(':memory:')
  try {
    await probe.list({ limit: 1 })
    return undefined
  } catch (error) {
    if (RondoError.is(error) && error.code === 'ConfigInvalid') return error.message
    throw error
  } finally {
    await probe.close()
  }
}

const maxTries = 100

/** `demo-2026-11-28-130000` in the data folder, with a number behind it where that is there already. */
function newFolder(terminal: Terminal): string {
  const name = `demo-${dateAndTime(terminal.wall()).replace(' ', '-').replaceAll(':', '')}`
  const data = dataFolder(terminal)
  const homeless = placeless(terminal)
  if (homeless !== undefined) throw new CannotRun(homeless)
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 })
    for (let tries = 1; tries <= maxTries; tries++) {
      const folder = join(data, tries === 1 ? name : `${name}-${tries}`)
      if (isMade(folder)) return folder
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotRun(`The demo keeps what it does in a folder, which can't be made (${reason}). RONDO_HOME names another place.`)
  }
  throw new CannotRun(`There are ${maxTries} folders ${name} in ${data} already.`)
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
