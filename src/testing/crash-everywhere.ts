import { messageOf } from '../core/error.ts'
import type { Schema } from '../core/schema.ts'
import type { Store } from '../core/store.ts'
import type { Tools } from '../core/tool.ts'
import type { World } from '../engine/ports.ts'
import type { AgentOptions } from '../options.ts'
import { memory } from '../stores/memory.ts'
import type { ContextOf } from '../types.ts'
import { livingIn } from './in-process.ts'
import { type Fate, Mortal } from './mortal.ts'
import { type VirtualWorld, virtualWorld } from './virtual-world.ts'

/** What a process of a scenario has. A new process has new ones, over the same sessions and the same time. */
export interface CrashPorts {
  readonly store: Store
  /** Time is virtual: whoever waits for something else than this clock waits in vain. A crashed process keeps its lease until that has run out. */
  readonly world: World
  /**
   * An agent's options in this process: with this `store` and `world`, and a model, tools, hooks and instructions that die with it. What a run is given besides
   * (`model`, `extraTools`, dependencies) does not.
   */
  inProcess<const T extends Tools = readonly [], const S extends Schema | undefined = undefined, C = ContextOf<T>>(
    options: AgentOptions<T, S, C>,
  ): AgentOptions<T, S, C>
}

export interface CrashOptions {
  /** Where sessions live; called once a play, with the time (ms since 1970). While it works no time passes. Default: `memory()`. */
  readonly open?: (clock: () => number) => Store
  /** How many processes of one play die, one after another. Default 1; each more multiplies the number of plays by that of places. */
  readonly deaths?: number
}

/** Virtual time after which a scenario hangs (ms). */
const longestMs = 24 * 3_600_000

/**
 * Plays a scenario once undisturbed, and then once for each place at which its process can die: before and after each operation of the store,
 * each execution of a tool, each `reconcile`, `needsApproval`, hook and dynamic instructions, each timer, and at the begin and the end of each
 * model response. What has died never writes again and never gets an answer; then the scenario is called again, as a new process, and goes
 * on to the end.
 *
 * So write the scenario as the `main` of a program that may be started again: it begins the session if there is none, and resumes it otherwise.
 * It must do the same each time that it is called with the same sessions, and wait for nothing but its ports. A model that gives its
 * replies by the turn (`scripted(replies, { by: 'turn' })`) gives a new process the reply that the dead one did not live to see.
 *
 * `check` is called, and awaited, after each play with what the last process returned, the number of the play (0: nobody died) and the places where
 * processes died. What it throws is thrown on, with the place; so is what the scenario throws. `crashes` is how many plays had one. Nothing else is
 * judged: compare what your tools did with what the result says.
 *
 * ```ts
 * const paid: string[] = [] // outlives every process
 * const payTheBill = async ({ store, inProcess }: CrashPorts) => {
 *   const pay = tool({ name: 'pay', description: 'Pays', inputSchema: z.object({}), execute: (_, { callId }) => paid.push(callId) })
 *   const model = scripted([{ calls: [{ name: 'pay', input: {} }] }, 'Done.'], { by: 'turn' })
 *   const agent = new Agent(inProcess({ model, tools: [pay] }))
 *   if ((await store.list()).length === 0) {
 *     paid.length = 0
 *     return agent.run('Pay the bill', { session: 'bill' })
 *   }
 *   const over = (await agent.session('bill').status()) === 'completed'
 *   return (over ? agent.attach('bill') : agent.resume('bill')).result
 * }
 * const { crashes } = await crashEverywhere(payTheBill, (result) => {
 *   expect(result.status).toBe('completed')
 *   expect(paid.length).toBeLessThanOrEqual(1)
 * })
 * ```
 */
export async function crashEverywhere<R>(
  scenario: (ports: CrashPorts) => Promise<R>,
  check: (result: R, crashedAt: number, places: readonly string[]) => void | Promise<void>,
  { open, deaths = 1 }: CrashOptions = {},
): Promise<{ crashes: number }> {
  const sweep: Sweep<R> = { scenario, check, open: open ?? ((clock) => memory({ clock })), deaths, plays: 0 }
  await playOn(sweep, [])
  return { crashes: sweep.plays - 1 }
}

interface Sweep<R> {
  readonly scenario: (ports: CrashPorts) => Promise<R>
  readonly check: (result: R, crashedAt: number, places: readonly string[]) => void | Promise<void>
  readonly open: (clock: () => number) => Store
  readonly deaths: number
  plays: number
}

/** One play, in which processes die as told and the next one lives to the end; then those in which it dies too. */
async function playOn<R>(sweep: Sweep<R>, deaths: readonly Death[]): Promise<void> {
  const crashedAt = sweep.plays++
  const life = new Life()
  const died = deaths.map(({ place }) => place)
  try {
    const result = await play(sweep, [...deaths.map((death) => death.again()), life])
    await sweep.check(result, crashedAt, died)
  } catch (cause) {
    const where = died.length === 0 ? 'without a crash' : `crash ${crashedAt} (${died.join(', then ')})`
    throw new Error(`crashEverywhere, ${where}: ${messageOf(cause)}`, { cause })
  }
  if (deaths.length >= sweep.deaths) return
  for (const index of life.places.keys()) await playOn(sweep, [...deaths, new Death(life.places, index)])
}

async function play<R>({ scenario, open }: Sweep<R>, fates: readonly (Death | Life)[]): Promise<R> {
  const world = virtualWorld()
  const sessions = open(() => world.clock.wall())
  for (const fate of fates) {
    const process = new Mortal(fate, world, sessions)
    const result = await live(scenario, process, world)
    if (fate instanceof Life) return result()
    fate.assertCame()
  }
  throw new Error('nobody lived to the end')
}

/** Strikes nowhere, and knows where it could have. */
class Life implements Fate {
  readonly places: string[] = []

  strikes(place: string): boolean {
    this.places.push(place)
    return false
  }
}

/** Strikes at one place, to which the process must come by the same way as the one that lived. */
class Death implements Fate {
  readonly #places: readonly string[]
  readonly #index: number
  #count = 0
  #strayed: string | undefined

  constructor(places: readonly string[], index: number) {
    this.#places = places
    this.#index = index
  }

  get place(): string {
    return this.#places[this.#index] ?? ''
  }

  again(): Death {
    return new Death(this.#places, this.#index)
  }

  strikes(place: string): boolean {
    const index = this.#count++
    const due = this.#places[index]
    if (index <= this.#index && place !== due) this.#strayed ??= `place ${index + 1} was '${due}' and is '${place}' now`
    return index === this.#index
  }

  assertCame(): void {
    const strayed = this.#strayed ?? (this.#count <= this.#index ? `it ended after ${this.#count} places` : undefined)
    if (strayed === undefined) return
    throw new Error(`The scenario does not do the same each time: ${strayed}. It must wait for nothing but its ports, and keep nothing.`)
  }
}

/** A process from its begin to its end; what it still does when its result is known belongs to it. Returns what gives its result, or throws its error. */
async function live<R>(scenario: Sweep<R>['scenario'], process: Mortal, { clock }: VirtualWorld): Promise<() => R> {
  let result: (() => R) | undefined
  scenario({ store: process.store, world: process.world, inProcess: (options) => livingIn(process, options) }).then(
    (value) => {
      result = () => value
    },
    (error: unknown) => {
      result = () => {
        throw error
      }
    },
  )
  const end = clock.monotonic() + longestMs
  await clock.advance(0)
  for (;;) {
    await process.quiet()
    if (process.dead) return theDead
    if (result !== undefined) return result
    if (!(await clock.step())) throw new Error('The scenario waits for what never comes. It must wait for nothing but its ports.')
    if (clock.monotonic() > end) throw new Error(`The scenario has not ended within ${longestMs} ms of virtual time.`)
  }
}

function theDead(): never {
  throw new Error('The process died.')
}
