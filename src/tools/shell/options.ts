import { basename } from 'node:path'
import { RondoError } from '../../core/error.ts'
import type { Ask, Awaitable, ToolCallInfo } from '../../core/tool.ts'
import { isFolder } from './processes.ts'
import { checkRules, type ShellRules } from './rules.ts'
import type { ShellRuntime } from './runtime.ts'

export interface ShellInput {
  readonly command: string
  readonly timeoutMs?: number
  /** In a few words, for who is asked. */
  readonly description?: string
}

export interface ShellToolOptions {
  /** The folder in which commands run. No fence: a command reaches what its user reaches. */
  readonly cwd: string
  /** Default `shell`. */
  readonly name?: string
  /** What the model is told. */
  readonly description?: string
  /** Which commands run unasked, and which never. Default: none. */
  readonly rules?: ShellRules
  /**
   * Whether a human must agree to what no rule allows or denies. A function as in `tool()`; `true` from it asks as the rules would. Default true.
   * With false a command of which `deny` can't see everything is refused.
   */
  readonly needsApproval?: boolean | ((input: ShellInput, call: ToolCallInfo) => Awaitable<boolean | Ask>)
  /** A shell that takes `-c`. Default `/bin/sh`. */
  readonly shell?: string
  /**
   * Variables that commands get besides `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG`, `LC_*`, `TZ`, `TMPDIR`, `TEMP`, `TMP` of this process, `TERM=dumb` and
   * `NO_COLOR=1`. Commands, and so the model, can read them.
   */
  readonly env?: Readonly<Record<string, string>>
  /** Of a command whose call says none, in ms. Default 120,000. */
  readonly timeoutMs?: number
  /** The longest time a call may ask for, in ms. Default 600,000, or `timeoutMs` if that is more. */
  readonly maxTimeoutMs?: number
  /** Bytes of output in the result, half from the beginning and half from the end. Default 32,768. */
  readonly outputBytes?: number
  /** How long what is told to end may take (SIGTERM) until it is killed (SIGKILL), in ms. Default 2,000. */
  readonly graceMs?: number
  /** What runs the commands. Default: processes of this machine (not on Windows). */
  readonly runtime?: ShellRuntime
}

const known: ReadonlySet<string> = new Set(
  'cwd name description rules needsApproval shell env timeoutMs maxTimeoutMs outputBytes graceMs runtime'.split(' '),
)

/** Throws `ConfigInvalid` for options that can't work. */
export function checkShellOptions(options: ShellToolOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new RondoError('ConfigInvalid', "shellTool(): give it the folder that commands run in: shellTool({ cwd: '.' })")
  const wrong: string[] = []
  for (const key of Object.keys(options)) if (!known.has(key)) wrong.push(`unknown option '${key}'; there are ${[...known].join(', ')}`)
  const { cwd, rules, needsApproval, shell = '/bin/sh', env, runtime } = options
  if (typeof cwd !== 'string' || cwd === '') wrong.push('cwd must be the path of a folder')
  else if (runtime === undefined && !isFolder(cwd)) wrong.push(`cwd '${cwd}' is no folder`)
  for (const key of ['timeoutMs', 'maxTimeoutMs', 'outputBytes', 'graceMs'] as const) {
    const value = options[key]
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0 && value < 2 ** 31 - 1_000))
      wrong.push(`${key} must be a whole number greater than 0, not ${String(value)}`)
  }
  if (Number(options.timeoutMs) > Number(options.maxTimeoutMs)) wrong.push('timeoutMs is more than maxTimeoutMs')
  if (!['undefined', 'boolean', 'function'].includes(typeof needsApproval)) wrong.push('needsApproval must be true, false or a function')
  if (runtime === undefined && process.platform === 'win32') wrong.push('there is no shell for it on Windows; give a runtime')
  if (runtime !== undefined && typeof runtime.run !== 'function') wrong.push('runtime must have a function run')
  if (rules?.allow !== undefined && !/^(?:sh|bash|dash|ash|ksh)$/.test(basename(shell)))
    wrong.push(`rules.allow knows the language of sh, bash, dash, ash and ksh, not of '${shell}'`)
  for (const [name, value] of Object.entries(env ?? {}))
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || typeof value !== 'string' || value.includes('\0'))
      wrong.push(`env.${name} must be a text under a plain name`)
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `shellTool(): ${wrong.join('; ')}`)
  if (rules !== undefined) checkRules(rules)
}
