import { type Command, InvalidArgumentError } from 'commander'
import { toolWords } from '../config/tool-groups.ts'
import { providerNames } from '../providers/table.ts'
import { sessionsFile } from '../store.ts'
import type { Terminal } from '../terminal.ts'
import { wrapped } from '../text.ts'

/** Called with the exit code of the command that ran. */
export type End = (exitCode: number) => void

export const exitCodeHelp = `
Exit codes:
  0  completed        1  failed          2  it could not begin, or wrong usage
  3  met a limit      4  parked        130  aborted (Ctrl-C)`

export const outputAndKeys = `
The answer goes to standard output, everything else to standard error. Into a
file or pipe goes the answer alone. On a terminal you are asked before the agent
writes, runs a command or fetches a page; elsewhere the run parks (exit code 4).

Providers of --model, each with its key in the environment (OPENAI_API_KEY, …;
rondo doctor --verbose says which), or with none:
${wrapped(providerNames, 80, '  ')}
RONDO_API_KEY is the key for --base-url, RONDO_MODEL the usual --model.
What you always want goes into rondo.config.json: see docs/command.md.
`

export const modelFlag = [
  '--model <name>',
  'PROVIDER:NAME, as openai:gpt-5-mini or ollama:qwen3, or offline (default: what is there; the first line says which and why)',
] as const

export const baseUrlFlag = ['--base-url <url>', "a server with the same API as OpenAI's; --model is then the name of its model"] as const

export const verboseFlag = ['-v, --verbose', 'a log on standard error, a fact a line: [LLM], [ACT], [OBSERVE], …'] as const

/** Options of what the agent may do. */
export function addToolFlags(command: Command): void {
  command
    .option('--tools <names>', `its tools, with commas: ${toolWords.join(', ')}, or names of tools (default: all)`, names)
    .option('--sandbox', 'keep what it changes in memory, and start no process (needs npm install just-bash)')
    .option('--yes', 'ask nothing: let it write, run commands and fetch (--deny-command still holds)')
    .option('--allow-command <pattern>', "commands that run unasked, as 'npm test' or 'git log *'; repeatable", listed)
    .option('--deny-command <pattern>', 'commands that never run; repeatable', listed)
}

/** Names with commas between them; of an option that may be given several times. */
function names(text: string, so: readonly string[] = []): readonly string[] {
  const words = text.split(',').map((word) => word.trim())
  return [...so, ...words.filter((word) => word !== '')]
}

/** A parser of an amount of US dollars. */
export function dollars(text: string): number {
  const amount = Number(text.replace(/^\$/, ''))
  if (/^\$?\d*\.?\d+$/.test(text) && amount > 0) return amount
  throw new InvalidArgumentError('It must be an amount in US dollars above 0, as 0.50.')
}

export const eventsFlag = ['--json', 'print one event a line as JSON, and nothing else'] as const

/** The file of settings: both set `config`. */
export const configFlags = [
  ['--config <file>', 'take settings from this file alone'],
  ['--no-config', 'take no settings from files'],
] as const

/** Says where sessions lie. */
export function whereSessionsLie(terminal: Terminal): string {
  return `Sessions are kept in ${sessionsFile(terminal)} (RONDO_HOME names another folder).`
}

/** A parser of options. */
export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= from && number <= to) return number
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to.toLocaleString('en-US')}.`)
  }
}

/** Of an option that may be given several times. */
export function listed(text: string, so: readonly string[] = []): readonly string[] {
  return [...so, text]
}
