import type { Command } from 'commander'
import type { ResumeFlags } from '../resume-command.ts'
import type { Terminal } from '../terminal.ts'
import {
  addToolFlags,
  baseUrlFlag,
  configFlags,
  dollars,
  type End,
  eventsFlag,
  exitCodeHelp,
  listed,
  modelFlag,
  outputAndKeys,
  verboseFlag,
  wholeNumber,
} from './shared.ts'

const resumeExamples = `
CALL is the id of a call that waits: rondo approvals and rondo show name it.
${outputAndKeys}
Examples:
  rondo resume s_054db6c3c2416ab6a10d1
  rondo resume s_054db6c3c2416ab6a10d1 --approve m1.0
  rondo resume s_054db6c3c2416ab6a10d1 --approve all --by ann
  rondo resume s_054db6c3c2416ab6a10d1 --approve m1.0 --input '{"path":"a.md"}'
  rondo resume s_054db6c3c2416ab6a10d1 --deny m1.0 --reason "ask me first"
  rondo resume s_054db6c3c2416ab6a10d1 --result m1.0='{"paid":true}'
${exitCodeHelp}`

export function addResume(program: Command, terminal: Terminal, end: End): void {
  const resume = program
    .command('resume')
    .summary('go on with a session, and answer what waits in it')
    .description('Goes on with a session after a crash, a park, a pause or a limit, and hands in answers to calls that wait.')
    .argument('<session>', 'its id')
    .option('--approve <call>', 'let this call run (all: every one that waits); repeatable', listed)
    .option('--deny <call>', 'refuse this call (all: every one that waits); repeatable', listed)
    .option('--reason <text>', 'with --deny: why; the model reads it')
    .option('--remember <scope>', 'run or session: calls like the approved ones need no approval until then')
    .option('--by <name>', 'who decides (default: your login name)')
    .option('--input <json>', 'with one --approve: arguments in place of those of the call')
    .option('--result <call=json>', 'the result of a call that waits for one from outside; repeatable', listed)
    .option(...modelFlag)
    .option(...baseUrlFlag)
    .option('--cwd <dir>', 'the folder to work in (default: where the session began)')
    .option('--max-iterations <n>', "the run's limit of model calls (default: the one it has)", wholeNumber(1, 1_000_000))
    .option('--max-cost <usd>', 'stop when the run has cost so much (USD), where costs are known', dollars)
    .option(...configFlags[0])
    .option(...configFlags[1])
    .option(...eventsFlag)
    .option(...verboseFlag)
    .addHelpText('after', resumeExamples)
    .action(async (sessionId: string, flags: ResumeFlags) => {
      // What a help or a tab needs not is not loaded.
      const { resumeCommand } = await import('../resume-command.ts')
      end(await resumeCommand(sessionId, flags, terminal))
    })
  addToolFlags(resume)
}
