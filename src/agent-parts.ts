import { type Json, type JsonObject, jsonEqual } from './core/json.ts'
import { isProviderTool, type Offered, offeredName, toolsFor } from './core/offered-tools.ts'
import type { Schema } from './core/schema.ts'
import type { Tools } from './core/tool.ts'
import type { ApprovalPorts, Clock, RunPorts } from './engine/ports.ts'
import { Listeners } from './listeners.ts'
import type { AgentOptions, Policies } from './options.ts'
import { outputSchema } from './output/schema.ts'
import { overlaid, ownOptions, ownSettings } from './own-options.ts'
import { outputReader } from './read-output.ts'
import { type AnyRunOptions, type OwnOutput, overData, ownParts } from './run-data.ts'
import { toolList } from './validate.ts'
import { wireRun } from './wiring.ts'

/** Options with the types of tools and context erased: inside, tools are data and the context is passed on unseen. */
export type AnyAgentOptions = AgentOptions<Tools, Schema | undefined, unknown>

/** What an agent brings to each of its runs. */
export interface AgentParts {
  readonly options: AnyAgentOptions
  readonly tools: readonly Offered[]
  /** Names that the agent's types know. */
  readonly typedNames: ReadonlySet<string>
  readonly listeners: Listeners
  readonly clock: Clock
}

export function agentParts(options: AnyAgentOptions, clock: Clock): AgentParts {
  const tools = toolList(options.tools).map((tool) => (isProviderTool(tool) ? structuredClone(tool) : tool))
  const typedNames = new Set(tools.flatMap((tool) => (isProviderTool(tool) ? [] : [tool.name])))
  return { options: ownOptions(options), tools, typedNames, listeners: new Listeners(options.onObserverError), clock }
}

/** What a run is driven with: its own options over the agent's. */
export function portsOf(parts: AgentParts, sessionId: string, options: AnyRunOptions): RunPorts {
  const { options: agent, typedNames, listeners } = parts
  const all = options.extraTools === undefined ? parts.tools : [...parts.tools, ...toolList(options.extraTools)]
  const allowed = options.allowedTools
  const named = allowed === undefined ? all : allowed.flatMap((name) => all.filter((tool) => offeredName(tool) === name))
  const model = options.model ?? agent.model
  const tools = toolsFor(named, model, [agent.model])
  const ownOutput = ownOutputOf(agent.output, options)
  const output = ownOutput === undefined && agent.output !== undefined ? outputSchema(agent.output) : (ownOutput ?? undefined)
  const read = outputReader(parts.clock, () => output?.schema)
  return wireRun({
    instructions: options.instructions ?? agent.instructions,
    limits: merged(agent.limits, options.limits),
    settings: merged(agent.settings, options.settings === undefined ? undefined : ownSettings(options.settings)),
    policies: joinedPolicies(agent.policies, options.policies),
    toolChoice: options.toolChoice ?? agent.toolChoice,
    stopWhen: options.stopWhen ?? agent.stopWhen,
    maxParallel: options.maxParallel ?? agent.maxParallel,
    approveTool: approveToolOf(agent.hooks),
    onPending: options.onPending ?? agent.onPending,
    dependencies: [...(options.dependencies ?? []), ...(agent.dependencies ?? [])],
    model,
    tools,
    typedNames,
    context: options.context,
    output,
    own: ownParts(options, tools, ownOutput),
    parkAfterMs: options.parkAfterMs ?? 0,
    sessionId,
    listener: (runId) => listeners.subscriber(runId, read),
    report: (error) => listeners.report(error),
  })
}

/** An option that is there and `undefined` says that this run has no output schema. */
function ownOutputOf(agent: Schema | undefined, options: AnyRunOptions): OwnOutput {
  if (options.output !== undefined) return outputSchema(options.output)
  return Object.hasOwn(options, 'output') && agent !== undefined ? null : undefined
}

/** What a run is driven with that is in the journal already: the options given now over its data. */
export function portsOver(parts: AgentParts, sessionId: string, data: JsonObject = {}, given: AnyRunOptions = {}): RunPorts {
  const { output, ...rest } = data
  const { options, unread } = overData(rest, given)
  return { ...portsOf(parts, sessionId, { ...options, ...recordedOutput(parts.options.output, output, given) }), unread }
}

/** The journal has the JSON Schema of what a run must answer; whoever has the same one can read the answers. */
function recordedOutput(agent: Schema | undefined, recorded: Json | undefined, given: AnyRunOptions): Pick<AnyRunOptions, 'output'> {
  if (Object.hasOwn(given, 'output')) return { output: given.output }
  if (recorded === undefined) return {}
  if (recorded === null) return { output: undefined }
  return agent !== undefined && jsonEqual(outputSchema(agent).json, recorded) ? { output: agent } : {}
}

/** Taken from its object, which it may need for itself. */
function approveToolOf(hooks: AnyAgentOptions['hooks']): ApprovalPorts['hook'] {
  return hooks?.approveTool === undefined ? undefined : (call, run) => hooks.approveTool?.(call, run)
}

/** A run's fields win one by one, but for the rules: what the agent denies no run can allow. */
function joinedPolicies(agent: Policies | undefined, run: Policies | undefined): Policies | undefined {
  const all = merged(agent, run)
  if (agent?.approvals === undefined || run?.approvals === undefined) return all
  const rules = [...(agent.approvals.rules ?? []), ...(run.approvals.rules ?? [])]
  return { ...all, approvals: { ...overlaid(agent.approvals, run.approvals), rules } }
}

function merged<X extends object>(base: X | undefined, own: X | undefined): X | undefined {
  if (base === undefined || own === undefined) return own ?? base
  return overlaid(base, own)
}
