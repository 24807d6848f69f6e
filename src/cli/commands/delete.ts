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
  0  deleted
  2  not deleted: the answer was no, nobody could be asked (--yes does without),
     no such session, or it is being worked on
130  interrupted at the question`

export function addDelete(program: Command, terminal: Terminal, end: End): void {
  program
    .command('delete')
    .summary('delete a session')
    .description('Deletes a session. On a terminal it asks first; elsewhere it needs --yes.')
    .argument('<session>', 'its id')
    .option('--yes', 'ask nothing')
    .option('--json', 'say what was deleted as JSON')
    .addHelpText('after', deleteExamples(terminal))
    .action(async (session: string, flags: DeleteFlags) => end(await deleteCommand(session, flags, terminal)))
}
