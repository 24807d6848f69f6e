import type { ModelSettings } from './core/model.ts'
import type { Schema } from './core/schema.ts'
import type { Tools } from './core/tool.ts'
import type { AgentOptions, Policies } from './options.ts'

/** What of options is deep; those of an agent and of a run have it in common. */
type Deep = Partial<
  Pick<AgentOptions<Tools, Schema | undefined, unknown>, 'settings' | 'limits' | 'policies' | 'metadata' | 'stopWhen' | 'dependencies'>
>

/** The options as they are now: later changes to what was handed in have no effect. What is live (models, stores, functions) is itself. */
export function ownOptions<X extends Deep>(options: X): X {
  const { settings, limits, policies, metadata, stopWhen, dependencies } = options
  return {
    ...options,
    ...(settings === undefined ? {} : { settings: ownSettings(settings) }),
    ...(limits === undefined ? {} : { limits: { ...limits } }),
    ...(policies === undefined ? {} : { policies: ownPolicies(policies) }),
    ...(metadata === undefined ? {} : { metadata: structuredClone(metadata) }),
    ...(stopWhen === undefined || typeof stopWhen === 'function' ? {} : { stopWhen: [...stopWhen] }),
    ...(dependencies === undefined ? {} : { dependencies: [...dependencies] }),
  }
}

/** The fields of both, the given ones first; what is undefined was not given. */
export function overlaid<X extends object>(base: X, given: object | undefined): X {
  return Object.assign({ ...base }, Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)))
}

/** Settings go into the journal: a copy, which nobody changes. */
export function ownSettings(settings: ModelSettings): ModelSettings {
  return structuredClone(settings)
}

function ownPolicies(policies: Policies): Policies {
  const { approvals, emptyResponse, retry, toolResult } = policies
  return {
    ...policies,
    ...(approvals === undefined ? {} : { approvals: structuredClone(approvals) }),
    ...(emptyResponse === undefined ? {} : { emptyResponse: { ...emptyResponse } }),
    ...(retry === undefined ? {} : { retry: { ...retry } }),
    ...(toolResult === undefined ? {} : { toolResult: { ...toolResult } }),
  }
}
