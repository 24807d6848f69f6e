import {
  Agent,
  type AgentOptions,
  type Clock,
  type Control,
  type Decision,
  type Entry,
  type Model,
  memory,
  type RunEvent,
  type RunResult,
  type Tool,
} from 'rondo'
import { type Script, scripted, type VirtualClock } from 'rondo/testing'
import { alwaysSuspend, testWorld } from '../../setup/checks.ts'
import { collect } from '../kit.ts'

/** The three ways to follow a run (promise 14). Each is an execution of its own, from the same start. */
export const modes = ['run', 'stream', 'listeners'] as const
export type Mode = (typeof modes)[number]

export interface Scene {
  readonly input: string
  readonly script: Script
  /** Made anew for each execution. */
  readonly tools?: (stage: Stage) => readonly Tool[]
  readonly options?: Partial<AgentOptions<readonly Tool[], undefined, unknown>>
  /** What its user says to the session, and when. */
  readonly acts?: readonly Act[]
  /** What another process is told that goes on with it, instead of the last act. */
  readonly resume?: { readonly decisions?: readonly Decision[] }
}

export interface Act {
  /** ms after the start. */
  readonly ms: number
  say(session: Control): Promise<void>
}

export interface Stage {
  readonly clock: Clock
  /** Aborts the run as its user would. */
  stop(reason: string): void
  /** Whether a tool has run under this idempotency key. */
  did(key: string): boolean
}

export interface Observed {
  readonly events: readonly RunEvent[]
  readonly entries: readonly Entry[]
  readonly result: RunResult
}

/** What a fresh virtual world calls its first session. */
export const firstSession = 's1'

/** Every event type there is: a new one that is missing here does not compile. */
const eventTypes: { readonly [type in RunEvent['type']]: true } = {
  'run.started': true,
  'run.status': true,
  'run.parked': true,
  'run.finished': true,
  'iteration.started': true,
  'iteration.finished': true,
  'message.added': true,
  'history.revised': true,
  'model.started': true,
  'model.finished': true,
  'model.failed': true,
  'model.retracted': true,
  'text.started': true,
  'text.delta': true,
  'text.finished': true,
  'reasoning.started': true,
  'reasoning.delta': true,
  'reasoning.finished': true,
  'output.partial': true,
  'call.input.delta': true,
  'call.announced': true,
  'approval.requested': true,
  'approval.decided': true,
  'call.started': true,
  'call.deferred': true,
  'call.progress': true,
  'call.settled': true,
  'usage.updated': true,
  'limit.warning': true,
  'hook.failed': true,
}

/** Collects all events of an agent's runs by its listeners. */
export function listen(agent: Agent<readonly Tool[], undefined, unknown>): RunEvent[] {
  const events: RunEvent[] = []
  for (const type of Object.keys(eventTypes) as RunEvent['type'][]) agent.on(type, (event) => events.push(event))
  return events
}

/** The model that plays a scene, where that is not the script itself. */
export interface Cast {
  readonly model: Model
  /** Lets virtual time go on until a promise has settled. */
  until<T>(clock: VirtualClock, promise: Promise<T>): Promise<T>
  assertDone(): void
}

function inProcess(scene: Scene, clock: VirtualClock): Cast {
  const model = scripted(scene.script, { clock })
  return { model, until: (_, promise) => clock.until(promise), assertDone: () => model.assertDone() }
}

/** Plays a scene from its start, followed in one of the three ways. */
export async function play(mode: Mode, scene: Scene, cast?: Cast): Promise<Observed> {
  const world = testWorld()
  const store = memory({ clock: () => world.clock.wall() })
  const controller = new AbortController()
  const stop = (reason: string) => controller.abort(new Error(reason))
  const tools = scene.tools?.({ clock: world.clock, stop, did: () => false }) ?? []
  const { model, until, assertDone } = cast ?? inProcess(scene, world.clock)
  const agent = new Agent<readonly Tool[], undefined, unknown>({ model, tools, world, store, ...scene.options })
  const options = { signal: controller.signal, parkAfterMs: Number.POSITIVE_INFINITY, throwOnError: false }
  const events = mode === 'stream' ? [] : listen(agent)
  const said = (scene.acts ?? []).map((act) => sayAt(world.clock, act, agent.session(firstSession)))
  let result: RunResult
  if (mode === 'run') result = await until(world.clock, agent.run(scene.input, options))
  else {
    const run = agent.stream(scene.input, options)
    if (mode === 'stream') await until(world.clock, readInto(events, run))
    result = await until(world.clock, run.result)
  }
  await Promise.all(said)
  assertDone()
  return { events, entries: await collect(store.load(result.sessionId)), result }
}

export function sayAt(clock: Clock, { ms, say }: Act, session: Control): Promise<void> {
  return new Promise((resolve, reject) => clock.timer(ms, () => say(session).then(resolve, reject)))
}

export async function readInto(events: RunEvent[], run: AsyncIterable<RunEvent>): Promise<void> {
  for await (const event of run) events.push(event)
}

/**
 * Events as they compare: whole. In always-suspend mode the journal also holds claims, so that seqs and with them cursors differ; all the
 * rest must be the same.
 */
export function comparable(events: readonly RunEvent[]): readonly object[] {
  if (!alwaysSuspend) return events
  return events.map(({ cursor: _cursor, of: _of, ...rest }) => rest)
}

/** Entries as they compare: whole. In always-suspend mode without the claims of reloads, renumbered as if they had never been. */
export function comparableEntries(entries: readonly Entry[]): readonly object[] {
  if (!alwaysSuspend) return entries
  const seqs = new Map<number, number>([[0, 0]])
  const ids = new Map<string, string>()
  let seq = 0
  const kept: object[] = []
  for (const entry of entries) {
    const reloaded = entry.kind === 'run.claimed' && entry.data.cause === 'resume'
    seqs.set(entry.seq, reloaded ? seq : ++seq)
    if (reloaded) continue
    ids.set(entry.id, `#${seq}`)
    const { epoch, ...rest } = entry
    kept.push({ ...rest, seq, id: ids.get(entry.id), ...(epoch === undefined ? {} : { epoch: 1 }) })
  }
  return kept.map((entry) => mapped(entry, seqs, ids))
}

/** What names a seq or an id names the renumbered one. */
function mapped(entry: object, seqs: ReadonlyMap<number, number>, ids: ReadonlyMap<string, string>): object {
  if (!('data' in entry) || typeof entry.data !== 'object' || entry.data === null) return entry
  const data: { [name: string]: unknown } = { ...entry.data }
  if ('contextThrough' in data) data['contextThrough'] = seqs.get(Number(data['contextThrough']))
  for (const name of ['request', 'approval']) if (typeof data[name] === 'string') data[name] = ids.get(data[name])
  return { ...entry, data }
}
