import { type Agent, RondoError, type Run, type Tools } from '../index.ts'
import { Drive } from './drive.ts'
import { type Reported, reporterOf } from './reporter.ts'
import { sandboxLines } from './sandbox-lines.ts'
import { openStand } from './stand.ts'
import { exitCodeOf } from './summary.ts'
import { CannotRun, type Interruption, type Terminal } from './terminal.ts'
import type { Toolset } from './toolset.ts'

/**
 * npm and npx pass on a Ctrl-C that the terminal has sent to this process too: what follows this soon (ms) is the same press of keys.
 */
export const samePressMs = 250

/** A run to be followed. It must park at once (`parkAfterMs: 0`): who is there is asked all the same. */
export interface Followed {
  readonly agent: Agent<Tools>
  start(signal: AbortSignal): Run
  readonly toolset: Toolset
}

/**
 * Starts a run, reports it to its end and resolves with the exit code. On a terminal it asks for the approvals that the run needs. The first interruption
 * aborts the run, the second one ends the process at once.
 */
export async function followRun({ agent, start, toolset }: Followed, reported: Reported, terminal: Terminal): Promise<number> {
  const controller = new AbortController()
  let firstAt: number | undefined
  const interrupted = (why: Interruption) => {
    if (firstAt === undefined) {
      firstAt = terminal.now()
      if (why !== 'reader-gone') reporter.aborting()
      controller.abort(new Error(interruptions[why]))
    } else if (why !== 'reader-gone' && terminal.now() - firstAt >= samePressMs) {
      stand?.close()
      terminal.exit(130)
    }
  }
  const drive = new Drive(agent, (event) => reporter.event(event))
  const stand =
    reported.as === 'json'
      ? undefined
      : openStand(terminal, {
          planned: toolset.planned,
          decide: (decision) => drive.decide(decision),
          leave: () => drive.leave(),
          onInterrupt: () => interrupted('SIGINT'),
        })
  const reporter = reporterOf(reported, terminal, stand?.screen)
  const stop = terminal.onInterruption(interrupted)
  try {
    // Only now: whoever sees that it began may interrupt it.
    reporter.begin()
    const ended = await drive.follow(start(controller.signal), stand?.desk, controller.signal)
    stand?.close()
    reporter.end(ended)
    if (reported.as !== 'json') terminal.stderr.write(await sandboxLines(toolset.sandbox, terminal.stderr))
    return exitCodeOf(ended)
  } catch (error) {
    // What the run does is in its result: this could not begin.
    throw RondoError.is(error) ? new CannotRun(error.message, { cause: error }) : error
  } finally {
    stand?.close()
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
