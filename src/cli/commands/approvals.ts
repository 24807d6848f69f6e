import type { Command } from 'commander'
import { type ApprovalsFlags, approvalsCommand } from '../approvals-command.ts'
import type { Terminal } from '../terminal.ts'
import { type End, whereSessionsLie } from './shared.ts'

const approvalsExamples = (terminal: Terminal) => `
Examples:
  rondo approvals
  rondo approvals --json | jq -r .command

${whereSessionsLie(terminal)}

Exit codes:
  0  listed, or nothing waits            2  a session can't be read`

export function addApprovals(program: Command, terminal: Terminal, end: End): void {
  program
    .command('approvals')
    .summary('list the calls that wait for an approval')
    .description('Lists the calls of all sessions that wait for an approval, each with the command that answers it.')
    .option('--json', 'print one call a line as JSON')
    .addHelpText('after', approvalsExamples(terminal))
    .action(async (flags: ApprovalsFlags) => end(await approvalsCommand(flags, terminal)))
}
