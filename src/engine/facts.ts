import { findCall } from '../core/background.ts'
import type { EntryBody } from '../core/entry.ts'
import type { SessionState } from '../core/state.ts'

/**
 * What an activity has to say when it ends. A function is asked when the fact is staged, not when the activity ended: what it says
 * may depend on what happened in between (a cancel, a limit). `undefined` = nothing.
 */
export type Fact = EntryBody | ((state: SessionState) => EntryBody | undefined)

export interface Outcome {
  readonly key: string
  readonly facts: readonly Fact[]
}

/** Proposals count only while `decide` still wants their activity; everything else is a fact, kept if what it settles is open. */
export function isProposal(key: string, body: EntryBody): boolean {
  if (body.kind === 'run.finished' || body.kind === 'model.started') return true
  if (body.kind === 'message') return body.data.origin === 'output-request'
  return body.kind === 'call.started' && key.startsWith('reconcile:')
}

/** Whether a fact still fits: what it settles is open, and it comes from the attempt that is. Else it is late. */
export function stillApplies({ live }: SessionState, body: EntryBody): boolean {
  switch (body.kind) {
    case 'model.responded':
    case 'model.failed':
      return live.model !== undefined && live.model.n === body.data.n && live.model.attempt === body.data.attempt
    case 'call.prepared':
      return findCall(live, body.data.callId)?.status === 'announced'
    case 'call.settled':
    case 'call.deferred': {
      const call = findCall(live, body.data.callId)
      if (call === undefined) return false
      // Of a call that was to begin; one that has begun since, for nothing guards it any more, says itself what became of it.
      if (body.kind === 'call.settled' && body.data.by === 'reconcile' && body.data.attempt === undefined) return call.status === 'ready'
      if (body.data.attempt === undefined) return call.status === 'announced' || call.status === 'running'
      return call.status === 'running' && call.attempt === body.data.attempt
    }
    default:
      return true
  }
}
