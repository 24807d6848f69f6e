import { type Command, Option } from 'commander'
import type { Terminal } from '../terminal.ts'
import { type ExportFlags, exportCommand, exportFormats } from '../transfer/export-command.ts'
import { type End, whereSessionsLie } from './shared.ts'

const exportExamples = (terminal: Terminal) => `
jsonl is the session as a whole, for rondo import: a header, its entries one a
line, the pictures and files that it refers to, and a checksum. markdown is for
people: it has no pictures, and cuts long results.

A file is written for its owner only, as a whole or not at all. It holds what
was said and read in the session: look through it before you pass it on.

Examples:
  rondo export s_054db6c3c2416ab6a10d1 session.jsonl
  rondo export s_054db6c3c2416ab6a10d1 --format markdown session.md
  rondo export s_054db6c3c2416ab6a10d1 | ssh there rondo import -

${whereSessionsLie(terminal)}

Exit codes:
  0  written            2  no such session, or it can't be read or written
  130  ended by Ctrl-C, or nobody reads the output`

export function addExport(program: Command, terminal: Terminal, end: End): void {
  program
    .command('export')
    .summary('write a session into a file')
    .description('Writes a session into one file, to keep it or to go on with it elsewhere.')
    .argument('<session>', 'its id')
    .argument('[file]', 'a new file (default, or -: standard output)')
    .addOption(new Option('--format <format>', 'jsonl or markdown (default: jsonl)').choices(exportFormats))
    .option('--force', 'replace a file that is there')
    .option('--json', 'with a file: say what was written as JSON')
    .addHelpText('after', exportExamples(terminal))
    .action(async (session: string, file: string | undefined, flags: ExportFlags) =>
      end(await exportCommand(session, file, flags, terminal)),
    )
}
