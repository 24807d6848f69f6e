import type { Json } from './json.ts'
import { isWellFormed } from './text.ts'

/**
 * Whether a value is what `JSON.parse` gives for its own `JSON.stringify`, within the limits: no other objects, nothing undefined, no
 * `toJSON`, no half surrogate pairs. Never throws; what can't be read is not plain. Getters are called, and not told from fields.
 */
export function isPlainJson(value: unknown, maxDepth: number, maxNodes: number): value is Json {
  try {
    return nodesLeft(value, maxDepth, maxNodes) >= 0
  } catch {
    return false
  }
}

/**
 * How many nodes are left of `left` after this value, or -1 if it is not plain JSON within the limits. Results of tools are on the
 * hot path and nearly always plain, so this only looks: it keeps no list of ancestors (a cycle runs into the depth limit, shared
 * branches into that of nodes) and allocates nothing.
 */
function nodesLeft(value: unknown, depth: number, left: number): number {
  if (left <= 0) return -1
  switch (typeof value) {
    case 'string':
      return isWellFormed(value) ? left - 1 : -1
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? left - 1 : -1
    case 'boolean':
      return left - 1
    case 'object':
      if (value === null) return left - 1
      if (depth === 0) return -1
      if (Array.isArray(value)) return itemsLeft(value, depth - 1, left - 1)
      return isPlainObject(value) ? fieldsLeft(value, depth - 1, left - 1) : -1
    default:
      return -1
  }
}

function itemsLeft(items: readonly unknown[], depth: number, left: number): number {
  if (Object.getPrototypeOf(items) !== Array.prototype || 'toJSON' in items) return -1
  let rest = left
  for (let i = 0; i < items.length && rest >= 0; i++) rest = nodesLeft(items[i], depth, rest)
  return rest
}

function fieldsLeft(fields: { readonly [key: string]: unknown }, depth: number, left: number): number {
  let rest = left
  // `for in` makes no list of keys; an inherited key could only come from a polluted Object.prototype and would do no harm here.
  for (const key in fields) {
    if (rest < 0 || !isWellFormed(key)) return -1
    rest = nodesLeft(fields[key], depth, rest)
  }
  return rest
}

function isPlainObject(value: object): value is { readonly [key: string]: unknown } {
  return Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}
