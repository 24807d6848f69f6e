import type { Command } from 'commander'
import { type ShowFlags, showCommand } from '../show-command.ts'
import type { Terminal } from '../terminal.ts'
import { type End, whereSessionsLie } from './shared.ts'

const showExamples = (terminal: Terminal) => `
Examples:
  rondo show s_054db6c3c2416ab6a10d1
  rondo show s_054db6c3c2416ab6a10d1 --json | jq .kind

${whereSessionsLie(terminal)}

Exit codes:
  0  shown            2  there is no such session, or it can't be read`

export function addShow(program: Command, terminal: Terminal, end: End): void {
  program
    .command('show')
    .summary('print a session')
    .description('Prints what happened in a session: what was asked, each tool call, the answers, how each run ended, what waits.')
    .argument('<session>', 'its id')
    .option('--json', 'print its journal, one entry a line')
    .addHelpText('after', showExamples(terminal))
    .action(async (sessionId: string, flags: ShowFlags) => end(await showCommand(sessionId, flags, terminal)))
}
