import { isJsonObject, type Json } from './json.ts'

/**
 * What a run was given for itself, by name. The journal keeps no tools, functions or contexts, only that there were some: a process that
 * lacks them can't drive the run (machine 8).
 */
export interface OwnParts {
  /** Tools that the agent does not have. */
  readonly tools: readonly string[]
  /** Other options; not limits, which the journal keeps. */
  readonly options: readonly string[]
}

/** As `run.requested` holds it among its overrides; `undefined` when there is none. */
export function readOwnParts(value: Json | undefined): OwnParts | undefined {
  if (!isJsonObject(value)) return undefined
  return someParts({ tools: names(value['tools']), options: names(value['options']) })
}

function names(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

/** None is the same as no names. */
export function someParts(own: OwnParts): OwnParts | undefined {
  return own.tools.length === 0 && own.options.length === 0 ? undefined : own
}

export function sameParts(a: OwnParts | undefined, b: OwnParts | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return sameNames(a.tools, b.tools) && sameNames(a.options, b.options)
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}

/**
 * What a run can't go on without: its tools and its context. In words, for whoever has to give them again. What else it was given may be
 * given differently.
 */
export function missingParts(own: OwnParts, tools: ReadonlyMap<string, unknown>, options: readonly string[]): readonly string[] {
  const missing = own.tools.filter((name) => !tools.has(name)).map((name) => `the tool '${name}'`)
  return own.options.includes('context') && !options.includes('context') ? [...missing, 'the context'] : missing
}
