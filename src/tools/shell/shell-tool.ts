import { resolve } from 'node:path'
import { RondoError } from '../../core/error.ts'
import type { Ask, Tool, ToolCallInfo } from '../../core/tool.ts'
import { jsonSchema } from '../../json-schema/index.ts'
import { tool } from '../tool.ts'
import { environment } from './environment.ts'
import { checkShellOptions, type ShellInput, type ShellToolOptions } from './options.ts'
import { Output, type ShellText } from './output.ts'
import { processes } from './processes.ts'
import { Lines } from './progress.ts'
import { judge, type ShellVerdict } from './rules.ts'
import type { ShellRuntime } from './runtime.ts'

/** How a command ended. That it failed is a result too: `exitCode` says so. */
export interface ShellOutput extends ShellText {
  /** `null` if a signal has ended it. */
  readonly exitCode: number | null
  readonly signal?: string
  /** Ended because its time was over, in ms. */
  readonly timedOutAfterMs?: number
}

/**
 * A tool by which the model runs commands in a folder. It is `unsafe`: a command whose outcome a crash has lost does not run again unasked.
 *
 * - What ends a call (its time, an abort, the end of its shell) ends the whole process group, background jobs too. Standard input is empty.
 * - A command that fails is a result with its `exitCode`. What can't begin, and what a rule denies, is a `ToolExecutionError` for the model.
 * - Linux and macOS. On Windows give a `runtime`.
 *
 * Throws `RondoError` `ConfigInvalid` for options and rules that can't work, and if `cwd` is no folder.
 */
export function shellTool(options: ShellToolOptions): Tool<string, ShellInput, ShellInput, ShellOutput> {
  checkShellOptions(options)
  const { rules = {}, needsApproval = true, timeoutMs = 120_000, graceMs = 2_000 } = options
  // Where this process goes later is nothing to its commands. What a path means to another runtime is not for us to say.
  const cwd = options.runtime === undefined ? resolve(options.cwd) : options.cwd
  const runtime = options.runtime ?? processes(options.shell ?? '/bin/sh')
  const maxTimeoutMs = options.maxTimeoutMs ?? Math.max(600_000, timeoutMs)
  const shell: Shell = { cwd, env: options.env ?? {}, timeoutMs, graceMs, runtime, outputBytes: options.outputBytes ?? 32_768 }
  return tool({
    name: options.name ?? 'shell',
    description: options.description ?? describe(cwd, timeoutMs, options),
    effect: 'unsafe',
    graceMs: graceMs + 1_000,
    inputSchema: inputSchema(timeoutMs, maxTimeoutMs),
    needsApproval: (input, call) => approvalOf(judge(rules, input.command), needsApproval, input, call),
    execute: async (input, call) => {
      refuse(judge(rules, input.command), needsApproval === false && call.approvedBy === undefined)
      return await run(shell, input, call)
    },
    toModelOutput: modelText,
  })
}

async function approvalOf(
  verdict: ShellVerdict,
  needsApproval: NonNullable<ShellToolOptions['needsApproval']>,
  input: ShellInput,
  call: ToolCallInfo,
): Promise<boolean | Ask> {
  // What is denied is refused when it runs; nobody need be asked about it.
  if (verdict.kind !== 'ask') return false
  const wanted = typeof needsApproval === 'function' ? await needsApproval(input, call) : needsApproval
  if (wanted !== true) return wanted
  return { reason: verdict.reason, rememberAs: verdict.rememberAs, risk: verdict.rememberAs === false ? 'high' : 'medium' }
}

/** Looked at once more before it runs: a human may have edited the command, or another rule have allowed it. */
function refuse(verdict: ShellVerdict, unasked: boolean): void {
  if (verdict.kind === 'deny')
    throw new RondoError('ToolExecutionError', `Not run: a rule denies '${verdict.pattern}'. Do it another way, or tell the user.`)
  if (verdict.kind === 'ask' && verdict.doubt && unasked)
    throw new RondoError(
      'ToolExecutionError',
      'Not run: some commands are denied here, and not all that this one would run can be seen. Write it in plain commands: no variables, substitutions, eval, [[ or (( where a command or its arguments stand, and nothing fed to a shell.',
    )
}

interface Shell {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly graceMs: number
  readonly outputBytes: number
  readonly runtime: ShellRuntime
}

async function run(shell: Shell, input: ShellInput, call: ToolCallInfo): Promise<ShellOutput> {
  const { cwd, graceMs, runtime } = shell
  if (input.command.includes('\0')) throw new RondoError('ToolExecutionError', 'Not run: the command has a NUL character in it.')
  const timeoutMs = input.timeoutMs ?? shell.timeoutMs
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  const output = new Output(shell.outputBytes)
  const lines = new Lines((text) => call.progress({ output: text }))
  const onOutput = (bytes: Uint8Array) => {
    output.add(bytes)
    if (output.binary) lines.drop()
    else lines.add(bytes)
  }
  try {
    const signal = AbortSignal.any([call.signal, timeout.signal])
    const exit = await runtime.run({ command: input.command, cwd, env: environment(shell.env), signal, graceMs, onOutput })
    call.signal.throwIfAborted()
    lines.end()
    return { ...exit, ...(timeout.signal.aborted ? { timedOutAfterMs: timeoutMs } : {}), ...output.text() }
  } catch (error) {
    call.signal.throwIfAborted()
    throw cantBegin(error)
  } finally {
    clearTimeout(timer)
    lines.drop()
  }
}

function cantBegin(error: unknown): RondoError {
  if (RondoError.is(error)) return error
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown error'
  const why = code === 'E2BIG' ? 'it is too long; write a file and run that' : code
  return new RondoError('ToolExecutionError', `The command could not be begun: ${why}.`, { cause: error })
}

function modelText({ exitCode, signal, timedOutAfterMs, output, bytes, binary }: ShellOutput): string {
  const end = signal === undefined || signal === null ? `exit code ${exitCode}` : `ended by ${signal}`
  const time = timedOutAfterMs === undefined ? '' : `; its time was over after ${timedOutAfterMs} ms`
  if (binary === true) return `[${end}${time}]\n[${bytes} bytes of binary output, not shown]`
  return `[${end}${time}]\n${output === '' ? '[no output]' : output}`
}

function describe(cwd: string, timeoutMs: number, { shell = '/bin/sh', rules = {} }: ShellToolOptions): string {
  const allowed = (rules.allow ?? []).slice(0, 50).map((pattern) => `'${pattern}'`)
  return (
    `Runs a command line with ${shell} in ${cwd}. Each call is a new shell; nothing can be read from a terminal, and background jobs end with the ` +
    `call. Ends after ${timeoutMs} ms unless timeoutMs says otherwise.${
      allowed.length === 0
        ? ''
        : ` These run without asking the user, if written plainly (no variables, globs or redirections): ${allowed.join(', ')}.`
    }`
  )
}

function inputSchema(timeoutMs: number, maxTimeoutMs: number) {
  return jsonSchema<ShellInput>({
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, maxLength: 100_000, description: 'The command line.' },
      timeoutMs: { type: 'integer', minimum: 1, maximum: maxTimeoutMs, description: `Time limit in ms. Default ${timeoutMs}.` },
      description: { type: 'string', maxLength: 500, description: 'What the command is for, in a few words: shown to the user.' },
    },
    required: ['command'],
    additionalProperties: false,
  })
}
