import { commandName } from '../summary.ts'
import type { Terminal } from '../terminal.ts'
import { count, duration, oneLine, plain, shellWord, styled, wrapped } from '../text.ts'
import { abort } from './abort.ts'
import { type Act, type Stage, sayVerdict, type Verdict } from './act.ts'
import { approval } from './approval.ts'
import { Crew } from './crew.ts'
import { hello } from './hello.ts'
import { openKept } from './open.ts'
import { payment } from './payment.ts'
import { question } from './question.ts'
import { manySteps } from './steps.ts'

export interface DemoFlags {
  /** From 1; absent: all acts. */
  readonly act?: number
  /** Default: any. */
  readonly seed?: number
}

const acts: readonly Act[] = [question, payment, approval, abort, manySteps]

export const actCount = acts.length
export const maxSeed = 999_999

const firstLine = 'Rondo demo: replies scripted, no language model; loop, store, kill, clock real.'

/**
 * Plays the acts; resolves with 0 when each has shown what it claims, else with 1. Throws `CannotRun` where no folder can be made for what
 * they leave behind.
 */
export async function demoCommand({ act, seed }: DemoFlags, terminal: Terminal): Promise<number> {
  const crew = new Crew(terminal)
  const { folder, store, lacking } = await openKept(terminal)
  const stop = terminal.onInterruption((why) => {
    crew.killAll()
    if (why !== 'reader-gone') terminal.stderr.write(`\nStopped.${folder === '' ? '' : ` What was written lies in ${plain(folder)}`}\n`)
    terminal.exit(130)
  })
  try {
    const startedAt = terminal.now()
    const stage: Stage = { terminal, folder, store, crew, seed: seed ?? anySeed() }
    const chosen = act === undefined ? acts : acts.slice(act - 1, act)
    terminal.stdout.write(wrapped(firstLine, terminal.stdout.columns ?? 80, ''))
    let shown = 0
    for (const each of chosen) if (await played(each, stage, lacking)) shown++
    if (act === undefined) sayMore(stage)
    sayEnd(stage, `${shown} of ${count(chosen.length, 'act')} showed what ${chosen.length === 1 ? 'it claims' : 'they claim'}`, startedAt)
    return shown === chosen.length ? 0 : 1
  } finally {
    stop()
    crew.killAll()
    await store.close()
  }
}

function anySeed(): number {
  return Math.floor(Math.random() * 10_000)
}

async function played(act: Act, stage: Stage, lacking: string | undefined): Promise<boolean> {
  const { stdout } = stage.terminal
  const title = styled(`${acts.indexOf(act) + 1}  ${act.title}`, 'bold', stdout)
  stdout.write(`\n${title}\n${styled(wrapped(act.label, stdout.columns ?? 80, '   ').trimEnd(), 'dim', stdout)}\n\n`)
  const verdict = await verdictOf(act, stage, lacking)
  sayVerdict(stage, verdict)
  return verdict.shown
}

async function verdictOf(act: Act, stage: Stage, lacking: string | undefined): Promise<Verdict> {
  if (act.needsFile && lacking !== undefined)
    return { shown: false, text: `Not shown, for several processes must share a file. ${oneLine(lacking)}` }
  try {
    return await act.play(stage)
  } catch (error) {
    return { shown: false, text: oneLine(error instanceof Error ? error.message : String(error)) }
  }
}

/** The program behind the first act, and what to try next. */
function sayMore({ terminal, folder, seed }: Stage): void {
  const { stdout } = terminal
  const command = commandName(terminal)
  const next = [
    [`${command} run "Which files mention sqlite?"`, 'a question of yours, about the folder you are in'],
    ...(folder === ''
      ? [
          [`${command} demo --act 4`, 'one act again'],
          [`${command} --help`, 'all commands'],
        ]
      : [
          [`${command} demo --act 2 --seed ${(seed + 1) % (maxSeed + 1)}`, 'a kill somewhere else'],
          [`RONDO_HOME=${shellWord(folder)} ${command} show payment`, 'the journal that act 2 has left'],
        ]),
  ]
  const about = 'examples/hello.ts; as hello.mjs, where rondo is installed, it runs offline'
  stdout.write(`\n${styled(`The program, in ${hello.length} lines`, 'bold', stdout)}\n${styled(`   ${about}`, 'dim', stdout)}\n\n`)
  // Not indented: it is there to be copied.
  stdout.write(`${hello.join('\n')}\n`)
  stdout.write(`\n${styled('Next', 'bold', stdout)}\n\n`)
  for (const [text = '', what = ''] of next) stdout.write(`   ${styled(text, 'cyan', stdout)}\n      ${styled(what, 'dim', stdout)}\n`)
}

function sayEnd({ terminal, folder }: Stage, shown: string, startedAt: number): void {
  const { stdout } = terminal
  const where = folder === '' ? 'Nothing was kept.' : `Sessions and ledgers lie in ${plain(folder)}`
  stdout.write(`\n${shown}, in ${duration(terminal.now() - startedAt)}.\n${where}\n`)
}
