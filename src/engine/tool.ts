import type { CallState } from '../core/call-state.ts'
import type { EntryBody } from '../core/entry.ts'
import { type ErrorCode, messageOf } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import type { FailedOutcome } from '../core/message.ts'
import type { RunState } from '../core/state.ts'
import { toStorable } from '../core/storable.ts'
import type { Tool, ToolSignalData } from '../core/tool.ts'
import { failedSettlement, outcomeText } from '../core/wording.ts'
import type { Activation, Running } from './activation.ts'
import { checkedWait } from './ask.ts'
import type { Fact } from './facts.ts'
import { CallInfo } from './info.ts'
import { issuesText } from './issues.ts'
import type { RunPorts } from './ports.ts'
import { type Settled, settledBy, signalOf } from './returned.ts'
import { isThenable } from './thenable.ts'
import { parsedInput } from './validated.ts'

interface Executing {
  readonly a: Activation
  readonly run: RunState
  readonly ports: RunPorts
  readonly running: Running
  readonly call: CallState
  readonly tool: Tool
}

type Facts = readonly Fact[] | Promise<readonly Fact[]>

/** Runs one attempt of a call. Never throws or rejects: whatever the tool does becomes its outcome. */
export function runTool(a: Activation, call: CallState, running: Running): Facts {
  const run = a.state.live.run
  const ports = a.portsOf(a.state)
  const tool = ports.tools.get(call.part.toolName)
  if (run === undefined) return []
  if (tool === undefined) return [missingTool(ports, call)]
  const executing: Executing = { a, run, ports, running, call, tool }
  try {
    const parsed = a.parsed.get(call.part.callId)
    if (parsed !== undefined && parsed.input === call.input) return execute(executing, parsed.value)
    // Another process prepared this call: what runs is the prepared value, parsed again.
    const result = parsedInput(tool, call.input)
    if (result instanceof Promise)
      return result.then((done) => afterParse(executing, done)).catch((error: unknown) => [failure(executing, error)])
    return afterParse(executing, result)
  } catch (error) {
    return [failure(executing, error)]
  }
}

function missingTool(ports: RunPorts, call: CallState): EntryBody {
  const text = `The tool '${call.part.toolName}' is no longer available, so the call could not be run.`
  const settlement = failedSettlement(ports.config, call, 'error', 'ToolNotFound', text)
  return { kind: 'call.settled', data: { callId: call.part.callId, attempt: call.attempt, settlement, by: 'tool' } }
}

function afterParse(
  executing: Executing,
  result: { issues?: undefined; value: unknown } | { issues: readonly { message: string }[] },
): Facts {
  if (result.issues !== undefined) return [failed(executing, 'invalid', 'ToolInvalidArgs', issuesText(executing.tool.name, result.issues))]
  return execute(executing, result.value)
}

function execute(executing: Executing, input: unknown): Facts {
  const { a, run, ports, running, call, tool } = executing
  const info = new CallInfo(a.sessionId, run, ports, running.signal, call, (update) => progress(executing, update))
  const { execute: body } = tool['~definition']
  if (body === undefined) return [failed(executing, 'error', 'ToolExecutionError', `The tool '${tool.name}' is run by a client.`)]
  const value = body(input, info)
  if (isThenable(value)) return settleLater(executing, value)
  return settle(executing, value)
}

async function settleLater(executing: Executing, promise: PromiseLike<unknown>): Promise<readonly Fact[]> {
  try {
    return await settle(executing, await promise)
  } catch (error) {
    return [failure(executing, error)]
  }
}

/** Progress is shown and forgotten; what comes after the call has settled is ignored (B143). */
function progress({ a, ports, running, call, run }: Executing, update: Json): void {
  if (a.running.get(running.key) !== running || running.signal.aborted || a.hub.wants !== 'events') return
  const { json } = toStorable(update, { maxNodes: 10_000 })
  const { callId, toolName } = call.part
  a.hub.piece(a.world.clock.wall(), run.id, run.iteration, call.background === true ? call.startedSeq : a.state.live.turn?.seq, {
    type: 'call.progress',
    callId,
    messageId: callId.slice(0, callId.indexOf('.')),
    dynamic: ports.isDynamic(toolName),
    toolName,
    input: call.input,
    update: json,
  })
}

function settle(executing: Executing, value: unknown): Facts {
  const signal = signalOf(value)
  if (signal?.kind === 'suspend') return [suspended(executing, signal)]
  const { a, tool, call, ports } = executing
  const settled = settledBy({ keep: a.keep, ports, tool, callId: call.part.callId }, value)
  if (!(settled instanceof Promise)) return [settledBody(executing, settled)]
  return settled.then(
    (later) => [settledBody(executing, later)],
    (error) => [failure(executing, error)],
  )
}

function suspended(executing: Executing, { correlationId, expiresInMs }: Extract<ToolSignalData, { kind: 'suspend' }>): Fact {
  const { a, call } = executing
  const waitMs = expiresInMs === undefined ? undefined : checkedWait('expiresInMs', expiresInMs)
  const data = {
    callId: call.part.callId,
    attempt: call.attempt,
    why: 'suspended',
    correlationId,
    durationMs: sinceBegun(executing),
  } as const
  // Its time counts from when it is on record.
  return () => {
    const expiry = waitMs === undefined ? {} : { expiresAt: a.world.clock.wall() + waitMs }
    return { kind: 'call.deferred', data: { ...data, ...expiry } }
  }
}

function settledBody(executing: Executing, { settlement, end }: Settled): EntryBody {
  const { call } = executing
  const durationMs = sinceBegun(executing)
  const data = { callId: call.part.callId, attempt: call.attempt, settlement, by: 'tool', durationMs } as const
  return { kind: 'call.settled', data: end === undefined ? data : { ...data, end } }
}

function sinceBegun({ a, running }: Executing): number {
  return Math.max(0, Math.round(a.world.clock.monotonic() - running.begunAt))
}

function failed(executing: Executing, outcome: FailedOutcome, code: ErrorCode, text: string): EntryBody {
  const { ports, call } = executing
  const settlement = failedSettlement(ports.config, call, outcome, code, text)
  return settledBody(executing, ports.toolFailureMode === 'fail' && outcome !== 'cancelled' ? { settlement, end: 'fail' } : { settlement })
}

/** A tool that ends because it was told to was cancelled; anything else it throws is its own failure. */
function failure(executing: Executing, error: unknown): EntryBody {
  if (executing.running.signal.aborted) return failed(executing, 'cancelled', 'ToolCancelled', outcomeText.cancelled)
  return failed(executing, 'error', 'ToolExecutionError', messageOf(error))
}
