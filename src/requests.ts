import { messageEntries, refused } from './control.ts'
import type { Refusal } from './core/accept.ts'
import { messageOf } from './core/error.ts'
import type { JsonObject } from './core/json.ts'
import type { Message } from './core/message.ts'
import { hasNames, type OwnParts } from './core/own-parts.ts'
import { currentRun, type SessionState, type WaitingRun } from './core/state.ts'
import type { Input as DriverInput } from './engine/activation.ts'
import type { World } from './engine/ports.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import { toMessages } from './input.ts'
import type { Input } from './options.ts'
import type { AnyRunOptions } from './run-data.ts'

interface Request {
  readonly agent: { readonly name: string; readonly version?: string }
  readonly runId: string
  /** Of the entry. */
  readonly id: string
  readonly input: readonly Message[]
  readonly own: OwnParts | undefined
  /** The run whose end the message met. */
  readonly inherits?: string | undefined
}

/** The entry that asks for a run. */
export function requestEntry({ agent, runId, id, input, own, inherits }: Request): DriverInput {
  const { tools, options, data: given } = own ?? { tools: [], options: [] }
  const overrides: JsonObject = { ...given, ...(hasNames(own) ? { own: { tools, options } } : {}) }
  const data = {
    agent,
    input,
    task: 'run',
    ...(inherits === undefined ? {} : { inherits }),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
  } as const
  return { kind: 'run.requested', id, runId, data }
}

/** A run that is asked for; `defaults` are the agent's options. */
interface Asked {
  readonly driver: SessionDriver
  readonly world: World
  readonly agent: Request['agent']
  readonly defaults: Pick<AnyRunOptions, 'onBusy' | 'metadata'>
  readonly runId: string
  readonly input: Input
  readonly options: AnyRunOptions
  readonly own: OwnParts | undefined
}

/** Records what is asked for; resolves once it is durable, with the run of another caller if that is to do it. */
export async function recordRequest(asked: Asked): Promise<WaitingRun | undefined> {
  const { driver, world, agent, defaults, runId, input, options, own } = asked
  const id = world.id('e')
  const made = toMessages((bytes) => driver.keep(bytes), input, id)
  const messages = made instanceof Promise ? await made : made
  const onBusy = options.onBusy ?? defaults.onBusy ?? 'reject'
  const request = requestEntry({ agent, runId, id, input: messages, own })
  const first = sessionEntry(world.id('e'), options.metadata ?? defaults.metadata)
  const cancel = world.id('e')
  // What is aborted already is recorded and never begins.
  const { signal } = options
  const stillborn = signal?.aborted === true ? [cancelEntry(world.id('e'), runId, messageOf(signal.reason))] : []
  let taker: WaitingRun | undefined
  const make = (state: SessionState): readonly DriverInput[] | Refusal => {
    taker = undefined
    if (state.live.seq === 0) return [first, request, ...stillborn]
    const active = currentRun(state.live)
    if (active === undefined || onBusy === 'queue') return [request, ...stillborn]
    if (onBusy === 'reject') return busy(driver.sessionId)
    if (onBusy === 'interrupt') {
      const made = [request, ...stillborn]
      return isCancelled(state) || stillborn.length > 0 ? made : [cancelEntry(cancel, active.runId, 'Interrupted by a new run.'), ...made]
    }
    taker = active
    driver.attend(state)
    const said = messageEntries(state, messages, (index) => (index === 0 ? id : `${id}.${index}`))
    // The run is another caller's: this one's signal can take the message back, and not the run.
    return said.map((message) => ({ ...message, runId: active.runId, ...(signal === undefined ? {} : { withdrawnBy: signal }) }))
  }
  let refusal = await driver.input(make, options.session === undefined)
  // The run that was to be steered ended between the look and the write.
  while (refusal?.why === 'no_run') refusal = await driver.input(make)
  if (refusal !== undefined) throw refused(refusal)
  return taker
}

function sessionEntry(id: string, metadata: AnyRunOptions['metadata']): DriverInput {
  const data = metadata === undefined ? ({ version: 1 } as const) : ({ version: 1, metadata: structuredClone(metadata) } as const)
  return { kind: 'session', id, data }
}

function busy(sessionId: string): Refusal {
  const message = `Session '${sessionId}' has an unfinished run. Wait for it, resume it with agent.resume('${sessionId}'), or say what shall happen with onBusy: 'queue', 'steer' or 'interrupt'.`
  return { why: 'pending', message }
}

/** Whether the current run is being cancelled. */
export function isCancelled({ live }: SessionState): boolean {
  return (live.run ?? live.waiting[0])?.cancelledAt !== undefined
}

function cancelEntry(id: string, runId: string, reason: string): DriverInput {
  return { kind: 'control', id, runId, data: { action: 'cancel', reason } }
}
