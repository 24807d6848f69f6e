import { type ApprovalRule, rememberedFor, requestOf, ruleFor } from '../core/approval.ts'
import type { CallState } from '../core/call-state.ts'
import { copyJson, type Json } from '../core/json.ts'
import { callRef } from '../core/outcome.ts'
import type { RunState, SessionState } from '../core/state.ts'
import { toStorable } from '../core/storable.ts'
import type { Ask, Tool } from '../core/tool.ts'
import type { Activation, Running } from './activation.ts'
import { checkedAsk } from './ask.ts'
import { inTime } from './in-time.ts'
import { CallInfo, Info } from './info.ts'
import type { RunPorts } from './ports.ts'
import { isThenable } from './thenable.ts'

export interface Preparing {
  readonly a: Activation
  readonly state: SessionState
  readonly run: RunState
  readonly ports: RunPorts
  readonly running: Running
  readonly call: CallState
  readonly tool: Tool
}

/** What the gate says about a call whose arguments are valid. */
export type Verdict =
  /** `approvedBy`: the decision of a human that was to be remembered. */
  | { readonly kind: 'allow'; readonly approvedBy?: string }
  | { readonly kind: 'ask'; readonly ask: Ask }
  | { readonly kind: 'deny'; readonly reason?: string | undefined; readonly stopTurn: boolean }

const allow: Verdict = { kind: 'allow' }

/**
 * The one gate before a call, in this order; the first that says anything decides: a rule that denies, the hook `approveTool`, a rule that asks
 * or allows, the tool's own `needsApproval`, the default. Whoever wants to ask is answered by what a human has said for more than one call.
 * `input` is as the model sent it, `value` as the schema parsed it. Throws or rejects when somebody who is asked does, or does not answer in time.
 */
export function gate(preparing: Preparing, input: Json, value: unknown): Verdict | Promise<Verdict> {
  const { ports } = preparing
  const { hook } = ports.approvals
  const rule = ruled(preparing, input, value)
  if (rule?.action === 'deny') return { kind: 'deny', reason: rule.reason, stopTurn: false }
  const afterHook = (said: Verdict | undefined): Verdict | Promise<Verdict> => {
    if (said !== undefined) return known(preparing, said)
    if (rule?.action === 'allow') return allow
    if (rule !== undefined) return known(preparing, { kind: 'ask', ask: requestOf(rule) })
    return ownWord(preparing, value)
  }
  if (hook === undefined) return afterHook(undefined)
  const { a, run, running, call } = preparing
  // A copy: what a hook does to the arguments must not reach the journal.
  const ref = callRef(call.part, copyJson(input), { sessionId: a.sessionId, isDynamic: ports.isDynamic })
  const answer = hook(ref, new Info(a.sessionId, run, ports, running.signal))
  if (!isThenable(answer)) return afterHook(hookVerdict(answer))
  return inTime(preparing, 'hooks.approveTool', answer).then((later) => afterHook(hookVerdict(later)))
}

function ruled({ ports, tool }: Preparing, input: Json, value: unknown): ApprovalRule | undefined {
  const { rules = [] } = ports.approvals
  if (rules.length === 0) return undefined
  return ruleFor(rules, { toolName: tool.name, effect: tool.effect, input, parsed: toStorable(value).json })
}

/** The rule that no human can overrule. */
export function denialFor(preparing: Preparing, input: Json, value: unknown): ApprovalRule | undefined {
  const rule = ruled(preparing, input, value)
  return rule?.action === 'deny' ? rule : undefined
}

/** What nobody understands is no permission; of two words the stricter one counts. */
function hookVerdict(answer: unknown): Verdict | undefined {
  if (answer === undefined) return undefined
  if (answer === 'allow') return allow
  if (isObject(answer)) {
    const { deny, stopTurn, ask } = {
      deny: Reflect.get(answer, 'deny'),
      stopTurn: Reflect.get(answer, 'stopTurn'),
      ask: Reflect.get(answer, 'ask'),
    }
    if (typeof deny === 'string') return { kind: 'deny', reason: deny, stopTurn: stopTurn === true }
    if (deny === undefined && typeof ask === 'object' && ask !== null) return { kind: 'ask', ask: checkedAsk(ask) }
  }
  throw new Error("hooks.approveTool must return nothing, 'allow', { ask } or { deny: reason }")
}

/** The tool's own word; without one, the default. */
function ownWord(preparing: Preparing, value: unknown): Verdict | Promise<Verdict> {
  const { a, run, ports, running, call, tool } = preparing
  const { needsApproval } = tool['~definition']
  const judge = (answer: boolean | Ask | undefined): Verdict => {
    // Only a clear no means no: from JavaScript may come anything.
    if (answer !== undefined && answer !== false) return known(preparing, { kind: 'ask', ask: isObject(answer) ? checkedAsk(answer) : {} })
    return answer === false ? allow : byDefault(preparing)
  }
  if (typeof needsApproval !== 'function') return judge(needsApproval)
  const answer = needsApproval(value, new CallInfo(a.sessionId, run, ports, running.signal, call, () => {}))
  return isThenable(answer) ? inTime(preparing, `needsApproval of '${tool.name}'`, answer).then(judge) : judge(answer)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function byDefault(preparing: Preparing): Verdict {
  switch (preparing.ports.approvals.default) {
    case 'ask':
      return known(preparing, { kind: 'ask', ask: {} })
    case 'ask-unsafe':
      return preparing.tool.effect === 'unsafe' ? known(preparing, { kind: 'ask', ask: {} }) : allow
    case 'deny':
      return { kind: 'deny', stopTurn: false }
    default:
      return allow
  }
}

/** Who wants to ask need not, where a human has said yes for more than one call. */
function known({ state, tool }: Preparing, verdict: Verdict): Verdict {
  if (verdict.kind !== 'ask') return verdict
  const remembered = rememberedFor(state.live.remembered, tool.name, verdict.ask)
  return remembered === undefined ? verdict : { kind: 'allow', approvedBy: remembered.decision }
}
