// The scripts in real shells: keys are typed at a terminal, and what the shell then calls is looked at.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Shell, scripts, shells } from '../../../src/cli/completion/scripts.ts'
import { rondo } from '../../../src/cli/program.ts'
import { fakeTerminal } from '../fake-terminal.ts'
import { newFolder } from '../folders.ts'
import { homeWith, strangeIds } from './sessions.ts'

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

beforeAll(() => {
  if (!existsSync(main)) throw new Error('dist is missing: run npm run build first')
})

function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).error === undefined
}

/** A folder in which `rondo` answers as the command does when it is asked to complete, and else says what it was given. */
function desk(sessions: string) {
  const folder = newFolder({ 'notes.txt': '' })
  for (const name of ['bin', 'home', 'lights']) mkdirSync(join(folder, name))
  for (const shell of shells) writeFileSync(join(folder, `rondo.${shell}`), scripts[shell])
  const fake = `#!/bin/sh
[ "$1" = __complete ] && echo "$*" >> asked && exec '${process.execPath}' '${main}' "$@"
printf GIVEN; for word in "$@"; do printf '<%s>' "$word"; done; echo '=END'
`
  writeFileSync(join(folder, 'bin', 'rondo'), fake)
  chmodSync(join(folder, 'bin', 'rondo'), 0o755)
  const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const env = { PATH: path, HOME: join(folder, 'home'), RONDO_HOME: sessions, TERM: 'dumb', LANG: 'C.UTF-8', OLLAMA_HOST: 'ftp://none' }
  const asked = () => (existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8') : '')
  return { folder, env, asked, isUnharmed: () => !readdirSync(folder).includes('PWNED') }
}

interface Typed {
  readonly given: readonly string[]
  /** What the command was asked to complete. */
  readonly asked: string
  readonly isUnharmed: boolean
}

/** Types each line with a tab at its end, and returns what `rondo` was given, one a line. */
const typed: {
  readonly [shell in 'bash' | 'zsh']: (lines: readonly string[], sessions: string) => Typed
} = {
  bash(lines, sessions) {
    const { folder, env, asked, isUnharmed } = desk(sessions)
    const setUp = "PS1=; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; source rondo.bash\n"
    const input = `${setUp}${lines.map((line) => `${line}\t\n`).join('')}exit\n`
    const { stdout } = spawnSync('script', ['-qfec', 'bash --norc --noprofile -i', '/dev/null'], {
      cwd: folder,
      env,
      input,
      encoding: 'utf8',
      timeout: 100_000,
    })
    return { given: givenIn(stdout), asked: asked(), isUnharmed: isUnharmed() }
  },
  zsh(lines, sessions) {
    const { folder, env, asked, isUnharmed } = desk(sessions)
    const driver = `
zmodload zsh/zpty
zpty shell zsh -f -i
send() { zpty -w -n shell "$1" }
await() { local out; zpty -r shell out "*$1*"; print -r -- "$out" }
send $'PS1=; unsetopt beep; autoload -U compinit; compinit -u -d home/dump; source rondo.zsh; echo REA""DY\\n'
await READY
for line in "$@"; do send "$line"$'\\t\\n'; await '=END'; done
send $'exit\\n'
`
    writeFileSync(join(folder, 'driver.zsh'), driver)
    const { stdout } = spawnSync('zsh', ['-f', 'driver.zsh', ...lines], { cwd: folder, env, encoding: 'utf8', timeout: 100_000 })
    return { given: givenIn(stdout), asked: asked(), isUnharmed: isUnharmed() }
  },
}

function givenIn(screen: string): string[] {
  return [...screen.matchAll(/GIVEN(.*?)=END/g)].map(([, words = '']) => words)
}

/** What is offered for each line. */
function offeredByFish(lines: readonly string[], sessions: string) {
  const { folder, env, isUnharmed } = desk(sessions)
  const program = 'source rondo.fish; for line in $argv; complete -C "$line"; echo =END; end'
  const { stdout } = spawnSync('fish', ['-N', '-c', program, ...lines], { cwd: folder, env, encoding: 'utf8', timeout: 100_000 })
  const answers = stdout.split('=END\n').slice(0, -1)
  const offered = answers.map((answer) => answer.split('\n').flatMap((one) => (one === '' ? [] : [one.split('\t')[0]])))
  return { offered, isUnharmed: isUnharmed() }
}

/** A line before the tab, and what the command is given after it. */
const rows = [
  ['rondo sh', '<show>'],
  ['rondo show weather:r', '<show><weather:rome>'],
  ['rondo run --session weather:p', '<run><--session><weather:paris>'],
  ['rondo run --model=openai:gpt-5-m', '<run><--model=openai:gpt-5-mini>'],
  ['rondo run --model ol', '<run><--model><ollama:>'],
  ['rondo run look --cwd lig', '<run><look><--cwd><lights/>'],
  ['rondo run look at not', '<run><look><at><notes.txt>'],
  ['rondo nothing sh', '<nothing><sh>'],
] as const

/** Every id by enough of its beginning; what is typed has to be a word of its shell. */
const strange = strangeIds.map((id) => [`rondo show ${id.slice(0, 1).replace(/[*~]/, '\\$&')}`, `<show><${id}>`] as const)

const available: { readonly [shell in Shell]: boolean } = {
  bash: has('bash', '--version') && has('script', '--version'),
  zsh: has('zsh', '--version'),
  fish: has('fish', '--version'),
}
const lacking = shells.filter((shell) => !available[shell])
if (lacking.length > 0)
  console.log(`not checked: the completion scripts for ${lacking.join(', ')}, which are not installed here (bash needs script, too)`)

for (const shell of ['bash', 'zsh'] as const)
  describe.skipIf(!available[shell])(`${shell}, with keys typed at a terminal`, { timeout: 120_000 }, () => {
    test('completes commands, options, values, sessions, files and folders', async () => {
      const { given } = typed[shell](
        rows.map(([line]) => line),
        await homeWith(['weather:paris', 'weather:rome']),
      )
      // zsh takes the slash away again when the line is accepted.
      expect(given.map((words) => words.replace('lights>', 'lights/>'))).toEqual(rows.map(([, words]) => words))
    })

    test('an id with strange characters is one word, and nothing of it is run', async () => {
      const { given, isUnharmed } = typed[shell](
        strange.map(([line]) => line),
        await homeWith(strangeIds),
      )
      expect([given, isUnharmed]).toEqual([strange.map(([, words]) => words), true])
    })

    test('what is typed is not run by the tab', async () => {
      // The shell itself would run it once the line is entered, but for the `false` before.
      const { given, asked, isUnharmed } = typed[shell](['false && rondo show $(touch PWNED) not\t; rondo x'], await homeWith(['notes']))
      expect([given, asked, isUnharmed]).toEqual([['<x>'], expect.stringContaining('-- show $(touch PWNED) not\n'), true])
    })
  })

describe.skipIf(!available.fish)('fish, asked what it offers', { timeout: 120_000 }, () => {
  test('completes commands, options, values, sessions, files and folders', async () => {
    const wanted = rows.map(([, words]) => words.replace(/^.*<(.*)>$/, '$1'))
    const { offered } = offeredByFish(
      rows.map(([line]) => line),
      await homeWith(['weather:paris', 'weather:rome']),
    )
    expect(offered).toEqual(wanted.map((word) => (word === 'sh' ? [] : [word])))
  })

  test('an id with strange characters is one word, and nothing of it is run, nor of what is typed', async () => {
    const lines = [...strange.map(([line]) => line), 'rondo show (touch PWNED) $(touch PWNED) ']
    const { offered, isUnharmed } = offeredByFish(lines, await homeWith(strangeIds))
    expect([offered.slice(0, -1), isUnharmed]).toEqual([strangeIds.map((id) => [id]), true])
  })
})

test('rondo completion prints the script of a shell; of another it says which there are', async () => {
  for (const shell of shells) {
    const terminal = fakeTerminal()
    expect([await rondo(['completion', shell], '1.2.3', terminal), terminal.out, terminal.err]).toEqual([0, scripts[shell], ''])
  }
  const terminal = fakeTerminal()
  expect([await rondo(['completion', 'tcsh'], '1.2.3', terminal), terminal.out, terminal.err]).toEqual([
    2,
    '',
    expect.stringContaining("'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish."),
  ])
  const help = fakeTerminal({ columns: 80 })
  expect(await rondo(['completion', '--help'], '1.2.3', help)).toBe(0)
  expect(help.out).toMatch(/source <\(rondo completion bash\).*\nExit codes:\n/s)
  expect(help.out.split('\n').filter((line) => line.length > 80)).toEqual([])
})
