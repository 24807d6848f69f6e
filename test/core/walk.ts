import { accept } from '../../src/core/accept.ts'
import { applyTo } from '../../src/core/apply.ts'
import { bodyFor } from '../../src/core/background.ts'
import { decide } from '../../src/core/decide.ts'
import type { Entry, EntryBody } from '../../src/core/entry.ts'
import type { CoreEvent } from '../../src/core/event.ts'
import type { FinishReason } from '../../src/core/model.ts'
import type { Activity } from '../../src/core/plan.ts'
import { glimpse, project } from '../../src/core/project.ts'
import { emptyState, type SessionState } from '../../src/core/state.ts'
import { any, noProgress, standardTermination } from '../../src/core/termination.ts'
import {
  answered,
  config,
  control,
  decided,
  driver,
  failed,
  prepared,
  requested,
  responded,
  type Step,
  settledBad,
  settledOk,
  steer,
} from './support.ts'

export interface Walk {
  readonly entries: readonly Entry[]
  readonly events: readonly CoreEvent[]
  readonly state: SessionState
}

/** A small generator of chances (mulberry32): the same seed, the same walk. */
function chances(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

function pick<T>(random: () => number, options: readonly T[]): T {
  return options[Math.floor(random() * options.length)] as T
}

const naming = { sessionId: 's', isDynamic: () => false }
const finishes: readonly FinishReason[] = ['stop', 'stop', 'stop', 'tool-calls', 'tool-calls', 'length', 'refusal', 'pause-turn', 'other']
const toolNames = ['look', 'look', 'put', 'save', 'solo', 'client', 'once', 'slow', 'behind', 'behind', 'job']

/**
 * A session that lives through whatever may happen: whatever `decide` appends is written, what it wants ends in some way, inputs come
 * at any time if `accept` takes them, drivers die, time passes. Every entry is one that the engine could write.
 */
export function walk(seed: number, steps: number): Walk {
  const random = chances(seed)
  const chance = (p: number) => random() < p
  const entries: Entry[] = []
  const events: CoreEvent[] = []
  const state = emptyState()
  const onPending = pick(random, ['answer', 'hold', 'reject'] as const)
  const machine = config({
    onPending,
    retries: 1,
    maxParallel: pick(random, [1, 2, 8]),
    approvalTiming: pick(random, ['verdicts', 'answers'] as const),
    toolFailureMode: pick(random, ['continue', 'continue', 'fail'] as const),
    doneDrain: pick(random, ['skip', 'finish'] as const),
    onTruncated: pick(random, ['final', 'continue', 'error'] as const),
    termination: any(noProgress({ batches: 3 }), standardTermination()),
    limits: {
      maxIterations: pick(random, [3, 50]),
      maxToolCalls: pick(random, [4, 100]),
      maxDurationMs: pick(random, [3_000, Number.POSITIVE_INFINITY]),
      onLimit: pick(random, ['summarize', 'error', 'incomplete'] as const),
    },
  })
  let now = 1_000
  let epoch = 1
  let runs = 0

  function write(said: Step | EntryBody, asDriver: boolean): void {
    const body = bodyFor(state.live, said)
    const runId = body.runId ?? state.live.run?.id ?? state.live.waiting[0]?.runId
    const seq = state.live.seq + 1
    const envelope = { v: 1, id: body.id ?? `e${seq}`, seq, at: now, kind: body.kind, data: body.data }
    const entry = { ...envelope, ...(asDriver ? { epoch } : {}), ...(runId === undefined ? {} : { runId }) } as Entry
    const before = glimpse(state, entry)
    applyTo(state, entry)
    entries.push(entry)
    events.push(...project(before, entry, state, naming))
  }

  function outcome(activity: Activity): readonly Step[] {
    switch (activity.kind) {
      case 'model':
        return [modelOutcome(activity.model.n, activity.model.attempt)]
      case 'prepare':
        return (state.live.turn?.calls ?? [])
          .filter((call) => call.status === 'announced')
          .map((call) => verdict(call.part.callId, call.part.toolName))
      case 'tool':
        return [toolOutcome(activity.call.part.callId, activity.call.attempt)]
      default:
        throw new Error(`nothing can ${activity.kind} here`)
    }
  }

  function modelOutcome(n: number, attempt: number): Step {
    const cancelled = state.live.run?.cancelledAt !== undefined
    if (cancelled || chance(0.15)) {
      const partial = chance(0.5) ? { partial: 'half' } : {}
      if (cancelled) return failed(n, { attempt, cause: 'cancelled', ...partial })
      return failed(n, { attempt, ...(chance(0.7) && attempt < 2 ? { retryAt: now + pick(random, [0, 2_000]) } : partial) })
    }
    const calls = chance(0.55)
      ? Array.from({ length: 1 + Math.floor(random() * 3) }, () => [pick(random, toolNames), { a: Math.floor(random() * 3) }] as const)
      : []
    return responded(n, { attempt, text: chance(0.8) ? 'words' : '', calls, finish: pick(random, finishes) })
  }

  function verdict(callId: string, toolName: string): Step {
    if (chance(0.1)) return settledBad(callId, 'invalid', { by: 'prepare' })
    const approval = chance(0.3) ? { approval: chance(0.5) ? { expiresAt: now + 1_000 } : {} } : {}
    const effect = ['save', 'solo', 'job'].includes(toolName) ? 'unsafe' : 'read'
    return prepared(callId, { effect, executor: toolName === 'client' ? 'external' : 'local', ...approval })
  }

  function toolOutcome(callId: string, attempt: number): Step {
    if (chance(0.1)) return { kind: 'call.deferred', data: { callId, attempt, why: 'suspended', correlationId: 'c' } }
    if (chance(0.2)) return settledBad(callId, 'error', { attempt, ...(chance(0.3) ? { end: 'fail' } : {}) })
    return settledOk(callId, Math.floor(random() * 2), { attempt, ...(chance(0.1) ? { end: 'done' } : {}) })
  }

  function input(): Step {
    const runIds = [...state.live.waiting.map((waiting) => waiting.runId), `r${runs + 1}`]
    const runId = pick(random, runIds)
    const calls = state.live.turn?.calls ?? []
    const call = calls.length === 0 ? undefined : pick(random, calls)
    const options: Step[] = [
      steer('Hm', { hidden: chance(0.2) }),
      control('pause', runId),
      control('resume', runId),
      control('resume', runId),
    ]
    if (chance(0.3)) options.push(control('cancel', runId))
    if (state.live.waiting.length < 2) options.push(requested(`r${++runs}`))
    if (call?.preparedId !== undefined) {
      const edited = chance(0.3) ? { arguments: { a: 9 } } : {}
      options.push(...(['allow', 'allow', 'deny', 'stop'] as const).map((decision) => decided(call.preparedId ?? '', decision, edited)))
    }
    for (const { part } of state.live.background) options.push(answered(part.callId, 2))
    if (call !== undefined) options.push(answered(call.part.callId, 1), answered(call.part.callId, 1))
    return pick(random, options)
  }

  for (let i = 0; i < steps; i++) {
    const plan = decide(state, machine, now, { ...driver, epoch })
    if (chance(0.25)) {
      const body = input()
      if (accept(state, body, { onPending, now }) === undefined) write(body, false)
    } else if (chance(0.04)) epoch++
    else if (plan.append.length > 0) for (const body of plan.append) write(body, true)
    else if (plan.want.length > 0 && chance(0.8)) for (const body of outcome(pick(random, plan.want))) write(body, true)
    else now = plan.wakeAt !== undefined && chance(0.5) ? Math.max(now, plan.wakeAt) : now + Math.floor(random() * 400)
  }
  return { entries, events, state }
}
