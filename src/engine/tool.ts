import type { EntryBody, SettlementData } from '../core/entry.ts'
import { type ErrorCode, messageOf } from '../core/error.ts'
import { copyJson, type Json } from '../core/json.ts'
import type { FailedOutcome } from '../core/message.ts'
import type { CallState, RunState } from '../core/state.ts'
import { toStorable } from '../core/storable.ts'
import { type Tool, type ToolSignalData, toolSignalMarker } from '../core/tool.ts'
import { failedSettlement, outcomeText } from '../core/wording.ts'
import type { Activation, Running } from './activation.ts'
import type { Fact } from './facts.ts'
import { CallInfo } from './info.ts'
import { issuesText } from './issues.ts'
import type { RunPorts } from './ports.ts'
import { checkWait } from './prepare.ts'
import { contentSettlement, settlementOf } from './result-value.ts'

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
    const result = tool.inputSchema['~standard'].validate(copyJson(call.input))
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

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
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

function signalOf(value: unknown): ToolSignalData | undefined {
  return isSignal(value) ? value['~signal'] : undefined
}

/** By marker, not by class: there may be two copies of the package. */
function isSignal(value: unknown): value is { readonly '~signal': ToolSignalData } {
  return typeof value === 'object' && value !== null && toolSignalMarker in value
}

function settle(executing: Executing, value: unknown): Facts {
  const signal = signalOf(value)
  if (signal !== undefined) return settleSignal(executing, signal)
  const { a, tool, call, ports } = executing
  return settledFacts(executing, settlementOf(a.keep, tool, call.part.callId, ports.results, value, ports.report))
}

function settledFacts(executing: Executing, settlement: SettlementData | Promise<SettlementData>, end?: 'done'): Facts {
  // A result that is an error, or that its schema refuses, neither ends the run as done nor escapes the failure mode.
  const failing = executing.ports.toolFailureMode === 'fail' ? 'fail' : undefined
  const body = (data: SettlementData) => settledBody(executing, data, data.outcome === 'ok' ? end : failing)
  if (!(settlement instanceof Promise)) return [body(settlement)]
  return settlement.then(
    (later) => [body(later)],
    (error) => [failure(executing, error)],
  )
}

function settleSignal(executing: Executing, signal: ToolSignalData): Facts {
  const { a, tool, call, ports } = executing
  switch (signal.kind) {
    case 'content': {
      const settlement = contentSettlement(a.keep, call.part.callId, ports.results, signal.parts, signal.isError, ports.report)
      return settledFacts(executing, settlement)
    }
    case 'suspend': {
      if (signal.expiresInMs !== undefined) checkWait('expiresInMs', signal.expiresInMs)
      const expiry = signal.expiresInMs === undefined ? {} : { expiresAt: a.world.clock.wall() + signal.expiresInMs }
      const data = {
        callId: call.part.callId,
        attempt: call.attempt,
        why: 'suspended',
        correlationId: signal.correlationId,
        durationMs: sinceBegun(executing),
        ...expiry,
      } as const
      return [{ kind: 'call.deferred', data }]
    }
    case 'done':
      return settledFacts(executing, settlementOf(a.keep, tool, call.part.callId, ports.results, signal.output, ports.report), 'done')
  }
}

function settledBody(executing: Executing, settlement: SettlementData, end?: 'done' | 'fail'): EntryBody {
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
  const end = ports.toolFailureMode === 'fail' && outcome !== 'cancelled' ? 'fail' : undefined
  return settledBody(executing, failedSettlement(ports.config, call, outcome, code, text), end)
}

/** A tool that ends because it was told to was cancelled; anything else it throws is its own failure. */
function failure(executing: Executing, error: unknown): EntryBody {
  if (executing.running.signal.aborted) return failed(executing, 'cancelled', 'ToolCancelled', outcomeText.cancelled)
  return failed(executing, 'error', 'ToolExecutionError', messageOf(error))
}
