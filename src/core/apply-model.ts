import type { CallState, OpenTurn } from './call-state.ts'
import type { EntryOf } from './entry.ts'
import { assert } from './error.ts'
import { activeRun, closeActivity, consume, openActivity, seal } from './fold.ts'
import { isBlank, type ToolCallPart, textMessage, textOf } from './message.ts'
import type { Purpose } from './model.ts'
import { isOpenCall } from './settled.ts'
import type { LastResponse, Live, OpenModelCall, PendingRetry, RunState, SessionState } from './state.ts'
import { addUsage, type Usage, unknownUsage } from './usage.ts'

export function applyModelStarted(live: Live, entry: EntryOf<'model.started'>): void {
  const { n, attempt, purpose, contextThrough, reason, setup, estimatedTokens, extra } = entry.data
  const run = activeRun(live, 'a model call')
  assert(live.model === undefined && live.turn === undefined, 'one model call at a time, after all calls have settled')
  assert(entry.epoch !== undefined, 'a started model call has an epoch')
  live.model = {
    n,
    attempt,
    purpose,
    through: contextThrough,
    epoch: entry.epoch,
    seq: entry.seq,
    at: entry.at,
    firstAt: attempt > 1 && live.retry !== undefined ? live.retry.firstAt : entry.at,
    firstSeq: attempt > 1 && live.retry !== undefined ? live.retry.firstSeq : entry.seq,
    reason,
    estimatedTokens: estimatedTokens ?? 0,
    extra,
  }
  live.n = n
  live.retry = undefined
  if (setup !== undefined) live.setup = live.setup === undefined ? setup : { ...live.setup, ...setup }
  openActivity(run, entry)
  run.modelCalls++
  if (purpose === 'main' || purpose === 'output') {
    run.iteration = run.iterations + 1
    run.iterationOpen = true
  }
  if (purpose === 'wrap-up') {
    run.wrapAttempts++
    run.limit = reason
  }
}

export function applyResponse(state: SessionState, entry: EntryOf<'model.responded'>): void {
  const { live } = state
  const model = live.model
  const run = activeRun(live, 'a response')
  assert(model !== undefined && model.n === entry.data.n && model.attempt === entry.data.attempt, 'a response answers the open model call')
  live.model = undefined
  closeActivity(run, entry.at, entry.data.durationMs)
  countUsage(run, entry.data.usage)
  const message = entry.data.message
  if (model.purpose === 'compaction') {
    live.summary = textOf(message)
    return
  }
  consume(state, model.through)
  const calls = message.parts.filter((part) => part.type === 'tool-call')
  const open = calls.filter(isOpenCall)
  const blank = isBlank(message)
  const text = textOf(message)
  // A blank response makes no turn: what was said before it still stands.
  if (!blank) run.lastText = text
  if (open.length > 0) live.turn = openTurn(entry, model.purpose, calls)
  else if (!blank) seal(state, { message, seq: entry.seq, n: entry.data.n })
  if (model.purpose === 'wrap-up') run.wrapText = blankText(text) ? undefined : text
  else countResponse(run, entry, model.purpose, blank, open.length > 0)
}

function countUsage(run: RunState, usage: Usage): void {
  run.usage = addUsage(run.usage, usage)
  run.knownCostUsd += usage.costUsd ?? 0
}

/** A wrap-up without text is no wrap-up: it is asked for once more, then a fixed text stands in. */
function blankText(text: string): boolean {
  return text.trim() === ''
}

/** Iterations are responses of purpose main and output, except blank ones, which are asked again (machine 5, C2). */
function countResponse(run: RunState, entry: EntryOf<'model.responded'>, purpose: Purpose, blank: boolean, hasCalls: boolean): void {
  const finish = entry.data.finish.unified
  run.last = lastResponse(finish, blank, hasCalls)
  run.lastFinish = finish
  run.lastPurpose = purpose
  // The model has answered since the batch that ended: what it says now counts. A failure in the background ends the run whatever it says.
  if (run.end !== 'fail') run.end = undefined
  run.doneOutput = undefined
  if (run.last === 'blank') {
    run.blanks++
    return
  }
  run.iterations++
  run.blanks = 0
  if (!hasCalls) run.iterationOpen = false
  run.cuts = run.last === 'cut-calls' || run.last === 'cut-text' ? run.cuts + 1 : 0
  run.continuations = run.last === 'pause-turn' ? run.continuations + 1 : 0
}

function lastResponse(finish: string, blank: boolean, hasCalls: boolean): LastResponse {
  if (finish === 'content-filter' || finish === 'refusal') return 'blocked'
  if (finish === 'length') return hasCalls ? 'cut-calls' : 'cut-text'
  if (hasCalls) return 'calls'
  if (finish === 'pause-turn') return 'pause-turn'
  if (blank) return 'blank'
  return finish === 'error' || finish === 'other' ? 'odd' : 'text'
}

function openTurn(entry: EntryOf<'model.responded'>, purpose: string, parts: readonly ToolCallPart[]): OpenTurn {
  const finish = entry.data.finish.unified
  const blocked = finish === 'content-filter' || finish === 'refusal'
  return {
    n: entry.data.n,
    seq: entry.seq,
    message: entry.data.message,
    dead: purpose !== 'main' ? 'stray' : finish === 'length' ? 'truncated' : blocked ? 'blocked' : undefined,
    left: parts.filter(isOpenCall).length,
    endIndex: Number.POSITIVE_INFINITY,
    limitIndex: Number.POSITIVE_INFINITY,
    endKind: undefined,
    calls: parts.map(newCall),
  }
}

function newCall(part: ToolCallPart, index: number): CallState {
  return {
    part,
    index,
    status: isOpenCall(part) ? 'announced' : 'settled',
    input: part.input,
    preparedId: undefined,
    preparedSeq: 0,
    effect: undefined,
    external: undefined,
    outsideSeq: 0,
    why: undefined,
    background: undefined,
    approvedBy: undefined,
    ask: undefined,
    expiresAt: undefined,
    decision: undefined,
    edited: undefined,
    attempt: 0,
    startedAt: 0,
    startedSeq: 0,
    epoch: 0,
    everStarted: false,
    correlationId: undefined,
    settlement: undefined,
    durationMs: 0,
  }
}

export function applyModelFailure(state: SessionState, entry: EntryOf<'model.failed'>): void {
  const { live } = state
  const model = live.model
  const run = activeRun(live, 'a model failure')
  const { n, attempt, error, partial, usage, cause } = entry.data
  assert(model !== undefined && model.n === n && model.attempt === attempt, 'a failure ends the open model call')
  live.model = undefined
  closeActivity(run, entry.at, entry.data.durationMs)
  // An attempt whose usage nobody knows is charged to the budgets by its estimate (machine 5, 1).
  countUsage(run, usage ?? { ...unknownUsage, inputTokens: model.estimatedTokens })
  if (cause === 'limit') run.limit = 'timeout'
  if (entry.data.retryAt !== undefined) {
    live.retry = pendingRetry(model, entry, entry.data.retryAt)
    return
  }
  if (partial !== undefined && partial !== '' && model.purpose !== 'compaction') {
    consume(state, model.through)
    seal(state, { message: textMessage('assistant', partial, `m${n}`), seq: entry.seq, n, partial: true })
    run.lastText = partial
  }
  const ours = cause === 'cancelled' || cause === 'limit'
  if (!ours && run.end !== 'fail' && (model.purpose === 'main' || model.purpose === 'output')) run.failure = error
}

/** The window within which a call is tried again counts trying, not the time in which nobody was there: after a crash it begins anew. */
function pendingRetry(model: OpenModelCall, { seq, at, data }: EntryOf<'model.failed'>, retryAt: number): PendingRetry {
  const { n, attempt, purpose, reason } = model
  const anew = data.cause === 'interrupted'
  return {
    n,
    attempt,
    purpose,
    reason,
    seq,
    waitMs: data.retryInMs ?? Math.max(0, retryAt - at),
    retryAt,
    firstAt: anew ? at : model.firstAt,
    firstSeq: anew ? seq : model.firstSeq,
  }
}
