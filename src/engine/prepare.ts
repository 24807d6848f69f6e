import { callIndex, type EntryBody } from '../core/entry.ts'
import { type ErrorCode, messageOf, RondoError } from '../core/error.ts'
import { copyJson, type Json } from '../core/json.ts'
import type { FailedOutcome } from '../core/message.ts'
import type { ValidationResult } from '../core/schema.ts'
import type { CallState, RunState, SessionState } from '../core/state.ts'
import { clip } from '../core/text.ts'
import type { Ask, Tool } from '../core/tool.ts'
import { failedSettlement } from '../core/wording.ts'
import type { Activation, Running } from './activation.ts'
import type { Fact } from './facts.ts'
import { CallInfo } from './info.ts'
import { issuesText } from './issues.ts'
import type { RunPorts } from './ports.ts'

interface Preparing {
  readonly a: Activation
  readonly run: RunState
  readonly ports: RunPorts
  readonly running: Running
  readonly call: CallState
  readonly tool: Tool
}

/**
 * The verdicts of a batch: each announced call is known, its arguments are valid and parsed, and whether it needs an approval is
 * asked, once. Synchronous unless a schema or an approval function is not. One call's failure settles that call only.
 */
export function prepareTurn(a: Activation, state: SessionState, running: Running): readonly Fact[] | Promise<readonly Fact[]> {
  const { run, turn } = state.live
  if (run === undefined || turn === undefined) return []
  const ports = a.portsOf(state)
  const ready: EntryBody[] = []
  const later: Promise<EntryBody>[] = []
  for (const call of turn.calls) {
    if (call.status !== 'announced') continue
    const verdict = prepareCall(a, run, ports, running, call)
    if (verdict instanceof Promise) later.push(verdict)
    else ready.push(verdict)
  }
  return later.length === 0 ? ready : Promise.all(later).then((rest) => inCallOrder([...ready, ...rest]))
}

function inCallOrder(bodies: readonly EntryBody[]): readonly EntryBody[] {
  const index = (body: EntryBody) => ('callId' in body.data && body.data.callId !== undefined ? callIndex(body.data.callId) : 0)
  return [...bodies].sort((first, second) => index(first) - index(second))
}

function prepareCall(a: Activation, run: RunState, ports: RunPorts, running: Running, call: CallState): EntryBody | Promise<EntryBody> {
  const tool = ports.tools.get(call.part.toolName)
  if (tool === undefined) return unknownTool(ports, call)
  if (call.edited === undefined && call.part.inputError !== undefined) return invalid(ports, call, 'ToolInvalidArgs', call.part.inputError)
  const preparing = { a, run, ports, running, call, tool }
  // Validated on a copy: what a tool does to its arguments must not reach the journal.
  const input = call.edited ?? call.input
  try {
    const result = tool.inputSchema['~standard'].validate(copyJson(input))
    if (!(result instanceof Promise)) return afterValidation(preparing, input, result)
    return result.then(
      (done) => afterValidation(preparing, input, done),
      (error) => validatorThrew(preparing, error),
    )
  } catch (error) {
    return validatorThrew(preparing, error)
  }
}

function unknownTool(ports: RunPorts, call: CallState): EntryBody {
  const names = [...ports.tools.keys()].slice(0, 50).join(', ')
  const hint = names === '' ? 'No tools are available.' : `Available tools: ${names}${ports.tools.size > 50 ? ', …' : ''}.`
  const text = `There is no tool named '${clip(call.part.toolName, 100)}'. ${hint}`
  return settled(ports, call, 'invalid', 'ToolNotFound', text, ports.unknownTool === 'fail')
}

function invalid(ports: RunPorts, call: CallState, code: ErrorCode, text: string): EntryBody {
  return settled(ports, call, 'invalid', code, text, ports.toolFailureMode === 'fail')
}

function settled(ports: RunPorts, call: CallState, outcome: FailedOutcome, code: ErrorCode, text: string, fail: boolean): EntryBody {
  const settlement = failedSettlement(ports.config, call, outcome, code, text)
  const data = { callId: call.part.callId, settlement, by: 'prepare' } as const
  return { kind: 'call.settled', data: fail ? { ...data, end: 'fail' } : data }
}

function validatorThrew({ ports, call }: Preparing, error: unknown): EntryBody {
  return invalid(ports, call, 'ToolInvalidArgs', `The arguments of '${call.part.toolName}' could not be checked: ${messageOf(error)}`)
}

function afterValidation(preparing: Preparing, input: Json, result: ValidationResult<unknown>): EntryBody | Promise<EntryBody> {
  const { a, ports, call, tool } = preparing
  if (result.issues !== undefined) return invalid(ports, call, 'ToolInvalidArgs', issuesText(tool.name, result.issues))
  a.parsed.set(call.part.callId, { input, value: result.value })
  if (call.edited !== undefined || call.decision !== undefined) return prepared(preparing, undefined)
  const { needsApproval } = tool['~definition']
  if (needsApproval === undefined || typeof needsApproval === 'boolean') return prepared(preparing, needsApproval)
  return askApproval(preparing, needsApproval, result.value)
}

type NeedsApproval = Extract<Tool['~definition']['needsApproval'], (...args: never) => unknown>

/** A check that fails is no permission: the call does not run (fail closed, C29). */
function askApproval(preparing: Preparing, needsApproval: NeedsApproval, value: unknown): EntryBody | Promise<EntryBody> {
  const { a, run, ports, running, call } = preparing
  const failed = (error: unknown) =>
    settled(
      ports,
      call,
      'denied',
      'ToolDenied',
      `Not run: the permission check failed: ${messageOf(error)}`,
      ports.toolFailureMode === 'fail',
    )
  try {
    const answer = needsApproval(value, new CallInfo(a.sessionId, run, ports, running.signal, call, () => {}))
    if (!(answer instanceof Promise)) return prepared(preparing, answer)
    return answer.then((later) => prepared(preparing, later)).catch(failed)
  } catch (error) {
    return failed(error)
  }
}

function prepared({ a, call, tool }: Preparing, answer: boolean | Ask | undefined): EntryBody {
  // Only a clear no means no: from JavaScript may come anything.
  const approval = answer === undefined || answer === false ? undefined : approvalData(a, typeof answer === 'object' ? answer : {})
  const executor = tool['~definition'].execute === undefined ? 'external' : 'local'
  const data = { callId: call.part.callId, effect: tool.effect, executor } as const
  if (call.edited === undefined) return { kind: 'call.prepared', data: approval === undefined ? data : { ...data, approval } }
  const edited = { ...data, arguments: call.edited, ...(approval === undefined ? {} : { approval }) }
  return { kind: 'call.prepared', data: call.decision === undefined ? edited : { ...edited, approvedBy: call.decision.id } }
}

function approvalData(a: Activation, ask: Ask) {
  if (ask.expiresInMs !== undefined) checkWait('expiresInMs', ask.expiresInMs)
  return {
    ...(ask.risk === undefined ? {} : { risk: ask.risk }),
    ...(ask.reason === undefined ? {} : { reason: ask.reason }),
    ...(ask.expiresInMs === undefined ? {} : { expiresAt: a.world.clock.wall() + ask.expiresInMs }),
  }
}

/** A time that is no number would be a wait that never ends, or ends all the time. */
export function checkWait(name: string, ms: number): void {
  if (!Number.isFinite(ms) || ms < 0) throw new RondoError('ConfigInvalid', `${name} must be a number of ms, 0 or more, not ${String(ms)}`)
}
