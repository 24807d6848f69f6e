import type { Command } from 'commander'
import { type DoctorFlags, doctorCommand } from '../doctor/doctor-command.ts'
import type { Terminal } from '../terminal.ts'
import { baseUrlFlag, configFlags, type End, modelFlag } from './shared.ts'

const doctorExamples = `
It changes nothing, shows no key, and asks nobody but an Ollama server: on this
machine, or where OLLAMA_HOST says.

Examples:
  rondo doctor
  rondo doctor --model openai:gpt-5-mini
  rondo doctor --json | jq '.checks[] | select(.state != "ok")'

Exit codes:
  0  rondo run works here, if only with the offline model
  1  it does not: what is broken is marked with ✗
  2  wrong usage`

export function addDoctor(program: Command, terminal: Terminal, end: End): void {
  program
    .command('doctor')
    .summary('say what is there and what is missing')
    .description(
      'Looks at Node, settings, keys, models, the sessions file, optional parts and the terminal, and says how to get what is missing.',
    )
    .option(...modelFlag)
    .option(...baseUrlFlag)
    .option('--cwd <dir>', 'the folder that an agent would work in (default: the current one)')
    .option(...configFlags[0])
    .option(...configFlags[1])
    .option('-v, --verbose', 'every provider, with what it needs')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', doctorExamples)
    .action(async (flags: DoctorFlags) => end(await doctorCommand(flags, program.version() ?? 'unknown', terminal)))
}
