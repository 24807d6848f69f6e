import type { ToolFacts } from './core/config.ts'
import type { Tool } from './core/tool.ts'

/** What a list of tools comes to. */
export interface ToolTable {
  readonly byName: ReadonlyMap<string, Tool>
  readonly facts: ReadonlyMap<string, ToolFacts>
  readonly names: readonly string[]
  /** Whether a description is a function. */
  readonly described: boolean
}

/** An agent gives the same list to each of its runs: what follows from it is worked out once. */
const tables = new WeakMap<readonly Tool[], ToolTable>()

export function tableOf(tools: readonly Tool[]): ToolTable {
  const known = tables.get(tools)
  if (known !== undefined) return known
  const table = {
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    facts: new Map(tools.map((tool) => [tool.name, factsOf(tool)])),
    names: tools.map((tool) => tool.name),
    described: tools.some((tool) => typeof tool['~definition'].describe === 'function'),
  }
  tables.set(tools, table)
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
