import type { Words } from '../scripted.ts'

/** How the Messages API says what a script means; it has no word for a filter of its own. */
export const messagesWords: Words = {
  finish: {
    stop: 'end_turn',
    'tool-calls': 'tool_use',
    length: 'max_tokens',
    'content-filter': 'refusal',
    refusal: 'refusal',
    'pause-turn': 'pause_turn',
    error: 'error',
    other: 'other',
  },
  refusalField: false,
  errors: {
    ModelRateLimited: { status: 429, type: 'rate_limit_error', code: null },
    ModelQuotaExceeded: { status: 402, type: 'billing_error', code: null },
    ModelAuthError: { status: 401, type: 'authentication_error', code: null },
    ModelBadRequest: { status: 400, type: 'invalid_request_error', code: null },
    ModelContextOverflow: { status: 413, type: 'request_too_large', code: null },
    ModelServerError: { status: 529, type: 'overloaded_error', code: null },
    ModelTimeout: { status: 504, type: 'timeout_error', code: null },
  },
  errorBody: (message, { type }) => ({ type: 'error', error: { type, message }, request_id: 'req_fake' }),
  errorEvent: 'error',
}
