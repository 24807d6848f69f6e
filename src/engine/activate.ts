import { RondoError } from '../core/error.ts'
import { emptyState, type SessionState } from '../core/state.ts'
import type { Lease } from '../core/store.ts'
import { type Activation, type ActivationEnd, poke, type Running, waitedFor } from './activation.ts'
import { Ages } from './ages.ts'
import { storeError } from './append.ts'
import { breathOf } from './breath.ts'
import { headOf } from './head.ts'
import { heartbeat, leaseMarginMs, leaseMs, loseLease } from './lease.ts'
import { noMediaFound } from './media.ts'
import { planAtRest } from './park.ts'
import { answered, courtesyMs, readNews, within } from './patience.ts'
import { abort, pump } from './pump.ts'
import { foldAndShow } from './show.ts'

export type Start = Pick<Activation, 'sessionId' | 'store' | 'world' | 'hub' | 'portsOf' | 'lacksParts' | 'owner'> & {
  /** What an earlier activation of this process folded. */
  readonly warm: SessionState | undefined
  /** Called when the activation takes inputs, and with `undefined` when it no longer does. */
  attach(a: Activation | undefined): void
}

export interface Activated {
  readonly end: ActivationEnd
  readonly state: SessionState | undefined
  /** What was known at the end, also of a session that was lost: good for telling those who wait, not for going on. */
  readonly seen: SessionState | undefined
  readonly detached: boolean
  /** The store has not answered: asking it once more would take as long again. */
  readonly silent: boolean
}

/** One activation: acquire, load, pump, release (machine 3). Never acts on a fold made before `acquire`. */
export async function activate(start: Start): Promise<Activated> {
  const a = newActivation(start)
  const stopHeartbeat = heartbeat(a)
  let unwatch = (): void => {}
  try {
    if (!(await acquire(a))) return { end: { kind: 'busy' }, state: start.warm, seen: start.warm, detached: false, silent: false }
    unwatch = watch(a)
    await loadInto(a)
    refuseReadOnly(a.state)
    refuseOldEpoch(a)
    start.attach(a)
    const end = await pumpAndRelease(a)
    return { end, state: a.lost === undefined && !a.detached ? a.state : undefined, ...known(a) }
  } catch (cause) {
    // Nothing below throws for what a run does: this is a bug of ours or a journal that can't be read. It must end the run, not hang it.
    a.lost ??= { reason: 'session_error', error: storeError(cause) }
    await letGo(a)
    return { end: { kind: 'parked', park: { reason: a.lost.reason, error: a.lost.error.toData() } }, state: undefined, ...known(a) }
  } finally {
    start.attach(undefined)
    stopHeartbeat()
    unwatch()
    for (const running of a.running.values()) abort(a, running)
    // It may go on all the same, and another activation may show the same run.
    a.shown?.close()
    for (const input of a.inputs) input.settle({ ok: false, retry: true })
    a.inputs = []
  }
}

function known({ state, detached, silent }: Activation): Pick<Activated, 'seen' | 'detached' | 'silent'> {
  return { seen: state, detached, silent }
}

/** False: another process holds the session. */
async function acquire(a: Activation): Promise<boolean> {
  const asked = a.world.clock.monotonic()
  const answer = a.store.acquire(a.sessionId, { owner: a.owner, ttlMs: leaseMs })
  // Once it is too late the lease is of no use to us, and in the way of others.
  const giveBack = (lease: Lease | undefined): unknown =>
    a.silent && lease !== undefined && a.store.release(a.sessionId, { epoch: lease.epoch, expectedSeq: 0 })
  answer.then(giveBack).catch(() => {})
  const lease = await answered(a, 'acquire', answer)
  if (lease === undefined) return false
  a.epoch = lease.epoch
  a.leaseUntil = asked + leaseMs - leaseMarginMs
  return true
}

function watch(a: Activation): () => void {
  return a.store.watch(a.sessionId, a.state.live.seq, (seq) => {
    // Our own appends are no news.
    if (seq !== undefined && seq <= a.state.live.seq + a.writing) return
    a.foreign = true
    poke(a)
  })
}

function newActivation(start: Start): Activation {
  const { sessionId, store, world, hub, portsOf, lacksParts, owner, warm } = start
  const waiting = new Map<string, Running>()
  const running = new Map<string, Running>()
  return {
    sessionId,
    store,
    world,
    hub,
    portsOf,
    lacksParts,
    owner,
    epoch: 0,
    ttlMs: leaseMs,
    state: warm ?? emptyState(),
    running,
    shown: undefined,
    waiting,
    waited: (key) => waitedFor(world.clock, waiting.get(key)),
    workedBefore: (key) => waiting.get(key)?.workedBefore,
    isRunning: (key) => running.get(key)?.signal.aborted === false,
    outcomes: [],
    inputs: [],
    facts: [],
    media: noMediaFound(),
    parsed: new Map(),
    foreign: false,
    writing: 0,
    lost: undefined,
    detached: false,
    keep: (bytes) => within(world.clock, 'blobs.put', sessionId, store.blobs.put(bytes)),
    asked: undefined,
    silent: false,
    wake: undefined,
    startedAt: world.clock.monotonic(),
    ages: new Ages(world.clock),
    skewMs: 0,
    breath: breathOf(world.clock),
    progressed: false,
    leaseUntil: Number.POSITIVE_INFINITY,
    idleSince: undefined,
  }
}

function refuseReadOnly({ live }: SessionState): void {
  if (live.readOnly !== undefined) throw new RondoError('SessionMigrationFailed', live.readOnly)
}

/** What was running under an epoch that is not older than ours would be taken for our own, and begun again. */
function refuseOldEpoch({ sessionId, epoch, state }: Activation): void {
  if (epoch > state.live.epoch) return
  throw new RondoError(
    'SessionReadFailed',
    `Session '${sessionId}' was driven under epoch ${state.live.epoch} before, and its store gave ${epoch}. acquire() must give an epoch above those of all entries; see storeConformance in rondo/testing.`,
    { retryable: false },
  )
}

async function loadInto(a: Activation): Promise<void> {
  const naming = { sessionId: a.sessionId, isDynamic: (name: string) => a.portsOf(a.state).isDynamic(name) }
  await readNews(a, (entry) => foldAndShow(a.hub, a.state, entry, naming))
  a.hub.begin(a.state.live.seq)
  a.ages.begin(a.state.live)
}

/** The head is stored only if nothing came in between; else there is something to look at. */
async function pumpAndRelease(a: Activation): Promise<ActivationEnd> {
  for (;;) {
    const end = await pump(a)
    if (a.detached) return end
    if (a.lost !== undefined) {
      await letGo(a)
      return end
    }
    const head = headOf(a.state, planAtRest(a, a.state))
    const release = a.store.release(a.sessionId, { epoch: a.epoch, expectedSeq: a.state.live.seq, head })
    if (await answered(a, 'release', release).catch(() => true)) return end
    // Either something came in between, which is to be looked at, or the session is no longer ours.
    const held = await answered(a, 'renew', a.store.renew(a.sessionId, { epoch: a.epoch, ttlMs: a.ttlMs })).catch(() => false)
    if (held) a.foreign = true
    else loseLease(a)
  }
}

/** After a failure: a courtesy to whoever comes next, which nobody here waits for when the store does not answer. */
async function letGo(a: Activation): Promise<void> {
  if (a.epoch === 0) return
  const release = a.store.release(a.sessionId, { epoch: a.epoch, expectedSeq: a.state.live.seq })
  const done = within(a.world.clock, 'release', a.sessionId, release, courtesyMs).catch(() => false)
  if (!a.silent) await done
}
