import type { JsonObject } from './core/json.ts'
import type { Message } from './core/message.ts'
import { type OwnParts, someParts } from './core/own-parts.ts'
import type { Schema } from './core/schema.ts'
import type { Tool, Tools } from './core/tool.ts'
import type { Input as DriverInput } from './engine/activation.ts'
import type { Limits } from './limits.ts'
import type { RunOptions } from './options.ts'
import { toolList } from './validate.ts'

/** Options with the types of tools and context erased: inside, tools are data and the context is passed on unseen. */
export type AnyRunOptions = RunOptions<Tools, Schema | undefined, unknown> & { readonly context?: unknown }

/** What a run is driven with, besides its tools. Limits are not among them: the journal keeps those. */
const ownOptions = [
  'context',
  'model',
  'instructions',
  'settings',
  'toolChoice',
  'allowedTools',
  'stopWhen',
  'dependencies',
  'policies',
  'maxParallel',
  'onPending',
] as const

/** What of a run's options is its own, by name; `tools` are all that it is driven with. */
export function ownParts(options: AnyRunOptions, tools: readonly Tool[]): OwnParts | undefined {
  const extra = new Set(toolList(options.extraTools))
  return someParts({
    tools: tools.filter((tool) => extra.has(tool)).map(({ name }) => name),
    options: ownOptions.filter((name) => options[name] !== undefined),
  })
}

export interface Request {
  readonly agent: { readonly name: string; readonly version?: string }
  readonly runId: string
  /** Of the entry. */
  readonly id: string
  readonly input: readonly Message[]
  readonly limits: Limits | undefined
  readonly own: OwnParts | undefined
  /** The run whose end the message met. */
  readonly inherits?: string | undefined
}

/** The entry that asks for a run. */
export function requestEntry({ agent, runId, id, input, limits, own, inherits }: Request): DriverInput {
  const overrides: JsonObject = {
    ...(limits === undefined ? {} : { limits: finite(limits) }),
    ...(own === undefined ? {} : { own: { ...own } }),
  }
  const data = {
    agent,
    input,
    task: 'run',
    ...(inherits === undefined ? {} : { inherits }),
    ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
  } as const
  return { kind: 'run.requested', id, runId, data }
}

/** Limits as JSON: one that is infinite, or undefined, is none. */
function finite(limits: Limits): JsonObject {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== Number.POSITIVE_INFINITY && limit !== undefined))
}
