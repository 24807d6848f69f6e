import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wrapped } from '../../src/cli/text.ts'
import { masked } from '../cli/demo-text.ts'
import { install, packInto, pathWith } from '../setup/packed.ts'
import { settledScreen } from '../terminal/golden.ts'
import { type OpenTerminal, openTerminal } from '../terminal/open-terminal.ts'
import type { Step } from './steps.ts'

/** Where a newcomer begins: a folder of their own with the package in it. */
export interface Place {
  readonly folder: string
  /** Removes it. */
  leave(): void
}

/** A step that was done. */
export interface Walked {
  readonly step: Step
  readonly command: string
  /** As the terminal shows it, lines that are only broken at its right edge joined. */
  readonly shown: string
  readonly terminal: OpenTerminal
}

const files = {
  'package.json': '{ "name": "harbour", "private": true }\n',
  'README.md': '# Harbour lights\n\n## Tides\n\nHigh at noon.\n',
  'tides.csv': 'hour,metres\n12,4.1\n',
}

/** Packs the package and installs it into a new folder. */
export function settleIn(): Place {
  const parent = mkdtempSync(join(tmpdir(), 'rondo-tour-'))
  const folder = join(parent, 'harbour')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  // The folder stays as it is, so that what is said of its files does not change with versions.
  install(join('..', packInto(parent)), folder, '--no-save', '--no-package-lock')
  return { folder, leave: () => rmSync(parent, { recursive: true, force: true }) }
}

/** Does the steps one after another as one user: with an empty home, no key, and the Node of `binFolder`. */
export async function walk(steps: readonly Step[], { folder }: Place, binFolder: string): Promise<Walked[]> {
  const home = mkdtempSync(join(tmpdir(), 'rondo-newcomer-'))
  const env = { PATH: pathWith(binFolder), RONDO_HOME: undefined, npm_config_update_notifier: 'false' }
  const walked: Walked[] = []
  for (const step of steps) {
    const command = typeof step.command === 'string' ? step.command : step.command(walked.at(-1)?.shown ?? '')
    const terminal = await openTerminal({ columns: 80, command: ['sh', '-c', command], cwd: folder, home, env })
    await step.play?.(terminal)
    const { code } = await terminal.exit()
    const shown = terminal.lines()
    if (code !== step.exitCode) throw new Error(`${command} ended with ${code}, not ${step.exitCode}:\n${shown}`)
    walked.push({ step, command, shown, terminal })
  }
  return walked
}

const head = `# A first walk

What somebody sees who has just installed the package and has set nothing up: no key, no model server, no configuration, in a folder with two files of their
own (\`README.md\` and \`tides.csv\`). \`npm run tour\` packs the package, installs it into an empty folder, types these commands into a terminal and writes
this page; \`npm test\` does the same walk and fails when it shows anything else. Ids, dates, times and figures of the machine are replaced by words.
`

/** The page of a walk. */
export function pageOf(walked: readonly Walked[]): string {
  const sections = walked.map(({ step, command, shown, terminal }) => {
    const transcript = settled(`$ ${command}\n${shown}`, terminal)
    return `\n## ${step.title}\n\n${step.about}\n\n\`\`\`text\n${transcript}\`\`\`\n`
  })
  return head + sections.join('')
}

/** What differs from walk to walk replaced, paths by what a user would call them. */
function settled(transcript: string, { home, cwd }: OpenTerminal): string {
  const text = settledScreen(transcript.replaceAll(home, '~').replaceAll(cwd, '~/harbour'))
    .replaceAll(closedPort, usualPort)
    // Where a row is broken depends on how long the folder's real path is.
    .replace(/^(session s_ID)\n {2}begun/m, '$1 begun')
  return /^\$ npx rondo demo/.test(text) ? broken(masked(text, home)) : text
}

/** Where Ollama is looked for: here at a port without a server, for a newcomer at its usual one. */
const closedPort = 'http://127.0.0.1:PORT'
const usualPort = 'http://127.0.0.1:11434'

/** Sentences of the demo broken again, as it breaks them. */
function broken(text: string): string {
  return text.replace(/^ {3}(\S.*)$/gm, (line, words: string) => (line.length <= 80 ? line : wrapped(words, 80, '   ').trimEnd()))
}
