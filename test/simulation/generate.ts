import type { ApprovalRule, ErrorCode, FinishReason, Usage } from 'rondo'
import { seededRandom } from 'rondo/testing'

/** A whole run of the world as plain data: who says what when, what model, tools and store do. The same seed makes the same script. */
export interface Script {
  readonly seed: number
  readonly agent: AgentSpec
  readonly first: Launch
  readonly replies: readonly Reply[]
  readonly acts: readonly Act[]
  readonly jumps: readonly Jump[]
  /** Instructions and permission checks that take their time sometimes never come. */
  readonly verdictsHang: boolean
  readonly store: StoreSpec
  /** A second process with the same agent on the same store. */
  readonly second: boolean
  readonly suspendAlways: boolean
  /** Nothing but one run, so that its three modes can be compared. */
  readonly plain: boolean
}

export interface AgentSpec {
  readonly maxParallel: number
  readonly onPending: 'answer' | 'hold' | 'reject'
  readonly instructions: 'text' | 'function' | 'async' | 'throws'
  readonly stopWhen: 'none' | 'second' | 'reason' | 'throws'
  readonly limits: {
    maxIterations?: number
    maxToolRounds?: number
    maxToolCalls?: number
    maxCallsPerTool?: number
    maxDurationMs?: number
    maxTokens?: number
    maxCostUsd?: number
    maxConsecutiveErrors?: number
    timeSliceMs?: number
    onLimit: 'summarize' | 'error' | 'incomplete'
  }
  readonly settings: { maxRetries: number; timeoutMs?: number }
  readonly policies: {
    approvalTiming: 'verdicts' | 'answers' | 'perCall'
    approvals?: { default: 'allow' | 'ask' | 'ask-unsafe'; rules: ApprovalRule[] }
    toolExecution: 'auto' | 'manual'
    lostOutcome: 'unknown' | 'ask'
    doneDrain: 'skip' | 'finish'
    emptyResponse: { retries: number; end: 'final' | 'error' }
    onTruncated: 'final' | 'continue' | 'error'
    toolUseWithoutCalls: 'final' | 'error'
    toolFailureMode: 'continue' | 'fail'
    unknownTool: 'result' | 'fail'
    noProgress: number | false
    graceMs: number
    retryAfterOutput: 'retract' | 'fail'
    retry: { baseMs: number; maxRetryAfterMs: number }
    durability: 'strict' | 'best-effort'
    toolResult?: { maxBytes: number; maxLines: number }
  }
  readonly termination: 'none' | 'duplicates' | 'perTool' | 'output' | 'throws'
  readonly output?: OutputSpec
}

/** What the answer must fit. A list is wrapped on the wire. */
export interface OutputSpec {
  readonly root: 'object' | 'list'
  /** The schema takes its time. */
  readonly slow: boolean
  readonly toolless: boolean
  readonly decodeRetries: number
  readonly schemaDuringTools: boolean
}

/** How a run is asked for and followed. */
export interface Launch {
  readonly text: string
  readonly mode: 'run' | 'stream'
  /** `all` reads to the end, `leave` after some events, `none` only holds the result, `nobody` does neither. */
  readonly reader: 'all' | 'leave' | 'none' | 'nobody'
  readonly leaveAfter: number
  readonly held: boolean
  readonly detach: boolean
  readonly signal: boolean
  readonly parkAfterMs: number
  readonly onBusy: 'reject' | 'queue' | 'steer' | 'interrupt'
}

export interface Reply {
  readonly reasoning?: string
  /** Deltas of text. */
  readonly text: readonly string[]
  readonly calls: readonly CallSpec[]
  readonly finish?: FinishReason
  readonly usage?: Partial<Usage>
  readonly waitMs: number
  readonly gapMs: number
  readonly fail?: { readonly code?: ErrorCode; readonly retryable?: boolean; readonly retryAfterMs?: number; readonly after: number }
  readonly odd?: 'hang' | 'hang-late' | 'throws' | 'garbled' | 'late-delta'
  /** Goes on after an abort. */
  readonly deaf?: boolean
}

export interface CallSpec {
  readonly name: string
  readonly input: ToolInput
  readonly raw?: string
  readonly id?: string
  /** The provider has run it itself. */
  readonly provider?: boolean
}

export interface ToolInput {
  readonly act: string
  readonly tag: number
  readonly ms?: number
  readonly ask?: string
}

/** When: at a time (ms), or at the n-th append of a driver, while it is under way or just after it. */
export type When = { readonly ms: number } | { readonly append: number; readonly phase: 'before' | 'after' }

export type Act = { readonly when: When; readonly by: 'handle' | 'session' | 'second' } & (
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'abort' | 'pause' | 'resume' | 'signal' | 'steal' | 'attach' }
  | {
      readonly kind: 'decide'
      readonly how: 'approve' | 'remember-run' | 'remember-session' | 'deny' | 'stop' | 'edit' | 'edit-invalid' | 'unknown'
      readonly which: number
    }
  | { readonly kind: 'submit'; readonly how: 'right' | 'twice' | 'unknown' | 'any'; readonly which: number }
  | { readonly kind: 'run'; readonly launch: Launch }
)

/** A wall clock is set anew (ms since the begin, ms by which): ours, the store's, or that of the one machine both are on. */
export interface Jump {
  readonly ms: number
  readonly by: number
  readonly whose: 'ours' | 'store' | 'both'
}

export interface StoreSpec {
  /** Chance of a small fault per operation: a lost race, a failure before or after the work. */
  readonly faults: number
  /** The driver's append at which the store fails for good (for three tries). */
  readonly fatalAt: number
  readonly fatalAfterWrite: boolean
  /** It does not fail then, once: it never answers. */
  readonly fatalSilence: boolean
  readonly latency: 'none' | 'microtasks' | 'ms'
}

export class Dice {
  readonly random: () => number
  constructor(seed: number) {
    this.random = seededRandom(Math.imul(seed, 2654435761) ^ 0x5bd1e995)
  }
  chance(p: number): boolean {
    return this.random() < p
  }
  int(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1))
  }
  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T
  }
  maybe<T extends object>(p: number, make: () => T): T | object {
    return this.chance(p) ? make() : {}
  }
}

/** Few different times, so that things often happen at the same moment. */
const moments = [0, 0, 1, 5, 10, 50, 100, 200, 400, 500, 1_000, 2_000]
const toolNames = [
  'look',
  'find',
  'put',
  'putx',
  'pay',
  'payt',
  'payr',
  'once',
  'askpay',
  'askfn',
  'asklater',
  'client',
  'askclient',
  'checked',
]
const backgroundNames = ['back', 'back', 'backpay', 'backpayr', 'askback', 'backclient']
const toolActs = [
  'ok',
  'ok',
  'ok',
  'deaf',
  'throw',
  'throw-async',
  'odd',
  'null',
  'text',
  'done',
  'suspend',
  'content',
  'progress',
  'mutate',
]
/** What no human may allow, where a script has rules. */
const denied: ApprovalRule = { action: 'deny', input: { tag: '2' } }
const asks = ['true', 'false', 'ask', 'expires', 'throws']

export function generate(seed: number): Script {
  const dice = new Dice(seed)
  const plain = seed % 10 === 0
  const agent = agentSpec(dice)
  const bestEffort = agent.policies.durability === 'best-effort'
  if (bestEffort) delete agent.limits.timeSliceMs
  const faulty = !plain && dice.chance(0.35)
  const alone = plain || bestEffort
  const acts = alone ? plainActs(dice, plain) : randomActs(dice)
  const said: CallSpec[] = []
  const replies = dice.chance(0.04) ? sameAgain(dice) : Array.from({ length: dice.int(1, 7) }, () => reply(dice, agent, said))
  const hangs = agent.settings.timeoutMs === undefined && replies.some((one) => one.odd === 'hang' || one.odd === 'hang-late')
  const rescue: Act[] = hangs ? [{ kind: 'abort', when: { ms: 20_000 }, by: 'session' }] : []
  const verdicts = new Dice(seed + 55_555_555)
  const verdictsHang = !plain && verdicts.chance(0.1)
  const answers = new Dice(seed + 88_888_888)
  const output = answers.chance(0.25) ? outputSpec(answers) : undefined
  const told = verdictsHang ? slowAgent(verdicts, agent) : agent
  return {
    seed,
    agent: output === undefined ? told : { ...told, output },
    first: plain ? { ...launch(dice, 'in0'), ...plainLaunch } : launch(dice, 'in0'),
    replies: withAnswers(answers, output, withBackground(new Dice(seed + 66_666_666), replies)),
    acts: [...acts, ...rescue],
    verdictsHang,
    jumps: plain ? [] : clockJumps(new Dice(seed + 33_333_333)),
    store: {
      faults: faulty ? dice.pick([0.03, 0.08, 0.15]) : 0,
      fatalAt: !plain && dice.chance(bestEffort ? 0.6 : 0.12) ? dice.int(2, 14) : 0,
      fatalAfterWrite: !bestEffort && dice.chance(0.5),
      fatalSilence: new Dice(seed + 44_444_444).chance(0.4),
      latency: dice.pick(['none', 'none', 'microtasks', 'ms']),
    },
    second: !alone && acts.some((act) => act.by === 'second'),
    suspendAlways: !bestEffort && dice.chance(0.2),
    plain,
  }
}

/** By dice of their own, too: some scripts have calls that go on in the background, and those that were the same stay the same. */
function withBackground(dice: Dice, replies: readonly Reply[]): Reply[] {
  const often = dice.chance(0.35) ? dice.pick([0.2, 0.6]) : 0
  const changed = new Map<CallSpec, CallSpec>()
  const again = (call: CallSpec): CallSpec => {
    const known = changed.get(call)
    if (known !== undefined) return known
    const made = dice.chance(often) && call.name !== 'nosuch' ? { ...call, name: dice.pick(backgroundNames) } : call
    changed.set(call, made)
    return made
  }
  return replies.map((one) => ({ ...one, calls: one.calls.map(again) }))
}

/** By dice of its own: the scripts that have no output schema are the same as ever. */
function outputSpec(dice: Dice): OutputSpec {
  return {
    root: dice.pick(['object', 'list']),
    slow: dice.chance(0.3),
    toolless: dice.chance(0.2),
    decodeRetries: dice.int(0, 2),
    schemaDuringTools: dice.chance(0.2),
  }
}

/** An answer in the form of an output; `fits`: whether it is one. */
export function answerText({ root }: OutputSpec, fits: boolean): readonly string[] {
  const value = fits ? '1}' : '"one"}'
  return root === 'object' ? ['{"n":', value] : ['{"value":[', fits ? '1]}' : '1]']
}

/** Some of what is said without calls is an output, or nearly one. */
function withAnswers(dice: Dice, output: OutputSpec | undefined, replies: readonly Reply[]): Reply[] {
  if (output === undefined) return [...replies]
  return replies.map((one) => {
    if (one.text.length === 0 || one.text.join('').trim() === '' || dice.chance(0.3)) return one
    return { ...one, text: answerText(output, dice.chance(0.7)) }
  })
}

/** Most have a time limit, which then must end what never comes. */
function slowAgent(dice: Dice, agent: AgentSpec): AgentSpec {
  const limits = dice.chance(0.8) ? { maxDurationMs: dice.pick([200, 1_000, 3_000]), ...agent.limits } : agent.limits
  return { ...agent, limits, instructions: dice.chance(0.7) ? 'async' : agent.instructions }
}

/** By dice of their own: a script is the same with and without them. */
function clockJumps(dice: Dice): Jump[] {
  if (!dice.chance(0.2)) return []
  return Array.from({ length: dice.int(1, 3) }, () => ({
    ms: dice.chance(0.5) ? dice.pick(moments) : dice.int(0, 4_000),
    by: dice.pick([-1, 1]) * dice.pick([700, 20_000, 3_600_000]),
    whose: dice.pick(['ours', 'store', 'both'] as const),
  }))
}

const plainLaunch = { mode: 'stream', reader: 'all', held: true, signal: false, detach: false, parkAfterMs: 0 } as const

function agentSpec(dice: Dice): AgentSpec {
  return {
    maxParallel: dice.pick([1, 2, 3, 8, 8]),
    onPending: dice.pick(['answer', 'answer', 'hold', 'reject']),
    instructions: dice.chance(0.02) ? 'throws' : dice.pick(['text', 'text', 'text', 'function', 'async']),
    stopWhen: dice.chance(0.12) ? dice.pick(['second', 'reason', 'throws']) : 'none',
    limits: {
      ...dice.maybe(0.35, () => ({ maxIterations: dice.int(1, 5) })),
      ...dice.maybe(0.08, () => ({ maxToolRounds: dice.int(1, 3) })),
      ...dice.maybe(0.12, () => ({ maxToolCalls: dice.int(1, 4) })),
      ...dice.maybe(0.08, () => ({ maxCallsPerTool: dice.int(1, 2) })),
      ...dice.maybe(0.12, () => ({ maxDurationMs: dice.pick([50, 200, 400, 1_000, 3_000]) })),
      ...dice.maybe(0.08, () => ({ maxTokens: dice.int(10, 100) })),
      ...dice.maybe(0.05, () => ({ maxCostUsd: dice.pick([0.01, 0.02]) })),
      ...dice.maybe(0.08, () => ({ maxConsecutiveErrors: dice.int(1, 3) })),
      ...dice.maybe(0.06, () => ({ timeSliceMs: dice.pick([1, 50, 500]) })),
      onLimit: dice.pick(['summarize', 'error', 'incomplete']),
    },
    settings: { maxRetries: dice.int(0, 2), ...dice.maybe(0.25, () => ({ timeoutMs: dice.pick([100, 500, 2_000]) })) },
    policies: {
      approvalTiming: dice.pick(['verdicts', 'verdicts', 'answers', 'perCall']),
      ...dice.maybe(0.1, () => ({
        approvals: { default: dice.pick(['allow', 'ask', 'ask-unsafe']), rules: [denied, { action: 'allow', tool: 'p*' }] },
      })),
      toolExecution: dice.chance(0.03) ? 'manual' : 'auto',
      lostOutcome: dice.chance(0.3) ? 'ask' : 'unknown',
      doneDrain: dice.pick(['skip', 'finish']),
      emptyResponse: { retries: dice.int(0, 2), end: dice.pick(['final', 'error']) },
      onTruncated: dice.pick(['final', 'continue', 'error']),
      toolUseWithoutCalls: dice.pick(['final', 'error']),
      toolFailureMode: dice.chance(0.15) ? 'fail' : 'continue',
      unknownTool: dice.chance(0.15) ? 'fail' : 'result',
      noProgress: dice.pick([false, 2, 2, 3, 5]),
      graceMs: dice.pick([10, 100, 500, 1_000]),
      retryAfterOutput: dice.pick(['retract', 'fail']),
      retry: { baseMs: dice.pick([1, 50, 500]), maxRetryAfterMs: dice.pick([1_000, 200_000]) },
      durability: dice.chance(0.04) ? 'best-effort' : 'strict',
      ...dice.maybe(0.1, () => ({ toolResult: { maxBytes: 60, maxLines: 2 } })),
    },
    termination: dice.chance(0.12) ? dice.pick(['duplicates', 'perTool', 'output', 'throws']) : 'none',
  }
}

function launch(dice: Dice, text: string): Launch {
  const mode = dice.pick(['run', 'stream', 'stream'] as const)
  const reader = mode === 'run' ? 'none' : dice.pick(['all', 'all', 'all', 'leave', 'none', 'nobody'] as const)
  return {
    text,
    mode,
    reader,
    leaveAfter: dice.int(0, 12),
    held: dice.chance(0.4),
    detach: dice.chance(0.2),
    signal: dice.chance(0.25),
    parkAfterMs: dice.pick([0, 0, 300, Number.POSITIVE_INFINITY]),
    onBusy: dice.pick(['queue', 'queue', 'interrupt', 'steer', 'reject']),
  }
}

function reply(dice: Dice, agent: AgentSpec, said: CallSpec[]): Reply {
  const calls = dice.chance(0.62) ? callSpecs(dice, said) : []
  const blank = dice.chance(0.06)
  const text = blank ? (dice.chance(0.5) ? [] : [' \n']) : calls.length > 0 && dice.chance(0.5) ? [] : texts(dice)
  const finish = dice.chance(0.2)
    ? dice.pick<FinishReason>(['stop', 'tool-calls', 'length', 'length', 'content-filter', 'refusal', 'pause-turn', 'error', 'other'])
    : undefined
  return {
    ...dice.maybe(0.15, () => ({ reasoning: 'hm' })),
    text,
    calls: blank ? [] : calls,
    ...(finish === undefined ? {} : { finish }),
    ...dice.maybe(0.3, () => ({ usage: usage(dice, agent) })),
    waitMs: dice.chance(0.5) ? 0 : dice.pick(moments),
    gapMs: dice.chance(0.7) ? 0 : dice.pick([1, 10, 100, 500]),
    ...dice.maybe(0.16, () => ({ fail: failure(dice) })),
    ...dice.maybe(0.06, () => ({ odd: dice.pick(['hang', 'hang-late', 'throws', 'garbled', 'late-delta'] as const) })),
    ...dice.maybe(0.1, () => ({ deaf: true })),
  }
}

/** A model that makes the same calls again and again. */
function sameAgain(dice: Dice): Reply[] {
  const calls = [{ name: dice.pick(['look', 'put', 'pay']), input: { act: dice.pick(['ok', 'throw', 'text']), tag: 1 } }]
  return Array.from({ length: 7 }, () => ({ text: [], calls, waitMs: 0, gapMs: 0 }))
}

function texts(dice: Dice): string[] {
  return Array.from({ length: dice.pick([1, 1, 2, 4]) }, () => dice.pick(['yes ', 'no ', 'so it is ', 'well, ']))
}

function usage(dice: Dice, agent: AgentSpec): Partial<Usage> {
  const tokens = { inputTokens: dice.int(1, 40), outputTokens: dice.int(0, 9), reasoningTokens: dice.int(0, 3) }
  if (dice.chance(0.2)) return { ...tokens, complete: false }
  return agent.limits.maxCostUsd !== undefined || dice.chance(0.3) ? { ...tokens, costUsd: 0.01 } : tokens
}

function failure(dice: Dice): NonNullable<Reply['fail']> {
  return {
    code: dice.pick<ErrorCode>(['ModelServerError', 'ModelRateLimited', 'ModelTimeout', 'ModelAuthError', 'ModelUnknownError']),
    ...dice.maybe(0.2, () => ({ retryAfterMs: dice.pick([0, 100, 900, 100_000, Number.NaN]) })),
    after: dice.int(0, 2),
  }
}

/** Models repeat themselves. */
function callSpecs(dice: Dice, said: CallSpec[]): CallSpec[] {
  return Array.from({ length: dice.chance(0.08) ? dice.int(5, 9) : dice.int(1, 3) }, () => {
    const call = said.length > 0 && dice.chance(0.2) ? dice.pick(said) : callSpec(dice)
    said.push(call)
    return call
  })
}

function callSpec(dice: Dice): CallSpec {
  const tag = dice.int(0, dice.chance(0.5) ? 1 : 50)
  const name = dice.chance(0.05) ? 'nosuch' : dice.pick(toolNames)
  const act = dice.chance(0.05) ? dice.pick(['wrong', 'schema-throws', 'content-error']) : dice.pick(toolActs)
  const input: ToolInput = {
    act,
    tag,
    ...dice.maybe(0.4, () => ({ ms: dice.pick([1, 10, 100, 400, 500, 600, 2_000, 20_000]) })),
    ...dice.maybe(name.startsWith('ask') ? 0.8 : 0, () => ({ ask: dice.pick(asks) })),
  }
  return {
    name,
    input,
    ...dice.maybe(0.05, () => ({
      raw: dice.pick(['{"act":', '[]', 'null', '', '"{\\"act\\":\\"ok\\",\\"tag\\":1}"', '{"act":"ok","tag":1e999}']),
    })),
    ...dice.maybe(0.3, () => ({ id: dice.pick(['call_1', 'call_2']) })),
    ...dice.maybe(0.03, () => ({ provider: true })),
  }
}

function plainActs(dice: Dice, plain: boolean): Act[] {
  if (!plain || dice.chance(0.5)) return []
  return [{ when: { ms: dice.pick(moments) }, by: 'session', ...act(dice, 1, ['send', 'abort', 'decide', 'submit', 'pause', 'resume']) }]
}

const kinds = [
  ...['send', 'send', 'send', 'abort', 'pause', 'resume', 'decide', 'decide', 'decide', 'decide', 'submit', 'submit', 'submit'],
  ...['run', 'run', 'signal', 'steal', 'attach'],
]

function randomActs(dice: Dice): Act[] {
  const withSecond = dice.chance(0.15)
  return Array.from({ length: dice.pick([0, 1, 2, 3, 4, 6]) }, (_, index): Act => {
    const chosen = act(dice, index + 1, withSecond ? kinds : kinds.filter((kind) => kind !== 'steal'))
    const by = chosen.kind === 'steal' || (withSecond && dice.chance(0.4)) ? 'second' : dice.pick(['handle', 'session'] as const)
    return { when: when(dice), by, ...chosen }
  })
}

function when(dice: Dice): When {
  if (dice.chance(0.5)) return { ms: dice.chance(0.2) ? dice.int(0, 3_000) : dice.pick(moments) }
  return { append: dice.int(1, 14), phase: dice.pick(['before', 'after']) }
}

type ActBody = Act extends infer A ? (A extends Act ? Omit<A, 'when' | 'by'> : never) : never

function act(dice: Dice, index: number, from: readonly string[]): ActBody {
  const kind = dice.pick(from)
  switch (kind) {
    case 'send':
      return { kind, text: `say${index}` }
    case 'decide':
      return {
        kind,
        how: dice.pick(['approve', 'approve', 'remember-run', 'remember-session', 'deny', 'stop', 'edit', 'edit-invalid', 'unknown']),
        which: dice.int(0, 2),
      }
    case 'submit':
      return { kind, how: dice.pick(['right', 'right', 'right', 'twice', 'unknown', 'any']), which: dice.int(0, 2) }
    case 'run':
      return { kind, launch: launch(dice, `in${index}`) }
    case 'abort':
    case 'pause':
    case 'resume':
    case 'signal':
    case 'steal':
    case 'attach':
      return { kind }
    default:
      throw new Error(`no act is called ${kind}`)
  }
}
