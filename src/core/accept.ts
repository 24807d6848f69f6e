import { findCall } from './background.ts'
import type { CallState } from './call-state.ts'
import type { EntryBody } from './entry.ts'
import type { SessionState } from './state.ts'

/** Why an input was refused, and what the caller can do. */
export interface Refusal {
  readonly why:
    | 'no_run'
    | 'late'
    | 'twice'
    | 'cancelling'
    | 'wrong_request'
    | 'not_outside'
    | 'pending'
    | 'read_only'
    | 'not_an_input'
    /** Whoever says it has taken it back. */
    | 'withdrawn'
  readonly message: string
}

/**
 * Whether an input fits the state at this moment (`now`: ms since 1970). Every input passes here before it is written, again after a lost race;
 * a refused one writes nothing. `undefined` = accepted.
 */
export function accept(
  state: SessionState,
  input: EntryBody,
  options: { readonly onPending: 'answer' | 'hold' | 'reject'; readonly now: number },
): Refusal | undefined {
  if (state.live.readOnly !== undefined) return refuse('read_only', state.live.readOnly)
  switch (input.kind) {
    case 'session':
      return state.live.seq === 0 ? undefined : refuse('twice', 'The session exists already.')
    case 'run.requested':
      return acceptRun(state, input)
    case 'message':
      return acceptMessage(state, input, options.onPending)
    case 'control':
      return acceptControl(state, input)
    case 'approval.decided':
      return acceptDecision(state, input, options.now)
    case 'call.settled':
      return acceptResult(state, input, options.now)
    case 'custom':
      return undefined
    default:
      return refuse('not_an_input', `Entries of kind '${input.kind}' are written by the driver only.`)
  }
}

function refuse(why: Refusal['why'], message: string): Refusal {
  return { why, message }
}

type BodyOf<K> = Extract<EntryBody, { kind: K }>

function acceptRun({ runs, live }: SessionState, input: BodyOf<'run.requested'>): Refusal | undefined {
  const place = runs.indexOf(input.runId ?? '')
  return place >= 0 && place < live.runCount
    ? refuse('twice', `A run with the id '${String(input.runId)}' exists in this session; give each run its own id.`)
    : undefined
}

/** Messages that no model call has seen yet. */
const maxQueued = 100_000

function acceptMessage({ live }: SessionState, { runId }: BodyOf<'message'>, onPending: string): Refusal | undefined {
  if (live.waiting.length === 0) return refuse('no_run', 'No run is active that could take the message; start one.')
  if (runId !== undefined && !live.waiting.some((waiting) => waiting.runId === runId))
    return refuse('no_run', `The run '${runId}' has finished.`)
  if (live.queue.length >= maxQueued)
    return refuse('pending', `${maxQueued} messages wait in this session already; let the run take them first.`)
  const pending = live.turn?.calls.some((call) => call.status === 'awaiting' || call.status === 'outside') ?? false
  if (pending && onPending === 'reject')
    return refuse('pending', "Calls of this session wait for an answer (onPending: 'reject'); answer them first.")
  return undefined
}

function acceptControl({ live }: SessionState, input: BodyOf<'control'>): Refusal | undefined {
  const waiting = live.waiting.find((candidate) => candidate.runId === input.runId)
  if (waiting === undefined) return refuse('late', `The run '${String(input.runId)}' has finished.`)
  const run = live.run !== undefined && live.run.id === input.runId ? live.run : waiting
  if (run.cancelledAt !== undefined)
    return input.data.action === 'cancel'
      ? refuse('twice', 'The run is being cancelled already.')
      : refuse('cancelling', 'The run is being cancelled.')
  if (input.data.action === 'cancel') return undefined
  const paused = run.paused ?? false
  if ((input.data.action === 'pause') === paused) return refuse('twice', paused ? 'The run is paused already.' : 'The run is not paused.')
  return undefined
}

const readPending = 'Read session.pending() for what waits.'
const goOn = 'agent.resume(sessionId), without this answer, goes on with that.'

/** A time that is over is over for the answer too, also where no driver was there to say so. */
export function isExpired({ expiresAt }: CallState, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt
}

function acceptDecision({ live }: SessionState, input: BodyOf<'approval.decided'>, now: number): Refusal | undefined {
  const call = live.turn?.calls.find((candidate) => candidate.preparedId === input.data.request)
  if (call === undefined)
    return refuse(
      'wrong_request',
      'No open call has this request: it was settled, or its arguments have changed since. Read session.pending() again.',
    )
  if (call.decision !== undefined) return refuse('twice', `Call ${call.part.callId} has been decided already. ${readPending}`)
  if (call.status !== 'awaiting')
    return refuse('late', `Call ${call.part.callId} does not wait for a decision (it is ${call.status}). ${readPending}`)
  if (isExpired(call, now)) return refuse('late', `The request of call ${call.part.callId} has expired: it counts as denied. ${goOn}`)
  if (live.run?.cancelledAt !== undefined) return refuse('cancelling', 'The run is being cancelled.')
  return undefined
}

function acceptResult({ live }: SessionState, input: BodyOf<'call.settled'>, now: number): Refusal | undefined {
  const call = findCall(live, input.data.callId)
  if (call === undefined)
    return refuse('late', `Call '${input.data.callId}' is not open in this session: it is unknown or has settled. ${readPending}`)
  if (call.status === 'settled') return refuse('twice', `Call ${input.data.callId} has settled already. ${readPending}`)
  if (call.status !== 'outside')
    return refuse('not_outside', `Call ${input.data.callId} does not wait for a result from outside (it is ${call.status}). ${readPending}`)
  if (isExpired(call, now)) return refuse('late', `The time for the result of call ${input.data.callId} is over: it has timed out. ${goOn}`)
  return undefined
}
