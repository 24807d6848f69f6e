import type { ToolFacts } from './core/config.ts'
import { isProviderTool, type Offered, offeredName } from './core/offered-tools.ts'
import type { Tool } from './core/tool.ts'

/** What a list of tools comes to. */
export interface ToolTable {
  readonly byName: ReadonlyMap<string, Tool>
  readonly facts: ReadonlyMap<string, ToolFacts>
  /** Also of those that the provider runs. */
  readonly names: readonly string[]
  /** Whether a description is a function. */
  readonly described: boolean
}

/** An agent gives the same list to each of its runs: what follows from it is worked out once. */
const tables = new WeakMap<readonly Offered[], ToolTable>()

export function tableOf(offered: readonly Offered[]): ToolTable {
  const known = tables.get(offered)
  if (known !== undefined) return known
  const tools = offered.filter((tool): tool is Tool => !isProviderTool(tool))
  const table = {
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    facts: new Map(tools.map((tool) => [tool.name, factsOf(tool)])),
    names: offered.map(offeredName),
    described: tools.some((tool) => typeof tool['~definition'].describe === 'function'),
  }
  tables.set(offered, table)
  return table
}

function factsOf(tool: Tool): ToolFacts {
  const { asksUser, background, execute, exclusive, reconcile, timeoutMs, graceMs, maxCallsPerRun } = tool['~definition']
  return {
    effect: tool.effect,
    exclusive: exclusive ?? false,
    external: execute === undefined,
    canReconcile: reconcile !== undefined,
    ...(asksUser === true ? { asksUser } : {}),
    ...(background === true ? { background } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(maxCallsPerRun === undefined ? {} : { maxCallsPerRun }),
  }
}
