import type { Command } from 'commander'
import type { ModelsFlags } from '../model-list/models-command.ts'
import type { Terminal } from '../terminal.ts'
import { configFlags, type End, wholeNumber } from './shared.ts'

const modelsExamples = `
What is known comes with this version, with its date and source; "models" in
rondo.config.json adds to it and goes over it. What is not known is "-".

Examples:
  rondo models claude sonnet
  rondo models --provider openai
  rondo models openai:gpt-5-mini
  rondo models --json | jq -r 'select(.prices.input < 0.2) | .model'

Exit codes:
  0  listed, or none fits                2  wrong usage, or no such provider`

export function addModels(program: Command, terminal: Terminal, end: End): void {
  program
    .command('models')
    .summary('list models, with limits and prices')
    .description('Lists models with context window, output limit, prices and abilities, or shows all that is known of one.')
    .argument('[model...]', 'a name or alias shows that model; other words are looked for in names')
    .option('--provider <name>', 'only models of this provider')
    .option('--limit <n>', 'so many at most (default: 50; with --json: all)', wholeNumber(1, 100_000))
    .option(...configFlags[0])
    .option(...configFlags[1])
    .option('--json', 'print one model a line as JSON')
    .addHelpText('after', modelsExamples)
    .action(async (words: readonly string[], flags: ModelsFlags) => {
      // What a help or a tab needs not is not loaded.
      const { modelsCommand } = await import('../model-list/models-command.ts')
      end(await modelsCommand(words, flags, terminal))
    })
}
