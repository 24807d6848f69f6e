import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { type ImportFlags, importCommand } from '../transfer/import-command.ts'
import { type End, whereSessionsLie } from './shared.ts'

const importExamples = (terminal: Terminal) => `
The whole file is looked at before anything of it is kept: one that is damaged,
cut, changed or of a newer version is refused, and its line is named.

Import what you trust: what a session says was approved counts when you resume
it. Go on with it in one place only: what it has begun would be done twice.
Under another id tools that guard against that take it for another session.

Examples:
  rondo import session.jsonl
  rondo import session.jsonl --as notes-2
  ssh there rondo export notes | rondo import -

${whereSessionsLie(terminal)}

Exit codes:
  0  imported            2  it can't be read or kept, or the session is there
  130  ended by Ctrl-C: nothing was imported`

export function addImport(program: Command, terminal: Terminal, end: End): void {
  program
    .command('import')
    .summary('take in a session that was exported')
    .description('Takes in a session from a file that rondo export has written, entry by entry as it was.')
    .argument('<file>', 'the file (-: standard input)')
    .option('--as <id>', 'keep it under this id (default: the one in the file)')
    .option('--json', 'say what was imported as JSON')
    .addHelpText('after', importExamples(terminal))
    .action(async (file: string, flags: ImportFlags) => end(await importCommand(file, flags, terminal)))
}
