import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { addApprovals } from './commands/approvals.ts'
import { addChat } from './commands/chat.ts'
import { addCompletion } from './commands/completion.ts'
import { addDelete } from './commands/delete.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addExport } from './commands/export.ts'
import { addImport } from './commands/import.ts'
import { addModels } from './commands/models.ts'
import { addResume } from './commands/resume.ts'
import { addRun } from './commands/run.ts'
import { addSessions } from './commands/sessions.ts'
import type { End } from './commands/shared.ts'
import { addShow } from './commands/show.ts'
import { demoPart } from './demo/part.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { plain, styled } from './text.ts'

/** In the order of the help. */
const commands = [
  addDemo,
  addRun,
  addChat,
  addResume,
  addApprovals,
  addSessions,
  addShow,
  addExport,
  addImport,
  addDelete,
  addModels,
  addDoctor,
  addCompletion,
]

const rootExamples = `
Examples:
  rondo demo
  rondo run "what is in this folder?"
  rondo chat
  rondo sessions --here
  rondo show
  rondo show s_054db6c3c2416ab6a10d1
  rondo resume s_054db6c3c2416ab6a10d1
  rondo approvals
  rondo models claude
  rondo doctor
  rondo export s_054db6c3c2416ab6a10d1 session.jsonl

Each command has more with --help.`

/** Runs the command with its arguments and resolves with the exit code. Rejects for nothing but a defect of ours. */
export async function rondo(args: readonly string[], version: string, terminal: Terminal): Promise<number> {
  let exitCode = 0
  const program = buildProgram(version, terminal, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has written what there is to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof CannotRun)) throw error
    terminal.stderr.write(`${styled('rondo:', 'red', terminal.stderr)} ${plain(error.message)}\n`)
    return 2
  }
}

function buildProgram(version: string, terminal: Terminal, end: End): Command {
  const program = new Command('rondo')
    .description('An agent for the folder it stands in: it calls tools until it can answer, and asks before it changes anything.')
    .version(version, '-v, --version')
    .exitOverride()
    // -v belongs to this command before the name of another one, and to that one behind it.
    .enablePositionalOptions()
    .configureOutput(outputs(terminal))
    .showHelpAfterError('(--help shows the usage)')
    .addHelpText('after', rootExamples)
  for (const add of commands) add(program, terminal, end)
  program
    .command('demo-part', { hidden: true })
    .argument('<part>')
    .argument('<about>')
    .action(async (part: string, about: string) => end(await demoPart(part, about, terminal)))
  return program
}

function outputs({ stdout, stderr }: Terminal): OutputConfiguration {
  return {
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(plain(text)),
    outputError: (text, write) => write(text.replace(/^error: /, 'rondo: ')),
    getOutHelpWidth: () => stdout.columns ?? 80,
    getErrHelpWidth: () => stderr.columns ?? 80,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  }
}
