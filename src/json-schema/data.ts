import type { ValidationIssue } from '../core/schema.ts'

/** What a value looks like before its schema is asked. */
export interface Inspection {
  /** Set when the value can't be validated: no JSON, too deep, too large. */
  readonly issue?: ValidationIssue
  /** How many values it holds, itself included. */
  readonly values: number
  /** Some property is `undefined`, which in the journal is the same as absent. */
  readonly hasUndefined: boolean
}

export interface DataLimits {
  readonly depth: number
  readonly values: number
  readonly items: number
}

interface Frame {
  readonly container: object
  readonly depth: number
  readonly parent: Frame | undefined
  readonly key: string | number
}

/** Walks a value without recursion: data from a model may be hostile, and the validator behind this recurses. */
export function inspect(value: unknown, limits: DataLimits): Inspection {
  let values = 1
  let hasUndefined = false
  const first = scalarProblem(value)
  if (first !== undefined) return { issue: { message: first }, values, hasUndefined }
  const stack: Frame[] = isContainer(value) ? [{ container: value, depth: 1, parent: undefined, key: '' }] : []
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    const { container } = frame
    if (frame.depth > limits.depth) return failed(`nested deeper than ${limits.depth} levels, the limit`)
    const items: readonly unknown[] | undefined = Array.isArray(container) ? container : undefined
    const keys = items === undefined ? Object.keys(container) : undefined
    const size = items?.length ?? keys?.length ?? 0
    values += size
    if (values > limits.values) return failed(`more than ${limits.values} values, the limit`)
    if (items !== undefined && size > limits.items)
      return failed(`${size} items; the limit is ${limits.items} where a schema compares items (uniqueItems)`, pathOf(frame))
    for (let i = 0; i < size; i++) {
      const key = keys?.[i] ?? i
      const member: unknown = items === undefined ? Reflect.get(container, key) : items[i]
      if (isContainer(member)) stack.push({ container: member, depth: frame.depth + 1, parent: frame, key })
      else if (member === undefined && items === undefined) hasUndefined = true
      else {
        const problem = scalarProblem(member)
        if (problem !== undefined) return failed(problem, [...pathOf(frame), key])
      }
    }
  }
  return { values, hasUndefined }

  function failed(message: string, path: readonly (string | number)[] = []): Inspection {
    return { issue: { message, path }, values, hasUndefined }
  }
}

/** A copy without the properties that are `undefined`. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (!isContainer(value)) return value
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutUndefined(member)]))
}

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'object':
    case 'string':
    case 'boolean':
      return undefined
    case 'number':
      return Number.isFinite(value) ? undefined : `expected JSON, received ${value}`
    default:
      return `expected JSON, received ${typeof value}`
  }
}

function pathOf(frame: Frame): (string | number)[] {
  const path: (string | number)[] = []
  for (let at: Frame | undefined = frame; at?.parent !== undefined; at = at.parent) path.unshift(at.key)
  return path
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
