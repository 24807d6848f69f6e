import { RondoError } from '../core/error.ts'
import { emptyState, type SessionState } from '../core/state.ts'
import { type Activation, type ActivationEnd, activePorts, poke } from './activation.ts'
import { Ages } from './ages.ts'
import { storeError } from './append.ts'
import { headOf } from './head.ts'
import { noMediaFound } from './media.ts'
import { planAtRest } from './park.ts'
import { abort, pump } from './pump.ts'
import { foldAndShow } from './show.ts'

/** A lease is held this long (ms) and renewed three times as often; the holder stops itself this much before its end. */
const leaseMs = 15_000
const leaseMarginMs = 1_000

export type Start = Pick<Activation, 'sessionId' | 'store' | 'world' | 'hub' | 'portsOf' | 'owner'> & {
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
}

/** One activation: acquire, load, pump, release (machine 3). Never acts on a fold made before `acquire`. */
export async function activate(start: Start): Promise<Activated> {
  const { store, sessionId, world, owner } = start
  const asked = world.clock.monotonic()
  const lease = await store.acquire(sessionId, { owner, ttlMs: leaseMs })
  if (lease === undefined) return { end: { kind: 'busy' }, state: start.warm, seen: start.warm, detached: false }
  const a = newActivation(start, lease.epoch, asked + leaseMs - leaseMarginMs)
  const stopHeartbeat = heartbeat(a)
  const unwatch = store.watch(sessionId, a.state.live.seq, (seq) => {
    // Our own appends are no news.
    if (seq !== undefined && seq <= a.state.live.seq + a.writing) return
    a.foreign = true
    poke(a)
  })
  try {
    await loadInto(a)
    refuseReadOnly(a.state)
    start.attach(a)
    const end = await pumpAndRelease(a)
    return { end, state: a.lost === undefined && !a.detached ? a.state : undefined, seen: a.state, detached: a.detached }
  } catch (cause) {
    // Nothing below throws for what a run does: this is a bug of ours or a journal that can't be read. It must end the run, not hang it.
    a.lost ??= { reason: 'session_error', error: RondoError.is(cause) ? cause : storeError(cause) }
    await store.release(sessionId, { epoch: a.epoch, expectedSeq: a.state.live.seq }).catch(() => false)
    return {
      end: { kind: 'parked', park: { reason: a.lost.reason, error: a.lost.error.toData() } },
      state: undefined,
      seen: a.state,
      detached: false,
    }
  } finally {
    start.attach(undefined)
    stopHeartbeat()
    unwatch()
    for (const running of a.running.values()) abort(a, running)
    for (const input of a.inputs) input.settle({ ok: false, retry: true })
    a.inputs = []
  }
}

function newActivation(start: Start, epoch: number, leaseUntil: number): Activation {
  const { sessionId, store, world, hub, portsOf, owner, warm } = start
  return {
    sessionId,
    store,
    world,
    hub,
    portsOf,
    owner,
    epoch,
    ttlMs: leaseMs,
    state: warm ?? emptyState(),
    running: new Map(),
    outcomes: [],
    inputs: [],
    facts: [],
    media: noMediaFound(),
    parsed: new Map(),
    foreign: false,
    writing: 0,
    lost: undefined,
    detached: false,
    wake: undefined,
    startedAt: world.clock.monotonic(),
    ages: new Ages(world.clock),
    skewMs: 0,
    progressed: false,
    leaseUntil,
    idleSince: undefined,
  }
}

function refuseReadOnly({ live }: SessionState): void {
  if (live.readOnly !== undefined) throw new RondoError('SessionMigrationFailed', live.readOnly)
}

async function loadInto(a: Activation): Promise<void> {
  const naming = { sessionId: a.sessionId, isDynamic: (name: string) => activePorts(a, a.state).isDynamic(name) }
  for await (const entry of a.store.load(a.sessionId, a.state.live.seq)) foldAndShow(a.hub, a.state, entry, naming)
  a.hub.begin(a.state.live.seq)
  a.ages.begin(a.state.live)
}

/** The head is stored only if nothing came in between; else there is something to look at. */
async function pumpAndRelease(a: Activation): Promise<ActivationEnd> {
  for (;;) {
    const end = await pump(a)
    if (a.detached) return end
    if (a.lost !== undefined) {
      await a.store.release(a.sessionId, { epoch: a.epoch, expectedSeq: a.state.live.seq }).catch(() => false)
      return end
    }
    const released = await a.store
      .release(a.sessionId, { epoch: a.epoch, expectedSeq: a.state.live.seq, head: headOf(a.state, planAtRest(a, a.state)) })
      .catch(() => true)
    if (released) return end
    // Either something came in between, which is to be looked at, or the session is no longer ours.
    const held = await a.store.renew(a.sessionId, { epoch: a.epoch, ttlMs: a.ttlMs }).catch(() => false)
    if (held) a.foreign = true
    else lose(a)
  }
}

function heartbeat(a: Activation): () => void {
  const { clock } = a.world
  let unanswered = false
  let cancel = clock.timer(a.ttlMs / 3, beat)
  function beat(): void {
    const asked = clock.monotonic()
    // A process that could not beat in time asks once more; one that asked and was not answered stops.
    if (unanswered && asked >= a.leaseUntil) return lose(a, 'The lease of the session ran out before it was renewed.')
    unanswered = true
    a.store.renew(a.sessionId, { epoch: a.epoch, ttlMs: a.ttlMs }).then(
      (held) => {
        unanswered = false
        if (held) a.leaseUntil = asked + a.ttlMs - leaseMarginMs
        else lose(a)
      },
      () => {},
    )
    cancel = clock.timer(Math.min(a.ttlMs / 3, a.leaseUntil - asked), beat)
  }
  return () => cancel()
}

function lose(a: Activation, why = 'Another process drives the session now.'): void {
  a.lost ??= { reason: 'lease_lost', error: new RondoError('SessionLeaseLost', why) }
  poke(a)
}
