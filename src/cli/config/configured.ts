import type { ModelFlags } from '../choose-model.ts'
import type { LimitFlags } from '../limit-flags.ts'
import { hasProvider } from '../providers/table.ts'
import { given } from '../providers/variables.ts'
import type { Output, Terminal } from '../terminal.ts'
import { plain, styled } from '../text.ts'
import type { ToolFlags } from '../toolset.ts'
import type { ConfigFlag } from './files.ts'
import type { ConfigValues } from './keys.ts'
import { type LoadedConfig, loadConfig } from './load-config.ts'

/** What each command has that works with settings. */
export interface ConfigFlags extends ModelFlags, ToolFlags, LimitFlags {
  /** The file of `--config`; `false`: `--no-config`. */
  readonly config?: ConfigFlag
  /** More words for the model. */
  readonly instructions?: string
}

export interface Configured<Flags> {
  readonly flags: Flags
  readonly terminal: Terminal
}

/**
 * The flags of a command with what the files of settings say where no flag and no variable does. Says what of a project's file is ignored. Throws
 * `CannotRun` for a file that can't be understood.
 */
export function configured<Flags extends ConfigFlags>(flags: Flags, folder: string, terminal: Terminal): Configured<Flags> {
  const loaded = loadConfig(flags.config, folder, terminal)
  const screen = coloured(loaded.values.color, terminal)
  for (const line of loaded.warnings) screen.stderr.write(`${styled(line, 'yellow', screen.stderr)}\n`)
  return { flags: withSettings(flags, loaded, terminal), terminal: screen }
}

/** As `configured`, without a word. */
export function withSettings<Flags extends ConfigFlags>(flags: Flags, loaded: LoadedConfig, { env }: Pick<Terminal, 'env'>): Flags {
  const { values } = loaded
  return { ...settingsOf(values), ...flags, ...modelOf(flags, loaded, env), ...added(flags, values) }
}

/** The settings under the names of the flags. */
function settingsOf({ tools, sandbox, yes, maxIterations, maxCost, instructions, models }: ConfigValues): ConfigFlags {
  const all = { tools, sandbox, yes, maxIterations, maxCost, instructions, models }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Lists to which flags add. */
function added({ allowCommand = [], denyCommand = [] }: ToolFlags, { allow = [], deny = [], fetchHosts = [] }: ConfigValues): ToolFlags {
  return { allowCommand: [...allow, ...allowCommand], denyCommand: [...deny, ...denyCommand], fetchHosts }
}

/**
 * The model and its server belong together: a name that has its own provider is not sent to the server of a file, nor the model of a file to the server
 * of `--base-url`.
 */
function modelOf(flags: ModelFlags, { values, sources }: LoadedConfig, env: Terminal['env']): ModelFlags {
  if (flags.baseUrl !== undefined) return {}
  const { model, baseUrl } = values
  const [file] = sources.baseUrl ?? sources.model ?? []
  if (file === undefined) return {}
  const namedBy = plain(file)
  const named = flags.model ?? given(env['RONDO_MODEL'])
  const [modelFile = file] = sources.model ?? []
  if (named === undefined && model !== undefined && modelFile !== file) return { model, namedBy: plain(modelFile) }
  if (named === undefined) return { ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }), namedBy }
  return baseUrl === undefined || hasProvider(named) ? {} : { model: named, baseUrl, namedBy }
}

/** NO_COLOR and FORCE_COLOR have been heeded where the terminal was looked at. */
function coloured(color: boolean | undefined, terminal: Terminal): Terminal {
  const { stdout, stderr, env } = terminal
  if (color !== false || (env['FORCE_COLOR'] ?? '') !== '') return terminal
  return { ...terminal, stdout: withoutColor(stdout), stderr: withoutColor(stderr) }
}

function withoutColor(output: Output): Output {
  return {
    isTTY: output.isTTY,
    color: false,
    get columns() {
      return output.columns
    },
    get rows() {
      return output.rows
    },
    write: (text) => output.write(text),
  }
}
