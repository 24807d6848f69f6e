import type { RememberedApproval } from './approval.ts'
import type { CallState, GuardedCall, OpenTurn } from './call-state.ts'
import type { EntryData, ModelSetup, SettlementData } from './entry.ts'
import type { ErrorData } from './error.ts'
import type { Json, JsonObject } from './json.ts'
import type { Message } from './message.ts'
import type { FinishReason, Purpose } from './model.ts'
import type { OwnParts } from './own-parts.ts'
import type { LimitReason } from './reason.ts'
import { noUsage, type Usage } from './usage.ts'

/**
 * The fold of a journal: `sealed` turns, append-only and each one frozen (encodings are cached on these objects), plus the small
 * `live` record. `apply` changes `live` in place and appends to `sealed`; `branch` makes a state whose changes can be thrown away.
 * A state and its branches belong to one driver, and only the branch made last may be changed.
 */
export interface SessionState {
  readonly sealed: Turn[]
  /** The ids of all runs that were asked for, as `sealed`: append-only, and `live.runCount` of them count. */
  readonly runs: string[]
  live: Live
}

/** A finished part of the conversation: what a user said, or an assistant message with the outcomes on its calls, or a summary. */
export interface Turn {
  readonly message: Message
  /** Of the entry that began it. */
  readonly seq: number
  /** The model call that made it. */
  readonly n?: number
  /** Shown text of a call that was cancelled or failed. */
  readonly partial?: boolean
  /** A message that answers nobody: one the engine or a background tool wrote, or one marked so. */
  readonly hidden?: boolean
  /** A message that asks for the output of a run: should no call see it, it ends with that run. */
  readonly asksOutput?: boolean
  /** The background call whose outcome it is. */
  readonly callId?: string
  /** What each call took, in call order (ms). */
  readonly durations?: readonly number[]
}

export interface Live {
  seq: number
  /** The id of the entry at `seq`: a journal that has another one there is not the one this was folded from. */
  entryId: string
  at: number
  /** When a driver wrote last: inputs of others say nothing about how long it lived. */
  drivenAt: number
  epoch: number
  /** How many turns of `sealed` count; what lies behind belongs to a branch that was thrown away. */
  sealedCount: number
  runCount: number
  /** Turns that stand for `sealed[0 … from)` after a revision. */
  prefix: readonly Turn[]
  from: number
  /** Model calls of every purpose so far. */
  n: number
  /** User messages that no response has consumed yet, by seq. */
  queue: readonly Turn[]
  /** Requested and unfinished runs; the first is the active one once it is claimed. */
  waiting: readonly WaitingRun[]
  run?: RunState | undefined
  model?: OpenModelCall | undefined
  retry?: PendingRetry | undefined
  turn?: OpenTurn | undefined
  summary?: string | undefined
  /** Started unsafe calls whose effect is unknown: the same call does not start again (machine 4, guard). */
  guard: readonly GuardedCall[]
  /** Calls of closed turns, or settled ones of the open turn, whose outcome will come as a message: running, or outside. */
  background: readonly CallState[]
  /** What humans have allowed for more than one call. */
  remembered: readonly RememberedApproval[]
  /** What the last `model.started` entries have said about the setup. */
  setup?: ModelSetup | undefined
  /** Why the session can only be read: an entry that this version does not know. What follows it is not folded. */
  readOnly?: string | undefined
  /** The run that finished last. */
  ended?: EndedRun | undefined
}

export interface WaitingRun {
  readonly runId: string
  readonly seq: number
  readonly agent: string
  readonly input: readonly Message[]
  /** What it is driven with that is its own. */
  readonly own?: OwnParts | undefined
  readonly paused?: boolean
  readonly cancelledAt?: number
  readonly cancelSeq?: number
  readonly cancelReason?: string | undefined
}

/** The active run, else the one that is next. */
export function currentRun({ run, waiting }: Live): WaitingRun | undefined {
  const first = waiting[0]
  return run === undefined || run.id === first?.runId ? first : waiting.find(({ runId }) => runId === run.id)
}

/** What the last response of purpose main or output was. */
export type LastResponse = 'none' | 'calls' | 'text' | 'blank' | 'cut-calls' | 'cut-text' | 'blocked' | 'pause-turn' | 'odd'

export interface RunState {
  readonly id: string
  readonly agent: string
  readonly requestSeq: number
  /** Sealed turns before this run's first one. */
  readonly firstTurn: number
  /** Model calls of every purpose, in this run. */
  modelCalls: number
  iterations: number
  /** The number of the open iteration, or of the last one; 0 before the first. */
  iteration: number
  /** Whether an iteration has begun that has not ended. */
  iterationOpen: boolean
  toolRounds: number
  toolCalls: number
  callsPerTool: { readonly [tool: string]: number }
  usage: Usage
  paused: boolean
  cancelledAt?: number | undefined
  /** The entry that cancelled it. */
  cancelSeq?: number | undefined
  cancelReason?: string | undefined
  /** The limit that was met. */
  limit?: LimitReason | undefined
  /** Cost of the calls whose cost is known (US dollars): what the budget counts, also after one whose cost is not. */
  knownCostUsd: number
  /** Time with an open started entry (ms), without what is open now. */
  activeMs: number
  openSince: number
  /** The entry from which `openSince` is. */
  openSeq: number
  open: number
  /** What the activities that ended since `openSince` took by their own count (ms): together (`Infinity` when one did not say), and the longest. */
  measuredMs: number
  longestMs: number
  last: LastResponse
  lastText: string
  lastFinish?: FinishReason | undefined
  /** The purpose of the call that it answered. */
  lastPurpose: Purpose
  /** How often the output was asked for by a message, since anybody else said something. */
  outputRequests: number
  /** Blank, cut and paused responses, each in a row. */
  blanks: number
  cuts: number
  continuations: number
  /** Equal batches in a row, the last one included. */
  sameBatches: number
  consecutiveErrors: number
  end?: 'done' | 'stop' | 'fail' | undefined
  doneOutput?: Json | undefined
  failure?: ErrorData | undefined
  wrapAttempts: number
  wrapText?: string | undefined
  /** What became of the last call that went on in the background. */
  behind?: SettledBehind | undefined
}

/** Each names the one before: a list would be copied for every outcome, the longer the run the more of it. */
export interface SettledBehind extends Pick<CallState, 'part' | 'input'> {
  readonly settlement: SettlementData
  readonly durationMs: number
  readonly before: SettledBehind | undefined
}

export interface EndedRun extends RunState {
  readonly lastTurn: number
  readonly finish: EntryData['run.finished']
}

export interface OpenModelCall {
  readonly n: number
  readonly attempt: number
  readonly purpose: Purpose
  /** The call sees messages up to this seq. */
  readonly through: number
  readonly epoch: number
  readonly seq: number
  readonly at: number
  /** When the first attempt of this call began: the retry window counts from there. */
  readonly firstAt: number
  readonly firstSeq: number
  readonly reason?: LimitReason | undefined
  readonly estimatedTokens: number
  /** What hooks and dynamic parts said for this call only. */
  readonly extra?: JsonObject | undefined
}

export interface PendingRetry {
  readonly n: number
  readonly attempt: number
  readonly purpose: Purpose
  /** Of the failure. */
  readonly seq: number
  /** How long to wait after it (ms); by the clock of who wrote it, that is at `retryAt`. */
  readonly waitMs: number
  readonly retryAt: number
  readonly firstAt: number
  readonly firstSeq: number
  readonly reason?: LimitReason | undefined
}

/** Every field from the start: objects of one shape are copied and read several times as fast as those that grow in different orders. */
const nothingOpen = {
  run: undefined,
  model: undefined,
  retry: undefined,
  turn: undefined,
  summary: undefined,
  setup: undefined,
  readOnly: undefined,
  ended: undefined,
}

export function emptyState(): SessionState {
  return {
    sealed: [],
    runs: [],
    live: {
      seq: 0,
      entryId: '',
      at: 0,
      drivenAt: 0,
      epoch: 0,
      sealedCount: 0,
      runCount: 0,
      prefix: [],
      from: 0,
      n: 0,
      queue: [],
      waiting: [],
      guard: [],
      background: [],
      remembered: [],
      ...nothingOpen,
    },
  }
}

/** A state that can be changed without changing this one. Costs the size of the live record, never of the history. */
export function branch(state: SessionState): SessionState {
  const live = { ...state.live }
  if (live.run !== undefined) live.run = { ...live.run }
  if (live.turn !== undefined) live.turn = { ...live.turn, calls: live.turn.calls.slice() }
  return { sealed: state.sealed, runs: state.runs, live }
}

export function newRun(waiting: WaitingRun, firstTurn: number): RunState {
  return {
    id: waiting.runId,
    agent: waiting.agent,
    requestSeq: waiting.seq,
    firstTurn,
    modelCalls: 0,
    iterations: 0,
    iteration: 0,
    iterationOpen: false,
    toolRounds: 0,
    toolCalls: 0,
    callsPerTool: {},
    usage: noUsage,
    paused: waiting.paused ?? false,
    cancelledAt: waiting.cancelledAt,
    cancelSeq: waiting.cancelSeq,
    cancelReason: waiting.cancelReason,
    knownCostUsd: 0,
    activeMs: 0,
    openSince: 0,
    openSeq: 0,
    open: 0,
    measuredMs: 0,
    longestMs: 0,
    last: 'none',
    lastText: '',
    lastPurpose: 'main',
    outputRequests: 0,
    blanks: 0,
    cuts: 0,
    continuations: 0,
    sameBatches: 0,
    consecutiveErrors: 0,
    wrapAttempts: 0,
    limit: undefined,
    lastFinish: undefined,
    end: undefined,
    doneOutput: undefined,
    failure: undefined,
    wrapText: undefined,
    behind: undefined,
  }
}
