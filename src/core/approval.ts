import { isJsonObject, type Json } from './json.ts'
import { plainPath, plainPattern } from './plain-path.ts'
import type { Ask, Effect } from './tool.ts'
import { matchesWildcard } from './wildcard.ts'

/** What a rule says about the calls that fit it. All that it names must fit; one that names nothing fits every call. */
export interface ApprovalRule {
  readonly action: 'allow' | 'ask' | 'deny'
  /** The tool's name, or several; `*` stands for any characters. */
  readonly tool?: string | readonly string[]
  readonly effect?: Effect
  /**
   * Fields at the top of the arguments, with patterns: `*` stands for any characters (also `/`, also none), `?` for one, `\` before one of these takes it as
   * it is. From end to end, upper and lower case being different. A field that is missing, or no text, number or truth value, does not fit.
   *
   * `allow` must fit what the model sent. `deny` and `ask` fit if either that does or what the schema made of it (defaults, transforms). Of a list, one that
   * fits is enough for `deny` and `ask`; for `allow` there must be one, and all must fit.
   *
   * A text may be a path: it is looked at as it is, and once more with `.`, `..`, doubled separators, `\`, `%2e`, `%2f` and `%5c` resolved, as is the pattern.
   * `allow` must fit both; `deny` and `ask` one of them. So `tmp/*` allows neither `tmp/../x` nor `tmp/`. Where a relative path or a link leads, what a shell
   * makes of a command, and what a file system takes for the same name, no rule knows.
   */
  readonly input?: { readonly [field: string]: string }
  /** Told to the model with a denial, to the human with a request. */
  readonly reason?: string
  /** Of a request. */
  readonly risk?: 'low' | 'medium' | 'high'
  /** Of a request: what a yes that is to be remembered covers, as in `Ask`. Default: the calls of the same tool that this rule asks about. */
  readonly rememberAs?: string | false
}

export interface RuledCall {
  readonly toolName: string
  readonly effect: Effect
  /** As the model sent them. */
  readonly input: Json
  /** As the schema parsed them, in JSON. */
  readonly parsed: Json
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
  const sides = action === 'allow' ? [call.input] : [call.input, call.parsed]
  return Object.entries(input).every(([field, pattern]) => sides.some((side) => valueFits(fieldOf(side, field), pattern, action)))
}

function fieldOf(input: Json, field: string): Json | undefined {
  return isJsonObject(input) && Object.hasOwn(input, field) ? input[field] : undefined
}

function valueFits(value: Json | undefined, pattern: string, action: ApprovalRule['action']): boolean {
  if (!Array.isArray(value)) return isPlain(value) && textFits(String(value), pattern, action)
  const one = (item: Json) => isPlain(item) && textFits(String(item), pattern, action)
  return action === 'allow' ? value.length > 0 && value.every(one) : value.some(one)
}

function textFits(text: string, pattern: string, action: ApprovalRule['action']): boolean {
  const asItIs = matchesWildcard(pattern, text)
  // What the first look decides needs no second one.
  if (asItIs !== (action === 'allow')) return asItIs
  return matchesWildcard(plainPattern(pattern), plainPath(text))
}

function isPlain(value: Json | undefined): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** What a rule asks a human. Its own pattern says what a yes covers: more than that was not shown. */
export function requestOf({ tool, effect, input, risk, reason, rememberAs }: ApprovalRule): Ask {
  return {
    ...(risk === undefined ? {} : { risk }),
    ...(reason === undefined ? {} : { reason }),
    rememberAs: rememberAs ?? `rule ${JSON.stringify({ tool, effect, input })}`,
  }
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
