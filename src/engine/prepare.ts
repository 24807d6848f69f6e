import type { CallState } from '../core/call-state.ts'
import type { EntryBody } from '../core/entry.ts'
import { type ErrorCode, messageOf } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import type { FailedOutcome } from '../core/message.ts'
import type { ValidationResult } from '../core/schema.ts'
import type { SessionState } from '../core/state.ts'
import { clip } from '../core/text.ts'
import type { ApprovalRequest, Ask } from '../core/tool.ts'
import { failedSettlement, notAllowedText } from '../core/wording.ts'
import type { Activation, Running } from './activation.ts'
import type { Fact } from './facts.ts'
import { denialFor, gate, type Preparing, type Verdict } from './gate.ts'
import { inTime } from './in-time.ts'
import { issuesText } from './issues.ts'
import type { RunPorts } from './ports.ts'
import { parsedInput } from './validated.ts'

/**
 * The verdicts of a batch: each announced call is known, its arguments are valid and parsed, and whether it needs an approval is
 * asked, once. Synchronous unless a schema or an approval function is not. One call's failure settles that call only.
 */
export function prepareTurn(
  a: Activation,
  state: SessionState,
  running: Running,
  through: number,
): readonly Fact[] | Promise<readonly Fact[]> {
  const { run, turn } = state.live
  if (run === undefined || turn === undefined) return []
  const ports = a.portsOf(state)
  const ready: Fact[] = []
  const all: (Fact | Promise<Fact>)[] = []
  for (const call of turn.calls) {
    if (call.status !== 'announced' || call.index > through) continue
    const verdict = prepareCall({ a, state, run, ports, running }, call)
    all.push(verdict)
    if (!(verdict instanceof Promise)) ready.push(verdict)
  }
  if (ready.length === all.length) return ready
  // Who was told to stop, and says so, has given no verdict.
  return Promise.all(all).then((facts) => (running.signal.aborted ? [] : facts))
}

function prepareCall(batch: Omit<Preparing, 'call' | 'tool'>, call: CallState): Fact | Promise<Fact> {
  const { ports } = batch
  const tool = ports.tools.get(call.part.toolName)
  if (tool === undefined) return unknownTool(ports, call)
  if (call.edited === undefined && call.part.inputError !== undefined) return invalid(ports, call, 'ToolInvalidArgs', call.part.inputError)
  const preparing = { ...batch, call, tool }
  const input = call.edited ?? call.input
  try {
    const result = parsedInput(tool, input)
    if (!(result instanceof Promise)) return afterValidation(preparing, input, result)
    return inTime(preparing, `inputSchema of '${tool.name}'`, result)
      .then((done) => afterValidation(preparing, input, done))
      .catch((error: unknown) => validatorThrew(preparing, error))
  } catch (error) {
    return validatorThrew(preparing, error)
  }
}

function unknownTool(ports: RunPorts, call: CallState): EntryBody {
  const names = [...ports.tools.keys()].slice(0, 50).join(', ')
  const hint = names === '' ? 'No tools are available.' : `Available tools: ${names}${ports.tools.size > 50 ? ', …' : ''}.`
  const text = `There is no tool named '${clip(call.part.toolName, 100)}'. ${hint}`
  return settled(ports, call, 'invalid', 'ToolNotFound', text, ports.unknownTool === 'fail' ? 'fail' : undefined)
}

function invalid(ports: RunPorts, call: CallState, code: ErrorCode, text: string): EntryBody {
  return settled(ports, call, 'invalid', code, text, ports.toolFailureMode === 'fail' ? 'fail' : undefined)
}

function settled(
  ports: RunPorts,
  call: CallState,
  outcome: FailedOutcome,
  code: ErrorCode,
  text: string,
  end: 'stop' | 'fail' | undefined,
): EntryBody {
  const settlement = failedSettlement(ports.config, call, outcome, code, text)
  const data = { callId: call.part.callId, settlement, by: 'prepare' } as const
  return { kind: 'call.settled', data: end === undefined ? data : { ...data, end } }
}

function validatorThrew({ ports, call, running }: Preparing, error: unknown): EntryBody {
  if (!running.signal.aborted) ports.report(error)
  return invalid(ports, call, 'ToolInvalidArgs', `The arguments of '${call.part.toolName}' could not be checked: ${messageOf(error)}`)
}

function afterValidation(preparing: Preparing, input: Json, result: ValidationResult<unknown>): Fact | Promise<Fact> {
  const { a, ports, call, tool } = preparing
  if (result.issues !== undefined) return invalid(ports, call, 'ToolInvalidArgs', issuesText(tool.name, result.issues))
  a.parsed.set(call.part.callId, { input, value: result.value })
  if (call.edited !== undefined || call.decision !== undefined) return decided(preparing, input, result.value)
  try {
    const verdict = gate(preparing, input, result.value)
    if (!(verdict instanceof Promise)) return settledOrPrepared(preparing, verdict)
    return verdict.then((later) => settledOrPrepared(preparing, later)).catch((error: unknown) => checkFailed(preparing, error))
  } catch (error) {
    return checkFailed(preparing, error)
  }
}

/** A human has said yes, and perhaps changed the arguments: what no human may allow is still refused. */
function decided(preparing: Preparing, input: Json, value: unknown): EntryBody {
  const rule = denialFor(preparing, input, value)
  return rule === undefined ? prepared(preparing, undefined) : denied(preparing, notAllowedText(rule.reason), false)
}

/** A check that fails is no permission: the call does not run (fail closed, C29), and whoever looks after the agent is told. */
function checkFailed({ ports, call, running }: Preparing, error: unknown): EntryBody {
  if (!running.signal.aborted) ports.report(error)
  const text = `Not run: the permission check failed: ${messageOf(error)}`
  return settled(ports, call, 'denied', 'ToolDenied', text, ports.toolFailureMode === 'fail' ? 'fail' : undefined)
}

function denied({ ports, call }: Preparing, text: string, stopTurn: boolean): EntryBody {
  return settled(ports, call, 'denied', 'ToolDenied', text, stopTurn ? 'stop' : undefined)
}

function settledOrPrepared(preparing: Preparing, verdict: Verdict): Fact {
  switch (verdict.kind) {
    case 'allow':
      return prepared(preparing, undefined, verdict.approvedBy)
    case 'ask':
      // Its time to answer begins when it is on record, not when the hook spoke: a sibling may have been waited for.
      return () => prepared(preparing, approvalData(preparing.a, verdict.ask))
    case 'deny':
      return denied(preparing, notAllowedText(verdict.reason), verdict.stopTurn)
  }
}

function prepared({ call, tool }: Preparing, approval: ApprovalRequest | undefined, approvedBy = call.decision?.id): EntryBody {
  const executor = tool['~definition'].execute === undefined ? 'external' : 'local'
  const data = {
    callId: call.part.callId,
    effect: tool.effect,
    executor,
    ...(call.edited === undefined ? {} : { arguments: call.edited }),
    ...(approval === undefined ? {} : { approval }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
  } as const
  return { kind: 'call.prepared', data }
}

function approvalData(a: Activation, { risk, reason, expiresInMs, rememberAs }: Ask): ApprovalRequest {
  return {
    ...(risk === undefined ? {} : { risk }),
    ...(reason === undefined ? {} : { reason }),
    ...(expiresInMs === undefined ? {} : { expiresAt: a.world.clock.wall() + expiresInMs }),
    ...(rememberAs === undefined ? {} : { rememberAs }),
  }
}
