import type { Entry, EntryOf, RunResult } from 'rondo'
import { type Checking, canonical } from './checking.ts'
import type { OutputSpec } from './generate.ts'
import {
  assistantLine,
  type CallLedger,
  contentOf,
  conversations,
  isOpen,
  type RunLedger,
  settledIn,
  textOf,
  toldArguments,
} from './ledger.ts'

/** What a run has used up, counted from the journal alone. */
interface Used {
  iterations: number
  rounds: number
  calls: number
  readonly perTool: Map<string, number>
  errors: number
  errorsAtWrapUp: number
  tokens: { input: number; output: number; reasoning: number; complete: boolean; cost: number; costKnown: boolean; counted: boolean }
  /** What has been worked (ms), by a clock that does not jump; and the least and the most that a journal whose clock jumped can say of it. */
  activeMs: number
  leastMs: number
  mostMs: number
  /** When the last interval ended, and how long it was. */
  closedAt: number
  closedMs: number
  openSince: number
  /** All time while nothing was open (ms). */
  idleMs: number
  /** What is open, and since when. */
  readonly open: Map<string, number>
  /** What goes on in the background. */
  readonly behind: Set<string>
  /** What has ended since `openSince`: the longest of it, and all together (ms). */
  longestMs: number
  togetherMs: number
  paused: boolean
  last: ReturnType<typeof contentOf> | 'none'
  lastFinish: string
  lastPurpose: 'main' | 'output'
  /** Messages that asked for the output, since anybody else said something. */
  outputRequests: number
  /** Whether a wrap-up was asked for. */
  wrapping: boolean
  blanks: number
  continued: number
}

const governed = new Set([
  ...['max_iterations', 'max_tool_rounds', 'max_tool_calls', 'max_tool_calls_per_tool', 'timeout', 'budget_exceeded', 'no_progress'],
  'max_consecutive_errors',
])

/** P9, P13, P16 and what a run's end says about it. */
export function checkEnds(checking: Checking): void {
  const { ofRun } = conversations(checking.ledger)
  for (const run of checking.ledger.runs.values()) {
    oneEnd(checking, run)
    const used = countUp(checking, run)
    const end = run.finished[0]
    if (end === undefined) continue
    reasonHolds(checking, run, used, end)
    for (const result of resultsOf(checking, run.runId))
      resultHolds(
        checking,
        run,
        used,
        end,
        result,
        (ofRun.get(run.runId) ?? []).map((line) => line.text),
      )
  }
}

/** P13, S7.1-3: one end for each run, and nothing of the run after it. */
function oneEnd({ violate, ledger }: Checking, run: RunLedger): void {
  if (run.requested.length !== 1) violate('P13 a run is requested once', `${run.runId}: ${run.requested.length} times`)
  if (run.finished.length !== 1) violate('P13 a run finishes once', `${run.runId} finished ${run.finished.length} times`)
  const end = run.finished[0]
  if (end === undefined) return
  for (const entry of run.entries)
    if (entry.seq > end.seq) violate('P13 nothing follows the end', `entry ${entry.seq} (${entry.kind}) of ${run.runId}`)
  for (const call of run.calls)
    if (isOpen(call) && (call.settled[0]?.seq ?? Number.POSITIVE_INFINITY) > end.seq) violate('P13 a run ends after its calls', call.callId)
  for (const model of run.models) {
    const last = model.responded[0] ?? model.failed[0]
    if (last === undefined || last.seq > end.seq) violate('P13 a run ends after its model calls', `${model.started.data.n}`)
  }
  const other = ledger.entries.find(
    (entry) =>
      entry.kind === 'run.claimed' &&
      entry.runId !== run.runId &&
      entry.seq < end.seq &&
      entry.seq > (run.claimed[0]?.seq ?? Number.POSITIVE_INFINITY),
  )
  if (other !== undefined) violate('machine 3: one run at a time', `${other.runId} was claimed before ${run.runId} had ended`)
}

/** P9: counts, and says where a limit was passed over. */
function countUp(checking: Checking, run: RunLedger): Used {
  const used: Used = {
    iterations: 0,
    rounds: 0,
    calls: 0,
    perTool: new Map(),
    errors: 0,
    errorsAtWrapUp: 0,
    tokens: { input: 0, output: 0, reasoning: 0, complete: true, cost: 0, costKnown: true, counted: false },
    activeMs: 0,
    leastMs: 0,
    mostMs: 0,
    closedAt: -1,
    closedMs: 0,
    openSince: 0,
    idleMs: 0,
    open: new Map(),
    behind: new Set(),
    longestMs: 0,
    togetherMs: 0,
    paused: false,
    last: 'none',
    lastFinish: '',
    lastPurpose: 'main',
    outputRequests: 0,
    wrapping: false,
    blanks: 0,
    continued: 0,
  }
  const calls = new Map(run.calls.map((call) => [call.callId, call]))
  const left = new Map<string, number>()
  let estimated = 0
  const { timeOf } = checking
  const jumps = checking.played.script.jumps.length
  const end = (key: string, entry: Entry) => endOf(used, key, timeOf(entry), jumps)
  let last = Number.POSITIVE_INFINITY
  for (const entry of run.entries) {
    if (used.open.size === 0) used.idleMs += Math.max(0, timeOf(entry) - last)
    last = timeOf(entry)
    switch (entry.kind) {
      case 'run.claimed':
        // The gap since the last entry was no working time: nobody was there.
        if (used.open.size > 0) {
          const worked = drivenBefore(checking, entry.seq) - used.openSince
          used.activeMs += worked
          // What a clock that jumped made of it nobody can know.
          used.leastMs += jumps > 0 ? 0 : worked
          used.mostMs += jumps > 0 ? Number.POSITIVE_INFINITY : worked
          for (const key of used.open.keys()) used.open.set(key, timeOf(entry))
          openInterval(used, timeOf(entry))
        }
        break
      case 'control':
        if (entry.data.action !== 'cancel') used.paused = entry.data.action === 'pause'
        break
      case 'model.started':
        estimated = entry.data.estimatedTokens ?? 0
        used.wrapping ||= entry.data.purpose === 'wrap-up'
        if (entry.data.purpose === 'wrap-up') used.errorsAtWrapUp = Math.max(used.errorsAtWrapUp, used.errors)
        modelMayStart(checking, used, entry, timeOf(entry))
        begin(used, `model ${entry.data.n}.${entry.data.attempt}`, timeOf(entry))
        break
      case 'model.responded': {
        end(`model ${entry.data.n}.${entry.data.attempt}`, entry)
        addUsage(used, entry.data.usage)
        const open = run.calls.filter((call) => call.response === entry && isOpen(call)).length
        if (open > 0) left.set(`m${entry.data.n}`, open)
        const purpose = run.models.find(({ responded }) => responded.includes(entry))?.started.data.purpose
        if (purpose === 'main' || purpose === 'output') countResponse(used, entry, purpose)
        break
      }
      case 'model.failed':
        end(`model ${entry.data.n}.${entry.data.attempt}`, entry)
        addUsage(used, entry.data.usage ?? { inputTokens: estimated, outputTokens: 0, reasoningTokens: 0, complete: false })
        break
      case 'call.started':
        callMayStart(checking, used, entry, calls.get(entry.data.callId))
        begin(used, entry.data.callId, timeOf(entry))
        break
      case 'call.deferred':
        end(entry.data.callId, entry)
        break
      case 'message':
        settles(used, entry, end)
        used.outputRequests = entry.data.origin === 'output-request' ? used.outputRequests + 1 : 0
        requestMayCome(checking, used, entry)
        break
      case 'call.settled': {
        settles(used, entry, end)
        if (entry.data.background === true) used.behind.add(entry.data.callId)
        const turn = entry.data.callId.slice(0, entry.data.callId.indexOf('.'))
        left.set(turn, (left.get(turn) ?? 0) - 1)
        if (left.get(turn) === 0) used.rounds++
        break
      }
    }
  }
  return used
}

function settles(used: Used, entry: Entry, end: (key: string, entry: Entry) => void): void {
  const settled = settledIn(entry)
  if (settled === undefined) return
  end(settled.data.callId, entry)
  used.behind.delete(settled.data.callId)
  const { outcome } = settled.data.settlement
  if (outcome === 'ok') used.errors = 0
  else if (['error', 'invalid', 'timeout', 'unknown'].includes(outcome)) used.errors++
}

/** When a driver wrote last: inputs of others are no sign of its life. */
function drivenBefore({ ledger, timeOf }: Checking, seq: number): number {
  const last = ledger.entries.findLast((entry) => entry.seq < seq && entry.epoch !== undefined)
  return last === undefined ? 0 : timeOf(last)
}

function countResponse(used: Used, entry: EntryOf<'model.responded'>, purpose: Used['lastPurpose']): void {
  used.lastPurpose = purpose
  used.last = contentOf(entry)
  used.lastFinish = entry.data.finish.unified
  used.blanks = used.last === 'blank' ? used.blanks + 1 : 0
  used.continued = used.last === 'pause' ? used.continued + 1 : 0
  if (used.last !== 'blank') used.iterations++
}

function openInterval(used: Used, at: number): void {
  used.openSince = at
  used.longestMs = 0
  used.togetherMs = 0
}

function begin(used: Used, key: string, at: number): void {
  if (used.open.size === 0) openInterval(used, at)
  if (!used.open.has(key)) used.open.set(key, at)
}

function endOf(used: Used, key: string, at: number, jumps: number): void {
  const since = used.open.get(key)
  if (since === undefined) return
  used.open.delete(key)
  used.longestMs = Math.max(used.longestMs, at - since)
  used.togetherMs += at - since
  if (used.open.size > 0) return
  const worked = at - used.openSince
  used.activeMs += worked
  used.closedAt = at
  used.closedMs = worked
  used.leastMs += jumps > 0 ? Math.max(0, used.longestMs - 200) : worked
  // Every jump can add a second.
  used.mostMs += jumps > 0 ? used.togetherMs + 1_000 : worked
}

interface SomeUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly complete: boolean
  readonly costUsd?: number
}

function addUsage({ tokens }: Used, usage: SomeUsage): void {
  tokens.counted = true
  tokens.input += usage.inputTokens
  tokens.output += usage.outputTokens
  tokens.reasoning += usage.reasoningTokens
  tokens.complete &&= usage.complete
  tokens.costKnown &&= usage.costUsd !== undefined
  tokens.cost += usage.costUsd ?? 0
}

/** How long an append can take here (ms), tried again or not: what goes with it is decided before, and stamped after. */
function appendMs({ script: { store } }: Checking['played']): number {
  return (store.latency === 'ms' ? 200 : 0) + (store.faults > 0 ? 150 : 0)
}

function modelMayStart({ played, violate }: Checking, used: Used, entry: EntryOf<'model.started'>, at: number): void {
  const { limits } = played.script.agent
  const name = `model call ${entry.data.n}.${entry.data.attempt}`
  if (used.paused) violate('machine 5: nothing begins while paused', name)
  const before = openHere(used)
  if (before.length > 0) violate('P6 no model call before all calls have settled', `${name} beside ${before.join(', ')}`)
  if (entry.data.purpose !== 'main' && entry.data.purpose !== 'output') return
  const over = (what: string, count: number, limit: number | undefined) => {
    if (limit !== undefined && count >= limit) violate('P9 limits hold', `${name} begins with ${count} ${what} of ${limit}`)
  }
  over('iterations', used.iterations, limits.maxIterations)
  over('tool rounds', used.rounds, limits.maxToolRounds)
  over('tokens', used.tokens.input + used.tokens.output, limits.maxTokens)
  if (used.tokens.costKnown) over('USD', used.tokens.cost, limits.maxCostUsd)
  over('errors in a row', used.errors, limits.maxConsecutiveErrors)
  // What the append took that closed the last interval and began this call is not known when it is decided.
  const late = used.closedAt === at ? Math.min(appendMs(played), used.closedMs) : 0
  over('ms', used.leastMs - late, limits.maxDurationMs)
}

function openHere({ open, behind }: Used): string[] {
  return [...open.keys()].filter((key) => !behind.has(key))
}

function callMayStart({ played, violate }: Checking, used: Used, entry: EntryOf<'call.started'>, call: CallLedger | undefined): void {
  const { agent } = played.script
  const name = call?.part.toolName ?? ''
  if (used.paused) violate('machine 5: nothing begins while paused', entry.data.callId)
  if (entry.data.attempt > 1) return
  const before = used.perTool.get(name) ?? 0
  if (used.calls >= (agent.limits.maxToolCalls ?? Number.POSITIVE_INFINITY))
    violate('P9 limits hold', `${entry.data.callId} is call ${used.calls + 1}`)
  if (before >= (agent.limits.maxCallsPerTool ?? Number.POSITIVE_INFINITY))
    violate('P9 limits hold', `${entry.data.callId}: ${name} once more`)
  if (name === 'once' && before >= 1) violate('P9 limits hold', `${entry.data.callId}: 'once' may run once`)
  const beside = openHere(used)
  if (beside.length >= agent.maxParallel) violate('C32 maxParallel', `${entry.data.callId} beside ${beside.join(', ')}`)
  if (used.behind.size > agent.maxParallel) violate('C32 maxParallel', `${[...used.behind].join(', ')} go on in the background`)
  const alone = [...used.open.keys()].some((id) =>
    call?.response.data.message.parts.some((part) => part.type === 'tool-call' && part.callId === id && part.toolName === 'putx'),
  )
  if (used.open.size > 0 && (name === 'putx' || alone))
    violate('C32 exclusive', `${entry.data.callId} beside ${[...used.open.keys()].join(', ')}`)
  used.calls++
  used.perTool.set(name, before + 1)
}

/** Checklist 7.2, 7.7 and C2 to C12: the reason is true, and its status is the right one. */
function reasonHolds({ played, violate }: Checking, run: RunLedger, used: Used, finished: EntryOf<'run.finished'>): void {
  const { status, reason } = finished.data
  const { agent } = played.script
  const { limits, policies } = agent
  const settled = (test: (data: EntryOf<'call.settled'>['data']) => boolean) =>
    run.calls.some((call) => call.settled.some((one) => test(one.data)))
  const lastModel = run.models.at(-1)
  const wrapped = run.models.some(({ started }) => started.data.purpose === 'wrap-up')
  const lastFailure = lastModel?.failed[0]?.data
  const truth: { readonly [reason: string]: () => boolean } = {
    completed: () => used.last === 'text' || agent.termination === 'output',
    output_decoding_failed: () => agent.output !== undefined && used.outputRequests === allowedRequests(agent.output),
    done_tool: () => settled((data) => data.end === 'done' && data.settlement.outcome === 'ok'),
    stop_turn: () => settled((data) => data.end === 'stop'),
    aborted: () => run.controls.some((entry) => entry.data.action === 'cancel'),
    max_iterations: () => used.iterations >= (limits.maxIterations ?? 50),
    max_tool_rounds: () => used.rounds >= (limits.maxToolRounds ?? Number.POSITIVE_INFINITY),
    max_tool_calls: () => used.calls >= (limits.maxToolCalls ?? Number.POSITIVE_INFINITY),
    max_tool_calls_per_tool: () =>
      agent.termination === 'perTool' ||
      [...used.perTool.values()].some((count) => count >= (limits.maxCallsPerTool ?? Number.POSITIVE_INFINITY)),
    // A setup or verdicts that were waited for count too, while nothing was open. They are asked for before the entries that go with them are stamped.
    timeout: () => used.mostMs + used.idleMs + appendMs(played) >= (limits.maxDurationMs ?? Number.POSITIVE_INFINITY),
    budget_exceeded: () =>
      used.tokens.input + used.tokens.output >= (limits.maxTokens ?? Number.POSITIVE_INFINITY) ||
      used.tokens.cost >= (limits.maxCostUsd ?? Number.POSITIVE_INFINITY),
    no_progress: () => policies.noProgress !== false && sameBatches(run) >= policies.noProgress,
    // A result in the background may have ended the row since the wrap-up was asked for.
    max_consecutive_errors: () => Math.max(used.errors, used.errorsAtWrapUp) >= (limits.maxConsecutiveErrors ?? Number.POSITIVE_INFINITY),
    duplicate_tool_call: () => agent.termination === 'duplicates',
    max_tokens: () => used.last === 'cut',
    content_blocked: () => used.last === 'blocked',
    empty_response: () => used.last === 'blank' && used.blanks > policies.emptyResponse.retries,
    unexpected_stop_reason: () =>
      used.last === 'odd' || (used.last === 'pause' && used.continued > 10) || (used.last === 'text' && used.lastFinish === 'tool-calls'),
    stopped: () => agent.stopWhen === 'second' || agent.stopWhen === 'reason',
    model_error: () => lastFailure !== undefined && lastFailure.retryAt === undefined && lastFailure.cause !== 'cancelled',
    tool_failure: () => settled((data) => data.end === 'fail'),
    hook_failure: () => agent.instructions === 'throws' || agent.stopWhen === 'throws' || agent.termination === 'throws',
  }
  if (truth[reason]?.() !== true) violate('S7.2 the reason is true', `${run.runId}: ${reason}`)
  outputHolds(agent.output, used, finished, violate)
  const failing = ['model_error', 'tool_failure', 'hook_failure', 'output_decoding_failed'].includes(reason)
  const limitEnd = governed.has(reason) && limits.onLimit === 'error'
  const due =
    reason === 'completed' || reason === 'done_tool'
      ? 'completed'
      : reason === 'aborted' || reason === 'stop_turn'
        ? 'aborted'
        : failing || limitEnd || (reason === 'empty_response' && policies.emptyResponse.end === 'error')
          ? 'failed'
          : 'incomplete'
  if (status !== due) violate('S7.7 status by reason', `${run.runId}: ${status} for ${reason}`)
  if (wrapped && status !== 'aborted' && (!governed.has(reason) || limits.onLimit !== 'summarize'))
    violate('C4 a wrap-up belongs to a limit', `${run.runId}: ${reason}`)
  // Its instructions may not have come in time.
  if (!wrapped && governed.has(reason) && limits.onLimit === 'summarize' && agent.instructions !== 'async')
    violate('C4 a limit is wrapped up', `${run.runId}: ${reason}`)
  const wraps = run.models.filter(({ started }) => started.data.purpose === 'wrap-up').length
  if (wraps > 2) violate('machine 5: a wrap-up has two attempts', `${run.runId}: ${wraps}`)
  if (
    agent.termination === 'throws' &&
    reason === 'tool_failure' &&
    policies.toolFailureMode === 'continue' &&
    policies.unknownTool === 'result'
  )
    violate('machine 8: a policy that throws is hook_failure', run.runId)
}

/** How often the output may be asked for by a message: when the work is done, and after answers that do not fit (C24, S4-09). */
function allowedRequests({ toolless, schemaDuringTools, decodeRetries }: OutputSpec): number {
  return decodeRetries + (toolless || schemaDuringTools ? 0 : 1)
}

function requestMayCome({ played, violate }: Checking, used: Used, entry: EntryOf<'message'>): void {
  if (entry.data.origin !== 'output-request') return
  const { output } = played.script.agent
  if (output === undefined) violate('C24 only a schema asks for an output', `entry ${entry.seq}`)
  // That of a wrap-up is asked for once more, whatever was asked for before.
  else if (used.outputRequests > allowedRequests(output) + 1) violate('S4-09 decode retries', `entry ${entry.seq} asks once too often`)
  // Whatever goes on in the background, a wrap-up ends the run.
  const open = used.wrapping ? openHere(used) : [...used.open.keys()]
  if (open.length > 0) violate('C24 the output is asked for when the work is done', `entry ${entry.seq} beside ${open.join(', ')}`)
}

/** C24, C25: a completed run has an output that fits, any other none, but for a wrap-up that fits. */
function outputHolds(
  spec: OutputSpec | undefined,
  used: Used,
  { runId, data }: EntryOf<'run.finished'>,
  violate: Checking['violate'],
): void {
  const output = 'output' in data ? data.output : undefined
  if (spec === undefined) return
  const fits =
    spec.root === 'object'
      ? typeof output === 'object' && output !== null && 'n' in output && typeof output['n'] === 'number'
      : Array.isArray(output) && output.every((one) => typeof one === 'number')
  if (data.status === 'completed' && !fits) violate('C24 a completed run has an output that fits', `${runId}: ${JSON.stringify(output)}`)
  if (output !== undefined && !fits) violate('C25 never a value that does not fit', `${runId}: ${JSON.stringify(output)}`)
  if (data.status === 'failed' && output !== undefined) violate('C25 a failed run has no output', runId ?? '')
  if (data.reason === 'completed' && used.lastPurpose === 'main' && !spec.schemaDuringTools)
    violate('S4-05 the output comes from a call of its own', runId ?? '')
}

/** Batches in a row, from the end, with the same calls and results. */
function sameBatches(run: RunLedger): number {
  const batches = new Map<EntryOf<'model.responded'>, string[]>()
  for (const call of run.calls) {
    // What a wrap-up calls comes after the limit and is no batch that ran.
    if (call.purpose !== 'main') continue
    const { settlement } = (call.placeholders[0] ?? call.settled[0])?.data ?? {}
    const result = settlement?.outcome === 'ok' ? canonical(settlement.output) : `${settlement?.outcome} ${settlement?.error.message}`
    batches.set(call.response, [...(batches.get(call.response) ?? []), `${call.part.toolName} ${canonical(call.part.input)} ${result}`])
  }
  const texts = [...batches.values()].map((lines) => lines.join('\n'))
  const last = texts.at(-1)
  let count = 0
  for (let i = texts.length - 1; i >= 0 && texts[i] === last; i--) count++
  return count
}

function resultsOf({ played }: Checking, runId: string): RunResult[] {
  const all = [...played.launched.map((one) => one.result), ...played.resumed]
  const events = played.readers.flatMap((reader) => reader.events.flatMap((event) => (event.type === 'run.finished' ? [event.result] : [])))
  return [...all, ...events].filter((result) => result !== undefined).filter((result) => result.runId === runId)
}

/** P16 and the result: what the caller is told is what the journal says. */
function resultHolds(
  { violate }: Checking,
  run: RunLedger,
  used: Used,
  finished: EntryOf<'run.finished'>,
  result: RunResult,
  lines: readonly string[],
): void {
  if (result.status === 'parked' || (result.status === 'failed' && result.resumable)) return
  const wrong = (what: string, is: unknown, due: unknown) => {
    if (is !== due) violate('the result is what the journal says', `${run.runId}: ${what} is ${String(is)}, not ${String(due)}`)
  }
  wrong('status', result.status, finished.data.status)
  wrong('reason', result.reason, finished.data.reason)
  wrong('text', result.text, finished.data.text)
  const output = 'output' in finished.data ? finished.data.output : undefined
  const shown = output ?? (finished.data.status === 'completed' ? finished.data.text : undefined)
  wrong('output', canonical((result.output ?? null) as never), canonical(shown ?? null))
  wrong('iterations', result.iterations, used.iterations)
  const told = result.calls.map((call) => `${call.callId} ${call.toolName} ${canonical(call.input as never)} ${call.outcome}`).join('\n')
  const inTurn = run.calls.filter(({ placeholders }) => placeholders.length === 0)
  const behind = run.calls.filter(({ placeholders }) => placeholders.length > 0)
  const bySettlement = behind.toSorted((a, b) => (a.settled[0]?.seq ?? 0) - (b.settled[0]?.seq ?? 0))
  const due = [...inTurn, ...bySettlement].map(
    (call) =>
      `${call.callId} ${call.part.toolName} ${canonical(toldArguments(call))} ${call.settled[0]?.data.settlement.outcome ?? call.part.settlement?.outcome}`,
  )
  wrong('calls', told, due.join('\n'))
  wrong(
    'messages',
    result.messages.map((message) => (message.role === 'user' ? `user:${textOf(message)}` : assistantLine(message))).join('\n'),
    lines.join('\n'),
  )
  const { tokens } = used
  const usage = (what: string, is: unknown, should: unknown) => {
    if (is !== should) violate('P16 usage is the sum over all attempts', `${run.runId}: ${what} is ${String(is)}, not ${String(should)}`)
  }
  usage('inputTokens', result.usage.inputTokens, tokens.input)
  usage('outputTokens', result.usage.outputTokens, tokens.output)
  usage('reasoningTokens', result.usage.reasoningTokens, tokens.reasoning)
  usage('complete', result.usage.complete, tokens.complete)
  const cost = tokens.counted && tokens.costKnown ? tokens.cost.toFixed(6) : undefined
  usage('costUsd', result.usage.costUsd?.toFixed(6), cost)
}
