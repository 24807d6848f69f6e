import type { Place } from '../store.ts'
import { plain } from '../text.ts'
import { type ConfigFile, type ConfigFlag, configFiles, ownPath } from './files.ts'
import { type ConfigKey, type ConfigValues, configKeys } from './keys.ts'
import { heeded } from './project-rules.ts'
import { readConfig } from './read-config.ts'

export interface LoadedConfig {
  readonly values: ConfigValues
  /** The files that each value comes from: several where they add up (`deny`, `instructions`). */
  readonly sources: { readonly [key in ConfigKey]?: readonly string[] }
  /** The files that were read, the weaker first, with what counts of each. */
  readonly files: readonly (ConfigFile & { readonly values: ConfigValues; readonly ignored: readonly string[] })[]
  /** Lines for the user, safe to show. */
  readonly warnings: readonly string[]
}

/**
 * The settings for an agent in this folder (an absolute path): the project's file before the user's own, within what a project may say. Flags and
 * the environment are not looked at. Throws `CannotRun`, which names file and setting, for what can't be understood.
 */
export function loadConfig(flag: ConfigFlag, folder: string, place: Place): LoadedConfig {
  let values: ConfigValues = {}
  const sources: { [key in ConfigKey]?: readonly string[] } = {}
  const files: LoadedConfig['files'][number][] = []
  for (const file of configFiles(flag, folder, place)) {
    const found = readConfig(file.path)
    const { values: own, ignored } = file.level === 'project' ? heeded(found, values, place.env) : { values: found, ignored: [] }
    for (const key of configKeys) if (own[key] !== undefined) sources[key] = [...(adds.has(key) ? (sources[key] ?? []) : []), file.path]
    values = combined(values, own)
    files.push({ ...file, values: own, ignored })
  }
  const warnings = files.filter(({ ignored }) => ignored.length > 0).map(({ path, ignored }) => warning(path, ignored, place))
  return { values, sources, files, warnings }
}

/** Of these nothing is taken away by a file that goes before. */
const adds: ReadonlySet<ConfigKey> = new Set(['deny', 'instructions'])

function combined(weaker: ConfigValues, stronger: ConfigValues): ConfigValues {
  const deny = [...new Set([...(weaker.deny ?? []), ...(stronger.deny ?? [])])]
  const instructions = [weaker.instructions, stronger.instructions].filter((text) => text !== undefined).join('\n\n')
  return {
    ...weaker,
    ...stronger,
    ...(deny.length === 0 ? {} : { deny }),
    ...(instructions === '' ? {} : { instructions }),
  }
}

function warning(path: string, ignored: readonly string[], place: Place): string {
  const own = ownPath(place)
  const where = own === undefined ? 'a file that RONDO_CONFIG names' : plain(own)
  return `${plain(path)} is the project's, which may not say this; ignored: ${ignored.join(', ')}. What you want goes into ${where}, or name the file with --config.`
}
