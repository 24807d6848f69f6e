import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { given } from '../providers/variables.ts'
import { type Place, systemFolder } from '../store.ts'
import { CannotRun } from '../terminal.ts'
import { plain } from '../text.ts'

const configName = 'rondo.config.json'

/** A file of settings. `own`: the user has put it there or named it; `project`: it came with the folder, and whoever made that made it. */
export interface ConfigFile {
  readonly path: string
  readonly level: 'own' | 'project'
}

/** `--config FILE`; `false` for `--no-config`. */
export type ConfigFlag = string | boolean | undefined

/**
 * The files that count for an agent in this folder, the weaker first. `--config` names the only one. Throws `CannotRun` for one that was named
 * and is not there.
 */
export function configFiles(flag: ConfigFlag, folder: string, place: Place): readonly ConfigFile[] {
  if (flag === false) return []
  if (typeof flag === 'string') return [namedFile(flag, '--config', place)]
  const own = ownFile(place)
  const project = projectFile(folder, place.home)
  return [
    ...(own === undefined ? [] : [own]),
    ...(project === undefined || (own !== undefined && isSame(own.path, project)) ? [] : [{ path: project, level: 'project' as const }]),
  ]
}

/** Where the user's own settings lie, or would; `undefined` where no home folder is known. */
export function ownPath(place: Place): string | undefined {
  const named = given(place.env['RONDO_CONFIG'])
  if (named !== undefined) return resolve(place.cwd, named)
  const folder = systemFolder(place, 'XDG_CONFIG_HOME', '.config')
  return isAbsolute(folder) ? join(folder, configName) : undefined
}

function ownFile(place: Place): ConfigFile | undefined {
  const named = given(place.env['RONDO_CONFIG'])
  if (named !== undefined) return namedFile(named, 'RONDO_CONFIG', place)
  const path = ownPath(place)
  return path !== undefined && existsSync(path) ? { path, level: 'own' } : undefined
}

function namedFile(name: string, by: string, { cwd }: Place): ConfigFile {
  const path = resolve(cwd, name)
  if (name.trim() === '') throw new CannotRun(`${by} names no file. Name one, or leave it out.`)
  if (!existsSync(path)) throw new CannotRun(`There is no file ${plain(path)} (${by}).`)
  return { path, level: 'own' }
}

/**
 * The nearest file from the folder upwards, as far as the root of its git repository or the home folder. Outside both only the folder itself is
 * looked at: what lies in `/tmp` is anybody's.
 */
function projectFile(folder: string, home: string): string | undefined {
  const start = real(folder)
  const above = foldersAbove(start)
  const last = above.findIndex((one) => existsSync(join(one, '.git')) || (home !== '' && one === real(home)))
  return above
    .slice(0, Math.max(0, last) + 1)
    .map((one) => join(one, configName))
    .find((path) => existsSync(path))
}

function foldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)]
}

function isSame(one: string, other: string): boolean {
  return real(one) === real(other)
}

/** What can't be followed is named as it is. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
