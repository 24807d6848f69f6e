// What OpenAI's APIs have in common: their errors, and their words for what is refused.
import type { Words } from './scripted.ts'
import { type Violation, violation } from './violation.ts'

/** The errors of OpenAI's APIs. An answer that nobody can classify is a page: `ModelUnknownError`. */
export const openaiErrors = {
  ModelRateLimited: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  ModelQuotaExceeded: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  ModelAuthError: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  ModelBadRequest: { status: 400, type: 'invalid_request_error', code: null },
  ModelContextOverflow: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  ModelContentBlocked: { status: 400, type: 'invalid_request_error', code: 'content_filter' },
  ModelServerError: { status: 500, type: 'server_error', code: null },
  ModelTimeout: { status: 504, type: 'timeout_error', code: null },
} satisfies Words['errors']

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

export function* checkToolCount(tools: readonly unknown[]): Iterable<Violation> {
  if (tools.length > 128)
    yield violation(
      'tool-count',
      'tools',
      `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${tools.length} instead.`,
      'array_above_max_length',
    )
}
