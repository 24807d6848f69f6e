import { isBlank } from './assemble.ts'
import { callIndex, type Entry, type EntryOf, journalVersion, type SettlementData } from './entry.ts'
import { assert } from './error.ts'
import { jsonEqual } from './json.ts'
import { type Message, type ToolCallPart, textMessage, textOf } from './message.ts'
import {
  branch,
  type CallState,
  type LastResponse,
  type Live,
  newRun,
  type OpenTurn,
  type RunState,
  type SessionState,
  type Turn,
  type WaitingRun,
} from './state.ts'
import { addUsage, noUsage, type Usage, unknownUsage } from './usage.ts'

/** The state after an entry. The given state stays as it was; to fold many entries, use `applyTo` on one branch. */
export function apply(state: SessionState, entry: Entry): SessionState {
  const next = branch(state)
  applyTo(next, entry)
  return next
}

/** Folds one entry into a state, in place. Refuses an entry that does not follow. */
export function applyTo(state: SessionState, entry: Entry): void {
  const live = state.live
  assert(entry.seq === live.seq + 1, `entry ${entry.seq} follows ${live.seq}`)
  const drivenBefore = live.drivenAt
  live.seq = entry.seq
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
      return enqueue(live, userTurn(entry.data.message, entry.seq, entry.data.hidden === true || !isFromUser(entry.data.origin)))
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

function activeRun(live: Live, what: string): RunState {
  assert(live.run !== undefined, `${what} belongs to a run`)
  return live.run
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
  return { runId: entry.runId, seq: entry.seq, agent: entry.data.agent.name, input: entry.data.input }
}

/** Messages of background tools, hooks and the engine itself answer no question that was put to the user (machine 4). */
function isFromUser(origin: EntryOf<'message'>['data']['origin']): boolean {
  return origin === 'steer' || origin === 'follow-up'
}

function userTurn(message: Message, seq: number, hidden: boolean): Turn {
  return hidden ? { message, seq, hidden } : { message, seq }
}

/** The queue is ordered by seq: an input joins it when its run is claimed, which may be after later messages. */
function enqueue(live: Live, ...turns: readonly Turn[]): void {
  const first = turns[0]
  const last = live.queue[live.queue.length - 1]
  const queue = [...live.queue, ...turns]
  const inOrder = first === undefined || last === undefined || last.seq <= first.seq
  live.queue = inOrder ? queue : queue.sort((a, b) => a.seq - b.seq)
}

function seal(state: SessionState, turn: Turn): void {
  const { sealed, live } = state
  sealed.length = live.sealedCount
  Object.freeze(turn.message)
  sealed.push(Object.freeze(turn))
  live.sealedCount++
}

/** Queued messages that a response has seen become turns before it. */
function consume(state: SessionState, through: number): void {
  const { live } = state
  if (live.queue.length === 0) return
  const rest: Turn[] = []
  for (const turn of live.queue) {
    if (turn.seq <= through) seal(state, turn)
    else rest.push(turn)
  }
  live.queue = rest
}

function openActivity(run: RunState, at: number): void {
  if (run.open === 0) run.openSince = at
  run.open++
}

function closeActivity(run: RunState, at: number): void {
  run.open--
  if (run.open === 0) run.activeMs += at - run.openSince
}

function applyControl(live: Live, entry: EntryOf<'control'>): void {
  const { action, reason } = entry.data
  const run = live.run
  if (run !== undefined && run.id === entry.runId) {
    if (action !== 'cancel') run.paused = action === 'pause'
    else if (run.cancelledAt === undefined) {
      run.cancelledAt = entry.at
      run.cancelReason = reason
    }
    return
  }
  live.waiting = live.waiting.map((waiting) => {
    if (waiting.runId !== entry.runId) return waiting
    return action === 'cancel'
      ? { ...waiting, cancelledAt: waiting.cancelledAt ?? entry.at, cancelReason: waiting.cancelReason ?? reason }
      : { ...waiting, paused: action === 'pause' }
  })
}

function applyDecision(live: Live, entry: EntryOf<'approval.decided'>): void {
  const { request, decision, by, reason } = entry.data
  const turn = live.turn
  const call = turn?.calls.find((candidate) => candidate.preparedId === request)
  assert(turn !== undefined && call !== undefined, `a decision answers a prepared call`)
  assert(call.status === 'awaiting' && call.decision === undefined, `call ${call.part.callId} awaits its one decision`)
  const decided = {
    id: entry.id,
    kind: decision,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  }
  const edited = decision === 'allow' ? entry.data.arguments : undefined
  const status = decision !== 'allow' ? 'awaiting' : edited === undefined ? 'ready' : 'announced'
  turn.calls[call.index] = { ...call, status, decision: decided, edited, expiresAt: undefined }
}

function applyClaim(state: SessionState, entry: EntryOf<'run.claimed'>, drivenBefore: number): void {
  const { live } = state
  assert(entry.epoch !== undefined, 'a claim has an epoch')
  live.epoch = entry.epoch
  if (live.run === undefined) {
    const waiting = live.waiting.find((candidate) => candidate.runId === entry.runId)
    assert(waiting !== undefined, `the claimed run ${String(entry.runId)} waits`)
    live.run = newRun(waiting, live.sealedCount)
    enqueue(live, ...waiting.input.map((message) => userTurn(message, waiting.seq, false)))
  } else if (live.run.open > 0) {
    // The gap since the driver's last entry was no working time: nobody was there.
    live.run.activeMs += Math.max(0, drivenBefore - live.run.openSince)
    live.run.openSince = entry.at
  }
}

function applyModelStarted(live: Live, entry: EntryOf<'model.started'>): void {
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
    reason,
    estimatedTokens: estimatedTokens ?? 0,
    extra,
  }
  live.n = n
  live.retry = undefined
  if (setup !== undefined) live.setup = live.setup === undefined ? setup : { ...live.setup, ...setup }
  openActivity(run, entry.at)
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

function applyResponse(state: SessionState, entry: EntryOf<'model.responded'>): void {
  const { live } = state
  const model = live.model
  const run = activeRun(live, 'a response')
  assert(model !== undefined && model.n === entry.data.n && model.attempt === entry.data.attempt, 'a response answers the open model call')
  live.model = undefined
  closeActivity(run, entry.at)
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
  run.lastText = textOf(message)
  if (open.length > 0) live.turn = openTurn(entry, model.purpose, calls)
  else if (!blank) seal(state, { message, seq: entry.seq, n: entry.data.n })
  if (model.purpose === 'wrap-up') run.wrapText = blankText(run.lastText) ? undefined : run.lastText
  else countResponse(run, entry, blank, open.length > 0)
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
function countResponse(run: RunState, entry: EntryOf<'model.responded'>, blank: boolean, hasCalls: boolean): void {
  const finish = entry.data.finish.unified
  run.last = lastResponse(finish, blank, hasCalls)
  run.lastFinish = finish
  // The model has answered since the batch that ended: what it says now counts.
  run.end = undefined
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

/** A call that the client must answer; the provider has run the others itself. */
function isOpenCall(part: ToolCallPart): boolean {
  return part.settlement === undefined && part.providerExecuted !== true
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
    calls: parts.map((part, index) => ({
      part,
      index,
      status: isOpenCall(part) ? 'announced' : 'settled',
      input: part.input,
      preparedSeq: 0,
      attempt: 0,
      startedAt: 0,
      epoch: 0,
      everStarted: false,
      durationMs: 0,
    })),
  }
}

function applyModelFailure(state: SessionState, entry: EntryOf<'model.failed'>): void {
  const { live } = state
  const model = live.model
  const run = activeRun(live, 'a model failure')
  const { n, attempt, error, retryAt, partial, usage, cause } = entry.data
  assert(model !== undefined && model.n === n && model.attempt === attempt, 'a failure ends the open model call')
  live.model = undefined
  closeActivity(run, entry.at)
  // An attempt whose usage nobody knows is charged to the budgets by its estimate (machine 5, 1).
  countUsage(run, usage ?? { ...unknownUsage, inputTokens: model.estimatedTokens })
  if (cause === 'limit') run.limit = 'timeout'
  if (retryAt !== undefined) {
    live.retry = { n, attempt, purpose: model.purpose, retryAt, firstAt: model.firstAt, reason: model.reason }
    return
  }
  if (partial !== undefined && partial !== '' && model.purpose !== 'compaction') {
    consume(state, model.through)
    seal(state, { message: textMessage('assistant', partial, `m${n}`), seq: entry.seq, n, partial: true })
    run.lastText = partial
  }
  const ours = cause === 'cancelled' || cause === 'limit'
  if (!ours && (model.purpose === 'main' || model.purpose === 'output')) run.failure = error
}

function callOf(live: Live, callId: string): { readonly turn: OpenTurn; readonly call: CallState } {
  const turn = live.turn
  const call = turn?.calls[callIndex(callId)]
  assert(turn !== undefined && call !== undefined && call.part.callId === callId, `call ${callId} is open`)
  return { turn, call }
}

function applyPrepared(live: Live, entry: EntryOf<'call.prepared'>): void {
  const { callId, effect, executor, approval } = entry.data
  const { turn, call } = callOf(live, callId)
  assert(call.status === 'announced', `call ${callId} is announced when it is prepared`)
  turn.calls[call.index] = {
    ...call,
    status: approval === undefined ? 'ready' : 'awaiting',
    input: entry.data.arguments ?? call.input,
    preparedId: entry.id,
    preparedSeq: entry.seq,
    effect,
    external: executor === 'external',
    edited: undefined,
    ...(approval === undefined ? {} : { ask: approval, expiresAt: approval.expiresAt }),
  }
}

function applyStarted(live: Live, entry: EntryOf<'call.started'>): void {
  const { callId, attempt } = entry.data
  const { turn, call } = callOf(live, callId)
  const run = activeRun(live, 'a started call')
  assert(entry.epoch !== undefined, 'a started call has an epoch')
  assert(call.status === 'ready' || call.status === 'running', `call ${callId} is ready or an orphan when it starts`)
  assert(call.effect !== 'unsafe' || !call.everStarted || call.epoch < entry.epoch, `unsafe call ${callId} starts once`)
  if (call.status !== 'running') openActivity(run, entry.at)
  if (!call.everStarted) countCall(run, call.part.toolName)
  turn.calls[call.index] = { ...call, status: 'running', attempt, startedAt: entry.at, epoch: entry.epoch, everStarted: true }
}

function countCall(run: RunState, toolName: string): void {
  run.toolCalls++
  run.callsPerTool = { ...run.callsPerTool, [toolName]: callsOf(run, toolName) + 1 }
}

/** How many calls of a tool have started in this run; own keys only, for a tool may be named `constructor`. */
export function callsOf(run: RunState, toolName: string): number {
  return Object.hasOwn(run.callsPerTool, toolName) ? (run.callsPerTool[toolName] ?? 0) : 0
}

function applyDeferred(live: Live, entry: EntryOf<'call.deferred'>): void {
  const { callId, expiresAt, correlationId } = entry.data
  const { turn, call } = callOf(live, callId)
  const run = activeRun(live, 'a deferred call')
  assert(call.status === 'ready' || call.status === 'running', `call ${callId} is ready or running when it is deferred`)
  if (call.status === 'running') closeActivity(run, entry.at)
  turn.calls[call.index] = {
    ...call,
    status: 'outside',
    expiresAt,
    ...(correlationId === undefined ? {} : { correlationId }),
  }
}

function applySettled(state: SessionState, entry: EntryOf<'call.settled'>): void {
  const { live } = state
  const { callId, settlement, end, limit, durationMs } = entry.data
  const { turn, call } = callOf(live, callId)
  const run = activeRun(live, 'a settled call')
  assert(call.status !== 'settled', `call ${callId} settles once`)
  if (call.status === 'running') closeActivity(run, entry.at)
  turn.calls[call.index] = {
    ...call,
    status: 'settled',
    settlement,
    durationMs: durationMs ?? (call.everStarted ? Math.max(0, entry.at - call.startedAt) : 0),
  }
  turn.left--
  if (end !== undefined && call.index < turn.endIndex) {
    turn.endIndex = call.index
    turn.endKind = end
  }
  if (limit !== undefined) run.limit = limit
  countErrors(run, settlement)
  guard(live, call, settlement)
  if (turn.left === 0) closeTurn(state, run, turn)
}

function countErrors(run: RunState, settlement: SettlementData): void {
  if (settlement.outcome === 'ok') run.consecutiveErrors = 0
  else if (['error', 'invalid', 'timeout', 'unknown'].includes(settlement.outcome)) run.consecutiveErrors++
}

/** A started unsafe call that may or may not have had its effect: the same does not start again unasked. */
function guard(live: Live, call: CallState, settlement: SettlementData): void {
  if (call.effect !== 'unsafe' || !call.everStarted) return
  if (settlement.outcome !== 'unknown' && settlement.outcome !== 'timeout' && settlement.outcome !== 'cancelled') return
  live.guard = [...live.guard, { toolName: call.part.toolName, input: call.input }]
}

function closeTurn(state: SessionState, run: RunState, turn: OpenTurn): void {
  const { live } = state
  const previous = run.last === 'calls' && live.sealedCount > run.firstTurn ? state.sealed[live.sealedCount - 1] : undefined
  const sealed: Turn = { message: settledMessage(turn), seq: turn.seq, n: turn.n, durations: turn.calls.map((call) => call.durationMs) }
  live.turn = undefined
  seal(state, sealed)
  run.iterationOpen = false
  run.toolRounds++
  endBatch(run, turn)
  run.sameBatches = previous !== undefined && sameBatch(previous.message, sealed.message) ? run.sameBatches + 1 : 1
}

/** The call of lowest index that ends a batch decides, whichever settled first. */
function endBatch(run: RunState, turn: OpenTurn): void {
  const ender = turn.calls[turn.endIndex]?.settlement
  run.end = turn.endKind
  run.doneOutput = turn.endKind === 'done' && ender?.outcome === 'ok' ? ender.output : undefined
  if (turn.endKind === 'fail' && ender !== undefined && ender.outcome !== 'ok') run.failure = ender.error
}

/** The assistant message as it came, with the outcome on each call. */
export function settledMessage(turn: OpenTurn): Message {
  let next = 0
  const parts = turn.message.parts.map((part) => {
    if (part.type !== 'tool-call') return part
    const call = turn.calls[next++]
    if (!isOpenCall(part)) return part
    assert(call?.settlement !== undefined, 'every call of a sealed turn has settled')
    return settledPart(part, call, call.settlement)
  })
  return { ...turn.message, parts: Object.freeze(parts) }
}

function settledPart(part: ToolCallPart, call: CallState, data: SettlementData): ToolCallPart {
  const { content, ...settlement } = data
  const changed = call.input !== part.input && !jsonEqual(call.input, part.input)
  return Object.freeze({
    ...part,
    settlement,
    ...(content === undefined ? {} : { content }),
    ...(changed ? { ranWith: call.input } : {}),
  })
}

/** Whether two assistant messages have the same calls with the same results (what `noProgress` counts). */
function sameBatch(a: Message, b: Message): boolean {
  let i = -1
  let j = -1
  for (let any = false; ; any = true) {
    i = nextCall(a, i)
    j = nextCall(b, j)
    const call = a.parts[i]
    const other = b.parts[j]
    if (call?.type !== 'tool-call' || other?.type !== 'tool-call') return any && call === other
    if (call.toolName !== other.toolName || !jsonEqual(call.input, other.input) || !sameSettlement(call, other)) return false
  }
}

/** Where the next call stands; the number of parts when there is none. */
function nextCall({ parts }: Message, after: number): number {
  let i = after + 1
  while (i < parts.length && parts[i]?.type !== 'tool-call') i++
  return i
}

function sameSettlement(a: ToolCallPart, b: ToolCallPart): boolean {
  if (a.settlement === undefined || b.settlement === undefined) return a.settlement === b.settlement
  if (a.settlement.outcome === 'ok' && b.settlement.outcome === 'ok') return jsonEqual(a.settlement.output, b.settlement.output)
  if (a.settlement.outcome === 'ok' || b.settlement.outcome === 'ok') return false
  return a.settlement.outcome === b.settlement.outcome && a.settlement.error.message === b.settlement.error.message
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
  assert(waiting !== undefined, `run ${String(entry.runId)} finishes once`)
  live.waiting = live.waiting.filter((candidate) => candidate !== waiting)
  const run = live.run?.id === entry.runId ? live.run : undefined
  if (run !== undefined) {
    assert(live.turn === undefined && live.model === undefined, 'a run finishes after all its work')
    live.run = undefined
    live.retry = undefined
    live.summary = undefined
  }
  live.ended = {
    ...(run ?? newRun(waiting, live.sealedCount)),
    lastTurn: live.sealedCount,
    finish: entry.data,
    usage: run?.usage ?? noUsage,
  }
}
