import { applyTo } from '../../src/core/apply.ts'
import { type DriverFacts, defaultLimits, type MachineConfig, type MachineLimits, type ToolFacts } from '../../src/core/config.ts'
import { decide } from '../../src/core/decide.ts'
import { type Entry, type EntryBody, type EntryData, entryKinds } from '../../src/core/entry.ts'
import type { ErrorCode } from '../../src/core/error.ts'
import { errorData } from '../../src/core/error.ts'
import type { Json } from '../../src/core/json.ts'
import { type FailedOutcome, type Message, type Part, textMessage } from '../../src/core/message.ts'
import type { FinishReason, Purpose } from '../../src/core/model.ts'
import { emptyState, type SessionState } from '../../src/core/state.ts'
import { standardTermination } from '../../src/core/termination.ts'
import type { Usage } from '../../src/core/usage.ts'

/** An entry body with what the envelope should say when that is not the obvious: `at` (default: as the entry before, from 1,000 on). */
export type Step = EntryBody & { readonly at?: number; readonly epoch?: number }

export type Steps = readonly (Step | readonly Step[])[]

/** The entries of a journal: gapless seqs, ids `e<seq>`, the epoch of the last claim on what a driver writes, none on inputs. */
export function journal(...steps: Steps): Entry[] {
  const entries: Entry[] = []
  let at = 1_000
  let epoch = 1
  let runId: string | undefined
  for (const step of steps.flat() as Step[]) {
    at = step.at ?? at
    if (step.kind === 'run.claimed') {
      epoch = step.epoch ?? epoch
      runId = step.runId ?? runId
    }
    if (step.kind === 'run.requested') runId ??= step.runId
    const seq = entries.length + 1
    const run = step.runId ?? runId
    const envelope = { v: 1, id: step.id ?? `e${seq}`, seq, at, kind: step.kind, data: step.data }
    entries.push({ ...envelope, ...(isInput(step) ? {} : { epoch }), ...(run === undefined ? {} : { runId: run }) } as Entry)
    if (step.kind === 'run.finished') runId = undefined
  }
  return entries
}

function isInput(step: Step): boolean {
  if (step.kind === 'message') return step.data.origin === 'steer' || step.data.origin === 'follow-up'
  if (step.kind === 'call.settled') return step.data.by === 'client'
  return entryKinds[step.kind] === 'input' || entryKinds[step.kind] === 'any'
}

export function play(...steps: Steps): SessionState {
  const state = emptyState()
  for (const entry of journal(...steps)) applyTo(state, entry)
  return state
}

/** One tool of each kind that `decide` knows. */
const tools: ReadonlyMap<string, ToolFacts> = new Map<string, ToolFacts>([
  ['look', { effect: 'read', exclusive: false, external: false, canReconcile: false }],
  ['put', { effect: 'idempotent', exclusive: false, external: false, canReconcile: false }],
  ['save', { effect: 'unsafe', exclusive: false, external: false, canReconcile: false }],
  ['pay', { effect: 'unsafe', exclusive: false, external: false, canReconcile: true }],
  ['solo', { effect: 'unsafe', exclusive: true, external: false, canReconcile: false }],
  ['slow', { effect: 'read', exclusive: false, external: false, canReconcile: false, timeoutMs: 500, graceMs: 40 }],
  ['send', { effect: 'unsafe', exclusive: false, external: false, canReconcile: false, timeoutMs: 500 }],
  ['once', { effect: 'read', exclusive: false, external: false, canReconcile: false, maxCallsPerRun: 1 }],
  ['behind', { effect: 'read', exclusive: false, external: false, canReconcile: false, background: true }],
  ['job', { effect: 'unsafe', exclusive: false, external: false, canReconcile: false, background: true, timeoutMs: 500, graceMs: 40 }],
  ['client', { effect: 'read', exclusive: false, external: true, canReconcile: false }],
])

export type ConfigChange = Partial<Omit<MachineConfig, 'limits'>> & { readonly limits?: Partial<MachineLimits> }

export function config(change: ConfigChange = {}): MachineConfig {
  return {
    tools,
    retries: 2,
    maxParallel: 8,
    graceMs: 100,
    approvalTiming: 'verdicts',
    onPending: 'answer',
    toolFailureMode: 'continue',
    toolExecution: 'auto',
    lostOutcome: 'unknown',
    doneDrain: 'skip',
    emptyResponse: { retries: 2, end: 'final' },
    onTruncated: 'final',
    toolUseWithoutCalls: 'final',
    maxCuts: 2,
    maxContinuations: 10,
    termination: standardTermination(),
    hasSetup: false,
    hasComplete: false,
    setup: { model: 'test:m' },
    errorText: (_code, _call, text) => text,
    ...change,
    limits: { ...defaultLimits, ...change.limits },
  }
}

export const driver: DriverFacts = { epoch: 1, owner: 'o1', engine: 'test', holdStarts: false }

export interface PlanShown {
  readonly append: readonly EntryBody[]
  /** Keys. */
  readonly want: readonly string[]
  readonly wakeAt?: number
}

/** The whole plan for a state; `now` defaults to the time of its last entry, the epoch to its own. */
export function planOf(state: SessionState, change: ConfigChange = {}, facts: Partial<DriverFacts> & { now?: number } = {}): PlanShown {
  const { now = state.live.at, ...more } = facts
  const { append, want, wakeAt } = decide(state, config(change), now, { ...driver, epoch: Math.max(1, state.live.epoch), ...more })
  return { append, want: want.map((activity) => activity.key), ...(wakeAt === undefined ? {} : { wakeAt }) }
}

export const nothing: PlanShown = { append: [], want: [] }

// ── what people and other processes write

export function requested(runId = 'r1', ...texts: readonly string[]): Step {
  const input = (texts.length === 0 ? ['Hi'] : texts).map((text) => textMessage('user', text))
  return { kind: 'run.requested', runId, data: { agent: { name: 'tester' }, input, task: 'run' } }
}

export function steer(text: string, more: { hidden?: boolean; origin?: EntryData['message']['origin'] } = {}): Step {
  const { hidden, origin = 'steer' } = more
  return { kind: 'message', data: { origin, message: textMessage('user', text), ...(hidden === undefined ? {} : { hidden }) } }
}

export function control(action: 'pause' | 'resume' | 'cancel', runId = 'r1', reason?: string): Step {
  return { kind: 'control', runId, data: { action, ...(reason === undefined ? {} : { reason }) } }
}

export function decided(
  request: string,
  decision: 'allow' | 'deny' | 'stop',
  more: { arguments?: Json; reason?: string; by?: string } = {},
): Step {
  return { kind: 'approval.decided', data: { request, decision, ...more } }
}

export function answered(callId: string, output: Json): Step {
  return { kind: 'call.settled', data: { callId, settlement: { outcome: 'ok', output }, by: 'client' } }
}

// ── what a driver writes

export function claimed(epoch = 1, runId = 'r1', cause: 'start' | 'resume' | 'next' = 'start'): Step {
  return { kind: 'run.claimed', runId, epoch, data: { owner: 'o1', cause, engine: 'test' } }
}

export interface StartOptions {
  readonly attempt?: number
  readonly purpose?: Purpose
  readonly through?: number
  readonly reason?: EntryData['model.started']['reason']
  readonly estimatedTokens?: number
}

/** `through` defaults to everything. */
export function started(n: number, options: StartOptions = {}): Step {
  const { attempt = 1, purpose = 'main', through = 1_000, reason, estimatedTokens } = options
  return {
    kind: 'model.started',
    data: {
      n,
      attempt,
      purpose,
      contextThrough: through,
      setup: { model: 'test:m' },
      ...(reason === undefined ? {} : { reason }),
      ...(estimatedTokens === undefined ? {} : { estimatedTokens }),
    },
  }
}

export const usage: Usage = Object.freeze({
  inputTokens: 10,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 5,
  reasoningTokens: 0,
  complete: true,
})

export type CallText = readonly [toolName: string, input?: Json] | string

function callParts(n: number, calls: readonly CallText[]): Part[] {
  return calls.map((call, index): Part => {
    const [toolName, input = {}] = typeof call === 'string' ? [call] : call
    return { type: 'tool-call', callId: `m${n}.${index}`, toolName, input }
  })
}

export interface ResponseOptions {
  readonly attempt?: number
  readonly text?: string
  readonly calls?: readonly CallText[]
  readonly finish?: FinishReason
  readonly usage?: Usage
  readonly parts?: readonly Part[]
}

/** A response: a string is a text that ends with `stop`. */
export function responded(n: number, answer: string | ResponseOptions): Step {
  const options = typeof answer === 'string' ? { text: answer } : answer
  const { attempt = 1, text = '', calls = [], parts } = options
  const message: Message = {
    id: `m${n}`,
    role: 'assistant',
    parts: parts ?? [...(text === '' ? [] : [{ type: 'text', text } as const]), ...callParts(n, calls)],
  }
  const unified = options.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop')
  return { kind: 'model.responded', data: { n, attempt, message, finish: { unified }, usage: options.usage ?? usage } }
}

export const broken = errorData('ModelServerError', 'broken')

export function failed(n: number, more: Partial<EntryData['model.failed']> = {}): Step {
  return { kind: 'model.failed', data: { n, attempt: 1, error: broken, ...more } }
}

export function prepared(callId: string, more: Partial<EntryData['call.prepared']> = {}): Step {
  return { kind: 'call.prepared', data: { callId, effect: 'read', executor: 'local', ...more } }
}

export function began(callId: string, attempt = 1): Step {
  return { kind: 'call.started', data: { callId, attempt } }
}

export function deferred(callId: string, more: Partial<EntryData['call.deferred']> = {}): Step {
  return { kind: 'call.deferred', data: { callId, why: 'client', ...more } }
}

export function settledOk(callId: string, output: Json = 'fine', more: Partial<EntryData['call.settled']> = {}): Step {
  return { kind: 'call.settled', data: { callId, settlement: { outcome: 'ok', output }, by: 'tool', ...more } }
}

export function settledBad(
  callId: string,
  outcome: FailedOutcome,
  more: Partial<EntryData['call.settled']> & { code?: ErrorCode } = {},
): Step {
  const { code = 'ToolExecutionError', ...data } = more
  const error = errorData(code, `it was ${outcome}`, { retryable: false })
  return { kind: 'call.settled', data: { callId, settlement: { outcome, error }, by: 'tool', ...data } }
}

type RunEnd = EntryData['run.finished']
type Completed = Extract<RunEnd, { status: 'completed' }>
type WithoutText<X> = X extends unknown ? Omit<X, 'text'> & { readonly text?: string } : never

export function finished(runId = 'r1', more: Partial<Completed> | WithoutText<Exclude<RunEnd, Completed>> = {}): Step {
  return { kind: 'run.finished', runId, data: { status: 'completed', reason: 'completed', text: '', ...more } }
}

// ── journals that most tests begin with

/** A run with its first model call open: entries 1 to 3. */
export const open: readonly Step[] = [requested(), claimed(), started(1)]

/** A run whose first response has these calls: entries 1 to 4. */
export function called(...calls: readonly CallText[]): readonly Step[] {
  return [...open, responded(1, { calls })]
}

/** Batches of calls that are done, each in a model call of its own. */
export function rounds(count: number, calls: (n: number) => readonly CallText[] = (n) => [['look', { n }]], from = 1): Step[] {
  return Array.from({ length: count }, (_, i) => from + i).flatMap((n) => [
    started(n),
    responded(n, { calls: calls(n) }),
    ...calls(n).flatMap((_call, index) => [prepared(`m${n}.${index}`), began(`m${n}.${index}`), settledOk(`m${n}.${index}`)]),
  ])
}

// ── what the machine writes, for comparison

export function settles(
  callId: string,
  outcome: FailedOutcome,
  code: ErrorCode,
  message: string,
  more: Partial<EntryData['call.settled']> = {},
): EntryBody {
  const error = { code, category: code.startsWith('Tool') ? 'tool' : 'hook', message, retryable: false } as const
  return { kind: 'call.settled', data: { callId, settlement: { outcome, error }, by: 'machine', ...more } }
}

export function starts(callId: string, attempt = 1, more: { approval?: string } = {}): EntryBody {
  return { kind: 'call.started', data: { callId, attempt, ...more } }
}

export function calls(n: number, contextThrough: number, more: Partial<EntryData['model.started']> = {}): EntryBody {
  return { kind: 'model.started', data: { n, attempt: 1, purpose: 'main', contextThrough, ...more } }
}

export function finishes(data: EntryData['run.finished'], runId = 'r1'): EntryBody {
  return { kind: 'run.finished', runId, data }
}

export function plan(append: readonly EntryBody[], want: readonly string[] = [], wakeAt?: number): PlanShown {
  return { append, want, ...(wakeAt === undefined ? {} : { wakeAt }) }
}
