import { isJsonObject, type Json, type JsonObject, jsonEqual } from './json.ts'

/**
 * What a run was given for itself. What is data the journal keeps, and it holds wherever the run goes on. Of tools, functions and contexts it
 * keeps the names only: a process that lacks them can't drive the run (machine 8).
 */
export interface OwnParts {
  /** Tools that the agent does not have. */
  readonly tools: readonly string[]
  /** Other options that only a process can keep. */
  readonly options: readonly string[]
  /** Options that are data, by name. Absent in a claim: as before. */
  readonly data?: JsonObject
}

/** Options that the journal keeps as they are, among the overrides of a request. */
export const dataOptions = [
  'limits',
  'allowedTools',
  'toolChoice',
  'policies',
  'settings',
  'instructions',
  'maxParallel',
  'onPending',
] as const

/** From the overrides of `run.requested`; `undefined` when there is nothing of its own. */
export function readOwnParts(overrides: JsonObject | undefined): OwnParts | undefined {
  if (overrides === undefined) return undefined
  const named = overrides['own']
  const [tools, options] = isJsonObject(named) ? [names(named['tools']), names(named['options'])] : [[], []]
  // Also what this version does not know: a newer one has written it, and it may be a restriction.
  const data = Object.entries(overrides).filter(([name, value]) => name !== 'own' && value !== undefined)
  return someParts({ tools, options, data: Object.fromEntries(data) })
}

function names(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

/** Nothing is the same as no names and no data. */
export function someParts({ tools, options, data = {} }: OwnParts): OwnParts | undefined {
  if (Object.keys(data).length > 0) return { tools, options, data }
  return tools.length === 0 && options.length === 0 ? undefined : { tools, options }
}

/** What a run goes on with after a claim. */
export function claimedParts(before: OwnParts | undefined, { tools, options, data = before?.data ?? {} }: OwnParts): OwnParts | undefined {
  return someParts({ tools, options, data })
}

/** Whether a run was given something that only a process can keep. */
export function hasNames(own: OwnParts | undefined): boolean {
  return own !== undefined && (own.tools.length > 0 || own.options.length > 0)
}

export function sameParts(a: OwnParts | undefined, b: OwnParts | undefined): boolean {
  return sameNames(a?.tools, b?.tools) && sameNames(a?.options, b?.options) && sameData(a, b)
}

export function sameData(a: OwnParts | undefined, b: OwnParts | undefined): boolean {
  return jsonEqual(a?.data ?? {}, b?.data ?? {})
}

function sameNames(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}

/**
 * Without these a run would not be the one that was asked for. Of an output schema the journal has the JSON Schema, by which another one is known to be the
 * same. The last two are data; a journal of before that names them only.
 */
const needed = ['context', 'output', 'allowedTools', 'policies']

/**
 * What a run can't go on without, and is not among what is given: its tools, its context and what restricts it. In words, for whoever has to
 * give it again. What else it was given may be given differently.
 */
export function missingParts(own: OwnParts, tools: ReadonlySet<string>, given: OwnParts | undefined): readonly string[] {
  const isGiven = (name: string) => given !== undefined && (given.options.includes(name) || Object.hasOwn(given.data ?? {}, name))
  return [
    ...own.tools.filter((name) => !tools.has(name)).map(toolWords),
    ...own.options.filter((name) => needed.includes(name) && !isGiven(name)).map(optionWords),
  ]
}

export function toolWords(name: string): string {
  return `the tool '${name}'`
}

export function unreadWords(problem: string): string {
  return `a version of Rondo that understands its options (${problem})`
}

export function optionWords(name: string): string {
  if (name === 'context') return 'the context'
  return name === 'output' ? 'its output schema' : `the option '${name}'`
}
