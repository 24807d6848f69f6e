import { isJsonObject, type Json, type JsonObject } from './core/json.ts'
import { type Offered, offeredName } from './core/offered-tools.ts'
import { dataOptions, type OwnParts, someParts } from './core/own-parts.ts'
import type { Schema } from './core/schema.ts'
import type { Tools } from './core/tool.ts'
import type { RunOptions } from './options.ts'
import type { OutputSchema } from './output/schema.ts'
import { overlaid } from './own-options.ts'
import { dataProblems, toolList } from './validate.ts'

/** Options with the types of tools and context erased: inside, tools are data and the context is passed on unseen. */
export type AnyRunOptions = RunOptions<Tools, Schema | undefined, unknown> & { readonly context?: unknown }

/** What no journal can hold. */
const processOptions = ['context', 'model', 'stopWhen', 'dependencies'] as const
const processPolicies = ['termination', 'errorText'] as const

/** The output schema that a run has of its own; null: none, though its agent has one. */
export type OwnOutput = OutputSchema | null | undefined

/** What of a run's options is its own; `tools` are all that it is driven with. */
export function ownParts(options: AnyRunOptions, tools: readonly Offered[], output: OwnOutput): OwnParts | undefined {
  const extra = new Set(toolList(options.extraTools))
  const { instructions, policies } = options
  return someParts({
    tools: tools.filter((tool) => extra.has(tool)).map(offeredName),
    options: [
      ...processOptions.filter((name) => options[name] !== undefined),
      ...(typeof instructions === 'function' ? ['instructions'] : []),
      ...(output === undefined || output === null ? [] : ['output']),
      ...processPolicies.filter((name) => policies?.[name] !== undefined).map((name) => `policies.${name}`),
    ],
    data: {
      ...Object.fromEntries(
        dataOptions.flatMap((name): [string, Json][] => {
          const data = plain(options[name])
          return data === undefined ? [] : [[name, data]]
        }),
      ),
      ...(output === undefined ? {} : { output: output === null ? null : output.json }),
    },
  })
}

/** What of an option the journal can hold: a number that is infinite is none there, and functions are named elsewhere. */
function plain(value: unknown): Json | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item) ?? null)
  if (typeof value !== 'object') return undefined
  const fields = Object.entries(value).map(([key, field]) => [key, plain(field)] as const)
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}

/** Options for a run that has data in the journal: the given ones win, of groups field by field. `unread`: what of the data is no option here. */
export function overData(
  data: JsonObject = {},
  given: AnyRunOptions = {},
): { readonly options: AnyRunOptions; readonly unread: readonly string[] } {
  const groups = Object.fromEntries(
    (['limits', 'policies', 'settings'] as const).flatMap((name) =>
      isJsonObject(data[name]) ? [[name, overlaid({ ...data[name] }, given[name])]] : [],
    ),
  )
  const options: AnyRunOptions = { ...overlaid({ ...data }, given), ...groups }
  const unread = dataProblems(Object.fromEntries(Object.keys(data).map((name): [string, unknown] => [name, Reflect.get(options, name)])))
  return unread.length === 0 ? { options, unread } : { options: given, unread }
}
