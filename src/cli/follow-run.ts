import { RondoError, type Run } from '../index.ts'
import type { Reporter } from './reporter.ts'
import { exitCodeOf } from './summary.ts'
import { CannotRun, type Interruption, type Terminal } from './terminal.ts'

/**
 * npm and npx pass on a Ctrl-C that the terminal has sent to this process too: what follows this soon (ms) is the same press of keys.
 */
const samePressMs = 250

/**
 * Starts a run, reports it to its end and resolves with the exit code. The first interruption aborts the run, the second one ends the
 * process at once.
 */
export async function followRun(start: (signal: AbortSignal) => Run, reporter: Reporter, terminal: Terminal): Promise<number> {
  const controller = new AbortController()
  let firstAt: number | undefined
  const stop = terminal.onInterruption((why) => {
    if (firstAt === undefined) {
      firstAt = terminal.now()
      if (why !== 'reader-gone') reporter.aborting()
      controller.abort(new Error(interruptions[why]))
    } else if (why !== 'reader-gone' && terminal.now() - firstAt >= samePressMs) terminal.exit(130)
  })
  try {
    // Only now: whoever sees that it began may interrupt it.
    reporter.begin()
    const run = start(controller.signal)
    const { result } = run
    for await (const event of run) reporter.event(event)
    const ended = await result
    reporter.end(ended)
    return exitCodeOf(ended)
  } catch (error) {
    // What the run does is in its result: this could not begin.
    throw RondoError.is(error) ? new CannotRun(error.message, { cause: error }) : error
  } finally {
    stop()
  }
}

const interruptions: { readonly [why in Interruption]: string } = {
  SIGINT: 'Interrupted by Ctrl-C.',
  SIGTERM: 'Terminated by SIGTERM.',
  SIGHUP: 'The terminal was closed.',
  'reader-gone': 'The reader of the output is gone.',
  unwritable: 'The output could not be written.',
}
