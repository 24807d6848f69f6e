import type { RunResult } from '../../index.ts'
import { PlainPage } from '../plain-page.ts'
import { reporterOf } from '../reporter.ts'
import { RunView } from '../run-view.ts'
import { sandboxLines } from '../sandbox-lines.ts'
import { exitCodeOf } from '../summary.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import type { ChatSettings } from './settings.ts'
import { slashOf } from './slash.ts'
import { Slashes } from './slashes.ts'
import { Talk } from './talk.ts'

const nothingToSay =
  'There is nothing to say. Without a terminal that can be drawn on, give what to say as words (rondo chat "…") or in lines on standard input.'

/** Bytes of all that is said. */
const maxBytes = 1_000_000

/**
 * A conversation without a terminal: each line of standard input is said when the answer to the one before is there. Resolves with the exit code of the last
 * run; the first that does not complete ends it.
 */
export async function chatByLines(
  settings: ChatSettings,
  sessionId: string | undefined,
  first: string,
  terminal: Terminal,
): Promise<number> {
  const said = terminal.stdin.isTTY ? '' : await terminal.stdin.read(maxBytes)
  const lines = [first, ...said.split(/\r\n?|\n/)].map((line) => line.trim()).filter((line) => line !== '')
  if (lines.length === 0) throw new CannotRun(nothingToSay)
  let view: RunView | undefined
  const talk = new Talk(settings, { event: (event) => view?.event(event), answering: undefined }, sessionId)
  let isAborted = false
  const stop = terminal.onInterruption((why) => {
    if (isAborted && why !== 'reader-gone') terminal.exit(130)
    isAborted = true
    talk.abort(`Ended by ${why}.`)
  })
  let last: RunResult | undefined
  let hasLeft = false
  const slashes = ({ sessionId: id }: Talk) =>
    new Slashes(settings, terminal, {
      sessionId: id,
      say: (text) => terminal.stdout.write(text),
      open: async (next) => {
        talk.sessionId = next
        last = await talk.goOn()
      },
      leave: () => {
        hasLeft = true
      },
    })
  try {
    last = await talk.goOn()
    for (const line of lines) {
      if (isAborted || (last !== undefined && last.status !== 'completed')) break
      const slash = slashOf(line)
      if (slash !== undefined) {
        await slashes(talk).run(slash)
        if (hasLeft) break
        continue
      }
      const page = new PlainPage(terminal, !terminal.stdout.isTTY)
      view = new RunView(page, terminal.stderr)
      last = await talk.say(line.replace(/^\/\//, '/'))
      page.end(last)
    }
  } finally {
    stop()
  }
  terminal.stderr.write(await sandboxLines(settings.toolset.sandbox, terminal.stderr))
  if (last === undefined) return isAborted ? 130 : 0
  if (last.status !== 'completed') reporterOf({ as: 'usual', line: '', kept: settings.kept }, terminal).end({ ...last, text: '' })
  return exitCodeOf(last)
}
