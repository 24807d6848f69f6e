import type { RunEvent, RunResult } from '../index.ts'
import { answerHint, waitingLines } from './pending-lines.ts'
import { RunView } from './run-view.ts'
import { commandName, summaryLines, summaryOf } from './summary.ts'
import type { Terminal } from './terminal.ts'
import { count, jsonLine, oneLine, sessionWord, styled } from './text.ts'

/** Says what happens. `begin` is called once, before the run starts, `end` once, after the last event. */
export interface Reporter {
  begin(): void
  event(event: RunEvent): void
  aborting(): void
  end(result: RunResult): void
}

/** Of a run: how to report it, the line about its model, and whether another process will find its session. */
export interface Reported {
  readonly json: boolean
  readonly line: string
  readonly kept: boolean
}

export function reporterOf(reported: Reported, terminal: Terminal): Reporter {
  return reported.json ? jsonReporter(terminal) : screenReporter(terminal, reported)
}

function jsonReporter({ stdout, stderr }: Terminal): Reporter {
  return {
    begin: () => {},
    event: (event: RunEvent) => stdout.write(jsonLine(event)),
    aborting: () => stderr.write('aborting …\n'),
    end: () => {},
  }
}

function screenReporter(terminal: Terminal, { line, kept }: Reported): Reporter {
  const { stderr } = terminal
  const view = new RunView(terminal)
  const started = terminal.now()
  return {
    begin: () => stderr.write(`${styled(oneLine(line), 'dim', stderr)}\n\n`),
    event: (event) => view.event(event),
    aborting: () => view.note('aborting …'),
    end(result) {
      view.finish(result)
      stderr.write(`\n${summaryLines(summaryOf(result, terminal.now() - started), stderr)}`)
      if (!kept) return
      stderr.write(howToGoOn(result, terminal))
      const show = `${commandName(terminal)} show ${sessionWord(result.sessionId)}`
      stderr.write(`${styled(`session ${oneLine(result.sessionId)} · ${show}`, 'dim', stderr)}\n`)
    },
  }
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
