import { given, type ModelFlags } from '../choose-model.ts'
import type { Output, Terminal } from '../terminal.ts'
import { plain, styled } from '../text.ts'
import type { ConfigFlag } from './files.ts'
import type { ConfigValues } from './keys.ts'
import { type LoadedConfig, loadConfig } from './load-config.ts'

/** What each command has that works with settings. */
export interface ConfigFlags extends ModelFlags {
  /** The file of `--config`; `false`: `--no-config`. */
  readonly config?: ConfigFlag
  readonly maxIterations?: number
  /** What the files say; `configured` puts it there. A flag goes before it. */
  readonly settings?: ConfigValues
}

export interface Configured<Flags> {
  readonly flags: Flags & { readonly settings: ConfigValues }
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
export function withSettings<Flags extends ConfigFlags>(
  flags: Flags,
  loaded: LoadedConfig,
  { env }: Pick<Terminal, 'env'>,
): Flags & { readonly settings: ConfigValues } {
  const { values: settings } = loaded
  const maxIterations = flags.maxIterations ?? settings.maxIterations
  const limits = maxIterations === undefined ? {} : { maxIterations }
  return { ...flags, ...modelOf(flags, loaded, env), ...limits, settings }
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
  return baseUrl === undefined || /^(openai:|ollama:|offline$)/.test(named) ? {} : { model: named, baseUrl, namedBy }
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
    write: (text) => output.write(text),
  }
}
