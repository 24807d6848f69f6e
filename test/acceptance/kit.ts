import { z } from 'zod'
import {
  Agent,
  type AgentOptions,
  type Entry,
  type Message,
  type Model,
  memory,
  type Part,
  RondoError,
  type RunEvent,
  type RunResult,
  resultText,
  type Store,
  type Tools,
  tool,
} from '../../src/index.ts'
import {
  flakyStore,
  type Script,
  type ScriptedModel,
  scripted,
  type VirtualClock,
  type VirtualWorld,
  virtualWorld,
} from '../../src/testing/index.ts'

export interface Lab {
  readonly world: VirtualWorld
  readonly clock: VirtualClock
  readonly store: Store
}

/** A world of its own, and a store whose clock is that world's. */
export function lab(): Lab {
  const world = virtualWorld()
  return { world, clock: world.clock, store: memory({ clock: () => world.clock.wall() }) }
}

export type ScriptedLab = Lab & { readonly model: ScriptedModel }

export function scriptedLab(replies: Script): ScriptedLab {
  const made = lab()
  return { ...made, model: scripted(replies, { clock: made.clock }) }
}

type Options<T extends Tools> = Omit<AgentOptions<T, undefined, unknown>, 'model' | 'world' | 'store'> & { model?: Model; store?: Store }

/** An agent that lives in a lab. */
export function agentIn<const T extends Tools = readonly []>(place: Lab & { readonly model?: Model }, options?: Options<T>): Agent<T> {
  const model = options?.model ?? place.model
  if (model === undefined) throw new Error('the lab has no model')
  return new Agent<T, undefined, unknown>({ store: place.store, ...options, model, world: place.world } as AgentOptions<
    T,
    undefined,
    unknown
  >) as Agent<T>
}

/** The same journal behind another handle: an agent on it shares nothing with others but what is stored, as in another process. */
export function otherProcess(store: Store): Store {
  return flakyStore(store, () => 'ok')
}

export const noInput = z.object({})

/** A tool without arguments that returns what the function does. */
export function plainTool<const N extends string>(name: N, execute: () => unknown, effect: 'read' | 'idempotent' | 'unsafe' = 'unsafe') {
  return tool({ name, description: name, inputSchema: noInput, effect, execute: () => execute() })
}

/** As `until` of the clock, for a store whose own work takes turns of the event loop (a file): time goes on when that is done. */
export async function untilWithFiles<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false
  const note = (): void => {
    settled = true
  }
  promise.then(note, note)
  for (let turn = 0; !settled && turn < 10_000; turn++) {
    for (let pause = 0; pause < 20; pause++) await new Promise((resolve) => setImmediate(resolve))
    // What another process has written to a file is looked for by the real clock, every half second.
    if (turn > 100) await new Promise((resolve) => setTimeout(resolve, 2))
    if (!settled) await clock.advance(50)
  }
  if (!settled) throw new Error('it has not settled')
  return promise
}

/** A reply that calls tools without arguments. */
export function asks(...names: string[]) {
  return { calls: names.map((name) => ({ name, input: {} })) }
}

/** A promise that the test settles itself. */
export function gate<T = void>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

export async function collect<X>(source: AsyncIterable<X>): Promise<X[]> {
  const all: X[] = []
  for await (const item of source) all.push(item)
  return all
}

/** The journal of a session, each entry as its kind and what matters of it. */
export async function journal(store: Store, session: string): Promise<string[]> {
  return (await collect(store.load(session))).map(entryLine)
}

export function entryLine(entry: Entry): string {
  switch (entry.kind) {
    case 'model.started': {
      const { n, attempt, purpose } = entry.data
      return `model.started ${n}.${attempt}${purpose === 'main' ? '' : ` ${purpose}`}`
    }
    case 'model.responded':
      return `model.responded ${entry.data.n}.${entry.data.attempt} ${entry.data.finish.unified}`
    case 'model.failed': {
      const { n, attempt, error, retryAt, partial } = entry.data
      const kept = partial === undefined ? '' : ` keeps ${JSON.stringify(partial)}`
      return `model.failed ${n}.${attempt} ${error.code}${retryAt === undefined ? ' final' : ' retry'}${kept}`
    }
    case 'call.prepared':
      return `call.prepared ${entry.data.callId}${entry.data.approval === undefined ? '' : ' asks'}`
    case 'call.started':
      return `call.started ${entry.data.callId}${entry.data.attempt === 1 ? '' : ` attempt ${entry.data.attempt}`}`
    case 'call.deferred':
      return `call.deferred ${entry.data.callId} ${entry.data.why}`
    case 'call.settled':
      return `call.settled ${entry.data.callId} ${entry.data.settlement.outcome}`
    case 'control':
      return `control ${entry.data.action}`
    case 'message':
      return `message ${entry.data.origin}`
    case 'approval.decided':
      return `approval.decided ${entry.data.decision}`
    case 'run.finished':
      return `run.finished ${entry.data.status} ${entry.data.reason}`
    case 'custom':
      return `custom ${entry.data.type}`
    default:
      return entry.kind
  }
}

/** A conversation as lines: who, what text, and each call with what the model reads as its result. */
export function lines(messages: Iterable<Message>): string[] {
  return [...messages].map(({ role, parts }) => `${role}: ${parts.map(partLine).join(' ')}`)
}

function partLine(part: Part): string {
  if (part.type === 'text') return part.text
  if (part.type === 'reasoning') return `(${part.text})`
  if (part.type !== 'tool-call') return `<${part.type}>`
  const { toolName, input, settlement } = part
  return `${toolName}${JSON.stringify(input)}→${settlement?.outcome ?? 'open'}:${resultText(part)}`
}

/** The types of events, deltas and status changes left out. */
export function story(events: readonly RunEvent[]): string[] {
  return events.filter((event) => !event.type.includes('delta') && event.type !== 'run.status').map((event) => event.type)
}

/** What a promise rejects with; an error that is none of ours fails the test. */
export async function refusal(promise: Promise<unknown>): Promise<RondoError> {
  return promise.then(
    (value) => {
      throw new Error(`it was accepted: ${JSON.stringify(value)}`)
    },
    (error: unknown) => ours(error),
  )
}

/** What a function throws. */
export function thrown(work: () => unknown): RondoError {
  try {
    work()
  } catch (error) {
    return ours(error)
  }
  throw new Error('it was accepted')
}

function ours(error: unknown): RondoError {
  if (RondoError.is(error)) return error
  throw error
}

/** Status and reason in one. */
export function end(result: RunResult): string {
  return `${result.status} ${result.reason}`
}

/** Unhandled rejections while the work goes on, and a little after. */
export async function strays(work: () => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  const note = (error: unknown): void => {
    seen.push(error)
  }
  // The test runner's own listener would fail the run before this one could say what it saw.
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', note)
  try {
    await work()
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.removeListener('unhandledRejection', note)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return seen
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  return value
}
