import type { Words } from '../scripted.ts'

/** How `generateContent` says what a script means. It ends with STOP for calls too. */
export const geminiWords: Words = {
  finish: {
    stop: 'STOP',
    'tool-calls': 'STOP',
    length: 'MAX_TOKENS',
    'content-filter': 'SAFETY',
    refusal: 'PROHIBITED_CONTENT',
    'pause-turn': 'OTHER',
    error: 'OTHER',
    other: 'OTHER',
  },
  refusalField: false,
  /** `code` is what the server adds in words, or which quota it is. */
  errors: {
    ModelRateLimited: { status: 429, type: 'RESOURCE_EXHAUSTED', code: null },
    ModelQuotaExceeded: { status: 429, type: 'RESOURCE_EXHAUSTED', code: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' },
    ModelAuthError: { status: 401, type: 'UNAUTHENTICATED', code: 'Request had invalid authentication credentials.' },
    ModelBadRequest: { status: 400, type: 'INVALID_ARGUMENT', code: null },
    ModelContextOverflow: {
      status: 400,
      type: 'INVALID_ARGUMENT',
      code: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    },
    ModelContentBlocked: { status: 400, type: 'INVALID_ARGUMENT', code: 'The request was flagged as inappropriate content.' },
    ModelServerError: { status: 500, type: 'INTERNAL', code: null },
    ModelTimeout: { status: 504, type: 'DEADLINE_EXCEEDED', code: null },
  },
  errorBody(message, { status, type, code }) {
    if (type !== 'RESOURCE_EXHAUSTED' || code === null)
      return { error: { code: status, message: code === null ? message : `${message}: ${code}`, status: type } }
    const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: code }] }]
    return { error: { code: status, message, status: type, details } }
  },
}
