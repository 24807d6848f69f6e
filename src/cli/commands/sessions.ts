import { type Command, Option } from 'commander'
import { maxHeads, shownStatuses } from '../session-list/find.ts'
import { type SessionsFlags, sessionsCommand } from '../session-list/sessions-command.ts'
import type { Terminal } from '../terminal.ts'
import { type End, whereSessionsLie, wholeNumber } from './shared.ts'

const sessionsExamples = (terminal: Terminal) => `
A status is that of the last run; interrupted: its process is gone, and rondo
resume goes on. Of a journal the first entries are read; it is read as a whole
with --totals only, and only of the sessions that are listed.

Examples:
  rondo sessions
  rondo sessions --here --since 2d
  rondo sessions --status failed incomplete interrupted
  rondo sessions --search "high tide" --totals
  rondo sessions --waiting --json | jq -r .sessionId

${whereSessionsLie(terminal)}

Exit codes:
  0  listed, or none fits                2  one can't be read, or wrong usage`

export function addSessions(program: Command, terminal: Terminal, end: End): void {
  program
    .command('sessions')
    .summary('list sessions')
    .description('Lists sessions, newest first: id, status, when it changed last, folder, and what was asked first.')
    .addOption(new Option('--status <status...>', 'only with one of these statuses').choices(shownStatuses))
    .option('--waiting', 'only those with a call that waits for a yes or no')
    .option('--folder <dir>', 'only those that began in this folder or below it')
    .option('--here', 'the same as --folder .')
    .option('--since <when>', 'only those that changed since: 30m, 3h, 2d, 1w ago, or a date (2026-11-28)')
    .option('--search <words>', 'only those with all these words in id, title, folder or what was asked first')
    .option('--limit <n>', 'so many at most (default: 20)', wholeNumber(1, maxHeads))
    .option('--totals', 'runs, calls, tokens and cost of each')
    .option('--json', 'print one session a line as JSON')
    .addHelpText('after', sessionsExamples(terminal))
    .action(async (flags: SessionsFlags) => end(await sessionsCommand(flags, terminal)))
}
