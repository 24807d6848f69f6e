import { InvalidArgumentError } from 'commander'
import { sessionsFile } from '../store.ts'
import type { Terminal } from '../terminal.ts'

/** Called with the exit code of the command that ran. */
export type End = (exitCode: number) => void

export const exitCodeHelp = `
Exit codes:
  0  completed        1  failed          2  it could not begin, or wrong usage
  3  met a limit      4  parked        130  aborted (Ctrl-C)`

export const outputAndKeys = `
The answer goes to standard output, everything else to standard error.

Keys and addresses come from the environment: OPENAI_API_KEY, OPENAI_BASE_URL,
OLLAMA_HOST, RONDO_API_KEY (for --base-url), RONDO_MODEL (the usual --model).
`

export const modelFlag = [
  '--model <name>',
  'openai:NAME, ollama:NAME or offline (default: what is there; the first line says which and why)',
] as const

export const baseUrlFlag = ['--base-url <url>', "a server with the same API as OpenAI's; --model is then the name of its model"] as const

export const eventsFlag = ['--json', 'print one event a line as JSON, and nothing else'] as const

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
