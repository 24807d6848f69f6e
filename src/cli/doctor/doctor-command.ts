import { folderOf } from '../command-agent.ts'
import type { ConfigFlags } from '../config/configured.ts'
import type { Output, Terminal } from '../terminal.ts'
import { jsonLine, padEnd, plain, styled, wrapped } from '../text.ts'
import type { Check, Looked } from './check.ts'
import { checkProviders } from './check-providers.ts'
import { checkSessions } from './check-sessions.ts'
import { checkParts, checkProxies, checkTerminal } from './check-surroundings.ts'
import { checkModel, checkOllama, checkRondo, checkSettings } from './checks.ts'
import { type Installed, installedHere } from './installed.ts'
import { maskerOf } from './masked.ts'

export interface DoctorFlags extends ConfigFlags {
  readonly json?: boolean
  readonly cwd?: string
  /** Also what is not there of every provider. */
  readonly verbose?: boolean
}

/**
 * Says what is there and what is missing; resolves with 0 when `rondo run` would work, also with the offline model alone, else with 1. Nothing is
 * changed or made, and of the network only an Ollama server is asked.
 */
export async function doctorCommand(flags: DoctorFlags, version: string, terminal: Terminal, installed?: Installed): Promise<number> {
  const folder = folderOf(flags.cwd, terminal)
  const checks = await checksOf({
    flags,
    folder,
    terminal,
    installed: installed ?? installedHere(version),
    inDetail: flags.verbose === true,
  })
  const masked = maskerOf(terminal.env)
  const works = checks.every(({ state }) => state !== 'broken')
  if (flags.json === true) {
    const report = { works, checks: checks.map(({ facts, ...check }) => ({ ...check, ...(facts === undefined ? {} : { facts }) })) }
    terminal.stdout.write(jsonLine(deeply(report, masked)))
  } else {
    const shown = (text: string) => plain(masked(atHome(text, terminal)))
    for (const check of checks) terminal.stdout.write(linesOf(check, shown, terminal.stdout))
    terminal.stdout.write(`\n${wrapped(conclusion(checks), columnsOf(terminal.stdout), '')}`)
  }
  return works ? 0 : 1
}

async function checksOf(looked: Looked): Promise<readonly Check[]> {
  const { check: settings, loaded } = checkSettings(looked)
  const ollama = await checkOllama(looked)
  return [
    ...checkRondo(looked),
    settings,
    ...checkProviders(looked),
    ollama,
    await checkModel(looked, loaded),
    await checkSessions(looked),
    ...checkParts(looked),
    checkTerminal(looked),
    checkProxies(looked),
  ]
}

/** Every text in the value, changed. */
function deeply(value: unknown, change: (text: string) => string): unknown {
  return JSON.parse(JSON.stringify(value, (_, own: unknown) => (typeof own === 'string' ? change(own) : own)))
}

/** With paths as their user writes them. */
function atHome(text: string, { home }: Terminal): string {
  return home === '' ? text : text.replaceAll(`${home}/`, '~/')
}

const marks = { ok: ['✓', 'green'], note: ['·', 'yellow'], broken: ['✗', 'red'] } as const
const nameColumns = 23
const mostColumns = 80
const besideColumns = 60

function columnsOf({ columns }: Output): number {
  return Math.min(columns ?? mostColumns, mostColumns)
}

/** Beside its name; on a screen that is too narrow for that, below it. */
function linesOf({ name, state, text, next }: Check, shown: (text: string) => string, output: Output): string {
  const columns = columnsOf(output)
  const isBeside = columns >= besideColumns
  const indent = ' '.repeat(isBeside ? nameColumns + 3 : 2)
  const lines = (words: string) => wrapped(shown(words), columns, indent)
  const [mark, style] = marks[state]
  const more = next === undefined ? '' : styled(lines(next), 'dim', output)
  const first = isBeside ? `${padEnd(name, nameColumns)} ${lines(text).slice(indent.length)}` : `${name}\n${lines(text)}`
  return `${styled(mark, style, output)} ${first}${more}`
}

function conclusion(checks: readonly Check[]): string {
  const broken = checks.filter(({ state }) => state === 'broken').map(({ name }) => name)
  if (broken.length > 0) return `rondo run does not work here. Broken: ${broken.join(', ')}.`
  const isOffline = checks.some(({ name, facts }) => name === 'model' && facts?.['provider'] === 'rondo')
  return isOffline ? 'rondo run works here, with the offline model: there is no language model.' : 'rondo run works here.'
}
