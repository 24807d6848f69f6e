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
