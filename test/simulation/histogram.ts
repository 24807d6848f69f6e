import type { Played } from './play.ts'

/** How often each thing occurred in a sweep: a simulation that never meets something proves nothing about it. */
export class Histogram {
  readonly #counts = new Map<string, number>()

  add(played: Played): void {
    for (const entry of played.journal) {
      this.#count('entry', entry.kind)
      switch (entry.kind) {
        case 'call.settled':
          this.#count('outcome', entry.data.settlement.outcome)
          this.#count('settled by', entry.data.by)
          if (entry.data.background === true) this.#count('background', 'begun')
          if (entry.data.end !== undefined) this.#count('batch end', entry.data.end)
          if (entry.data.limit !== undefined) this.#count('call over', entry.data.limit)
          break
        case 'message': {
          const { callId, result, origin } = entry.data
          if (origin === 'output-request')
            this.#count('output', /again/.test(JSON.stringify(entry.data.message)) ? 'asked for again' : 'asked for')
          if (callId === undefined || result === undefined) break
          this.#count('background', result.settlement.outcome)
          this.#count('background by', result.by)
          if (result.end !== undefined) this.#count('background', 'ends the run')
          if (played.journal.some(({ kind, data }) => kind === 'call.started' && data.callId === callId && data.attempt > 1))
            this.#count('background', 'begun again')
          break
        }
        case 'run.finished':
          this.#count('reason', entry.data.reason)
          this.#count('status', entry.data.status)
          if (played.script.agent.output !== undefined && 'output' in entry.data) this.#count('output', entry.data.reason)
          break
        case 'model.started':
          this.#count('purpose', entry.data.purpose)
          if (entry.data.attempt > 1) this.#count('again', 'model')
          break
        case 'model.responded':
          this.#count('finish', entry.data.finish.unified)
          break
        case 'model.failed':
          this.#count('model failed', entry.data.cause ?? (entry.data.retryAt === undefined ? 'final' : 'retry'))
          if (entry.data.partial !== undefined) this.#count('model failed', 'partial kept')
          break
        case 'call.prepared':
          if (entry.data.approvedBy !== undefined && entry.data.arguments === undefined) this.#count('remembered', 'used')
          break
        case 'call.started':
          if (entry.data.attempt > 1) this.#count('again', 'call')
          break
        case 'call.deferred':
          this.#count('deferred', entry.data.why)
          break
        case 'approval.decided':
          this.#count('decision', entry.data.arguments === undefined ? entry.data.decision : 'edited')
          if (entry.data.remember !== undefined) this.#count('remembered', entry.data.remember)
          break
        case 'control':
          this.#count('control', entry.data.action)
          break
        case 'run.claimed':
          this.#count('claimed', entry.data.cause)
          break
        case 'custom':
          this.#count('custom', entry.data.type)
          break
        case 'run.requested':
          if (entry.data.inherits !== undefined) this.#count('race', 'a message met the end of its run')
          break
      }
    }
    this.#events(played)
    for (const [what, times] of played.counts) this.#count(...pair(what), times)
    for (const result of [...played.launched.map((one) => one.result), ...played.resumed])
      if (result?.status === 'failed' && result.resumable) this.#count('resumable', result.reason)
    for (const { act, ok } of played.deeds) this.#count(`deed ${ok === true ? 'done' : 'refused'}`, act.kind)
    for (const { left } of played.launched) if (left !== undefined) this.#count('reader left', left)
    if (played.detached) this.#count('race', 'a best-effort store was given up')
    if (played.effects.some((effect) => effect.process === 'B')) this.#count('race', 'a second process ran tools')
  }

  #events(played: Played): void {
    for (const reader of played.readers)
      for (const event of reader.events) {
        if (event.type === 'run.status' && reader.how === 'replay') this.#count('status change', `${event.from} > ${event.to}`)
        if (event.type === 'run.parked') this.#count('park', event.reason)
        if (event.type === 'model.retracted') this.#count('event', 'model.retracted')
        if (event.type === 'call.progress') this.#count('event', 'call.progress')
        if (event.type === 'approval.decided' && event.decision === 'expired') this.#count('event', 'approval expired')
      }
  }

  #count(group: string, what: string, times = 1): void {
    const key = `${group}: ${what}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + times)
  }

  /** What must occur in a sweep and did not. */
  missing(): readonly string[] {
    return required.filter((key) => !this.#counts.has(key))
  }

  toString(): string {
    const groups = new Map<string, string[]>()
    for (const [key, times] of [...this.#counts].sort()) {
      const [group, what] = pair(key)
      groups.set(group, [...(groups.get(group) ?? []), `${what} ${times}`])
    }
    return [...groups].map(([group, lines]) => `${group}: ${lines.join(' · ')}`).join('\n')
  }
}

function pair(key: string): [group: string, what: string] {
  const at = key.indexOf(': ')
  return at < 0 ? ['other', key] : [key.slice(0, at), key.slice(at + 2)]
}

function of(group: string, ...what: readonly string[]): string[] {
  return what.map((one) => `${group}: ${one}`)
}

/**
 * What this version can do. Not yet: `history.revised`, purpose `compaction`, `context_overflow` and `stop_sequence` (there is no compaction); deferred
 * `child` (nothing makes it yet) and `ask-user` (no tool here). `session_error` and `lease_lost` are ends of activations
 * only, never of runs: they are counted as parks and resumable results. Legal, and met by no journal of this version: a change from
 * `awaiting_human` or `awaiting_tool_results` to the end of a run (the last settlement closes the batch first, and the status is
 * then `tool_running` or `model_running`), and from `awaiting_tool_results` to `model_running`.
 */
const required: readonly string[] = [
  ...of('entry', 'session', 'run.requested', 'message', 'control', 'approval.decided', 'run.claimed', 'model.started', 'model.responded'),
  ...of('entry', 'model.failed', 'call.prepared', 'call.started', 'call.deferred', 'call.settled', 'run.finished', 'custom'),
  ...of('outcome', 'ok', 'error', 'denied', 'timeout', 'cancelled', 'skipped', 'truncated', 'invalid', 'unknown'),
  ...of('settled by', 'machine', 'prepare', 'tool', 'client', 'reconcile'),
  ...of('batch end', 'done', 'stop', 'fail'),
  ...of('call over', 'max_tool_calls', 'max_tool_calls_per_tool', 'timeout'),
  ...of('reason', 'completed', 'done_tool', 'aborted', 'stop_turn', 'model_error', 'tool_failure', 'hook_failure', 'max_iterations'),
  ...of('reason', 'max_tool_rounds', 'max_tool_calls', 'max_tool_calls_per_tool', 'timeout', 'budget_exceeded', 'no_progress'),
  ...of('reason', 'max_consecutive_errors', 'duplicate_tool_call', 'max_tokens', 'content_blocked', 'empty_response', 'stopped'),
  ...of('reason', 'unexpected_stop_reason', 'output_decoding_failed'),
  ...of('output', 'completed', 'done_tool', 'max_iterations', 'asked for', 'asked for again'),
  ...of('status', 'completed', 'incomplete', 'failed', 'aborted'),
  ...of('purpose', 'main', 'output', 'wrap-up'),
  ...of('finish', 'stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'pause-turn', 'error', 'other'),
  ...of('model failed', 'final', 'retry', 'interrupted', 'cancelled', 'limit', 'partial kept'),
  ...of('again', 'model', 'call'),
  ...of('background', 'begun', 'begun again', 'ok', 'error', 'timeout', 'cancelled', 'unknown', 'ends the run'),
  ...of('background by', 'tool', 'machine', 'client', 'reconcile'),
  ...of('deferred', 'client', 'suspended', 'manual', 'unresolved'),
  ...of('remembered', 'run', 'session', 'used'),
  ...of('decision', 'allow', 'deny', 'stop', 'edited'),
  ...of('control', 'pause', 'resume', 'cancel'),
  ...of('claimed', 'start', 'resume', 'next'),
  ...of('custom', 'noise', 'late-outcome'),
  ...of(
    'park',
    'awaiting_approval',
    'awaiting_tool_results',
    'suspended',
    'paused',
    'retry_later',
    'time_slice',
    'session_error',
    'lease_lost',
  ),
  ...of('resumable', 'session_error', 'lease_lost'),
  ...of('event', 'model.retracted', 'call.progress', 'approval expired'),
  ...of('status change', 'idle > preparing', 'idle > paused', 'preparing > model_running', 'preparing > failed', 'preparing > paused'),
  ...of('status change', 'preparing > aborted', 'model_running > completed', 'model_running > tool_running', 'model_running > paused'),
  ...of('status change', 'model_running > incomplete', 'model_running > failed', 'model_running > aborted', 'tool_running > completed'),
  ...of('status change', 'tool_running > model_running', 'tool_running > awaiting_human', 'tool_running > awaiting_tool_results'),
  ...of('status change', 'tool_running > paused', 'tool_running > incomplete', 'tool_running > failed', 'tool_running > aborted'),
  ...of('status change', 'awaiting_human > tool_running', 'awaiting_human > model_running'),
  ...of('status change', 'awaiting_human > awaiting_tool_results', 'awaiting_tool_results > tool_running'),
  ...of('status change', 'paused > model_running'),
  ...of('status change', 'paused > tool_running', 'paused > preparing', 'paused > aborted', 'paused > failed'),
  ...of('race', 'a driver lost its race', 'an input lost its race', 'a release met something new', 'a stale epoch was refused'),
  ...of('race', 'a lease was stolen', 'a session was busy', 'a load failed', 'append failed before the write'),
  ...of('race', 'append failed after the write', 'the store fails for good', 'a best-effort store was given up'),
  ...of('race', 'a second process ran tools', 'a result was handed in twice', 'a message met the end of its run'),
  ...of('race', 'the store never answered'),
  ...of('never', 'instructions', 'a permission check'),
  ...of('jump', 'ours forth', 'ours back', 'store forth', 'store back', 'both forth', 'both back'),
  ...of('reader left', 'before-end', 'after-end'),
  ...of('other', 'reload'),
]
