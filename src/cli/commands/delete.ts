import type { Command } from 'commander'
import { type DeleteFlags, deleteCommand } from '../delete-command.ts'
import type { Terminal } from '../terminal.ts'
import { type End, whereSessionsLie } from './shared.ts'

const deleteExamples = (terminal: Terminal) => `
Its entries are gone for good. Pictures and files that it refers to stay in the
sessions file: others may refer to them too.

Examples:
  rondo delete s_054db6c3c2416ab6a10d1 --yes
  rondo export notes notes.jsonl && rondo delete notes --yes

${whereSessionsLie(terminal)}

Exit codes:
  0  deleted             2  no --yes, no such session, or it is being worked on`

export function addDelete(program: Command, terminal: Terminal, end: End): void {
  program
    .command('delete')
    .summary('delete a session')
    .description('Deletes a session. Without --yes it says what would be gone, and nothing is.')
    .argument('<session>', 'its id')
    .option('--yes', 'do it')
    .option('--json', 'say what was deleted as JSON')
    .addHelpText('after', deleteExamples(terminal))
    .action(async (session: string, flags: DeleteFlags) => end(await deleteCommand(session, flags, terminal)))
}
