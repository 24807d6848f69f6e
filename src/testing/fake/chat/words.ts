import type { Words } from '../scripted.ts'

/** How Chat Completions says what a script means. It knows the first four finish reasons; the others are what servers make up. */
export const chatWords: Words = {
  finish: {
    stop: 'stop',
    'tool-calls': 'tool_calls',
    length: 'length',
    'content-filter': 'content_filter',
    refusal: 'stop',
    'pause-turn': 'pause_turn',
    error: 'error',
    other: 'other',
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
    ModelServerError: { status: 500, type: 'server_error', code: null },
    ModelTimeout: { status: 504, type: 'timeout_error', code: null },
  },
  errorBody: (message, { type, code }) => ({ error: { message, param: null, type, code } }),
}
