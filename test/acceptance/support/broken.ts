import { Agent, type Entry, type Run, type RunEvent, type RunResult, type Tool } from 'rondo'
import { collect } from '../kit.ts'
import { firstSession, listen, type Mode, readInto, type Scene, sayAt } from './modes.ts'
import { mortal, type SharedLab, type StoreKind, sharedLab } from './processes.ts'

/** How the first process leaves a run that waits: it lets it park, or is killed. */
export const leavings = ['parked', 'killed'] as const
export type Leaving = (typeof leavings)[number]

/** What two processes showed of one run, and what they left behind. */
export interface Broken {
  readonly first: readonly RunEvent[]
  readonly second: readonly RunEvent[]
  readonly entries: readonly Entry[]
  readonly result: RunResult
}

interface AnyAgent extends Agent<readonly Tool[], undefined, unknown> {}

interface Followed {
  readonly seen: readonly RunEvent[]
  readonly result: Promise<RunResult>
}

/** Plays a scene in two processes: the first one is gone before the last act, instead of which the second one resumes. */
export async function playBroken(mode: Mode, kind: StoreKind, leaving: Leaving, scene: Scene): Promise<Broken> {
  const lab = sharedLab(kind, scene.script)
  const { clock } = lab
  const acts = scene.acts ?? []
  const process = mortal(lab)
  const agent = agentOf(process, scene)
  const said = acts.slice(0, -1).map((act) => sayAt(clock, act, agent.session(firstSession)))
  const gone = new Promise<void>((resolve) => clock.timer(acts.at(-1)?.ms ?? 0, resolve))
  const options = { parkAfterMs: leaving === 'parked' ? 0 : Number.POSITIVE_INFINITY, throwOnError: false }
  const before =
    mode === 'run' ? heard(agent, () => agent.run(scene.input, options)) : follow(mode, agent, () => agent.stream(scene.input, options))
  if (leaving === 'parked') await lab.until(before.result)
  await lab.until(gone)
  await Promise.all(said)
  process.kill()
  // What a dead process makes of its silence nobody sees.
  const first = [...before.seen]
  const other = agentOf(lab.process(), scene)
  const after = follow(mode, other, () => other.resume(firstSession, { ...scene.resume }))
  const result = await lab.until(after.result)
  lab.model.assertDone()
  return { first, second: after.seen, entries: await collect(lab.store.load(firstSession)), result }
}

function agentOf({ world, clock, model, store }: SharedLab, scene: Scene): AnyAgent {
  const tools = scene.tools?.({ clock, stop: () => {}, did: () => false }) ?? []
  return new Agent<readonly Tool[], undefined, unknown>({ model, tools, world, store, ...scene.options })
}

function heard(agent: AnyAgent, start: () => Promise<RunResult>): Followed {
  return { seen: listen(agent), result: start() }
}

function follow(mode: Mode, agent: AnyAgent, start: () => Run): Followed {
  if (mode !== 'stream') return heard(agent, () => start().result)
  const run = start()
  const seen: RunEvent[] = []
  const read = readInto(seen, run)
  return { seen, result: read.then(() => run.result) }
}
