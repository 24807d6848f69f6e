import type { CallState, GuardedCall } from '../core/call-state.ts'
import { maxAttempts } from '../core/config.ts'
import { startOf } from '../core/decide-begun.ts'
import type { EntryBody } from '../core/entry.ts'
import type { ErrorCode } from '../core/error.ts'
import { guardsOf } from '../core/guard.ts'
import type { FailedOutcome } from '../core/message.ts'
import type { RunState } from '../core/state.ts'
import type { Tool } from '../core/tool.ts'
import { failedSettlement, outcomeText } from '../core/wording.ts'
import type { Activation, Running } from './activation.ts'
import type { Fact } from './facts.ts'
import { CallInfo } from './info.ts'
import type { RunPorts } from './ports.ts'
import { settledBy } from './returned.ts'
import { parsedInput } from './validated.ts'

interface Asking {
  readonly a: Activation
  readonly run: RunState
  readonly ports: RunPorts
  readonly running: Running
  readonly tool: Tool
  readonly call: CallState
}

type Answer = { readonly settled: unknown } | 'not-started' | 'unknown'

/**
 * Asks a tool what became of a call whose outcome is lost: of an orphan, or of the earlier ones that guard a call which is to start. Never
 * rejects. What can't be found out stays unknown.
 */
export async function runReconcile(a: Activation, call: CallState, running: Running): Promise<readonly Fact[]> {
  const { run } = a.state.live
  const ports = a.portsOf(a.state)
  const tool = ports.tools.get(call.part.toolName)
  if (run === undefined || tool === undefined) return [unknown(ports, call)]
  const asking: Asking = { a, run, ports, running, tool, call }
  try {
    for (const lost of lostCalls(a, call)) {
      const answer = await ask(asking, lost)
      if (answer === 'unknown') return [unknown(ports, call)]
      if (answer !== 'not-started') return [await found(asking, answer.settled)]
    }
    return [begin(ports, call)]
  } catch (error) {
    // Who was told to stop, and says so, has found nothing out: it is asked again if it is wanted again.
    if (running.signal.aborted) return []
    ports.report(error)
    return [unknown(ports, call)]
  }
}

type Lost = Pick<GuardedCall, 'callId' | 'attempt' | 'input'>

function lostCalls({ state }: Activation, call: CallState): readonly Lost[] {
  const { attempt, input, part, status } = call
  return status === 'running' ? [{ callId: part.callId, attempt, input }] : guardsOf(state.live, call)
}

async function ask({ a, run, ports, running, tool, call }: Asking, { callId, attempt, input }: Lost): Promise<Answer> {
  const { reconcile } = tool['~definition']
  if (reconcile === undefined) return 'unknown'
  const result = await parsedInput(tool, input)
  if (result.issues !== undefined) return 'unknown'
  const about: CallState = { ...call, attempt, part: { ...call.part, callId } }
  return answerOf(await reconcile(result.value, new CallInfo(a.sessionId, run, ports, running.signal, about, () => {})), tool.name)
}

function answerOf(value: unknown, name: string): Answer {
  if (value === 'not-started' || value === 'unknown') return value
  if (typeof value === 'object' && value !== null && 'settled' in value) return { settled: value.settled }
  throw new Error(`reconcile of '${name}' must return { settled }, 'not-started' or 'unknown'; the call counts as unknown`)
}

async function found({ a, ports, tool, call }: Asking, value: unknown): Promise<EntryBody> {
  const { callId } = call.part
  const settled = await settledBy({ keep: a.keep, ports, tool, callId }, value)
  return { kind: 'call.settled', data: { callId, ...attemptOf(call), ...settled, by: 'reconcile' } }
}

/** It never took effect, and never will: it may begin. */
function begin(ports: RunPorts, call: CallState): EntryBody {
  if (call.attempt >= maxAttempts) return failed(ports, call, 'error', 'ToolExecutionError', outcomeText.attempts)
  return { kind: 'call.started', data: startOf(call) }
}

function unknown(ports: RunPorts, call: CallState): EntryBody {
  if (call.status !== 'running') return failed(ports, call, 'skipped', 'ToolOutcomeUnknown', outcomeText.guarded)
  const { callId } = call.part
  if (ports.config.lostOutcome === 'ask') return { kind: 'call.deferred', data: { callId, attempt: call.attempt, why: 'unresolved' } }
  return failed(ports, call, 'unknown', 'ToolOutcomeUnknown', outcomeText.unknownEffect)
}

function failed(ports: RunPorts, call: CallState, outcome: FailedOutcome, code: ErrorCode, text: string): EntryBody {
  const settlement = failedSettlement(ports.config, call, outcome, code, text)
  const end = outcome !== 'skipped' && ports.toolFailureMode === 'fail' ? ({ end: 'fail' } as const) : {}
  return { kind: 'call.settled', data: { callId: call.part.callId, ...attemptOf(call), settlement, by: 'reconcile', ...end } }
}

/** A call that has not begun has no attempt. */
function attemptOf({ status, attempt }: CallState): { readonly attempt?: number } {
  return status === 'running' ? { attempt } : {}
}
