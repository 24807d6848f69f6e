import type { Refusal } from '../core/accept.ts'
import type { DriverFacts } from '../core/config.ts'
import type { EntryBody } from '../core/entry.ts'
import { assert, RondoError } from '../core/error.ts'
import type { EventBody } from '../core/event.ts'
import { activeTime } from '../core/limits.ts'
import type { ParkFacts } from '../core/outcome.ts'
import { added } from '../core/plan.ts'
import { currentRun, type SessionState, type WaitingRun } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import type { Ages } from './ages.ts'
import type { Breath } from './breath.ts'
import type { Fact, Outcome } from './facts.ts'
import type { Hub } from './hub.ts'
import type { Keep, MediaFound } from './media.ts'
import type { Clock, RunPorts, World } from './ports.ts'
import { LazySignal } from './signal.ts'

/** An input with the id that makes a retry recognisable. Until it is recorded the signal of whoever says it can take it back. */
export type Input = EntryBody & { readonly id: string; readonly withdrawnBy?: AbortSignal }

/** Inputs of this process that are said together, waiting to be written; `settle` is called once with what became of them. */
export interface LocalInput {
  readonly bodies: readonly Input[]
  settle(answer: InputAnswer): void
}

export type InputAnswer =
  | { readonly ok: true }
  /** Refused by `accept`: nothing was written. */
  | { readonly ok: false; readonly refusal: Refusal }
  /** The activation ended first: ask the store. */
  | { readonly ok: false; readonly retry: true }

/** An activity that was started and has not settled. */
export interface Running {
  readonly key: string
  readonly signal: LazySignal
  /** How long it may take after an abort (ms), where that is not the run's own grace. */
  readonly graceMs: number | undefined
  /** When it was started; of verdicts and setups: since when they are waited for (monotonic ms). */
  begunAt: number
  /** Of what is waited for: the run's working time by then (ms). */
  workedBefore: number | undefined
  /** When it was told to stop (monotonic ms). */
  endedAt: number | undefined
  /** After an abort: when it no longer counts (monotonic ms). */
  graceEnd: number
}

/** What is shown of a model call while it streams. */
export interface Showing {
  /** The `model.started` entry. */
  readonly seq: number
  /** The text so far. */
  text(): string
  /** Each part as if it had come at once. */
  pieces(): readonly EventBody[]
  /** Nothing more comes out. */
  close(): void
}

export type StoreOperation = 'acquire' | 'load' | 'append' | 'renew' | 'release' | 'blobs.put' | 'blobs.get'

/** An operation of the store that the pump waits for: one at a time. */
export interface Asked {
  readonly operation: StoreOperation
  /** When it was first seen to be waited for, or last seen to move on (monotonic ms). */
  since: number | undefined
  giveUp(error: RondoError): void
}

/** One process driving one session for a while: everything the pump knows that is not in the journal. */
export interface Activation {
  readonly sessionId: string
  readonly store: Store
  readonly world: World
  readonly hub: Hub
  /** The live parts of a state's current run. */
  readonly portsOf: (state: SessionState) => RunPorts
  /**
   * Whether the current run needs what is not in this process: parts of its own, or tools of its open calls. The tools are there if `isClaimed`: who
   * has claimed it had them, and has made the later calls.
   */
  readonly lacksParts: (run: WaitingRun, state: SessionState, isClaimed: boolean) => boolean
  readonly owner: string
  /** 0 until the lease is held. */
  epoch: number
  readonly ttlMs: number
  /** Committed: what the store holds. */
  state: SessionState
  readonly running: Map<string, Running>
  /**
   * Verdicts and setups that are waited for, by key. A setup that was told to stop stays until the call that it was for has begun: `decide`
   * must know on the next look too that its time was over, for no entry says so.
   */
  readonly waiting: Map<string, Running>
  /** What `decide` is told of them. */
  readonly waited: (key: string) => number
  readonly workedBefore: (key: string) => number | undefined
  readonly isRunning: (key: string) => boolean
  outcomes: Outcome[]
  inputs: LocalInput[]
  /** Facts that were staged and not yet written. */
  facts: { readonly key: string; readonly fact: Fact }[]
  readonly media: MediaFound
  /** What is shown of the last model call. It may outlive its grace, and be dropped from what runs, before its failure is written. */
  shown: Showing | undefined
  /** Parsed arguments of prepared calls, so that they are validated once. */
  readonly parsed: Map<string, { readonly input: unknown; readonly value: unknown }>
  /** Somebody else has appended. */
  foreign: boolean
  /** How many entries the append in flight holds. */
  writing: number
  lost: { readonly reason: 'lease_lost' | 'session_error'; readonly error: RondoError } | undefined
  /** Best-effort durability gave the store up: the run goes on in memory. */
  detached: boolean
  /** Keeps bytes in the store; rejects when it does not answer. */
  readonly keep: Keep
  /** What the pump waits for the store to answer. */
  asked: Asked | undefined
  /** The store has not answered: it is not waited for again. */
  silent: boolean
  wake: (() => void) | undefined
  readonly startedAt: number
  readonly ages: Ages
  /** How far the store's clock is ahead of ours (ms), when that is more than an append takes: what is staged is stamped as the store would. */
  skewMs: number
  readonly breath: Breath | undefined
  /** Whether this activation has written anything besides its claim. */
  progressed: boolean
  /** The lease holds until then (monotonic ms). */
  leaseUntil: number
  /** Since when nothing runs (monotonic ms). */
  idleSince: number | undefined
}

export const engineVersion = '0.1.0'

export type ActivationEnd =
  /** Another process drives the session. */
  | { readonly kind: 'busy' }
  /** Every run has finished. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'parked'; readonly park: ParkFacts }

export function driverFacts(a: Activation, ports: RunPorts, state: SessionState): DriverFacts {
  const { live } = state
  const sliced = ports.timeSliceMs !== Number.POSITIVE_INFINITY && a.world.clock.monotonic() - a.startedAt >= ports.timeSliceMs
  const over = a.progressed && (sliced || a.world.suspendAlways === true)
  const run = currentRun(live)
  const isClaimed = live.epoch >= a.epoch
  const partsMissing = run !== undefined && (run.own !== undefined || !isClaimed) && a.lacksParts(run, state, isClaimed)
  return {
    epoch: a.epoch,
    owner: a.owner,
    engine: engineVersion,
    holdStarts: over,
    own: ports.own,
    partsMissing,
    age: a.ages.of,
    waited: a.waited,
    workedBefore: a.workedBefore,
    isRunning: a.isRunning,
  }
}

export function newRunning(key: string, begunAt: number, graceMs?: number): Running {
  return {
    key,
    signal: new LazySignal(),
    graceMs,
    begunAt,
    workedBefore: undefined,
    endedAt: undefined,
    graceEnd: Number.POSITIVE_INFINITY,
  }
}

/** From now on it is waited for: no entry says that it has begun. */
export function beginWaiting(a: Activation, { live: { run } }: SessionState, running: Running): void {
  const { clock } = a.world
  running.begunAt = clock.monotonic()
  running.workedBefore = run === undefined ? undefined : activeTime(run, clock.wall(), { age: a.ages.of })
  a.waiting.set(running.key, running)
}

/** How long an activity has been waited for (ms), until it was told to stop; 0 when it is not waited for. */
export function waitedFor(clock: Clock, running: Running | undefined): number {
  return running === undefined ? 0 : (running.endedAt ?? clock.monotonic()) - running.begunAt
}

/** An activity has ended: its facts wait in the mailbox, and the pump is called. */
export function deliver(a: Activation, key: string, facts: readonly Fact[]): void {
  a.outcomes = added(a.outcomes, { key, facts })
  poke(a)
}

/** What is shown of the model call that is open in a state; `undefined` when that was begun elsewhere. */
export function shownOf({ shown }: Activation, { live }: SessionState): Showing | undefined {
  return shown !== undefined && shown.seq === live.model?.seq ? shown : undefined
}

/** The same for what may take its time. */
export function deliverLater(a: Activation, key: string, facts: readonly Fact[] | Promise<readonly Fact[]>): void {
  if (!(facts instanceof Promise)) return deliver(a, key, facts)
  void facts.then(
    (later) => deliver(a, key, later),
    (error: unknown) => breakDown(a, error),
  )
}

export function poke(a: Activation): void {
  const wake = a.wake
  a.wake = undefined
  wake?.()
}

export function submitLocal(a: Activation, input: LocalInput): void {
  a.inputs.push(input)
  poke(a)
}

/** Waits for mail, or until `ms` have passed. */
export function nextMail(a: Activation, ms: number): Promise<void> {
  assert(a.wake === undefined, 'one pump waits at a time')
  return new Promise((resolve) => {
    const cancel = ms === Number.POSITIVE_INFINITY ? undefined : a.world.clock.timer(ms, () => poke(a))
    const wake = (): void => {
      cancel?.()
      resolve()
    }
    a.wake = wake
  })
}

/** An activity never rejects; should one do so all the same, the run must end and not wait for ever. */
function breakDown(a: Activation, error: unknown): void {
  a.lost ??= {
    reason: 'session_error',
    error: new RondoError('RunInvalidState', 'An activity of the engine broke. Please report this as a bug.', { cause: error }),
  }
  poke(a)
}
