import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { memory, RondoError, type Store } from '../index.ts'
import { type SqliteOptions, sqlite } from '../stores/sqlite.ts'
import { CannotRun, type Terminal } from './terminal.ts'

export type Place = Pick<Terminal, 'env' | 'cwd' | 'home' | 'platform'>

/**
 * The folder for Rondo's data: `RONDO_HOME`; else `rondo` in the user's data folder, which is `XDG_DATA_HOME` where it is set (an absolute
 * path: https://specifications.freedesktop.org/basedir), else what the system has for it.
 */
export function dataFolder(place: Place): string {
  const own = place.env['RONDO_HOME'] ?? ''
  return own === '' ? systemFolder(place, 'XDG_DATA_HOME', join('.local', 'share')) : resolve(place.cwd, own)
}

/** `rondo` in the user's folder for files of a kind: what the variable names, else what the system has, which is no absolute path without a home folder. */
export function systemFolder({ env, home, platform }: Place, variable: string, usual: string): string {
  const xdg = env[variable] ?? ''
  if (isAbsolute(xdg)) return join(xdg, 'rondo')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'rondo')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'rondo')
  return join(home, usual, 'rondo')
}

export function sessionsFile(place: Place): string {
  return join(dataFolder(place), 'sessions.db')
}

/** Why there is no place for sessions; `undefined` where there is one. */
export function placeless(place: Place): string | undefined {
  if (isAbsolute(dataFolder(place))) return undefined
  return 'No home folder is known here, so there is no place for sessions. Name a folder for them: RONDO_HOME=FOLDER'
}

/** Where a run's session goes. `unkept` says why it will be gone with the process. */
export interface OpenedStore {
  readonly store: Store
  readonly unkept?: string
}

/** Opens the sessions file, or else a store in memory. Throws `CannotRun` for a file that is there and can't be used. */
export async function openStore(place: Place): Promise<OpenedStore> {
  const unkept = placeless(place)
  if (unkept !== undefined) return { store: memory(), unkept }
  const file = sessionsFile(place)
  const store = sqlite(file)
  try {
    checkWritable(file)
    await store.list({ limit: 1 })
    return { store }
  } catch (error) {
    await store.close()
    return { store: memory(), unkept: await whyUnkept(error) }
  }
}

/** Throws for a file or folder that is there and can't be written. SQLite keeps its log beside the file. */
function checkWritable(file: string): void {
  for (const path of [dirname(file), file]) if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
}

/** Opens the sessions file to read it; `undefined` where none has been written yet. */
export async function openToRead(place: Place, options: SqliteOptions = {}): Promise<Store | undefined> {
  const lacking = placeless(place)
  if (lacking !== undefined) throw new CannotRun(lacking)
  const file = sessionsFile(place)
  if (!existsSync(file)) return undefined
  const store = sqlite(file, options)
  try {
    await store.list({ limit: 1 })
    return store
  } catch (error) {
    await store.close()
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  }
}

async function whyUnkept(error: unknown): Promise<string> {
  if (!RondoError.is(error)) {
    if (error instanceof Error && 'code' in error) return `${error.message}. Make it writable, or set RONDO_HOME to a folder that is.`
    throw error
  }
  if (error.code === 'SessionWriteFailed') return `${error.message} RONDO_HOME names another folder.`
  if (error.code === 'ConfigInvalid' && (await isDriverMissing())) return error.message
  // A damaged file, one of a newer version or of another program: going on would split the user's sessions in two.
  throw new CannotRun(`${error.message} RONDO_HOME names another folder.`)
}

/** A database in memory needs nothing but a driver. */
async function isDriverMissing(): Promise<boolean> {
  const probe = sqlite(':memory:')
  try {
    await probe.list({ limit: 1 })
    return false
  } catch {
    return true
  } finally {
    await probe.close()
  }
}
