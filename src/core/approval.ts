import { isJsonObject, type Json } from './json.ts'
import type { Ask, Effect } from './tool.ts'
import { matchesWildcard } from './wildcard.ts'

/** What a rule says about the calls that fit it. All that it names must fit; one that names nothing fits every call. */
export interface ApprovalRule {
  readonly action: 'allow' | 'ask' | 'deny'
  /** The tool's name, or several; `*` stands for any characters. */
  readonly tool?: string | readonly string[]
  readonly effect?: Effect
  /**
   * Fields of the arguments as the model sent them, with patterns. A field that is missing, or no text, number or truth value, does not fit. Of a list, one
   * that fits is enough for `deny` and `ask`; for `allow` all must fit.
   */
  readonly input?: { readonly [field: string]: string }
  /** Told to the model with a denial, to the human with a request. */
  readonly reason?: string
  /** Of a request. */
  readonly risk?: 'low' | 'medium' | 'high'
}

export interface RuledCall {
  readonly toolName: string
  readonly effect: Effect
  readonly input: Json
}

/** The rule that decides: a denial before a request, a request before a permission; of equals the first. */
export function ruleFor(rules: readonly ApprovalRule[], call: RuledCall): ApprovalRule | undefined {
  for (const action of ['deny', 'ask', 'allow'] as const)
    for (const rule of rules) if (rule.action === action && fits(rule, call)) return rule
  return undefined
}

function fits({ action, tool, effect, input }: ApprovalRule, call: RuledCall): boolean {
  const names = typeof tool === 'string' ? [tool] : tool
  if (names !== undefined && !names.some((name) => matchesWildcard(name, call.toolName))) return false
  if (effect !== undefined && effect !== call.effect) return false
  if (input === undefined) return true
  const given = call.input
  if (!isJsonObject(given)) return false
  return Object.entries(input).every(([field, pattern]) => Object.hasOwn(given, field) && fieldFits(given[field], pattern, action))
}

function fieldFits(value: Json | undefined, pattern: string, action: ApprovalRule['action']): boolean {
  if (!Array.isArray(value)) return isPlain(value) && matchesWildcard(pattern, String(value))
  const one = (item: Json) => isPlain(item) && matchesWildcard(pattern, String(item))
  return action === 'allow' ? value.every(one) : value.some(one)
}

function isPlain(value: Json | undefined): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** A permission that a human has given for more than the one call. */
export interface RememberedApproval {
  readonly toolName: string
  /** Calls of the tool that are asked about by the same name; absent: those that are asked about by none. */
  readonly as?: string | undefined
  /** Forgotten at the end of this run; absent: kept for the session. */
  readonly runId?: string | undefined
  /** The `approval.decided` entry. */
  readonly decision: string
  /** Who said so. */
  readonly by?: string | undefined
}

/** The decision that lets a call pass which would be asked about. */
export function rememberedFor(
  remembered: readonly RememberedApproval[],
  toolName: string,
  { rememberAs }: Ask,
): RememberedApproval | undefined {
  return rememberAs === false ? undefined : remembered.find((one) => one.toolName === toolName && one.as === rememberAs)
}
