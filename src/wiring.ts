import { defaultLimits, type MachineConfig, type MachineLimits, type OutputFacts } from './core/config.ts'
import { startedBody } from './core/decide-call.ts'
import type { ModelSetup } from './core/entry.ts'
import type { ModelSettings } from './core/model.ts'
import type { OwnParts } from './core/own-parts.ts'
import type { Schema } from './core/schema.ts'
import type { SessionState } from './core/state.ts'
import { any, noProgress, standardTermination } from './core/termination.ts'
import type { Awaitable, Dependency, RunInfo, Tools } from './core/tool.ts'
import type { Subscriber } from './engine/hub.ts'
import { Info } from './engine/info.ts'
import type { ApprovalPorts, OutputPort, RunPorts, SetupAnswer, SetupCall } from './engine/ports.ts'
import { defaultRetry } from './engine/retry.ts'
import { isThenable } from './engine/thenable.ts'
import type { Limits } from './limits.ts'
import { type RequestParts, requestOf } from './model-request.ts'
import type { Policies, SharedOptions } from './options.ts'
import { decodeText } from './output/decode.ts'
import { PartialOutput } from './output/partial.ts'
import type { OutputSchema } from './output/schema.ts'
import { overlaid } from './own-options.ts'
import { askStop, type SeenCalls } from './stop-view.ts'
import { type ToolTable, tableOf } from './tool-table.ts'

type Shared = SharedOptions<Tools, Schema | undefined, unknown>

/** The options of one run: the run's own over the agent's. Types of tools and context are erased here, behind the face. */
export interface RunSnapshot extends RequestParts {
  readonly instructions: Shared['instructions'] | undefined
  readonly limits: Limits | undefined
  readonly stopWhen: Shared['stopWhen'] | undefined
  readonly maxParallel: number | undefined
  readonly approveTool: ApprovalPorts['hook']
  readonly onPending: Shared['onPending'] | undefined
  /** Overrides, the run's before the agent's. */
  readonly dependencies: readonly Dependency<unknown>[]
  /** Names that the agent's types know. */
  readonly typedNames: ReadonlySet<string>
  readonly context: unknown
  /** What of all this is the run's own, by name. */
  readonly own: OwnParts | undefined
  readonly parkAfterMs: number
  readonly sessionId: string
  listener(runId: string): Subscriber
  report(error: unknown): void
}

/** Wires a snapshot to the engine: plain facts for the machine, live parts for the activities. */
export function wireRun(snapshot: RunSnapshot): RunPorts {
  const policies = snapshot.policies ?? {}
  const settings = snapshot.settings ?? {}
  const table = tableOf(snapshot.tools)
  const dynamic = table.described || typeof snapshot.instructions === 'function'
  const setup = setupOf(snapshot, table)
  const values = new Map<string, Promise<unknown>>()
  const seen: SeenCalls = { turns: [], behind: undefined, calls: [] }
  const ports: RunPorts = {
    config: {
      ...baseConfig(snapshot, table, policies, settings, setup, dynamic),
      ...(snapshot.stopWhen === undefined ? {} : { stopWhen: (state) => askStop(ports, snapshot, state, seen) }),
    },
    isDynamic: (name) => !snapshot.typedNames.has(name),
    tools: table.byName,
    toolNames: new Set(table.names),
    own: snapshot.own,
    unread: [],
    output: outputPort(snapshot.output),
    listener: (runId) => snapshot.listener(runId),
    retry: {
      ...overlaid(defaultRetry, policies.retry),
      maxRetries: settings.maxRetries ?? 2,
      afterOutput: policies.retryAfterOutput ?? 'retract',
    },
    modelTimeoutMs: settings.timeoutMs ?? Number.POSITIVE_INFINITY,
    results: overlaid({ maxBytes: 50 * 1024, maxLines: 2_000, maxStoredBytes: 4 * 1024 * 1024 }, policies.toolResult),
    toolFailureMode: policies.toolFailureMode ?? 'continue',
    unknownTool: policies.unknownTool ?? 'result',
    approvals: { ...policies.approvals, hook: snapshot.approveTool },
    hookTimeoutMs: policies.hookTimeoutMs ?? 30_000,
    context: snapshot.context,
    resolve: (dependency, run) => resolve(snapshot, values, dependency, run),
    modelCall: (state, open) => ({ model: snapshot.model, request: requestOf(snapshot, ports.config, state, open) }),
    ...(dynamic ? { setup: (state: SessionState, next: SetupCall) => askSetup(ports, snapshot, setup, state, next) } : {}),
    report: (error) => snapshot.report(error),
    durability: policies.durability ?? 'strict',
    parkAfterMs: snapshot.parkAfterMs,
    timeSliceMs: snapshot.limits?.timeSliceMs ?? Number.POSITIVE_INFINITY,
    onPending: snapshot.onPending ?? 'answer',
  }
  return ports
}

function setupOf(snapshot: RunSnapshot, table: ToolTable): ModelSetup {
  return {
    model: `${snapshot.model.provider}:${snapshot.model.id}`,
    ...(typeof snapshot.instructions === 'string' ? { instructions: snapshot.instructions } : {}),
    tools: table.names,
    ...(snapshot.settings === undefined ? {} : { settings: snapshot.settings }),
  }
}

function baseConfig(
  snapshot: RunSnapshot,
  table: ToolTable,
  policies: Policies,
  settings: ModelSettings,
  setup: ModelSetup,
  hasSetup: boolean,
): Omit<MachineConfig, 'stopWhen'> {
  return {
    tools: table.facts,
    limits: machineLimits(snapshot.limits),
    retries: settings.maxRetries ?? 2,
    maxParallel: snapshot.maxParallel ?? 8,
    graceMs: policies.graceMs ?? 1_000,
    approvalTiming: policies.approvalTiming ?? 'verdicts',
    onPending: snapshot.onPending ?? 'answer',
    toolFailureMode: policies.toolFailureMode ?? 'continue',
    toolExecution: policies.toolExecution ?? 'auto',
    lostOutcome: policies.lostOutcome ?? 'unknown',
    doneDrain: policies.doneDrain ?? 'skip',
    emptyResponse: { retries: policies.emptyResponse?.retries ?? 2, end: policies.emptyResponse?.end ?? 'final' },
    onTruncated: policies.onTruncated ?? 'final',
    toolUseWithoutCalls: policies.toolUseWithoutCalls ?? 'final',
    maxCuts: 2,
    maxContinuations: 10,
    termination: terminationOf(policies),
    hasSetup,
    hasComplete: snapshot.output !== undefined,
    output: outputFacts(snapshot, policies),
    setup,
    errorText: safeErrorText(snapshot, policies.errorText),
  }
}

function outputFacts({ output, tools }: RunSnapshot, policies: Policies): OutputFacts | undefined {
  if (output === undefined) return undefined
  const asked = tools.length === 0 ? 'at-once' : policies.schemaDuringTools === true ? 'with-tools' : 'after-tools'
  return { asked, retries: policies.decodeRetries ?? 2 }
}

function outputPort(output: OutputSchema | undefined): OutputPort | undefined {
  if (output === undefined) return undefined
  return { schema: output.schema, decode: (text) => decodeText(output, text), partial: () => new PartialOutput(output) }
}

const defaultTermination = terminationWith(undefined, 5)

function terminationOf({ termination, noProgress: batches }: Policies): MachineConfig['termination'] {
  if (termination === undefined && batches === undefined) return defaultTermination
  return terminationWith(termination, batches ?? 5)
}

function terminationWith(own: Policies['termination'], batches: number | false): MachineConfig['termination'] {
  return any(...(own === undefined ? [] : [own]), ...(batches === false ? [] : [noProgress({ batches })]), standardTermination())
}

/** The wording is a user's function: one that throws is reported, and the default stands. */
function safeErrorText(snapshot: RunSnapshot, errorText: Policies['errorText']): MachineConfig['errorText'] {
  if (errorText === undefined) return (_code, _call, text) => text
  return (code, call, text) => {
    try {
      return errorText(code, call, text)
    } catch (error) {
      snapshot.report(error)
      return text
    }
  }
}

function machineLimits(limits: Limits | undefined): MachineLimits {
  if (limits === undefined) return defaultLimits
  return {
    maxIterations: limits.maxIterations ?? defaultLimits.maxIterations,
    maxToolRounds: limits.maxToolRounds ?? Number.POSITIVE_INFINITY,
    maxToolCalls: limits.maxToolCalls ?? Number.POSITIVE_INFINITY,
    maxCallsPerTool: limits.maxCallsPerTool ?? Number.POSITIVE_INFINITY,
    maxDurationMs: limits.maxDurationMs ?? Number.POSITIVE_INFINITY,
    maxTokens: limits.maxTokens ?? Number.POSITIVE_INFINITY,
    maxCostUsd: limits.maxCostUsd ?? Number.POSITIVE_INFINITY,
    maxConsecutiveErrors: limits.maxConsecutiveErrors ?? Number.POSITIVE_INFINITY,
    onLimit: limits.onLimit ?? 'summarize',
  }
}

/** Made once a run, whoever asks; the run's override first, then the agent's, then the dependency's own factory. */
function resolve<T>(snapshot: RunSnapshot, values: Map<string, Promise<unknown>>, dependency: Dependency<T>, run: RunInfo): Promise<T> {
  const known = values.get(dependency.key)
  // The key names the type: an override was made from the dependency by `.with()`.
  if (known !== undefined) return known as Promise<T>
  const own = snapshot.dependencies.find((override) => override.key === dependency.key)
  const create = (own as Dependency<T> | undefined)?.create ?? dependency.create
  const value = Promise.resolve().then(() => create(run))
  values.set(dependency.key, value)
  return value
}

/** Asks instructions and descriptions that are functions; what they say is recorded with the call. */
function askSetup(ports: RunPorts, snapshot: RunSnapshot, setup: ModelSetup, state: SessionState, next: SetupCall): Awaitable<SetupAnswer> {
  const { run } = state.live
  const { n, attempt, purpose, reason, signal } = next
  if (run === undefined) throw new Error('a setup belongs to a run')
  const info = new Info(snapshot.sessionId, { ...run, iteration: run.iterations + 1 }, ports, signal)
  // From entries, for a tool may be named `__proto__`.
  const descriptions: { readonly [tool: string]: string } = Object.fromEntries(
    [...ports.tools.values()].flatMap(({ name, '~definition': { describe } }) =>
      typeof describe === 'function' ? [[name, asText(describe(info), `the description of '${name}'`)]] : [],
    ),
  )
  const call = {
    n,
    attempt,
    purpose,
    ...(reason === undefined ? {} : { reason }),
    ...(Object.keys(descriptions).length === 0 ? {} : { extra: { descriptions } }),
  }
  const started = (instructions?: string) => (later: SessionState) =>
    startedBody(later, instructions === undefined ? setup : { ...setup, instructions }, call)
  if (typeof snapshot.instructions !== 'function') return started()
  const text = snapshot.instructions(info)
  if (!isThenable(text)) return started(asText(text, 'instructions'))
  return Promise.resolve(text).then((later) => started(asText(later, 'instructions')))
}

/** What a user's function returned where a text belongs. */
function asText(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new Error(`${what} must be a text, and the function returned ${typeof value}`)
}
