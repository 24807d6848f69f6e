import type { PlainLine } from './plain.ts'
import { doesTooMuch } from './starters.ts'

/** Subcommands that may be had with other arguments once somebody has said yes: they look, or they run what the project has for it. */
const subcommands: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    npm: ['test', 'ci', 'ls', 'outdated'],
    pnpm: ['test', 'lint', 'ls', 'outdated'],
    yarn: ['test', 'lint'],
    bun: ['test'],
    git: ['status', 'diff', 'log', 'show', 'blame', 'ls-files'],
    cargo: ['test', 'build', 'check', 'clippy', 'fmt'],
    go: ['test', 'build', 'vet'],
  }),
)

/**
 * What a yes to a line covers when it is remembered: `npm test`, `npm run build`, `git log` with whatever follows; else exactly this command. Nothing
 * for a line of several commands, and for a command that starts others.
 */
export function rememberedName({ commands }: PlainLine): string | false {
  const [command] = commands
  if (command === undefined || commands.length > 1 || doesTooMuch(command)) return false
  const [name, second = '', third = ''] = command
  const known = subcommands.get(name)
  if (known?.includes(second)) return `${name} ${second}`
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name) && second === 'run' && /^[a-z][a-z0-9:-]*$/.test(third)) return `${name} run ${third}`
  return command.map(shown).join(' ')
}

function shown(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
