import type { JsonObject } from './core/json.ts'
import type { Schema } from './core/schema.ts'
import type { Tool, Tools } from './core/tool.ts'
import type { ApprovalPorts, RunPorts } from './engine/ports.ts'
import { Listeners } from './listeners.ts'
import type { AgentOptions, Policies } from './options.ts'
import { overlaid, ownOptions, ownSettings } from './own-options.ts'
import { type AnyRunOptions, overData, ownParts } from './run-data.ts'
import { toolList } from './validate.ts'
import { wireRun } from './wiring.ts'

/** Options with the types of tools and context erased: inside, tools are data and the context is passed on unseen. */
export type AnyAgentOptions = AgentOptions<Tools, Schema | undefined, unknown>

/** What an agent brings to each of its runs. */
export interface AgentParts {
  readonly options: AnyAgentOptions
  readonly tools: readonly Tool[]
  /** Names that the agent's types know. */
  readonly typedNames: ReadonlySet<string>
  readonly listeners: Listeners
}

export function agentParts(options: AnyAgentOptions): AgentParts {
  const tools = [...toolList(options.tools)]
  const typedNames = new Set(tools.map((tool) => tool.name))
  return { options: ownOptions(options), tools, typedNames, listeners: new Listeners(options.onObserverError) }
}

/** What a run is driven with: its own options over the agent's. */
export function portsOf(parts: AgentParts, sessionId: string, options: AnyRunOptions): RunPorts {
  const { options: agent, typedNames, listeners } = parts
  const all = options.extraTools === undefined ? parts.tools : [...parts.tools, ...toolList(options.extraTools)]
  const allowed = options.allowedTools
  const tools = allowed === undefined ? all : allowed.flatMap((name) => all.filter((tool) => tool.name === name))
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
    model: options.model ?? agent.model,
    tools,
    typedNames,
    context: options.context,
    own: ownParts(options, tools),
    parkAfterMs: options.parkAfterMs ?? 0,
    sessionId,
    listener: (runId) => listeners.subscriber(runId),
    report: (error) => listeners.report(error),
  })
}

/** What a run is driven with that is in the journal already: the options given now over its data. */
export function portsOver(parts: AgentParts, sessionId: string, data: JsonObject | undefined, given?: AnyRunOptions): RunPorts {
  const { options, unread } = overData(data, given)
  return { ...portsOf(parts, sessionId, options), unread }
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
