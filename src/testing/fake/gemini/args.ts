import { isObject } from '../violation.ts'

/** Arguments as pieces with their places; `undefined` when not all of them can be said so: an empty object has no place in it. */
export function partialArgsOf(args: object, size = Number.POSITIVE_INFINITY): readonly object[] | undefined {
  const leaves = leavesIn(args, '$')
  return leaves?.flatMap(({ path, value }) => piecesOf(path, value, size))
}

function leavesIn(value: object, path: string): readonly { readonly path: string; readonly value: unknown }[] | undefined {
  const found = Object.entries(value).map(([key, inner]) => {
    const at = path + (Array.isArray(value) ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.replace(/[\\']/g, '\\$&')}']`)
    if (!isObject(inner) && !Array.isArray(inner)) return [{ path: at, value: inner }]
    return Object.keys(inner).length === 0 ? undefined : leavesIn(inner, at)
  })
  return found.includes(undefined) ? undefined : found.flatMap((one) => one ?? [])
}

function piecesOf(jsonPath: string, value: unknown, size: number): readonly object[] {
  if (value === null) return [{ jsonPath, nullValue: 'NULL_VALUE' }]
  if (typeof value === 'number') return [{ jsonPath, numberValue: value }]
  if (typeof value === 'boolean') return [{ jsonPath, boolValue: value }]
  const text = String(value)
  const pieces: object[] = []
  for (let at = 0; at < text.length; at += size) pieces.push({ jsonPath, stringValue: text.slice(at, at + size), willContinue: true })
  return [...pieces, { jsonPath, stringValue: '' }]
}
