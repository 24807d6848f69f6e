import { Argument, type Command } from 'commander'
import { complete } from '../completion/complete.ts'
import { type Shell, scripts, shells } from '../completion/scripts.ts'
import { unquoted } from '../completion/unquoted.ts'
import { valuesFor } from '../completion/values.ts'
import type { Terminal } from '../terminal.ts'
import { oneLine } from '../text.ts'
import type { End } from './shared.ts'

const completionExamples = `
Examples, each for the shell's own file of settings:
  rondo completion bash     ~/.bashrc:  source <(rondo completion bash)
  rondo completion zsh      ~/.zshrc, after compinit:
                                        source <(rondo completion zsh)
  rondo completion fish     rondo completion fish \\
                              > ~/.config/fish/completions/rondo.fish

Commands, options, their values and the ids of sessions are completed. The
command has to be on the PATH as rondo.

Exit codes:
  0  printed          2  wrong usage`

export function addCompletion(program: Command, terminal: Terminal, end: End): void {
  program
    .command('completion')
    .summary('print a script that completes words in bash, zsh or fish')
    .description('Prints a script for a shell, so that the tab key completes commands, options, values and sessions.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText('after', completionExamples)
    .action((shell: Shell) => {
      terminal.stdout.write(scripts[shell])
      end(0)
    })
  program
    .command('__complete', { hidden: true })
    .argument('<shell>')
    .argument('[words...]')
    .action(async (shell: string, words: readonly string[]) => {
      terminal.stdout.write(await answer(program, shell, words, terminal))
      end(0)
    })
}

/** For the scripts. Somebody is typing: what goes wrong is no candidate, and not a word of it is said. */
async function answer(program: Command, shell: string, words: readonly string[], terminal: Terminal): Promise<string> {
  try {
    // What zsh hands over has no quotes any more; fish has taken them off the words before.
    const typed = shell === 'bash' ? words.map(unquoted) : shell === 'fish' ? [...words.slice(0, -1), unquoted(words.at(-1) ?? '')] : words
    const found = await complete(program, typed, valuesFor(terminal))
    if (found.kind !== 'values') return `${found.kind}\n`
    const lines = found.values.map(({ value, about = '' }) => (about === '' ? value : `${value}\t${oneLine(about)}`))
    return ['values', ...lines].map((line) => `${line}\n`).join('')
  } catch {
    return ''
  }
}
