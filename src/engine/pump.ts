import { RondoError } from '../core/error.ts'
import { activeTime, timeLeft } from '../core/limits.ts'
import { finishedResult } from '../core/outcome.ts'
import type { Activity, Plan } from '../core/plan.ts'
import type { CoreResult } from '../core/result.ts'
import type { EndedRun, RunState } from '../core/state.ts'
import {
  type Activation,
  type ActivationEnd,
  beginWaiting,
  deliverLater,
  driverFacts,
  newRunning,
  nextMail,
  type Running,
  shownOf,
} from './activation.ts'
import { type Appended, append } from './append.ts'
import { catchUp } from './catch-up.ts'
import { headOf } from './head.ts'
import { runModel } from './model.ts'
import { parkOrWait, planAtRest } from './park.ts'
import { runReconcile } from './reconcile.ts'
import { namingOf, restamp, type Staged, stageTurn } from './stage.ts'
import { runTool } from './tool.ts'

/**
 * The pump (machine 1): drain the mailbox, decide until nothing follows, write everything staged in one append, show what was written,
 * reconcile the activities, wait. It takes no decision and holds no state that is not in the journal.
 */
export async function pump(a: Activation): Promise<ActivationEnd> {
  for (;;) {
    const pause = a.breath?.due(a.world.clock.monotonic())
    if (pause !== undefined) await pause
    if (a.lost !== undefined) return lostEnd(a)
    if (a.foreign && !(await catchUp(a))) continue
    const staged = stageTurn(a)
    if (isNothing(staged)) passOver(a, staged)
    else {
      const done = conclude(a, staged, await write(a, staged))
      if (done !== true && !(await done)) continue
    }
    // It goes on: the end of a run before waits for nothing.
    if (a.state.live.waiting.length > 0) a.hub.tell()
    if (!reconcile(a, staged.plan) || hasMail(a)) continue
    const next = parkOrWait(a, staged)
    if (next.kind !== 'wait') return next
    await nextMail(a, next.ms)
  }
}

function hasMail(a: Activation): boolean {
  return a.outcomes.length > 0 || a.inputs.length > 0 || a.foreign || a.lost !== undefined
}

function lostEnd(a: Activation): ActivationEnd {
  const { reason, error } = a.lost ?? { reason: 'session_error', error: new RondoError('SessionWriteFailed', 'The session was lost.') }
  return { kind: 'parked', park: { reason, error: error.toData() } }
}

function isNothing(staged: Staged): boolean {
  return staged.entries.length === 0 || isBareClaim(staged)
}

/** Whether a refusal still holds is for the next look when a turn loses its race: what it rests on may not be written then. */
function passOver(a: Activation, staged: Staged): void {
  a.facts = []
  answerRefused(staged)
}

/** Step 3: one append of all that is staged. */
function write(a: Activation, staged: Staged): Promise<Appended> {
  closeFailedModels(a, staged)
  a.writing = staged.entries.length
  return append(a, staged.entries, headOf(staged.draft, isIdle(staged.plan) ? planAtRest(a, staged.draft) : staged.plan))
}

/** Step 4: what was written becomes visible. False: stage again. */
function conclude(a: Activation, staged: Staged, appended: Appended): true | Promise<boolean> {
  a.writing = 0
  if (appended.kind === 'conflict') return conflict(a, staged)
  if (appended.kind === 'lost') {
    lose(a, staged, appended)
    return Promise.resolve(false)
  }
  a.skewMs = skewOf(a, appended.at, staged.wall)
  commit(a, restamp(a, staged, appended.at))
  const { onCommit } = a.world
  return onCommit === undefined || a.detached ? true : onCommit(a.sessionId, a.store, a.state).then(() => true)
}

async function conflict(a: Activation, staged: Staged): Promise<boolean> {
  a.inputs = [...staged.accepted, ...staged.refused.map(({ input }) => input), ...a.inputs]
  const { seq } = a.state.live
  if ((await catchUp(a)) && a.state.live.seq === seq) loseJournal(a)
  return false
}

/** How far the store's clock is ahead: of ours before the append, or after it, for it may have taken long, or the clocks have jumped in it. */
function skewOf(a: Activation, at: number, before: number): number {
  if (Math.abs(at - before) < 1_000) return 0
  const skew = at - a.world.clock.wall()
  return Math.abs(skew) < 1_000 ? 0 : skew
}

/** Nothing follows now: because nothing is to be done, or because this activation may begin nothing more. */
function isIdle(plan: Plan): boolean {
  return plan.want.length === 0 && plan.wakeAt === undefined
}

/** A claim alone while nothing is to be done would be a fact about nothing, unless it says what the run goes on with. */
function isBareClaim({ entries, plan }: Staged): boolean {
  const [first] = entries
  return entries.length === 1 && first?.kind === 'run.claimed' && first.data.own === undefined && plan.want.length === 0
}

function answerRefused(staged: Staged): void {
  for (const { input, answer } of staged.refused) input.settle(answer)
}

/** Once the end of a model call is staged, it shows nothing more: the entry holds what was shown. */
function closeFailedModels(a: Activation, staged: Staged): void {
  for (const { kind } of staged.entries) if (kind === 'model.failed') shownOf(a, a.state)?.close()
}

/** The store says that we are not at its end, and has nothing after it: the journal is shorter than what we read. */
function loseJournal(a: Activation): void {
  const what = `The journal of session '${a.sessionId}' ends before entry ${a.state.live.seq}, which was read before: it was deleted, or dropped by a store that is full.`
  a.lost ??= {
    reason: 'session_error',
    error: new RondoError('SessionReadFailed', `${what} Nothing more is written to it.`, { retryable: false }),
  }
}

function lose(a: Activation, staged: Staged, appended: { reason: 'lease_lost' | 'session_error'; error: RondoError }): void {
  const bestEffort = appended.reason === 'session_error' && a.portsOf(staged.draft).durability === 'best-effort'
  if (bestEffort) {
    a.detached = true
    // Nobody renews it any more.
    a.leaseUntil = Number.POSITIVE_INFINITY
    a.inputs = [...staged.accepted, ...staged.refused.map(({ input }) => input), ...a.inputs]
    return
  }
  a.lost = appended
  for (const entry of staged.entries) if (entry.kind === 'model.responded' || entry.kind === 'model.failed') a.hub.told(entry.id)
  for (const input of staged.accepted) input.settle({ ok: false, retry: true })
  for (const { input } of staged.refused) input.settle({ ok: false, retry: true })
}

function commit(a: Activation, staged: Staged): void {
  if (a.facts.length > 0) a.facts = []
  a.state = staged.draft
  a.ages.commit(staged.entries, staged.draft.live)
  if (a.waiting.size > 0 && staged.entries.some(({ kind }) => kind === 'model.started' || kind === 'run.finished')) forgetStopped(a)
  if (a.state.live.turn === undefined) a.parsed.clear()
  a.progressed ||= staged.entries.some((entry) => entry.kind !== 'run.claimed')
  show(a, staged)
  for (const input of staged.accepted) input.settle({ ok: true })
  answerRefused(staged)
}

function show(a: Activation, staged: Staged): void {
  const { seq } = a.state.live
  const first = staged.ends.length === 0 ? undefined : staged.entries.find(({ kind }) => kind === 'run.finished')
  if (first === undefined) return a.hub.facts(seq, staged.events)
  const ends = staged.ends.map((ended) => ({ runId: ended.id, result: resultOf(a, staged, ended) }))
  a.hub.ended(first.seq, seq, staged.events, ends)
}

/** The result that was shown, if anybody looked: it costs the length of the run. */
function resultOf(a: Activation, { draft, events }: Staged, ended: EndedRun): CoreResult {
  for (const event of events) if (event.type === 'run.finished' && event.runId === ended.id) return event.result
  return finishedResult(draft, ended, namingOf(a, draft), !a.detached)
}

/** What these setups were for has begun or is over. One that has just begun may be for the next run. */
function forgetStopped({ waiting }: Activation): void {
  for (const { key, signal } of waiting.values()) if (signal.aborted) waiting.delete(key)
}

/** Step 5: starts what is wanted and not running, aborts what is running and no longer wanted. False: a pause is due before the rest starts. */
function reconcile(a: Activation, plan: Plan): boolean {
  if (a.running.size > 0) {
    const wanted = new Set(plan.want.map((activity) => activity.key))
    for (const running of a.running.values()) if (!wanted.has(running.key)) abort(a, running)
  }
  let begun = false
  for (const activity of plan.want) {
    if (a.running.has(activity.key)) continue
    const now = a.world.clock.monotonic()
    // Somebody may have cancelled meanwhile: look before each start. When the lease is over, its heartbeat asks whether it still is ours.
    if (a.inputs.length > 0 || a.foreign || a.lost !== undefined || now >= a.leaseUntil) return true
    if (begun && a.breath?.isDue(now) === true) return false
    start(a, activity, now)
    begun = true
  }
  return true
}

export function abort(a: Activation, running: Running): void {
  if (running.signal.aborted) return
  running.endedAt = a.world.clock.monotonic()
  const reason = abortReason(a, running)
  if (running.key.startsWith('prepare:') || running.key.startsWith('reconcile:')) a.waiting.delete(running.key)
  running.graceEnd = running.endedAt + (running.graceMs ?? a.portsOf(a.state).config.graceMs)
  running.signal.abort(reason)
}

/** What is true of whatever is told to stop: it may reach the user of a tool or a hook by its signal. */
function abortReason(a: Activation, { key }: Running): RondoError {
  if (a.lost !== undefined) return new RondoError('SessionLeaseLost', 'The session is no longer driven by this process.')
  const { run, ended } = a.state.live
  if (run === undefined && ended?.finish.reason !== 'timeout') return new RondoError('RunAborted', 'The run has ended.')
  if (run?.cancelledAt !== undefined) return new RondoError('RunAborted', run.cancelReason ?? 'The run was cancelled.')
  if (run !== undefined && !isTimeOver(a, run, key)) {
    if (/^(tool|reconcile|prepare):/.test(key)) return new RondoError('ToolTimeout', 'The call has settled without waiting for this.')
    if (run.paused || driverFacts(a, a.portsOf(a.state), a.state).holdStarts)
      return new RondoError(
        'RunAborted',
        'Nothing begins for now (a pause, or the end of a time slice): this is asked for again afterwards.',
      )
  }
  return new RondoError('RunTimeout', 'The time limit of the run was reached.')
}

function isTimeOver(a: Activation, run: RunState, key: string): boolean {
  const ports = a.portsOf(a.state)
  const driver = driverFacts(a, ports, a.state)
  const working = activeTime(run, a.world.clock.wall(), driver)
  return working >= ports.config.limits.maxDurationMs || timeLeft(run, ports.config, key, driver) <= 0
}

function start(a: Activation, activity: Activity, now: number): void {
  const running = newRunning(activity.key, now, ownGrace(a, activity))
  a.running.set(activity.key, running)
  switch (activity.kind) {
    case 'model':
      return runModel(a, activity.model, running)
    case 'tool':
      return deliverLater(a, activity.key, runTool(a, activity.call, running))
    case 'reconcile':
      beginWaiting(a, a.state, running)
      return deliverLater(a, activity.key, runReconcile(a, activity.call, running))
    default:
      throw new RondoError('RunInvalidState', `a turn does not start '${activity.kind}'`)
  }
}

/** A tool may have a grace of its own. */
function ownGrace(a: Activation, activity: Activity): number | undefined {
  if (activity.kind !== 'tool') return undefined
  return a.portsOf(a.state).config.tools.get(activity.call.part.toolName)?.graceMs
}
