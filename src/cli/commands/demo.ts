import type { Command } from 'commander'
import { actCount, type DemoFlags, demoCommand, maxSeed } from '../demo/demo-command.ts'
import { sessionsFile } from '../store.ts'
import type { Terminal } from '../terminal.ts'
import { type End, wholeNumber } from './shared.ts'

const demoExamples = (terminal: Terminal) => `
Examples:
  rondo demo
  rondo demo --act 2
  rondo demo --act 2 --seed 77
  rondo demo | cat

Each demo leaves a folder beside ${sessionsFile(terminal)}
(RONDO_HOME names another place); it may be deleted.

Exit codes:
  0  each act showed what it claims      1  one did not, or could not here
  2  wrong usage, or no folder could be made
  130  ended by Ctrl-C`

export function addDemo(program: Command, terminal: Terminal, end: End): void {
  program
    .command('demo')
    .summary('show in a minute what is different here')
    .description(
      `Plays ${actCount} acts, each of which checks itself: a question about this folder, a payment whose process is killed, an approval that another process gives, a tool that ignores abort, and 2,000 steps beside a loop by hand. It asks for nothing and needs no key and no network.`,
    )
    .option('--act <n>', `play one act, 1 to ${actCount}`, wholeNumber(1, actCount))
    .option('--seed <n>', 'where act 2 kills its process: the same seed, the same place (default: any)', wholeNumber(0, maxSeed))
    .addHelpText('after', demoExamples(terminal))
    .action(async (flags: DemoFlags) => end(await demoCommand(flags, terminal)))
}
