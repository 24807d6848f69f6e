import { Command, CommanderError, InvalidArgumentError, type OutputConfiguration } from 'commander'
import { type ApprovalsFlags, approvalsCommand } from './approvals-command.ts'
import { actCount, type DemoFlags, demoCommand, maxSeed } from './demo/demo-command.ts'
import { demoPart } from './demo/part.ts'
import { type ResumeFlags, resumeCommand } from './resume-command.ts'
import { type RunFlags, runCommand } from './run-command.ts'
import { type ShowFlags, showCommand } from './show-command.ts'
import { sessionsFile } from './store.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { plain, styled } from './text.ts'

const exitCodeHelp = `
Exit codes:
  0  completed        1  failed          2  it could not begin, or wrong usage
  3  met a limit      4  parked        130  aborted (Ctrl-C)`

const rootExamples = `
Examples:
  rondo demo
  rondo run "what is in this folder?"
  rondo run find the largest files --cwd ~/projects
  rondo show s_054db6c3c2416ab6a10d1
  rondo resume s_054db6c3c2416ab6a10d1
  rondo approvals

Each command has more with --help.`

const outputAndKeys = `
The answer goes to standard output, everything else to standard error.

Keys and addresses come from the environment: OPENAI_API_KEY, OPENAI_BASE_URL,
OLLAMA_HOST, RONDO_API_KEY (for --base-url), RONDO_MODEL (the usual --model).
`

const runExamples = `${outputAndKeys}
Examples:
  rondo run "outline the README and name the largest files"
  rondo run which files mention sqlite --cwd src
  rondo run "how many lines are in README.md" > answer.txt
  echo "list the files" | rondo run
  rondo run --model openai:gpt-5-mini "what does this project do?"
  rondo run --base-url http://localhost:8080/v1 --model qwen3 "list the files"
  rondo run --json "list the files" | tail -n 1
  rondo run --session s_054db6c3c2416ab6a10d1 "and the smallest?"
${exitCodeHelp}`

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

const approvalsExamples = (file: string) => `
Examples:
  rondo approvals
  rondo approvals --json | jq -r .command

Sessions are kept in ${file} (RONDO_HOME names another folder).

Exit codes:
  0  listed, or nothing waits            2  a session can't be read`

const showExamples = (file: string) => `
Examples:
  rondo show s_054db6c3c2416ab6a10d1
  rondo show s_054db6c3c2416ab6a10d1 --json | jq .kind

Sessions are kept in ${file} (RONDO_HOME names another folder).

Exit codes:
  0  shown            2  there is no such session, or it can't be read`

const demoExamples = (file: string) => `
Examples:
  rondo demo
  rondo demo --act 2
  rondo demo --act 2 --seed 77
  rondo demo | cat

Each demo leaves a folder beside ${file}
(RONDO_HOME names another place); it may be deleted.

Exit codes:
  0  each act showed what it claims      1  one did not, or could not here
  2  wrong usage, or no folder could be made
  130  ended by Ctrl-C`

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

function buildProgram(version: string, terminal: Terminal, end: (exitCode: number) => void): Command {
  const program = new Command('rondo')
    .description('An agent that reads the folder it stands in: it calls tools until it can answer.')
    .version(version, '-v, --version')
    .exitOverride()
    .configureOutput(outputs(terminal))
    .showHelpAfterError('(--help shows the usage)')
    .addHelpText('after', rootExamples)
  addDemo(program, terminal).action(async (flags: DemoFlags) => end(await demoCommand(flags, terminal)))
  addRun(program).action(async (words: readonly string[], flags: RunFlags) => end(await runCommand(words, flags, terminal)))
  addResume(program).action(async (sessionId: string, flags: ResumeFlags) => end(await resumeCommand(sessionId, flags, terminal)))
  addApprovals(program, terminal).action(async (flags: ApprovalsFlags) => end(await approvalsCommand(flags, terminal)))
  addShow(program, terminal).action(async (sessionId: string, flags: ShowFlags) => end(await showCommand(sessionId, flags, terminal)))
  program
    .command('demo-part', { hidden: true })
    .argument('<part>')
    .argument('<about>')
    .action(async (part: string, about: string) => end(await demoPart(part, about, terminal)))
  return program
}

const modelFlag = [
  '--model <name>',
  'openai:NAME, ollama:NAME or offline (default: what is there; the first line says which and why)',
] as const
const baseUrlFlag = ['--base-url <url>', "a server with the same API as OpenAI's; --model is then the name of its model"] as const
const eventsFlag = ['--json', 'print one event a line as JSON, and nothing else'] as const

function addDemo(program: Command, terminal: Terminal): Command {
  return program
    .command('demo')
    .summary('show in a minute what is different here')
    .description(
      `Plays ${actCount} acts, each of which checks itself: a question about this folder, a payment whose process is killed, an approval that another process gives, a tool that ignores abort, and 2,000 steps beside a loop by hand. It asks for nothing and needs no key and no network.`,
    )
    .option('--act <n>', `play one act, 1 to ${actCount}`, wholeNumber(1, actCount))
    .option('--seed <n>', 'where act 2 kills its process: the same seed, the same place (default: any)', wholeNumber(0, maxSeed))
    .addHelpText('after', demoExamples(sessionsFile(terminal)))
}

function addRun(program: Command): Command {
  return program
    .command('run')
    .summary('run a task and print the answer')
    .description('Runs a task: the words, or what stands on standard input. Shows each tool call and how the run ended.')
    .argument('[task...]', 'what to do, in quotes or not')
    .option(...modelFlag)
    .option(...baseUrlFlag)
    .option('--cwd <dir>', 'the folder to read (default: the current one)')
    .option('--max-iterations <n>', 'stop after so many model calls (default: 50)', wholeNumber(1, 1_000_000))
    .option('--session <id>', 'continue this session; an unknown id begins one')
    .option('--resume', "go on with the session's unfinished run: the same as rondo resume")
    .option(...eventsFlag)
    .addHelpText('after', runExamples)
}

function addResume(program: Command): Command {
  return program
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
    .option('--cwd <dir>', 'the folder to read (default: where the session began)')
    .option('--max-iterations <n>', "the run's limit of model calls (default: the one it has)", wholeNumber(1, 1_000_000))
    .option(...eventsFlag)
    .addHelpText('after', resumeExamples)
}

function addApprovals(program: Command, terminal: Terminal): Command {
  return program
    .command('approvals')
    .summary('list the calls that wait for an approval')
    .description('Lists the calls of all sessions that wait for an approval, each with the command that answers it.')
    .option('--json', 'print one call a line as JSON')
    .addHelpText('after', approvalsExamples(sessionsFile(terminal)))
}

function addShow(program: Command, terminal: Terminal): Command {
  return program
    .command('show')
    .summary('print a session')
    .description('Prints what happened in a session: what was asked, each tool call, the answers, how each run ended, what waits.')
    .argument('<session>', 'its id')
    .option('--json', 'print its journal, one entry a line')
    .addHelpText('after', showExamples(sessionsFile(terminal)))
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

function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= from && number <= to) return number
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to.toLocaleString('en-US')}.`)
  }
}

/** Of an option that may be given several times. */
function listed(text: string, so: readonly string[] = []): readonly string[] {
  return [...so, text]
}
