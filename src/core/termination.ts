import { callsOf } from './apply-call.ts'
import { canonicalJson, type Json } from './json.ts'
import type { FinishReason } from './model.ts'
import type { LimitReason } from './reason.ts'
import type { RunState, SessionState, Turn } from './state.ts'

/**
 * What a policy decides about a response. `continueWithTools`: run its calls (or, once they have settled, go on).
 * `continueWithThinking`: ask the model again. `terminateWithOutput`: the text is the answer, calls are skipped.
 * `terminateImmediately`: stop for this reason, calls are skipped.
 */
export type TerminationDecision =
  | { readonly kind: 'continueWithTools' | 'continueWithThinking' | 'terminateWithOutput' }
  | { readonly kind: 'terminateImmediately'; readonly reason: LimitReason }

export interface PolicyCall {
  readonly toolName: string
  readonly input: Json
}

/** What a policy sees. `phase` is `response` before the calls of a response run, `settled` when they have. */
export interface TerminationView {
  readonly phase: 'response' | 'settled'
  readonly text: string
  readonly calls: readonly PolicyCall[]
  readonly finishReason: FinishReason
  readonly iterations: number
  readonly toolCalls: number
  /** Equal batches (calls and results) in a row. */
  readonly sameBatches: number
  /** Calls of a tool that have started in this run. */
  callsOf(toolName: string): number
  /** Earlier calls of this run with the same tool and arguments, whatever the order of keys. */
  equalCalls(call: PolicyCall): number
}

/** Pure and synchronous. `undefined` = no opinion. A throw fails the run with `hook_failure`. */
export type TerminationPolicy = (view: TerminationView) => TerminationDecision | undefined

/** The first opinion wins. */
export function any(...policies: readonly TerminationPolicy[]): TerminationPolicy {
  return (view) => {
    for (const policy of policies) {
      const decision = policy(view)
      if (decision !== undefined) return decision
    }
    return undefined
  }
}

/** Calls run; a response without calls is the answer. */
export function standardTermination(): TerminationPolicy {
  return (view) => {
    if (view.phase === 'settled') return undefined
    return { kind: view.calls.length > 0 ? 'continueWithTools' : 'terminateWithOutput' }
  }
}

/**
 * Stops at the call that would be the `max + 1`-th equal one (default 2: the third), counted over the run and inside one
 * response. The batch is then skipped and the reason is `duplicate_tool_call`.
 */
export function stopOnDuplicates(options?: { max?: number }): TerminationPolicy {
  const max = options?.max ?? 2
  return ({ phase, calls, equalCalls }) => {
    if (phase !== 'response') return undefined
    const here = new Map<string, number>()
    for (const call of calls) {
      const key = callKey(call)
      const before = here.get(key) ?? equalCalls(call)
      if (before >= max) return { kind: 'terminateImmediately', reason: 'duplicate_tool_call' }
      here.set(key, before + 1)
    }
    return undefined
  }
}

/** Stops at the call of one tool that would be its `max + 1`-th (default 5: the sixth), whatever its arguments. */
export function maxCallsPerTool(options?: { max?: number }): TerminationPolicy {
  const max = options?.max ?? 5
  return ({ phase, calls, callsOf: started }) => {
    if (phase !== 'response') return undefined
    const here = new Map<string, number>()
    for (const { toolName } of calls) {
      const before = here.get(toolName) ?? started(toolName)
      if (before >= max) return { kind: 'terminateImmediately', reason: 'max_tool_calls_per_tool' }
      here.set(toolName, before + 1)
    }
    return undefined
  }
}

/** Stops after `batches` (default 5) batches in a row with the same calls and the same results: reason `no_progress`. */
export function noProgress(options?: { batches?: number }): TerminationPolicy {
  const batches = options?.batches ?? 5
  return ({ phase, sameBatches }) =>
    phase === 'settled' && sameBatches >= batches ? { kind: 'terminateImmediately', reason: 'no_progress' } : undefined
}

/** Stops when the predicate holds after a batch has settled: reason `stopped`, or the given one. */
export function stopWhen(predicate: (view: TerminationView) => boolean | { readonly reason: LimitReason } | undefined): TerminationPolicy {
  return (view) => {
    if (view.phase !== 'settled') return undefined
    const answer = predicate(view)
    if (answer === undefined || answer === false) return undefined
    return { kind: 'terminateImmediately', reason: answer === true ? 'stopped' : answer.reason }
  }
}

/** The view of a state. Costs nothing until a policy asks. */
export function terminationView(state: SessionState, run: RunState, phase: TerminationView['phase']): TerminationView {
  return new StateView(state, run, phase)
}

class StateView implements TerminationView {
  readonly phase: TerminationView['phase']
  readonly #state: SessionState
  readonly #run: RunState
  #calls: readonly PolicyCall[] | undefined

  constructor(state: SessionState, run: RunState, phase: TerminationView['phase']) {
    this.phase = phase
    this.#state = state
    this.#run = run
  }

  get text(): string {
    return this.#run.lastText
  }

  get calls(): readonly PolicyCall[] {
    this.#calls ??= this.phase === 'response' ? openCalls(this.#state) : lastCalls(this.#state)
    return this.#calls
  }

  get finishReason(): FinishReason {
    return this.#run.lastFinish ?? 'other'
  }

  get iterations(): number {
    return this.#run.iterations
  }

  get toolCalls(): number {
    return this.#run.toolCalls
  }

  get sameBatches(): number {
    return this.#run.sameBatches
  }

  // Getters, for policies take the view apart: `({ calls, equalCalls }) => …`
  get callsOf(): TerminationView['callsOf'] {
    return (toolName) => callsOf(this.#run, toolName)
  }

  get equalCalls(): TerminationView['equalCalls'] {
    return (call) => countEqual(this.#state, this.#run, call)
  }
}

function openCalls(state: SessionState): readonly PolicyCall[] {
  return state.live.turn?.calls.map((call) => ({ toolName: call.part.toolName, input: call.part.input })) ?? []
}

function lastCalls(state: SessionState): readonly PolicyCall[] {
  const turn = state.sealed[state.live.sealedCount - 1]
  return turn?.message.parts.filter((part) => part.type === 'tool-call') ?? []
}

function callKey(call: PolicyCall): string {
  return `${call.toolName}\0${canonicalJson(call.input)}`
}

/**
 * Where each call of a history stands, by tool and canonical arguments. Built only when a policy asks, then kept up to date by
 * what was appended, so that a step costs the same however long the run is.
 */
interface CallIndex {
  readonly indexed: Turn[]
  readonly places: Map<string, number[]>
}

const indexes = new WeakMap<Turn[], CallIndex>()

function countEqual(state: SessionState, run: RunState, call: PolicyCall): number {
  const { places } = callIndex(state)
  let count = 0
  const found = places.get(callKey(call)) ?? []
  for (let i = found.length - 1; i >= 0 && (found[i] ?? 0) >= run.firstTurn; i--) count++
  return count
}

function callIndex(state: SessionState): CallIndex {
  const { sealed, live } = state
  const index: CallIndex = indexes.get(sealed) ?? { indexed: [], places: new Map() }
  indexes.set(sealed, index)
  // A lost race may have replaced the newest turns: forget what is no longer there.
  while (index.indexed.length > 0 && !stands(index, sealed, live.sealedCount)) forgetLast(index)
  for (let i = index.indexed.length; i < live.sealedCount; i++) {
    const turn = sealed[i]
    if (turn === undefined) break
    index.indexed.push(turn)
    for (const key of keysOf(turn)) {
      const places = index.places.get(key)
      if (places === undefined) index.places.set(key, [i])
      else places.push(i)
    }
  }
  return index
}

function stands(index: CallIndex, sealed: readonly Turn[], count: number): boolean {
  const last = index.indexed.length - 1
  return last < count && index.indexed[last] === sealed[last]
}

function forgetLast(index: CallIndex): void {
  const turn = index.indexed.pop()
  if (turn !== undefined) for (const key of keysOf(turn)) index.places.get(key)?.pop()
}

function keysOf(turn: Turn): readonly string[] {
  return turn.message.parts.filter((part) => part.type === 'tool-call').map(callKey)
}
