import { expect, test } from 'vitest'
import { applyTo } from '../../src/core/apply.ts'
import { emptyState } from '../../src/core/state.ts'
import { Agent, done, type Message, memory, type Run, type Store, textOf } from '../../src/index.ts'
import { flakyStore, type Script, type ScriptedReply, scripted, virtualWorld } from '../../src/testing/index.ts'
import { asks, collect, plainTool } from '../acceptance/kit.ts'
import { alwaysSuspend, testWorld } from '../setup/checks.ts'
import { doubled } from './children.ts'

/** Who says the message: the run's handle, its session, another agent of the process, one of another process. */
const speakers = ['handle', 'session', 'sibling', 'elsewhere'] as const
type Speaker = (typeof speakers)[number]

/** How the run ends that it meets, by what the model answers first. */
const ends: { readonly [end: string]: { readonly first: ScriptedReply; readonly options?: object; readonly aborts?: true } } = {
  text: { first: { text: 'One.' } },
  'a text after a step': { first: asks('look') },
  'a done tool': { first: asks('finish') },
  'a failure': { first: { fail: { code: 'ModelBadRequest' } } },
  'an abort': { first: { text: 'One.' }, aborts: true },
  'a limit': { first: asks('look'), options: { limits: { maxIterations: 1, onLimit: 'incomplete' } } },
  'a wrap-up': { first: asks('look'), options: { limits: { maxIterations: 1 } } },
}

/** After each of these moments so many microtasks pass, on a store that answers at once; four times as many on one that takes its time. */
const ticks = Array.from({ length: alwaysSuspend ? 2 : 17 }, (_, tick) => tick)
const lags = [0, 60]
const atRest = ['completed', 'incomplete', 'failed', 'aborted']
/** The first one comes before the session is there. */
const firstMoment = 2

const tools = [plainTool('look', () => 'seen', 'read'), plainTool('finish', () => done('finished'), 'read')]

async function pass(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve()
}

/** A store that tells of each moment at which a driver's look at the journal and its writes to it may be overtaken. */
function slowStore(inner: Store, lag: number, moment: () => void): Store {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    moment()
    await pass(lag)
    const answer = await work()
    moment()
    await pass(lag)
    return answer
  }
  const own: Partial<Store> = {
    append: (...given) => around(() => inner.append(...given)),
    acquire: (...given) => around(() => inner.acquire(...given)),
    release: (...given) => around(() => inner.release(...given)),
  }
  return new Proxy(inner, {
    get: (target, key) => {
      const value: unknown = Reflect.get(own, key) ?? Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

interface Case {
  readonly speaker: Speaker
  readonly end: string
  readonly lag: number
  readonly tick: number
  /** The message is said after this moment of the driver's store. */
  readonly moment: number
}

/** Undefined: the run has no such moment. Else where the message was answered, or what is wrong. */
async function meet({ speaker, end, lag, tick, moment }: Case): Promise<string | undefined> {
  const world = alwaysSuspend ? testWorld() : virtualWorld()
  const inner = memory({ clock: () => world.clock.wall() })
  let moments = 0
  let said: Promise<string | undefined> | undefined
  const store = slowStore(inner, lag, () => {
    if (++moments === moment)
      said = pass(lag === 0 ? tick : 4 * tick)
        .then(say)
        .then(() => undefined, String)
  })
  const { first, options = {}, aborts } = ends[end] ?? { first: {} }
  const script: Script = Array.from({ length: 20 }, (_, asked) => (asked === 0 ? first : { text: `Answer ${asked}.` }))
  const model = scripted(script, { clock: world.clock })
  const shared = { model, tools, settings: { maxRetries: 0 }, world, ...options }
  const agent = new Agent({ ...shared, store })
  const voices = { sibling: new Agent({ ...shared, store }), elsewhere: new Agent({ ...shared, store: flakyStore(inner, () => 'ok') }) }
  const run: Run = agent.stream('Go.', { session: 's', parkAfterMs: 0 })
  const say = () => {
    if (aborts === true) run.abort().catch(() => {})
    if (speaker === 'handle') return run.send('And this?')
    return (speaker === 'session' ? agent : voices[speaker]).session('s').send('And this?')
  }
  await world.clock.until(run.result)
  // Whoever has heard of the message begins what it begins; the poll of another process is over too.
  await world.clock.advance(1_000)
  if (said === undefined) return undefined
  const refused = await said
  const [rest] = await inner.list()
  const last = await world.clock.until(voices.elsewhere.run('Next.', { session: 's', throwOnError: false }))
  if (refused !== undefined) return `refused: ${refused}`
  if (!atRest.includes(rest?.head?.status ?? '')) return `left alone: ${rest?.head?.status}`
  return whereItStands(inner, model.requests.at(-1)?.messages ?? [], last.runId)
}

/** Where the one message stands: it has one entry, one place in what the model is shown, and one run. */
async function whereItStands(store: Store, shown: Iterable<Message>, last: string): Promise<string> {
  const entries = await collect(store.load('s'))
  const saying = entries.filter((entry) => JSON.stringify(entry.data).includes('And this?') && entry.kind !== 'run.finished')
  const users = [...shown].filter(({ role }) => role === 'user').map(textOf)
  const times = users.filter((text) => text === 'And this?').length
  const runs: string[] = []
  const places: string[] = []
  const state = emptyState()
  for (const entry of entries) {
    applyTo(state, entry)
    const { ended } = state.live
    if (entry.kind !== 'run.finished' || ended === undefined) continue
    runs.push(ended.id)
    const turns = state.sealed.slice(ended.firstTurn, ended.lastTurn)
    places.push(...turns.filter(({ message }) => textOf(message) === 'And this?').map(() => ended.id))
  }
  const asked = entries.filter(({ kind }) => kind === 'run.requested').length
  const wrong = doubled(entries)
  if (saying.length !== 1 || times !== 1 || places.length !== 1 || asked !== runs.length || wrong.length > 0)
    return `wrong: ${saying.length} entries, ${users.join(' ')}, in ${places.join()} of ${runs.join()} ${wrong.join()}`
  if (places[0] === runs[0]) return 'in the run that it met'
  return places[0] === last ? 'in the next run that somebody asked for' : 'in a run of its own'
}

test('promise 1: a message at any instant of the end of a run, from any place, is in one turn of one run', {
  timeout: 600_000,
}, async () => {
  const seen = new Map<string, number>()
  const failures: string[] = []
  let played = 0
  for (const end of Object.keys(ends))
    for (const speaker of speakers)
      for (const lag of lags)
        for (const tick of ticks)
          for (let moment = firstMoment; ; moment++) {
            const one = { speaker, end, lag, tick, moment }
            const where = await meet(one)
            if (where === undefined) break
            played++
            seen.set(where, (seen.get(where) ?? 0) + 1)
            if (!where.startsWith('in ')) failures.push(`${JSON.stringify(one)}: ${where}`)
          }
  console.log(`${played} interleavings: ${[...seen].map(([where, count]) => `${count} ${where}`).join(', ')}`)
  expect(failures.slice(0, 5)).toEqual([])
  if (!alwaysSuspend) expect(played).toBeGreaterThan(10_000)
  expect([...seen.keys()].sort()).toEqual(['in a run of its own', 'in the next run that somebody asked for', 'in the run that it met'])
})
