import type { Words } from '../scripted.ts'

/** How the Responses API says a script means. It knows the first six ends; the others are what servers make up. */
export const responsesWords: Words = {
  finish: {
    stop: 'completed',
    'tool-calls': 'completed',
    length: 'max_output_tokens',
    'content-filter': 'content_filter',
    refusal: 'completed',
    'pause-turn': 'pause_turn',
    error: 'failed',
    other: 'something_else',
  },
  refusalField: true,
  /** An answer that nobody can classify is a page: `ModelUnknownError`. */
  errors: {
    ModelRateLimited: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
    ModelQuotaExceeded: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
    ModelAuthError: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
    ModelBadRequest: { status: 400, type: 'invalid_request_error', code: null },
    ModelContextOverflow: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
    ModelContentBlocked: { status: 400, type: 'invalid_request_error', code: 'content_filter' },
    ModelServerError: { status: 500, type: 'server_error', code: 'server_error' },
    ModelTimeout: { status: 504, type: 'timeout_error', code: null },
  },
  errorBody: (message, { type, code }) => ({ type: 'error', error: { type, code, message, param: null } }),
  errorEvent: 'error',
}
