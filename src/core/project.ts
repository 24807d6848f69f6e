import { tookOf } from './apply-call.ts'
import { findCall } from './background.ts'
import type { CallState } from './call-state.ts'
import { callIndex, type Entry, type EntryOf, messageIdOf } from './entry.ts'
import type { CoreEvent, EventBody } from './event.ts'
import { askOf, callRef, finishedResult, type Naming, pendingCalls } from './outcome.ts'
import type { RunStatus } from './reason.ts'
import { shownSettlement } from './settled.ts'
import type { OpenModelCall, SessionState } from './state.ts'
import { statusOf } from './status.ts'

/** What the events of an entry need of the state before it. Taken only when somebody listens. */
export interface Before {
  readonly status: RunStatus
  readonly runId: string | undefined
  readonly agent: string | undefined
  readonly iteration: number
  readonly iterationOpen: boolean
  readonly model: OpenModelCall | undefined
  readonly call: CallState | undefined
}

export function glimpse(state: SessionState, entry: Entry): Before {
  const { run, model, turn } = state.live
  const callId = 'callId' in entry.data ? entry.data.callId : undefined
  const request = entry.kind === 'approval.decided' ? entry.data.request : undefined
  return {
    status: statusOf(state),
    runId: run?.id,
    agent: run?.agent,
    iteration: run?.iteration ?? 0,
    iterationOpen: run?.iterationOpen ?? false,
    model,
    call:
      callId !== undefined
        ? findCall(state.live, callId)
        : turn?.calls.find((call) => request !== undefined && call.preparedId === request),
  }
}

/**
 * The events of an entry (machine 6), in order. Entries need not have any. `brief`: of a response only that it has ended, which is all that
 * a reader of the text needs of it.
 */
export function project(before: Before, entry: Entry, after: SessionState, naming: Naming, durable = true, brief = false): CoreEvent[] {
  const run = after.live.run
  const onlyEnd = brief && entry.kind === 'model.responded'
  const bodies = onlyEnd ? [modelFinished(before, entry)] : bodiesOf(before, entry, after, naming, durable)
  // The end of a run is its status, also when another one waits already.
  const status = entry.kind === 'run.finished' && entry.runId === before.runId ? entry.data.status : statusOf(after)
  const from = entry.kind === 'run.claimed' && before.runId === undefined ? 'idle' : before.status
  const active = run !== undefined || before.runId !== undefined
  if (!onlyEnd && active && status !== from && entry.kind !== 'run.requested') {
    const change: EventBody = { type: 'run.status', from, to: status }
    // Nothing follows the end of a run.
    if (entry.kind === 'run.finished') bodies.unshift(change)
    else bodies.push(change)
  }
  const runId = entry.runId ?? run?.id ?? before.runId ?? ''
  const iteration = run?.iteration ?? before.iteration
  return bodies.map((body, index) => ({
    v: 1,
    cursor: `${entry.seq}:${index}`,
    at: entry.at,
    sessionId: naming.sessionId,
    runId,
    iteration,
    ...body,
  }))
}

function bodiesOf(before: Before, entry: Entry, after: SessionState, naming: Naming, durable: boolean): EventBody[] {
  switch (entry.kind) {
    case 'run.claimed':
      return claimed(before, entry, after)
    case 'message':
      return [...settledBehind(before, entry, naming), { type: 'message.added', message: entry.data.message }]
    case 'model.started':
      return modelStarted(before, entry, after)
    case 'model.responded':
      return responded(before, entry, after, naming)
    case 'model.failed':
      return modelFailed(before, entry)
    case 'call.prepared':
      return prepared(entry, after, naming)
    case 'approval.decided':
      return decided(before, entry, naming)
    case 'call.started':
      return started(before, entry, naming)
    case 'call.deferred':
      return pendingCalls(after.live, naming)
        .filter((pending) => pending.callId === entry.data.callId)
        .map((pending) => ({ type: 'call.deferred', ...pending }))
    case 'call.settled':
      return settled(before, entry, after, naming)
    case 'history.revised':
      return entry.data.ok
        ? [{ type: 'history.revised', tokensBefore: entry.data.tokensBefore ?? 0, tokensAfter: entry.data.tokensAfter ?? 0 }]
        : []
    case 'run.finished':
      return finished(entry, after, naming, durable)
    case 'session':
    case 'run.requested':
    case 'control':
    case 'custom':
      return []
  }
}

function claimed(before: Before, entry: EntryOf<'run.claimed'>, after: SessionState): EventBody[] {
  const run = after.live.run
  if (before.runId !== undefined || run === undefined) return []
  const waiting = after.live.waiting.find((candidate) => candidate.runId === entry.runId)
  const input = waiting?.input ?? []
  return [{ type: 'run.started', agent: run.agent, input }, ...input.map((message): EventBody => ({ type: 'message.added', message }))]
}

function modelRef(model: { n: number; attempt: number }, purpose: OpenModelCall['purpose']) {
  return { messageId: messageIdOf(model.n), purpose, attempt: model.attempt }
}

function modelStarted(before: Before, entry: EntryOf<'model.started'>, after: SessionState): EventBody[] {
  const { purpose } = entry.data
  const events: EventBody[] = []
  const counts = purpose === 'main' || purpose === 'output'
  if (counts && !before.iterationOpen) events.push({ type: 'iteration.started' })
  events.push({ type: 'model.started', ...modelRef(entry.data, purpose), model: after.live.setup?.model ?? '' })
  return events
}

function responded(before: Before, entry: EntryOf<'model.responded'>, after: SessionState, naming: Naming): EventBody[] {
  const { message, usage, n } = entry.data
  const messageId = messageIdOf(n)
  const events: EventBody[] = [modelFinished(before, entry), { type: 'usage.updated', usage: after.live.run?.usage ?? usage }]
  for (const part of message.parts) {
    if (part.type !== 'tool-call') continue
    events.push({ type: 'call.announced', callId: part.callId, messageId, toolName: part.toolName, input: part.input })
    const { providerExecuted, settlement } = part
    // It has run already, at the provider: no entry of its own will say so.
    if (providerExecuted === true && settlement !== undefined)
      events.push({ type: 'call.settled', ...callRef(part, part.input, naming), ...settlement, durationMs: 0 })
  }
  if (before.iterationOpen && after.live.run?.iterationOpen === false) events.push({ type: 'iteration.finished' })
  return events
}

function modelFinished(before: Before, { data }: EntryOf<'model.responded'>): EventBody {
  const { usage, finish, model } = data
  const event: EventBody = {
    type: 'model.finished',
    ...modelRef(data, before.model?.purpose ?? 'main'),
    finishReason: finish.unified,
    usage,
  }
  return model === undefined ? event : { ...event, model }
}

function modelFailed(before: Before, entry: EntryOf<'model.failed'>): EventBody[] {
  const { error, retryAt, retryInMs, partial } = entry.data
  const ref = modelRef(entry.data, before.model?.purpose ?? 'main')
  const wait = retryAt === undefined ? {} : { retryInMs: retryInMs ?? Math.max(0, retryAt - entry.at) }
  const events: EventBody[] = [{ type: 'model.failed', ...ref, error, ...wait }]
  if (partial === undefined || partial === '') events.push({ type: 'model.retracted', ...ref })
  return events
}

function prepared(entry: EntryOf<'call.prepared'>, after: SessionState, naming: Naming): EventBody[] {
  const call = after.live.turn?.calls[callIndex(entry.data.callId)]
  if (call === undefined || call.status !== 'awaiting') return []
  return [{ type: 'approval.requested', ...callRef(call.part, call.input, naming), ...askOf(after.live, call) }]
}

function decided(before: Before, entry: EntryOf<'approval.decided'>, naming: Naming): EventBody[] {
  const call = before.call
  if (call === undefined) return []
  const { decision, by, reason } = entry.data
  const input = entry.data.arguments ?? call.input
  return [
    {
      type: 'approval.decided',
      ...callRef(call.part, input, naming),
      decision: decision === 'allow' ? 'approve' : 'deny',
      ...(by === undefined ? {} : { by }),
      ...(reason === undefined ? {} : { reason }),
    },
  ]
}

function started(before: Before, entry: EntryOf<'call.started'>, naming: Naming): EventBody[] {
  const call = before.call
  if (call === undefined) return []
  return [{ type: 'call.started', ...callRef(call.part, call.input, naming), attempt: entry.data.attempt }]
}

function settled(before: Before, entry: EntryOf<'call.settled'>, after: SessionState, naming: Naming): EventBody[] {
  const call = before.call
  if (call === undefined) return []
  const { settlement, durationMs, by, background } = entry.data
  const ref = callRef(call.part, call.edited ?? call.input, naming)
  const events: EventBody[] = []
  const expired = by === 'machine' && settlement.outcome === 'denied' && call.decision === undefined && call.status === 'awaiting'
  if (expired) events.push({ type: 'approval.decided', ...ref, decision: 'expired' })
  // Of a call that goes on in the background the outcome is told when it is there.
  if (background !== true)
    events.push({ type: 'call.settled', ...ref, ...shownSettlement(settlement), durationMs: tookOf(call, entry.at, durationMs) })
  if (before.iterationOpen && after.live.run?.iterationOpen === false) events.push({ type: 'iteration.finished' })
  return events
}

function settledBehind({ call }: Before, { at, data }: EntryOf<'message'>, naming: Naming): EventBody[] {
  const { result } = data
  if (call === undefined || result === undefined) return []
  const durationMs = tookOf(call, at, result.durationMs)
  return [{ type: 'call.settled', ...callRef(call.part, call.input, naming), ...shownSettlement(result.settlement), durationMs }]
}

function finished(entry: EntryOf<'run.finished'>, after: SessionState, naming: Naming, durable: boolean): EventBody[] {
  const ended = after.live.ended
  if (ended === undefined || ended.id !== entry.runId) return []
  return [{ type: 'run.finished', result: finishedResult(after, ended, naming, durable) }]
}
