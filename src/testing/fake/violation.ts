/** What a request did wrong, in the words of the real refusal. */
export interface Violation {
  /** Which rule: `pairing`, `ids`, `field` … */
  readonly rule: string
  readonly message: string
  readonly param: string | null
  readonly code: string | null
}

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function violation(rule: string, param: string | null, message: string, code: string | null = null): Violation {
  return { rule, message, param, code }
}

export function* checkName(name: unknown, path: string): Iterable<Violation> {
  if (typeof name !== 'string')
    return yield violation('tool-name', path, `Missing required parameter: '${path}'.`, 'missing_required_parameter')
  if (name.length > 64)
    yield violation(
      'tool-name',
      path,
      `Invalid '${path}': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`,
      'string_above_max_length',
    )
  if (!/^[a-zA-Z0-9_-]+$/.test(name))
    yield violation(
      'tool-name',
      path,
      `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      'invalid_value',
    )
}

export function unknownField(path: string): Violation {
  return violation('field', path, `Unknown parameter: '${path}'.`, 'unknown_parameter')
}
