import type { RunEvent, RunResult } from '../index.ts'
import { LivePage } from './live-page.ts'
import type { Page } from './page.ts'
import { answerHint, waitingLines } from './pending-lines.ts'
import { PlainPage } from './plain-page.ts'
import { RunView } from './run-view.ts'
import type { LiveScreen } from './screen/live.ts'
import { commandName, summaryLines, summaryOf } from './summary.ts'
import { TaggedLog } from './tagged-log.ts'
import type { Terminal } from './terminal.ts'
import { count, jsonLine, oneLine, plain, sessionWord, styled, withNewline } from './text.ts'

/** Says what happens. `begin` is called once, before the run starts, `end` once, after the last event. */
export interface Reporter {
  begin(): void
  event(event: RunEvent): void
  aborting(): void
  end(result: RunResult): void
}

/** Of a run: how to report it, the line about its model, and whether another process will find its session. */
export interface Reported {
  /** `verbose`: a log with a tag on each line in place of the usual lines. */
  readonly as: 'json' | 'verbose' | 'usual'
  readonly line: string
  readonly kept: boolean
  /** The answer is a value: shown as JSON when it is there, and not while it comes. */
  readonly asData?: boolean
}

export function reportAs({ json, verbose }: { readonly json?: boolean; readonly verbose?: boolean }): Reported['as'] {
  if (json === true) return 'json'
  return verbose === true ? 'verbose' : 'usual'
}

/** Into a file or another program goes the answer, and nothing is said beside it that asks for no action. */
export function saysLittle(as: Reported['as'], { stdout }: Pick<Terminal, 'stdout'>): boolean {
  return as === 'json' || (as === 'usual' && !stdout.isTTY)
}

export function reporterOf(reported: Reported, terminal: Terminal, screen?: LiveScreen): Reporter {
  if (reported.as === 'json') return jsonReporter(terminal)
  if (reported.as === 'verbose') return verboseReporter(terminal, reported, screen)
  const isQuiet = saysLittle(reported.as, terminal)
  const page = screen === undefined ? new PlainPage(terminal, isQuiet) : new LivePage(terminal, screen)
  return pageReporter(terminal, reported, page, isQuiet)
}

function jsonReporter({ stdout, stderr }: Terminal): Reporter {
  return {
    begin: () => {},
    event: (event: RunEvent) => stdout.write(jsonLine(event)),
    aborting: () => stderr.write('aborting …\n'),
    end: () => {},
  }
}

function pageReporter(terminal: Terminal, reported: Reported, page: Page, isQuiet: boolean): Reporter {
  const { stderr } = terminal
  const view = new RunView(page, stderr)
  const started = terminal.now()
  return {
    begin() {
      if (!isQuiet) stderr.write(`${styled(oneLine(reported.line), 'dim', stderr)}\n\n`)
    },
    event(event) {
      if (reported.asData !== true || !/^text\./.test(event.type)) view.event(event)
    },
    aborting: () => view.note('aborting …'),
    end(result) {
      view.finish(reported.asData === true ? { ...result, text: '' } : result)
      if (reported.asData === true) writeData(result, terminal)
      if (isQuiet && result.status === 'completed') return
      stderr.write(`${isQuiet ? '' : '\n'}${summaryLines(summaryOf(result, terminal.now() - started), stderr)}`)
      sayHowToGoOn(result, reported, terminal)
    },
  }
}

function verboseReporter(terminal: Terminal, reported: Reported, screen: LiveScreen | undefined): Reporter {
  const { stderr, stdout } = terminal
  const started = terminal.now()
  const log = new TaggedLog((line) => (screen === undefined ? stderr.write(`${line}\n`) : screen.print(`${line}\n`)))
  return {
    begin: () => log.say('INIT', reported.line),
    event: (event) => log.event(event),
    aborting: () => log.say('AGENT', 'aborting …'),
    end(result) {
      log.end()
      if (reported.asData === true) writeData(result, terminal)
      else if (result.text !== '' && result.status !== 'parked') stdout.write(withNewline(plain(result.text)))
      stderr.write(summaryLines(summaryOf(result, terminal.now() - started), stderr))
      sayHowToGoOn(result, reported, terminal)
    },
  }
}

/** For people over several lines, for programs in one. */
function writeData({ output, status }: RunResult, { stdout }: Terminal): void {
  if (output === undefined || (status !== 'completed' && status !== 'incomplete')) return
  stdout.write(stdout.isTTY ? `${plain(JSON.stringify(output, undefined, 2))}\n` : jsonLine(output))
}

function sayHowToGoOn(result: RunResult, { kept }: Reported, terminal: Terminal): void {
  if (!kept) return
  const { stderr } = terminal
  stderr.write(howToGoOn(result, terminal))
  const show = `${commandName(terminal)} show ${sessionWord(result.sessionId)}`
  stderr.write(`${styled(`session ${oneLine(result.sessionId)} · ${show}`, 'dim', stderr)}\n`)
}

function howToGoOn(result: RunResult, terminal: Terminal): string {
  const { sessionId, status } = result
  const { stderr } = terminal
  if (status === 'parked' && result.pending.length > 0) {
    const waiting = result.pending.map((call) => `${waitingLines(call, { sessionId }, terminal, stderr)}\n`).join('')
    return `The run is not over: ${count(result.pending.length, 'call waits', 'calls wait')} for an answer.\n\n${waiting}${answerHint(result.pending, stderr)}`
  }
  const isOpen = status === 'parked' || (status === 'failed' && result.resumable)
  return isOpen ? `The run is not over. To go on: ${commandName(terminal)} resume ${sessionWord(sessionId)}\n` : ''
}
