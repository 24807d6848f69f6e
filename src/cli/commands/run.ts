import type { Command } from 'commander'
import type { RunFlags } from '../run-command.ts'
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

const runExamples = `${outputAndKeys}
Examples:
  rondo run "outline the README and name the largest files"
  rondo run which files mention sqlite --cwd src
  rondo run "how many lines are in README.md" > answer.txt
  echo "list the files" | rondo run
  rondo run --model openai:gpt-5-mini "what does this project do?"
  rondo run --base-url http://localhost:8080/v1 --model qwen3 "list the files"
  rondo run --json "list the files" | tail -n 1
  rondo run "mend the typos in README.md"
  rondo run --yes --tools read,write "sort the entries of CHANGELOG.md"
  rondo run --output-schema sizes.json "how large is each file?" | jq
  git diff | rondo run "what could this break?" --file -
  rondo run --session s_054db6c3c2416ab6a10d1 "and the smallest?"
${exitCodeHelp}`

export function addRun(program: Command, terminal: Terminal, end: End): void {
  const run = program
    .command('run')
    .summary('run a task and print the answer')
    .description('Runs a task: the words, or what stands on standard input. Shows each tool call and how the run ended.')
    .argument('[task...]', 'what to do, in quotes or not')
    .option(...modelFlag)
    .option(...baseUrlFlag)
    .option('--cwd <dir>', 'the folder to work in (default: the current one)')
    .option('--max-iterations <n>', 'stop after so many model calls (default: 50)', wholeNumber(1, 1_000_000))
    .option('--max-cost <usd>', 'stop when it has cost so much (USD), where costs are known', dollars)
    .option('-f, --file <path>', 'a text or picture that goes with the task (- is standard input); repeatable', listed)
    .option('--output-schema <file>', 'a JSON Schema that the answer must fit; it is printed as JSON')
    .option('--session <id>', 'continue this session; an unknown id begins one')
    .option('--resume', "go on with the session's unfinished run: the same as rondo resume")
    .option(...configFlags[0])
    .option(...configFlags[1])
    .option(...eventsFlag)
    .option(...verboseFlag)
    .addHelpText('after', runExamples)
    .action(async (words: readonly string[], flags: RunFlags) => {
      // What a help or a tab needs not is not loaded.
      const { runCommand } = await import('../run-command.ts')
      end(await runCommand(words, flags, terminal))
    })
  addToolFlags(run)
}
