import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { sqlite } from '../../stores/sqlite.ts'
import { openStore, placeless, sessionsFile } from '../store.ts'
import { count, oneLine, plain } from '../text.ts'
import type { Check, Looked } from './check.ts'
import { messageOf } from './checks.ts'

const peer = '@photostructure/sqlite'
/** Sessions are not counted beyond this. */
const maxCounted = 1_000

/** Whether sessions can be kept, by the code that keeps them. Nothing is made that is not there. */
export async function checkSessions(looked: Looked): Promise<Check> {
  const { terminal, installed } = looked
  const file = sessionsFile(terminal)
  const shown = plain(file)
  const driver = installed.hasNodeSqlite ? 'node:sqlite' : installed.packageVersion(peer) === undefined ? undefined : peer
  const facts = { file, driver: driver ?? null }
  const lacking = placeless(terminal) ?? (await driverProblem(driver, installed.node))
  if (lacking !== undefined) return unkept(lacking, { ...facts, writable: false })
  if (!existsSync(file)) return checkPlace(file, shown, { ...facts, sessions: 0 }, String(driver))
  try {
    const { store, unkept: why } = await openStore(terminal)
    try {
      if (why !== undefined) return unkept(why, { ...facts, writable: false })
      const { length } = await store.list({ limit: maxCounted + 1 })
      const kept = length > maxCounted ? `more than ${maxCounted.toLocaleString('en-US')} sessions` : count(length, 'session')
      return {
        name: 'sessions',
        state: 'ok',
        text: `${shown} (${kept}, by ${driver})`,
        facts: { ...facts, writable: true, sessions: length },
      }
    } finally {
      await store.close()
    }
  } catch (error) {
    return { name: 'sessions', state: 'broken', text: messageOf(error), facts }
  }
}

function unkept(why: string, facts: Check['facts'] & object): Check {
  return { name: 'sessions', state: 'note', text: `Sessions are not kept. ${oneLine(why)}`, facts }
}

/** A database in memory needs nothing but a driver. */
async function driverProblem(driver: string | undefined, node: string): Promise<string | undefined> {
  if (driver === undefined) return `Node ${node} has no SQLite. Install one: npm install ${peer}@1 (or Node 22.13 or later)`
  const probe = sqlite(':memory:')
  try {
    await probe.list({ limit: 1 })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await probe.close()
  }
}

/** Of a file that is not there yet: whether it could be made. */
function checkPlace(file: string, shown: string, facts: object, driver: string): Check {
  let folder = dirname(file)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return { name: 'sessions', state: 'ok', text: `none yet; they go to ${shown} (by ${driver})`, facts: { ...facts, writable: true } }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return unkept(`${shown} can't be made (${reason}). Make ${plain(folder)} writable, or set RONDO_HOME to a folder that is`, {
      ...facts,
      writable: false,
    })
  }
}
