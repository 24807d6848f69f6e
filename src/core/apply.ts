import { applyBackgroundResult, applyDecision, applyDeferred, applyPrepared, applySettled, applyStarted } from './apply-call.ts'
import { applyModelFailure, applyModelStarted, applyResponse } from './apply-model.ts'
import { type Entry, type EntryOf, journalVersion } from './entry.ts'
import { assert } from './error.ts'
import { enqueue, openInterval } from './fold.ts'
import { claimedParts, readOwnParts } from './own-parts.ts'
import { branch, type Live, newRun, type RunState, type SessionState, type Turn, type WaitingRun } from './state.ts'
import { noUsage } from './usage.ts'

/** The state after an entry. The given state stays as it was; to fold many entries, use `applyTo` on one branch. */
export function apply(state: SessionState, entry: Entry): SessionState {
  const next = branch(state)
  applyTo(next, entry)
  return next
}

/** Folds one entry into a state, in place. Refuses an entry that does not follow. */
export function applyTo(state: SessionState, entry: Entry): void {
  const live = state.live
  assert(entry.seq === live.seq + 1, 'an entry follows the one before', entry.seq)
  const drivenBefore = live.drivenAt
  live.seq = entry.seq
  live.entryId = entry.id
  live.at = entry.at
  if (entry.epoch !== undefined) live.drivenAt = entry.at
  if (live.readOnly !== undefined) return
  if (entry.v > journalVersion) return openReadOnly(live, `entry ${entry.seq} has version ${entry.v}`)
  switch (entry.kind) {
    case 'session':
    case 'custom':
      return
    case 'run.requested':
      return applyRequest(state, entry)
    case 'message':
      return applyMessage(live, entry)
    case 'control':
      return applyControl(live, entry)
    case 'approval.decided':
      return applyDecision(live, entry)
    case 'run.claimed':
      return applyClaim(state, entry, drivenBefore)
    case 'model.started':
      return applyModelStarted(live, entry)
    case 'model.responded':
      return applyResponse(state, entry)
    case 'model.failed':
      return applyModelFailure(state, entry)
    case 'call.prepared':
      return applyPrepared(live, entry)
    case 'call.started':
      return applyStarted(live, entry)
    case 'call.deferred':
      return applyDeferred(live, entry)
    case 'call.settled':
      return applySettled(state, entry)
    case 'history.revised':
      return applyRevision(live, entry)
    case 'run.finished':
      return applyFinish(live, entry)
    default:
      return openReadOnly(live, `entry ${live.seq} is of the unknown kind '${String(Reflect.get(entry, 'kind'))}'`)
  }
}

/** Skipping what we don't know could run a tool again: such a session can be read up to there, and is not driven. */
function openReadOnly(live: Live, what: string): void {
  live.readOnly = `This session was written by a newer version of rondo (${what}). Update rondo to go on with it.`
}

function applyRequest({ runs, live }: SessionState, entry: EntryOf<'run.requested'>): void {
  const waiting = waitingRun(entry)
  runs.length = live.runCount
  runs.push(waiting.runId)
  live.runCount++
  live.waiting = [...live.waiting, waiting]
}

function waitingRun(entry: EntryOf<'run.requested'>): WaitingRun {
  assert(entry.runId !== undefined, 'a requested run has an id')
  const { agent, input, overrides } = entry.data
  const waiting = { runId: entry.runId, seq: entry.seq, agent: agent.name, input }
  const own = readOwnParts(overrides)
  return own === undefined ? waiting : { ...waiting, own }
}

function applyMessage(live: Live, { seq, at, data }: EntryOf<'message'>): void {
  const { message, callId, result } = data
  const { run } = live
  if (data.origin === 'output-request' && run !== undefined) return applyOutputRequest(live, run, { message, seq, hidden: true })
  // What is said now is to be answered first: with tools, where there are any.
  if (run !== undefined) run.outputRequests = 0
  const turn: Turn = data.hidden === true || !isFromUser(data.origin) ? { message, seq, hidden: true } : { message, seq }
  enqueue(live, callId === undefined ? turn : { ...turn, callId })
  if (callId !== undefined && result !== undefined) applyBackgroundResult(live, callId, result, at)
}

/** What was said, or a tool has given, is not the output yet. */
function applyOutputRequest(live: Live, run: RunState, turn: Turn): void {
  enqueue(live, { ...turn, asksOutput: true })
  run.outputRequests++
  run.wrapText = undefined
  run.doneOutput = undefined
  if (run.end === 'done') run.end = undefined
}

/** Messages of background tools, hooks and the engine itself answer no question that was put to the user (machine 4). */
function isFromUser(origin: EntryOf<'message'>['data']['origin']): boolean {
  return origin === 'steer' || origin === 'follow-up'
}

function applyControl(live: Live, entry: EntryOf<'control'>): void {
  const { action, reason } = entry.data
  const run = live.run
  if (run !== undefined && run.id === entry.runId) {
    if (action !== 'cancel') run.paused = action === 'pause'
    else if (run.cancelledAt === undefined) {
      run.cancelledAt = entry.at
      run.cancelSeq = entry.seq
      run.cancelReason = reason
    }
    return
  }
  live.waiting = live.waiting.map((waiting) => {
    if (waiting.runId !== entry.runId) return waiting
    if (action !== 'cancel') return { ...waiting, paused: action === 'pause' }
    if (waiting.cancelledAt !== undefined) return waiting
    return { ...waiting, cancelledAt: entry.at, cancelSeq: entry.seq, cancelReason: reason }
  })
}

function applyClaim(state: SessionState, entry: EntryOf<'run.claimed'>, drivenBefore: number): void {
  const { live } = state
  assert(entry.epoch !== undefined, 'a claim has an epoch')
  live.epoch = entry.epoch
  const { own } = entry.data
  if (own !== undefined) {
    const going = (waiting: WaitingRun) => ({ ...waiting, own: claimedParts(waiting.own, own) })
    live.waiting = live.waiting.map((waiting) => (waiting.runId === entry.runId ? going(waiting) : waiting))
  }
  if (live.run === undefined) {
    const waiting = live.waiting.find((candidate) => candidate.runId === entry.runId)
    assert(waiting !== undefined, 'a claimed run waits', entry.runId)
    live.run = newRun(waiting, live.sealedCount)
    enqueue(live, ...waiting.input.map((message) => ({ message, seq: waiting.seq })))
  } else if (live.run.open > 0) {
    // The gap since the driver's last entry was no working time: nobody was there.
    live.run.activeMs += Math.max(0, drivenBefore - live.run.openSince)
    openInterval(live.run, entry)
  }
}

function applyRevision(live: Live, entry: EntryOf<'history.revised'>): void {
  live.summary = undefined
  if (!entry.data.ok) return
  live.prefix = entry.data.with.map((message) => Object.freeze({ message, seq: entry.seq }))
  live.from = entry.data.throughTurn
  live.retry = undefined
}

function applyFinish(live: Live, entry: EntryOf<'run.finished'>): void {
  const waiting = live.waiting.find((candidate) => candidate.runId === entry.runId)
  assert(waiting !== undefined, 'a run finishes once', entry.runId)
  live.waiting = live.waiting.filter((candidate) => candidate !== waiting)
  if (live.remembered.length > 0) live.remembered = live.remembered.filter(({ runId }) => runId !== entry.runId)
  const run = live.run?.id === entry.runId ? live.run : undefined
  if (run !== undefined) {
    const open = live.turn !== undefined || live.model !== undefined || live.background.length > 0
    assert(!open, 'a run finishes after all its work')
    live.run = undefined
    live.retry = undefined
    live.summary = undefined
    if (live.queue.some(({ asksOutput }) => asksOutput)) live.queue = live.queue.filter(({ asksOutput }) => asksOutput !== true)
  }
  live.ended = {
    ...(run ?? newRun(waiting, live.sealedCount)),
    lastTurn: live.sealedCount,
    finish: entry.data,
    usage: run?.usage ?? noUsage,
  }
}
