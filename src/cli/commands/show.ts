import type { Command } from 'commander'
import { type ShowFlags, showCommand } from '../show/show-command.ts'
import type { Terminal } from '../terminal.ts'
import { type End, whereSessionsLie } from './shared.ts'

const showExamples = (terminal: Terminal) => `
Examples:
  rondo show
  rondo show s_054db6c3c2416ab6a10d1
  rondo show s_054db6c3c2416ab6a10d1 --run r_06f3b1b6e0a5b4ca7e0f1 --verbose
  rondo show s_054db6c3c2416ab6a10d1 --json | jq .kind

${whereSessionsLie(terminal)}

Exit codes:
  0  shown            2  there is no such session or run, or it can't be read`

export function addShow(program: Command, terminal: Terminal, end: End): void {
  program
    .command('show')
    .summary('print a session')
    .description(
      'Prints what happened in a session: what was asked, a row for each model call and each tool call, the answers, how each run ended, what waits.',
    )
    .argument('[session]', 'its id (default: the newest)')
    .option('--run <id>', 'only this run')
    .option('--verbose', 'arguments and results of the calls as a whole')
    .option('--json', 'print its journal, one entry a line')
    .addHelpText('after', showExamples(terminal))
    .action(async (sessionId: string | undefined, flags: ShowFlags) => end(await showCommand(sessionId, flags, terminal)))
}
